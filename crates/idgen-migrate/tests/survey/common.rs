//! Functions that several tests of the survey share.

use idgen_migrate::survey::{Options, Survey, TableReport, survey};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection};

/// Executes statements in a session of their own.
pub async fn execute(url: &str, sql: &str) {
    let sql = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
    if url.starts_with("postgres") {
        PgConnection::connect(url).await.unwrap().execute(sql).await.unwrap();
    } else {
        MySqlConnection::connect(url).await.unwrap().execute(sql).await.unwrap();
    }
}

/// Executes statements from outside of a runtime.
pub fn run(url: &str, sql: &str) {
    runtime().block_on(execute(url, sql));
}

pub fn surveyed(url: &str, options: &Options) -> Survey {
    runtime().block_on(survey(url, options)).unwrap()
}

/// The password of the users of these tests.
pub const PASSWORD: &str = "reads-and-rests";

/// Returns the URL of the same database for another user.
pub fn as_user(url: &str, name: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap();
    let (_, address) = rest.rsplit_once('@').unwrap();
    format!("{scheme}://{name}:{PASSWORD}@{address}")
}

/// A table by its name, without its schema if no table has the whole name.
pub fn table<'s>(survey: &'s Survey, name: &str) -> &'s TableReport {
    let find = |is: &dyn Fn(&str) -> bool| survey.tables.iter().find(|table| is(&table.table));
    let found = find(&|table| table == name).or_else(|| find(&|table| bare(table) == name));
    found.unwrap_or_else(|| panic!("{name} in {:?}", survey.tables))
}

/// The name of a table without its schema.
pub fn bare(name: &str) -> &str {
    name.rsplit('.').next().unwrap()
}

/// A runtime that executes everything in the thread of a test.
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}
