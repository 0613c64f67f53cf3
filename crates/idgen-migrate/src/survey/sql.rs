//! The syntax of each database for quoted names, and for the expressions of samples and of the statements in findings.

use crate::survey::schema::{Class, Column, Table};
use crate::survey::session::Engine;

/// A name as an identifier.
pub(crate) fn name(engine: Engine, name: &str) -> String {
    let quote = if engine.speaks_mysql() { '`' } else { '"' };
    let doubled = name.replace(quote, &format!("{quote}{quote}"));
    format!("{quote}{doubled}{quote}")
}

/// A text as a literal.
pub(crate) fn text(engine: Engine, text: &str) -> String {
    // With a backslash, MySQL escapes the next character.
    let text = if engine.speaks_mysql() { text.replace('\\', "\\\\") } else { text.to_owned() };
    format!("'{}'", text.replace('\'', "''"))
}

/// A table with its schema.
pub(crate) fn table(engine: Engine, table: &Table) -> String {
    match table.schema.as_str() {
        "" => name(engine, &table.name),
        schema => format!("{}.{}", name(engine, schema), name(engine, &table.name)),
    }
}

/// The rows of a table without those of the tables that inherit from it.
pub(crate) fn rows_of(engine: Engine, of: &Table) -> String {
    let only = if engine == Engine::Postgres { "ONLY " } else { "" };
    format!("{only}{}", table(engine, of))
}

/// Characters of a text that a sample reads: those of nearly all keys, and few of a long text.
const MOST_CHARS: u32 = 255;

/// A column as a sample reads it: the digits of bytes, and the beginning of long values.
pub(crate) fn read(engine: Engine, column: &Column) -> String {
    let of = name(engine, &column.name);
    match (engine, column.class) {
        (Engine::MySql | Engine::MariaDb, Class::Bytes { .. }) => format!("HEX(LEFT({of}, {MOST_CHARS}))"),
        // Bytes in a column of text are no characters.
        (Engine::MySql | Engine::MariaDb, Class::Text { fixed: true }) if column.length == Some(16) => {
            format!("HEX({of})")
        }
        (Engine::MySql | Engine::MariaDb, Class::Text { .. }) => format!("LEFT({of}, {MOST_CHARS})"),
        (Engine::MySql | Engine::MariaDb, _) => format!("CAST({of} AS CHAR)"),
        (Engine::Postgres, Class::Bytes { .. }) => {
            format!("encode(substring({of} from 1 for {MOST_CHARS}), 'hex')")
        }
        (Engine::Postgres, Class::Text { .. }) => format!("left({of}::text, {MOST_CHARS})"),
        // As the type writes its values: no cast, which may be a function that somebody wrote for it.
        (Engine::Postgres, Class::Other) if !column.is_builtin => {
            format!("CASE WHEN {of} IS NOT NULL THEN format('%s', {of}) END")
        }
        (Engine::Postgres, _) => format!("{of}::text"),
        (Engine::Sqlite, _) => format!(
            "CASE WHEN typeof({of}) IN ('text', 'blob') THEN substr({of}, 1, {MOST_CHARS}) ELSE {of} END"
        ),
    }
}

/// A parameter that is compared with a column whose type is the database's own. `place` counts from 1. A domain's own type would check the
/// value by functions that somebody wrote.
pub(crate) fn parameter(engine: Engine, column: &Column, place: usize) -> String {
    match (engine, column.class) {
        (Engine::MySql | Engine::MariaDb, Class::Int { unsigned, .. }) => {
            format!("CAST(? AS {})", if unsigned { "UNSIGNED" } else { "SIGNED" })
        }
        (Engine::MySql | Engine::MariaDb, Class::Bytes { .. }) => "UNHEX(?)".to_owned(),
        (Engine::MySql | Engine::MariaDb, Class::Uuid) => "CAST(? AS UUID)".to_owned(),
        (Engine::Postgres, Class::Bytes { .. }) => format!("decode(${place}, 'hex')"),
        (Engine::Postgres, Class::Int { bits, .. }) => format!("${place}::text::int{}", bits / 8),
        (Engine::Postgres, Class::Uuid) => format!("${place}::text::uuid"),
        (Engine::Postgres, Class::Text { fixed: true }) => format!("${place}::text::bpchar"),
        (Engine::Postgres, Class::Text { fixed: false }) => format!("${place}::text"),
        (Engine::Postgres, _) => format!("${place}::text::{}", column.type_text),
        _ => "?".to_owned(),
    }
}

/// The hexadecimal digits of an id of 128 bits, without hyphens and braces, in uppercase.
pub(crate) fn digits(engine: Engine, column: &Column) -> String {
    let of = name(engine, &column.name);
    let stripped =
        |text: String| format!("UPPER(REPLACE(REPLACE(REPLACE({text}, '-', ''), '{{', ''), '}}', ''))");
    match (engine, column.class) {
        (Engine::MySql | Engine::MariaDb, Class::Bytes { .. }) => format!("HEX({of})"),
        (Engine::Postgres, Class::Bytes { .. }) => format!("UPPER(encode({of}, 'hex'))"),
        (Engine::Postgres, _) => stripped(format!("{of}::text")),
        (Engine::Sqlite, _) => {
            format!("CASE typeof({of}) WHEN 'blob' THEN hex({of}) ELSE {} END", stripped(of.clone()))
        }
        _ => stripped(of),
    }
}

/// The columns that identify a row in a statement of a finding.
pub(crate) fn identity(engine: Engine, of: &Table, column: usize) -> String {
    let mut columns: Vec<usize> = of.identity().map(|key| key.columns.clone()).unwrap_or_default();
    if !columns.contains(&column) {
        columns.push(column);
    }
    let names: Vec<String> = columns.iter().map(|&at| name(engine, &of.columns[at].name)).collect();
    names.join(", ")
}
