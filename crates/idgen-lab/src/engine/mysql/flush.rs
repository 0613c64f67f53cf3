//! Makes the server write all changed pages.

use std::time::{Duration, Instant};

use sqlx::mysql::MySqlConnection;
use sqlx::{Executor, Row};

use super::{Host, doing, run};
use crate::{Error, Result};

const DIRTY: &str = "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'";
/// The time between two questions to the server about the changed pages that are left.
const STEP: Duration = Duration::from_millis(50);
/// The deadline for writing all changed pages. At 500 pages per second, a pool of 1 GiB takes a little more
/// than two minutes.
const LIMIT: Duration = Duration::from_secs(600);
/// The pages that the page cleaner may write per second meanwhile.
const FAST: &str = "100000";

/// Writes all changed pages as fast as the server can, and waits for the last of them. The settings are restored
/// afterwards.
///
/// Source: MySQL Reference Manual, Configuring Buffer Pool Flushing.
pub async fn all(connection: &mut MySqlConnection, host: &Host) -> Result<()> {
    // A capacity must not exceed its maximum, so the maximum rises first and falls last.
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
