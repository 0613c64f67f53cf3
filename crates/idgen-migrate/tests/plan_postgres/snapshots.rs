//! Snapshots of a standby that are older than the end of the copy would read keys that are null after the switch.

use std::process::{Command, Stdio};

use idgen_migrate::plan::Target;
use idgen_server::{Database, Server, Settings, Wait};

use crate::psql::{Files, connect, execute, text, until};
use crate::rows;

/// Before the last file of the steps that come before the switch.
fn until_switch(files: &Files, from: &str) {
    let (from, switch) = (files.step(from).to_owned(), files.step("switch").to_owned());
    files.run_all(files.names.iter().filter(|name| **name >= from && **name < switch));
}

/// The file does not wait a minute in a test.
fn impatient(files: &Files) -> String {
    files.text(files.step("switch")).replace("idgen_attempt >= 60", "idgen_attempt >= 3")
}

/// A standby in the container of the server, which reports its oldest snapshot.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_snapshot_of_a_standby_stops_the_switch() {
    let server = Server::start(Database::Postgres, &Settings::new()).unwrap();
    let Some(container) = server.container_name() else { return };
    let scratch = server.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    let [port, bin] = [text(&mut connection, "SELECT current_setting('port')").await, BIN.to_owned()];
    let password =
        scratch.url().split_once("://").unwrap().1.split_once('@').unwrap().0.split_once(':').unwrap().1;
    let database = text(&mut connection, "SELECT current_database()").await;
    let user = text(&mut connection, "SELECT current_user").await;
    let shell = |script: &str| {
        let mut command = Command::new("docker");
        command.args([
            "exec",
            "-i",
            "--user",
            "postgres",
            "--env",
            &format!("PGPASSWORD={password}"),
            container,
            "sh",
            "-c",
            script,
        ]);
        command
    };
    execute(&mut connection, "ALTER SYSTEM SET wal_receiver_status_interval = '1s'").await;
    let start = format!(
        "{bin}/pg_basebackup -h 127.0.0.1 -p {port} -U {user} -D /tmp/standby -R -c fast && chmod 700 /tmp/standby && \
         {bin}/pg_ctl -w -D /tmp/standby -l /tmp/standby.log -o '-p 5999 -c listen_addresses= -c unix_socket_directories=/tmp -c hot_standby_feedback=on' start"
    );
    let started = shell(&start).output().unwrap();
    assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
    rows::fill(&mut connection, 500).await;
    let files = Files::to(Target::Uuid, scratch.url(), "orders").await;
    files.run_before("backfill");
    let lsn = text(&mut connection, "SELECT pg_current_wal_lsn()").await;
    until(&mut connection, &format!("SELECT bool_and(replay_lsn >= '{lsn}') FROM pg_stat_replication")).await;
    let mut reader = shell(&format!("{bin}/psql -X -q -h /tmp -p 5999 -U {user} {database}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = reader.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, b"BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT 1;\n").unwrap();
    until(&mut connection, "SELECT bool_or(backend_xmin IS NOT NULL) FROM pg_stat_replication").await;
    let wait = Wait::until("the standby has a snapshot");
    let idle = format!(
        "{bin}/psql -X -qAt -h /tmp -p 5999 -U {user} {database} -c \"SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'\""
    );
    while String::from_utf8_lossy(&shell(&idle).output().unwrap().stdout).trim() != "1" {
        wait.check();
    }
    until_switch(&files, "backfill");
    let refused = files.attempt_text(&impatient(&files));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("a snapshot is older than the end of the copy"), "{said}");
    assert!(said.contains("the standby"), "{said}");
    drop(input);
    reader.wait().unwrap();
    files.run(files.step("switch"));
}

const BIN: &str = "$(pg_config --bindir 2>/dev/null || dirname $(ls /usr/lib/postgresql/*/bin/postgres /usr/local/bin/postgres 2>/dev/null | head -1))";

/// A copy that is repeated after the indexes were built: no `CREATE INDEX CONCURRENTLY` waits for snapshots of before any more.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_snapshot_from_before_a_repeated_copy_stops_the_switch() {
    let (scratch, mut connection) = rows::filled(500).await;
    execute(&mut connection, "CREATE TABLE other (n int)").await;
    let files = Files::to(Target::Uuid, scratch.url(), "orders").await;
    files.run_steps(&["prepare", "triggers", "backfill", "indexes"]);
    execute(
        &mut connection,
        "ALTER TABLE orders DISABLE TRIGGER ALL; INSERT INTO orders (id) SELECT gen_random_uuid() FROM generate_series(1, 300);
         ALTER TABLE orders ENABLE TRIGGER ALL",
    )
    .await;
    let mut old = connect(scratch.url()).await;
    execute(&mut old, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM other").await;
    // A transaction that stays open keeps the oldest transaction of all later snapshots.
    let mut writer = connect(scratch.url()).await;
    execute(&mut writer, "BEGIN; INSERT INTO other VALUES (1)").await;
    files.run_steps(&["triggers", "backfill", "indexes", "constraints", "verify"]);
    // A role that sees nothing of other sessions executes the same query.
    let file = files.text(files.step("switch"));
    let query =
        file.split_once("array_agg(h.key) INTO idgen_who, idgen_keys").unwrap().1.split_once(';').unwrap().0;
    let query = format!("SELECT count(*) {}", query.replace("idgen_first", "NULL::text[]"));
    let role = format!("sees_nothing_{}", files.id);
    let schema = format!("idgen_{}", files.id);
    execute(
        &mut connection,
        format!("CREATE ROLE {role}; GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}; SET ROLE {role}"),
    )
    .await;
    assert_eq!(text(&mut connection, &query).await, "1");
    execute(&mut connection, format!("RESET ROLE; DROP OWNED BY {role}; DROP ROLE {role}")).await;

    let refused = files.attempt_text(&impatient(&files));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    let pid = text(&mut old, "SELECT pg_backend_pid()").await;
    assert!(said.contains("a snapshot is older than the end of the copy"), "{said}");
    assert!(said.contains(&format!("the session {pid} (")), "{said}");
    assert_eq!(text(&mut old, "SELECT count(*) FROM orders WHERE id IS NULL").await, "0");
    // Neither the transaction that stays open nor those that begin later, one after the other, stop it: their snapshots are newer.
    execute(&mut old, "COMMIT").await;
    let (url, stop) =
        (scratch.url().to_owned(), std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false)));
    let stopped = stop.clone();
    let busy = tokio::spawn(async move {
        let mut clients = [connect(&url).await, connect(&url).await];
        while !stopped.load(std::sync::atomic::Ordering::Relaxed) {
            for client in &mut clients {
                execute(client, "COMMIT").await;
                execute(client, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM other").await;
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
    });
    let done = files.attempt_text(&impatient(&files));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    busy.await.unwrap();
    assert_eq!(text(&mut connection, "SELECT count(*) FROM orders WHERE id IS NULL").await, "0");
    execute(&mut writer, "COMMIT").await;
}

/// In the order of the files, `CREATE INDEX CONCURRENTLY` has waited for snapshots of before, so the switch waits for none, also not for a
/// long one that began later while a transaction is open that is older than the copy.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_snapshot_from_after_the_indexes_does_not_stop_the_switch() {
    let (scratch, mut connection) = rows::filled(500).await;
    execute(&mut connection, "CREATE TABLE other (n int)").await;
    let files = Files::to(Target::Uuid, scratch.url(), "orders").await;
    let mut writer = connect(scratch.url()).await;
    execute(&mut writer, "BEGIN; INSERT INTO other VALUES (1)").await;
    files.run_before("switch");
    let mut report = connect(scratch.url()).await;
    execute(&mut report, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM other").await;
    let done = files.attempt_text(&impatient(&files));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    for mut session in [writer, report] {
        execute(&mut session, "COMMIT").await;
    }
}
