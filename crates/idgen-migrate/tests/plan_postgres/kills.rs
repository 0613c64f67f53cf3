//! Each step is killed in the middle, undone, killed while it is undone, and executed again, while clients change rows.

use std::time::Duration;

use idgen_server::Wait;
use sqlx::PgConnection;

use crate::clients::Clients;
use crate::psql::{Files, connect, execute, execute_needed, text, until};
use crate::{UUIDS, keys, rows, shape};

/// Keeps a file from being complete as long as it is held: the steps with short locks and indexes wait for it, and clients do not.
const BLOCK: &str = "BEGIN; LOCK TABLE lines IN ROW EXCLUSIVE MODE";
/// Keeps a file that only reads from being complete as long as it is held.
const READ_BLOCK: &str = "BEGIN; LOCK TABLE lines IN ACCESS EXCLUSIVE MODE";
/// The last indexes that are built are those of these tables.
pub const INDEX_BLOCK: &str = "BEGIN; LOCK TABLE lines, payments IN ROW EXCLUSIVE MODE";
/// While that is held, an index that is begun on one of them cannot be complete.
const UNFINISHED: &str = "SELECT count(*) FROM pg_index WHERE NOT indisvalid AND indrelid IN ('lines'::regclass, 'payments'::regclass)";
/// The sessions of clients of the database that execute files.
const SESSIONS: &str =
    "FROM pg_stat_activity WHERE application_name = 'psql' AND datname = current_database()";

struct Test {
    files: Files,
    url: String,
    connection: PgConnection,
    kills: usize,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_step_is_killed_undone_and_continued() {
    let (scratch, mut connection) = rows::filled(rows::count(4_000)).await;
    rows::let_the_old_keys_act_last(&mut connection).await;
    let before = keys(&mut connection).await;
    let files = Files::with_texts(scratch.url()).await;
    let clients = Clients::start(scratch.url(), rows::read(&mut connection).await);
    let mut test = Test { files, url: scratch.url().to_owned(), connection, kills: 0 };
    let switch = test.files.step("switch").to_owned();
    for at in 0..test.files.names.len() {
        let name = test.files.names[at].clone();
        test.run_half(at).await;
        test.kill(&name).await;
        // Continued where it was killed; the soak continues each step.
        if name < switch && (rows::is_soak() || name.ends_with("-indexes.sql")) {
            test.files.run(&name);
            assert_eq!(
                text(&mut test.connection, UNFINISHED).await,
                "0",
                "{name} left an index that is not valid"
            );
        }
        test.go_back(&name).await;
        if name == switch {
            // The server may have completed it for a client that was killed; then the way back has dropped what it needs.
            test.files.run_all(&test.files.names.clone()[at - 5..at]);
        }
        test.run_twice(&name).await;
        if name == switch {
            // Now there is something to go back from.
            test.go_back(&name).await;
            test.files.run_all(&test.files.names.clone()[at - 5..=at]);
        }
    }
    let expected = clients.stop().await;
    rows::check(&mut test.connection, &expected).await;
    assert_eq!(shape(&mut test.connection).await, (UUIDS.into(), "0".into()));
    assert_eq!(keys(&mut test.connection).await, before);
    println!("{} runs were killed", test.kills);
}

impl Test {
    async fn run_twice(&self, name: &str) {
        self.files.run(name);
        self.files.run(name);
    }

    /// Goes back from a step, is killed there, and continues.
    async fn go_back(&mut self, name: &str) {
        // The way back from the last step only says that there is none.
        if !self.files.undo_of(name) || name.ends_with("-finish.sql") {
            return;
        }
        let undo = format!("undo/{name}");
        self.kill(&undo).await;
        self.run_twice(&undo).await;
    }

    /// Executes the first half of a step, as if its session had ended between two statements.
    async fn run_half(&mut self, at: usize) {
        let statements = &self.files.plan.steps[at].statements;
        execute_needed(&mut connect(&self.url).await, &statements[..statements.len() / 2]).await;
    }

    /// Begins to execute a file, which cannot be complete, and ends its session or its client.
    async fn kill(&mut self, name: &str) {
        let builds_indexes = name.ends_with("-indexes.sql") && !name.starts_with("undo");
        let step = name.trim_end_matches(".sql").split_once('-').unwrap().1.to_owned();
        let mut blocker = connect(&self.url).await;
        let id = self.files.id.clone();
        let set = |pause: &str, blocks: u32| {
            format!("UPDATE idgen_{id}.settings SET pause = '{pause}', chunk_blocks = {blocks}")
        };
        match step.as_str() {
            "check" | "verify" => execute(&mut blocker, READ_BLOCK).await,
            "backfill" => execute(&mut self.connection, set("300 ms", 1)).await,
            _ if builds_indexes => execute(&mut blocker, INDEX_BLOCK).await,
            _ => execute(&mut blocker, BLOCK).await,
        }
        let mut running = self.files.spawn(name);
        // A client that is ended is not noticed by the server until its statement is complete, so an index would be complete, too.
        let client = self.kills % 2 == 1 && !builds_indexes;
        let waits = match builds_indexes {
            true => UNFINISHED.to_owned(),
            false => {
                format!("SELECT count(*) {SESSIONS} AND (wait_event_type = 'Lock' OR wait_event = 'PgSleep')")
            }
        };
        let wait = Wait::until(format!("{name} waits, or has ended"));
        while text(&mut self.connection, &waits).await == "0" && !running.has_ended() {
            wait.check();
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        match client {
            true => running.kill(),
            false => {
                execute(&mut self.connection, format!("SELECT pg_terminate_backend(pid) {SESSIONS}")).await
            }
        }
        let (succeeded, said) = running.end();
        assert!(!succeeded, "{name} was complete before it was killed: {said}");
        execute(&mut blocker, "ROLLBACK").await;
        if step == "backfill" {
            execute(&mut self.connection, set("0", 64)).await;
        }
        until(&mut self.connection, &format!("SELECT (count(*) = 0) {SESSIONS}")).await;
        if builds_indexes {
            assert_ne!(
                text(&mut self.connection, UNFINISHED).await,
                "0",
                "no index was left that is not valid"
            );
        }
        self.kills += 1;
    }
}

/// Files in the wrong order end with an error, and clients can write.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn files_in_the_wrong_order_change_nothing() {
    let (_scratch, mut connection, files) = crate::written(40).await;
    let switch = files.names.iter().position(|name| name.ends_with("-switch.sql")).unwrap();
    files.run_all(&files.names[..switch]);
    files.refused(&format!("undo/{}", files.step("triggers")), "is there: the next file is undo/08-text.sql");
    files.refused(files.step("finish"), "the switch has not been made");
    files.run(&files.names[switch]);
    for name in ["check", "prepare", "triggers", "backfill", "indexes", "constraints", "verify", "text"] {
        files.refused(files.step(name), "the switch has been made");
    }
    for name in ["prepare", "triggers", "indexes", "constraints", "text"] {
        files.refused(&format!("undo/{}", files.step(name)), "the switch has been made");
    }
    let write = "INSERT INTO orders (n) VALUES (1); UPDATE orders SET id = gen_random_uuid() WHERE n = 1; DELETE FROM orders WHERE n = 1";
    execute(&mut connection, write).await;
    files.run(&format!("undo/{}", files.names[switch]));
    execute(&mut connection, write).await;
}
