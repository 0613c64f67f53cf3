//! Changes the settings of a copy, also while it runs.

use crate::plan::data::Engine;
use crate::plan::status::Status;
use crate::plan::{mysql, postgres};
use idgen_database::Result;

/// Changes a setting of the copies of a plan. A copy that runs reads it before its next chunk.
///
/// | MySQL, MariaDB | PostgreSQL | meaning |
/// |---|---|---|
/// | `paused` | `paused` | the copy waits while it is 1 |
/// | `max_threads_running` | `max_active` | the copy waits while more threads run, or more sessions are active |
/// | `abort_threads_running` | `abort_active` | above this the copy ends with an error; `none` is the default |
/// | `chunk_milliseconds` | `chunk_blocks` | the time that a chunk should take, or its blocks |
/// | `max_replica_lag` | `max_lag` | the copy waits while a replica is further behind: seconds, or an interval |
/// | | `pause` | the time between two chunks, an interval |
///
/// ```no_run
/// # async fn example(url: &str) -> idgen_migrate::Result<()> {
/// let mut reader = idgen_migrate::plan::status::Reader::open(url).await?;
/// for plan in reader.read().await? {
///     idgen_migrate::plan::run::set(url, &plan, "paused", "1").await?;
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// No setting has this name, the value does not fit it, or the server is not reached or refuses the change.
pub async fn set(url: &str, plan: &Status, name: &str, value: &str) -> Result<()> {
    match plan.engine {
        Engine::Postgres => postgres::pace::set(url, plan, name, value).await,
        Engine::MySql | Engine::MariaDb => mysql::pace::set(url, plan, name, value).await,
    }
}
