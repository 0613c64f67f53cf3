//! The map on real servers: MySQL and MariaDB, both strategies.
//!
//! One program, so that its tests share one server of each kind.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod basics;
mod cancel;
mod common;
mod crash;
mod history;
mod install;
mod reference;
mod within;
