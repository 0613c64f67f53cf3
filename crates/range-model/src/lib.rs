//! Predicts how inserts spread over the ranges and the nodes of a database that keeps a table in sorted ranges, as HBase,
//! TiDB, CockroachDB, YugabyteDB and Spanner do.
//!
//! A range is a part of the keys, from one key to another, on one node. A range that grows over its size is split in the
//! middle, and a balancer moves ranges from one node to another. Keys that ascend all go to the last range, so one node
//! inserts all rows, however many nodes there are.
//!
//! ```
//! use range_model::{Key, Settings, Table};
//!
//! let settings = Settings { split_bytes: 100_000, ..Settings::of_nodes(3) };
//! let (mut ascending, mut random) = (Table::new(&settings)?, Table::new(&settings)?);
//! for row in 0..20_000_u64 {
//!     ascending.insert(Key::of(&row.to_be_bytes()), 100);
//!     // A bijection of the numbers of 64 bits.
//!     random.insert(Key::of(&row.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()), 100);
//!     if row % 1_000 == 0 {
//!         ascending.balance();
//!         random.balance();
//!     }
//! }
//! let next: Vec<Key> = (20_000..21_000_u64).map(|row| Key::of(&row.to_be_bytes())).collect();
//! assert_eq!(ascending.shares(&next).hottest_range, 1.0);
//! let next: Vec<Key> = (20_000..21_000_u64)
//!     .map(|row| Key::of(&row.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()))
//!     .collect();
//! assert!(random.shares(&next).hottest_range < 0.2 && random.shares(&next).hottest_node < 0.5);
//! # Ok::<(), range_model::Error>(())
//! ```
//!
//! Time is not modeled: a split or a move is done before the next row comes. Replicas are not modeled: the node of a range is
//! the one that accepts its writes.
//!
//! Source: Chang and others, "Bigtable: A Distributed Storage System for Structured Data", OSDI 2006, section 5, and the HBase
//! Reference Guide, sections Managed Splitting and StochasticLoadBalancer.

#![forbid(unsafe_code)]

mod balance;
mod error;
mod key;
mod range;
mod settings;
mod shares;
mod spread;
mod table;

pub use error::{Error, Result};
pub use key::Key;
pub use settings::{Balancer, Settings};
pub use shares::Shares;
pub use spread::Spread;
pub use table::Table;
