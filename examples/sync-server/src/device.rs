//! A device: rows and their changes in one SQLite database, sent when the server can be reached.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

use flate2::{Compression, write::GzEncoder};
use idgen_outbox::{Change, Limits, Operation, Outbox, Outcome};
use rusqlite::Connection;
use serde_json::json;
use serde_json::value::to_raw_value;
use uuid::Uuid;

use crate::server::{LARGEST_BATCH, LARGEST_BODY};
use crate::wire::{self, Answer, Batch};

/// The most bytes of a batch as JSON. The server takes more, but a small batch is sent again sooner after a lost answer.
const BATCH_BYTES: usize = 20_000;
/// Every server takes a change of this many bytes. One that says otherwise is not configured as it should be, and a smaller change is not
/// refused because of that.
const SMALLEST_BYTES: usize = 4_096;
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A device with its database.
pub struct Device {
    database: Connection,
    outbox: Outbox,
    agent: ureq::Agent,
    /// The most changes and bytes of the next batch.
    limits: Limits,
    /// The most of any batch, until a server states that it takes less.
    most: Limits,
    /// The most changes and bytes that the server takes, for rows that have to be sent together.
    stated: Option<(usize, usize)>,
    keys: Box<dyn FnMut() -> Uuid + Send>,
}

impl Device {
    /// Opens the database, and creates its tables if they are missing.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn open(path: &Path) -> Result<Device> {
        let database = Connection::open(path)?;
        database.execute_batch(
            "CREATE TABLE IF NOT EXISTS lists (id TEXT PRIMARY KEY, title TEXT NOT NULL);
             CREATE TABLE IF NOT EXISTS items (id TEXT PRIMARY KEY, list_id TEXT NOT NULL REFERENCES lists (id),
                                               title TEXT NOT NULL, done INTEGER NOT NULL);
             CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, item_id TEXT REFERENCES items (id), code TEXT NOT NULL);",
        )?;
        let outbox = Outbox::open(&database)?;
        // The body of an answer with another status says why.
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(Duration::from_secs(40)))
            .http_status_as_error(false)
            .build()
            .into();
        let limits = Limits { bytes: BATCH_BYTES, ..Limits::default() };
        let stated = Some((LARGEST_BATCH, LARGEST_BODY));
        Ok(Device { database, outbox, agent, limits, most: limits, stated, keys: Box::new(idgen::v7) })
    }

    /// Makes the keys of rows in another way than by [`idgen::v7`].
    #[must_use]
    pub fn with_keys(mut self, keys: impl FnMut() -> Uuid + Send + 'static) -> Device {
        self.keys = Box::new(keys);
        self
    }

    /// Sends other batches than by default, until a server states that it takes less.
    #[must_use]
    pub fn with_batches(mut self, changes: usize, bytes: usize) -> Device {
        self.limits = Limits { changes, bytes, most: None };
        self.most = self.limits;
        self
    }

    /// Makes a list.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn add_list(&mut self, title: &str) -> Result<Uuid> {
        let list = (self.keys)();
        let transaction = self.database.transaction()?;
        transaction.execute("INSERT INTO lists VALUES (?1, ?2)", (list.to_string(), title))?;
        self.outbox.put(&transaction, "lists", list, [("title", json!(title))])?;
        transaction.commit()?;
        Ok(list)
    }

    /// Makes an item of a list.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn add_item(&mut self, list: Uuid, title: &str) -> Result<Uuid> {
        let item = (self.keys)();
        let transaction = self.database.transaction()?;
        let row = (item.to_string(), list.to_string(), title);
        transaction.execute("INSERT INTO items VALUES (?1, ?2, ?3, FALSE)", row)?;
        let columns = [("list_id", json!(list.to_string())), ("title", json!(title)), ("done", json!(false))];
        self.outbox.put(&transaction, "items", item, columns)?;
        transaction.commit()?;
        Ok(item)
    }

    /// Makes a note about an item, with a 64-bit id that people can read out. It is sent as text.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn add_note(&mut self, item: Uuid, code: u64) -> Result<Uuid> {
        let note = (self.keys)();
        let transaction = self.database.transaction()?;
        let row = (note.to_string(), item.to_string(), code.to_string());
        transaction.execute("INSERT INTO notes VALUES (?1, ?2, ?3)", row)?;
        let columns = [("item_id", json!(item.to_string())), ("code", json!(code.to_string()))];
        self.outbox.put(&transaction, "notes", note, columns)?;
        transaction.commit()?;
        Ok(note)
    }

    /// Gives an item another title.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn rename(&mut self, item: Uuid, title: &str) -> Result<()> {
        let transaction = self.database.transaction()?;
        transaction.execute("UPDATE items SET title = ?2 WHERE id = ?1", (item.to_string(), title))?;
        self.outbox.put(&transaction, "items", item, [("title", json!(title))])?;
        transaction.commit()?;
        Ok(())
    }

    /// Checks an item off.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn check_off(&mut self, item: Uuid) -> Result<()> {
        let transaction = self.database.transaction()?;
        transaction.execute("UPDATE items SET done = TRUE WHERE id = ?1", [item.to_string()])?;
        self.outbox.put(&transaction, "items", item, [("done", json!(true))])?;
        transaction.commit()?;
        Ok(())
    }

    /// Deletes a row.
    ///
    /// # Errors
    /// SQLite fails, as it does if other rows refer to the row.
    pub fn delete(&mut self, table: &str, row: Uuid) -> Result<()> {
        let transaction = self.database.transaction()?;
        transaction.execute(&format!("DELETE FROM {table} WHERE id = ?1"), [row.to_string()])?;
        self.outbox.delete(&transaction, table, row)?;
        transaction.commit()?;
        Ok(())
    }

    /// Sends everything again, after the server was restored from a backup, and returns how many rows these are.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn resend(&self) -> Result<u64> {
        Ok(self.outbox.resend(&self.database)?)
    }

    /// The changes that wait for other rows, with the reasons.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn waiting(&self) -> Result<Vec<String>> {
        let waiting = self.outbox.waiting(&self.database)?;
        Ok(waiting.into_iter().map(|waiting| waiting.reason).collect())
    }

    /// How many changes the server does not have yet, and the reasons of those that it has refused.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn left(&self) -> Result<(u64, Vec<String>)> {
        let refused = self.outbox.refused(&self.database)?;
        Ok((
            self.outbox.pending(&self.database)?,
            refused.into_iter().map(|refused| refused.reason).collect(),
        ))
    }

    /// The device's own rows.
    pub fn database(&self) -> &Connection {
        &self.database
    }

    /// The next changes to send, at most so many bytes of JSON.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn next_batch(&self, bytes: usize) -> Result<Vec<Change>> {
        let limits = Limits { bytes, most: self.stated, ..self.limits };
        Ok(self.outbox.batch(&self.database, &limits, SystemTime::now())?)
    }

    /// Sends one batch, and returns whether there was any. Changes that wait for other rows are sent later. After an error, send
    /// again later: nothing is lost, and nothing arrives twice.
    ///
    /// # Errors
    /// The server could not be reached or did not answer, or SQLite fails.
    pub fn send(&mut self, url: &str, token: &str) -> Result<bool> {
        let batch = self.next_batch(self.limits.bytes)?;
        if batch.is_empty() {
            return Ok(false);
        }
        let reply = self.post(url, token, &batch);
        if let Err(error) = &reply
            && let Some(ureq::Error::Timeout(_)) = error.downcast_ref()
        {
            self.send_half(&batch, None);
        }
        match reply? {
            Reply::Answer(answer) => {
                self.record(&batch, &answer)?;
                self.keep_to(answer.limits);
                self.limits.changes = self.most.changes.min(self.limits.changes.saturating_mul(2));
            }
            Reply::TooLarge(limits) => self.shrink(&batch, limits)?,
            Reply::Unavailable { reason, limits } => {
                self.send_half(&batch, limits);
                return Err(format!("status 503: {reason}").into());
            }
        }
        Ok(true)
    }

    /// Sends half as many changes next time, because the server may have had too little time for these. Answers make it more again.
    fn send_half(&mut self, batch: &[Change], stated: Option<wire::Limits>) {
        let stated = stated.map_or(usize::MAX, |limits| limits.changes);
        self.limits.changes = (batch.len() / 2).min(stated).max(1);
    }

    /// Sends no more at once than a server states that it takes.
    fn keep_to(&mut self, stated: wire::Limits) {
        if stated.changes > 0 && stated.bytes >= SMALLEST_BYTES {
            self.stated = Some((stated.changes, stated.bytes));
            self.most.changes = self.most.changes.min(stated.changes);
            self.most.bytes = self.most.bytes.min(stated.bytes);
            self.limits.changes = self.limits.changes.min(self.most.changes);
            self.limits.bytes = self.limits.bytes.min(self.most.bytes);
        }
    }

    /// Sends less at once from now on. A single change that the server does not take is refused, unless every server should take
    /// it.
    fn shrink(&mut self, batch: &[Change], stated: Option<wire::Limits>) -> Result<()> {
        if let [change] = batch {
            let bytes = body(batch)?.len();
            let of_any = format!("the server, or a proxy before it, does not take a change of {bytes} bytes");
            if bytes <= SMALLEST_BYTES {
                return Err(of_any.into());
            }
            let reason = stated.map_or(of_any, |limits| {
                format!("the server does not take a change of {bytes} bytes: at most {} bytes", limits.bytes)
            });
            let at = (change.table.as_str(), change.row, change.number);
            self.outbox.answered(&self.database, at, &Outcome::Refused(reason), SystemTime::now())?;
        } else {
            self.most.changes = self.most.changes.min(batch.len().div_ceil(2)).max(1);
            self.limits.changes = self.limits.changes.min(self.most.changes);
            // Something before the server takes less than it states.
            self.stated = None;
        }
        if let Some(stated) = stated {
            self.keep_to(stated);
        }
        Ok(())
    }

    /// Sends changes, and returns what the server answers.
    ///
    /// # Errors
    /// The server could not be reached, or did not answer.
    pub fn post(&self, url: &str, token: &str, batch: &[Change]) -> Result<Reply> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&body(batch)?)?;
        let request = self
            .agent
            .post(format!("{url}/sync"))
            .header("Authorization", format!("Bearer {token}"))
            .header("Content-Type", "application/json")
            .header("Content-Encoding", "gzip");
        let mut response = request.send(&packed.finish()?[..])?;
        let status = response.status().as_u16();
        let text = response.body_mut().read_to_vec()?;
        match status {
            200 => Ok(Reply::Answer(serde_json::from_slice(&text)?)),
            // A proxy before the server has an answer of its own.
            413 | 503 => {
                let said = serde_json::from_slice::<wire::Failure>(&text).ok();
                let limits = said.as_ref().map(|said| said.limits);
                let reason = || String::from_utf8_lossy(&text).into_owned();
                Ok(match status {
                    413 => Reply::TooLarge(limits),
                    _ => Reply::Unavailable { reason: said.map_or_else(reason, |said| said.error), limits },
                })
            }
            _ => Err(format!("status {status}: {}", String::from_utf8_lossy(&text)).into()),
        }
    }

    /// Records what the server has answered, in one transaction.
    ///
    /// # Errors
    /// SQLite fails, or the answer does not have one outcome for each change.
    pub fn record(&mut self, batch: &[Change], answer: &Answer) -> Result<()> {
        let (outcomes, changes) = (answer.outcomes.len(), batch.len());
        if outcomes != changes {
            return Err(format!("the server has answered {changes} changes with {outcomes} outcomes").into());
        }
        let transaction = self.database.transaction()?;
        for (change, outcome) in batch.iter().zip(&answer.outcomes) {
            let outcome = match outcome {
                wire::Outcome::Applied => Outcome::Applied,
                wire::Outcome::Older { newest } => Outcome::Older(newest.parse()?),
                wire::Outcome::Waits { reason, table, row } => {
                    Outcome::Waits { reason: reason.clone(), table: table.clone(), row: row.parse()? }
                }
                wire::Outcome::Blocked { reason, table, row, number } => Outcome::Blocked {
                    reason: reason.clone(),
                    table: table.clone(),
                    row: row.parse()?,
                    number: number.parse()?,
                },
                wire::Outcome::Refused { reason } => Outcome::Refused(reason.clone()),
            };
            let at = (change.table.as_str(), change.row, change.number);
            self.outbox.answered(&transaction, at, &outcome, SystemTime::now())?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Sends all refused rows again, as a user does who has looked at them, and returns how many there were.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn retry(&self) -> Result<usize> {
        let refused = self.outbox.refused(&self.database)?;
        for row in &refused {
            self.outbox.retry(&self.database, &row.change.table, row.change.row)?;
        }
        Ok(refused.len())
    }
}

/// What a server answers to a batch.
#[derive(Debug)]
pub enum Reply {
    /// What became of each change.
    Answer(Answer),
    /// The batch exceeds the limits of the server, which did nothing, or of a proxy, which does not state them.
    TooLarge(Option<wire::Limits>),
    /// The server could not apply the batch, or not in time.
    Unavailable {
        /// Why, for people.
        reason: String,
        /// The most of the next batch, if the server states that.
        limits: Option<wire::Limits>,
    },
}

/// A batch as the JSON that the server reads.
///
/// # Errors
/// Memory is short.
pub fn body(batch: &[Change]) -> Result<Vec<u8>> {
    let change = |change: &Change| {
        let columns = change.columns.iter().map(|(name, value)| Ok((name.clone(), to_raw_value(value)?)));
        to_raw_value(&wire::Change {
            table: change.table.clone(),
            row: change.row.to_string(),
            number: change.number.to_string(),
            known: Some(change.known.clone()),
            operation: match change.operation {
                Operation::Put => wire::Operation::Put,
                Operation::Replace => wire::Operation::Replace,
                Operation::Delete => wire::Operation::Delete,
            },
            columns: columns.collect::<serde_json::Result<_>>()?,
        })
    };
    let changes = batch.iter().map(change).collect::<serde_json::Result<_>>()?;
    Ok(serde_json::to_vec(&Batch { changes })?)
}
