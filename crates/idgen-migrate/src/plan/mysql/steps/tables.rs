//! The new tables, and the triggers that keep them current.

use minijinja::context;

use super::{EVENTS, Steps, drop_triggers, probe};
use crate::plan::data::{Engine, Statement, Step, Target};
use crate::plan::mysql::altered::{self, Side};
use crate::plan::mysql::attached::Role;
use crate::plan::mysql::checks;
use crate::plan::mysql::ledger::{self, Conditions, Part};
use crate::plan::mysql::quote::name;
use crate::plan::mysql::settings;
use crate::plan::mysql::signature::{self, Seen};
use crate::plan::mysql::templates::value;
use crate::plan::mysql::texts::TableText;
use idgen_database::Result;

impl Steps<'_> {
    pub(super) fn new_tables(&self) -> Result<Step> {
        let names = self.names;
        let part = Part::NewTables;
        let needed = vec![
            checks::triggers_absent(self.tables),
            checks::table_absent(self.first_old(), "the tables are renamed: undo that first"),
        ];
        let back = Conditions { checks: needed.clone(), ..Conditions::default() };
        let conditions = Conditions {
            checks: [needed, self.server_now(), self.old_as_planned(Role::Old)].concat(),
            end: checks::new_have_identities(names, self.tables),
            lines: self.lines_of_new(),
            ..Conditions::default()
        };
        let mut work = self.drop_new();
        for (table, renamed) in [(&names.phase, 0), (&names.phase_after, 1)] {
            work.push(Statement::new(
                "Says whether the tables are renamed: RENAME TABLE exchanges the two tables together with all others.",
                format!("CREATE TABLE {table} (renamed TINYINT PRIMARY KEY) ENGINE = InnoDB AS SELECT {renamed} AS renamed"),
            ));
        }
        work.push(Statement::new(
            "What hangs on the new tables before the renaming, so that its way back can compare it.",
            format!(
                "CREATE TABLE {} (one BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, table_name VARCHAR(64) NOT NULL, \
                 line MEDIUMTEXT NOT NULL, KEY (table_name)) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                names.attached
            ),
        ));
        work.push(Statement::new(
            "How the copy behaves. The values can be changed while it runs; it waits while `paused` is 1, and ends with an \
             error if more threads run than `abort_threads_running`. watch-replicas.sh writes \
             the last five columns.",
            format!(
                "CREATE TABLE {} (one TINYINT PRIMARY KEY, paused TINYINT NOT NULL, max_threads_running INT NOT NULL, \
                 abort_threads_running INT NULL, \
                 chunk_milliseconds INT NOT NULL, max_replica_lag INT NOT NULL, beat DATETIME(6) NULL, \
                 replica_lag DOUBLE NULL, watched DATETIME(6) NULL, replica_snapshot DATETIME(6) NULL, copy_arrived DATETIME(6) NULL) ENGINE = InnoDB \
                 AS SELECT 1 AS one, 0 AS paused, 25 AS max_threads_running, NULL AS abort_threads_running, 100 AS chunk_milliseconds, 10 AS max_replica_lag",
                names.control
            ),
        ));
        work.push(altered::create(names));
        work.extend(altered::record(names, self.tables, Side::Old));
        for table in self.tables {
            work.extend(self.new_table(table)?);
        }
        let mut undo = self.framed(part, true, &back, self.work(&self.drop_new())?)?;
        if self.order.is_first_change(part) {
            undo.push(self.drop_ledger());
        }
        Ok(Step {
            name: "new-tables".into(),
            purpose: "Makes the new tables, empty, beside the old ones. Nothing uses them yet.".into(),
            statements: self.framed(part, false, &conditions, self.work(&work)?)?,
            undo,
            locks: "Metadata locks of the old tables for an instant each. If one is not free within a second, the step releases all, \
                    and tries again."
                .into(),
            duration: None,
            stop: "Execute it again: it begins with an empty state, as long as there are no triggers.".into(),
        })
    }

    pub(super) fn drop_ledger(&self) -> Statement {
        Statement::new(
            "The ledger: nothing of the plan is left.",
            format!(
                "DROP TABLE IF EXISTS {}, {}, {}",
                self.names.attached, self.names.altered, self.names.steps
            ),
        )
    }

    fn new_table(&self, table: &TableText) -> Result<Vec<Statement>> {
        let like = format!("CREATE TABLE {} LIKE {}", name(&table.new), name(&table.now));
        let mut all = vec![Statement::new(format!("The new {}, empty, with all indexes.", table.now), like)];
        let foreign: Vec<_> = table.foreign.iter().filter(|key| !key.is_own).collect();
        let alter = self.templates.fill(
            "shadow.sql",
            context! { table => value(table), foreign => value(&foreign), map => value(self.map) },
        )?;
        all.push(Statement::new("Its new types, and its foreign keys to new tables.", alter));
        // MySQL refuses it in the same statement as a default that differs for each row.
        if !table.texts.is_empty() {
            let texts = self.templates.fill("texts.sql", context! { table => value(table) })?;
            all.push(Statement::new("The old texts, for readers that are not changed yet.", texts));
        }
        all.push(Statement::new(
            "The position of its copy.",
            self.templates.fill("position.sql", context! { table => value(table) })?,
        ));
        all.push(Statement::new(
            "Nothing is copied yet.",
            format!("INSERT INTO {} (one) VALUES (1)", name(&table.at)),
        ));
        Ok(all)
    }

    /// Removes what an earlier execution made. A new table with this name is not renamed, so the old one has all rows.
    fn drop_new(&self) -> Vec<Statement> {
        let names = self.names;
        let tables = self.tables.iter().rev().flat_map(|table| [&table.new, &table.at]);
        let own = [&names.phase, &names.phase_after, &names.control, &names.attached, &names.altered];
        let all: Vec<_> = tables.chain(own).map(|table| name(table)).collect();
        vec![Statement::new(
            "Removes what an earlier execution made. The tables are not renamed, so the old ones have all rows.",
            format!("DROP TABLE IF EXISTS {}", all.join(", ")),
        )]
    }

    pub(super) fn triggers(&self, at: usize) -> Result<Step> {
        let table = &self.tables[at];
        let part = Part::Triggers(at);
        let side = &table.forward;
        let mut needed = vec![checks::table_present(&table.new)];
        needed.extend(self.before_renaming());
        needed.extend(self.unchanged_since_triggers(0..at));
        // Triggers for columns that are not there any more, or of another type, would make each change of a client fail.
        needed.push(checks::as_planned(self.attached, self.tables, table, &self.planned[at], Role::Old));
        needed.push(self.not_altered(Side::Old, false));
        needed.extend(self.server_now());
        let record = signature::comparable(&signature::of_table(self.names, table, Seen::Forward));
        let conditions = Conditions {
            checks: needed,
            end: vec![checks::triggers_present(&side.from, side, checks::MAKE_AGAIN)],
            record: Some(record),
            ..Conditions::default()
        };
        let mut work = vec![Statement::new(
            "Allows emptying a table that others refer to.",
            "SET SESSION foreign_key_checks = 0",
        )];
        work.extend(self.work(&self.empty(table))?);
        work.extend(self.make_triggers(side, &side.from)?);
        work.extend(self.wait_for_prepared()?);
        let back = Conditions { checks: self.before_renaming(), ..Conditions::default() };
        let mut undo = vec![work[0].clone()];
        undo.extend(self.work(&self.empty(table))?);
        Ok(Step {
            name: self.order.name(part).to_owned(),
            purpose: format!(
                "From now on each change of {0} is made in {1} too, in the same transaction. The parents of {0} are in the new \
                 tables by now, so the foreign keys of {1} hold; the foreign keys of the new tables cascade as those of the old \
                 ones do, since triggers do not see cascades.{2}",
                table.now,
                table.new,
                if self.to == Target::Bigint { "" } else { " From now on a value that is no id is refused." }
            ),
            statements: self.framed(part, false, &conditions, work)?,
            undo: self.framed(part, true, &back, undo)?,
            locks: format!(
                "The metadata lock of {} for an instant, three times. It waits for open transactions that used the table, and \
                 while it waits, new statements wait behind it: a second at most, then it lets them pass, and tries again.",
                table.now
            ),
            duration: None,
            stop: "Stop the client at any time, and execute the file again.".into(),
        })
    }

    /// MySQL keeps the locks of a prepared XA transaction, also after a restart, so its CREATE TRIGGER waits by itself.
    fn wait_for_prepared(&self) -> Result<Vec<Statement>> {
        if self.engine == Engine::MySql {
            return Ok(Vec::new());
        }
        let procedure = &self.names.work;
        let context = context! {
            procedure, attempts => ledger::ATTEMPTS,
            prepared => "prepared XA transactions began before the triggers: commit or roll back what XA RECOVER lists, then execute the file again",
            old_list => ledger::OLD_LIST,
        };
        let drop = ledger::drop_procedure(procedure);
        Ok(vec![
            drop.clone(),
            Statement::new(
                "Waits for XA transactions that were prepared before the triggers, and fails if one stays.",
                self.templates.fill("prepared.sql", context)?,
            ),
            Statement::new("Waits for them.", format!("CALL {procedure}()")),
            drop,
        ])
    }

    /// Nothing of the table is copied yet, so what an earlier execution left in the new table is removed with its triggers.
    fn empty(&self, table: &TableText) -> Vec<Statement> {
        let side = &table.forward;
        let mut all: Vec<_> = drop_triggers([&side.insert, &side.update, &side.delete]).collect();
        all.push(Statement::new(
            "The copy begins at the first row.",
            format!("UPDATE {} SET copied_to = NULL, rows_copied = 0, finished = FALSE", name(&table.at)),
        ));
        all.push(Statement::new(
            "Rows are not kept current without the triggers. The table is not renamed, so the old one has all rows.",
            format!("TRUNCATE TABLE {}", name(&table.new)),
        ));
        all
    }

    /// Makes the triggers of a side. The servers have no loops around CREATE TRIGGER, so a statement that needs the same lock
    /// is repeated until it gets it.
    pub(super) fn make_triggers(
        &self,
        side: &crate::plan::mysql::texts::SideText,
        on: &str,
    ) -> Result<Vec<Statement>> {
        let procedure = &self.names.work;
        let body = ledger::work(&self.templates, self.names, procedure, &[probe(on)])?;
        let [drop, create, call, _] = &body[..] else { return Ok(body) };
        let mut all = vec![drop.clone(), create.clone()];
        if !side.lax.is_empty() {
            all.push(Statement::new(
                "The server computes expressions of the other table with the mode of the trigger. A session without a strict mode can write values \
                 that a strict one refuses, so the triggers take them, too; what they convert, they check themselves.",
                side.lax,
            ));
        }
        for (event, purpose) in EVENTS {
            let sql = self.templates.fill(
                &format!("trigger_{event}.sql"),
                context! { side => value(side), plan => value(self.names) },
            )?;
            all.push(Statement { purpose: "Waits until the lock is free.".into(), ..call.clone() });
            all.push(Statement::new(purpose, sql));
        }
        if !side.lax.is_empty() {
            all.push(Statement::new("The mode of before.", settings::strict()));
        }
        all.push(drop.clone());
        Ok(all)
    }
}
