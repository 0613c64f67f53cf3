//! Stored functions for clients that speak only SQL, with the same results as this library.

use crate::error::{Error, Result};
use crate::installed::Index;
use crate::table::tables::Tables;

/// The server that a script is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// MySQL 8.0 and later. The week prefix is computed without `MD5()`, which MySQL 9.6 removed.
    MySql,
    /// MariaDB 10.10 and later.
    MariaDb,
}

/// The statements that create the stored functions, in order, for the map in `table`:
///
/// | function | result |
/// |---|---|
/// | `idgen_bytes(uuid)` | `BINARY(16)` from 16 bytes, or from what `UUID_TO_BIN` takes: 36 characters, also in braces, or 32 digits; anything else is an error |
/// | `idgen_to_base64(uuid)` | 22 characters, like [`idgen::codec::base64`] |
/// | `idgen_from_base64(text)` | `BINARY(16)`; a text that no encoder writes is an error |
/// | `idgen_week_prefix(datetime)` | 4 hexadecimal digits, like `idgen::md5_week_prefix` |
/// | `idgen_week_uuid()` | a UUID of 36 characters with the prefix of this week in UTC, in every session, like `idgen::week` |
/// | `idgen_first_id(kind, datetime)`, `idgen_last_id` | `BINARY(16)`, the smallest and the largest id of a moment in UTC, like [`idgen::bounds`]; the kinds are `v6`, `v7`, `ulid` and `v1-swapped` |
/// | `idgen_first_short(datetime)`, `idgen_last_short` | the same for 64-bit device ids, as `BIGINT UNSIGNED` |
/// | `idgen_find(uuid)` | the id that the map has for the UUID, or NULL |
/// | `idgen_uuid_of(id)` | the UUID that the map has for the id, as 36 characters, or NULL |
///
/// `idgen_find` names the index that it needs: with another index than the map's, it fails instead of reading the
/// whole table.
///
/// Only clients of this library create ids: a stored function cannot commit, so it cannot promise that an id is
/// stored.
///
/// # Errors
/// The name of the table is not a plain name.
pub fn statements(dialect: Dialect, table: &str, index: Index) -> Result<Vec<String>> {
    let tables = Tables::named(table)?;
    let condition = match index {
        Index::Unique => "FORCE INDEX (uuid) WHERE uuid = v_uuid",
        Index::Dedup => "FORCE INDEX (hash) WHERE hash = CRC32(v_uuid) AND uuid = v_uuid",
    };
    let week = match dialect {
        Dialect::MySql => include_str!("week_mysql.sql"),
        Dialect::MariaDb => include_str!("week_mariadb.sql"),
    };
    let all = [
        include_str!("codecs.sql"),
        week,
        include_str!("week_uuid.sql"),
        include_str!("bounds.sql"),
        include_str!("lookup.sql"),
    ];
    let mut statements = Vec::new();
    for definition in all.iter().flat_map(|file| file.split("\n//\n")) {
        let definition = definition.trim().replace("{table}", &tables.map).replace("{condition}", condition);
        let name = definition
            .lines()
            .find_map(|line| line.strip_prefix("CREATE FUNCTION "))
            .and_then(|line| line.split('(').next())
            .unwrap_or_default();
        statements.push(format!("DROP FUNCTION IF EXISTS {name}"));
        statements.push(definition);
    }
    Ok(statements)
}

/// The [`statements`] as a script for the servers' command-line clients.
///
/// # Errors
/// As for [`statements`].
pub fn script(dialect: Dialect, table: &str, index: Index) -> std::result::Result<String, Error> {
    // A function keeps the mode under which it was created, and in the mode ORACLE the syntax is another one.
    let mut script = String::from(
        "SET @idgen_sql_mode = @@SESSION.sql_mode;\nSET SESSION sql_mode = 'STRICT_ALL_TABLES';\n",
    );
    script += "DELIMITER //\n";
    for statement in statements(dialect, table, index)? {
        script += &statement;
        script += "\n//\n";
    }
    script += "DELIMITER ;\nSET SESSION sql_mode = @idgen_sql_mode;\n";
    Ok(script)
}
