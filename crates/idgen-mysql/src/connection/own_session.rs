//! Sessions of the map's own: no other client uses them, and each statement that acknowledges a pair commits by itself.
//!
//! A pooler such as ProxySQL may give one session of the server to several clients in turn. What another client leaves there,
//! such as `autocommit = 0` or a temporary table, would lose pairs that the map acknowledges. Two things show such a pooler:
//!
//! - A session that is older than its connection. Servers number sessions in the order of the connections, so the number of a new
//!   one is larger than all that the server had given before. For that, the first connection is followed by another one.
//! - Another mark than the one with which the session was set up: another client of a map has set it, or the session was reset.
//!
//! A pooler that has enough sessions may show neither. So the `INSERT` of new pairs itself fails in a session without its mark or
//! without `autocommit`.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor};

use crate::error::failure::{Attempt, Failure};
use crate::statement::values::Values;

/// The running server process and the schema of a session. Servers that were copied from one image have equal names, so it
/// includes the end of a UUID of version 1: the hardware address and a random number of this start of the server (MySQL
/// manual, "Miscellaneous Functions", `UUID()`). If the clock is set back, that number changes, and the server seems to be
/// another one until its connections read their names again.
pub(super) const HERE: &str = "CONCAT_WS(' ', @@hostname, @@port, @@server_id, RIGHT(UUID(), 17), \
    IF(@@lower_case_table_names, LOWER(DATABASE()), DATABASE()))";

/// The number of the error with which a statement ends that was meant for another session, server or schema.
pub(crate) const ELSEWHERE: u16 = 1690;

/// A number that is out of range, which is an error ([`ELSEWHERE`]) at every `sql_mode`.
pub(crate) const OUT_OF_RANGE: &str = "CAST(EXP(9999) AS UNSIGNED)";

/// The variable of a session that holds its mark.
pub(super) const MARK: &str = "@idgen_session";

/// The status variable with the number of the session that the server made last.
pub(super) const LATEST: &str = "Connections";

/// A random mark for a new session. It is a number that every driver and JSON can hold.
pub(super) fn mark() -> u64 {
    fastrand::u64(1..1 << 53)
}

/// True in a session that has its mark, and that commits each statement.
fn is_own(mark: u64) -> String {
    format!("@@autocommit AND {MARK} = {mark}")
}

/// A value that is an error in another session.
pub(crate) fn value_in(mark: u64, value: &str) -> String {
    format!("IF({}, {value}, {OUT_OF_RANGE})", is_own(mark))
}

/// A statement that fails in another session.
pub(crate) fn check_of(mark: u64) -> String {
    format!("SELECT IF({}, 1, {OUT_OF_RANGE})", is_own(mark))
}

/// The latest session that a server had made at some moment.
#[derive(Clone, Debug)]
pub(super) struct Latest {
    /// The server process, and the schema.
    pub(super) place: String,
    pub(super) id: u64,
}

/// The session of a new connection, before it is set up.
#[derive(Clone, Debug)]
pub(super) struct NewSession {
    pub(super) place: String,
    pub(super) id: u64,
    /// True if a client of a map has used it before.
    pub(super) is_marked: bool,
}

impl NewSession {
    pub(super) async fn read(connection: &mut MySqlConnection) -> Attempt<NewSession> {
        let read = format!("SELECT CONNECTION_ID(), {HERE}, {MARK}");
        let rows = connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(read))).await?;
        let row = rows.first().ok_or(Failure::Contradicted("the server did not report its session"))?;
        let id = row.text(0)?.and_then(|id| id.parse().ok()).unwrap_or(0);
        Ok(NewSession { place: row.text(1)?.unwrap_or_default(), id, is_marked: row.text(2)?.is_some() })
    }

    /// Returns true if the session is older than its connection, which was made after the server had made `latest`.
    pub(super) fn is_older(&self, latest: Option<&Latest>) -> bool {
        self.is_marked || latest.is_some_and(|latest| self.place == latest.place && self.id <= latest.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_older_than_its_connection_or_not() {
        let latest = Latest { place: "a 3306 1 x shop".to_owned(), id: 7 };
        let of = |place: &str, id, is_marked| NewSession { place: place.to_owned(), id, is_marked };
        for (session, is_older) in [
            (of("a 3306 1 x shop", 8, false), false),
            (of("a 3306 1 x shop", 7, false), true),
            (of("a 3306 1 x shop", 3, false), true),
            (of("a 3306 1 x shop", 8, true), true),
            // Another server behind the same address.
            (of("b 3306 1 y shop", 3, false), false),
        ] {
            assert_eq!(session.is_older(Some(&latest)), is_older, "{session:?}");
        }
        assert!(!of("a 3306 1 x shop", 3, false).is_older(None));
    }
}
