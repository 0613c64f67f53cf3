//! A client that inserts rows: its connection, and its map of UUIDs.

use idgen::Uuid;
use idgen_mysql::UuidMap;
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::keys::bind;
use super::plan::{MapBy, Plan, RowClock, TIMES};
use super::reference;
use crate::engine::clients::Client;
use crate::engine::mysql::{Host, connect, doing};
use crate::engine::{Inserted, Numbered};
use crate::key::Key;
use crate::own::{Own, Value};
use crate::{Error, Result};
use idgen_record::Column;

/// A client.
pub struct Writer {
    connection: MySqlConnection,
    /// A map of its own, as clients in separate processes have.
    map: Option<UuidMap>,
    /// The server's `auto_increment_increment`.
    step: u64,
    /// The times, in microseconds since 1970, at which the server inserted rows of which the client has not
    /// been told.
    times: Vec<i64>,
    /// Rows whose times the session keeps.
    kept: usize,
}

impl Writer {
    pub async fn connect(host: &Host, plan: &Plan) -> Result<Self> {
        let mut connection = connect(host).await?;
        let failed = doing("ask for the step of AUTO_INCREMENT");
        let row = connection
            .fetch_one("SELECT CAST(@@SESSION.auto_increment_increment AS UNSIGNED)")
            .await
            .map_err(&failed)?;
        let step = row.try_get(0).map_err(&failed)?;
        let map = match &plan.map {
            Some((MapBy::Library(strategy), table)) => Some(map(host, *strategy, table).await?),
            _ => None,
        };
        if plan.clock == Some(RowClock::Kept) {
            let sql = AssertSqlSafe(format!("SET {TIMES} = ''"));
            connection.execute(sql).await.map_err(doing("prepare the session"))?;
        }
        Ok(Writer { connection, map, step, times: Vec::new(), kept: 0 })
    }

    /// The connection, for statements other than inserts.
    pub fn connection(&mut self) -> &mut MySqlConnection {
        &mut self.connection
    }

    /// Inserts rows, and returns them in the order of their insertion.
    pub async fn statement(&mut self, plan: &Plan, part: &[Numbered<'_>]) -> Result<Vec<Inserted>> {
        let numbers = match &plan.map {
            None => {
                let first = match &plan.own {
                    Some(own) => self.own_rows(plan, own, part).await?,
                    None => self.rows(plan, part).await?,
                };
                // The server numbers the rows of one statement consecutively, and reports the first number.
                let number = |n| (plan.column == Column::CountedInteger).then_some(first + n * self.step);
                let keys = part.iter().map(|(_, key, _)| *key);
                return Ok(keys.zip(0..).map(|(key, n)| Inserted { key, number: number(n) }).collect());
            }
            Some((MapBy::Clustered, map)) => return self.pairs_and_rows(plan, map, part).await,
            Some((MapBy::Library(_), _)) => self.ask_map(part).await?,
            Some((MapBy::Reference(function), _)) => {
                let uuids: Vec<_> = part.iter().map(|(_, key, _)| uuid(key).to_string()).collect();
                reference::ids(&mut self.connection, function, &uuids).await?
            }
        };
        // A map may assign the ids of a batch in any order; the rows are inserted in the order of their ids.
        let mut ordered: Vec<_> = numbers.into_iter().zip(part).collect();
        ordered.sort_unstable_by_key(|(number, _)| *number);
        let rows: Vec<Numbered<'_>> =
            ordered.iter().map(|(number, (row, _, payload))| (*row, Key::Uint(*number), *payload)).collect();
        self.rows(plan, &rows).await?;
        let inserted =
            |(number, (_, key, _)): (u64, &Numbered<'_>)| Inserted { key: *key, number: Some(number) };
        Ok(ordered.into_iter().map(inserted).collect())
    }

    /// Inserts rows with keys that the client made, with the server's clock at each.
    async fn timed(&mut self, plan: &Plan, clock: RowClock, part: &[Numbered<'_>]) -> Result<Vec<Inserted>> {
        let failed = doing("insert");
        let mut query = sqlx::query(AssertSqlSafe(plan.insert_timed(part.len(), clock)));
        for (_, key, payload) in part {
            query = bind(query, key, plan.column);
            if plan.payload_bytes > 0 {
                query = query.bind(*payload);
            }
        }
        match clock {
            RowClock::Kept => {
                query.execute(&mut self.connection).await.map_err(failed)?;
                self.kept += part.len();
            }
            RowClock::Returned => {
                for row in query.fetch_all(&mut self.connection).await.map_err(&failed)? {
                    self.times.push(row.try_get_unchecked(0).map_err(&failed)?);
                }
            }
        }
        Ok(part.iter().map(|(_, key, _)| Inserted { key: *key, number: None }).collect())
    }

    /// Reads the times that the session keeps.
    async fn read_times(&mut self) -> Result<()> {
        let failed = doing("read when rows were inserted");
        let sql = AssertSqlSafe(format!("SELECT CAST({TIMES} AS CHAR), {TIMES} := ''"));
        let row = self.connection.fetch_one(sql).await.map_err(&failed)?;
        let text: String = row.try_get_unchecked(0).map_err(&failed)?;
        let before = self.times.len();
        self.times.extend(text.split_terminator(',').filter_map(micros));
        let found = self.times.len() - before;
        if found != std::mem::take(&mut self.kept) {
            return Err(Error::unverified(format!("the session has the times of {found} rows: {text}")));
        }
        Ok(())
    }

    /// Inserts rows with their keys; returns the first integer that the server assigned.
    async fn rows(&mut self, plan: &Plan, part: &[Numbered<'_>]) -> Result<u64> {
        let mut query = sqlx::query(AssertSqlSafe(plan.insert(part.len())));
        for (_, key, payload) in part {
            if !plan.ids.is_server_made() {
                query = bind(query, key, plan.column);
            }
            if plan.payload_bytes > 0 {
                query = query.bind(*payload);
            }
        }
        let done = query.execute(&mut self.connection).await.map_err(doing("insert"))?;
        Ok(done.last_insert_id())
    }

    /// Runs the user's own statements for these rows, in one transaction if there are several statements; returns the
    /// first integer that the server assigned.
    async fn own_rows(&mut self, plan: &Plan, own: &Own, part: &[Numbered<'_>]) -> Result<u64> {
        let several = own.inserts().len() > 1;
        if several {
            self.connection.execute("START TRANSACTION").await.map_err(doing("begin a transaction"))?;
        }
        let mut first = None;
        for (insert, sql) in own.inserts().iter().zip(plan.own_inserts(part.len())) {
            let mut query = sqlx::query(AssertSqlSafe(sql));
            for ((row, key, payload), n) in part.iter().zip(0..) {
                // A row that refers to a key assigned by the server needs the number of that key.
                let key = match (key, first) {
                    (Key::Assigned, Some(first)) => Key::Uint(first + n * self.step),
                    (key, _) => *key,
                };
                for (_, value) in insert.values(*row, key, payload) {
                    query = match value {
                        Value::Key(key) => bind(query, &key, plan.column),
                        Value::Integer(number) => query.bind(number),
                        Value::Text(text) => query.bind(text),
                        Value::Bytes(bytes) => query.bind(bytes),
                    };
                }
            }
            let done = query.execute(&mut self.connection).await.map_err(doing("insert"))?;
            first.get_or_insert(done.last_insert_id());
        }
        if several {
            self.connection.execute("COMMIT").await.map_err(doing("commit"))?;
        }
        Ok(first.unwrap_or(0))
    }

    async fn ask_map(&self, part: &[Numbered<'_>]) -> Result<Vec<u64>> {
        let failed = |error| Error::engine("the map gave no ids", error);
        let map = self.map.as_ref().ok_or_else(|| Error::config("no map was installed"))?;
        match part {
            [(_, key, _)] => map.id_of(uuid(key)).await.map(|id| vec![id]).map_err(failed),
            part => {
                let uuids: Vec<_> = part.iter().map(|(_, key, _)| uuid(key)).collect();
                map.ids_of(&uuids).await.map_err(failed)
            }
        }
    }

    /// Looks the UUIDs up, inserts the pairs that are missing, then the rows: one transaction.
    async fn pairs_and_rows(
        &mut self,
        plan: &Plan,
        map: &str,
        part: &[Numbered<'_>],
    ) -> Result<Vec<Inserted>> {
        let failed = doing("map and insert");
        self.connection.execute("START TRANSACTION").await.map_err(&failed)?;
        let marks = vec!["?"; part.len()].join(", ");
        let mut query = sqlx::query(AssertSqlSafe(format!("SELECT id FROM {map} WHERE uuid IN ({marks})")));
        for (_, key, _) in part {
            query = bind(query, key, plan.column);
        }
        let known = query.fetch_all(&mut self.connection).await.map_err(&failed)?;
        if !known.is_empty() {
            return Err(Error::unverified(format!("{} new UUIDs are in the map already", known.len())));
        }
        let pairs = vec!["(?, ?)"; part.len()].join(", ");
        let mut query = sqlx::query(AssertSqlSafe(format!("INSERT INTO {map} (uuid, id) VALUES {pairs}")));
        for (number, key, _) in part {
            query = bind(query, key, plan.column).bind(number + 1);
        }
        query.execute(&mut self.connection).await.map_err(&failed)?;
        let rows: Vec<Numbered<'_>> =
            part.iter().map(|(row, _, payload)| (*row, Key::Uint(row + 1), *payload)).collect();
        self.rows(plan, &rows).await?;
        self.connection.execute("COMMIT").await.map_err(&failed)?;
        Ok(part.iter().map(|(row, key, _)| Inserted { key: *key, number: Some(row + 1) }).collect())
    }
}

/// A client of a load whose clients insert at the same time.
pub struct Inserting<'a> {
    pub writer: &'a mut Writer,
    pub plan: &'a Plan,
}

impl Client for Inserting<'_> {
    async fn insert(&mut self, rows: &[Numbered<'_>]) -> Result<Vec<Inserted>> {
        match self.plan.clock {
            Some(clock) => self.writer.timed(self.plan, clock, rows).await,
            None => self.writer.statement(self.plan, rows).await,
        }
    }

    async fn times(&mut self, all: bool) -> Result<Vec<i64>> {
        /// Each row appends to the text of all before it, and each reading of the text takes as long as a statement.
        const AT_ONCE: usize = 200;
        if self.writer.kept >= AT_ONCE || (all && self.writer.kept > 0) {
            self.writer.read_times().await?;
        }
        Ok(std::mem::take(&mut self.writer.times))
    }
}

/// The microseconds of a number of seconds with six decimals.
fn micros(secs: &str) -> Option<i64> {
    let (secs, micros) = secs.split_once('.')?;
    Some(secs.parse::<i64>().ok()? * 1_000_000 + micros.parse::<i64>().ok().filter(|_| micros.len() == 6)?)
}

/// The UUID that a map is asked for.
fn uuid(key: &Key) -> Uuid {
    match key {
        Key::Binary(bytes) => Uuid::from_bytes(*bytes),
        // Mapped columns have no keys of another type.
        _ => Uuid::nil(),
    }
}

/// A map without a cache, because each UUID of a run is looked up only once. Durability is off, because the table is
/// dropped after the run.
async fn map(host: &Host, index: idgen_mysql::Index, table: &str) -> Result<UuidMap> {
    let failed = |error| Error::engine("the map cannot be installed", error);
    let map = UuidMap::builder()
        .table(table)
        .index(index)
        .cache(0)
        .connections(2)
        .accept_unsafe_server(true)
        .connect(host.scratch.url())
        .await
        .map_err(failed)?;
    map.install().await.map_err(failed)?;
    Ok(map)
}
