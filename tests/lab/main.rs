//! The lab on real servers and SQLite, at a small size. Each module documents what it checks.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clients;
mod common;
mod existing;
mod external;
mod inserts;
mod leftovers;
mod locks;
mod mixed;
mod myrocks;
mod own;
mod postgres;
mod statements;
mod strategies;
mod tenants;
