//! Chooses the database software by the URL.

use crate::plan::data::Plan;
use crate::plan::options::Options;
use crate::plan::{mysql, postgres};
use idgen_database::{Error, Result};

/// Reads the catalog of a live database, read only, and plans the change of a key.
///
/// ```no_run
/// use idgen_migrate::plan::{Options, Target};
///
/// # async fn example() -> idgen_migrate::Result<()> {
/// let options = Options::new("orders", Target::Uuid);
/// let plan = idgen_migrate::plan::plan("postgres://app:secret@db/shop", &options).await?;
/// assert!(plan.tables.contains(&"orders".to_owned()));
/// plan.write("change-of-keys".as_ref())
/// # }
/// ```
///
/// # Errors
///
/// The server is not reached, the table does not exist, or something depends on the key that the plan cannot take
/// along. The message says what, and what to do.
pub async fn plan(url: &str, options: &Options) -> Result<Plan> {
    match url.split_once("://").map(|(scheme, _)| scheme) {
        Some("mysql" | "mariadb") => mysql::plan(url, options).await,
        Some("postgres" | "postgresql") if options.tool.is_some() => {
            Err(Error::new("--for names a tool for MySQL and MariaDB: plan without it on PostgreSQL"))
        }
        Some("postgres" | "postgresql") => postgres::plan(url, options).await,
        _ => Err(Error::new("the URL must begin with mysql://, mariadb:// or postgres://")),
    }
}
