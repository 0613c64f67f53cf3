//! Plans for MySQL and MariaDB on real servers: every file is executed by the server's own client, while clients change rows.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bigint;
mod cascades;
mod changer;
mod client;
mod clients;
mod damage;
mod force;
mod forms;
mod from_now;
mod generated;
mod ignored;
mod integers;
mod kills;
mod ledger;
mod names;
mod notes;
mod pair;
mod pairs;
mod pooler;
mod positions;
mod privileges;
mod references;
mod replica;
mod sessions;
mod shapes;
mod shop;
mod snapshots;
mod strangers;
mod tool;
mod twin;
mod variables;
mod walk;
mod whole;
mod xa;

/// `make soak` sets it: all cases, more rows. `make test` executes a part of the cases, chosen so that each kind is among them.
fn is_soak() -> bool {
    std::env::var_os("IDGEN_SOAK_OPERATIONS").is_some()
}

/// One of three cases, beginning with another one for each server; all of them in the soak.
fn sample<T>(
    database: idgen_server::Database,
    cases: impl IntoIterator<Item = T>,
) -> impl Iterator<Item = T> {
    let first = usize::from(database == idgen_server::Database::MySql);
    let (skip, step) = if is_soak() { (0, 1) } else { (first, 3) };
    cases.into_iter().skip(skip).step_by(step)
}

/// A runtime that executes everything in the thread of a test.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Returns a runtime with this number of threads, whose tasks continue while the test waits for a program.
fn workers(threads: usize) -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build().unwrap()
}
