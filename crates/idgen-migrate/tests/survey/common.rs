//! Functions that several tests of the survey share.

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

/// A runtime that executes everything in the thread of a test.
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}
