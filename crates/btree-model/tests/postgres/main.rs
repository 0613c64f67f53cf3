//! The model of PostgreSQL's B-tree beside PostgreSQL.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod keys;
mod recorded;
mod server;
