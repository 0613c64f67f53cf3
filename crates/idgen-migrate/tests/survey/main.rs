//! The survey on real servers and on SQLite.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cascades;
mod common;
mod counters;
mod ids;
mod keys;
mod limits;
mod pooler;
mod predictable;
mod schemas;
mod servers;
mod settings;
mod sqlite;
mod sqlite_files;
mod sqlite_keys;
mod standby;
mod strangers;
mod unknown;
