//! Finds what a session of a plan waits for, and why its next file would fail.

use super::{Ledger, there};
use crate::plan::mysql::altered::{self, Side};
use crate::plan::mysql::checks;
use crate::plan::mysql::names::ending;
use crate::plan::mysql::quote::{table_with_ending, text};
use crate::plan::status::ask::ask;
use crate::plan::status::cells::{cell, texts};
use crate::plan::status::data::Status;
use idgen_database::{Database, Session};

/// Adds the reasons that block the plan, and the facts that this account may not read.
pub(super) async fn add(session: &mut Session, ledger: &Ledger<'_>, status: &mut Status) {
    if let Some(at_work) = status.session.clone() {
        for sql in locks(session.engine, &at_work) {
            ask(session, status, "the locks of the session", &sql).await;
        }
    }
    let next = status.next.clone().unwrap_or_default();
    if next.contains("-copy-") && !next.starts_with("undo/") {
        ask(session, status, "the settings of the copy", &waiting(session.engine, ledger)).await;
    }
    if next.ends_with("-rename.sql") && !next.starts_with("undo/") {
        ask(session, status, "old transactions", &older_transactions(ledger)).await;
    }
    if status.next.is_some() {
        ask(session, status, "prepared XA transactions", &prepared(session.engine, ledger, status)).await;
    }
    ask(session, status, "the definers of the triggers", &lost_definers(ledger)).await;
    altered(session, ledger, status).await;
}

/// Queries for the sessions that hold the locks that a session waits for.
fn locks(engine: Database, at_work: &str) -> Vec<String> {
    let holds = format!(
        "CONCAT('Session {at_work} waits for a lock', COALESCE(CONCAT(' on ', {{on}}), ''), ' that session ', {{id}}, ' (', {{who}}, ') holds.')"
    );
    let holds =
        |on: &str, id: &str, who: &str| holds.replace("{on}", on).replace("{id}", id).replace("{who}", who);
    if engine == Database::MySql {
        let who = "CONCAT_WS('@', t.PROCESSLIST_USER, t.PROCESSLIST_HOST)";
        return vec![
            format!(
                "SELECT DISTINCT {} FROM performance_schema.metadata_locks AS p JOIN performance_schema.threads AS w ON w.THREAD_ID = \
                 p.OWNER_THREAD_ID JOIN performance_schema.metadata_locks AS g ON g.OBJECT_TYPE = p.OBJECT_TYPE AND g.OBJECT_SCHEMA <=> \
                 p.OBJECT_SCHEMA AND g.OBJECT_NAME <=> p.OBJECT_NAME AND g.LOCK_STATUS = 'GRANTED' AND g.OWNER_THREAD_ID <> \
                 p.OWNER_THREAD_ID JOIN performance_schema.threads AS t ON t.THREAD_ID = g.OWNER_THREAD_ID \
                 WHERE p.LOCK_STATUS = 'PENDING' AND w.PROCESSLIST_ID = {at_work}",
                holds("p.OBJECT_NAME", "t.PROCESSLIST_ID", who)
            ),
            format!(
                "SELECT DISTINCT {} FROM performance_schema.data_lock_waits AS l JOIN performance_schema.threads AS w ON w.THREAD_ID = \
                 l.REQUESTING_THREAD_ID JOIN performance_schema.threads AS t ON t.THREAD_ID = l.BLOCKING_THREAD_ID \
                 WHERE w.PROCESSLIST_ID = {at_work}",
                holds("'rows'", "t.PROCESSLIST_ID", who)
            ),
        ];
    }
    let who = "CONCAT_WS('@', p.USER, p.HOST)";
    vec![
        format!(
            "SELECT DISTINCT {} FROM information_schema.INNODB_LOCK_WAITS AS l JOIN information_schema.INNODB_TRX AS r ON r.trx_id = \
             l.requesting_trx_id JOIN information_schema.INNODB_TRX AS b ON b.trx_id = l.blocking_trx_id JOIN \
             information_schema.PROCESSLIST AS p ON p.ID = b.trx_mysql_thread_id WHERE r.trx_mysql_thread_id = {at_work}",
            holds("'rows'", "p.ID", who)
        ),
        // The table of metadata locks is a plugin that few servers have.
        format!(
            "SELECT CONCAT('Session {at_work} waits for the lock of a table; session ', p.ID, ' (', {who}, ') has an open transaction.') \
             FROM information_schema.PROCESSLIST AS w JOIN information_schema.INNODB_TRX AS b JOIN information_schema.PROCESSLIST AS p \
             ON p.ID = b.trx_mysql_thread_id WHERE w.ID = {at_work} AND w.STATE LIKE 'Waiting for table metadata lock%' AND p.ID <> w.ID"
        ),
    ]
}

/// The query for prepared XA transactions whose client is gone: no session shows that they have locks. MySQL names the tables of the locks that they
/// keep. MariaDB does not, and shows transactions of its own, which last for an instant, in the same way.
fn prepared(engine: Database, ledger: &Ledger<'_>, status: &Status) -> String {
    let advice = "XA RECOVER lists it. Commit it or roll it back.";
    if engine == Database::MySql {
        let tables: Vec<_> = status.tables.iter().map(|copied| text(&copied.table)).collect();
        return format!(
            "SELECT CONCAT('A prepared XA transaction has locks of ', GROUP_CONCAT(DISTINCT m.OBJECT_NAME ORDER BY m.OBJECT_NAME SEPARATOR ', '), \
             ', for which the plan waits: {advice}') FROM performance_schema.metadata_locks AS m LEFT JOIN performance_schema.threads AS t ON \
             t.THREAD_ID = m.OWNER_THREAD_ID WHERE m.OBJECT_TYPE = 'TABLE' AND m.LOCK_STATUS = 'GRANTED' AND t.PROCESSLIST_ID IS NULL AND \
             m.OBJECT_SCHEMA = {} AND m.OBJECT_NAME IN ({}) HAVING COUNT(*) > 0",
            text(ledger.schema),
            tables.join(", ")
        );
    }
    format!(
        "SELECT CONCAT('A transaction since ', x.trx_started, ' has no session: it was prepared with XA, and may have rows for which the plan \
         waits. {advice}') FROM information_schema.INNODB_TRX AS x WHERE {}",
        checks::is_prepared("UTC_TIMESTAMP()")
    )
}

/// The query for the reasons why the copy waits, which it checks itself before each chunk.
fn waiting(engine: Database, ledger: &Ledger<'_>) -> String {
    let control = ledger.own("control");
    let status = match engine {
        Database::MySql => "performance_schema.global_status",
        _ => "information_schema.GLOBAL_STATUS",
    };
    let threads = format!(
        "(SELECT CAST(VARIABLE_VALUE AS UNSIGNED) FROM {status} WHERE VARIABLE_NAME = 'Threads_running')"
    );
    let update = text(&format!("UPDATE {control} SET paused = 0"));
    format!(
        "SELECT CONCAT('The copy is paused: ', {update}, ' continues it.') FROM {control} WHERE paused <> 0 UNION ALL \
         SELECT CONCAT('The copy waits while more than ', max_threads_running, ' threads run; now ', {threads}, '.') FROM {control} \
         WHERE {threads} > max_threads_running UNION ALL \
         SELECT CONCAT('The copy waits for a replica that is more than ', max_replica_lag, ' seconds behind, or for watch-replicas.sh, which no \
         longer runs.') FROM {control} WHERE watched IS NOT NULL AND (replica_lag IS NULL OR replica_lag > \
         max_replica_lag OR watched < UTC_TIMESTAMP(6) - INTERVAL 10 SECOND)"
    )
}

/// The transactions because of which the renaming is refused.
fn older_transactions(ledger: &Ledger<'_>) -> String {
    format!(
        "SELECT CONCAT('Session ', x.trx_mysql_thread_id, COALESCE(CONCAT(' (', p.USER, '@', p.HOST, ')'), ''), ' has a transaction since ', \
         x.trx_started, ', before the copy ended: the renaming is refused until it ends.') FROM information_schema.INNODB_TRX AS x \
         LEFT JOIN information_schema.PROCESSLIST AS p ON p.ID = x.trx_mysql_thread_id WHERE x.trx_mysql_thread_id NOT IN \
         (0, CONNECTION_ID()) AND {} <= (SELECT MAX(s.ended) FROM {} AS s WHERE s.step LIKE 'copy-%')",
        checks::earliest("x.trx_started"),
        ledger.own("steps")
    )
}

/// Each write of a table fails if the account is gone that made its triggers.
fn lost_definers(ledger: &Ledger<'_>) -> String {
    format!(
        "SELECT CONCAT('The triggers on ', GROUP_CONCAT(DISTINCT t.EVENT_OBJECT_TABLE ORDER BY t.EVENT_OBJECT_TABLE SEPARATOR ', '), \
         ' are those of the account ', t.DEFINER, ', which is gone: each write of these tables fails with error 1449. Create the account \
         again.') FROM information_schema.TRIGGERS AS t WHERE t.TRIGGER_SCHEMA = {} AND t.TRIGGER_NAME LIKE '%|_{}|_%' ESCAPE '|' AND NOT \
         EXISTS (SELECT 1 FROM mysql.user AS u WHERE CAST(CONCAT(u.User, '@', u.Host) AS BINARY) = CAST(t.DEFINER AS BINARY)) GROUP BY \
         t.DEFINER",
        text(ledger.schema),
        ledger.id
    )
}

/// Tables that were altered since the plan recorded them, with the lines of their definitions that the plan's other tables do not have.
async fn altered(session: &mut Session, ledger: &Ledger<'_>, status: &mut Status) {
    let is_mysql = session.engine == Database::MySql;
    let tables = status.tables.iter().map(|copied| (copied.table.as_str(), copied.table.as_str()));
    let now = altered::now(is_mysql, &text(ledger.schema), tables);
    let sql = format!(
        "SELECT f.table_name, f.side FROM {} AS f JOIN {} AS p ON f.side = IF(p.renamed = 0, '{}', '{}') AND p.renamed < 2 JOIN ({}) AS n \
         ON n.table_name = f.table_name WHERE NOT (f.seen <=> n.seen)",
        ledger.own("altered"),
        ledger.own("phase"),
        Side::Old.name(),
        Side::New.name(),
        now
    );
    let what = "the tables that were altered";
    // Before `new-tables` there are no such tables.
    let rows = match there(session.rows(what, &sql, &[]).await) {
        Ok(rows) => texts(&rows.unwrap_or_default()),
        Err(error) => return status.unread.push(format!("Not read: {what}: {error}.")),
    };
    for row in rows {
        let (table, side) = (cell(&row, 0), cell(&row, 1));
        let other = if side == Side::Old.name() { "new" } else { "old" };
        let other = table_with_ending(&table, &ending(ledger.id, other));
        let [here, elsewhere] =
            [definition(session, ledger, &table).await, definition(session, ledger, &other).await];
        let only: Vec<_> = here.iter().filter(|line| !elsewhere.contains(line)).map(String::as_str).collect();
        status.blocked.push(format!(
            "{table} was altered since the plan recorded it, so the renaming or its way back is refused. Lines of SHOW CREATE TABLE that \
             {other} does not have, those of the keys among them: {}. See README.md of the plan.",
            only.join("; ")
        ));
    }
}

/// The lines of a definition without the first one; none if the table is not there.
async fn definition(session: &mut Session, ledger: &Ledger<'_>, table: &str) -> Vec<String> {
    let sql = format!("SHOW CREATE TABLE {}", ledger.table(table));
    let rows = session.rows("the definition of a table", &sql, &[]).await.unwrap_or_default();
    let shown = texts(&rows).first().map(|row| cell(row, 1)).unwrap_or_default();
    shown.lines().skip(1).map(|line| line.trim().trim_end_matches(',').to_owned()).collect()
}
