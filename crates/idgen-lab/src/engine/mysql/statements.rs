//! A connection on which statements are timed.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor};

use super::{Host, connect, number, refused, run, survey};
use crate::Result;
use crate::engine::timed;
use crate::experiment::File;

/// A connection to the scratch schema.
pub struct Client<'a> {
    host: &'a Host,
    connection: MySqlConnection,
}

impl<'a> Client<'a> {
    /// Connects.
    pub async fn connect(host: &'a Host) -> Result<Self> {
        Ok(Client { host, connection: connect(host).await? })
    }
}

impl timed::Client for Client<'_> {
    async fn run(&mut self, sql: &str) -> Result<()> {
        run(&mut self.connection, sql).await
    }

    async fn fetch(&mut self, sql: &str) -> Result<()> {
        let rows = self.connection.fetch_all(AssertSqlSafe(sql.to_owned())).await;
        rows.map(drop).map_err(refused(sql))
    }

    async fn number(&mut self, sql: &str) -> Result<String> {
        number(&mut self.connection, sql).await
    }

    async fn survey(&mut self, file: &File) -> Result<timed::Surveyed> {
        survey::survey(self.host, &mut self.connection, file).await
    }
}
