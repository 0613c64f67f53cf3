//! Plans for MySQL and MariaDB on real servers: every file is executed by the server's own client, while clients change rows.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bigint;
mod cascades;
mod changer;
mod client;
mod clients;
mod damage;
mod forms;
mod from_now;
mod integers;
mod kills;
mod ledger;
mod pairs;
mod references;
mod replica;
mod sessions;
mod shapes;
mod shop;
mod strangers;
mod tool;
mod twin;
mod walk;
mod whole;
