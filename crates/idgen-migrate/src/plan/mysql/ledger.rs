//! The ledger of a plan, and the call with which each file begins and ends: what must be done before it, and that it is done.

use minijinja::context;
use serde::Serialize;

use super::check::Check;
use super::names::Names;
use super::settings;
use super::templates::{Templates, value};
use super::texts::TableText;
use crate::plan::data::Statement;
use crate::plan::folder::numbered;
use idgen_database::Result;

/// The comment of a ledger, by which `plan status` finds it.
pub(super) const COMMENT: &str = "idgen plan: the steps and their states";

/// A step of the plan, with the number of its table where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Check,
    Map,
    NewTables,
    Triggers(usize),
    Copy(usize),
    OwnReferences,
    Verify,
    TriggersBack,
    Rename,
    VerifyRenamed,
    Finish,
}

/// The steps in their order.
pub(super) struct Order {
    parts: Vec<(Part, String)>,
    target: String,
    tables: Vec<String>,
}

/// A row of the ledger.
#[derive(Serialize)]
struct Row {
    place: usize,
    step: String,
    file: String,
    kind: &'static str,
}

impl Order {
    pub(super) fn new(target: &str, tables: &[TableText], has_map: bool) -> Order {
        let named = |part, name: &str| (part, name.to_owned());
        let mut parts = vec![named(Part::Check, "check")];
        parts.extend(has_map.then(|| named(Part::Map, "map")));
        parts.push(named(Part::NewTables, "new-tables"));
        for (at, table) in tables.iter().enumerate() {
            parts.push((Part::Triggers(at), file_name("triggers", &table.now)));
            parts.push((Part::Copy(at), file_name("copy", &table.now)));
        }
        let has_own = tables.iter().any(TableText::refers_to_itself);
        parts.extend(has_own.then(|| named(Part::OwnReferences, "own-references")));
        for (part, name) in [
            (Part::Verify, "verify"),
            (Part::TriggersBack, "triggers-back"),
            (Part::Rename, "rename"),
            (Part::VerifyRenamed, "verify-renamed"),
            (Part::Finish, "finish"),
        ] {
            parts.push(named(part, name));
        }
        let tables = tables.iter().map(|table| table.now.clone()).collect();
        Order { parts, target: target.to_owned(), tables }
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = Part> {
        self.parts.iter().map(|(part, _)| *part)
    }

    pub(super) fn name(&self, part: Part) -> &str {
        self.parts.iter().find(|(other, _)| *other == part).map_or("", |(_, name)| name)
    }

    /// The number of a step, beginning with 1.
    pub(super) fn place(&self, part: Part) -> usize {
        self.parts.iter().position(|(other, _)| *other == part).map_or(0, |at| at + 1)
    }

    pub(super) fn file(&self, part: Part) -> String {
        let at = self.place(part).saturating_sub(1);
        format!("{}.sql", numbered(self.parts.len(), at, self.name(part)))
    }

    /// The first step that changes something.
    pub(super) fn is_first_change(&self, part: Part) -> bool {
        self.parts.get(1).is_some_and(|(first, _)| *first == part)
    }

    fn rows(&self) -> Vec<Row> {
        let plan = Row { place: 0, step: self.target.clone(), file: self.tables.join(", "), kind: "plan" };
        let steps = self.parts.iter().map(|(part, name)| Row {
            place: self.place(*part),
            step: name.clone(),
            file: self.file(*part),
            kind: part.kind(),
        });
        std::iter::once(plan).chain(steps).collect()
    }
}

impl Part {
    fn kind(self) -> &'static str {
        match self {
            Part::Check => "check",
            Part::Verify | Part::VerifyRenamed => "read",
            _ => "change",
        }
    }
}

/// The conditions of a file, and the data that it records.
#[derive(Default)]
pub(super) struct Conditions {
    /// Asked at the beginning.
    pub(super) checks: Vec<Check>,
    /// Asked at the end: the file is done only if they hold.
    pub(super) end: Vec<Check>,
    /// Steps that only read and must have succeeded.
    pub(super) needs: Vec<Part>,
    /// The signature that is recorded, as an expression.
    pub(super) record: Option<String>,
    /// The state of the new tables that is recorded: the name of a table, and a query of the lines that describe it.
    pub(super) lines: Vec<(String, String)>,
}

/// The first and the last statements of a file.
pub(super) struct Frame {
    pub(super) begin: Vec<Statement>,
    pub(super) end: Vec<Statement>,
}

/// Makes the frame of a step, or of its way back.
pub(super) fn frame(
    templates: &Templates,
    names: &Names,
    order: &Order,
    part: Part,
    is_undo: bool,
    tables: &[TableText],
    conditions: &Conditions,
) -> Result<Frame> {
    let needs: Vec<_> = conditions.needs.iter().map(|part| order.place(*part)).collect();
    let context = context! {
        plan => value(names), place => order.place(part), kind => part.kind(), way => if is_undo { "undo" } else { "do" },
        file => order.file(part), first => order.file(Part::Check), rename => order.place(Part::Rename),
        finish => order.place(Part::Finish), needs, end_checks => value(&conditions.end), record => conditions.record.clone(),
        lines => value(&conditions.lines), rows => value(order.rows()), comment => COMMENT,
    };
    let guard = templates.fill("guard.sql", context)?;
    let all = tables.iter().flat_map(|table| [&table.now, &table.new, &table.old]).cloned();
    let mut begin = busy(templates, names, all.collect())?;
    begin.extend(checks(templates, &names.checks, &conditions.checks)?);
    begin.extend([
        drop_procedure(&names.guard),
        Statement::new("Asks whether this file may be executed now, and records that it was.", guard),
        Statement::new(
            "Until the next statement succeeds, nothing can be changed, also by a client that continues after an error (--force).",
            "SET SESSION TRANSACTION READ ONLY",
        ),
        Statement::new(
            "Ends the client with a message if it may not, and shows the rows.",
            format!("CALL {}(FALSE)", names.guard),
        ),
    ]);
    let mut end = vec![Statement::new(
        "Records that the file was executed to its end.",
        format!("CALL {}(TRUE)", names.guard),
    )];
    end.extend([&names.guard, &names.checks, &names.busy].map(|procedure| drop_procedure(procedure)));
    Ok(Frame { begin, end })
}

/// The procedure that is called when a lock is not free.
pub(super) fn busy(templates: &Templates, names: &Names, tables: Vec<String>) -> Result<Vec<Statement>> {
    let context = context! { plan => value(names), tables, attempts => ATTEMPTS };
    Ok(vec![
        drop_procedure(&names.busy),
        Statement::new(
            "Waits before the next attempt to get a lock, and names the sessions that may hold it.",
            templates.fill("busy.sql", context)?,
        ),
    ])
}

/// The number of attempts to get a lock, of one second each.
pub(super) const ATTEMPTS: u32 = 20;

/// The server makes the list of transactions anew only if nobody has read it for 0.1 s.
pub(super) const OLD_LIST: &str = "another session reads INNODB_TRX all the time, so this one sees an old list: stop it, then execute the file again";

/// A procedure that fails if a check fails.
pub(super) fn checks(templates: &Templates, procedure: &str, checks: &[Check]) -> Result<Vec<Statement>> {
    let context = context! { procedure, checks => value(checks), attempts => ATTEMPTS, old_list => OLD_LIST };
    let body = templates.fill("checks.sql", context)?;
    Ok(vec![
        drop_procedure(procedure),
        Statement::new(
            "In a strict mode, MariaDB ends a check at a value that it should show.",
            settings::LAX,
        ),
        Statement::new("Fails with a message, and shows the rows, if a check fails.", body),
        Statement::new("The mode of before.", settings::strict()),
    ])
}

/// Returns statements that are each repeated while a lock is not free.
pub(super) fn work(
    templates: &Templates,
    names: &Names,
    procedure: &str,
    statements: &[Statement],
) -> Result<Vec<Statement>> {
    if statements.is_empty() {
        return Ok(Vec::new());
    }
    let body = templates
        .fill("work.sql", context! { plan => value(names), procedure, statements => value(statements) })?;
    Ok(vec![
        drop_procedure(procedure),
        Statement::new("Repeats each statement that does not get its lock within a second.", body),
        Statement::new("Executes them.", format!("CALL {procedure}()")),
        drop_procedure(procedure),
    ])
}

pub(super) fn drop_procedure(procedure: &str) -> Statement {
    Statement::new("Removes the procedure.", format!("DROP PROCEDURE IF EXISTS {procedure}"))
}

/// A name of a file: what is no letter or digit of a table's name is replaced.
fn file_name(step: &str, table: &str) -> String {
    let table: String =
        table.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    format!("{step}-{table}")
}
