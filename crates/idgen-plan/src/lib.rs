//! Plans the change of a key and of all foreign keys that refer to it, as data that is written as SQL files.
//!
//! A [`Plan`] has steps; each [`Step`] has statements, the locks that they take, a way to stop and a way back.
//! [`Plan::write`] makes a folder of numbered files of them, which the server's own client executes.

#![forbid(unsafe_code)]

mod error;
mod folder;
mod make;
mod mysql;
mod options;
mod plan;
mod postgres;
mod terminal;

pub use error::{Error, Result};
pub use make::plan;
pub use options::Options;
pub use plan::{Command, Engine, Plan, Statement, Step, Target, Tool};
