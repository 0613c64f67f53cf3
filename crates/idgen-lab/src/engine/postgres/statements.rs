//! A connection on which statements are timed, and the sizes of the tables that they leave.

use idgen_record::{Role, TreeFigures};
use innodb_pages::Distribution;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::{Host, connect, doing, pages, refused, run};
use crate::engine::timed::{self, Surveyed, filled};
use crate::experiment::File;
use crate::{Error, Result};

/// A connection to the scratch database.
pub struct Client<'a> {
    host: &'a Host,
    connection: PgConnection,
}

impl<'a> Client<'a> {
    /// Connects.
    pub async fn connect(host: &'a Host) -> Result<Self> {
        Ok(Client { host, connection: connect(host).await? })
    }

    /// The indexes of a table, the index of the primary key first.
    async fn indexes(&mut self, table: &str) -> Result<Vec<String>> {
        let failed = doing("read the names of the indexes");
        let sql = format!(
            "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = '{table}'::regclass \
             ORDER BY NOT indisprimary, 1"
        );
        let rows = self.connection.fetch_all(AssertSqlSafe(sql)).await.map_err(&failed)?;
        rows.iter().map(|row| row.try_get(0).map_err(&failed)).collect()
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
        let failed = doing("check what a statement did");
        let sql = AssertSqlSafe(format!("SELECT ({sql})::text"));
        let row = self.connection.fetch_one(sql).await.map_err(&failed)?;
        row.try_get(0).map_err(&failed)
    }

    async fn survey(&mut self, file: &File) -> Result<Surveyed> {
        let table = &file.table;
        let counted = self.number(&format!("SELECT count(*) FROM {table}")).await?;
        let heap_bytes = pages::bytes(&mut self.connection, table).await?;
        let mut indexes = Vec::new();
        let mut rows = None;
        for name in self.indexes(table).await? {
            let reach = &self.host.reach;
            let tree = pages::tree(&mut self.connection, Role::Rows, &name, reach).await?;
            // The index of the primary key has one entry per row; in other indexes, one entry may list several rows.
            let role = if rows.is_none() { Role::Rows } else { Role::Secondary };
            rows.get_or_insert(tree.rows());
            let fill = Distribution::of(tree.fills().collect());
            let bytes = pages::bytes(&mut self.connection, &name).await?;
            let pages = [tree.leaves.len() as u64, tree.inner_pages];
            indexes.push(filled(TreeFigures::index(&name, role, tree.rows(), pages, bytes), &fill));
        }
        let rows = rows.ok_or_else(|| Error::unverified(format!("the table {table} has no index")))?;
        if rows.to_string() != counted {
            return Err(Error::unverified(format!(
                "the first index of {table} holds {rows} rows, but the server counts {counted}"
            )));
        }
        let bytes = heap_bytes + indexes.iter().map(|index| index.bytes).sum::<u64>();
        Ok(Surveyed { rows, bytes, heap_bytes: Some(heap_bytes), indexes })
    }
}
