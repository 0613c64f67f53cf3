//! The copy to integers while some row is locked at each moment: it says who holds it up, and ends when nobody does. An update of a row that
//! is not copied yet locks its place in the new table, and the rows around it.

use std::time::Duration;

use idgen_migrate::plan::{Options, Target};
use idgen_mysql::Index;
use idgen_server::{Database, Wait};
use sqlx::mysql::MySqlConnection;

use crate::client::result;
use crate::integers::map;
use crate::ledger::world::{Servers, World, text};

/// The rows that are locked one after the other.
const LOCKED: [u32; 3] = [3, 5, 7];

/// MariaDB has no `NOWAIT` in procedures, so there the copy has its own way around locked rows.
pub fn integers_under_load(servers: &Servers) {
    if servers.server.database() != Database::MariaDb {
        return;
    }
    let world = servers.world().another(&servers.server);
    servers.runtime.block_on(map(world.scratch.url(), Index::Unique, &[]));
    servers.plan(&world, &Options::new("p", Target::Integer));
    world.until("copy-p");
    let mut holder = lock(servers, &world, LOCKED[0]);
    let child = world.client.start(&world.file("copy-p"));
    let says = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND INFO LIKE 'DO SLEEP(LEAST(%'";
    let mut sessions = Vec::new();
    for next in LOCKED.into_iter().skip(1).map(Some).chain([None]) {
        // A message from before may be about the previous session.
        for is_saying in [0, 1] {
            let wait = Wait::until("the copy says who holds it up");
            while servers.number(&world.scratch, says) != is_saying {
                wait.check();
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        sessions.push(servers.number_on(&mut holder, "SELECT CONNECTION_ID()"));
        // The load does not end between two rounds.
        let next = next.map(|row| lock(servers, &world, row));
        servers.on(&mut holder, "COMMIT").unwrap();
        if let Some(next) = next {
            holder = next;
        }
    }
    let said = result(child.wait_with_output().unwrap()).unwrap();
    for session in sessions {
        assert!(said.contains(&format!("{session} (root@")), "{session} is not in {said}");
    }
    world.between("triggers-c", "rename");
}

/// A session that has written a row, in a transaction that is open.
fn lock(servers: &Servers, world: &World, row: u32) -> MySqlConnection {
    let mut own = servers.connect(&world.scratch);
    servers.on(&mut own, &format!("BEGIN; UPDATE p SET n = n + 1 WHERE id = '{}'", text(row))).unwrap();
    own
}
