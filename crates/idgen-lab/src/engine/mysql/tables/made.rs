//! Ids that a function of the server makes. Such ids are known to ascend in the order of the calls, and to lie between
//! an id made before the run and one made after it.
//!
//! Sources: MySQL Reference Manual, `UUID()`, `UUID_SHORT()` and `UUID_TO_BIN()`; MariaDB documentation, the
//! same.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor};

use super::keys::read_key;
use crate::engine::mysql::doing;
use crate::key::Key;
use crate::{Error, Result};
use idgen_record::{Column, Database, IdKind};

/// An expression with the result of `UUID_TO_BIN(UUID(), 1)`, for a server that lacks that function.
const SWAP: &str = "UNHEX(CONCAT(SUBSTR(@uuid := UUID(), 15, 4), SUBSTR(@uuid, 10, 4), SUBSTR(@uuid, 1, 8), \
     SUBSTR(@uuid, 20, 4), SUBSTR(@uuid, 25, 12)))";

/// The expression that makes an id; `None` if the server does not make such ids.
pub fn expression(ids: IdKind, database: Database) -> Option<&'static str> {
    match (ids, database) {
        (IdKind::UuidShort, _) => Some("UUID_SHORT()"),
        (IdKind::ServerV1, Database::MySql) => Some("UUID_TO_BIN(UUID(), 1)"),
        (IdKind::ServerV1, Database::MariaDb) => Some(SWAP),
        _ => None,
    }
}

/// An id that the server makes now; `None` if it does not make such ids.
pub async fn now(
    connection: &mut MySqlConnection,
    ids: IdKind,
    column: Column,
    database: Database,
) -> Result<Option<Key>> {
    let Some(expression) = expression(ids, database) else { return Ok(None) };
    let failed = doing("ask the server for an id");
    let row = connection
        .fetch_one(sqlx::query(AssertSqlSafe(format!("SELECT {expression}"))))
        .await
        .map_err(failed)?;
    read_key(&row, column).map(Some)
}

/// Checks that the server can have made a key found in the table between these two ids.
pub fn check(found: Key, before: Key, after: Key) -> Result<()> {
    if !(before < found && found < after) {
        return Err(Error::unverified(format!(
            "the table holds {found}, which the server did not make between {before} and {after}"
        )));
    }
    // The node does not change while a server runs, and a swapped version 1 begins with its version.
    if let (Key::Binary(found), Key::Binary(before)) = (found, before)
        && (found[0] >> 4 != 1 || found[10..] != before[10..])
    {
        return Err(Error::unverified(format!(
            "the table holds {}, which is no swapped version 1 of this server",
            Key::Binary(found)
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_between_the_two_with_the_same_node_pass() {
        let swapped = |time: u8, node: u8| {
            let mut bytes = [node; 16];
            bytes[0] = 0x11;
            bytes[1] = time;
            Key::Binary(bytes)
        };
        let (before, after) = (swapped(1, 9), swapped(5, 9));
        assert!(check(swapped(3, 9), before, after).is_ok());
        for foreign in [swapped(1, 9), swapped(0, 9), swapped(6, 9), swapped(3, 8)] {
            assert!(check(foreign, before, after).unwrap_err().is_unverified(), "{foreign}");
        }
        assert!(check(Key::Uint(7), Key::Uint(6), Key::Uint(8)).is_ok());
        assert!(check(Key::Uint(8), Key::Uint(6), Key::Uint(8)).is_err());
    }
}
