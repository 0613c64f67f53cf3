//! Parts of statements that several files use, and the reading of their rows.

use std::fmt::Write;

use sqlx::Row;
use uuid::Uuid;

/// Begins a transaction. It is sent as one text, and sets the isolation level because a pooled connection may have any.
pub(crate) const BEGIN: &str = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; START TRANSACTION";

/// A locking read, which sees the latest committed rows at every isolation level. Both servers accept this syntax.
pub(crate) const SHARED: &str = " LOCK IN SHARE MODE";

/// Comes before a statement on a caller's connection. It sets for this statement, and changes nothing else of the session:
///
/// - without `unique_checks`, InnoDB does not read a unique index whose page is not in memory, and stores a second pair,
/// - `innodb_snapshot_isolation`, which MariaDB has on by default from 11.6 on, ends the transaction with error 1020 if a row
///   is newer than its snapshot, and the map has to see such rows.
pub(crate) const WITH_SETTINGS: &str =
    "/*M! SET STATEMENT unique_checks = 1 *//*M!110402 , innodb_snapshot_isolation = OFF *//*M! FOR */ ";

/// Begins an `INSERT` into a table with a unique index, on a caller's connection to MySQL. MariaDB reads no such hint.
pub(crate) const INSERT_CHECKED: &str = "INSERT /*+ SET_VAR(unique_checks = ON) */";

pub(crate) const ALL: &str = " LIMIT 18446744073709551615";

/// A savepoint of the map. Its name has 64 random bits, so that no caller has one of the same name, which the server would
/// replace.
macro_rules! savepoint {
    () => {
        "idgen_map_9d2c5e71b8046fa3"
    };
}

/// Fails with error 1305 outside of a transaction, and also if the server has ended the caller's transaction, as after a
/// deadlock.
pub(crate) const IN_TRANSACTION: [&str; 2] =
    [concat!("SAVEPOINT ", savepoint!()), concat!("RELEASE SAVEPOINT ", savepoint!())];

/// Shows the definition of a table, or of a temporary table that hides it from this session.
pub(crate) fn show(table: &str) -> String {
    format!("SHOW CREATE TABLE {table}")
}

/// `x'...'`, a hexadecimal literal.
pub(crate) fn literal(uuid: Uuid) -> String {
    format!("x'{}'", uuid.simple())
}

/// A hexadecimal literal of any bytes, like [`literal`].
pub(crate) fn bytes_literal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("x'{digits}'")
}

/// The server's `CRC32()` of the 16 bytes.
pub(crate) fn hash(uuid: Uuid) -> u32 {
    crc32fast::hash(uuid.as_bytes())
}

/// `(id,x'uuid'),(id,x'uuid')`
pub(crate) fn value_list<'a>(pairs: impl Iterator<Item = (&'a Uuid, &'a u64)>) -> String {
    let mut list = String::new();
    for (uuid, id) in pairs {
        let comma = if list.is_empty() { "" } else { "," };
        // Infallible: a String takes everything.
        let _ = write!(list, "{comma}({id},x'{}')", uuid.simple());
    }
    list
}

/// The UUID in a BINARY(16) column.
pub(crate) fn uuid_at(row: &sqlx::mysql::MySqlRow, column: usize) -> std::result::Result<Uuid, sqlx::Error> {
    let bytes: Vec<u8> = row.try_get(column)?;
    Uuid::from_slice(&bytes).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}
