//! The results of a survey, as data.

use serde::Serialize;

use crate::survey::judge::arrival::{Arrival, ArrivalBy};
use crate::survey::judge::changes::Prediction;
use crate::survey::judge::columns::FoundBy;
use crate::survey::judge::costs::Cost;
use crate::survey::judge::dangers::{Finding, Level};
use crate::survey::judge::kinds::Kind;
use crate::survey::read::watch::Watched;
use crate::survey::session::{Engine, Statement};

/// The results of a survey.
#[derive(Clone, Debug, Serialize)]
pub struct Survey {
    /// The version of this format: 1. A change that breaks readers of the JSON raises it.
    pub format: u32,
    /// The database software.
    pub engine: Engine,
    /// The version of the server or library, as it says.
    pub server: String,
    /// Tables with columns of ids, and tables with findings. The tables with the most bytes of keys come first.
    pub tables: Vec<TableReport>,
    /// All tables of the catalog.
    pub tables_seen: usize,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Bytes of the buffer pool (InnoDB) or of `shared_buffers` (PostgreSQL). SQLite has none that all connections
    /// share.
    pub pool_bytes: Option<u64>,
    /// Rows that were read.
    pub rows_read: u64,
    /// Dangers first, then warnings.
    pub findings: Vec<Finding>,
    /// The privileges that were used.
    pub privileges: Vec<String>,
    /// The facts that could not be read, each with what is needed to read it.
    pub unseen: Vec<String>,
    /// The predictions of a model for the keys, the tables with the most pages to gain first. The survey makes none
    /// itself: [`Survey::add_predictions`] adds them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub predictions: Vec<Prediction>,
    /// Keys that hurt and are not predicted, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_predicted: Vec<String>,
    /// The statements that were executed.
    pub statements: Vec<Statement>,
}

impl Survey {
    /// The most serious level of all findings.
    pub fn worst(&self) -> Option<Level> {
        self.findings.iter().map(|finding| finding.level).max()
    }
}

/// A table.
#[derive(Clone, Debug, Serialize)]
pub struct TableReport {
    /// Its name, with the schema where it is not the only one.
    pub table: String,
    /// Rows: an estimate of the server's statistics, or the exact number if all rows were read.
    pub rows: Option<u64>,
    /// Rows that were read.
    pub rows_read: u64,
    /// Ranges of the primary key in which these rows are.
    pub ranges: u32,
    /// True if all rows were read.
    pub whole: bool,
    /// The columns of the key that identifies rows.
    pub key: Vec<String>,
    /// True if rows are stored in the order of the primary key.
    pub clustered: bool,
    /// The storage engine, on MySQL and MariaDB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage: Option<String>,
    /// Bytes that the table takes for each row: on servers with the free space of its pages, from statistics; on SQLite without
    /// it, from dbstat, of a table without row ids.
    pub bytes_per_row: Option<f64>,
    /// The results of a second reading of the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watched: Option<Watched>,
    /// Its columns of ids.
    pub columns: Vec<ColumnReport>,
}

impl TableReport {
    /// The storage engine, if it is not InnoDB.
    pub(crate) fn other_engine(&self) -> Option<&str> {
        self.storage.as_deref().filter(|engine| !engine.eq_ignore_ascii_case("InnoDB"))
    }
}

/// A column of ids.
#[derive(Clone, Debug, Serialize)]
pub struct ColumnReport {
    /// Its name.
    pub column: String,
    /// Its type, as the catalog writes it.
    #[serde(rename = "type")]
    pub type_text: String,
    /// Its character set, if the database has one for each column.
    pub charset: Option<String>,
    /// Its collation, if it has one.
    pub collation: Option<String>,
    /// The reasons why it is treated as a column of ids.
    pub found_by: Vec<FoundBy>,
    /// Values that were read, without nulls.
    pub values: u64,
    /// The kinds of these values, the most frequent first. Integers of at most 32 bits that were not read are one kind with no
    /// values.
    pub kinds: Vec<KindShare>,
    /// The number of characters of texts without a known layout, and which ones these are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The place at which new ids arrive.
    pub arrival: Arrival,
    /// The evidence for where they arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrival_by: Option<ArrivalBy>,
    /// The cost of the values, if the column is a key.
    pub cost: Option<Cost>,
}

/// The number of values of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KindShare {
    /// The kind.
    pub kind: Kind,
    /// Values of this kind.
    pub values: u64,
    /// Their share of all values that were read, from 0 to 1. It is that of the table only if the whole table was read: the
    /// ranges of a sample are not equally large parts of it.
    pub share: f64,
}
