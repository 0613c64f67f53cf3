//! The steps after the copy: what the tables refer to in themselves, the verification, the triggers for the way back.

use minijinja::context;

use super::{Steps, drop_triggers};
use crate::plan::data::{Statement, Step};
use crate::plan::mysql::altered::{self, Side};
use crate::plan::mysql::checks;
use crate::plan::mysql::ledger::{Conditions, Part, drop_procedure};
use crate::plan::mysql::quote::{name, text};
use crate::plan::mysql::signature::Seen;
use crate::plan::mysql::templates::value;
use crate::plan::mysql::texts::TableText;
use idgen_database::Result;

impl Steps<'_> {
    pub(super) fn own_references(&self) -> Result<Step> {
        let part = Part::OwnReferences;
        let mut needed = self.before_renaming();
        needed.extend(self.all_unchanged_since_triggers());
        needed.extend(self.server_now());
        let conditions =
            Conditions { checks: needed, end: self.all_unchanged_since_triggers(), ..Conditions::default() };
        let mut work = vec![
            Statement::new(
                "Reads without locks between rows.",
                "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            ),
            Statement::new(
                "Adds the keys without reading the rows; the verification reads them.",
                "SET SESSION foreign_key_checks = 0",
            ),
        ];
        if self.map.is_some() {
            work.extend(self.for_map());
        }
        let mut undo = Vec::new();
        for table in self.own_keys() {
            let foreign: Vec<_> = table.foreign.iter().filter(|key| key.is_own).collect();
            let mut keys = Vec::new();
            for key in &foreign {
                // MariaDB renames it with the table, if it begins like one that the server made.
                let renamed = key.name().strip_prefix(&format!("{}_ibfk_", table.now));
                let renamed = renamed.map(|rest| format!("{}_ibfk_{rest}", table.new));
                for name in std::iter::once(key.name()).chain(renamed.as_deref()) {
                    keys.push(drop_foreign_key(table, name));
                    undo.push(drop_foreign_key(table, name));
                }
            }
            let sql = self
                .templates
                .fill("references.sql", context! { table => value(table), foreign => value(&foreign) })?;
            keys.push(Statement::new(format!("The foreign keys from {} to itself.", table.new), sql));
            work.extend(self.work(&keys)?);
            work.extend(self.repair(table)?);
        }
        let back = Conditions { checks: self.before_renaming(), ..Conditions::default() };
        Ok(Step {
            name: "own-references".into(),
            purpose: "Adds the foreign keys from tables to themselves, which could not hold while rows were missing, and repairs \
                      what they did in the old tables until now."
                .into(),
            statements: self.framed(part, false, &conditions, work)?,
            undo: self.framed(part, true, &back, self.work(&undo)?)?,
            locks: "Metadata locks of the new tables for an instant each; changes of the old tables wait for it: a second at most, then \
                    the step lets them pass, and tries again. Row locks likewise."
                .into(),
            duration: None,
            stop: "Stop the client, and execute the file again.".into(),
        })
    }

    fn repair(&self, table: &TableText) -> Result<Vec<Statement>> {
        let repair = &self.names.repair;
        let context = context! { table => value(table), plan => value(self.names) };
        Ok(vec![
            drop_procedure(repair),
            Statement::new(
                format!("Repairs what a cascade changed in {} without triggers.", table.now),
                self.templates.fill("repair.sql", context)?,
            ),
            Statement::new("Reads all rows once.", format!("CALL {repair}()")),
            drop_procedure(repair),
        ])
    }

    pub(super) fn verify(&self, renamed: bool) -> Result<Step> {
        let verify = &self.names.verify;
        let (part, seen) = match renamed {
            true => (Part::VerifyRenamed, Seen::BackRenamed),
            false => (Part::Verify, Seen::Forward),
        };
        let record = self.signature(seen);
        let end = vec![checks::signature_is(
            &self.names.steps,
            self.order.place(part),
            &record,
            "a table or a trigger was changed while the rows were compared: execute this file again".into(),
        )];
        let checks = if renamed {
            let phase = checks::phase_is(
                &self.names.phase,
                1,
                "the last step has begun: execute it until it ends without an error",
            );
            let present = |table: &TableText| {
                checks::triggers_present(&table.now, &table.backward, checks::NO_WAY_BACK)
            };
            std::iter::once(phase).chain(self.tables.iter().map(present)).collect()
        } else {
            let not_altered = vec![self.not_altered(Side::Old, false)];
            [self.before_renaming(), not_altered, self.all_unchanged_since_triggers()].concat()
        };
        let conditions = Conditions { checks, end, record: Some(record), ..Conditions::default() };
        let mut work = vec![drop_procedure(verify)];
        for table in self.tables {
            let (from, to) = if renamed { (&table.old, &table.now) } else { (&table.now, &table.new) };
            let names = context! { from, to, renamed };
            let sql = self
                .templates
                .fill("verify.sql", context! { table => value(table), names, plan => value(self.names) })?;
            work.push(Statement::new(format!("Compares each row of {from} and {to}."), sql));
            work.push(Statement::new(
                "Fails, and shows the keys, if rows differ.",
                format!("CALL {verify}()"),
            ));
            work.push(drop_procedure(verify));
        }
        Ok(Step {
            name: self.order.name(part).to_owned(),
            purpose: "Compares all rows of the old and the new tables, in both directions, and looks for rows whose parent is \
                      missing. Clients may continue to change rows: each chunk is read in one snapshot."
                .into(),
            statements: self.framed(part, false, &conditions, work)?,
            undo: Vec::new(),
            locks: "None: it reads.".into(),
            duration: self.estimates.reading(),
            stop: "Stop the client at any time, and execute the file again.".into(),
        })
    }

    pub(super) fn triggers_back(&self) -> Result<Step> {
        let part = Part::TriggersBack;
        let present = self
            .tables
            .iter()
            .map(|table| checks::triggers_present(&table.new, &table.backward, checks::MAKE_AGAIN));
        let mut needed = self.before_renaming();
        needed.extend(self.all_unchanged_since_triggers());
        // The tables are compared with the state that this step records, so it must be the one that was made.
        let file = self.order.file(Part::NewTables);
        needed.extend(
            self.tables
                .iter()
                .flat_map(|table| checks::as_made(self.attached, self.names, self.tables, table, &file)),
        );
        let conditions = Conditions {
            checks: needed,
            end: present.collect(),
            record: Some(self.signature(Seen::Back)),
            lines: self.lines_of_new(),
            ..Conditions::default()
        };
        let (mut work, mut drops) = (Vec::new(), Vec::new());
        for table in self.tables {
            let side = &table.backward;
            drops.extend(drop_triggers([&side.insert, &side.update, &side.delete]));
        }
        work.extend(self.work(&drops)?);
        work.extend(altered::record(self.names, self.tables, Side::New));
        for table in self.tables {
            work.extend(self.make_triggers(&table.backward, &table.new)?);
        }
        let back = Conditions { checks: self.before_renaming(), ..Conditions::default() };
        Ok(Step {
            name: "triggers-back".into(),
            purpose: "Makes the triggers of the new tables, which keep the old tables current after the renaming. Until then they \
                      do nothing."
                .into(),
            statements: self.framed(part, false, &conditions, work)?,
            undo: self.framed(part, true, &back, self.work(&drops)?)?,
            locks: "Metadata locks of the new tables for an instant each; changes of the old tables wait for it: a second at most, then \
                    the step lets them pass, and tries again."
                .into(),
            duration: None,
            stop: "Stop the client at any time, and execute the file again.".into(),
        })
    }
}

/// MySQL has no DROP FOREIGN KEY IF EXISTS.
fn drop_foreign_key(table: &TableText, key: &str) -> Statement {
    let drop = format!("ALTER TABLE {} DROP FOREIGN KEY {}", name(&table.new), name(key));
    let is_there = format!(
        "EXISTS (SELECT 1 FROM information_schema.TABLE_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() \
         AND TABLE_NAME = {} AND CONSTRAINT_NAME = {})",
        text(&table.new),
        text(key)
    );
    Statement::new(
        "Removes the key if it is there.",
        format!(
            "SET @idgen_plan_sql = IF({is_there}, {}, 'DO 0'); PREPARE idgen_plan_sql FROM @idgen_plan_sql; EXECUTE idgen_plan_sql",
            text(&drop)
        ),
    )
}
