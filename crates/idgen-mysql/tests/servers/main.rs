//! The map on real servers: MySQL and MariaDB, both indexes.
//!
//! One program, so that its tests share one server of each kind.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod altered;
mod basics;
mod cached;
mod caller_settings;
mod cancel;
mod changes;
mod check;
mod checker;
mod clean_session;
mod close;
mod columns;
mod common;
mod control;
mod copies;
mod crash;
mod fence;
mod forget;
mod functions;
mod history;
mod identity;
mod inspect;
mod install;
mod leases;
mod names;
mod observe;
mod offline;
mod outage;
mod plans;
mod privileges;
mod proxy;
mod races;
mod read_only;
mod reference;
mod repeated;
mod replaced;
mod reservations;
mod session;
mod settle;
mod stalls;
mod sync;
mod sync_batches;
mod sync_driver;
mod sync_generated;
mod sync_races;
mod sync_references;
mod sync_rows;
mod taken;
mod tampering;
mod transfer;
mod unpaired;
mod verdicts;
mod within;
mod within_refused;
