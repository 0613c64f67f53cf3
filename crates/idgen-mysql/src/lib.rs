//! UUIDs mapped to integers in MySQL and MariaDB: one id per UUID, one UUID per id, and no acknowledged pair
//! ever lost or given out again.
//!
//! A schema keeps its compact integer keys while the world outside speaks UUID.
//!
//! ```no_run
//! use idgen_mysql::UuidMap;
//! use uuid::uuid;
//!
//! # async fn example() -> idgen_mysql::Result<()> {
//! let map = UuidMap::connect("mysql://app:secret@localhost/shop").await?;
//! map.install().await?;
//!
//! let order = uuid!("6ccd780c-baba-1026-9564-5b8c656024db");
//! let id = map.id_of(order).await?; // made now, or found
//! assert_eq!(map.id_of(order).await?, id);
//! assert_eq!(map.uuid_of(id).await?, Some(order));
//! # Ok(())
//! # }
//! ```
//!
//! # What is promised
//! - **One id per UUID, one UUID per id**, for any number of clients in any number of processes, at any
//!   isolation level, whatever a network or a crash does: the table's keys enforce it.
//! - **Acknowledged is stored**: a call returns an id only after the pair is committed, and on disk; also an id
//!   that another client made a moment ago.
//! - **Cancelling a call** (dropping its future) leaves no lock, no open transaction and no half of a pair.
//! - **Repeating a call is safe**: transient failures are repeated here, within a limit of time.
//!
//! The promise rests on the server's: [`UuidMap`] refuses settings under which a crash undoes commits, and
//! says which ([`ServerReport`]). It cannot see what a failover loses: an asynchronous replica that takes over
//! may lack acknowledged pairs and give their ids out again. Group Replication, Galera and semi-synchronous
//! replication do not. Ids are not gapless: a crash of a client wastes the rest of its block.
#![forbid(unsafe_code)]

mod blocks;
mod builder;
mod caller;
mod calls;
mod changes;
mod check;
mod choices;
mod close;
mod column;
mod connector;
mod deadline;
mod driver;
mod error;
mod failure;
mod fence;
mod forget;
pub mod functions;
mod held;
mod identity;
mod install;
mod installed;
mod map;
mod marker;
mod nodes;
mod observe;
mod pair;
mod repeats;
mod retry;
mod rotation;
mod schema;
mod server;
mod session;
mod settle;
mod setup;
mod sharded;
mod single_flight;
mod sql;
mod strategy;
mod tables;
mod transfer;
pub mod types;
mod within;

pub use builder::Builder;
pub use changes::Position;
pub use check::{Finding, Severity};
pub use column::check_column;
pub use driver::{DriverAnswer, DriverConnection, DriverError};
pub use error::{Error, Result};
pub use installed::{IdWidth, Strategy};
pub use map::UuidMap;
pub use server::{Concern, ServerReport, Topology};
pub use strategy::Imported;
pub use transfer::Stats;

/// The version of the driver whose connections, pools and transactions this crate takes.
pub use sqlx;
