//! Integers become `BIGINT`, with the columns that refer to them.

mod clients;
mod refused;
mod twin;

use idgen_server::Database;

use crate::ledger::world::Servers;

#[test]
fn mysql() {
    all(Database::MySql);
}

#[test]
fn mariadb() {
    all(Database::MariaDb);
}

fn all(database: Database) {
    let servers = Servers::with_runtime(database, crate::workers(2));
    refused::refused(&servers);
    clients::clients(&servers);
    twin::unsigned(&servers);
    // It kills the server.
    twin::twin(&servers);
}
