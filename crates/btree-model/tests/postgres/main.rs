//! The model of PostgreSQL's B-tree beside figures of PostgreSQL. `rig/readers` compares it with a server.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod keys;
mod recorded;
