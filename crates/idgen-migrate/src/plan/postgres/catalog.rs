//! Reads `pg_catalog`, in a session that cannot write.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};

use super::names::quoted;
use super::settings;
use crate::plan::data::Statement;
use idgen_database::{Error, Result};

/// How long a server may take to accept the connection.
const CONNECT_TIME: Duration = Duration::from_secs(30);
/// `CREATE OR REPLACE TRIGGER`, and reading ranges of rows by their place, need PostgreSQL 14.
const OLDEST: i32 = 140_000;

/// A session that only reads.
pub(super) struct Session {
    connection: PgConnection,
    /// The server's version, as in 180001.
    pub(super) version: i32,
    /// The statement with which each transaction begins.
    settings: String,
}

/// What is known of a database.
#[derive(Debug)]
pub(super) struct Catalog {
    pub(super) tables: Vec<Table>,
    pub(super) columns: Vec<Column>,
    pub(super) foreign_keys: Vec<ForeignKey>,
    pub(super) indexes: Vec<Index>,
    pub(super) dependents: Vec<Dependent>,
    pub(super) functions: Vec<Function>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Table {
    pub(super) id: i64,
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) rows: i64,
    pub(super) bytes: i64,
    pub(super) kind: String,
    pub(super) inherits: bool,
    pub(super) forces_policies: bool,
    pub(super) temporary: bool,
    pub(super) typed: bool,
    pub(super) of_extension: bool,
    pub(super) unchecked_keys: bool,
    pub(super) rules: Vec<String>,
    pub(super) stored_rows: Vec<String>,
    pub(super) late_triggers: Vec<String>,
    pub(super) readable: bool,
    pub(super) owned: bool,
    pub(super) update_triggers: Vec<String>,
    /// Views, functions and triggers with transition tables, which have all columns of the table as a value.
    pub(super) row_users: Vec<String>,
    pub(super) publications: Vec<String>,
}

/// A column of a table: the table's id and the number of the column.
pub(super) type Place = (i64, i32);

#[derive(Debug, Deserialize)]
pub(super) struct Column {
    pub(super) table: i64,
    pub(super) number: i32,
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) type_text: String,
    pub(super) not_null: bool,
    /// The name of the constraint that says so, on servers that give it one.
    pub(super) not_null_name: Option<String>,
    pub(super) not_null_valid: bool,
    /// `NO INHERIT`.
    pub(super) not_null_own: bool,
    pub(super) not_null_comment: Option<String>,
    pub(super) statistics: Option<i32>,
    pub(super) options: Vec<String>,
    pub(super) labelled: bool,
    pub(super) default: Option<String>,
    /// Sequences of identity columns that the default uses.
    pub(super) lent_sequences: Vec<String>,
    /// Sequences of other roles that the default uses, and that end before `bigint` does.
    pub(super) foreign_sequences: Vec<String>,
    pub(super) generated: bool,
    pub(super) granted: bool,
    pub(super) comment: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ForeignKey {
    pub(super) name: String,
    pub(super) child: i64,
    pub(super) parent: i64,
    pub(super) columns: Vec<i32>,
    pub(super) refers_to: Vec<i32>,
    pub(super) on_update: String,
    pub(super) on_delete: String,
    pub(super) deferrable: bool,
    pub(super) deferred: bool,
    pub(super) enforced: bool,
    pub(super) valid: bool,
    pub(super) match_full: bool,
    /// The columns of `ON DELETE SET NULL (…)`. Empty where it names none.
    pub(super) set_columns: Vec<i32>,
    /// The operators that compare the parent's columns with the child's, whatever the search path.
    pub(super) operators: Vec<String>,
    pub(super) comment: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Index {
    pub(super) table: i64,
    pub(super) name: String,
    pub(super) method: String,
    pub(super) unique: bool,
    pub(super) primary: bool,
    pub(super) valid: bool,
    pub(super) exclusion: bool,
    pub(super) identity: bool,
    /// Zero stands for an expression.
    pub(super) columns: Vec<i32>,
    pub(super) key_columns: usize,
    pub(super) options: Vec<i32>,
    pub(super) expressions: Option<String>,
    pub(super) predicate: Option<String>,
    pub(super) nulls_not_distinct: bool,
    pub(super) settings: Vec<String>,
    pub(super) tablespace: Option<String>,
    pub(super) default_class: Vec<bool>,
    pub(super) collations: Vec<Option<String>>,
    pub(super) clustered: bool,
    /// The extensions with which it is dropped.
    pub(super) extensions: Vec<String>,
    pub(super) comment: Option<String>,
    pub(super) constraint_comment: Option<String>,
    pub(super) constraint: Option<String>,
    pub(super) deferrable: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Dependent {
    pub(super) table: i64,
    pub(super) number: i32,
    pub(super) what: String,
    /// A sequence that the column owns.
    pub(super) is_sequence: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) text: String,
}

impl Session {
    pub(super) async fn open(url: &str, limit: Duration) -> Result<Session> {
        let options = url
            .parse::<PgConnectOptions>()
            .map_err(|_| {
                Error::new("cannot understand the URL: write postgres://user:password@host:port/database")
            })?
            .disable_statement_logging()
            .application_name("idgen plan");
        let connection = tokio::time::timeout(CONNECT_TIME, PgConnection::connect_with(&options))
            .await
            .map_err(|_| Error::new("the server did not accept the connection within 30 seconds"))?
            .map_err(|error| Error::of("cannot connect", error))?;
        let mut session =
            Session { connection, version: 0, settings: settings::of_transaction(limit.as_millis()) };
        session.version =
            session.number("SELECT current_setting('server_version_num')::bigint").await? as i32;
        if session.version < OLDEST {
            return Err(Error::new(format!(
                "the server is PostgreSQL {}: the plan needs 14 or later",
                session.version / 10_000
            )));
        }
        Ok(session)
    }

    pub(super) async fn catalog(&mut self) -> Result<Catalog> {
        Ok(Catalog {
            tables: self.rows("tables", include_str!("queries/tables.sql")).await?,
            columns: self.rows("columns", include_str!("queries/columns.sql")).await?,
            foreign_keys: self.rows("foreign keys", include_str!("queries/foreign_keys.sql")).await?,
            indexes: self.rows("indexes", include_str!("queries/indexes.sql")).await?,
            dependents: self.rows("dependencies", include_str!("queries/dependents.sql")).await?,
            functions: self.rows("functions", include_str!("queries/functions.sql")).await?,
        })
    }

    /// The rows of a query. The server writes them as JSON.
    async fn rows<T: DeserializeOwned>(&mut self, what: &str, sql: &str) -> Result<Vec<T>> {
        let all = format!("SELECT COALESCE(json_agg(q), '[]')::text FROM ({sql}) AS q");
        let texts: Vec<String> = self.read(&format!("the {what}"), all).await?;
        let text = texts.first().map_or("[]", String::as_str);
        serde_json::from_str(text).map_err(|error| Error::of(format!("cannot understand the {what}"), error))
    }

    /// The first values of a column that are not null.
    pub(super) async fn sample(&mut self, table: &str, column: &str) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT CASE WHEN pg_typeof({column})::text = 'bytea' THEN encode({column}::text::bytea, 'hex') \
             ELSE {column}::text END FROM {table} WHERE {column} IS NOT NULL LIMIT 100"
        );
        self.read(&format!("values of {column} in {table}"), sql).await
    }

    /// The first column of a query.
    pub(super) async fn texts(&mut self, what: &str, sql: &str) -> Result<Vec<String>> {
        self.read(what, sql.to_owned()).await
    }

    /// One number.
    pub(super) async fn number(&mut self, sql: &str) -> Result<i64> {
        let numbers: Vec<i64> = self.read("the catalog", sql.to_owned()).await?;
        numbers.first().copied().ok_or_else(|| Error::new("cannot read the catalog: there is no answer"))
    }

    /// The first column of a query, in a transaction of its own that only reads. Its settings end with it, so a connection that a
    /// pooler shares with others stays as it was.
    async fn read<T>(&mut self, what: &str, sql: String) -> Result<Vec<T>>
    where
        T: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres> + Send + Unpin,
        (T,): for<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow>,
    {
        let failed = |error| Error::of(format!("cannot read {what}"), error);
        let begin = format!("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; {}", self.settings);
        self.connection.execute(sqlx::raw_sql(AssertSqlSafe(begin))).await.map_err(failed)?;
        // A pooler may give the next transaction to a server process that does not know a prepared statement.
        let values =
            sqlx::query_scalar(AssertSqlSafe(sql)).persistent(false).fetch_all(&mut self.connection).await;
        self.connection.execute(sqlx::raw_sql("ROLLBACK")).await.map_err(failed)?;
        values.map_err(failed)
    }

    /// Executes statements in one transaction that is rolled back, and returns how many rows each changed and how long it took. Its temporary tables and settings
    /// end with it.
    pub(super) async fn rehearse(&mut self, statements: &[Statement]) -> Result<Vec<(u64, Duration)>> {
        let begin = format!("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {}", self.settings);
        let mut all = Vec::new();
        for sql in [&begin].into_iter().chain(statements.iter().map(|statement| &statement.sql)) {
            let started = Instant::now();
            match self.connection.execute(sqlx::raw_sql(AssertSqlSafe(sql.clone()))).await {
                Ok(done) => all.push((done.rows_affected(), started.elapsed())),
                Err(error) => {
                    self.roll_back().await?;
                    return Err(Error::of(format!("the server refused \"{sql}\""), error));
                }
            }
        }
        self.roll_back().await?;
        Ok(all.split_off(1))
    }

    async fn roll_back(&mut self) -> Result<()> {
        let done = self.connection.execute(sqlx::raw_sql("ROLLBACK")).await;
        done.map(drop).map_err(|error| Error::of("cannot roll back", error))
    }

    pub(super) async fn close(self) {
        // The answers are read; a server that does not say goodbye changes nothing.
        let _ = self.connection.close().await;
    }
}

impl Catalog {
    /// The table with a name, which may have its schema before it.
    pub(super) fn find(&self, table: &str) -> Result<&Table> {
        let found = |schema: Option<&str>, name: &str| {
            let same = |at: &usize| {
                let table = &self.tables[*at];
                table.name == name && schema.is_none_or(|schema| schema == table.schema)
            };
            (0..self.tables.len()).filter(same).collect::<Vec<_>>()
        };
        let mut places = found(None, table);
        for (at, dot) in table.match_indices('.') {
            places.extend(found(Some(&table[..at]), &table[at + dot.len()..]));
        }
        match places[..] {
            [at] => Ok(&self.tables[at]),
            [] => Err(Error::new(format!("there is no table {table} in this database"))),
            _ => Err(Error::new(format!(
                "there are several tables with the name {table}: write one of {}",
                places
                    .iter()
                    .map(|&at| format!("{}.{}", self.tables[at].schema, self.tables[at].name))
                    .collect::<Vec<_>>()
                    .join(", ")
            ))),
        }
    }

    pub(super) fn table(&self, id: i64) -> Option<&Table> {
        self.tables.iter().find(|table| table.id == id)
    }

    pub(super) fn column(&self, (table, number): Place) -> Option<&Column> {
        self.columns.iter().find(|column| (column.table, column.number) == (table, number))
    }

    /// A column with its table, for messages.
    pub(super) fn shown(&self, place: Place) -> String {
        let table = self.table(place.0).map_or(String::new(), Table::shown);
        format!("{table}.{}", self.column(place).map_or("", |column| &column.name))
    }
}

impl Index {
    /// Whether it is of a single text for `LIKE`, which an id has no use for: it is dropped with the old column.
    pub(super) fn serves_texts(&self) -> bool {
        !self.unique && self.columns.len() == 1 && (self.default_class == [false] || self.method == "gin")
    }
}

impl Table {
    /// Its name in a statement.
    pub(super) fn written(&self) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&self.name))
    }

    /// Its name, with the schema unless that is `public`.
    pub(super) fn shown(&self) -> String {
        match self.schema.as_str() {
            "public" => self.name.clone(),
            schema => format!("{schema}.{}", self.name),
        }
    }
}
