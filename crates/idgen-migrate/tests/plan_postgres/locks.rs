//! Transactions of others that stay open beside each step: a client never waits longer than the step itself does.

use std::collections::HashSet;
use std::time::Duration;

use idgen_server::Wait;
use sqlx::{Executor, PgConnection};

use crate::psql::{Files, connect, execute, text, until};
use crate::rows;

/// The longest wait of a client, after which its statement fails. A step waits 300 or 500 ms at a time; the rest is for a slow machine.
const CLIENT_LIMIT: &str = "SET lock_timeout = '20s'";

/// Counts steps that have given way to the transaction: they sleep before their next attempt, or wait for the end of transactions
/// without a lock for which others wait.
const GIVES_WAY: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'psql' AND \
    (wait_event = 'PgSleep' AND query NOT LIKE '%idgen_try%' OR wait_event = 'virtualxid')";

/// When the transaction of a step began that waits for a lock: each attempt of the copy has a transaction of its own, and sleeps too
/// shortly between two of them to be seen.
const ATTEMPT: &str = "SELECT COALESCE(max(xact_start)::text, '') FROM pg_stat_activity WHERE datname = current_database() \
    AND application_name = 'psql' AND wait_event_type = 'Lock'";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_transaction_that_wrote_stays_open_beside_each_step() {
    let waiting = ["prepare", "triggers", "backfill", "indexes", "constraints", "switch", "finish"];
    beside("UPDATE lines SET quantity = quantity + 1", &waiting, &["check", "verify"]).await;
}

/// A vacuum by hand and `CREATE INDEX CONCURRENTLY` hold such a lock. The steps wait for it longer, because nobody who
/// reads or writes waits for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_lock_of_another_change_stays_beside_each_step() {
    let waiting = ["prepare", "triggers", "constraints", "switch", "finish"];
    let waiting = if rows::is_soak() { &waiting[..] } else { &waiting[3..] };
    beside("LOCK TABLE lines IN SHARE UPDATE EXCLUSIVE MODE", waiting, &["check"]).await;
}

/// A vacuum by hand is not interrupted for others; neither is autovacuum that prevents a wraparound: it is named, with
/// a remedy.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_vacuum_by_hand_is_named() {
    let (scratch, mut client, files) = crate::written(4_000).await;
    files.run_before("triggers");
    let url = scratch.url().to_owned();
    let vacuum = tokio::spawn(async move {
        let mut own = connect(&url).await;
        execute(&mut own, "SET vacuum_cost_delay = 100; SET vacuum_cost_limit = 1").await;
        own.execute("VACUUM FREEZE lines").await
    });
    let works = "SELECT count(*) > 0 FROM pg_stat_progress_vacuum WHERE datname = current_database() AND relid = 'lines'::regclass";
    until(&mut client, works).await;
    let running = files.spawn(files.step("triggers"));
    until(&mut client, &format!("SELECT ({GIVES_WAY}) > 0")).await;
    let cancel =
        "SELECT pg_cancel_backend(pid) FROM pg_stat_progress_vacuum WHERE datname = current_database()";
    execute(&mut client, cancel).await;
    assert!(vacuum.await.unwrap().is_err());
    let (is_done, said) = running.end();
    assert!(
        is_done && said.contains("(VACUUM of the role postgres, which does not give way"),
        "{is_done} {said:?}"
    );
}

/// Autovacuum that prevents a wraparound is not interrupted for others: it is named, with a remedy.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_autovacuum_that_prevents_a_wraparound_is_named() {
    let (scratch, mut client) = rows::filled(4_000).await;
    // The lowest age that the server takes, and so slow that the step meets it.
    let slow = "ALTER TABLE lines SET (autovacuum_freeze_max_age = 100000, autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)";
    execute(&mut client, slow).await;
    let files = Files::with_texts(scratch.url()).await;
    files.run_before("triggers");
    let older = "DO $$ BEGIN FOR i IN 1..100001 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$";
    execute(&mut client, older).await;
    execute(&mut client, "ALTER SYSTEM SET autovacuum_naptime = 1").await;
    execute(&mut client, "SELECT pg_reload_conf()").await;
    let works = "FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'autovacuum:%lines (to prevent wraparound)'";
    until(&mut client, &format!("SELECT count(*) > 0 {works}")).await;
    let running = files.spawn(files.step("triggers"));
    until(&mut client, &format!("SELECT ({GIVES_WAY}) > 0")).await;
    // Without this, the server would begin it again.
    execute(&mut client, "ALTER SYSTEM SET autovacuum = off").await;
    execute(&mut client, "SELECT pg_reload_conf()").await;
    execute(&mut client, format!("SELECT pg_terminate_backend(pid) {works}")).await;
    let (is_done, said) = running.end();
    execute(&mut client, "ALTER SYSTEM RESET autovacuum").await;
    execute(&mut client, "ALTER SYSTEM RESET autovacuum_naptime").await;
    execute(&mut client, "SELECT pg_reload_conf()").await;
    assert!(
        is_done
            && said.contains("(autovacuum to prevent wraparound, which does not give way: wait for its end"),
        "{is_done} {said:?}"
    );
}

/// Executes all files. These steps find the transaction: the first ones have to wait for it, and do so until they have given way.
async fn beside(held: &str, waiting: &[&str], passing: &[&str]) {
    let (scratch, mut client, files) = crate::written(40).await;
    execute(&mut client, CLIENT_LIMIT).await;
    let mut holder = connect(scratch.url()).await;
    for name in &files.names {
        let is_of = |steps: &[&str]| steps.iter().any(|step| files.step(step) == name);
        if !is_of(waiting) && !is_of(passing) {
            files.run(name);
            continue;
        }
        execute(&mut holder, format!("BEGIN; {held}")).await;
        let mut running = files.spawn(name);
        let wait = Wait::until(format!("{name} gives way"));
        let mut attempts = HashSet::new();
        loop {
            write(&mut client).await;
            let attempt = text(&mut client, ATTEMPT).await;
            attempts.extend(Some(attempt).filter(|attempt| !attempt.is_empty()));
            if running.has_ended() || attempts.len() > 1 || text(&mut client, GIVES_WAY).await != "0" {
                break;
            }
            wait.check();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(!is_of(waiting) || !running.has_ended(), "{name} did not wait");
        write(&mut client).await;
        execute(&mut holder, "COMMIT").await;
        let (is_done, said) = running.end();
        assert!(is_done, "{name}: {said}");
    }
}

/// A client that has to wait for longer than the limit fails.
async fn write(client: &mut PgConnection) {
    let sql = "WITH new AS (INSERT INTO orders (id) VALUES (gen_random_uuid()) RETURNING id) INSERT INTO lines (id, order_id, quantity) \
        SELECT gen_random_uuid(), id, 1 FROM new";
    execute(client, sql).await;
}
