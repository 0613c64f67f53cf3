//! A plan as data: steps in their order, each with statements, locks, a way to stop and a way back.

use serde::{Deserialize, Serialize};

/// The database software, as far as the text of a plan depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// MySQL.
    MySql,
    /// MariaDB.
    MariaDb,
    /// PostgreSQL.
    Postgres,
}

/// The new form of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// The 16 bytes of each id, in `BINARY(16)`.
    Binary16,
    /// The `uuid` type of the server: PostgreSQL, and MariaDB 10.7 or later.
    Uuid,
    /// The column stays; its default, or the application, makes ids of version 7 for new rows.
    V7FromNow,
    /// Ids of version 1 in 16 bytes with their time first, as `UUID_TO_BIN(id, 1)` writes them.
    Swapped,
    /// An integer for each id from the map of idgen-mysql; the id stays in a unique column.
    Integer,
    /// `BIGINT` in place of `INT` and smaller types: each integer keeps its value.
    Bigint,
}

/// A program that changes one table while clients write, in place of the steps of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// gh-ost of GitHub.
    GhOst,
    /// pt-online-schema-change of the Percona Toolkit.
    PtOnlineSchemaChange,
}

/// The call of a tool, which follows the steps of its plan.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Command {
    /// The tool.
    pub tool: Tool,
    /// Describes the change, and how to call, stop and undo it.
    pub purpose: String,
    /// The text of a file for `sh`. It has no password.
    pub script: String,
}

/// A file beside the steps: a program for `sh` that may run while they are executed, or SQL for a case in which no step helps.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Script {
    /// The name of its file: `watch-replicas.sh`, `undo/abandon.sql`.
    pub name: String,
    /// Describes what the file does, and how to call and stop it.
    pub purpose: String,
    /// Its text. It has no password.
    pub text: String,
}

/// A statement of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Statement {
    /// The purpose of the statement, in one sentence.
    pub purpose: String,
    /// Its text, without the semicolon at its end.
    pub sql: String,
    /// A query of one boolean. The statement is executed only if it is true. Where there is none, it always is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_if: Option<String>,
}

/// A step: one file of SQL that the server's client executes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Step {
    /// The name of its file, without number and ending: `copy-orders`.
    pub name: String,
    /// Describes the step to the person who executes it.
    pub purpose: String,
    /// The statements in their order. Each step can be executed again after it was stopped or killed anywhere.
    pub statements: Vec<Statement>,
    /// The statements that restore the state before this step. Empty if the step changes nothing.
    pub undo: Vec<Statement>,
    /// The locks that the step takes, and for how long.
    pub locks: String,
    /// The time that the step takes, where it can be estimated.
    pub duration: Option<String>,
    /// Describes how to stop the step, and how to continue it.
    pub stop: String,
}

/// Selects one of the two files of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The step itself.
    Forward,
    /// The file of `undo/`, which restores the state before the step.
    Back,
}

impl Step {
    /// The statements of one of its files; none if the step has no way back.
    pub(crate) fn in_direction(&self, direction: Direction) -> &[Statement] {
        match direction {
            Direction::Forward => &self.statements,
            Direction::Back => &self.undo,
        }
    }
}

/// The change of the keys of some tables.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Plan {
    /// The identity: eight lowercase letters and digits, which are a part of every name that the plan makes. No two plans share
    /// it.
    pub id: String,
    /// The database software.
    pub engine: Engine,
    /// The new form of the keys.
    pub target: Target,
    /// The tables that change, parents before children.
    pub tables: Vec<String>,
    /// The measurements: rows, bytes, rates. One sentence each.
    pub facts: Vec<String>,
    /// Facts and decisions for the person who executes the plan, one paragraph each.
    pub notes: Vec<String>,
    /// A paragraph for each part of the catalog that the account of the planning could not see, with what that means for the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// The statements with which each session begins: the settings of a server, a role or a client could change what the steps do.
    pub session: Vec<Statement>,
    /// The steps in their order.
    pub steps: Vec<Step>,
    /// Files beside the steps.
    pub scripts: Vec<Script>,
    /// The call of a tool that makes the change after the steps, where one was asked for.
    pub command: Option<Command>,
}

impl Statement {
    /// A statement with its purpose.
    ///
    /// ```
    /// let statement = idgen_migrate::plan::Statement::new("Shows the server's version.", "SELECT VERSION()");
    /// assert_eq!(statement.sql, "SELECT VERSION()");
    /// ```
    pub fn new(purpose: impl Into<String>, sql: impl Into<String>) -> Self {
        Statement { purpose: purpose.into(), sql: sql.into(), only_if: None }
    }

    /// Returns this statement with a condition: it is executed only if the query is true.
    ///
    /// ```
    /// let drop = idgen_migrate::plan::Statement::new("Drops what a killed run left.", "DROP INDEX orders_new")
    ///     .only_if("SELECT NOT indisvalid FROM pg_index WHERE indexrelid = 'orders_new'::regclass");
    /// assert!(drop.only_if.is_some());
    /// ```
    #[must_use]
    pub fn only_if(self, query: impl Into<String>) -> Self {
        Statement { only_if: Some(query.into()), ..self }
    }
}

impl Plan {
    /// True for a plan whose files record in the database that they were executed. A default for new rows and the call of another
    /// tool record nothing.
    pub(crate) fn has_ledger(&self) -> bool {
        self.target != Target::V7FromNow && self.command.is_none()
    }
}

impl Tool {
    /// The name of its program.
    ///
    /// ```
    /// assert_eq!(idgen_migrate::plan::Tool::GhOst.name(), "gh-ost");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Tool::GhOst => "gh-ost",
            Tool::PtOnlineSchemaChange => "pt-online-schema-change",
        }
    }
}

impl Target {
    /// Its name on the command line.
    ///
    /// ```
    /// assert_eq!(idgen_migrate::plan::Target::V7FromNow.name(), "v7-from-now");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Target::Binary16 => "binary16",
            Target::Uuid => "uuid",
            Target::V7FromNow => "v7-from-now",
            Target::Swapped => "swapped",
            Target::Integer => "integer",
            Target::Bigint => "bigint",
        }
    }
}
