//! Measures what each kind of key costs a database, and predicts it.
//!
//! A [`strategy`] says which ids go into which column, a [`Workload`](idgen_record::Workload) how many rows there are and how
//! wide they are, and an [`engine`] is the database. The [`runner`] inserts, counts, verifies and adds one record per run to
//! [`Results`](idgen_record::Results), which the crate `idgen-report` shows.
//!
//! ```
//! use idgen_lab::runner::{Cancel, Observer, run};
//! use idgen_lab::{engine, measure, strategy};
//! use idgen_record::{Database, Failure, Workload};
//!
//! struct Quiet;
//! impl Observer for Quiet {
//!     fn failed(&mut self, failure: &Failure) {
//!         eprintln!("{}: {}", failure.strategy, failure.error);
//!     }
//! }
//!
//! let workload = Workload::of_rows(20_000)?;
//! let mut database = engine::start(Database::Sqlite, &workload)?;
//! let mut results = measure::begin("Do random keys read more?", "a test", database.info(), workload);
//! let compared = [strategy::find("v7-binary")?, strategy::find("v4-binary")?];
//! run(&mut *database, &compared, &mut results, &Cancel::new(), &mut Quiet)?;
//!
//! // Pages read per 1,000 inserts, from ids in order and from random ones.
//! let [ordered, random] = ["v7-binary", "v4-binary"].map(|name| results.run(name).unwrap().totals.reads_per_1k);
//! assert!(ordered < 5.0 && random > 500.0, "{ordered} {random}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What the library offers
//!
//! | to | use |
//! |---|---|
//! | measure strategies on a database | [`engine::start`] or [`engine::connect`], [`measure::begin`], [`runner::run`] with an [`Observer`](runner::Observer); [`Cancel`](runner::Cancel) ends a run |
//! | measure on RocksDB or MyRocks | [`engine::start_rocksdb`] with the feature `rocksdb`, [`engine::start_myrocks`] |
//! | measure on SQLite, MySQL, MariaDB or PostgreSQL with settings of your own | [`engine::Sqlite`], [`engine::Mysql`], [`engine::Postgres`] |
//! | choose strategies | [`strategy::find`], [`strategy::default_set`], [`strategy::ALL`] |
//! | measure with your own table | [`own::Own`] |
//! | read the experiments that the lab knows, with their loads and published figures | [`experiment::all`], [`experiment::find`] |
//! | predict pages and page fill without a database | [`forecast::predict`] of a [`forecast::Load`] |
//! | find the best key for a planned table | [`advise::advise`] |
//! | distinguish errors | [`Error`] and its methods |
//!
//! Everything else that is public is hidden from this documentation: the command line of the package `idgen-tool` and the
//! tests of this repository use it, and it changes without notice.

#![deny(unsafe_code)]

pub mod advise;
mod cancel;
pub mod engine;
mod error;
pub mod experiment;
pub mod forecast;
mod key;
pub mod lsm;
pub mod measure;
mod order;
pub mod own;
pub mod ranges;
pub mod runner;
#[doc(hidden)]
pub mod session;
pub mod strategy;
mod table;
mod turns;
mod unknown;
mod workload;

pub use error::{Error, Result};
#[doc(hidden)]
pub use key::Key;
pub(crate) use key::TEXT_LEN;

/// Runs the example of the README together with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
