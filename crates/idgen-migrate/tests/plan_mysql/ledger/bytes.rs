//! Statements with bytes that are no text, as parameters of ids are: the list of transactions of MySQL cannot show them (error 3854).

use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use idgen_server::{Database, Wait};
use sqlx::Connection;
use sqlx::mysql::MySqlConnection;

use crate::ledger::world::{Servers, World};
use crate::shop::execute;

/// A transaction with such a statement is found if its snapshot is too old, and otherwise it is no hindrance.
pub fn statements_with_bytes(servers: &Servers) {
    let world = servers.world();
    world.until("copy-c");
    let old = Long::begin(servers, &world);
    for step in ["copy-c", "own-references", "verify", "triggers-back"] {
        world.must(step);
    }
    world.refused(&world.file("rename"), "began before the copy ended");
    old.end(servers, &world);
    let new = Long::begin(servers, &world);
    if servers.server.database() == Database::MySql {
        transactions_that_are_not_recorded(servers, &world);
    }
    world.must("rename");
    new.end(servers, &world);
}

/// The performance schema knows only what it was set to record when it began. A session of which it knows nothing may read the state of before the copy.
fn transactions_that_are_not_recorded(servers: &Servers, world: &World) {
    let set = |sql: &str| servers.sql(&world.scratch, sql).unwrap();
    let consumer = "UPDATE performance_schema.setup_consumers SET ENABLED = '{}' WHERE NAME = 'events_transactions_current'";
    let actors = "UPDATE performance_schema.setup_actors SET ENABLED = '{}'";
    for what in [consumer, actors] {
        set(&what.replace("{}", "NO"));
        let mut own = servers.connect(&world.scratch);
        servers.on(&mut own, "START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
        set(&what.replace("{}", "YES"));
        world.refused(&world.file("rename"), "began before the copy ended");
        servers.on(&mut own, "ROLLBACK").unwrap();
        servers.runtime.block_on(own.close()).unwrap();
    }
}

/// A transaction with a snapshot, and a statement that lasts.
struct Long {
    session: u64,
    thread: JoinHandle<()>,
}

impl Long {
    fn begin(servers: &Servers, world: &World) -> Long {
        let (url, (sender, receiver)) = (world.scratch.url().to_owned(), mpsc::channel());
        let thread = std::thread::spawn(move || {
            crate::runtime().block_on(async {
                let mut own = MySqlConnection::connect(&url).await.unwrap();
                execute(&mut own, "START TRANSACTION WITH CONSISTENT SNAPSHOT").await.unwrap();
                let session = sqlx::query_scalar("SELECT CONNECTION_ID()").fetch_one(&mut own).await.unwrap();
                sender.send(session).unwrap();
                let bytes = [0xC7, 0x4B, 0x8C, 0xFF, 0x00, 0x9Du8].as_slice();
                // It is interrupted at the end of the test.
                let _ = sqlx::query("SELECT SLEEP(600), ?").bind(bytes).execute(&mut own).await;
            });
        });
        let session: u64 = receiver.recv().unwrap();
        let (_, state) = sessions(servers);
        let is_running = format!("{} AND {state} = 'User sleep'", is_there(servers, session));
        wait(servers, world, "the statement runs", &is_running, 1);
        Long { session, thread }
    }

    fn end(self, servers: &Servers, world: &World) {
        servers.sql(&world.scratch, &format!("KILL {}", self.session)).unwrap();
        self.thread.join().unwrap();
        // The client gets the error before the server has rolled the transaction back, and MariaDB takes the session off its list before.
        let transactions = match servers.server.database() {
            Database::MySql => is_there(servers, self.session),
            _ => format!(
                "SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = {}",
                self.session
            ),
        };
        wait(servers, world, "the transaction has ended", &transactions, 0);
    }
}

/// The list of sessions with the column of their numbers, and that of their states.
fn sessions(servers: &Servers) -> (&'static str, &'static str) {
    match servers.server.database() {
        Database::MySql => ("performance_schema.threads WHERE PROCESSLIST_ID", "PROCESSLIST_STATE"),
        _ => ("information_schema.PROCESSLIST WHERE ID", "STATE"),
    }
}

/// Counts the sessions with a number.
fn is_there(servers: &Servers, session: u64) -> String {
    format!("SELECT COUNT(*) FROM {} = {session}", sessions(servers).0)
}

fn wait(servers: &Servers, world: &World, state: &str, count: &str, until: i64) {
    let wait = Wait::until(state);
    while servers.number(&world.scratch, count) != until {
        wait.check();
        // A list of transactions that was read less than 0.1 s ago is repeated.
        std::thread::sleep(Duration::from_millis(150));
    }
}
