//! `idgen plan run` and `idgen plan status` on real servers, as a user runs them, mixed with the server's own client.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod definer;
mod measured;
mod stops;
mod whole;
mod world;

use idgen_server::Database;

// The renaming waits for the end of older transactions of the whole server, so the parts come one after the other.

#[test]
fn mysql() {
    let server = world::server(Database::MySql);
    measured::copies_rows_on_trial(&server);
    whole::change(&server);
    stops::stop(&server);
    definer::is_gone(&server);
}

#[test]
fn mariadb() {
    let server = world::server(Database::MariaDb);
    measured::copies_rows_on_trial(&server);
    whole::change(&server);
    stops::stop(&server);
    definer::is_gone(&server);
}

#[test]
fn postgres() {
    let server = world::server(Database::Postgres);
    measured::copies_rows_on_trial(&server);
    whole::change(&server);
    stops::stop(&server);
}
