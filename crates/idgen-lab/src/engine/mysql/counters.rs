//! What the server counts.
//!
//! From `SHOW GLOBAL STATUS` where both servers have it under one name, and from `INNODB_METRICS` for the
//! page splits. Source: MySQL Reference Manual, sections Server Status Variables and InnoDB
//! INFORMATION_SCHEMA Metrics Table.

use sqlx::mysql::MySqlConnection;
use sqlx::{Executor, Row};

use super::doing;
use crate::engine::Counters;
use crate::{Error, Result};

const STATUS: &str = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_pages_read', 'Innodb_pages_written', \
     'Innodb_pages_created', 'Innodb_buffer_pool_read_requests', 'Innodb_buffer_pool_reads', \
     'Innodb_os_log_written')";

const SPLITS: &str =
    "SELECT CAST(COUNT AS CHAR) FROM information_schema.INNODB_METRICS WHERE NAME = 'index_page_splits'";

/// The counts since the server was started; page splits where they are within reach.
pub async fn read(connection: &mut MySqlConnection, splits: bool) -> Result<Counters> {
    let failed = doing("read the server's counters");
    let rows = connection.fetch_all(STATUS).await.map_err(&failed)?;
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        let name: String = row.try_get_unchecked(0).map_err(&failed)?;
        let value: String = row.try_get_unchecked(1).map_err(&failed)?;
        found.push((name, number(&value)?));
    }
    let get = |wanted: &str| {
        found.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| *value).ok_or_else(
            || Error::engine("the server's counters are incomplete", format!("no status variable {wanted}")),
        )
    };
    let page_splits = match splits {
        true => {
            let row = connection.fetch_one(SPLITS).await.map_err(&failed)?;
            let splits: String = row.try_get_unchecked(0).map_err(&failed)?;
            Some(number(&splits)?)
        }
        false => None,
    };
    let requests = get("Innodb_buffer_pool_read_requests")?;
    let disk_reads = get("Innodb_buffer_pool_reads")?;
    Ok(Counters {
        pages_read: get("Innodb_pages_read")?,
        disk_reads: Some(disk_reads),
        pages_written: get("Innodb_pages_written")?,
        pages_spilled: None,
        pages_created: Some(get("Innodb_pages_created")?),
        page_splits,
        redo_bytes: Some(get("Innodb_os_log_written")?),
        page_images: None,
        serialization_failures: None,
        cache_hits: Some(requests.saturating_sub(disk_reads)),
    })
}

fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|error| Error::engine(format!("the server counts \"{text}\", not a number"), error))
}
