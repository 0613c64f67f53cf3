//! Predicts what a key does to a table of InnoDB or SQLite, or to an index of PostgreSQL: page fill, splits, and pages
//! read and written.
//!
//! A B+tree grows by the split rule of its engine, a [`SplitRule`] such as [`InnoDb`]. A buffer pool with a young and an
//! old part decides which pages are in memory. The caller gives the keys in the order of the inserts. Nothing else of the
//! server is modeled: no change buffer, no adaptive hash index, no read-ahead, no other tables.
//!
//! ```
//! use btree_model::{Model, Server, Setup, Shape};
//!
//! let setup = Setup {
//!     shape: Shape::clustered(16_384, 8, 0)?,
//!     server: Server::mysql(128 << 20),
//!     rate: 5_000.0,
//!     commit_rows: 1,
//! };
//! let mut model = Model::new(&setup)?;
//! for key in 0..100_000_u64 {
//!     model.insert(&key.to_be_bytes())?;
//! }
//! let tree = model.tree();
//! assert!(tree.fill.mean > 0.9, "ascending keys should fill their pages: {}", tree.fill.mean);
//! assert_eq!(model.window().reads_per_1k, 0.0);
//! # Ok::<(), btree_model::Error>(())
//! ```
//!
//! Indexes of PostgreSQL, and what they add to its write-ahead log: see [`PostgresIndex`]; tables with their heap and shared buffers:
//! see [`PostgresTable`]. Tables of SQLite: see [`SqliteTable`]. What all models have in common is the trait [`Table`].
//!
//! A table of 10^9 rows is modeled by a sample of its key ranges: see [`Ranges`].
//!
//! Sources: `btr0btr.cc`, `btr0cur.cc`, `page0page.h`, `buf0lru.cc` and `buf0flu.cc` of the MySQL
//! source.

#![forbid(unsafe_code)]

mod any_tree;
mod distinct;
mod error;
mod flush;
mod innodb;
mod key;
mod list;
mod nbtree;
mod nbtree_page;
mod others;
mod page;
mod pool;
mod postgres;
mod ranges;
mod rule;
mod run;
mod server;
mod shape;
mod sqlite;
mod state;
mod table;
mod tree;
mod window;

pub use error::{Error, Result};
pub use innodb::InnoDb;
pub use key::MAX_KEY_BYTES;
pub use nbtree::Nbtree;
pub use postgres::{Log, PostgresIndex, PostgresTable, SharedBuffers};
pub use ranges::Ranges;
pub use rule::{Cut, Records, SplitRule};
pub use run::{Model, Setup};
pub use server::Server;
pub use shape::{RECORD_HEADER, SYSTEM_COLUMNS, Shape};
pub use sqlite::{SqliteShape, SqliteTable};
pub use state::TreeState;
pub use table::{Figures, LogFigures, PoolFigures, Table};
pub use window::Window;
