//! Transactions of others that stay open: a step waits for them a second at a time, names them, or needs no lock at all.

use std::time::{Duration, Instant};

use idgen_server::Wait;
use sqlx::Connection;
use sqlx::mysql::MySqlConnection;

use crate::client::result;
use crate::ledger::monitor::Monitor;
use crate::ledger::world::{Servers, text};
use crate::ledger::{bytes, dumps, load};
use crate::shop::execute;

pub fn locks_of_others(servers: &Servers) {
    readers(servers);
    old_snapshots(servers);
    old_lists(servers);
    dumps::dumps(servers);
    load::integers_under_load(servers);
    other_tables(servers);
    bytes::statements_with_bytes(servers);
    open_transactions(servers);
}

/// The steps that only read wait for no row, and lock none.
fn readers(servers: &Servers) {
    let world = servers.world();
    let mut own = servers.connect(&world.scratch);
    let lock = "START TRANSACTION; UPDATE p SET n = n + 1; UPDATE c SET v = v + 1";
    servers.on(&mut own, lock).unwrap();
    world.client.execute("01-check.sql").unwrap();
    servers.on(&mut own, "ROLLBACK").unwrap();
    world.until("verify");
    servers.on(&mut own, lock).unwrap();
    world.client.execute(&world.file("verify")).unwrap();
    servers.on(&mut own, "ROLLBACK").unwrap();
}

fn old_snapshots(servers: &Servers) {
    let world = servers.world();
    let mut own = servers.connect(&world.scratch);
    world.until("copy-c");
    servers.on(&mut own, "START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
    for step in ["copy-c", "own-references", "verify", "triggers-back"] {
        world.must(step);
    }
    world.refused(&world.file("rename"), "began before the copy ended");
    servers.on(&mut own, "ROLLBACK").unwrap();
    world.must("rename");
}

/// A server makes its list of transactions anew only if nobody has read it for 0.1 s: a monitor keeps it as old as it likes.
fn old_lists(servers: &Servers) {
    let world = servers.world();
    let mut own = servers.connect(&world.scratch);
    world.until("copy-c");
    let monitor = Monitor::start(world.scratch.url());
    servers.on(&mut own, "START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
    for step in ["copy-c", "own-references", "verify", "triggers-back"] {
        world.must(step);
    }
    let said = world.client.execute(&world.file("rename")).unwrap_err();
    // On a busy machine the monitor may be late, and then the list is new.
    let expected = ["another session reads INNODB_TRX all the time", "began before the copy ended"];
    assert!(expected.iter().any(|text| said.contains(text)), "{said}");
    monitor.stop();
    world.refused(&world.file("rename"), "began before the copy ended");
    servers.on(&mut own, "ROLLBACK").unwrap();
    std::thread::sleep(Duration::from_millis(150));
    world.must("rename");
}

/// A change of another table waits for its metadata lock for long. Views of the catalog that take the locks of all tables would wait behind it.
fn other_tables(servers: &Servers) {
    let world = servers.world();
    let other = servers.server.scratch().unwrap();
    servers.sql(&other, "CREATE TABLE t (k INT)").unwrap();
    let mut reader = servers.connect(&other);
    servers.on(&mut reader, "BEGIN; SELECT * FROM t").unwrap();
    let url = other.url().to_owned();
    let change = std::thread::spawn(move || {
        crate::runtime().block_on(async {
            let mut changer = MySqlConnection::connect(&url).await.unwrap();
            execute(&mut changer, "ALTER TABLE t ADD b INT, ALGORITHM = COPY").await
        })
    });
    let waits = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'ALTER TABLE t ADD b%' AND STATE LIKE 'Waiting for table metadata lock%'";
    let wait = Wait::until("the change of the other table waits");
    while servers.number(&world.scratch, waits) != 1 {
        wait.check();
    }
    world.until("rename");
    servers.on(&mut reader, "ROLLBACK").unwrap();
    change.join().unwrap().unwrap();
}

/// While a transaction that wrote stays open, each step lets the writers pass, and ends when it does.
fn open_transactions(servers: &Servers) {
    let world = servers.world();
    world.until("triggers-p");
    let mut own = servers.connect(&world.scratch);
    let mut number = 20;
    for file in world.client.files("").iter().filter(|file| **file >= world.file("triggers-p")) {
        let is_renamed = *file > world.file("rename");
        let write = |number: u32| match is_renamed {
            true => format!("UNHEX(REPLACE('{}', '-', ''))", text(number)),
            false => format!("'{}'", text(number)),
        };
        number += 2;
        let (held, other) = (write(number), write(number + 1));
        // A snapshot of it is older than the copy only if it lasts longer.
        servers.on(&mut own, &format!("START TRANSACTION; INSERT INTO p (id) VALUES ({held}); INSERT INTO c (id, p_id) VALUES ({held}, {held})")).unwrap();
        let mut child = world.client.start(file);
        let begin = Instant::now();
        let mut writer = servers.connect(&world.scratch);
        while begin.elapsed() < Duration::from_secs(4) && child.try_wait().unwrap().is_none() {
            let start = Instant::now();
            let sql = format!("INSERT INTO p (id) VALUES ({other}); DELETE FROM p WHERE id = {other}");
            match servers.on(&mut writer, &sql) {
                // The renaming is one moment, and MariaDB tells some statements then that a table does not exist.
                Ok(_) | Err(1146 | 1205 | 1213) => {}
                Err(code) => panic!("{file}: {code}"),
            }
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "{file}: a writer waited {:?}",
                start.elapsed()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        servers.on(&mut own, "UPDATE p SET n = 2; COMMIT").unwrap();
        if let Err(said) = result(child.wait_with_output().unwrap()) {
            // CREATE TRIGGER cannot be repeated in the file.
            assert!(said.contains("ERROR 1205"), "{file}: {said}");
            world.client.must(file);
        }
    }
    servers.assert_rows(&world, "c", 8 + i64::from(number - 20) / 2, "open transactions");
    servers.assert_nothing_left(&world);
}
