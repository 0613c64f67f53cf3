//! The meaning of a server's error numbers.
//!
//! Sources: MySQL reference manual, "Server Error Message Reference"; MariaDB, "Error Codes".

use sqlx::mysql::MySqlDatabaseError;

/// The effect of a failed attempt, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The server undid it. It can be repeated with the same ids.
    Undone,
    /// It may have taken effect. It can be repeated, but its ids must not be used for other UUIDs.
    Unknown,
    /// It would fail again.
    Final,
}

/// A transaction in which Vitess itself carried out a statement failed on a shard; from then on it refuses all
/// statements on that connection until it is rolled back.
const FAILED: &str = "VT15001";
pub(super) const BLOCKED: &str = "VT09032";

pub(super) fn judge(error: &sqlx::Error) -> Verdict {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => Verdict::Unknown,
        // Not even attempted.
        _ if said(error).contains(BLOCKED) => Verdict::Undone,
        _ if said(error).contains(FAILED) || is_lost_shard(error) => Verdict::Unknown,
        _ => number(error).map_or(Verdict::Final, |number| judge_said(number, said(error))),
    }
}

/// The numbers that are not listed are final: a missing privilege (1044, 1142, 1143), table (1146), trigger's error (1442,
/// 1644) or constraint (1364, 3819, 4025), a full table or disk (1030, 1114), a transaction that the session begins as
/// read-only (1792).
pub(super) fn judge_said(number: u16, said: &str) -> Verdict {
    match number {
        // Deadlock, also a lost certification on Galera; lock wait timeout; certification lost on
        // Group Replication (3101); no member of the cluster (1047); a row that is newer than the
        // transaction's snapshot (1020, MariaDB's innodb_snapshot_isolation).
        1213 | 1205 | 1020 | 3101 | 1047 => Verdict::Undone,
        // The table was altered since the statement was prepared, or since the transaction began; too many transactions.
        1615 | 1412 | 1637 => Verdict::Undone,
        // Too many connections, of all or of this user, or no thread for one; the server is starting up or
        // shutting down and refuses the connection. Limits of an hour have the same number.
        1226 if said.contains("max_user_connections") => Verdict::Undone,
        1040 | 1203 | 1135 | 1053 | 3169 => Verdict::Undone,
        // Read only, for a failover: --read-only, --super-read-only. Other options have the same number.
        1290 if names_read_only(said) => Verdict::Undone,
        1836 => Verdict::Undone,
        // Interrupted, killed, lost, or the group lost its majority (3100). This may have been during the commit, for
        // all we know. Group Replication ends a transaction that conflicts with one of another member, and a return to
        // a savepoint then fails (1181).
        3100 | 1317 | 1152 | 1158..=1161 | 1180 | 1181 | 1927 | 2006 | 2013 | 4031 => Verdict::Unknown,
        _ => Verdict::Final,
    }
}

/// Deadlocks and failed certifications do not count, because they occur on every node.
pub(super) fn is_of_this_node(number: u16, said: &str) -> bool {
    match number {
        1290 => names_read_only(said),
        1040 | 1047 | 1053 | 1317 | 1792 | 1836 | 1927 | 2006 | 2013 | 3100 | 3169 | 4031 => true,
        _ => false,
    }
}

/// Returns true if error 1290, "the server is running with the option ...", names an option that a failover changes.
/// The name of the option is the same in every language.
pub(super) fn names_read_only(said: &str) -> bool {
    said.contains("read-only") || said.contains("read_only")
}

/// Returns advice about an error whose message contains none, in parentheses; empty for all other errors.
pub(super) fn advice(number: Option<u16>) -> &'static str {
    match number {
        Some(1792) => {
            " (the session begins transactions as read-only: set transaction_read_only, on MariaDB tx_read_only, to OFF, \
             or begin a transaction that may write)"
        }
        Some(1020) => {
            " (a row is newer than the snapshot of this transaction: roll it back and repeat it, or set \
             innodb_snapshot_isolation to OFF)"
        }
        Some(1044 | 1142 | 1143) => {
            " (docs/mapping.md lists the privileges that a user of the map needs; with read_only, SELECT is enough. docs/sync.md \
             lists those for a sync and for leases)"
        }
        Some(1568) => {
            " (the session is in a transaction that this client did not begin: a pooler gives it to other clients, too; connect \
             to the server itself)"
        }
        Some(1399) => " (the session is in an XA transaction, which a ROLLBACK does not end)",
        _ => "",
    }
}

/// Returns true if the connection is lost, or if an answer is still outstanding on it.
pub(crate) fn is_of_connection(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed)
        || said(error).contains(FAILED)
}

pub(super) fn said(error: &sqlx::Error) -> &str {
    error.as_database_error().map_or("", |error| error.message())
}

/// True where Vitess cannot reach a shard, which may have done the work before it failed: the numbers are the
/// general ones, the words name the tablet.
fn is_lost_shard(error: &sqlx::Error) -> bool {
    matches!(number(error), Some(1105 | 1815 | 3168 | 1203 | 2002 | 2003)) && said(error).contains("tablet")
}

pub(crate) fn number(error: &sqlx::Error) -> Option<u16> {
    Some(error.as_database_error()?.try_downcast_ref::<MySqlDatabaseError>()?.number())
}
