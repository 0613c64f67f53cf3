//! What is dangerous, with the statement that shows the rows, and what to do.

pub(crate) mod cascades;
mod numbers;
mod schema;
mod texts;
mod times;

use serde::Serialize;

use crate::survey::columns::IdColumn;
use crate::survey::sample::Value;
use crate::survey::schema::{Catalog, Column, Table};
use crate::survey::session::{Engine, Session};
use crate::survey::sql;

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Something to know; no id is wrong.
    Warning,
    /// Ids are lost, confused or refused, now or later, or the key costs much more than it must.
    Danger,
}

impl Level {
    /// `warning` or `danger`.
    ///
    /// ```
    /// assert_eq!(idgen_migrate::survey::Level::Danger.name(), "danger");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Level::Warning => "warning",
            Level::Danger => "danger",
        }
    }
}

/// What a finding is about. The names are stable: programs that read the JSON may rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Code {
    /// Text ids under a collation in which two ids are equal.
    EqualUnderCollation,
    /// The same id in two spellings, or ids in several spellings.
    TwoSpellings,
    /// Raw ids in `CHAR(16)`, from whose end bytes are cut.
    CutBytes,
    /// Version 1 in both byte orders.
    BothByteOrders,
    /// A foreign key that differs in type or collation from what it refers to.
    ForeignKeyDiffers,
    /// Ids from 2^63 on in a signed column.
    SignedOverflow,
    /// Integers from 2^53 on, which JSON readers round.
    BeyondJson,
    /// A counter near its end.
    CounterNearEnd,
    /// A table without a primary key.
    NoPrimaryKey,
    /// MariaDB's type `UUID` with versions that it sorts in another order.
    MariadbUuidOrder,
    /// New ids that sort before the old ones.
    NewBeforeOld,
    /// Ids whose time is in the future.
    FutureTime,
    /// Ids that are repeated.
    RepeatedIds,
    /// Foreign keys whose errors MySQL does not report.
    HiddenCascadeError,
}

impl Code {
    /// All codes.
    pub const ALL: &'static [Code] = &[
        Code::EqualUnderCollation,
        Code::TwoSpellings,
        Code::CutBytes,
        Code::BothByteOrders,
        Code::ForeignKeyDiffers,
        Code::SignedOverflow,
        Code::BeyondJson,
        Code::CounterNearEnd,
        Code::NoPrimaryKey,
        Code::MariadbUuidOrder,
        Code::NewBeforeOld,
        Code::FutureTime,
        Code::RepeatedIds,
        Code::HiddenCascadeError,
    ];

    /// The name, as in the JSON.
    ///
    /// ```
    /// use idgen_migrate::survey::Code;
    ///
    /// assert_eq!(Code::NoPrimaryKey.name(), "no-primary-key");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Code::EqualUnderCollation => "equal-under-collation",
            Code::TwoSpellings => "two-spellings",
            Code::CutBytes => "cut-bytes",
            Code::BothByteOrders => "both-byte-orders",
            Code::ForeignKeyDiffers => "foreign-key-differs",
            Code::SignedOverflow => "signed-overflow",
            Code::BeyondJson => "beyond-json",
            Code::CounterNearEnd => "counter-near-end",
            Code::NoPrimaryKey => "no-primary-key",
            Code::MariadbUuidOrder => "mariadb-uuid-order",
            Code::NewBeforeOld => "new-before-old",
            Code::FutureTime => "future-time",
            Code::RepeatedIds => "repeated-ids",
            Code::HiddenCascadeError => "hidden-cascade-error",
        }
    }
}

/// A danger or a warning.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// How serious it is.
    pub level: Level,
    /// What it is about.
    pub code: Code,
    /// The table, or the schema if it is about many tables of it ([`Code::HiddenCascadeError`]).
    pub table: String,
    /// The column, if it is about one.
    pub column: Option<String>,
    /// What was found, without any value of a row.
    pub what: String,
    /// A statement that shows the rows. It may read the whole table, and the survey does not execute it.
    pub statement: String,
    /// What to do.
    pub remedy: String,
    /// Up to three values, only with [`Options::show_values`](crate::survey::Options::show_values).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

/// A finding of the catalog, without its statement and its remedy.
fn about_table(level: Level, code: Code, table: &Table, column: Option<&Column>, what: String) -> Finding {
    Finding {
        level,
        code,
        table: table.shown(),
        column: column.map(|column| column.name.clone()),
        what,
        statement: String::new(),
        remedy: String::new(),
        examples: Vec::new(),
    }
}

/// What the checks of one column read.
pub(super) struct Context<'c> {
    pub(super) engine: Engine,
    pub(super) table: &'c Table,
    pub(super) column: &'c Column,
    pub(super) ids: &'c IdColumn,
    pub(super) now: i64,
    pub(super) show_values: bool,
}

impl Context<'_> {
    pub(super) fn finding(&self, level: Level, code: Code, what: String) -> Finding {
        about_table(level, code, self.table, Some(self.column), what)
    }

    /// The statement that shows the rows of a finding; `rest` is its condition or order.
    pub(super) fn statement(&self, rest: &str) -> String {
        let identity = sql::identity(self.engine, self.table, self.ids.column);
        format!("SELECT {identity} FROM {} {rest}", sql::table(self.engine, self.table))
    }

    /// The values at these places, if values may be shown.
    pub(super) fn examples(&self, places: impl IntoIterator<Item = usize>) -> Vec<String> {
        let shown = if self.show_values { 3 } else { 0 };
        places.into_iter().take(shown).map(|at| shown_value(&self.ids.values[at])).collect()
    }
}

fn shown_value(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Text(text) => text.clone(),
        Value::Int(number) => number.to_string(),
        Value::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// All findings about one table.
pub(crate) async fn of_table(
    session: &mut Session,
    catalog: &Catalog,
    table_at: usize,
    columns: &[IdColumn],
    (now, show_values): (i64, bool),
) -> Vec<Finding> {
    let engine = session.engine;
    let table = &catalog.tables[table_at];
    let mut findings = Vec::new();
    findings.extend(schema::no_primary_key(engine, table));
    findings.extend(schema::counters(engine, table));
    findings.extend(schema::foreign_keys(engine, catalog, table_at));
    for ids in columns {
        let column = &table.columns[ids.column];
        let context = Context { engine, table, column, ids, now, show_values };
        findings.extend(texts::equal_under_collation(&context));
        findings.extend(texts::two_spellings(&context, session).await);
        findings.extend(texts::cut_bytes(&context));
        findings.extend(numbers::signed_overflow(&context));
        findings.extend(numbers::beyond_json(&context));
        findings.extend(times::both_byte_orders(&context));
        findings.extend(times::mariadb_uuid_order(&context));
        findings.extend(times::new_before_old(&context));
        findings.extend(times::future(&context));
        findings.extend(schema::repeated(&context));
    }
    findings
}
