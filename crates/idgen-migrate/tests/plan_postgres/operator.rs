//! What an operator and others do between two files: nothing is lost, and the next file is named.

use idgen_migrate::plan::Target;
use sqlx::{AssertSqlSafe, Executor, PgConnection, Row};

use crate::psql::{Files, STEP_SLEEPS, connect, database, execute, text, until};
use crate::{UUIDS, rows, shape};

/// `DISABLE TRIGGER`, a change of a key, `ENABLE TRIGGER`: what has gone past the triggers is refused or copied again.
#[tokio::test(flavor = "multi_thread")]
async fn triggers_that_were_off_for_a_moment() {
    let (_scratch, mut connection, files) = crate::written(40).await;
    files.run_before("constraints");
    let id = files.id.clone();
    let off = |change: &str| {
        format!(
            "ALTER TABLE lines DISABLE TRIGGER USER; {change}; ALTER TABLE lines ENABLE TRIGGER USER; \
        ALTER TABLE lines ENABLE ALWAYS TRIGGER zzz_idgen_{id}_forward"
        )
    };
    // Before the constraints, nothing keeps it from happening.
    execute(&mut connection, off("UPDATE lines SET id = gen_random_uuid() WHERE quantity = 2")).await;
    files.refused(files.step("constraints"), "the trigger of lines was changed or off since the step was executed: the next file is 03-triggers.sql");
    files.run(files.step("triggers"));
    files.refused(files.step("constraints"), "the copy of lines is not finished since its columns and triggers were made: the next file is 04-backfill.sql");
    files.run_steps(&["backfill", "constraints", "verify"]);
    // After them, the change is refused, and the switch notices it.
    let refused = connection
        .execute(sqlx::raw_sql(AssertSqlSafe(off(
            "UPDATE lines SET id = gen_random_uuid() WHERE quantity = 1",
        ))))
        .await;
    assert!(refused.unwrap_err().to_string().contains(&format!("id_{id}_same")));
    execute(&mut connection, off("UPDATE lines SET quantity = quantity + 1")).await;
    files.refused(files.step("switch"), "the trigger of lines was changed or off");
    let before = rows::read(&mut connection).await;
    files.run_steps(&["triggers", "backfill", "verify", "switch", "finish"]);
    rows::check(&mut connection, &before).await;
    assert_eq!(shape(&mut connection).await, (UUIDS.into(), "0".into()));
}

/// Rows whose new key is another one, however that came about, are found by the verification and copied again.
#[tokio::test(flavor = "multi_thread")]
async fn rows_that_differ_are_copied_again() {
    let (_scratch, mut connection, files) = crate::written(40).await;
    files.run_before("constraints");
    let id = files.id.clone();
    // As a superuser could change them.
    let damage = format!(
        "BEGIN; SET LOCAL session_replication_role = replica; ALTER TABLE lines DISABLE TRIGGER zzz_idgen_{id}_forward; \
        UPDATE lines SET id_{id}_new = gen_random_uuid() WHERE quantity < 4; ALTER TABLE lines ENABLE ALWAYS TRIGGER zzz_idgen_{id}_forward; \
        UPDATE idgen_{id}.tables SET trigger = idgen_{id}.trigger_of(name); COMMIT"
    );
    execute(&mut connection, damage).await;
    files.run(files.step("constraints"));
    files.refused(
        files.step("verify"),
        "20 rows of lines have another new key than old key, or none: the next file is 04-backfill.sql",
    );
    files.refused(files.step("switch"), "the copy of lines is not finished");
    files.run_steps(&["backfill", "verify", "switch", "finish"]);
}

/// `VACUUM FULL` moves the rows to another file while they are copied. Each chunk looks for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_file_that_is_rewritten_is_copied_from_its_beginning() {
    let (scratch, mut connection, files) = crate::written(4_000).await;
    // Half of the rows are dead, so those that are left move to the front.
    execute(&mut connection, "DELETE FROM lines WHERE ctid < '(15,0)'").await;
    files.run_before("backfill");
    let id = files.id.clone();
    execute(&mut connection, format!("UPDATE idgen_{id}.settings SET chunk_blocks = 4")).await;
    let url = scratch.url().to_owned();
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
    let said = files.run(files.step("backfill"));
    other.await.unwrap();
    assert!(said.contains("lines: the file of the table was rewritten, so the copy begins again"), "{said}");
    let missing = format!("SELECT count(*) FROM lines WHERE id_{}_new IS NULL", files.id);
    assert_eq!(text(&mut connection, &missing).await, "0");
}

/// Columns and tables that are made anew are not the ones that were prepared.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_made_anew_is_not_what_was_prepared() {
    let (_scratch, mut connection, files) = crate::written(40).await;
    files.run_before("switch");
    let id = files.id.clone();
    execute(
        &mut connection,
        format!(
            "ALTER TABLE payments DROP COLUMN order_id_{id}_new CASCADE, ADD COLUMN order_id_{id}_new uuid"
        ),
    )
    .await;
    files.refused(files.step("switch"), &format!("the column payments.order_id_{id}_new is not there, or was made anew: the next file is 02-prepare.sql"));
    files.run_steps(&[
        "prepare",
        "triggers",
        "backfill",
        "indexes",
        "constraints",
        "verify",
        "text",
        "switch",
        "finish",
    ]);
    assert_eq!(shape(&mut connection).await, (UUIDS.into(), "0".into()));
}

/// Each file, and each way back, at each stage: it does its work, or names the next file. Following what they say leads to the end.
#[tokio::test(flavor = "multi_thread")]
async fn any_file_can_be_executed_at_any_time() {
    let (_scratch, mut connection, files) = crate::written(40).await;
    let definitions = crate::keys(&mut connection).await;
    let expected = rows::read(&mut connection).await;
    let mut next = "02-prepare.sql".to_owned();
    files.run(files.step("check"));
    for _ in 0..20 {
        for name in files.names.clone() {
            // Those would do their work; the old texts are an offer, without which the switch can be made.
            if name <= next || next.ends_with("-text.sql") && name.ends_with("-switch.sql") {
                continue;
            }
            let output = files.attempt(&name);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if name.ends_with("-text.sql") && output.status.success() {
                continue;
            }
            assert!(
                !output.status.success() && said.contains("the next file is 0"),
                "{name} before {next}: {said}"
            );
        }
        files.run(&next);
        let at = files.names.iter().position(|name| *name == next).unwrap();
        match files.names.get(at + 1) {
            Some(name) => next = name.clone(),
            None => break,
        }
    }
    rows::check(&mut connection, &expected).await;
    assert_eq!(crate::keys(&mut connection).await, definitions);
    for name in files.names.clone() {
        match name.as_str() {
            "10-finish.sql" => drop(files.run(&name)),
            _ => drop(files.refused(&name, "this plan is finished")),
        }
    }
}

/// Whoever holds a lock is named, also if it is no session.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_prepared_transaction_is_named() {
    let (_scratch, mut connection, files) = crate::written(40).await;
    files.run_before("triggers");
    execute(&mut connection, "BEGIN").await;
    execute(&mut connection, "UPDATE lines SET quantity = 1; PREPARE TRANSACTION 'the payment of 7'").await;
    let other = tokio::spawn(async move {
        until(&mut connection, &format!("SELECT count(*) > 0 {STEP_SLEEPS}")).await;
        execute(&mut connection, "COMMIT PREPARED 'the payment of 7'").await;
    });
    let said = files.run(files.step("triggers"));
    other.await.unwrap();
    assert!(said.contains("the prepared transaction 'the payment of 7' of postgres"), "{said}");
}

/// Autovacuum gives way, as it does for an ALTER TABLE.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn autovacuum_gives_way() {
    let (_scratch, mut connection, files) = crate::written(4_000).await;
    files.run_before("triggers");
    let slow = "ALTER TABLE lines SET (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 100, \
        autovacuum_vacuum_cost_limit = 1); UPDATE lines SET quantity = quantity + 1";
    execute(&mut connection, slow).await;
    let works = "SELECT count(*) > 0 FROM pg_stat_activity WHERE backend_type = 'autovacuum worker' AND datname = current_database() AND query LIKE '%public.lines'";
    until(&mut connection, works).await;
    let said = files.run(files.step("triggers"));
    assert!(!said.contains("attempt 2"), "{said}");
}

/// The estimates of the new columns are those of the old ones, at once.
#[tokio::test(flavor = "multi_thread")]
async fn estimates_are_the_same_after_the_switch() {
    let (_scratch, mut connection, files) = crate::written(4_000).await;
    let estimate = async |connection: &mut PgConnection| {
        let id = text(connection, "SELECT id FROM orders LIMIT 1").await;
        let sql = format!("EXPLAIN SELECT * FROM lines WHERE order_id = '{id}'");
        let first: String = connection.fetch_one(sqlx::raw_sql(AssertSqlSafe(sql))).await.unwrap().get(0);
        first.split("rows=").nth(1).and_then(|rest| rest.split(' ').next()).unwrap().parse::<u64>().unwrap()
    };
    let before = estimate(&mut connection).await;
    files.run_before("finish");
    assert_eq!(estimate(&mut connection).await, before);
}

/// Triggers of users find their tables, and keys of citext are compared as they compare themselves.
#[tokio::test(flavor = "multi_thread")]
async fn triggers_and_operators_of_users_see_the_path_of_the_database() {
    let tables = "CREATE SCHEMA app; CREATE EXTENSION citext SCHEMA app; SET search_path = app;
        CREATE TABLE wholes (id citext PRIMARY KEY, n int); CREATE TABLE parts (id citext PRIMARY KEY, whole citext REFERENCES wholes);
        CREATE TABLE audit (what text);
        CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN INSERT INTO audit VALUES (TG_TABLE_NAME); RETURN NEW; END$f$;
        CREATE TRIGGER logged AFTER UPDATE ON wholes FOR EACH ROW EXECUTE FUNCTION log();
        CREATE FUNCTION note() RETURNS event_trigger LANGUAGE plpgsql AS $f$BEGIN INSERT INTO audit VALUES (tg_tag); END$f$;
        CREATE EVENT TRIGGER noted ON ddl_command_end EXECUTE FUNCTION note();
        INSERT INTO wholes SELECT gen_random_uuid()::text FROM generate_series(1, 20);
        INSERT INTO parts SELECT gen_random_uuid()::text, upper(id::text) FROM wholes";
    let (scratch, mut connection) = database(tables).await;
    let database = text(&mut connection, "SELECT quote_ident(current_database())").await;
    execute(&mut connection, format!("ALTER DATABASE {database} SET search_path = app")).await;
    let files = Files::to(Target::Uuid, scratch.url(), "wholes").await;
    files.run_all(&files.names);
    let joined = "SELECT count(*) || ' ' || (SELECT count(*) FROM audit WHERE what = 'wholes') FROM parts JOIN wholes ON wholes.id = whole";
    assert_eq!(text(&mut connection, joined).await, "20 20");
}

/// A table that lost its name is named with the one that it has, by each file and each way back, and nothing is executed.
#[tokio::test(flavor = "multi_thread")]
async fn tables_that_were_renamed_moved_or_dropped() {
    let (_scratch, mut connection, files) = crate::written(40).await;
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
    files.run_before("indexes");
    for steps in [&["indexes", "constraints", "verify", "text", "switch"][..], &["finish"]] {
        for (place, (there, back, said)) in moves.into_iter().enumerate() {
            execute(&mut connection, there).await;
            let names = files.names.iter().filter(|name| !name.ends_with("-check.sql"));
            for name in names.skip(if place == 0 { 0 } else { 7 }) {
                files.refused(name, said);
                if files.undo_of(name) && !name.ends_with("-finish.sql") {
                    files.refused(&format!("undo/{name}"), said);
                }
            }
            execute(&mut connection, back).await;
        }
        for step in steps {
            files.run(files.step(step));
        }
    }
    assert_eq!(shape(&mut connection).await.0, UUIDS);
}
