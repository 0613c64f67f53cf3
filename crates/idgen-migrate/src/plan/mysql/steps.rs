//! The steps of a change that copies the rows into new tables, in their order.

mod after;
mod map;
mod renaming;
mod tables;

use minijinja::{Value, context};

use super::altered::{self, Side};
use super::attached::{Attached, Role};
use super::check::Check;
use super::checks;
use super::estimate::Estimates;
use super::ledger::{self, Conditions, Frame, Order, Part};
use super::map::Map;
use super::names::Names;
use super::quote::name;
use super::signature::{self, Seen};
use super::templates::{Templates, value};
use super::texts::TableText;
use crate::plan::data::{Engine, Statement, Step, Target};
use idgen_database::Result;

pub(super) struct Steps<'a> {
    pub(super) engine: Engine,
    pub(super) to: Target,
    pub(super) templates: Templates,
    pub(super) names: &'a Names,
    pub(super) order: Order,
    pub(super) tables: &'a [TableText],
    pub(super) estimates: &'a Estimates,
    /// The map of a plan with `--to integer`.
    pub(super) map: Option<&'a Map>,
    pub(super) attached: &'a Attached,
    /// The lines of each table when the plan was made, in the order of the tables.
    pub(super) planned: &'a [Vec<String>],
}

impl Steps<'_> {
    pub(super) fn all(&self, data: &[Check]) -> Result<Vec<Step>> {
        let made = self.order.parts().map(|part| match part {
            Part::Check => self.check(data),
            Part::Map => self.map_step(),
            Part::NewTables => self.new_tables(),
            Part::Triggers(at) => self.triggers(at),
            Part::Copy(at) => self.copy(at),
            Part::OwnReferences => self.own_references(),
            Part::Verify => self.verify(false),
            Part::TriggersBack => self.triggers_back(),
            Part::Rename => self.rename(),
            Part::VerifyRenamed => self.verify(true),
            Part::Finish => self.finish(),
        });
        made.collect()
    }

    fn frame(&self, part: Part, is_undo: bool, conditions: &Conditions) -> Result<Frame> {
        ledger::frame(&self.templates, self.names, &self.order, part, is_undo, self.tables, conditions)
    }

    /// The statements of a file between its first and its last ones.
    fn framed(
        &self,
        part: Part,
        is_undo: bool,
        conditions: &Conditions,
        work: Vec<Statement>,
    ) -> Result<Vec<Statement>> {
        let Frame { mut begin, end } = self.frame(part, is_undo, conditions)?;
        begin.extend(work);
        begin.extend(end);
        Ok(begin)
    }

    fn work(&self, statements: &[Statement]) -> Result<Vec<Statement>> {
        ledger::work(&self.templates, self.names, &self.names.work, statements)
    }

    fn signature(&self, seen: Seen) -> String {
        signature::of_all(self.names, self.tables, seen)
    }

    /// That the server's settings of now let the step do its work.
    fn server_now(&self) -> Vec<Check> {
        let mut all = checks::of_server_now(self.engine);
        all.extend(checks::may_lack_primary_keys(
            self.engine,
            self.tables.iter().map(|table| table.now.as_str()),
        ));
        all
    }

    /// The tables that refer to themselves.
    fn own_keys(&self) -> impl Iterator<Item = &TableText> {
        self.tables.iter().filter(|table| table.refers_to_itself())
    }

    /// That the tables are not renamed, and that the last step has not begun.
    fn before_renaming(&self) -> Vec<Check> {
        vec![
            checks::table_absent(self.first_old(), "the tables are renamed: undo that first"),
            checks::phase_is(&self.names.phase, 0, "the tables are renamed, or the last step has begun"),
        ]
    }

    /// A table that is there only while the tables are renamed.
    fn first_old(&self) -> &str {
        self.tables.first().map_or("", |table| &table.old)
    }

    /// That nothing has changed in these tables and their triggers since the triggers were made.
    fn unchanged_since_triggers(&self, which: impl Iterator<Item = usize>) -> Vec<Check> {
        let check = |at: usize| {
            let table = &self.tables[at];
            let triggers = Part::Triggers(at);
            checks::signature_is(
                &self.names.steps,
                self.order.place(triggers),
                &signature::comparable(&signature::of_table(self.names, table, Seen::Forward)),
                format!(
                    "undo to undo/{1}, then execute it again: {} or its trigger was dropped, truncated or rebuilt since",
                    table.now,
                    self.order.file(triggers)
                ),
            )
        };
        which.map(check).collect()
    }

    fn all_unchanged_since_triggers(&self) -> Vec<Check> {
        self.unchanged_since_triggers(0..self.tables.len())
    }

    /// Comments, indexes and everything else that is attached to the old tables are those that the plan was made for.
    fn old_as_planned(&self, role: Role) -> Vec<Check> {
        let pairs = self.tables.iter().zip(self.planned);
        pairs
            .map(|(table, lines)| checks::as_planned(self.attached, self.tables, table, lines, role))
            .collect()
    }

    /// Comments, indexes and everything else that is attached to the new tables are those that were recorded.
    fn new_as_recorded(&self, role: Role, message: &str) -> Vec<Check> {
        let all = self.tables.iter();
        all.map(|table| checks::as_recorded(self.attached, self.names, self.tables, table, role, message))
            .collect()
    }

    /// Each new table, by the name that its old one has, with a query of the lines that a step records at its end.
    fn lines_of_new(&self) -> Vec<(String, String)> {
        let lines =
            |table: &TableText| (table.now.clone(), self.attached.lines(self.tables, table, Role::New));
        self.tables.iter().map(lines).collect()
    }

    /// That nobody altered the tables of a side since they were recorded.
    fn not_altered(&self, side: Side, renamed: bool) -> Check {
        let since = match side {
            Side::Old => Part::NewTables,
            Side::New => Part::TriggersBack,
        };
        altered::is_as_recorded(self.names, self.tables, side, renamed, &self.order.file(since))
    }

    pub(super) fn check(&self, data: &[Check]) -> Result<Step> {
        let conditions = Conditions {
            checks: [self.old_as_planned(Role::Old), data.to_vec()].concat(),
            ..Conditions::default()
        };
        Ok(Step {
            name: "check".into(),
            purpose: "Looks for everything that would stop the change later. It changes no table of yours, and makes the table in which \
                      the plan records its steps. Each query shows the rows that are wrong, and can be executed by itself."
                .into(),
            statements: self.framed(Part::Check, false, &conditions, Vec::new())?,
            undo: Vec::new(),
            locks: "None: it reads.".into(),
            duration: self.estimates.reading(),
            stop: "Stop the client at any time, and execute the file again.".into(),
        })
    }

    /// The check for a change that another tool makes, without a ledger.
    pub(super) fn check_alone(&self, data: &[Check]) -> Result<Step> {
        let all = [self.old_as_planned(Role::Old), data.to_vec()].concat();
        let mut statements = ledger::checks(&self.templates, &self.names.checks, &all)?;
        statements.push(Statement::new("Checks.", format!("CALL {}()", self.names.checks)));
        statements.push(ledger::drop_procedure(&self.names.checks));
        Ok(Step { statements, ..self.check(&[])? })
    }

    fn copy(&self, at: usize) -> Result<Step> {
        let table = &self.tables[at];
        let part = Part::Copy(at);
        let procedure = &self.names.copy;
        let mut needed = self.before_renaming();
        needed.extend(self.unchanged_since_triggers(0..=at));
        needed.extend(self.server_now());
        let conditions = Conditions {
            checks: needed,
            end: [vec![checks::copied(table)], self.unchanged_since_triggers(0..=at)].concat(),
            ..Conditions::default()
        };
        let mut work = vec![
            Statement::new(
                "Row locks without gaps, so that clients can insert while a chunk is copied.",
                "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            ),
            Statement::new(
                "The foreign keys hold in the table that is read; checking them again would lock the parents.",
                "SET SESSION foreign_key_checks = 0",
            ),
        ];
        if self.map.is_some() {
            work.extend(self.for_map());
        }
        if let Some(counter) = counter(self.names, table, Side::New) {
            let sql = self.templates.fill("counter.sql", context! { counter })?;
            work.extend(self.work(&[Statement::new(
                "The counter of the new table begins where that of the old one is.",
                sql,
            )])?);
        }
        let drop = ledger::drop_procedure(procedure);
        work.push(drop.clone());
        let context = context! { table => value(table), plan => value(self.names), map => value(self.map) };
        work.push(Statement::new(
            "Copies in chunks of the primary key.",
            self.templates.fill("copy.sql", context)?,
        ));
        work.push(Statement::new("Runs until all rows are copied.", format!("CALL {procedure}()")));
        work.push(drop.clone());
        work.push(Statement::new(
            "Statistics of the new table, for the plans of queries after the renaming.",
            format!("ANALYZE TABLE {}", name(&table.new)),
        ));
        work.push(Statement::new(
            "Shows what was copied.",
            format!("SELECT rows_copied, finished FROM {}", name(&table.at)),
        ));
        let reset =
            format!("UPDATE {} SET copied_to = NULL, rows_copied = 0, finished = FALSE", name(&table.at));
        let undo = vec![drop, Statement::new("The next copy begins at the first row.", reset)];
        let back = Conditions { checks: self.before_renaming(), ..Conditions::default() };
        Ok(Step {
            name: self.order.name(part).to_owned(),
            purpose: format!(
                "Copies {} to {} in chunks that take about 100 ms each, one transaction per chunk. It waits while more than 25 \
                 threads run, while {2}.paused is 1, and while watch-replicas.sh sees a replica more than \
                 {2}.max_replica_lag seconds behind.",
                table.now, table.new, self.names.control
            ),
            statements: self.framed(part, false, &conditions, work)?,
            undo: self.framed(part, true, &back, undo)?,
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

/// Sets the counter of a table that does not have its own name to that of the table that has it, if it counts its rows. Not beyond the
/// old type: on the way back, the new table may be further than that.
fn counter(names: &Names, table: &TableText, side: Side) -> Option<Value> {
    let to = match side {
        Side::Old => &table.old,
        Side::New => &table.new,
    };
    let renewed = altered::renew(names, table, side, to);
    table.counts_to.map(|most| context! { from => &table.now, to, most, renewed })
}

/// In the order of their creation. Rows come into the new table by updates of a key and by inserts; when the first comes, the
/// triggers that would change or delete it again must be there.
const EVENTS: [(&str, &str); 3] = [
    ("delete", "Repeats each deletion. It must be there before the others bring rows."),
    ("update", "Repeats each update."),
    ("insert", "Repeats each insertion."),
];

/// Removes triggers, as statements that are repeated while a lock is not free.
fn drop_triggers(names: [&String; 3]) -> impl Iterator<Item = Statement> {
    names.into_iter().map(|trigger| {
        Statement::new("Removes a trigger.", format!("DROP TRIGGER IF EXISTS {}", name(trigger)))
    })
}

/// The lock that a statement outside of a procedure needs is tried before, by a statement that changes nothing.
fn probe(table: &str) -> Statement {
    Statement::new(
        "Takes the lock that a trigger needs, and changes nothing: InnoDB has no such option.",
        format!("ALTER TABLE {} DISABLE KEYS", name(table)),
    )
}
