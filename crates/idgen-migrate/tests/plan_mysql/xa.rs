//! XA transactions that were prepared, and whose client is gone. MySQL keeps their metadata locks. MariaDB does not, so that a step
//! overtakes them unless it looks for them.

use std::time::Duration;

use idgen_migrate::plan::status::Reader;
use idgen_server::Database;
use sqlx::Connection;

use crate::client::result;
use crate::ledger::world::{Servers, World, text};

#[test]
fn mysql() {
    prepared_rows_are_not_lost(Database::MySql);
}

#[test]
fn mariadb() {
    prepared_rows_are_not_lost(Database::MariaDb);
}

/// Prepares a row, and closes the connection.
fn prepare(servers: &Servers, world: &World, xid: &str, id: &str) {
    let mut client = servers.connect(&world.scratch);
    let sql =
        format!("XA START '{xid}'; INSERT INTO p (id) VALUES ({id}); XA END '{xid}'; XA PREPARE '{xid}'");
    servers.on(&mut client, &sql).unwrap();
    servers.runtime.block_on(client.close()).unwrap();
}

fn assert_named(servers: &Servers, world: &World) {
    let found = servers
        .runtime
        .block_on(async { Reader::open(world.scratch.url()).await.unwrap().read().await.unwrap() });
    let blocked = &found[0].blocked;
    assert!(
        blocked.iter().any(|reason| reason.contains("XA RECOVER lists it")),
        "{blocked:?} {:?}",
        found[0].unread
    );
}

fn prepared_rows_are_not_lost(database: Database) {
    let servers = Servers::start(database);
    let world = servers.world();
    world.until("triggers-p");
    prepare(&servers, &world, "before", &format!("'{}'", text(90)));
    // A list of transactions that the server made a moment ago has it not yet.
    let said =
        world.client.execute(&world.file("triggers-p")).expect_err("it was prepared before the triggers");
    assert!(said.contains("XA RECOVER") && !said.contains("NULL"), "{database}: {said}");
    assert_named(&servers, &world);
    // The server makes the transaction again from its log.
    servers.server.kill().unwrap();
    servers.server.start_again().unwrap();
    let mut child = world.client.start(&world.file("triggers-p"));
    std::thread::sleep(Duration::from_secs(8));
    assert!(child.try_wait().unwrap().is_none(), "{database}: the step waits");
    servers.sql(&world.scratch, "XA COMMIT 'before'").unwrap();
    if let Err(said) = result(child.wait_with_output().unwrap()) {
        // CREATE TRIGGER cannot be repeated in the file.
        assert!(said.contains("ERROR 1205"), "{database}: {said}");
        world.must("triggers-p");
    }
    let files = world.client.files("");
    let after = |file: &&String| **file > world.file("triggers-p") && **file < world.file("rename");
    files.iter().filter(after).for_each(|file| drop(world.client.must(file)));
    // This one fired the triggers.
    prepare(&servers, &world, "after", &format!("'{}'", text(91)));
    if database == Database::MariaDb {
        std::thread::sleep(Duration::from_secs(4));
        world.refused(&world.file("rename"), "XA RECOVER");
    }
    servers.sql(&world.scratch, "XA COMMIT 'after'").unwrap();
    world.must("rename");
    servers.assert_rows(&world, "p", 10, "prepared rows");
    world.must("verify-renamed");
}
