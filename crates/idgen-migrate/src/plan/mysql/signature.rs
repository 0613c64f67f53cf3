//! The server's own evidence of the generation of a table: the identities of the old and the new table, which change
//! when one is truncated, rebuilt or replaced, and the triggers with the times of their creation.

use super::names::Names;
use super::quote::text;
use super::texts::{SideText, TableText};

/// Selects the triggers that count, and the names that the tables have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// The triggers of the old tables, before the renaming.
    Forward,
    /// The triggers of the old tables, after the renaming.
    ForwardRenamed,
    /// The triggers of the new tables, before the renaming.
    Back,
    /// The triggers of the new tables, after the renaming.
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

/// Replaces a number that the server does not show.
pub(super) const NONE: &str = "none";

/// A number that InnoDB gives a table when it is made, truncated or rebuilt, and that stays when it is renamed. Names are compared in all
/// their characters: another table whose name only looks alike is another table.
///
/// MySQL shows the names of tablespaces as people write them; its view of tables has them encoded, and takes the metadata locks of all tables
/// of the server, so only tables outside of a tablespace of their own are looked up there. MariaDB shows encoded names only, and has
/// a character set that encodes them; the names of devices (`CON`) end in `@@@` there.
pub(super) fn identity(names: &Names, table: &str) -> String {
    identity_in(names.is_mysql, "DATABASE()", table)
}

/// The identity of a table in the schema that this expression gives: `plan status` looks at all schemas, and is in none of them.
pub(super) fn identity_in(is_mysql: bool, schema: &str, table: &str) -> String {
    let own = path(is_mysql, schema, &text(table));
    if is_mysql {
        return format!(
            "COALESCE((SELECT i.SPACE FROM information_schema.INNODB_TABLESPACES AS i WHERE {name} = {own}), \
             (SELECT i.TABLE_ID FROM information_schema.INNODB_TABLES AS i WHERE {name} = {own}), '{NONE}')",
            name = comparable("i.NAME"),
        );
    }
    format!(
        "COALESCE((SELECT i.TABLE_ID FROM information_schema.INNODB_SYS_TABLES AS i WHERE CAST(i.NAME AS BINARY) IN ({own}, \
         CONCAT({own}, '@@@'))), '{NONE}')"
    )
}

/// An expression for a name as InnoDB shows it, in all its characters. `name` is an expression, too.
pub(super) fn in_innodb(is_mysql: bool, name: &str) -> String {
    match is_mysql {
        true => comparable(name),
        false => format!("CAST(CONVERT(CONVERT({name} USING utf8mb4) USING filename) AS BINARY)"),
    }
}

/// An expression for the path by which InnoDB names a table: its schema, a slash and its name. Both are expressions, too.
fn path(is_mysql: bool, schema: &str, table: &str) -> String {
    match is_mysql {
        true => comparable(&format!("CONCAT({schema}, '/', CONVERT({table} USING utf8mb4))")),
        false => format!("CONCAT({}, '/', {})", in_innodb(false, schema), in_innodb(false, table)),
    }
}

/// A query for the tables whose foreign keys refer to a table of the schema, as InnoDB names them, and the schema as it would name it. InnoDB
/// shows also those that the account may not see.
pub(super) fn referring(is_mysql: bool, table: &str) -> String {
    let view = if is_mysql { "INNODB_FOREIGN" } else { "INNODB_SYS_FOREIGN" };
    let name = |column: &str| if is_mysql { comparable(column) } else { format!("CAST({column} AS BINARY)") };
    format!(
        "SELECT {} AS referring, {} AS here FROM information_schema.{view} AS i WHERE {} = {}",
        name("i.FOR_NAME"),
        in_innodb(is_mysql, "DATABASE()"),
        name("i.REF_NAME"),
        path(is_mysql, "DATABASE()", &text(table))
    )
}

/// A condition that a row `f` of [`referring`] is a table of another schema.
pub(super) const IS_ELSEWHERE: &str = "LEFT(f.referring, CHAR_LENGTH(f.here) + 1) <> CONCAT(f.here, '/')";

fn triggers(side: &SideText, on: &str) -> String {
    let all = side.triggers().map(|name| text(name)).join(", ");
    format!(
        "COALESCE((SELECT GROUP_CONCAT(CONCAT_WS(' ', g.TRIGGER_NAME, g.CREATED, SHA2(CONCAT_WS(' ', g.DEFINER, g.SQL_MODE, \
         g.ACTION_STATEMENT), 224)) ORDER BY g.TRIGGER_NAME) FROM information_schema.TRIGGERS AS g \
         WHERE g.TRIGGER_SCHEMA = DATABASE() AND g.EVENT_OBJECT_TABLE = {} AND g.TRIGGER_NAME IN ({all})), 'none')",
        text(on)
    )
}
