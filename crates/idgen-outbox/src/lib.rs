//! Changes of rows that a device makes offline, kept in its SQLite database until a server has them.
//!
//! ```
//! use std::time::SystemTime;
//!
//! use idgen_outbox::{Limits, Outbox, Outcome};
//! use rusqlite::Connection;
//! use serde_json::json;
//! use uuid::uuid;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut database = Connection::open_in_memory()?;
//! database.execute_batch("CREATE TABLE lists (id TEXT PRIMARY KEY, title TEXT)")?;
//! let outbox = Outbox::open(&database)?;
//!
//! // The row and its change are committed together.
//! let list = uuid!("019aba2e-5f3c-7d21-8a44-1d8fa3b0c5e7");
//! let transaction = database.transaction()?;
//! transaction.execute("INSERT INTO lists VALUES (?1, 'food')", [list.to_string()])?;
//! outbox.put(&transaction, "lists", list, [("title", json!("food"))])?;
//! transaction.commit()?;
//!
//! // When there is a network: send the batch, and note what the server answers for each row.
//! let now = SystemTime::now();
//! let batch = outbox.batch(&database, &Limits::default(), now)?;
//! assert_eq!((batch[0].table.as_str(), batch[0].number), ("lists", 1));
//! let transaction = database.transaction()?;
//! outbox.answered(&transaction, ("lists", list, 1), &Outcome::Applied, now)?;
//! transaction.commit()?;
//! assert!(outbox.batch(&database, &Limits::default(), now)?.is_empty());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

/// The examples of the page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod answers;
mod change;
mod error;
mod outbox;
mod states;

pub use change::{Change, Limits, Operation, Outcome, Refused, Unreadable, Waiting};
pub use error::{Error, Result};
pub use outbox::Outbox;

/// The version of the driver whose connections this crate takes.
pub use rusqlite;
