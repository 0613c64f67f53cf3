//! A table on the server and the model of its index, with the same keys.

use btree_model::PostgresIndex;
use idgen::Uuid;
use idgen_lab::Key;
use idgen_server::{Scratch, Server, Settings};
use serde::Serialize;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row};

use crate::cases::{Case, Columns, bytes};
use crate::{CHECKPOINTS, Failure, MINUTES};

/// Rows of a statement, which is a transaction.
const STATEMENT_ROWS: usize = 10_000;
const PAYLOAD_BYTES: usize = 100;

/// Only this program makes checkpoints, and no background process writes. `fsync` is off; it does not change the
/// figures.
pub fn settings() -> Settings {
    Settings::new()
        .shared_buffers_mib(512)
        // The server reads and writes through the page cache of the kernel.
        .unlimited_memory()
        .option("fsync", "off")
        .option("autovacuum", "off")
        .option("checkpoint_timeout", "1d")
        .option("max_wal_size", "64GB")
        .option("wal_compression", "off")
        .option("full_page_writes", "on")
        .option("bgwriter_lru_maxpages", "0")
}

/// The index of a table.
#[derive(Clone, Debug, Serialize)]
pub struct Index {
    pub rows: u64,
    pub leaf_pages: i64,
    pub predicted_leaf_pages: u64,
    /// The mean of all leaf pages, in per cent.
    pub density: f64,
    /// A tenth of the leaf pages are less full than this, in per cent.
    pub density_p10: f64,
    pub bytes: i64,
    pub heap_bytes: i64,
}

/// What the server logged after a checkpoint, in bytes per row.
#[derive(Clone, Debug, Serialize)]
pub struct Log {
    pub minutes: u64,
    pub rows: u64,
    /// All records, measured by the position in the log.
    pub bytes_per_row: f64,
    /// Records of the index, with its full-page images.
    pub index_bytes_per_row: f64,
    pub predicted_index_bytes_per_row: f64,
    /// The part of those bytes that are images.
    pub index_image_bytes_per_row: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct NewTable {
    pub name: &'static str,
    pub columns: &'static str,
    pub index: Index,
    pub log: Vec<Log>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Switched {
    pub name: &'static str,
    pub before: Index,
    pub after: Index,
}

pub struct Session {
    connection: PgConnection,
    _scratch: Scratch,
}

impl Session {
    pub async fn open(server: &Server) -> Result<Session, Failure> {
        let scratch = server.scratch()?;
        let mut connection = PgConnection::connect(scratch.url()).await?;
        for extension in ["pageinspect", "pgstattuple", "pg_walinspect"] {
            connection.execute(AssertSqlSafe(format!("CREATE EXTENSION {extension}"))).await?;
        }
        Ok(Session { connection, _scratch: scratch })
    }

    pub async fn close(self) -> Result<(), Failure> {
        Ok(self.connection.close().await?)
    }

    /// Measures a new table: its index, and the log at each distance between checkpoints.
    pub async fn measure(&mut self, case: Case, rows: u64) -> Result<NewTable, Failure> {
        let keys = case.keys(rows, 2026)?;
        let (first, rest) = keys.split_at(rows as usize);
        let (rule, shape) = case.model(&keys[0])?;
        let mut model = PostgresIndex::new(rule, shape);
        self.create(case).await?;
        self.insert(case, first, &mut model).await?;
        let index = self.index(&model).await?;
        let mut log = Vec::new();
        let mut from = 0;
        for minutes in CHECKPOINTS {
            let to = from + (rows / MINUTES * minutes) as usize;
            log.push(self.log(case, &rest[from..to], minutes, &mut model).await?);
            from = to;
        }
        self.verify(keys.len() as u64).await?;
        let columns = match case.columns {
            Columns::Bigint => "bigint",
            Columns::Uuid => "uuid",
            Columns::TwoBigints => "bigint, bigint",
            Columns::Text => "text",
        };
        Ok(NewTable { name: case.name, columns, index, log })
    }

    /// Measures a table that holds version 4, and then receives as many rows of another kind.
    pub async fn switch(&mut self, case: Case, rows: u64) -> Result<Switched, Failure> {
        let old = Case::after_random().next().ok_or("no version 4")?;
        let old_keys = old.keys(rows, 4)?;
        let new_keys = case.keys(rows, 2026)?;
        let (rule, shape) = case.model(&old_keys[0])?;
        let mut model = PostgresIndex::new(rule, shape);
        self.create(case).await?;
        self.insert(case, &old_keys[..rows as usize], &mut model).await?;
        let before = self.index(&model).await?;
        self.insert(case, &new_keys[..rows as usize], &mut model).await?;
        let after = self.index(&model).await?;
        self.verify(2 * rows).await?;
        Ok(Switched { name: case.name, before, after })
    }

    async fn run(&mut self, statement: &str) -> Result<(), Failure> {
        self.connection.execute(sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))).await?;
        Ok(())
    }

    async fn create(&mut self, case: Case) -> Result<(), Failure> {
        let (key, primary) = match case.columns {
            Columns::Bigint => ("id bigint", "id"),
            Columns::Uuid => ("id uuid", "id"),
            Columns::TwoBigints => ("hi bigint, lo bigint", "hi, lo"),
            Columns::Text => ("id text COLLATE \"C\"", "id"),
        };
        // The prepared statements belong to the previous table.
        self.connection.clear_cached_statements().await?;
        self.run("DROP TABLE IF EXISTS t").await?;
        self.run(&format!("CREATE TABLE t ({key}, payload bytea NOT NULL, PRIMARY KEY ({primary}))")).await?;
        self.run("ALTER TABLE t ALTER payload SET STORAGE PLAIN").await
    }

    async fn insert(&mut self, case: Case, keys: &[Key], model: &mut PostgresIndex) -> Result<(), Failure> {
        for some in keys.chunks(STATEMENT_ROWS) {
            let query = match case.columns {
                Columns::Bigint => {
                    let ids: Vec<i64> = some.iter().map(number).collect::<Result<_, _>>()?;
                    sqlx::query("INSERT INTO t SELECT id, $2 FROM unnest($1::bigint[]) id").bind(ids)
                }
                Columns::TwoBigints => {
                    let (high, low): (Vec<i64>, Vec<i64>) = some.iter().map(halves).unzip();
                    sqlx::query("INSERT INTO t SELECT hi, lo, $3 FROM unnest($1::bigint[], $2::bigint[]) AS keys (hi, lo)")
                        .bind(high)
                        .bind(low)
                }
                Columns::Uuid | Columns::Text => {
                    let sql = if case.columns == Columns::Uuid {
                        "INSERT INTO t SELECT id::uuid, $2 FROM unnest($1::text[]) id"
                    } else {
                        "INSERT INTO t SELECT id, $2 FROM unnest($1::text[]) id"
                    };
                    sqlx::query(sql).bind(some.iter().map(text).collect::<Vec<_>>())
                }
            };
            self.connection.execute(query.bind(vec![0x2a_u8; PAYLOAD_BYTES])).await?;
            for key in some {
                model.insert(&bytes(key))?;
            }
        }
        Ok(())
    }

    /// The figures of the index, from pgstattuple and pageinspect.
    async fn index(&mut self, model: &PostgresIndex) -> Result<Index, Failure> {
        let row = self
            .connection
            .fetch_one(
                "SELECT leaf_pages, avg_leaf_density, pg_relation_size('t_pkey'), pg_relation_size('t'), \
                 (SELECT percentile_cont(0.1) WITHIN GROUP (ORDER BY 100 - 100 * free_size / 8152.0) \
                    FROM bt_multi_page_stats('t_pkey', 1, -1) WHERE type = 'l') \
                 FROM pgstatindex('t_pkey')",
            )
            .await?;
        Ok(Index {
            rows: model.rows(),
            leaf_pages: row.try_get(0)?,
            predicted_leaf_pages: model.tree().leaf_pages,
            density: row.try_get(1)?,
            density_p10: row.try_get(4)?,
            bytes: row.try_get(2)?,
            heap_bytes: row.try_get(3)?,
        })
    }

    /// Makes a checkpoint, and measures what these rows log after it.
    async fn log(
        &mut self,
        case: Case,
        keys: &[Key],
        minutes: u64,
        model: &mut PostgresIndex,
    ) -> Result<Log, Failure> {
        self.run("CHECKPOINT").await?;
        model.checkpoint();
        model.log();
        let from = self.position().await?;
        self.insert(case, keys, model).await?;
        let to = self.position().await?;
        // Records that are still in the buffers of the log cannot be inspected.
        self.run("SELECT pg_switch_wal()").await?;
        let sql = format!(
            "SELECT pg_wal_lsn_diff('{to}', '{from}')::float8, combined_size::float8, fpi_size::float8 \
             FROM pg_get_wal_stats('{from}', '{to}') WHERE \"resource_manager/record_type\" = 'Btree'"
        );
        let row = self.connection.fetch_one(AssertSqlSafe(sql)).await?;
        let rows = keys.len() as f64;
        let at = |column: usize| row.try_get::<f64, _>(column).map(|bytes| bytes / rows);
        Ok(Log {
            minutes,
            rows: keys.len() as u64,
            bytes_per_row: at(0)?,
            index_bytes_per_row: at(1)?,
            index_image_bytes_per_row: at(2)?,
            predicted_index_bytes_per_row: model.log().bytes as f64 / rows,
        })
    }

    async fn position(&mut self) -> Result<String, Failure> {
        Ok(self.connection.fetch_one("SELECT pg_current_wal_insert_lsn()::text").await?.try_get(0)?)
    }

    /// Checks that the table holds the rows. Otherwise, no figure is shown.
    async fn verify(&mut self, rows: u64) -> Result<(), Failure> {
        let row =
            self.connection.fetch_one("SELECT count(*), coalesce(sum(length(payload)), 0) FROM t").await?;
        let (found, payload): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        if found as u64 != rows || payload as u64 != rows * PAYLOAD_BYTES as u64 {
            return Err(format!("the table holds {found} rows with {payload} bytes, not {rows} rows").into());
        }
        Ok(())
    }
}

fn number(key: &Key) -> Result<i64, Failure> {
    match key {
        Key::Uint(number) => Ok(i64::try_from(*number)?),
        other => Err(format!("{other} is not a number").into()),
    }
}

/// Both halves of a key, as signed integers that sort in the order of the bytes.
fn halves(key: &Key) -> (i64, i64) {
    let number = match key {
        Key::Binary(bytes) => u128::from_be_bytes(*bytes),
        _ => 0,
    };
    let signed = |half: u64| (half ^ (1 << 63)) as i64;
    (signed((number >> 64) as u64), signed(number as u64))
}

fn text(key: &Key) -> String {
    match key {
        Key::Binary(bytes) => Uuid::from_bytes(*bytes).to_string(),
        other => other.to_string(),
    }
}
