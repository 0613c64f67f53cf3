//! Transactions of others that the renaming must not overtake.

use crate::plan::data::Engine;
use crate::plan::mysql::check::{Check, check};
use crate::plan::mysql::quote::name;

/// A snapshot that is older than the end of the copy would find the new tables empty.
///
/// `INNODB_TRX` of MySQL has the statements of sessions as text, and fails while one of them has other bytes, whichever
/// column is read. Then the performance schema is queried instead, which does not know whether a transaction has read
/// anything yet.
///
/// The server makes the list `INNODB_TRX` anew only if nobody has read it for 0.1 s, so where others read it all the time it is as old as they
/// please, and says nothing of transactions that began since. A list with a transaction of this session from after the copy is not that old.
pub(in crate::plan::mysql) fn no_older_transaction(engine: Engine, steps: &str, last_copy: usize) -> Check {
    let began = "SYSDATE(6) - INTERVAL e.TIMER_WAIT DIV 1000000 MICROSECOND";
    let instead = format!(
        "SELECT t.PROCESSLIST_ID AS session, {began} AS began FROM performance_schema.events_transactions_current AS e \
         JOIN performance_schema.threads AS t ON t.THREAD_ID = e.THREAD_ID WHERE e.STATE = 'ACTIVE' AND t.PROCESSLIST_ID <> CONNECTION_ID() \
         AND {began} <= (SELECT ended FROM {0} WHERE place = {last_copy}) UNION ALL \
         SELECT NULL, 'unknown: the performance schema does not record transactions' FROM performance_schema.setup_consumers \
         WHERE NAME IN ('events_transactions_current', 'thread_instrumentation', 'global_instrumentation') AND ENABLED <> 'YES' UNION ALL \
         SELECT NULL, 'unknown: the performance schema does not record transactions' FROM performance_schema.setup_instruments \
         WHERE NAME = 'transaction' AND (ENABLED <> 'YES' OR TIMED <> 'YES')",
        name(steps)
    );
    let ended = format!(
        "(SELECT CONVERT_TZ(ended, '+00:00', 'SYSTEM') FROM {} WHERE place = {last_copy})",
        name(steps)
    );
    let found = check(
        "A transaction that reads the state of before the end of the copy would find the new tables without rows, and a dump would be empty.",
        format!(
            "SELECT x.trx_mysql_thread_id AS session, x.trx_started AS began FROM information_schema.INNODB_TRX AS x \
             WHERE x.trx_mysql_thread_id <> CONNECTION_ID() AND x.trx_mysql_thread_id <> 0 AND x.trx_started <= {ended}"
        ),
        "the transactions of the sessions above began before the copy ended, and would read empty tables: end them first",
    );
    Check { instead: (engine == Engine::MySql).then_some(instead), list_after: Some(ended), ..found }
}

/// A transaction of a replica is no transaction of this server, which knows of it only if somebody watches the replicas.
pub(in crate::plan::mysql) fn no_older_transaction_of_replicas(control: &str) -> Check {
    check(
        "A transaction on a replica that reads the state of before the end of the copy would find the new tables without rows.",
        format!(
            "SELECT c.replica_snapshot AS oldest_transaction_of_replicas, c.copy_arrived AS rows_there_since FROM {} AS c \
             WHERE c.watched > UTC_TIMESTAMP(6) - INTERVAL 5 MINUTE AND NOT COALESCE(c.replica_snapshot > c.copy_arrived, FALSE)",
            name(control)
        ),
        "watch-replicas.sh sees a transaction on a replica that is older than the copy, or cannot: see INNODB_TRX there, and end it",
    )
}

/// MariaDB does not keep the metadata locks of a prepared XA transaction whose client is gone, so nothing waits for it. Those of before the triggers
/// are done since the triggers were made; this looks for them once more, for the case that the list of the server was not complete then.
///
/// Transactions of the server itself have no session either, and last for an instant. MySQL keeps the locks.
pub(in crate::plan::mysql) fn no_prepared_transaction(engine: Engine) -> Option<Check> {
    (engine == Engine::MariaDb).then(|| {
        check(
            "A prepared XA transaction without a session must be ended: its locks do not stop the renaming, and it may be older than the triggers.",
            "SELECT x.trx_id AS prepared_transaction, x.trx_started AS began FROM information_schema.INNODB_TRX AS x \
             WHERE x.trx_mysql_thread_id = 0 AND x.trx_started < CONVERT_TZ(UTC_TIMESTAMP() - INTERVAL 2 SECOND, '+00:00', 'SYSTEM')",
            "prepared XA transactions: XA COMMIT or XA ROLLBACK what XA RECOVER lists, then execute the file again",
        )
    })
}
