//! Measures what each kind of key costs a database.
//!
//! A [`strategy`] determines which ids go into which column, a [`Workload`](idgen_record::Workload) how many rows there
//! are and how wide they are, and an [`engine`] is the database. The [`runner`] inserts, counts, verifies and writes
//! one record per run ([`measure`], [`idgen_record`]). `idgen-report` shows records and does not depend on this crate.

#![deny(unsafe_code)]

pub mod advise;
mod cancel;
pub mod engine;
mod error;
pub mod experiment;
pub mod forecast;
mod key;
pub mod measure;
mod order;
pub mod own;
pub mod runner;
pub mod session;
pub mod strategy;
mod table;
mod turns;
mod unknown;
mod workload;

pub use error::{Error, Result};
pub use key::{Key, TEXT_LEN};
