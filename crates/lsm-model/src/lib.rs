//! Predicts what a key does to an LSM tree, as RocksDB and MyRocks keep it: how often compactions write a row again, and
//! how many filters the check for an equal key asks.
//!
//! Rows are collected in a memtable. A full memtable becomes a sorted file of level 0. Compactions merge files of one level
//! into the next, which may hold ten times as many bytes. A file whose keys lie between those of the next level moves
//! there without being written, so keys that ascend are written once.
//!
//! ```
//! use lsm_model::{Settings, Tree};
//!
//! let settings = Settings { memtable_bytes: 1 << 20, level_base_bytes: 4 << 20, ..Settings::rocksdb() };
//! let (mut ascending, mut random) = (Tree::new(&settings, 16, 100)?, Tree::new(&settings, 16, 100)?);
//! for row in 0..200_000_u64 {
//!     ascending.insert(&row.to_be_bytes());
//!     // A bijection of the numbers of 64 bits.
//!     random.insert(&row.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
//! }
//! assert_eq!(ascending.figures().write_amplification, 1.0);
//! assert!(random.figures().write_amplification > 2.0);
//! # Ok::<(), lsm_model::Error>(())
//! ```
//!
//! Time is not modeled: a compaction is done before the next row comes. So stalls, files that wait in level 0 and
//! compactions at the same time are not predicted.
//!
//! Source: the RocksDB wiki, pages Leveled Compaction, Choose Level Compaction Files, Compaction Trivial Move, and
//! RocksDB's blog, "Align Compaction Output File".

#![forbid(unsafe_code)]

mod compact;
mod cut;
mod error;
mod figures;
mod file;
mod level;
mod settings;
mod targets;
mod tree;

pub use error::{Error, Result};
pub use figures::Figures;
pub use settings::{Release, Settings};
pub use tree::Tree;
