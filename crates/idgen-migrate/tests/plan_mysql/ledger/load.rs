//! The copy to integers while some row is locked at each moment: it goes on with the others, and says who holds it up.

use std::time::Duration;

use idgen_migrate::plan::{Options, Target, plan};
use idgen_mysql::Index;
use idgen_server::{Database, Wait};
use sqlx::mysql::MySqlConnection;

use crate::client::{Client, result};
use crate::integers::map_for;
use crate::ledger::world::{Servers, World, text};

/// The rows that are locked one after the other.
const LOCKED: [u32; 3] = [3, 5, 7];

/// MariaDB has no `NOWAIT` in procedures, so there the copy has its own way around locked rows.
pub fn integers_under_load(servers: &Servers) {
    if servers.server.database() != Database::MariaDb {
        return;
    }
    let world = servers.world();
    let folder = tempfile::tempdir().unwrap();
    servers.runtime.block_on(async {
        map_for(Target::Integer, world.scratch.url(), Index::Unique, &[]).await;
        let made = plan(world.scratch.url(), &Options::new("p", Target::Integer)).await.unwrap();
        made.write(folder.path()).unwrap();
    });
    let client = Client::new(&servers.server, world.scratch.name(), folder.path());
    let world = World { client, folder, ..world };
    world.until("copy-p");
    let mut holder = lock(servers, &world, LOCKED[0]);
    let child = world.client.start(&world.file("copy-p"));
    let copied = format!("SELECT rows_copied FROM {}", world.client.made("p", "at"));
    let mut sessions = Vec::new();
    for (round, row) in LOCKED.into_iter().enumerate() {
        // All rows before the locked one are copied.
        let wait = Wait::until(format!("the copy comes to row {row}"));
        while servers.number(&world.scratch, &copied) < i64::from(row) - 1 {
            wait.check();
            std::thread::sleep(Duration::from_millis(20));
        }
        let says = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND INFO LIKE 'DO SLEEP(LEAST(%'";
        let wait = Wait::until("the copy says who holds it up");
        while servers.number(&world.scratch, says) == 0 {
            wait.check();
            std::thread::sleep(Duration::from_millis(20));
        }
        sessions.push(servers.number_on(&mut holder, "SELECT CONNECTION_ID()"));
        // The load does not end between two rounds.
        let next = LOCKED.get(round + 1).map(|row| lock(servers, &world, *row));
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
