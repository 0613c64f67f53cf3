//! Reads what the server counts.
//!
//! A session adds its own counts to the server's statistics when it is idle, and at most once per second. Each writer
//! is therefore asked to do so before another session reads them. Sources: PostgreSQL manual, sections pg_stat_io,
//! pg_stat_wal, pg_walinspect and "Viewing Statistics".

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::reach::Reach;
use super::writer::Writer;
use super::{doing, run};
use crate::Result;
use crate::engine::Counters;

/// The position up to which the log was read, and the page splits found in it so far.
pub struct Log {
    from: String,
    /// `None` once a part of the log was removed before it was read.
    splits: Option<u64>,
}

impl Log {
    /// Starts at the current end of the log.
    pub async fn now(connection: &mut PgConnection, reach: &Reach) -> Result<Self> {
        let from = if reach.log { position(connection).await? } else { String::new() };
        Ok(Log { from, splits: reach.log.then_some(0) })
    }

    /// Counts the page splits that were logged since the last call.
    async fn read(&mut self, connection: &mut PgConnection) -> Result<Option<u64>> {
        let Some(before) = self.splits else { return Ok(None) };
        let to = position(connection).await?;
        if to != self.from {
            let sql = format!(
                "SELECT coalesce(sum(count), 0)::int8 FROM pg_get_wal_stats('{}', '{to}', true) \
                 WHERE \"resource_manager/record_type\" IN ('Btree/SPLIT_L', 'Btree/SPLIT_R')",
                self.from
            );
            // A server that the lab did not start may have removed that part of its log.
            let found = connection.fetch_one(AssertSqlSafe(sql)).await.ok();
            let found = found.and_then(|row| row.try_get::<i64, _>(0).ok());
            self.splits = found.and_then(|count| Some(before + u64::try_from(count).ok()?));
        }
        self.from = to;
        Ok(self.splits)
    }
}

/// The end of the last record, which is on disk with everything before it.
///
/// The end of the log on disk is no such position: the server may have written a part of a record. So the end
/// of the last record is asked for, and a commit after it waits until the log up to there is on disk. A
/// commit waits only if its transaction has written to the log, which a message does (PostgreSQL manual,
/// "Asynchronous Commit", "Generic WAL Functions"); a transaction that has asked for no more than its number
/// ends before its own record is on disk.
async fn position(connection: &mut PgConnection) -> Result<String> {
    let failed = doing("ask for the position in the log");
    let row = connection.fetch_one("SELECT pg_current_wal_insert_lsn()::text").await.map_err(&failed)?;
    run(connection, "SELECT pg_logical_emit_message(true, 'idgen', '')").await?;
    row.try_get(0).map_err(&failed)
}

/// The counts since the server was started; page splits since the lab began to read the log.
pub async fn read(
    connection: &mut PgConnection,
    reach: &Reach,
    log: &mut Log,
    writers: &mut [Writer],
) -> Result<Counters> {
    report_counts(connection, reach, writers).await?;
    let failed = doing("read the server's counters");
    let row = connection.fetch_one(AssertSqlSafe(statement(reach))).await.map_err(&failed)?;
    let at = |column: usize| -> Result<u64> {
        let count = row.try_get::<Option<i64>, _>(column).map_err(&failed)?;
        Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
    };
    Ok(Counters {
        pages_read: at(0)?,
        disk_reads: Some(at(3)?),
        pages_written: if reach.counts_io() { Some(at(1)?) } else { None },
        pages_created: Some(at(2)?),
        page_splits: log.read(connection).await?,
        redo_bytes: Some(at(6)?),
        page_images: Some(at(5)?),
        cache_hits: Some(at(4)?),
        ..Counters::default()
    })
}

/// Makes the sessions report what they did, the session that reads, too.
async fn report_counts(connection: &mut PgConnection, reach: &Reach, writers: &mut [Writer]) -> Result<()> {
    /// Longer than a session waits until it reports again, and than what is read may be old.
    const LATE: &str = "SELECT pg_sleep(0.6)";
    const REPORT: &str = "SELECT pg_stat_force_next_flush()";
    if reach.flushes_statistics() {
        for writer in writers {
            run(writer.connection(), REPORT).await?;
        }
        return run(connection, REPORT).await;
    }
    run(connection, LATE).await?;
    for writer in writers {
        run(writer.connection(), "SELECT 1").await?;
    }
    run(connection, LATE).await
}

/// The query for pages read, written and extended, requests that read, requests that found their page, full-page images and
/// the position of the log.
fn statement(reach: &Reach) -> String {
    let page = reach.page_bytes;
    let log = "(SELECT wal_fpi FROM pg_stat_wal)::int8, (pg_current_wal_insert_lsn() - '0/0')::int8";
    if !reach.counts_io() {
        // A page by which a table grows is counted as read there, so the size of the lab's tables is subtracted.
        return format!(
            "WITH grown AS (SELECT coalesce(sum(pg_relation_size(oid) / {page}), 0) AS pages FROM pg_class WHERE oid >= \
             16384 AND relkind IN ('r', 'i', 't')) SELECT (blks_read - pages)::int8, NULL::int8, pages::int8, \
             (blks_read - pages)::int8, blks_hit, {log} FROM pg_stat_database, grown WHERE datname = current_database()"
        );
    }
    let pages = match reach.has_large_io() {
        true => format!(
            "(sum(read_bytes) / {page})::int8, (sum(write_bytes) / {page})::int8, (sum(extend_bytes) / {page})::int8"
        ),
        false => "sum(reads)::int8, sum(writes)::int8, sum(extends)::int8".to_owned(),
    };
    format!(
        "SELECT {pages}, sum(reads)::int8, sum(hits)::int8, {log} FROM pg_stat_io WHERE object = 'relation' AND \
         backend_type IN ('client backend', 'background writer', 'checkpointer')"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_is_asked_for_what_it_counts() {
        let asked = |version| statement(&Reach { version, page_bytes: 8_192, ..Reach::default() });
        for version in [14_00_23, 15_00_18] {
            let sql = asked(version);
            assert!(
                !sql.contains("pg_stat_io") && sql.contains("blks_read") && sql.contains("/ 8192"),
                "{sql}"
            );
        }
        for (version, counts) in
            [(16_00_14, "sum(writes)"), (17_00_10, "sum(writes)"), (18_00_04, "sum(write_bytes)")]
        {
            let sql = asked(version);
            assert!(sql.contains("FROM pg_stat_io") && sql.contains(counts), "{sql}");
        }
        for version in [14_00_23, 15_00_18, 16_00_14, 18_00_04] {
            assert!(asked(version).contains("pg_stat_wal"));
        }
    }
}
