//! Each file is killed after its statements and within them, and executed again: nothing is lost, nothing is doubled.

use std::time::Duration;

use idgen_migrate::plan::{Options, Target, plan};
use idgen_mysql::Index;
use idgen_server::{Database, Server, Wait};
use sqlx::Connection;
use sqlx::mysql::MySqlConnection;

use crate::cascades::cascades_in_innodb;
use crate::client::{Client, result};
use crate::clients::Clients;
use crate::integers;
use crate::ledger::world::World;
use crate::shop::{Acknowledged, TABLES, execute, fill};
use crate::whole::{left, named};

/// Messages of the steps of the renaming when they have nothing to do.
const DONE: [&str; 3] =
    ["this step is done: go on with", "nothing to undo here", "or it is undone or finished"];

/// The test kills a file after one of twenty of its statements; the soak after each.
fn distance() -> usize {
    if crate::is_soak() { 1 } else { 20 }
}

// The files of both servers have the same templates, so `make test` kills those of one.
#[test]
#[ignore = "minutes: make soak executes it"]
fn mysql() {
    killed(Database::MySql, Target::Binary16, Index::Unique);
}

#[test]
fn mariadb() {
    killed(Database::MariaDb, Target::Uuid, Index::Unique);
}

#[test]
#[ignore = "minutes: make soak executes it"]
fn integers_on_mysql() {
    killed(Database::MySql, Target::Integer, Index::Unique);
}

#[test]
#[ignore = "minutes: make soak executes it"]
fn integers_on_mariadb() {
    killed(Database::MariaDb, Target::Integer, Index::Dedup);
}

/// The index is that of the map, for integers.
fn killed(database: Database, to: Target, index: Index) {
    let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
    let World { client, scratch, folder } = World::new(&server);
    crate::workers(2).block_on(async {
        let rows = fill(scratch.url(), 4, 2_000, to).await;
        let map = integers::map_for(to, scratch.url(), index, &rows).await;
        plan(scratch.url(), &Options::new("orders", to)).await.unwrap().write(folder.path()).unwrap();
        let clients = Clients::start(&server, scratch.url(), rows, to, map.clone()).await;
        let killer = Killer {
            client: &client,
            clients: &clients,
            url: scratch.url(),
            is_mariadb: database == Database::MariaDb,
        };
        tokio::task::block_in_place(|| killer.whole());
        let (acknowledged, changes, answers) = clients.end().await;
        assert!(changes > 200, "{changes} changes are too few for a test");
        acknowledged.assert_equal(&Acknowledged::read(scratch.url(), "", to).await, "after the last step");
        // A file that is refused leaves the procedures with which it asked: no procedure can drop itself. The last file was executed
        // once more after the end.
        let mut kept = left(scratch.url()).await;
        kept.sort();
        assert_eq!(kept, ["busy", "checks", "guard"].map(|name| client.own(name)));
        if let Some(map) = map {
            integers::assert_of_the_map(scratch.url(), &map, &answers).await;
        }
    });
}

struct Killer<'a> {
    client: &'a Client,
    clients: &'a Clients,
    url: &'a str,
    is_mariadb: bool,
}

impl Killer<'_> {
    fn whole(&self) {
        let (client, rename, finish) =
            (self.client, named(self.client, "rename"), named(self.client, "finish"));
        let before = client.files("").into_iter().filter(|file| *file < rename);
        before.clone().for_each(|file| self.step(&file));
        let undo = client.files("undo").into_iter().filter(|file| *file < rename).rev();
        undo.for_each(|file| self.step(&format!("undo/{file}")));
        before.for_each(|file| drop(client.must(&file)));
        self.clients.may_be_renamed();
        let back = format!("undo/{rename}");
        self.says(&back, "nothing to undo here");
        self.says(&finish, "is not done: execute it first");
        self.step(&rename);
        self.says(&rename, "this step is done: go on with");
        for file in client.files("undo").iter().filter(|file| **file < rename) {
            self.says(&format!("undo/{file}"), "later steps stand: execute undo/");
        }
        self.step(&named(client, "verify-renamed"));
        self.step(&back);
        client.must(&named(client, "verify"));
        client.must(&rename);
        self.says(&finish, "has not succeeded since the renaming");
        client.must(&named(client, "verify-renamed"));
        self.finish(&finish, &back);
    }

    /// Tests that there is no way back from the beginning of the last step on.
    fn finish(&self, finish: &str, back: &str) {
        let pieces = self.client.statements(finish);
        let begun = pieces
            .iter()
            .position(|piece| piece.contains(&format!("CALL {}", self.client.own("ending"))))
            .unwrap();
        self.until_done(|| self.client.execute_text(&pieces[..=begun].concat()));
        self.says(back, "there is no way back");
        self.says(&named(self.client, "verify-renamed"), "the last step has begun");
        self.step(finish);
        self.says(finish, "or it is undone or finished");
    }

    /// Executes a file that must end with an error, which says what to do.
    fn says(&self, file: &str, what: &str) {
        let error = self.client.execute(file).expect_err(file);
        assert!(error.contains(what), "{file}: {error}");
    }

    /// Kills a file in several places, and then executes it. On MariaDB, RENAME TABLE is killed only while it waits: after a KILL
    /// in its middle, 10.11.18 could not read the definitions of triggers any more (error 1343, seen once).
    fn step(&self, file: &str) {
        println!("{file}");
        let pieces = self.client.statements(file);
        let recorded = pieces.iter().rposition(|piece| piece.contains("(TRUE)")).unwrap_or(pieces.len());
        for cut in (2..recorded).step_by(distance()) {
            self.until_done(|| self.client.execute_text(&pieces[..cut].concat()));
        }
        self.kill_the_copy(file);
        self.kill_while_it_waits(file);
        if !(self.is_mariadb && file.ends_with("-rename.sql")) {
            let after = Duration::from_millis(fastrand::u64(30..250));
            self.clients.kill_while_it_runs(self.client, file, after);
        }
        self.until_done(|| self.client.execute(file));
    }

    /// Repeats an execution that fails to get a lock. The renaming may be done already.
    fn until_done(&self, execute: impl Fn() -> Result<String, String>) {
        for _ in 0..20 {
            match execute() {
                Err(text) if text.contains("ERROR 1205") || text.contains("ERROR 1213") => {}
                Err(text) if DONE.iter().any(|done| text.contains(done)) => return,
                Err(text) => panic!("{text}"),
                Ok(_) => return,
            }
        }
        panic!("a step does not get its lock");
    }

    /// A transaction of a client has used the old tables and stays open: the session is killed while it waits for it.
    fn kill_while_it_waits(&self, file: &str) {
        let runtime = tokio::runtime::Handle::current();
        let mut open = runtime.block_on(MySqlConnection::connect(self.url)).unwrap();
        let used = TABLES.map(|table| format!("SELECT 1 FROM {table} LIMIT 1")).join("; ");
        // The processes of these clients are distinguished from those of the file by their state.
        runtime.block_on(execute(&mut open, &format!("START TRANSACTION; {used}"))).unwrap();
        let mut child = self.client.start(file);
        let wait = Wait::until(format!("{file} waits for the transaction, or has ended"));
        while child.try_wait().unwrap().is_none()
            && runtime.block_on(self.clients.kill_others("metadata lock")) == 0
        {
            wait.check();
            std::thread::sleep(Duration::from_millis(5));
        }
        runtime.block_on(execute(&mut open, "ROLLBACK")).unwrap();
        let _ = result(child.wait_with_output().unwrap());
    }

    /// The session is killed between two chunks or in one; then a second session is refused, as when only the client was killed.
    fn kill_the_copy(&self, file: &str) {
        let Some((_, table)) = file.split_once("-copy-").filter(|_| !file.starts_with("undo")) else {
            return;
        };
        let at = self.client.made(table.trim_end_matches(".sql"), "at");
        let control = self.client.own("control");
        self.set(&format!("UPDATE {at} SET copied_to = NULL, rows_copied = 0, finished = FALSE"));
        // Small chunks.
        self.set(&format!("UPDATE {control} SET chunk_milliseconds = 0"));
        let mut child = self.client.start(file);
        let copied = format!("SELECT CAST(rows_copied AS SIGNED) FROM {at}");
        let wait = Wait::until(format!("{file} has copied some rows, or has ended"));
        while child.try_wait().unwrap().is_none() && self.number(&copied) <= 20 {
            wait.check();
        }
        tokio::runtime::Handle::current().block_on(self.clients.kill_others(""));
        if result(child.wait_with_output().unwrap()).is_ok() {
            // It was faster than the KILL: a step that is done is executed again only after its way back.
            self.until_done(|| self.client.execute(&format!("undo/{file}")));
        }
        self.set(&format!("UPDATE {control} SET paused = 1"));
        let first = self.client.start(file);
        self.wait_for(1);
        self.says(file, "executes a file of this plan");
        self.set(&format!("UPDATE {control} SET paused = 0, chunk_milliseconds = 100"));
        result(first.wait_with_output().unwrap()).unwrap();
    }

    fn set(&self, sql: &str) {
        tokio::runtime::Handle::current().block_on(async {
            let mut own = MySqlConnection::connect(self.url).await.unwrap();
            execute(&mut own, sql).await.unwrap();
        });
    }

    fn number(&self, sql: &str) -> i64 {
        tokio::runtime::Handle::current().block_on(async {
            let mut own = MySqlConnection::connect(self.url).await.unwrap();
            sqlx::query_scalar(sqlx::AssertSqlSafe(sql.to_owned())).fetch_one(&mut own).await.unwrap()
        })
    }

    /// Until so many sessions sleep in the copy.
    fn wait_for(&self, sessions: i64) {
        let [list, _, schema, state] = self.clients.sessions();
        let sql = format!(
            "SELECT COUNT(*) FROM {list} WHERE {schema} = DATABASE() \
             AND {state} = 'User sleep'"
        );
        let wait = Wait::until(format!("{sessions} sessions wait in the copy"));
        while self.number(&sql) < sessions {
            wait.check();
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
