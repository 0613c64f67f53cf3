//! Integers become `BIGINT`, with the columns that refer to them.

mod clients;
mod refused;
mod twin;

use idgen_server::{Database, Server};

use crate::cascades::cascades_in_innodb;

#[test]
fn mysql() {
    all(Database::MySql);
}

#[test]
fn mariadb() {
    all(Database::MariaDb);
}

fn all(database: Database) {
    let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
    let runtime = crate::workers(2);
    refused::refused(&server, &runtime);
    clients::clients(&server, &runtime);
    twin::unsigned(&server, &runtime);
    // It kills the server.
    twin::twin(&server, &runtime);
}
