//! The steps after the copy: what the tables refer to in themselves, the verification, the renaming, the end.

use minijinja::context;

use super::{EVENTS, Steps, WAIT, drop_triggers, when};
use crate::plan::data::{Statement, Step};
use crate::plan::mysql::check::Check;
use crate::plan::mysql::checks::{self, Phase};
use crate::plan::mysql::quote::{name, text};
use crate::plan::mysql::templates::value;
use crate::plan::mysql::texts::TableText;
use idgen_database::Result;

impl Steps<'_> {
    pub(super) fn references(&self) -> Result<Step> {
        let mut statements = self.guard(&self.tables.iter().map(checks::copied).collect::<Vec<_>>())?;
        statements.push(Statement::new("Waits at most ten seconds for the metadata lock.", WAIT));
        statements.push(Statement::new(
            "Adds the keys without reading the rows; the verification reads them.",
            "SET SESSION foreign_key_checks = 0",
        ));
        if self.map.is_some() {
            statements.extend(self.for_map());
        }
        let mut undo = self.undo_guard()?;
        for table in self.own_keys() {
            let foreign: Vec<_> = table.foreign.iter().filter(|key| key.is_own).collect();
            for key in &foreign {
                statements.extend(self.drop_foreign_key(table, key.name()));
                undo.extend(self.drop_foreign_key(table, key.name()));
            }
            let sql = self
                .templates
                .fill("references.sql", context! { table => value(table), foreign => value(&foreign) })?;
            statements.push(Statement::new(format!("The foreign keys from {} to itself.", table.new), sql));
            statements.extend(self.repair(table)?);
        }
        Ok(Step {
            name: "own-references".into(),
            purpose: "Adds the foreign keys from tables to themselves, which could not hold while rows were missing, and repairs \
                      what they did in the old tables until now.".into(),
            statements,
            undo,
            locks: "Metadata locks of the new tables for an instant each; changes of the old tables wait for it.".into(),
            duration: None,
            stop: "Stop the client, and execute the file again.".into(),
        })
    }

    fn repair(&self, table: &TableText) -> Result<Vec<Statement>> {
        let repair = self.names.repair;
        let drop = Statement::new("Removes the procedure.", format!("DROP PROCEDURE IF EXISTS {repair}"));
        let context = context! { table => value(table), plan => value(&self.names) };
        Ok(vec![
            drop.clone(),
            Statement::new(
                format!("Repairs what a cascade changed in {} without triggers.", table.now),
                self.templates.fill("repair.sql", context)?,
            ),
            Statement::new("Reads all rows once.", format!("CALL {repair}()")),
            drop,
        ])
    }

    /// MySQL has no DROP FOREIGN KEY IF EXISTS.
    fn drop_foreign_key(&self, table: &TableText, key: &str) -> [Statement; 3] {
        let drop = format!("ALTER TABLE {} DROP FOREIGN KEY {}", name(&table.new), name(key));
        let is_there = format!(
            "EXISTS (SELECT 1 FROM information_schema.TABLE_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() \
             AND TABLE_NAME = {} AND CONSTRAINT_NAME = {})",
            text(&table.new),
            text(key)
        );
        when(&is_there, &drop, "Removes the key if it is there.")
    }

    pub(super) fn verify(&self, step: &str, renamed: bool) -> Result<Step> {
        let verify = self.names.verify;
        let mut needed = checks::phase(self.names.phase, renamed);
        if !renamed {
            needed.extend(self.tables.iter().map(checks::copied));
        }
        let mut statements = self.guard(&needed)?;
        let drop = Statement::new("Removes the procedure.", format!("DROP PROCEDURE IF EXISTS {verify}"));
        statements.push(drop.clone());
        for table in self.tables {
            let (from, to) = if renamed { (&table.old, &table.now) } else { (&table.now, &table.new) };
            let names = context! { from, to, renamed };
            let sql = self
                .templates
                .fill("verify.sql", context! { table => value(table), names, plan => value(&self.names) })?;
            statements.push(Statement::new(format!("Compares each row of {from} and {to}."), sql));
            statements.push(Statement::new(
                "Fails, and shows the keys, if rows differ.",
                format!("CALL {verify}()"),
            ));
            statements.push(drop.clone());
        }
        Ok(Step {
            name: step.into(),
            purpose: "Compares all rows of the old and the new tables, in both directions, and looks for rows whose parent is \
                      missing. Clients may continue to change rows: each chunk is read in one snapshot."
                .into(),
            statements,
            undo: Vec::new(),
            locks: "None: it reads.".into(),
            duration: self.estimates.reading(),
            stop: "Stop the client at any time, and execute the file again.".into(),
        })
    }

    pub(super) fn prepare(&self) -> Result<Step> {
        let mut needed = checks::phase(self.names.phase, false);
        needed.extend(self.tables.iter().map(checks::copied));
        let mut statements = self.guard(&needed)?;
        statements.push(Statement::new("Waits at most ten seconds for the metadata lock.", WAIT));
        let mut undo = self.undo_guard()?;
        undo.push(Statement::new("Waits at most ten seconds for the metadata lock.", WAIT));
        for table in self.tables {
            let side = &table.backward;
            for (event, purpose) in EVENTS {
                let sql = self.templates.fill(
                    &format!("trigger_{event}.sql"),
                    context! { side => value(side), plan => value(&self.names) },
                )?;
                statements.push(Statement::new(format!("{} {purpose}", table.new), sql));
            }
            undo.extend(drop_triggers([&side.insert, &side.update, &side.delete]));
        }
        Ok(Step {
            name: "triggers-back".into(),
            purpose: "Makes the triggers of the new tables, which keep the old tables current after the renaming. Until then they \
                      do nothing."
                .into(),
            statements,
            undo,
            locks: "Metadata locks of the new tables for an instant each; changes of the old tables wait for it.".into(),
            duration: None,
            stop: "Stop the client at any time, and execute the file again.".into(),
        })
    }

    /// `later` looks for changes of the schema that are newer than the plan.
    pub(super) fn rename(&self, later: Vec<Check>) -> Result<Step> {
        let names = &self.names;
        let done = "the tables are renamed already, so this step is done: go on with the next file";
        let mut needed = vec![checks::table_present(names.phase)];
        needed.push(checks::phase_is_not(names.phase, Phase::After, done));
        needed.extend(checks::phase(names.phase, false).pop());
        needed.extend(later);
        for is_backward in [false, true] {
            needed.extend(self.tables.iter().map(|table| checks::triggers_present(table, is_backward)));
        }
        needed.extend(checks::cascades_in_innodb(self.engine));
        let mut there: Vec<[&str; 2]> = Vec::new();
        for table in self.tables {
            there.push([&table.now, &table.old]);
            there.push([&table.new, &table.now]);
        }
        there.push([names.phase, names.phase_before]);
        there.push([names.phase_after, names.phase]);
        let back: Vec<_> = there.iter().rev().map(|[from, to]| [to, from]).collect();
        let wait = Statement::new("Waits at most ten seconds for the metadata locks.", WAIT);
        let mut statements = self.guard(&needed)?;
        statements.push(wait.clone());
        let rename = self.templates.fill("rename.sql", context! { renames => value(&there) })?;
        statements.push(Statement::new("All tables at once: no client sees one without the others.", rename));
        let nothing = "the tables are not renamed: there is nothing to undo here, go on with the file before";
        let late =
            "the last step has begun, so the old tables are not current any more: there is no way back";
        let mut undo = self.guard(&[
            checks::table_present(names.phase),
            checks::phase_is_not(names.phase, Phase::Before, nothing),
            checks::phase_is_not(names.phase, Phase::Ending, late),
        ])?;
        undo.push(wait);
        undo.push(Statement::new(
            "The old tables have all changes that were made since.",
            self.templates.fill("rename.sql", context! { renames => value(back) })?,
        ));
        Ok(Step {
            name: "rename".into(),
            purpose: "The moment of the change: the new tables take the names of the old ones. From now on clients must write and \
                      read the new type. The old tables stay, and are kept current, until the last step."
                .into(),
            statements,
            undo,
            locks: "Metadata locks of all tables for an instant. It waits for open transactions that used them, and while it \
                    waits, new statements wait behind it: ten seconds at most, then nothing is changed; execute it again."
                .into(),
            duration: None,
            stop: "It is one statement: all is renamed, or nothing.".into(),
        })
    }

    pub(super) fn finish(&self) -> Result<Step> {
        let names = &self.names;
        let mut statements = vec![Statement::new("Waits at most ten seconds for the metadata locks.", WAIT)];
        // A second execution finds some of the tables gone.
        statements.extend(
            self.guard(&self.tables.iter().map(|table| checks::renamed(&table.new)).collect::<Vec<_>>())?,
        );
        // While only some are dropped, a trigger that still worked would not find the parents of its rows.
        let is_there = format!(
            "EXISTS (SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = {})",
            text(names.phase)
        );
        let end = format!("UPDATE {} SET renamed = {}", names.phase, Phase::Ending as u8);
        statements.extend(when(&is_there, &end, "From now on no trigger writes to the old tables."));
        for table in self.tables {
            let side = &table.backward;
            statements.extend(drop_triggers([&side.insert, &side.update, &side.delete]));
        }
        for table in self.tables.iter().rev() {
            let sql = format!("DROP TABLE IF EXISTS {}, {}", name(&table.old), name(&table.at));
            statements.push(Statement::new(format!("The old {}, with its triggers.", table.now), sql));
        }
        if let Some(map) = self.map {
            statements.extend(self.drop_map(map)?);
        }
        let own = [names.phase, names.phase_before, names.phase_after, names.control].map(name).join(", ");
        statements.push(Statement::new("The tables of the plan.", format!("DROP TABLE IF EXISTS {own}")));
        Ok(Step {
            name: "finish".into(),
            purpose: "Removes the old tables and the triggers. After this there is no way back: execute it when nobody needs the \
                      old keys any more, after days rather than minutes."
                .into(),
            statements,
            undo: Vec::new(),
            locks: "Metadata locks of all tables for an instant each. Dropping a large table may occupy the disk for a while.".into(),
            duration: None,
            stop: "Stop the client, and execute the file again.".into(),
        })
    }
}
