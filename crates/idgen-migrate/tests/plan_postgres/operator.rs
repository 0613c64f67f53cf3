//! What an operator and others do between two files: nothing is lost, and the next file is named.

use std::time::Duration;

use idgen_server::{Scratch, Wait};
use sqlx::{AssertSqlSafe, Executor, PgConnection, Row};

use crate::psql::{Files, SERVER, STEP_SLEEPS, connect, execute, text, until};
use crate::{UUIDS, made, planned, rows, run, shape};

pub(crate) struct Stage {
    pub(crate) scratch: Scratch,
    connection: PgConnection,
    pub(crate) files: Files,
}

impl Stage {
    pub(crate) async fn new(count: usize) -> Stage {
        let scratch = SERVER.scratch().unwrap();
        let mut connection = connect(scratch.url()).await;
        rows::fill(&mut connection, count).await;
        let files = Files::write(&planned(scratch.url()).await, scratch.url());
        Stage { scratch, connection, files }
    }

    /// Executes the files before one, which is not executed.
    pub(crate) async fn until(&self, step: &str) {
        for name in self.files.names.iter().take_while(|name| *name != self.files.step(step)) {
            run(&self.files, name).await;
        }
    }

    /// Executes all files from one on.
    pub(crate) async fn from(&self, step: &str) {
        for name in self.files.names.iter().skip_while(|name| *name != self.files.step(step)) {
            run(&self.files, name).await;
        }
    }

    fn refuses(&self, name: &str, part: &str) {
        let output = tokio::task::block_in_place(|| self.files.attempt(name));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(part), "{name}: {said}");
    }

    async fn step(&self, step: &str) -> String {
        run(&self.files, self.files.step(step)).await
    }
}

/// `DISABLE TRIGGER`, a change of a key, `ENABLE TRIGGER`: what has gone past the triggers is refused or copied again.
#[tokio::test(flavor = "multi_thread")]
async fn triggers_that_were_off_for_a_moment() {
    let mut stage = Stage::new(40).await;
    stage.until("constraints").await;
    let id = stage.files.id.clone();
    let off = |change: &str| {
        format!(
            "ALTER TABLE lines DISABLE TRIGGER USER; {change}; ALTER TABLE lines ENABLE TRIGGER USER; \
        ALTER TABLE lines ENABLE ALWAYS TRIGGER zzz_idgen_{id}_forward"
        )
    };
    // Before the constraints, nothing keeps it from happening.
    execute(&mut stage.connection, off("UPDATE lines SET id = gen_random_uuid() WHERE quantity = 2")).await;
    stage.refuses(stage.files.step("constraints"), "the trigger of lines was changed or off since the step was executed: the next file is 03-triggers.sql");
    stage.step("triggers").await;
    stage.refuses(stage.files.step("constraints"), "the copy of lines is not finished since its columns and triggers were made: the next file is 04-backfill.sql");
    for step in ["backfill", "constraints", "verify"] {
        stage.step(step).await;
    }
    // After them, the change is refused, and the switch notices it.
    let refused = stage
        .connection
        .execute(sqlx::raw_sql(AssertSqlSafe(off(
            "UPDATE lines SET id = gen_random_uuid() WHERE quantity = 1",
        ))))
        .await;
    assert!(refused.unwrap_err().to_string().contains(&format!("id_{id}_same")));
    execute(&mut stage.connection, off("UPDATE lines SET quantity = quantity + 1")).await;
    stage.refuses(stage.files.step("switch"), "the trigger of lines was changed or off");
    let before = rows::read(&mut stage.connection).await;
    for step in ["triggers", "backfill", "verify", "switch", "finish"] {
        stage.step(step).await;
    }
    rows::check(&mut stage.connection, &before).await;
    assert_eq!(shape(&mut stage.connection).await, (UUIDS.into(), "0".into()));
}

/// Rows whose new key is another one, however that came about, are found by the verification and copied again.
#[tokio::test(flavor = "multi_thread")]
async fn rows_that_differ_are_copied_again() {
    let mut stage = Stage::new(40).await;
    stage.until("constraints").await;
    let id = stage.files.id.clone();
    // As a superuser could change them.
    let damage = format!(
        "BEGIN; SET LOCAL session_replication_role = replica; ALTER TABLE lines DISABLE TRIGGER zzz_idgen_{id}_forward; \
        UPDATE lines SET id_{id}_new = gen_random_uuid() WHERE quantity < 4; ALTER TABLE lines ENABLE ALWAYS TRIGGER zzz_idgen_{id}_forward; \
        UPDATE idgen_{id}.tables SET trigger = idgen_{id}.trigger_of(name); COMMIT"
    );
    execute(&mut stage.connection, damage).await;
    stage.step("constraints").await;
    stage.refuses(
        stage.files.step("verify"),
        "20 rows of lines have another new key than old key, or none: the next file is 04-backfill.sql",
    );
    stage.refuses(stage.files.step("switch"), "the copy of lines is not finished");
    for step in ["backfill", "verify", "switch", "finish"] {
        stage.step(step).await;
    }
}

/// `VACUUM FULL` moves the rows to another file while they are copied. Each chunk looks for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_file_that_is_rewritten_is_copied_from_its_beginning() {
    let mut stage = Stage::new(4_000).await;
    // Half of the rows are dead, so those that are left move to the front.
    execute(&mut stage.connection, "DELETE FROM lines WHERE ctid < '(15,0)'").await;
    stage.until("backfill").await;
    let id = stage.files.id.clone();
    execute(&mut stage.connection, format!("UPDATE idgen_{id}.settings SET chunk_blocks = 4")).await;
    let url = stage.scratch.url().to_owned();
    // The copy cannot go on past this row, and the rewrite waits for it too: so it comes next.
    let mut holder = connect(&url).await;
    let row = "BEGIN; SELECT FROM lines WHERE ctid >= '(20,0)' ORDER BY ctid LIMIT 1 FOR UPDATE";
    execute(&mut holder, row).await;
    let other = tokio::spawn(async move {
        let mut connection = connect(&url).await;
        until(
            &mut connection,
            &format!("SELECT next_block = 20 FROM idgen_{id}.progress WHERE name = 'lines'"),
        )
        .await;
        let rewrite = tokio::spawn(async move {
            execute(&mut connect(&url).await, "VACUUM FULL lines").await;
        });
        until(&mut connection, "SELECT count(*) > 0 FROM pg_locks WHERE relation = 'lines'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted").await;
        execute(&mut holder, "ROLLBACK").await;
        rewrite.await.unwrap();
    });
    let said = stage.step("backfill").await;
    other.await.unwrap();
    assert!(said.contains("lines: the file of the table was rewritten, so the copy begins again"), "{said}");
    let missing = format!("SELECT count(*) FROM lines WHERE id_{}_new IS NULL", stage.files.id);
    assert_eq!(text(&mut stage.connection, &missing).await, "0");
}

/// Columns and tables that are made anew are not the ones that were prepared.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_made_anew_is_not_what_was_prepared() {
    let mut stage = Stage::new(40).await;
    stage.until("switch").await;
    let id = stage.files.id.clone();
    execute(
        &mut stage.connection,
        format!(
            "ALTER TABLE payments DROP COLUMN order_id_{id}_new CASCADE, ADD COLUMN order_id_{id}_new uuid"
        ),
    )
    .await;
    stage.refuses(stage.files.step("switch"), &format!("the column payments.order_id_{id}_new is not there, or was made anew: the next file is 02-prepare.sql"));
    for step in
        ["prepare", "triggers", "backfill", "indexes", "constraints", "verify", "text", "switch", "finish"]
    {
        stage.step(step).await;
    }
    assert_eq!(shape(&mut stage.connection).await, (UUIDS.into(), "0".into()));
}

/// Each file, and each way back, at each stage: it does its work, or names the next file. Following what they say leads to the end.
#[tokio::test(flavor = "multi_thread")]
async fn any_file_can_be_executed_at_any_time() {
    let mut stage = Stage::new(40).await;
    let definitions = crate::keys(&mut stage.connection).await;
    let expected = rows::read(&mut stage.connection).await;
    let mut next = "02-prepare.sql".to_owned();
    stage.step("check").await;
    for _ in 0..20 {
        for name in stage.files.names.clone() {
            // Those would do their work; the old texts are an offer, without which the switch can be made.
            if name <= next || next.ends_with("-text.sql") && name.ends_with("-switch.sql") {
                continue;
            }
            let output = tokio::task::block_in_place(|| stage.files.attempt(&name));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if name.ends_with("-text.sql") && output.status.success() {
                continue;
            }
            assert!(
                !output.status.success() && said.contains("the next file is 0"),
                "{name} before {next}: {said}"
            );
        }
        run(&stage.files, &next).await;
        let at = stage.files.names.iter().position(|name| *name == next).unwrap();
        match stage.files.names.get(at + 1) {
            Some(name) => next = name.clone(),
            None => break,
        }
    }
    rows::check(&mut stage.connection, &expected).await;
    assert_eq!(crate::keys(&mut stage.connection).await, definitions);
    for name in stage.files.names.clone() {
        match name.as_str() {
            "10-finish.sql" => drop(run(&stage.files, &name).await),
            _ => stage.refuses(&name, "this plan is finished"),
        }
    }
}

/// Whoever holds a lock is named, also if it is no session.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_prepared_transaction_is_named() {
    let stage = Stage::new(40).await;
    let mut connection = connect(stage.scratch.url()).await;
    stage.until("triggers").await;
    execute(&mut connection, "BEGIN").await;
    execute(&mut connection, "UPDATE lines SET quantity = 1; PREPARE TRANSACTION 'the payment of 7'").await;
    let sleeps = format!("SELECT count(*) {STEP_SLEEPS}");
    let other = tokio::spawn(async move {
        let wait = Wait::until("the file has slept");
        while text(&mut connection, &sleeps).await == "0" {
            wait.check();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        execute(&mut connection, "COMMIT PREPARED 'the payment of 7'").await;
    });
    let said = stage.step("triggers").await;
    other.await.unwrap();
    assert!(said.contains("the prepared transaction 'the payment of 7' of postgres"), "{said}");
}

/// Autovacuum gives way, as it does for an ALTER TABLE.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn autovacuum_gives_way() {
    let stage = Stage::new(4_000).await;
    let mut connection = connect(stage.scratch.url()).await;
    stage.until("triggers").await;
    let slow = "ALTER TABLE lines SET (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 100, \
        autovacuum_vacuum_cost_limit = 1); UPDATE lines SET quantity = quantity + 1";
    execute(&mut connection, slow).await;
    let works = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'autovacuum worker' AND datname = current_database() AND query LIKE '%public.lines'";
    let wait = Wait::until("autovacuum works on the table");
    while text(&mut connection, works).await == "0" {
        wait.check();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let said = stage.step("triggers").await;
    assert!(!said.contains("attempt 2"), "{said}");
}

/// The estimates of the new columns are those of the old ones, at once.
#[tokio::test(flavor = "multi_thread")]
async fn estimates_are_the_same_after_the_switch() {
    let mut stage = Stage::new(4_000).await;
    let estimate = async |connection: &mut PgConnection| {
        let id = text(connection, "SELECT id FROM orders LIMIT 1").await;
        let sql = format!("EXPLAIN SELECT * FROM lines WHERE order_id = '{id}'");
        let first: String = connection.fetch_one(sqlx::raw_sql(AssertSqlSafe(sql))).await.unwrap().get(0);
        first.split("rows=").nth(1).and_then(|rest| rest.split(' ').next()).unwrap().parse::<u64>().unwrap()
    };
    let before = estimate(&mut stage.connection).await;
    stage.until("finish").await;
    assert_eq!(estimate(&mut stage.connection).await, before);
}

/// Triggers of users find their tables, and keys of citext are compared as they compare themselves.
#[tokio::test(flavor = "multi_thread")]
async fn triggers_and_operators_of_users_see_the_path_of_the_database() {
    let scratch = SERVER.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    let tables = "CREATE SCHEMA app; CREATE EXTENSION citext SCHEMA app; SET search_path = app;
        CREATE TABLE wholes (id citext PRIMARY KEY, n int); CREATE TABLE parts (id citext PRIMARY KEY, whole citext REFERENCES wholes);
        CREATE TABLE audit (what text);
        CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN INSERT INTO audit VALUES (TG_TABLE_NAME); RETURN NEW; END$f$;
        CREATE TRIGGER logged AFTER UPDATE ON wholes FOR EACH ROW EXECUTE FUNCTION log();
        CREATE FUNCTION note() RETURNS event_trigger LANGUAGE plpgsql AS $f$BEGIN INSERT INTO audit VALUES (tg_tag); END$f$;
        CREATE EVENT TRIGGER noted ON ddl_command_end EXECUTE FUNCTION note();
        INSERT INTO wholes SELECT gen_random_uuid()::text FROM generate_series(1, 20);
        INSERT INTO parts SELECT gen_random_uuid()::text, upper(id::text) FROM wholes";
    execute(&mut connection, tables).await;
    let database = text(&mut connection, "SELECT quote_ident(current_database())").await;
    execute(&mut connection, format!("ALTER DATABASE {database} SET search_path = app")).await;
    let files = Files::write(&made(scratch.url(), "wholes").await, scratch.url());
    for name in &files.names {
        run(&files, name).await;
    }
    let joined = "SELECT count(*) || ' ' || (SELECT count(*) FROM audit WHERE what = 'wholes') FROM parts JOIN wholes ON wholes.id = whole";
    assert_eq!(text(&mut connection, joined).await, "20 20");
}

/// A table that lost its name is named with the one that it has, by each file and each way back, and nothing is executed.
#[tokio::test(flavor = "multi_thread")]
async fn tables_that_were_renamed_moved_or_dropped() {
    let mut stage = Stage::new(40).await;
    let moves = [
        ("ALTER TABLE lines RENAME TO rows", "ALTER TABLE rows RENAME TO lines", "is now public.rows:"),
        (
            "CREATE SCHEMA other; ALTER TABLE lines SET SCHEMA other",
            "ALTER TABLE other.lines SET SCHEMA public; DROP SCHEMA other",
            "is now other.lines:",
        ),
        (
            "ALTER TABLE lines RENAME TO gone; CREATE TABLE lines (LIKE gone)",
            "DROP TABLE lines; ALTER TABLE gone RENAME TO lines",
            "is now public.gone:",
        ),
    ];
    stage.until("indexes").await;
    for steps in [&["indexes", "constraints", "verify", "text", "switch"][..], &["finish"]] {
        for (place, (there, back, said)) in moves.into_iter().enumerate() {
            execute(&mut stage.connection, there).await;
            let names = stage.files.names.iter().filter(|name| !name.ends_with("-check.sql"));
            for name in names.skip(if place == 0 { 0 } else { 7 }) {
                stage.refuses(name, said);
                if stage.files.undo_of(name) && !name.ends_with("-finish.sql") {
                    stage.refuses(&format!("undo/{name}"), said);
                }
            }
            execute(&mut stage.connection, back).await;
        }
        for step in steps {
            stage.step(step).await;
        }
    }
    assert_eq!(shape(&mut stage.connection).await.0, UUIDS);
}
