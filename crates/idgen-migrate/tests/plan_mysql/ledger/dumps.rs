//! Dumps in one transaction beside the renaming: they have all rows, or end with an error, or the renaming is refused until they end.

use std::process::Child;
use std::time::Duration;

use idgen_server::{Database, Wait};
use sqlx::mysql::MySqlConnection;

use crate::client::result;
use crate::ledger::world::{Servers, World};

/// On MySQL. What a dump of MariaDB reads is what an old snapshot reads, and the images of its servers have no program for dumps.
pub fn dumps(servers: &Servers) {
    if servers.server.database() != Database::MySql {
        return;
    }
    let world = servers.world();
    // A dump reads the tables in the order of their names, and waits in the first one.
    servers.sql(&world.scratch, "CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1)").unwrap();
    let mut holder = servers.connect(&world.scratch);
    world.until("copy-c");
    let old = begin(servers, &world, &mut holder);
    for step in ["copy-c", "own-references", "verify", "triggers-back"] {
        world.must(step);
    }
    world.refused(&world.file("rename"), "began before the copy ended");
    assert_eq!(rows(&end(servers, old, &mut holder).unwrap(), "p"), 8);
    // A dump that began later may read the renamed tables.
    let new = begin(servers, &world, &mut holder);
    world.must("rename");
    match end(servers, new, &mut holder) {
        Ok(dumped) => assert_eq!((rows(&dumped, "p"), rows(&dumped, "c")), (8, 8)),
        // The table was changed since the snapshot, or a table of the plan has another name by now.
        Err(said) => assert!(said.contains("(1412)") || said.contains("(1146)"), "{said}"),
    }
}

/// Starts a dump, whose snapshot is made when it waits.
fn begin(servers: &Servers, world: &World, holder: &mut MySqlConnection) -> Child {
    let lock = world.client.own("dump");
    servers.on(holder, &format!("DO GET_LOCK('{lock}', 0)")).unwrap();
    let dump = world.client.dump(&format!("GET_LOCK('{lock}', 600) = 1"));
    let waits =
        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND STATE = 'User lock'";
    let wait = Wait::until("the dump waits in the first table");
    while servers.number(&world.scratch, waits) != 1 {
        wait.check();
        std::thread::sleep(Duration::from_millis(20));
    }
    dump
}

fn end(servers: &Servers, dump: Child, holder: &mut MySqlConnection) -> Result<String, String> {
    servers.on(holder, "DO RELEASE_ALL_LOCKS()").unwrap();
    result(dump.wait_with_output().unwrap())
}

/// The rows of a table in a dump.
fn rows(dump: &str, table: &str) -> usize {
    dump.lines().filter(|line| line.starts_with(&format!("INSERT INTO `{table}` "))).count()
}
