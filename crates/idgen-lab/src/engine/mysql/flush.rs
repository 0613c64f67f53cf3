//! Has the server write all pages that were changed.

use std::time::{Duration, Instant};

use sqlx::mysql::MySqlConnection;
use sqlx::{Executor, Row};

use super::{Host, doing, run};
use crate::{Error, Result};

const DIRTY: &str = "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'";
/// How often the server is asked how many are left.
const STEP: Duration = Duration::from_millis(50);
/// A pool of 1 GiB at 500 pages a second takes a little more than two minutes.
const LIMIT: Duration = Duration::from_secs(600);
/// What the page cleaner may write in a second meanwhile.
const FAST: &str = "100000";

/// Writes all changed pages, with the limits of the page cleaner out of the way, and waits for the last of them. The
/// settings are afterwards as they were.
///
/// Source: MySQL Reference Manual, Configuring Buffer Pool Flushing.
pub async fn all(connection: &mut MySqlConnection, host: &Host) -> Result<()> {
    // A capacity may not be above its maximum: that rises first, and falls last.
    let settings = [
        ("innodb_io_capacity_max", FAST),
        ("innodb_io_capacity", FAST),
        ("innodb_max_dirty_pages_pct_lwm", "0"),
        ("innodb_max_dirty_pages_pct", "0"),
    ];
    for (name, value) in settings {
        run(connection, &format!("SET GLOBAL {name} = {value}")).await?;
    }
    until_clean(connection).await?;
    for (name, _) in settings.iter().rev() {
        if let Some(value) = host.settings.get(*name) {
            run(connection, &format!("SET GLOBAL {name} = {value}")).await?;
        }
    }
    Ok(())
}

async fn until_clean(connection: &mut MySqlConnection) -> Result<()> {
    let failed = doing("ask how many pages are still to be written");
    let began = Instant::now();
    loop {
        let row = connection.fetch_one(DIRTY).await.map_err(&failed)?;
        let left: String = row.try_get_unchecked(1).map_err(&failed)?;
        if left == "0" {
            return Ok(());
        }
        if began.elapsed() > LIMIT {
            let waited = LIMIT.as_secs();
            return Err(Error::engine(
                "the server does not write its changed pages",
                format!("{left} are left after {waited} s"),
            ));
        }
        tokio::time::sleep(STEP).await;
    }
}
