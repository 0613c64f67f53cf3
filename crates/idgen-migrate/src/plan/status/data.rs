//! The state of a plan as data.

use serde::Serialize;

use crate::plan::data::Engine;
use crate::plan::status::cells::cell;

/// The progress of a plan, as its ledger records it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// The identity of the plan.
    pub id: String,
    /// The database software.
    pub engine: Engine,
    /// The schema of the tables; on PostgreSQL the schema of the plan itself.
    pub schema: String,
    /// The new form of the keys, as `--to` names it.
    pub target: String,
    /// The tables that change, with the progress of their copies.
    pub tables: Vec<Copied>,
    /// The steps in their order.
    pub steps: Vec<StepStatus>,
    /// The session that executes a file of the plan now: the number of a connection, or of a process on PostgreSQL.
    pub session: Option<String>,
    /// The file that comes next, or that is executed now.
    pub next: Option<String>,
    /// The reasons why the session of the plan waits, or why the next file would fail or wait. One sentence each.
    pub blocked: Vec<String>,
    /// The facts that this account may not read, with the privilege that is missing. One sentence each.
    pub unread: Vec<String>,
}

/// The copy of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Copied {
    /// The table.
    pub table: String,
    /// Rows that were copied so far.
    pub rows: u64,
    /// The rows of the table, as the server estimates them.
    pub of_rows: Option<u64>,
    /// The copied part, from 0 to 1: of the blocks of the file on PostgreSQL, of the estimated rows elsewhere.
    pub part: Option<f64>,
    /// True if all rows were copied.
    pub is_finished: bool,
    /// Rows per second since the first reading of this copy.
    pub rows_per_second: Option<f64>,
    /// The time left at this rate, in seconds.
    pub seconds_left: Option<u64>,
}

/// A step in the ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepStatus {
    /// The name of the step: `copy-orders`.
    pub step: String,
    /// Its file: `04-copy-orders.sql`.
    pub file: String,
    /// Its state.
    pub state: State,
    /// When it began, in UTC.
    pub begun: Option<String>,
    /// When it ended, in UTC.
    pub ended: Option<String>,
    /// The session that executed it last.
    pub session: Option<String>,
    /// The account that executed it last.
    pub account: Option<String>,
}

/// The state of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Not executed, or undone.
    New,
    /// A session executes it.
    Running,
    /// It was begun, and did not end: execute it again.
    Stopped,
    /// Executed to its end.
    Done,
    /// A session executes its way back.
    RunningBack,
    /// Its way back was begun, and did not end: execute that again.
    StoppedBack,
}

impl StepStatus {
    /// Reads a row of a ledger: the values of the fields above in their order. An empty text is `NULL`.
    pub(crate) fn of_row(row: &[String], is_at_work: bool) -> StepStatus {
        let some = |at: usize| Some(cell(row, at)).filter(|text| !text.is_empty());
        StepStatus {
            step: cell(row, 0),
            file: cell(row, 1),
            state: State::of(&cell(row, 2), is_at_work),
            begun: some(3),
            ended: some(4),
            session: some(5),
            account: some(6),
        }
    }
}

impl State {
    /// The state that the ledger records, and whether a session executes a file of the plan.
    pub(crate) fn of(recorded: &str, is_at_work: bool) -> State {
        match (recorded, is_at_work) {
            ("done", _) => State::Done,
            ("open", true) => State::Running,
            ("open", false) => State::Stopped,
            ("undoing", true) => State::RunningBack,
            ("undoing", false) => State::StoppedBack,
            _ => State::New,
        }
    }

    /// Its name for people.
    ///
    /// ```
    /// assert_eq!(idgen_migrate::plan::status::State::Stopped.name(), "stopped");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            State::New => "-",
            State::Running => "running",
            State::Stopped => "stopped",
            State::Done => "done",
            State::RunningBack => "undo running",
            State::StoppedBack => "undo stopped",
        }
    }
}

impl Status {
    /// Returns true if a copy is being made now, so that a second reading shows its rate.
    ///
    /// ```no_run
    /// # async fn example(mut reader: idgen_migrate::plan::status::Reader) -> idgen_migrate::Result<()> {
    /// let copies = reader.read().await?.iter().any(|plan| plan.is_copying());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_copying(&self) -> bool {
        let mut running = self.steps.iter().filter(|step| step.state == State::Running);
        running.any(|step| step.step == "backfill" || step.step.starts_with("copy-"))
    }
}
