//! The tables of one run, and the statements that fill and check them.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

use futures_util::TryStreamExt;
use hdrhistogram::Histogram;
use sqlx::mysql::{MySqlArguments, MySqlConnection, MySqlRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Executor, MySql, Row};

use super::{Host, connect, counters, doing, files, run};
use crate::engine::{Batch, Contents, Counters, Latency, Role, Table, Tree};
use crate::key::Key;
use crate::strategy::{Column, Strategy};
use crate::{Error, Result, Workload};

/// The tables of one run.
pub struct Tables {
    host: Rc<Host>,
    connection: MySqlConnection,
    column: Column,
    statement_rows: usize,
    payload: bool,
    /// The names of the tables: rows, and map where there is one.
    rows: String,
    map: String,
    at_start: Counters,
    micros: Histogram<u64>,
}

impl Tables {
    pub fn create(host: Rc<Host>, number: u32, strategy: &Strategy, workload: &Workload) -> Result<Self> {
        let (rows, map) = (format!("rows_{number}"), format!("map_{number}"));
        let payload = workload.payload_bytes > 0;
        let statements = schema(strategy.column, workload.payload_bytes, &rows, &map);
        let (connection, at_start) = host.runtime.block_on(async {
            let mut connection = connect(&host).await?;
            for sql in &statements {
                run(&mut connection, sql).await?;
            }
            let at_start = counters::read(&mut connection).await?;
            Ok::<_, Error>((connection, at_start))
        })?;
        let statement_rows = workload.statement_rows.max(1) as usize;
        let column = strategy.column;
        // From a microsecond up to whatever comes, to three digits.
        let micros = Histogram::new(3).map_err(|error| Error::engine("cannot keep the latencies", error))?;
        Ok(Tables { host, connection, column, statement_rows, payload, rows, map, at_start, micros })
    }

    fn mapped(&self) -> bool {
        self.column == Column::MappedInteger
    }

    fn table(&self, role: Role) -> &str {
        match role {
            Role::Rows => &self.rows,
            Role::Map => &self.map,
        }
    }
}

/// The statements that make the tables.
fn schema(column: Column, payload_bytes: u32, rows: &str, map: &str) -> Vec<String> {
    let key = match column {
        Column::CountedInteger => "BIGINT UNSIGNED NOT NULL AUTO_INCREMENT",
        Column::Integer | Column::MappedInteger => "BIGINT UNSIGNED NOT NULL",
        Column::Binary16 | Column::Swapped16 => "BINARY(16) NOT NULL",
        // A collation that ignores case would make different base64 texts equal.
        Column::Text36 => "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL",
        Column::Base64 => "CHAR(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL",
        Column::Base32 => "CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NOT NULL",
    };
    let payload = match payload_bytes {
        0 => String::new(),
        width => format!("payload VARBINARY({width}) NOT NULL, "),
    };
    let mut statements =
        vec![format!("CREATE TABLE {rows} (id {key}, {payload}PRIMARY KEY (id)) ENGINE=InnoDB")];
    if column == Column::MappedInteger {
        statements.push(format!(
            "CREATE TABLE {map} (uuid BINARY(16) NOT NULL, id BIGINT UNSIGNED NOT NULL, PRIMARY KEY (uuid)) ENGINE=InnoDB"
        ));
    }
    statements
}

/// `INSERT` of so many rows of two values, or of one.
fn insert_sql(table: &str, columns: &str, rows: usize) -> String {
    let values = if columns.contains(',') { "(?, ?)" } else { "(?)" };
    format!("INSERT INTO {table} ({columns}) VALUES {}", vec![values; rows].join(", "))
}

impl Table for Tables {
    fn settings(&mut self) -> Result<BTreeMap<String, String>> {
        let mut settings = self.host.settings.clone();
        let mut text = Vec::new();
        for table in [&self.rows, &self.map].into_iter().take(1 + usize::from(self.mapped())) {
            let sql = AssertSqlSafe(format!("SHOW CREATE TABLE {table}"));
            let row = self
                .host
                .runtime
                .block_on(self.connection.fetch_one(sql))
                .map_err(doing("read the tables' definition"))?;
            let shown: String = row.try_get_unchecked(1).map_err(doing("read the tables' definition"))?;
            text.push(shown.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        settings.insert("table".into(), text.join("; "));
        Ok(settings)
    }

    fn insert(&mut self, batch: &Batch<'_>) -> Result<()> {
        let host = Rc::clone(&self.host);
        let rows: Vec<_> = batch.rows().collect();
        for part in rows.chunks(self.statement_rows) {
            let clock = Instant::now();
            if self.mapped() {
                host.runtime.block_on(self.insert_mapped(part))?;
            } else {
                host.runtime.block_on(self.insert_keyed(part))?;
            }
            let micros = u64::try_from(clock.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.micros.saturating_record(micros);
        }
        Ok(())
    }

    fn counters(&mut self) -> Result<Counters> {
        let now = self.host.runtime.block_on(counters::read(&mut self.connection))?;
        Ok(now.since(&self.at_start))
    }

    fn latency(&self) -> Option<Latency> {
        Some(Latency {
            p50_micros: self.micros.value_at_quantile(0.5),
            p95_micros: self.micros.value_at_quantile(0.95),
            p99_micros: self.micros.value_at_quantile(0.99),
            max_micros: self.micros.max(),
        })
    }

    fn trees(&mut self) -> Result<Vec<Tree>> {
        let roles: &[Role] = if self.mapped() { &[Role::Rows, Role::Map] } else { &[Role::Rows] };
        let directory =
            tempfile::tempdir().map_err(|error| Error::engine("cannot make a temporary directory", error))?;
        let host = Rc::clone(&self.host);
        let mut trees = Vec::with_capacity(roles.len());
        for role in roles {
            let table = self.table(*role).to_owned();
            let copy = directory.path().join(format!("{table}.ibd"));
            let lock = format!("FLUSH TABLES {table} FOR EXPORT");
            host.runtime.block_on(run(&mut self.connection, &lock))?;
            let copied = host.server.copy_data_file(&format!("{}/{table}.ibd", host.scratch.name()), &copy);
            host.runtime.block_on(run(&mut self.connection, "UNLOCK TABLES"))?;
            copied.map_err(|error| Error::engine("cannot copy the table's file", error))?;
            trees.push(files::clustered(&copy, *role)?);
        }
        Ok(trees)
    }

    fn keys(&mut self, role: Role, visit: &mut dyn FnMut(Key) -> Result<()>) -> Result<()> {
        let (name, column) = match role {
            Role::Rows => ("id", self.column),
            Role::Map => ("uuid", Column::Binary16),
        };
        let sql = format!("SELECT {name} FROM {} ORDER BY {name}", self.table(role));
        let failed = doing("read the keys back");
        let connection = &mut self.connection;
        self.host.runtime.block_on(async {
            let mut rows = sqlx::query(AssertSqlSafe(sql)).fetch(connection);
            while let Some(row) = rows.try_next().await.map_err(&failed)? {
                visit(read_key(&row, column)?)?;
            }
            Ok(())
        })
    }

    fn contents(&mut self) -> Result<Contents> {
        let bytes = if self.payload { "COALESCE(SUM(LENGTH(payload)), 0)" } else { "0" };
        let unmapped = if self.mapped() {
            format!(
                "(SELECT COUNT(*) FROM {} m LEFT JOIN {} r ON r.id = m.id WHERE r.id IS NULL)",
                self.map, self.rows
            )
        } else {
            "0".into()
        };
        let sql = format!(
            "SELECT CAST(COUNT(*) AS UNSIGNED), CAST({bytes} AS UNSIGNED), CAST({unmapped} AS UNSIGNED) FROM {}",
            self.rows
        );
        let failed = doing("count the rows");
        let row = self
            .host
            .runtime
            .block_on(sqlx::query(AssertSqlSafe(sql)).fetch_one(&mut self.connection))
            .map_err(&failed)?;
        let at = |column: usize| row.try_get::<u64, _>(column).map_err(&failed);
        Ok(Contents { rows: at(0)?, payload_bytes: at(1)?, unmapped: at(2)? })
    }
}

/// A row with its number.
type Numbered<'a> = (u64, Key, &'a [u8]);

impl Tables {
    async fn insert_keyed(&mut self, rows: &[Numbered<'_>]) -> Result<()> {
        let columns = if self.payload { "id, payload" } else { "id" };
        let sql = insert_sql(&self.rows, columns, rows.len());
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for (_, key, payload) in rows {
            query = bind(query, key);
            if self.payload {
                query = query.bind(*payload);
            }
        }
        query.execute(&mut self.connection).await.map(drop).map_err(doing("insert"))
    }

    /// Looks the UUIDs up, inserts the pairs that are missing, then the rows: one transaction.
    async fn insert_mapped(&mut self, rows: &[Numbered<'_>]) -> Result<()> {
        let failed = doing("map and insert");
        self.connection.execute("START TRANSACTION").await.map_err(&failed)?;
        let look_up =
            format!("SELECT id FROM {} WHERE uuid IN ({})", self.map, vec!["?"; rows.len()].join(", "));
        let mut query = sqlx::query(AssertSqlSafe(look_up));
        for (_, key, _) in rows {
            query = bind(query, key);
        }
        let known = query.fetch_all(&mut self.connection).await.map_err(&failed)?;
        if !known.is_empty() {
            return Err(Error::unverified(format!("{} new UUIDs are in the map already", known.len())));
        }
        let pairs = insert_sql(&self.map, "uuid, id", rows.len());
        let mut query = sqlx::query(AssertSqlSafe(pairs));
        for (number, key, _) in rows {
            query = bind(query, key).bind(number + 1);
        }
        query.execute(&mut self.connection).await.map_err(&failed)?;
        let numbered: Vec<_> =
            rows.iter().map(|(number, _, payload)| (*number, Key::Uint(number + 1), *payload)).collect();
        self.insert_keyed(&numbered).await?;
        self.connection.execute("COMMIT").await.map(drop).map_err(&failed)
    }
}

type Statement<'q> = Query<'q, MySql, MySqlArguments>;

fn bind<'q>(query: Statement<'q>, key: &Key) -> Statement<'q> {
    match key {
        Key::Assigned => query.bind(None::<u64>),
        Key::Uint(number) => query.bind(*number),
        Key::Binary(bytes) => query.bind(bytes.to_vec()),
        Key::Text(text) => query.bind(text.to_string()),
    }
}

fn read_key(row: &MySqlRow, column: Column) -> Result<Key> {
    let failed = doing("read a key back");
    let key = match column {
        Column::CountedInteger | Column::Integer | Column::MappedInteger => {
            Some(Key::Uint(row.try_get(0).map_err(&failed)?))
        }
        Column::Binary16 | Column::Swapped16 => {
            let bytes: Vec<u8> = row.try_get(0).map_err(&failed)?;
            bytes.try_into().ok().map(Key::Binary)
        }
        Column::Text36 | Column::Base64 | Column::Base32 => {
            let text: String = row.try_get(0).map_err(&failed)?;
            Key::text(&text)
        }
    };
    key.ok_or_else(|| Error::unverified("the table holds a key of a length that nobody inserted"))
}

impl Drop for Tables {
    fn drop(&mut self) {
        // Room for the next strategy; the schema goes in any case with the engine.
        let drop = format!("DROP TABLE IF EXISTS {}, {}", self.rows, self.map);
        let _ = self.host.runtime.block_on(run(&mut self.connection, &drop));
    }
}
