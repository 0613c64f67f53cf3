//! Reads the keys of a live database, judges them, and plans their change.
//!
//! - [`survey`](mod@survey) reads which columns hold ids, of which kinds, what the keys cost, and what is dangerous.
//! - [`plan`](mod@plan) plans the change of a key and of all foreign keys that refer to it, as SQL files.

#![forbid(unsafe_code)]

mod charset;
pub mod plan;
mod programs;
pub mod survey;

pub use idgen_database::{Error, Result};
