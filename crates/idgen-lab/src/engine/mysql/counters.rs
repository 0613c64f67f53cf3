//! Reads what the server counts.
//!
//! The counts come from `SHOW GLOBAL STATUS` if both servers use the same name, from `INNODB_METRICS` for the page
//! splits, and from the Performance Schema for reads and writes of single files. Source: MySQL Reference Manual,
//! sections Server Status Variables, InnoDB INFORMATION_SCHEMA Metrics Table, and File I/O Summary Tables.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::status::{Status, number};
use super::{Host, doing, myrocks};
use crate::Result;
use crate::engine::{Counters, FilePages};

const STATUS: &str = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_pages_read', 'Innodb_pages_written', \
     'Innodb_pages_created', 'Innodb_buffer_pool_read_requests', 'Innodb_buffer_pool_reads', \
     'Innodb_os_log_written', 'Innodb_dblwr_pages_written')";

const SPLITS: &str =
    "SELECT CAST(COUNT AS CHAR) FROM information_schema.INNODB_METRICS WHERE NAME = 'index_page_splits'";

/// Bytes read from and written to the files of this schema, and bytes written to the binary log. Bytes are used and not
/// calls, because one call may read or write one page of a table or several.
const FILES: &str = "SELECT CAST(COALESCE(SUM(IF(FILE_NAME LIKE '%/{schema}/%.ibd', SUM_NUMBER_OF_BYTES_READ, 0)), 0) AS CHAR), \
     CAST(COALESCE(SUM(IF(FILE_NAME LIKE '%/{schema}/%.ibd', SUM_NUMBER_OF_BYTES_WRITE, 0)), 0) AS CHAR), \
     CAST(COALESCE(SUM(IF(EVENT_NAME = 'wait/io/file/sql/binlog', SUM_NUMBER_OF_BYTES_WRITE, 0)), 0) AS CHAR) \
     FROM performance_schema.file_summary_by_instance";

/// The page size of a server that the lab started, in bytes.
const PAGE_BYTES: u64 = 16_384;

/// The counts since the server was started. Counts that cannot be read are absent.
pub async fn read(connection: &mut MySqlConnection, host: &Host) -> Result<Counters> {
    if host.reach.is_myrocks {
        return myrocks::counters(connection).await;
    }
    let failed = doing("read the server's counters");
    let status = Status::read(connection, STATUS).await?;
    let get = |wanted: &str| status.get(wanted);
    let page_splits = match host.reach.splits {
        true => {
            let row = connection.fetch_one(SPLITS).await.map_err(&failed)?;
            let splits: String = row.try_get_unchecked(0).map_err(&failed)?;
            Some(number(&splits)?)
        }
        false => None,
    };
    let requests = get("Innodb_buffer_pool_read_requests")?;
    let disk_reads = get("Innodb_buffer_pool_reads")?;
    let (table_pages, binlog_bytes) = match host.reach.file_counts {
        true => {
            // The lab chose the name of the schema: letters, digits and underscores. As a pattern of LIKE, an
            // underscore matches any character; that does no harm here.
            let sql = AssertSqlSafe(FILES.replace("{schema}", host.scratch.name()));
            let row = connection.fetch_one(sql).await.map_err(&failed)?;
            let mut bytes = [0; 3];
            for (column, bytes) in bytes.iter_mut().enumerate() {
                let text: String = row.try_get_unchecked(column).map_err(&failed)?;
                *bytes = number(&text)?;
            }
            let [read, written, binlog] = bytes;
            (Some(FilePages { read: read / PAGE_BYTES, written: written / PAGE_BYTES }), Some(binlog))
        }
        false => (None, None),
    };
    Ok(Counters {
        pages_read: get("Innodb_pages_read")?,
        disk_reads: Some(disk_reads),
        pages_written: Some(get("Innodb_pages_written")?),
        pages_created: Some(get("Innodb_pages_created")?),
        page_splits,
        redo_bytes: Some(get("Innodb_os_log_written")?),
        cache_hits: Some(requests.saturating_sub(disk_reads)),
        pages_doublewritten: Some(get("Innodb_dblwr_pages_written")?),
        binlog_bytes,
        table_pages,
        ..Counters::default()
    })
}
