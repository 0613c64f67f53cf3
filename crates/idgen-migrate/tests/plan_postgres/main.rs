//! Plans for PostgreSQL on a real server: executed by psql while clients change rows, killed, continued and undone.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod abandon;
mod after_switch;
mod attached;
mod bigint;
mod clients;
mod composite;
mod in_triggers;
mod kills;
mod locks;
mod operator;
mod poolers;
mod prepared;
mod psql;
mod refused;
mod replica;
mod rights;
mod rows;
mod schema;
mod sessions;
mod small;
mod snapshots;
mod strangers;
mod two_plans;
mod walks;

use std::time::{Duration, Instant};

use idgen_migrate::plan::Plan;
use idgen_server::{Scratch, Wait};
use sqlx::{Executor, PgConnection};

use clients::Clients;
use psql::{Files, connect, execute, text};

/// A database with so many rows, a connection to it, and the files of a plan for it.
async fn written(rows: usize) -> (Scratch, PgConnection, Files) {
    let (scratch, connection) = rows::filled(rows).await;
    let files = Files::with_texts(scratch.url()).await;
    (scratch, connection, files)
}

/// Goes back and forth with clients at work: before the switch from the last step down, and after it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_step_is_undone_before_and_after_the_switch() {
    let (scratch, mut connection) = rows::filled(rows::count(20_000)).await;
    let before = (shape(&mut connection).await, keys(&mut connection).await);
    assert_eq!(before.0, (TEXTS.into(), "0".into()));
    let files = Files::with_texts(scratch.url()).await;
    let rows = rows::read(&mut connection).await;
    let clients = Clients::start(scratch.url(), rows);
    let switch = files.names.iter().position(|name| name.ends_with("-switch.sql")).unwrap();
    for last in [switch - 1, switch] {
        files.run_all(&files.names[..=last]);
        if last == switch {
            assert_eq!(shape(&mut connection).await.0, UUIDS);
            let again = files.run(&files.names[switch]);
            assert!(again.contains("the switch was made before"), "{again}");
            // Rows that are new since the switch have to come back with it.
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        files.go_back(&files.names[..=last]);
        assert_eq!((shape(&mut connection).await, keys(&mut connection).await), before);
    }
    let expected = clients.stop().await;
    rows::check(&mut connection, &expected).await;
    assert!(rows::read(&mut connection).await.upper.is_subset(&expected.upper), "a spelling has changed");

    // Switched back, then once more from the checks on, to the end.
    let expected = rows::read(&mut connection).await;
    files.run_all(&files.names[..=switch]);
    let positional = "INSERT INTO lines SELECT gen_random_uuid()::text, order_id::text, 1 FROM lines LIMIT 1";
    let error = connection.execute(positional).await.unwrap_err().to_string();
    assert!(error.contains("values for the old columns of lines"), "{error}");
    files.run(&format!("undo/{}", files.names[switch]));
    files.refused(&files.names[switch], "the next file is 05-indexes.sql");
    files.run_all(&files.names[switch - 4..]);
    rows::check(&mut connection, &expected).await;
    assert_eq!(keys(&mut connection).await, before.1);
    files.refused(&format!("undo/{}", files.step("finish")), "there is no way back");
}

/// The types of the columns, and what is in the names of the plan.
async fn shape(connection: &mut PgConnection) -> (String, String) {
    let types = "SELECT string_agg(table_name || '.' || column_name || ' ' || data_type, ', ' ORDER BY table_name, column_name) \
        FROM information_schema.columns WHERE table_schema = 'public' AND column_name LIKE '%id'";
    let left = "SELECT (SELECT count(*) FROM pg_class WHERE relname ~ OWN) + (SELECT count(*) FROM pg_attribute WHERE \
        attrelid IN (SELECT oid FROM pg_class WHERE relkind = 'r') AND attname ~ OWN AND NOT attisdropped) + (SELECT count(*) FROM pg_constraint WHERE conname ~ OWN) \
        + (SELECT count(*) FROM pg_trigger WHERE tgname LIKE '%idgen%') + (SELECT count(*) FROM pg_namespace WHERE nspname ~ '^idgen_')";
    let left = &left.replace("OWN", "'_[a-z][a-z0-9]{7}_(new|old|same)$'");
    (text(connection, types).await, text(connection, left).await)
}

const TEXTS: &str = "lines.id character varying, lines.order_id character, orders.id character, orders.parent_id character, payments.order_id character";
const UUIDS: &str =
    "lines.id uuid, lines.order_id uuid, orders.id uuid, orders.parent_id uuid, payments.order_id uuid";

/// Definitions of keys and indexes in the order of their names.
async fn keys(connection: &mut PgConnection) -> String {
    let sql = "SELECT string_agg(what, E'\\n' ORDER BY what) FROM (SELECT conname || ' ' || pg_get_constraintdef(oid) AS what \
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace UNION ALL SELECT indexdef FROM pg_indexes \
        WHERE schemaname = 'public') AS k";
    text(connection, sql).await
}

/// Ends the client's session if it executes a statement with this text.
async fn kill(connection: &mut PgConnection, like: &str) -> bool {
    let sql = format!(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'psql' AND \
         datname = current_database() AND state = 'active' AND query LIKE '%{like}%'"
    );
    text(connection, &sql).await != "0"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn keys_become_uuids_while_clients_change_rows_and_runs_are_killed() {
    let (scratch, mut connection) = rows::filled(rows::count(20_000)).await;
    let before = keys(&mut connection).await;
    let files = Files::with_texts(scratch.url()).await;
    assert_eq!(files.plan.tables, ["orders", "lines", "payments"]);
    let rows = rows::read(&mut connection).await;
    let clients = Clients::start(scratch.url(), rows);
    for name in files.names.clone() {
        let killed = match &name[3..] {
            "backfill.sql" => {
                let slow =
                    format!("UPDATE idgen_{}.settings SET chunk_blocks = 4, pause = '60 ms'", files.id);
                execute(&mut connection, slow).await;
                &["CALL%t1_backfill", "CALL%t2_backfill", "CALL%t3_backfill"][..]
            }
            "indexes.sql" => &["CREATE UNIQUE INDEX CONCURRENTLY"],
            _ => &[],
        };
        for like in killed {
            let mut other = connect(scratch.url()).await;
            if name.ends_with("-indexes.sql") {
                execute(&mut other, kills::INDEX_BLOCK).await;
            }
            attempt_and_kill(&files, &name, &mut connection, like).await;
        }
        let begin = Instant::now();
        files.run(&name);
        println!("{name} took {:?}; predicted: {:?}", begin.elapsed(), predicted(&files.plan, &name));
    }
    let expected = clients.stop().await;
    rows::check(&mut connection, &expected).await;
    assert_eq!(shape(&mut connection).await, (UUIDS.into(), "0".into()));
    assert_eq!(keys(&mut connection).await, before);
    execute(&mut connection, "INSERT INTO orders DEFAULT VALUES").await;
    let default = "SELECT column_default FROM information_schema.columns WHERE (table_name, column_name) = ('orders', 'id')";
    assert_eq!(text(&mut connection, default).await, "gen_random_uuid()");
    assert_eq!(
        text(&mut connection, "SELECT count(*) FROM orders WHERE id_text = id::text").await,
        text(&mut connection, "SELECT count(*) FROM orders").await
    );
}

/// The time that the plan predicts for a file.
fn predicted(plan: &Plan, file: &str) -> Option<String> {
    let step = plan.steps.iter().find(|step| file.ends_with(&format!("-{}.sql", step.name)));
    step.and_then(|step| step.duration.clone())
}

/// Executes a file whose session is ended while a statement with this text runs.
async fn attempt_and_kill(files: &Files, name: &str, connection: &mut PgConnection, like: &str) {
    let runtime = tokio::runtime::Handle::current();
    let output = tokio::task::block_in_place(|| {
        std::thread::scope(|scope| {
            let attempt = scope.spawn(|| files.attempt(name));
            let wait = Wait::until(format!("{name} executes {like}"));
            while !runtime.block_on(kill(connection, like)) {
                wait.check();
                assert!(!attempt.is_finished(), "{name} was complete before it could be killed in {like}");
                std::thread::sleep(Duration::from_millis(20));
            }
            attempt.join().unwrap()
        })
    });
    assert!(!output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
}
