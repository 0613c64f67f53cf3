//! Transactions of others that the renaming must not overtake.

use crate::plan::data::Engine;
use crate::plan::mysql::check::{Check, check};
use crate::plan::mysql::quote::name;

/// The earliest time in UTC that a local time of the server can mean. `INNODB_TRX` has local times, which are repeated for an hour at the end of
/// daylight saving time. The offset of three hours before is the larger one there, and gives the earlier of the two times.
pub(in crate::plan::mysql) fn earliest(local: &str) -> String {
    format!(
        "LEAST(CONVERT_TZ({local}, 'SYSTEM', '+00:00'), CONVERT_TZ({local} - INTERVAL 3 HOUR, 'SYSTEM', '+00:00') + INTERVAL 3 HOUR)"
    )
}

/// The condition of transactions `x` of `INNODB_TRX` without a session, unless they began within the two seconds until `now`, as those of the
/// server itself do. At the end of daylight saving time, a local time may be later than now.
pub(in crate::plan::mysql) fn is_prepared(now: &str) -> String {
    format!(
        "x.trx_mysql_thread_id = 0 AND x.trx_started NOT BETWEEN CONVERT_TZ(UTC_TIMESTAMP() - INTERVAL 2 SECOND, '+00:00', 'SYSTEM') \
         AND CONVERT_TZ({now}, '+00:00', 'SYSTEM')"
    )
}

/// A snapshot that is older than the end of the copy would find the new tables empty.
///
/// `INNODB_TRX` of MySQL has the statements of sessions as text, and fails while one of them has other bytes, whichever
/// column is read. If it fails for ten seconds, the performance schema is queried instead. It knows only of transactions that it was set to
/// record when they began, so each session must have begun one after the copy: that it is not recorded may mean anything. `threads` is empty where the schema is off,
/// and lacks sessions for which it had no memory.
pub(in crate::plan::mysql) fn no_older_transaction(engine: Engine, steps: &str, last_copy: usize) -> Check {
    let ended = format!("(SELECT ended FROM {} WHERE place = {last_copy})", name(steps));
    let now = "(SELECT MAX(s.TIMER_END) FROM performance_schema.events_statements_current AS s WHERE s.THREAD_ID = PS_CURRENT_THREAD_ID())";
    let began = format!(
        "SYSDATE(6) - INTERVAL (CAST({now} AS SIGNED) - CAST(e.TIMER_START AS SIGNED)) DIV 1000000 MICROSECOND"
    );
    let instead = format!(
        "SELECT t.PROCESSLIST_ID AS session, COALESCE({began}, 'unknown') AS began FROM performance_schema.threads AS t \
         LEFT JOIN performance_schema.events_transactions_current AS e ON e.THREAD_ID = t.THREAD_ID \
         WHERE t.TYPE = 'FOREGROUND' AND t.PROCESSLIST_ID <> CONNECTION_ID() AND t.PROCESSLIST_COMMAND NOT IN ('Daemon', 'Binlog Dump', 'Binlog Dump GTID') \
         AND NOT COALESCE({began} > {ended} + INTERVAL 1 SECOND, FALSE) UNION ALL \
         SELECT NULL, 'unknown: the performance schema does not show all sessions' FROM DUAL \
         WHERE NOT EXISTS (SELECT 1 FROM performance_schema.threads WHERE PROCESSLIST_ID = CONNECTION_ID()) \
         OR NOT EXISTS (SELECT 1 FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Performance_schema_thread_instances_lost' AND VARIABLE_VALUE = '0')"
    );
    let found = check(
        "A transaction that reads the state of before the end of the copy would find the new tables without rows, and a dump would be empty.",
        format!(
            "SELECT x.trx_mysql_thread_id AS session, x.trx_started AS began FROM information_schema.INNODB_TRX AS x \
             WHERE x.trx_mysql_thread_id <> CONNECTION_ID() AND x.trx_mysql_thread_id <> 0 AND NOT COALESCE({} > {ended}, FALSE)",
            earliest("x.trx_started")
        ),
        "the transactions of the sessions above began before the copy ended, and would read empty tables: end them first",
    );
    Check { instead: (engine == Engine::MySql).then_some(instead), new_list: true, ..found }
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
            format!(
                "SELECT x.trx_id AS prepared_transaction, x.trx_started AS began FROM information_schema.INNODB_TRX AS x WHERE {}",
                is_prepared("SYSDATE()")
            ),
            "prepared XA transactions: XA COMMIT or XA ROLLBACK what XA RECOVER lists, then execute the file again",
        )
    })
}
