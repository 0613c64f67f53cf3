//! Changes of a table that no statement of a file can read, because only `SHOW CREATE TABLE` shows them: the parser of a full text index,
//! `USING` and `KEY_BLOCK_SIZE` of an index, `COLUMN_FORMAT` and `STORAGE`. What a file can read is that the table was altered.
//!
//! Each such change on MySQL is an `ALTER TABLE`, which gives the table another `CREATE_TIME`, in seconds; so the steps first let the second
//! of the last one pass. MariaDB has such properties only for indexes, and an index that is made again has another number.

use super::attached::is;
use super::check::{Check, check};
use super::names::Names;
use super::quote::{name, text};
use super::signature::{comparable, identity_in};
use super::texts::TableText;
use crate::plan::data::Statement;

/// The tables that were recorded: the old ones by `new-tables`, which copies their definitions, and the new ones by
/// `triggers-back`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Old,
    New,
}

impl Side {
    pub(super) fn name(self) -> &'static str {
        match self {
            Side::Old => "old",
            Side::New => "new",
        }
    }

    /// The names of its tables before the renaming, or after it.
    fn names(self, tables: &[TableText], renamed: bool) -> impl Iterator<Item = (&TableText, &str)> {
        tables.iter().map(move |table| {
            let physical = match (self, renamed) {
                (Side::Old, false) | (Side::New, true) => &table.now,
                (Side::Old, true) => &table.old,
                (Side::New, false) => &table.new,
            };
            (table, physical.as_str())
        })
    }
}

/// An expression for what changes when a table is altered so. It stays when the table is renamed.
fn number(is_mysql: bool, schema: &str, table: &str) -> String {
    let shown = match is_mysql {
        true => format!(
            "(SELECT UNIX_TIMESTAMP(v.CREATE_TIME) FROM information_schema.TABLES AS v WHERE v.TABLE_SCHEMA = {schema} AND {})",
            is("v.TABLE_NAME", &text(table))
        ),
        false => format!(
            "(SELECT GROUP_CONCAT(x.INDEX_ID ORDER BY x.INDEX_ID) FROM information_schema.INNODB_SYS_INDEXES AS x WHERE x.TABLE_ID = {})",
            identity_in(is_mysql, schema, table)
        ),
    };
    comparable(&shown)
}

/// The table of what was recorded.
pub(super) fn create(names: &Names) -> Statement {
    Statement::new(
        "When tables were altered, so that later steps notice what only SHOW CREATE TABLE shows.",
        format!(
            "CREATE TABLE {} (side VARCHAR(3) NOT NULL, table_name VARCHAR(64) NOT NULL, seen MEDIUMTEXT NULL, PRIMARY KEY (side, table_name)) \
             ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            names.altered
        ),
    )
}

/// Records one side before the renaming.
pub(super) fn record(names: &Names, tables: &[TableText], side: Side) -> Vec<Statement> {
    let mut all = Vec::new();
    if names.is_mysql {
        let of: Vec<_> =
            side.names(tables, false).map(|(_, table)| is("v.TABLE_NAME", &text(table))).collect();
        all.push(Statement::new(
            "The server shows when a table was altered in seconds: lets that second pass.",
            format!(
                "DO SLEEP(COALESCE((SELECT MAX(v.CREATE_TIME >= SYSDATE()) FROM information_schema.TABLES AS v \
                 WHERE v.TABLE_SCHEMA = DATABASE() AND ({})), 0))",
                of.join(" OR ")
            ),
        ));
    }
    let rows: Vec<_> = side
        .names(tables, false)
        .map(|(table, physical)| {
            let seen = number(names.is_mysql, "DATABASE()", physical);
            format!("SELECT '{}', {}, {seen}", side.name(), text(&table.now))
        })
        .collect();
    all.push(Statement::new(
        format!("Records when the {} tables were altered.", side.name()),
        format!("REPLACE INTO {} (side, table_name, seen) {}", names.altered, rows.join(" UNION ALL ")),
    ));
    all
}

/// A query for what is shown of tables now. Of each it takes the name under which it was recorded, and the name that it has.
pub(super) fn now<'a>(
    is_mysql: bool,
    schema: &str,
    tables: impl Iterator<Item = (&'a str, &'a str)>,
) -> String {
    let rows = tables.map(|(recorded, physical)| {
        let seen = number(is_mysql, schema, physical);
        format!("SELECT {} AS table_name, {seen} AS seen", comparable(&text(recorded)))
    });
    rows.collect::<Vec<_>>().join(" UNION ALL ")
}

/// Records a table again, after the plan itself has set its counter: that is an `ALTER TABLE`, too. If somebody has removed the record, it stays
/// removed. `None` if the counter is not seen.
pub(super) fn renew(names: &Names, table: &TableText, side: Side, physical: &str) -> Option<String> {
    names.is_mysql.then(|| {
        format!(
            "UPDATE {} SET seen = {} WHERE side = '{}' AND table_name = {}",
            name(&names.altered),
            number(names.is_mysql, "DATABASE()", physical),
            side.name(),
            text(&table.now)
        )
    })
}

/// Nobody altered the tables of a side since they were recorded, or somebody compared them and removed the record.
pub(super) fn is_as_recorded(
    names: &Names,
    tables: &[TableText],
    side: Side,
    renamed: bool,
    since: &str,
) -> Check {
    let tables = side.names(tables, renamed).map(|(table, physical)| (table.now.as_str(), physical));
    let now = now(names.is_mysql, "DATABASE()", tables);
    check(
        "What only SHOW CREATE TABLE shows cannot be compared here, so the tables must not have been altered.",
        format!(
            "SELECT f.table_name, f.seen AS recorded, n.seen AS now FROM {} AS f JOIN ({}) AS n ON n.table_name = f.table_name \
             WHERE f.side = '{}' AND NOT (f.seen <=> n.seen)",
            name(&names.altered),
            now,
            side.name()
        ),
        format!(
            "the tables above were altered or rebuilt since {since}: compare SHOW CREATE TABLE, and see README.md of the plan"
        ),
    )
}

/// Says how a person compares what the files cannot read.
pub(super) fn note(names: &Names, tables: &[TableText]) -> String {
    let pairs: Vec<_> = tables
        .iter()
        .map(|table| {
            format!(
                "SHOW CREATE TABLE {}; SHOW CREATE TABLE {} (after the renaming {})",
                name(&table.now),
                name(&table.new),
                name(&table.old)
            )
        })
        .collect();
    let shown = match names.is_mysql {
        true => {
            "the parser of a FULLTEXT index, USING and KEY_BLOCK_SIZE of an index, COLUMN_FORMAT and STORAGE of a column"
        }
        false => "the parser of a FULLTEXT index, USING HASH and KEY_BLOCK_SIZE of an index",
    };
    format!(
        "Only SHOW CREATE TABLE shows {shown}, and no statement of a file can read it. So `verify`, `rename` and the way back of `rename` are \
         refused if a table was altered or rebuilt since the step that recorded it, and `idgen plan status` lists the lines that differ. Without it, \
         compare yourself: {}. If only what the plan changes differs, execute DELETE FROM {} and the file again, which then cannot notice further \
         changes. If something else differs, make the same change to the other table first, or undo the steps to `new-tables`, which makes \
         the new tables like the old ones.",
        pairs.join("; "),
        names.altered
    )
}
