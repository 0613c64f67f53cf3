//! Dangers, each with the statement that shows the rows, and with the remedy.

mod cascades;
mod numbers;
mod predictable;
mod schema;
mod switch;
pub(crate) mod texts;
mod times;
mod truncated;

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::survey::judge::columns::IdColumn;
use crate::survey::options::NewIds;
use crate::survey::read::facts::Facts;
use crate::survey::read::sample::{Sample, Value};
use crate::survey::schema::{Catalog, Column, Table};
use crate::survey::session::Engine;
use crate::survey::sql;

/// The severity of a finding.
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

/// The subject of a finding. The names are stable: programs that read the JSON may rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Code {
    /// Text ids under a collation in which two ids are equal.
    EqualUnderCollation,
    /// One id in two spellings, or ids in several spellings.
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
    /// Ids of version 4 whose source is recognized, so that the next ones can be computed.
    Predictable,
    /// Foreign keys whose errors MySQL does not report.
    HiddenCascadeError,
    /// A column or a unique index that holds the first digits of ids, which ids of the same time share.
    Truncated,
    /// A key by which programs may page, if new ids were version 7.
    CursorById,
    /// Partitions by an id, if new ids were version 7.
    PartitionById,
    /// Ids that others see, if new ids were version 7, which shows its time.
    PublicId,
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
        Code::Predictable,
        Code::HiddenCascadeError,
        Code::Truncated,
        Code::CursorById,
        Code::PartitionById,
        Code::PublicId,
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
            Code::Predictable => "predictable",
            Code::HiddenCascadeError => "hidden-cascade-error",
            Code::Truncated => "truncated",
            Code::CursorById => "cursor-by-id",
            Code::PartitionById => "partition-by-id",
            Code::PublicId => "public-id",
        }
    }
}

/// A danger or a warning.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The severity.
    pub level: Level,
    /// The subject.
    pub code: Code,
    /// The table, or the schema if it is about many tables of it ([`Code::HiddenCascadeError`]).
    pub table: String,
    /// The column, if it is about one.
    pub column: Option<String>,
    /// Describes the finding, without any value of a row.
    pub what: String,
    /// A statement that shows the rows. It may read the whole table, and the survey does not execute it.
    pub statement: String,
    /// The remedy.
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

/// The data that was read about the whole database, and the choices of the caller.
pub(crate) struct Read<'r> {
    pub(crate) engine: Engine,
    pub(crate) catalog: &'r Catalog,
    pub(crate) facts: &'r Facts,
    pub(crate) now: i64,
    pub(crate) show_values: bool,
    pub(crate) to: Option<NewIds>,
    /// The texts in another spelling that a column has too, by table and column.
    pub(crate) probed: &'r HashMap<(usize, usize), Vec<String>>,
}

/// The data that the checks of one column read.
pub(crate) struct Context<'c> {
    pub(super) engine: Engine,
    pub(super) table: &'c Table,
    pub(super) column: &'c Column,
    pub(super) ids: &'c IdColumn,
    pub(super) now: i64,
    pub(super) show_values: bool,
}

impl<'c> Context<'c> {
    pub(crate) fn of(read: &Read<'c>, ids: &'c IdColumn) -> Context<'c> {
        let table = &read.catalog.tables[ids.table];
        Context {
            engine: read.engine,
            table,
            column: &table.columns[ids.column],
            ids,
            now: read.now,
            show_values: read.show_values,
        }
    }

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

/// All findings, dangers first; of one level, in the order of tables and columns.
pub(crate) fn find(read: &Read<'_>, tables: &[(Option<Sample>, Vec<IdColumn>)]) -> Vec<Finding> {
    let mut findings = cascades::hidden_errors(read.engine, read.catalog);
    for (at, (sample, columns)) in tables.iter().enumerate() {
        findings.extend(of_table(read, at, sample.as_ref(), columns));
    }
    if read.to == Some(NewIds::V7) {
        findings.extend(switch::partitions(read));
    }
    let mut findings = once(read.catalog, findings);
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    findings
}

/// All findings about one table.
fn of_table(read: &Read<'_>, table_at: usize, sample: Option<&Sample>, columns: &[IdColumn]) -> Vec<Finding> {
    let (engine, table) = (read.engine, &read.catalog.tables[table_at]);
    let mut findings = Vec::new();
    findings.extend(schema::no_primary_key(engine, table));
    findings.extend(schema::counters(engine, read.catalog, table_at));
    findings.extend(schema::foreign_keys(engine, read.catalog, table_at));
    for ids in columns {
        let context = Context::of(read, ids);
        let probed = read.probed.get(&(ids.table, ids.column));
        findings.extend(texts::equal_under_collation(&context));
        findings.extend(texts::two_spellings(&context, probed.map_or(&[], Vec::as_slice)));
        findings.extend(texts::cut_bytes(&context));
        findings.extend(numbers::signed_overflow(&context));
        findings.extend(numbers::beyond_json(&context));
        findings.extend(times::both_byte_orders(&context));
        findings.extend(times::mariadb_uuid_order(&context));
        findings.extend(times::new_before_old(&context));
        findings.extend(times::future(&context));
        findings.extend(schema::repeated(&context));
        findings.extend(predictable::find(&context));
        if read.to == Some(NewIds::V7) {
            findings.extend(switch::cursor(&context, read));
            findings.extend(switch::public(&context));
        }
    }
    findings.extend(truncated::find(read, table_at, sample, columns));
    findings
}

/// Findings that a column has only because it holds the ids of another one: the key is named once, with the number of the columns
/// that refer to it.
fn once(catalog: &Catalog, findings: Vec<Finding>) -> Vec<Finding> {
    let is_of_ids = |code: Code| {
        matches!(code, Code::BeyondJson | Code::SignedOverflow | Code::FutureTime | Code::MariadbUuidOrder)
    };
    let key =
        |table: &Table, column: usize, code: Code| (table.shown(), table.columns[column].name.clone(), code);
    let known: HashSet<(String, String, Code)> =
        findings.iter().filter_map(|one| Some((one.table.clone(), one.column.clone()?, one.code))).collect();
    let mut parents: HashMap<(String, String, Code), (String, String, Code)> = HashMap::new();
    for foreign in &catalog.foreign {
        for (&child_at, &parent_at) in foreign.columns.iter().zip(&foreign.parent_columns) {
            for code in Code::ALL.iter().copied().filter(|&code| is_of_ids(code)) {
                let child = key(&catalog.tables[foreign.table], child_at, code);
                let parent = key(&catalog.tables[foreign.parent], parent_at, code);
                if child != parent && known.contains(&child) && known.contains(&parent) {
                    parents.insert(child, parent);
                }
            }
        }
    }
    // The key at the end of a chain; in a circle of keys, each is named.
    let root = |place: &(String, String, Code)| {
        let mut at = parents.get(place)?;
        for _ in 0..parents.len() {
            match parents.get(at) {
                Some(next) => at = next,
                None => return Some(at),
            }
        }
        None
    };
    let mut counts: HashMap<&(String, String, Code), usize> = HashMap::new();
    for root in parents.keys().filter_map(root) {
        *counts.entry(root).or_default() += 1;
    }
    let mut kept = Vec::new();
    for mut finding in findings {
        if let Some(column) = &finding.column {
            let place = (finding.table.clone(), column.clone(), finding.code);
            if root(&place).is_some() {
                continue;
            }
            match counts.get(&place) {
                None => {}
                Some(1) => finding.what += "; a column that refers to it holds them too",
                Some(count) => finding.what += &format!("; {count} columns that refer to it hold them too"),
            }
        }
        kept.push(finding);
    }
    kept
}
