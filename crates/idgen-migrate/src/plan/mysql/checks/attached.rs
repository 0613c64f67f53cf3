//! That tables have what they should have: what they had when the plan was made, or what the ledger recorded.

use crate::plan::mysql::attached::{self, Attached, Role};
use crate::plan::mysql::catalog::Column;
use crate::plan::mysql::check::{Check, check};
use crate::plan::mysql::names::Names;
use crate::plan::mysql::quote::{name, text};
use crate::plan::mysql::signature;
use crate::plan::mysql::texts::TableText;

/// Only the old tables of the plan may refer to an old table: a table that nobody of the plan could see may, and dropping the old one would
/// fail when the way back has ended.
pub(in crate::plan::mysql) fn only_own_refer(names: &Names, tables: &[TableText]) -> Vec<Check> {
    let own = tables.iter().map(|table| signature::in_innodb(names.is_mysql, &text(&table.old)));
    let own = own.collect::<Vec<_>>().join(", ");
    let of = |table: &TableText| {
        check(
            format!("Only old tables of the plan may refer to {}.", table.old),
            format!(
                "SELECT f.referring FROM ({}) AS f WHERE {} OR SUBSTR(f.referring, CHAR_LENGTH(f.here) + 2) NOT IN ({own})",
                signature::referring(names.is_mysql, &table.old),
                signature::IS_ELSEWHERE
            ),
            format!(
                "drop the foreign keys of the tables above, or let them refer to {}, since {} is dropped now",
                table.now, table.old
            ),
        )
    };
    tables.iter().map(of).collect()
}

/// A table has what it had when the plan was made.
pub(in crate::plan::mysql) fn as_planned(
    attached: &Attached,
    tables: &[TableText],
    table: &TableText,
    lines: &[String],
    role: Role,
) -> Check {
    differs(
        &table.now,
        &attached::differences(&attached::literals(lines), &attached.lines(tables, table, role)),
    )
}

/// A table that the plan changes in place has what it had when it was read, except for the column that the plan itself changes.
pub(in crate::plan::mysql) fn as_read(
    attached: &Attached,
    table: &str,
    column: &str,
    lines: &[String],
) -> Check {
    let of_column = format!("COLUMNS {table} COLUMN_NAME={column} ");
    let others: Vec<String> = lines.iter().filter(|line| !line.starts_with(&of_column)).cloned().collect();
    let now = format!(
        "SELECT q.line FROM ({}) AS q WHERE LEFT(q.line, {}) <> {}",
        attached.lines_of_one(table),
        of_column.chars().count(),
        text(&of_column)
    );
    differs(table, &attached::differences(&attached::literals(&others), &now))
}

/// This column has the definition that was read, but for its default.
pub(in crate::plan::mysql) fn column_as_read(table: &str, column: &Column) -> Check {
    check(
        format!("The definition of {table}.{} must be as it was when the plan was made.", column.name),
        format!(
            "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLLATION_NAME, COLUMN_COMMENT FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = {} AND COLUMN_NAME = {} AND NOT (COLUMN_TYPE = {} \
             AND IS_NULLABLE = '{}' AND COALESCE(COLLATION_NAME, '') = {} AND COLUMN_COMMENT = {})",
            text(table),
            text(&column.name),
            text(&column.type_text),
            if column.nullable { "YES" } else { "NO" },
            text(&column.collation),
            text(&column.comment)
        ),
        format!(
            "change back what is listed above, or undo and plan again: {table} is not as it was when the plan was made"
        ),
    )
}

fn differs(table: &str, rows: &str) -> Check {
    check(
        format!(
            "All that hangs on {table} must be as it was when the plan was made: the renaming would undo what is newer."
        ),
        rows,
        format!(
            "change back what is listed above, or undo and plan again: {table} is not as it was when the plan was made"
        ),
    )
}

/// A query of the lines that the ledger has of a new table.
fn recorded(names: &Names, table: &TableText) -> String {
    format!("SELECT a.line FROM {} AS a WHERE a.table_name = {}", name(&names.attached), text(&table.now))
}

/// A new table has what was recorded in the ledger.
pub(in crate::plan::mysql) fn as_recorded(
    attached: &Attached,
    names: &Names,
    tables: &[TableText],
    table: &TableText,
    role: Role,
    message: &str,
) -> Check {
    check(
        format!("All that hangs on the new {} must be as it was recorded.", table.now),
        attached::differences(&recorded(names, table), &attached.lines(tables, table, role)),
        format!("{}: {message}", table.now),
    )
}

/// A new table has what the step that made it left, beside its foreign keys to itself, which come later and must be there now.
pub(in crate::plan::mysql) fn as_made(
    attached: &Attached,
    names: &Names,
    tables: &[TableText],
    table: &TableText,
    file: &str,
) -> Vec<Check> {
    let begins = format!("FOREIGN KEY {} ", table.now);
    let is_own = format!(
        "LEFT(q.line, {}) = {} AND LOCATE({}, q.line) > 0",
        begins.chars().count(),
        text(&begins),
        text(&format!(" TO {} ", table.now))
    );
    let without_own = |lines: &str| format!("SELECT q.line FROM ({lines}) AS q WHERE NOT ({is_own})");
    let now = attached.lines(tables, table, Role::New);
    let expected = table.columns_to_itself();
    vec![
        check(
            format!("All that hangs on the new {} must be as it was made.", table.now),
            attached::differences(&without_own(&recorded(names, table)), &without_own(&now)),
            format!(
                "change back what is listed above, or undo to undo/{file}, since it is not what {file} made on the new {}",
                table.now
            ),
        ),
        check(
            format!("The foreign keys from the new {} to itself must be there.", table.now),
            format!(
                "SELECT found.own AS columns_of_foreign_keys FROM (SELECT COUNT(*) AS own FROM ({now}) AS q WHERE {is_own}) AS found \
                 WHERE found.own <> {expected}"
            ),
            format!(
                "{}: a foreign key of the new table to itself is gone: undo its step, and execute it again",
                table.now
            ),
        ),
    ]
}
