//! The steps of a change that copies the rows into new tables, in their order.

mod after;
mod map;

use minijinja::context;
use serde::Serialize;

use super::check::Check;
use super::checks;
use super::estimate::Estimates;
use super::map::Map;
use super::quote::{name, text};
use super::templates::{Templates, value};
use super::texts::TableText;
use crate::plan::data::{Engine, Statement, Step};
use idgen_database::Result;

/// Names of the plan itself in the schema.
#[derive(Serialize)]
struct Names {
    phase: &'static str,
    phase_after: &'static str,
    phase_before: &'static str,
    control: &'static str,
    guard: &'static str,
    copy: &'static str,
    verify: &'static str,
    repair: &'static str,
    /// The table of the server's counters.
    status: &'static str,
    /// The clause of a locking read that does not wait.
    share: &'static str,
}

pub(super) const PHASE: &str = "idgen_plan_phase";

pub(super) struct Steps<'a> {
    engine: Engine,
    templates: Templates,
    names: Names,
    tables: &'a [TableText],
    estimates: &'a Estimates,
    /// With `--to integer`.
    map: Option<&'a Map>,
}

pub(super) const WAIT: &str = "SET SESSION lock_wait_timeout = 10";

impl<'a> Steps<'a> {
    pub(super) fn new(
        engine: Engine,
        tables: &'a [TableText],
        estimates: &'a Estimates,
        map: Option<&'a Map>,
    ) -> Result<Self> {
        let is_mysql = engine == Engine::MySql;
        let names = Names {
            phase: PHASE,
            phase_after: "idgen_plan_phase_after",
            phase_before: "idgen_plan_phase_before",
            control: "idgen_plan_control",
            guard: "idgen_plan_guard",
            copy: "idgen_plan_copy",
            verify: "idgen_plan_verify",
            repair: "idgen_plan_repair",
            status: if is_mysql {
                "performance_schema.global_status"
            } else {
                "information_schema.GLOBAL_STATUS"
            },
            share: if is_mysql { "FOR SHARE NOWAIT" } else { "LOCK IN SHARE MODE" },
        };
        Ok(Steps { engine, templates: Templates::new()?, names, tables, estimates, map })
    }

    pub(super) fn all(&self, data: &[Check], later: Vec<Check>) -> Result<Vec<Step>> {
        let mut steps = vec![self.check(data)?];
        if let Some(map) = self.map {
            steps.push(self.map(map)?);
        }
        steps.push(self.shadow()?);
        for table in self.tables {
            steps.push(self.triggers(table)?);
            steps.push(self.copy(table)?);
        }
        if self.own_keys().next().is_some() {
            steps.push(self.references()?);
        }
        steps.push(self.verify("verify", false)?);
        steps.push(self.prepare()?);
        steps.push(self.rename(later)?);
        steps.push(self.verify("verify-renamed", true)?);
        steps.push(self.finish()?);
        Ok(steps)
    }

    /// The tables that refer to themselves.
    fn own_keys(&self) -> impl Iterator<Item = &TableText> {
        self.tables.iter().filter(|table| table.foreign.iter().any(|key| key.is_own))
    }

    fn guard(&self, checks: &[Check]) -> Result<Vec<Statement>> {
        guard(&self.templates, self.names.guard, checks)
    }

    pub(super) fn check(&self, data: &[Check]) -> Result<Step> {
        Ok(Step {
            name: "check".into(),
            purpose: "Looks for everything that would stop the change later. It changes no table. Each query shows the rows that \
                      are wrong, and can be executed by itself."
                .into(),
            statements: self.guard(data)?,
            undo: Vec::new(),
            locks: "None: it reads.".into(),
            duration: self.estimates.reading(),
            stop: "Stop the client at any time, and execute the file again.".into(),
        })
    }

    fn shadow(&self) -> Result<Step> {
        let names = &self.names;
        let mut statements =
            self.guard(&[checks::triggers_absent(self.tables), checks::table_absent(self.first_old())])?;
        statements.extend(self.drop_shadows());
        let mut undo =
            self.guard(&[checks::not_renamed(self.first_old()), checks::triggers_absent(self.tables)])?;
        undo.extend(self.drop_shadows());
        for (table, renamed) in [(names.phase, 0), (names.phase_after, 1)] {
            statements.push(Statement::new(
                "Says whether the tables are renamed: RENAME TABLE exchanges the two tables together with all others.",
                format!("CREATE TABLE {table} (renamed TINYINT PRIMARY KEY) ENGINE = InnoDB AS SELECT {renamed} AS renamed"),
            ));
        }
        statements.push(Statement::new(
            "How the copy behaves. The values can be changed while it runs; it waits while `paused` is 1. watch-replicas.sh writes \
             the last three columns.",
            format!(
                "CREATE TABLE {} (one TINYINT PRIMARY KEY, paused TINYINT NOT NULL, max_threads_running INT NOT NULL, \
                 chunk_milliseconds INT NOT NULL, max_replica_lag INT NOT NULL, beat DATETIME(6) NULL, \
                 replica_lag DOUBLE NULL, watched DATETIME(6) NULL) ENGINE = InnoDB \
                 AS SELECT 1 AS one, 0 AS paused, 25 AS max_threads_running, 100 AS chunk_milliseconds, 10 AS max_replica_lag",
                names.control
            ),
        ));
        for table in self.tables {
            let like = format!("CREATE TABLE {} LIKE {}", name(&table.new), name(&table.now));
            statements.push(Statement::new(format!("The new {}, empty, with all indexes.", table.now), like));
            let foreign: Vec<_> = table.foreign.iter().filter(|key| !key.is_own).collect();
            let alter = self.templates.fill(
                "shadow.sql",
                context! { table => value(table), foreign => value(&foreign), map => value(self.map) },
            )?;
            statements.push(Statement::new("Its new types, and its foreign keys to new tables.", alter));
            // MySQL refuses it in the same statement as a default that differs for each row.
            if !table.texts.is_empty() {
                let texts = self.templates.fill("texts.sql", context! { table => value(table) })?;
                statements
                    .push(Statement::new("The old texts, for readers that are not changed yet.", texts));
            }
            statements.push(Statement::new(
                "The position of its copy.",
                self.templates.fill("position.sql", context! { table => value(table) })?,
            ));
            statements.push(Statement::new(
                "Nothing is copied yet.",
                format!("INSERT INTO {} (one) VALUES (1)", name(&table.at)),
            ));
        }
        Ok(Step {
            name: "new-tables".into(),
            purpose: "Makes the new tables, empty, beside the old ones. Nothing uses them yet.".into(),
            statements,
            undo,
            locks: "Metadata locks of the old tables for an instant each.".into(),
            duration: None,
            stop: "Execute it again: it begins with an empty state, as long as there are no triggers.".into(),
        })
    }

    /// A table that is there only while the tables are renamed.
    fn first_old(&self) -> &str {
        self.tables.first().map_or("", |table| &table.old)
    }

    /// The way back of a step begins with this: it would harm the renamed tables.
    fn undo_guard(&self) -> Result<Vec<Statement>> {
        self.guard(&[checks::not_renamed(self.first_old())])
    }

    fn drop_shadows(&self) -> Vec<Statement> {
        let names = &self.names;
        let mut all =
            vec![Statement::new("Waits at most ten seconds for the metadata lock of a table.", WAIT)];
        let dropped =
            self.tables.iter().rev().flat_map(|table| [&table.new, &table.at]).map(|table| name(table));
        let own = [names.phase, names.phase_after, names.control].map(name);
        let tables: Vec<_> = dropped.chain(own).collect();
        all.push(Statement::new(
            "Removes what an earlier execution made.",
            format!("DROP TABLE IF EXISTS {}", tables.join(", ")),
        ));
        all
    }

    fn triggers(&self, table: &TableText) -> Result<Step> {
        let parents = self
            .tables
            .iter()
            .filter(|parent| parent.now != table.now && table.foreign.iter().any(|key| key.to == parent.now));
        let mut needed = vec![checks::table_present(&table.new)];
        needed.extend(checks::phase(self.names.phase, false));
        needed.extend(parents.map(checks::copied));
        needed.extend(checks::cascades_in_innodb(self.engine));
        let mut statements = self.guard(&needed)?;
        statements.push(Statement::new("Waits at most ten seconds for the metadata lock.", WAIT));
        let side = &table.forward;
        statements.extend(self.empty(table));
        for (event, purpose) in EVENTS {
            let sql = self.templates.fill(
                &format!("trigger_{event}.sql"),
                context! { side => value(side), plan => value(&self.names) },
            )?;
            statements.push(Statement::new(purpose, sql));
        }
        let mut undo = self.undo_guard()?;
        undo.push(Statement::new("Waits at most ten seconds for the metadata lock.", WAIT));
        undo.extend(drop_triggers([&side.insert, &side.update, &side.delete]));
        undo.extend(self.empty(table));
        Ok(Step {
            name: file_name("triggers", &table.now),
            purpose: format!(
                "From now on each change of {0} is made in {1} too, in the same transaction. The parents of {0} are in the new \
                 tables by now, so the foreign keys of {1} hold; the foreign keys of the new tables cascade as those of the old \
                 ones do, since triggers do not see cascades. From now on a value that is no id is refused.",
                table.now, table.new
            ),
            statements,
            undo,
            locks: format!(
                "The metadata lock of {} for an instant, three times. It waits for open transactions that used the table, and \
                 while it waits, new statements wait behind it: ten seconds at most, then it fails; execute it again.",
                table.now
            ),
            duration: None,
            stop: "Stop the client at any time, and execute the file again.".into(),
        })
    }

    /// Empties a new table whose rows are not kept current: one of its triggers is missing.
    fn empty(&self, table: &TableText) -> Vec<Statement> {
        let side = &table.forward;
        let names = [&side.insert, &side.update, &side.delete].map(|name| text(name)).join(", ");
        let incomplete = format!(
            "(SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() AND TRIGGER_NAME IN ({names})) < 3"
        );
        let reset = format!(
            "UPDATE {} SET copied_to = NULL, rows_copied = 0, finished = FALSE WHERE {incomplete}",
            name(&table.at)
        );
        let truncate = format!("TRUNCATE TABLE {}", name(&table.new));
        let mut all = vec![
            Statement::new(
                "Allows emptying a table that others refer to.",
                "SET SESSION foreign_key_checks = 0",
            ),
            Statement::new("The copy begins at the first row, unless all triggers are there.", reset),
        ];
        all.extend(when(&incomplete, &truncate, "Rows are not kept current without all triggers."));
        all
    }

    fn copy(&self, table: &TableText) -> Result<Step> {
        let copy = self.names.copy;
        let mut needed = checks::phase(self.names.phase, false);
        needed.push(checks::triggers_present(table, false));
        let mut statements = self.guard(&needed)?;
        statements.push(Statement::new(
            "Row locks without gaps, so that clients can insert while a chunk is copied.",
            "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
        ));
        statements.push(Statement::new(
            "The foreign keys hold in the table that is read; checking them again would lock the parents.",
            "SET SESSION foreign_key_checks = 0",
        ));
        if self.engine == Engine::MariaDb {
            statements.push(Statement::new(
                "The copy never waits for a locked row. MariaDB has no NOWAIT in procedures.",
                "SET SESSION innodb_lock_wait_timeout = 0",
            ));
        }
        if self.map.is_some() {
            statements.extend(self.for_map());
        }
        if table.counts {
            statements.push(Statement::new(
                "The counter of the new table begins where that of the old one is.",
                self.templates.fill("counter.sql", context! { table => value(table) })?,
            ));
            for sql in ["PREPARE idgen_plan_counter FROM @idgen_plan_counter", "EXECUTE idgen_plan_counter"] {
                statements.push(Statement::new("Executes it.", sql));
            }
        }
        let drop = Statement::new("Removes the procedure.", format!("DROP PROCEDURE IF EXISTS {copy}"));
        statements.push(drop.clone());
        let context = context! { table => value(table), plan => value(&self.names), map => value(self.map) };
        statements.push(Statement::new(
            "Copies in chunks of the primary key.",
            self.templates.fill("copy.sql", context)?,
        ));
        statements.push(Statement::new("Runs until all rows are copied.", format!("CALL {copy}()")));
        statements.push(drop.clone());
        statements.push(Statement::new(
            "Shows what was copied.",
            format!("SELECT rows_copied, finished FROM {}", name(&table.at)),
        ));
        let reset =
            format!("UPDATE {} SET copied_to = NULL, rows_copied = 0, finished = FALSE", name(&table.at));
        let mut undo = self.undo_guard()?;
        undo.push(drop);
        undo.push(Statement::new("The next copy begins at the first row.", reset));
        Ok(Step {
            name: file_name("copy", &table.now),
            purpose: format!(
                "Copies {} to {} in chunks that take about 100 ms each, one transaction per chunk. It waits while more than 25 \
                 threads run, while {2}.paused is 1, and while watch-replicas.sh sees a replica more than \
                 {2}.max_replica_lag seconds behind.",
                table.now, table.new, self.names.control
            ),
            statements,
            undo,
            locks: "Shared locks of the rows of a chunk, until its commit. Clients that lock such rows wait for it, and may be the \
                    victim of a deadlock, as with every copy by triggers: they must repeat such transactions, as always."
                .into(),
            duration: self.estimates.copy(&table.now),
            stop: "Stop the client or KILL its connection: the chunk is rolled back. Execute the file again; it continues \
                   after the last chunk."
                .into(),
        })
    }
}

/// In the order of their creation. Rows come into the new table by updates of a key and by inserts; when the first comes, the
/// triggers that would change or delete it again must be there.
const EVENTS: [(&str, &str); 3] = [
    ("delete", "Repeats each deletion. It must be there before the others bring rows."),
    ("update", "Repeats each update."),
    ("insert", "Repeats each insertion."),
];

/// Executes a statement only if a condition holds.
fn when(condition: &str, sql: &str, purpose: &str) -> [Statement; 3] {
    [
        Statement::new(purpose, format!("SET @idgen_plan_sql = IF({condition}, {}, 'DO 0')", text(sql))),
        Statement::new("Prepares it.", "PREPARE idgen_plan_sql FROM @idgen_plan_sql"),
        Statement::new("Executes it.", "EXECUTE idgen_plan_sql"),
    ]
}

fn drop_triggers(names: [&String; 3]) -> impl Iterator<Item = Statement> {
    names.into_iter().map(|trigger| {
        Statement::new("Removes a trigger.", format!("DROP TRIGGER IF EXISTS {}", name(trigger)))
    })
}

/// A name of a file: what is no letter or digit of a table's name is replaced.
fn file_name(step: &str, table: &str) -> String {
    let table: String =
        table.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    format!("{step}-{table}")
}

/// Ends the client with a message if a check fails.
pub(super) fn guard(templates: &Templates, procedure: &str, checks: &[Check]) -> Result<Vec<Statement>> {
    let body = templates.fill("guard.sql", context! { procedure, checks => value(checks) })?;
    let drop = Statement::new(
        "Removes the procedure of the checks.",
        format!("DROP PROCEDURE IF EXISTS {procedure}"),
    );
    Ok(vec![
        drop.clone(),
        Statement::new("Ends the client with a message, and shows the rows, if a check fails.", body),
        Statement::new("Checks.", format!("CALL {procedure}()")),
        drop,
    ])
}
