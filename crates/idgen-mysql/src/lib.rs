//! UUIDs mapped to integers in MySQL and MariaDB: one id per UUID, one UUID per id, and no acknowledged pair
//! ever lost or assigned again.
//!
//! A schema keeps its small integer keys, while other programs use UUIDs.
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
//! let id = map.id_of(order).await?; // created now, or found
//! assert_eq!(map.id_of(order).await?, id);
//! assert_eq!(map.uuid_of(id).await?, Some(order));
//! # Ok(())
//! # }
//! ```
//!
//! # What is promised
//! - **One id per UUID, one UUID per id**, for any number of clients in any number of processes, at any isolation level,
//!   and after network failures and crashes. The table's keys enforce it.
//! - **Acknowledged pairs are stored**: a call returns an id only when the pair is committed and on disk, even if another
//!   client created the pair.
//! - **Canceling a call** (dropping its future) leaves no lock, no open transaction and no incomplete pair.
//! - **Repeating a call is safe**: calls themselves repeat attempts that failed temporarily, within a time limit.
//!
//! This depends on the durability of the server: [`UuidMap`] refuses settings under which a crash undoes commits, and names
//! them ([`ServerReport`]). It cannot detect what a failover loses: an asynchronous replica that takes over may lack
//! acknowledged pairs, and their ids would be assigned again. This does not happen with Group Replication, Galera and
//! semi-synchronous replication. Ids have gaps: a crash of a client wastes the rest of its block.
#![forbid(unsafe_code)]

mod call;
mod claim;
mod connection;
mod error;
pub mod functions;
mod installed;
mod lease;
mod map;
mod statement;
pub mod sync;
mod table;
pub mod types;

pub use claim::index::Imported;
pub use connection::server::{ServerReport, Topology};
pub use error::driver::DriverError;
pub use error::refusal::Concern;
pub use error::{Error, Result};
pub use installed::{IdWidth, Index};
pub use lease::{DeviceLeases, Lease};
pub use map::builder::Builder;
pub use map::changes::Position;
pub use map::finding::{Finding, Severity};
pub use map::transfer::Stats;
pub use map::uuid_map::UuidMap;
pub use statement::driver::{DriverAnswer, DriverConnection};
pub use statement::transaction::CallerConnection;
pub use types::column::check_column;

/// The version of the driver whose connections, pools and transactions this crate takes.
pub use sqlx;
