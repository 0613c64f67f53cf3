//! What the server itself says about the generation of a table: the identities of the old and the new table, which change when
//! one is truncated, rebuilt or replaced, and the triggers with the times of their creation.

use super::names::Names;
use super::quote::text;
use super::texts::{SideText, TableText};

/// Which triggers count, and which names the tables have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// The triggers of the old tables, before the renaming.
    Forward,
    /// The same after the renaming.
    ForwardRenamed,
    /// The triggers of the new tables, before the renaming.
    Back,
    /// The same after the renaming.
    BackRenamed,
}

/// An expression for the signature of one table.
pub(super) fn of_table(names: &Names, table: &TableText, seen: Seen) -> String {
    let is_renamed = matches!(seen, Seen::ForwardRenamed | Seen::BackRenamed);
    let (old, new) = if is_renamed { (&table.old, &table.now) } else { (&table.now, &table.new) };
    let (side, on) = match seen {
        Seen::Forward | Seen::ForwardRenamed => (&table.forward, old),
        Seen::Back | Seen::BackRenamed => (&table.backward, new),
    };
    format!(
        "CONCAT_WS(' ', {}, {}, {}, {})",
        text(&table.now),
        identity(names, old),
        identity(names, new),
        triggers(side, on)
    )
}

/// An expression for the signature of all tables, in a collation that compares all characters.
pub(super) fn of_all(names: &Names, tables: &[TableText], seen: Seen) -> String {
    let all: Vec<_> = tables.iter().map(|table| of_table(names, table, seen)).collect();
    comparable(&format!("CONCAT_WS('; ', {})", all.join(", ")))
}

pub(super) fn comparable(expression: &str) -> String {
    format!("CONVERT({expression} USING utf8mb4) COLLATE utf8mb4_bin")
}

/// InnoDB writes names with other characters than letters, digits and `_` in a form that MySQL cannot make. A pattern that fits
/// another table too is harmless: then a change of that table also counts.
fn identity(names: &Names, table: &str) -> String {
    let pattern: String = table
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c.to_string() } else { "@%".to_owned() })
        .collect();
    format!(
        "COALESCE((SELECT GROUP_CONCAT(i.TABLE_ID ORDER BY i.TABLE_ID) FROM information_schema.{} AS i \
         WHERE i.NAME LIKE CONCAT(REGEXP_REPLACE(DATABASE(), '[^0-9A-Za-z_]', '@%'), '/', {})), 'none')",
        names.innodb_tables(),
        text(&pattern)
    )
}

fn triggers(side: &SideText, on: &str) -> String {
    let all = side.triggers().map(|name| text(name)).join(", ");
    format!(
        "COALESCE((SELECT GROUP_CONCAT(CONCAT_WS(' ', g.TRIGGER_NAME, g.CREATED, SHA2(CONCAT_WS(' ', g.DEFINER, g.SQL_MODE, \
         g.ACTION_STATEMENT), 224)) ORDER BY g.TRIGGER_NAME) FROM information_schema.TRIGGERS AS g \
         WHERE g.TRIGGER_SCHEMA = DATABASE() AND g.EVENT_OBJECT_TABLE = {} AND g.TRIGGER_NAME IN ({all})), 'none')",
        text(on)
    )
}
