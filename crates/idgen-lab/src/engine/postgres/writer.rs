//! A client that inserts rows.

use idgen::Uuid;
use idgen_server::Plain;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row};

use super::keys::{bind, bind_one, read_key};
use super::plan::Plan;
use super::{Host, connect, doing, run};
use crate::engine::clients::Client;
use crate::engine::{Inserted, Numbered};
use crate::key::Key;
use crate::own::{Slot, Value};
use crate::{Error, Result};
use idgen_record::{Column, IdKind};

/// A client.
pub struct Writer {
    connection: PgConnection,
    /// Transactions that failed because they could not be serialized.
    failures: u64,
    /// The times, in microseconds since 1970, at which the server inserted rows of which the client has not
    /// been told.
    times: Vec<i64>,
}

impl Writer {
    pub async fn connect(host: &Host) -> Result<Self> {
        Ok(Writer { connection: connect(host).await?, failures: 0, times: Vec::new() })
    }

    /// The connection, for statements other than inserts.
    pub fn connection(&mut self) -> &mut PgConnection {
        &mut self.connection
    }

    /// Transactions that failed because they could not be serialized.
    pub fn failures(&self) -> u64 {
        self.failures
    }

    /// Inserts rows, and returns them in the order of their insertion.
    pub async fn statement(&mut self, plan: &Plan, part: &[Numbered<'_>]) -> Result<Vec<Inserted>> {
        match &plan.map {
            None if plan.own.is_some() => self.own_rows(plan, part).await,
            None if plan.serializable => self.serializable(plan, part).await,
            None => self.rows(plan, part).await,
            Some(map) => self.pairs_and_rows(plan, map, part).await,
        }
    }

    /// Inserts rows, and returns them with the keys or the numbers that the server generated.
    async fn rows(&mut self, plan: &Plan, part: &[Numbered<'_>]) -> Result<Vec<Inserted>> {
        let mut query = sqlx::query(AssertSqlSafe(plan.insert()));
        let keys: Vec<Key> = part.iter().map(|(_, key, _)| *key).collect();
        if !plan.is_made() {
            query = bind(query, &keys, plan.column)?;
        }
        if plan.payload_bytes > 0 {
            query = query.bind(part.iter().map(|(_, _, payload)| *payload).collect::<Vec<&[u8]>>());
        } else if plan.is_made() {
            query = query.bind(part.len() as i64);
        }
        let failed = doing("insert");
        if !plan.is_made() {
            if plan.timed {
                for row in query.fetch_all(&mut self.connection).await.map_err(&failed)? {
                    self.times.push(row.try_get(0).map_err(&failed)?);
                }
            } else {
                query.execute(&mut self.connection).await.map_err(failed)?;
            }
            return Ok(keys.into_iter().map(|key| Inserted { key, number: None }).collect());
        }
        let made = query.fetch_all(&mut self.connection).await.map_err(failed)?;
        if made.len() != part.len() {
            let (sent, found) = (part.len(), made.len());
            return Err(Error::unverified(format!("the server made {found} ids for {sent} rows")));
        }
        made.iter().map(|row| inserted(read_key(row, plan.column)?, plan.ids)).collect()
    }

    /// Runs the user's own statements for these rows, in one transaction if there are several statements.
    async fn own_rows(&mut self, plan: &Plan, part: &[Numbered<'_>]) -> Result<Vec<Inserted>> {
        let Some((own, _)) = &plan.own else { return Ok(Vec::new()) };
        let several = own.inserts().len() > 1;
        if several {
            run(&mut self.connection, "BEGIN").await?;
        }
        let mut rows: Vec<Inserted> =
            part.iter().map(|(_, key, _)| Inserted { key: *key, number: None }).collect();
        for (place, (insert, sql)) in own.inserts().iter().zip(plan.own_inserts(part.len())).enumerate() {
            let makes_key = place == 0 && plan.is_made();
            let mut query = sqlx::query(AssertSqlSafe(sql));
            for ((row, _, payload), done) in part.iter().zip(&rows) {
                let key = done.number.map_or(done.key, Key::Uint);
                for (slot, value) in insert.values(*row, key, payload) {
                    query = match value {
                        Value::Key(_) if makes_key && slot == Slot::Key => query,
                        Value::Key(key) => bind_one(query, &key, plan.column)?,
                        Value::Integer(number) => query.bind(number),
                        Value::Text(text) => query.bind(text),
                        Value::Bytes(bytes) => query.bind(bytes),
                    };
                }
            }
            if !makes_key {
                query.execute(&mut self.connection).await.map_err(doing("insert"))?;
                continue;
            }
            let made = query.fetch_all(&mut self.connection).await.map_err(doing("insert"))?;
            for (row, made) in rows.iter_mut().zip(&made) {
                *row = inserted(read_key(made, plan.column)?, plan.ids)?;
            }
        }
        if several {
            run(&mut self.connection, "COMMIT").await?;
        }
        Ok(rows)
    }

    /// Looks for the keys, and inserts them if they are not there: one transaction, repeated until it can be
    /// serialized.
    async fn serializable(&mut self, plan: &Plan, part: &[Numbered<'_>]) -> Result<Vec<Inserted>> {
        /// A server that refuses this often makes the run fail, because it makes no progress.
        const MOST_ATTEMPTS: u64 = 10_000;
        let before = self.failures;
        loop {
            match self.attempt(plan, part).await {
                Err(error)
                    if has_code(&error, &SERIALIZATION_FAILURE) && self.failures - before < MOST_ATTEMPTS =>
                {
                    self.failures += 1;
                    run(&mut self.connection, "ROLLBACK").await?;
                }
                done => return done,
            }
        }
    }

    async fn attempt(&mut self, plan: &Plan, part: &[Numbered<'_>]) -> Result<Vec<Inserted>> {
        run(&mut self.connection, "BEGIN ISOLATION LEVEL SERIALIZABLE").await?;
        let keys: Vec<Key> = part.iter().map(|(_, key, _)| *key).collect();
        let found = bind(sqlx::query(AssertSqlSafe(plan.find())), &keys, plan.column)?;
        let found = found.fetch_optional(&mut self.connection).await.map_err(doing("look for the keys"))?;
        if found.is_some() {
            return Err(Error::unverified("a new key is in the table already"));
        }
        let inserted = self.rows(plan, part).await?;
        run(&mut self.connection, "COMMIT").await?;
        Ok(inserted)
    }

    /// Looks the UUIDs up, inserts the pairs that are missing, then the rows: one transaction.
    async fn pairs_and_rows(
        &mut self,
        plan: &Plan,
        map: &str,
        part: &[Numbered<'_>],
    ) -> Result<Vec<Inserted>> {
        let failed = doing("map and insert");
        run(&mut self.connection, "BEGIN").await?;
        let uuids: Vec<Key> = part.iter().map(|(_, key, _)| *key).collect();
        let sql = format!("SELECT id FROM {map} WHERE uuid = ANY ($1::uuid[])");
        let known = bind(sqlx::query(AssertSqlSafe(sql)), &uuids, Column::Binary16)?;
        let known = known.fetch_all(&mut self.connection).await.map_err(&failed)?;
        if !known.is_empty() {
            return Err(Error::unverified(format!("{} new UUIDs are in the map already", known.len())));
        }
        let sql = format!("INSERT INTO {map} (uuid, id) SELECT * FROM unnest($1::uuid[], $2::bigint[])");
        let numbers: Vec<Key> = part.iter().map(|(row, ..)| Key::Uint(row + 1)).collect();
        let pairs = bind(sqlx::query(AssertSqlSafe(sql)), &uuids, Column::Binary16)?;
        let pairs = bind(pairs, &numbers, Column::Integer)?;
        pairs.execute(&mut self.connection).await.map_err(&failed)?;
        let rows: Vec<Numbered<'_>> =
            part.iter().map(|(row, _, payload)| (*row, Key::Uint(row + 1), *payload)).collect();
        self.rows(plan, &rows).await?;
        run(&mut self.connection, "COMMIT").await?;
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
        self.writer.statement(self.plan, rows).await
    }

    async fn times(&mut self, _: bool) -> Result<Vec<i64>> {
        Ok(std::mem::take(&mut self.writer.times))
    }
}

/// serialization_failure
const SERIALIZATION_FAILURE: [&str; 1] = ["40001"];

/// Returns whether the server refused a statement with one of these codes.
pub fn has_code(error: &Error, codes: &[&str]) -> bool {
    let cause =
        std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<Plain>()).map(Plain::inner);
    let code = cause.and_then(sqlx::Error::as_database_error).and_then(|error| error.code());
    code.is_some_and(|code| codes.contains(&code.as_ref()))
}

/// A row whose key the server generated.
fn inserted(made: Key, ids: IdKind) -> Result<Inserted> {
    let wanted = match ids {
        IdKind::ServerV4 => 4,
        IdKind::ServerV7 => 7,
        _ => {
            let number = match made {
                Key::Uint(number) => Some(number),
                _ => None,
            };
            return Ok(Inserted { key: Key::Assigned, number });
        }
    };
    match made {
        Key::Binary(bytes) if Uuid::from_bytes(bytes).get_version_num() == wanted => {
            Ok(Inserted { key: made, number: None })
        }
        other => {
            Err(Error::unverified(format!("the server made {other}, which is no UUID of version {wanted}")))
        }
    }
}
