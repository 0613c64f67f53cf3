//! Tables that are not those of the plan any more: a dump that was restored while the plan was at work, and dropped tables. The steps say so, and
//! after the file that they name, inserts work and another plan can be made.

use std::io::Write;
use std::process::Stdio;

use idgen_migrate::plan::Target;
use idgen_migrate::plan::run::Folder;
use idgen_migrate::plan::status::Reader;
use idgen_server::Scratch;
use sqlx::{AssertSqlSafe, Executor, PgConnection};

use crate::psql::{Files, SERVER, connect, database, execute, program, text};
use crate::{TEXTS, UUIDS, shape};

const ABANDON: &str = "undo/abandon.sql";

/// Copies a database with its own programs.
fn restored(url: &str) -> Scratch {
    let scratch = SERVER.scratch().unwrap();
    let dump = program("pg_dump").args(["--dbname", url]).output().unwrap();
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    let mut restore = program("psql");
    restore.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", scratch.url()]);
    let mut restore = restore.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    restore.stdin.take().unwrap().write_all(&dump.stdout).unwrap();
    assert!(restore.wait().unwrap().success());
    scratch
}

/// Inserts a row into each of these tables, in the order of their foreign keys.
async fn insert(connection: &mut PgConnection, tables: &[&str]) {
    for table in tables {
        let order = "SELECT id FROM orders LIMIT 1";
        let sql = match *table {
            "orders" => "INSERT INTO orders (n) VALUES (1)".to_owned(),
            "lines" if tables.contains(&"orders") => {
                format!(
                    "INSERT INTO lines (id, order_id, quantity) SELECT gen_random_uuid(), o.id, 1 FROM ({order}) AS o"
                )
            }
            "lines" => {
                "INSERT INTO lines (id, order_id, quantity) SELECT gen_random_uuid(), gen_random_uuid(), 1"
                    .to_owned()
            }
            _ => "INSERT INTO payments (amount) VALUES (1), (2)".to_owned(),
        };
        execute(connection, sql).await;
    }
}

const ALL: [&str; 3] = ["orders", "lines", "payments"];

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_dump_that_was_restored_in_the_middle_of_a_plan() {
    for step in ["backfill", "switch", "finish"] {
        let (scratch, _, files) = crate::written(40).await;
        files.run_before(step);
        let copy = restored(scratch.url());
        let mut connection = connect(copy.url()).await;
        let files = files.at(copy.url());
        let count = "SELECT concat_ws(' ', (SELECT count(*) FROM orders), (SELECT count(DISTINCT id) FROM lines), (SELECT count(*) FROM payments))";
        let before = text(&mut connection, count).await;
        let other = "the table lines is another table than the one of the plan (restored from a dump, or dropped and made again)";
        for name in files.names.iter().filter(|name| !name.ends_with("-check.sql")) {
            let said = files.refused(name, other);
            assert!(said.contains(ABANDON) && !said.contains("was dropped"), "{name}: {said}");
        }
        let mut reader = Reader::open(copy.url()).await.unwrap();
        let status = reader.read_one(&files.id).await.unwrap().unwrap();
        reader.close().await;
        assert!(
            status.blocked.iter().any(|line| line.contains(other)),
            "{:?} {:?}",
            status.blocked,
            status.unread
        );
        assert_eq!(status.next.as_deref(), Some(ABANDON));
        let error = Folder::open(&files.folder()).unwrap().next(Some(&status), None).unwrap_err().to_string();
        assert!(error.contains(ABANDON), "{error}");

        let said = files.run(ABANDON);
        let is_switched = step == "finish";
        assert_eq!(said.contains("the switch had been made"), is_switched, "{said}");
        insert(&mut connection, &ALL).await;
        execute(&mut connection, "UPDATE orders SET id = gen_random_uuid() WHERE parent_id IS NULL AND n = 2; DELETE FROM orders WHERE n = 3").await;
        let after = text(&mut connection, count).await;
        assert_ne!(before, after);
        if is_switched {
            assert_eq!(shape(&mut connection).await.0, UUIDS);
            let kept = format!("SELECT count(order_id_{0}_old) || ' ' || count(*) FROM lines", files.id);
            let kept = text(&mut connection, &kept).await;
            let (old, all) = kept.split_once(' ').unwrap();
            assert!(old.parse::<u32>().unwrap() + 1 == all.parse::<u32>().unwrap(), "{kept}");
        } else {
            assert_eq!(shape(&mut connection).await, (TEXTS.to_owned(), "0".to_owned()));
            let again = Files::to(Target::Uuid, copy.url(), "orders").await;
            again.run_all(&again.names);
            assert_eq!(shape(&mut connection).await, (UUIDS.to_owned(), "0".to_owned()));
        }
        // It can be executed again.
        files.run(ABANDON);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_table_that_was_dropped_in_the_middle_of_a_plan() {
    for (step, dropped) in
        [("verify", "orders"), ("finish", "orders"), ("finish", "payments"), ("switch", "lines")]
    {
        let (_scratch, mut connection, files) = crate::written(40).await;
        files.run_before(step);
        execute(&mut connection, format!("DROP TABLE {dropped} CASCADE")).await;
        for name in files.names.iter().filter(|name| !name.ends_with("-check.sql")) {
            let part = format!(
                "the table {dropped} of this plan was dropped: the steps can neither go on nor back. {ABANDON}"
            );
            files.refused(name, &part);
        }
        files.run(ABANDON);
        let left: Vec<&str> = ALL.into_iter().filter(|&table| table != dropped).collect();
        insert(&mut connection, &left).await;
        let own = "SELECT (SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'zzz_idgen%') + (SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'idgen_%') \
            + (SELECT count(*) FROM pg_constraint WHERE conname ~ '_[a-z][a-z0-9]{7}_(new|same)$')";
        assert_eq!(text(&mut connection, own).await, "0", "{step} {dropped}");
    }
}

/// The schema was dropped first, as this plan once advised, and a table has another name.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_a_dropped_schema_leaves_is_removed() {
    for step in ["verify", "finish"] {
        let (_scratch, mut connection, files) = crate::written(40).await;
        files.run_before(step);
        execute(
            &mut connection,
            format!("DROP SCHEMA idgen_{} CASCADE; ALTER TABLE lines RENAME TO rows", files.id),
        )
        .await;
        let insert_order = "INSERT INTO orders (n) VALUES (1)";
        let error =
            connection.execute(sqlx::raw_sql(AssertSqlSafe(insert_order))).await.unwrap_err().to_string();
        assert!(error.contains("violates"), "{error}");
        let said = files.refused(ABANDON, "ALTER TABLE ");
        assert!(
            said.contains("ALTER TABLE public.rows DROP CONSTRAINT")
                || said.contains("ALTER TABLE rows DROP CONSTRAINT"),
            "{said}"
        );
        execute(&mut connection, "ALTER TABLE rows RENAME TO lines").await;
        files.run(ABANDON);
        insert(&mut connection, &ALL).await;
    }
}

/// The file names the objects of others on a column that it would drop before it drops any, and sequences count on after the switch.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn integers_and_strangers() {
    let tables = "CREATE TABLE parents (id serial PRIMARY KEY, code int UNIQUE NULLS NOT DISTINCT REFERENCES parents); CREATE TABLE gone (parent_id int REFERENCES parents);
        INSERT INTO parents (code) VALUES (1), (2)";
    let (scratch, mut connection) = database(tables).await;
    let files = Files::to(Target::Bigint, scratch.url(), "parents").await;
    files.run_before("switch");
    execute(
        &mut connection,
        format!("DROP TABLE gone; CREATE VIEW v AS SELECT id_{}_new FROM parents", files.id),
    )
    .await;
    let said = files.refused(ABANDON, "something else hangs on the columns");
    assert!(said.contains("on public.v"), "{said}");
    execute(&mut connection, "DROP VIEW v; CREATE TABLE gone (parent_id int REFERENCES parents)").await;
    files.run(ABANDON);
    assert_eq!(rows_of(&mut connection).await, "2");

    let files = Files::to(Target::Bigint, scratch.url(), "parents").await;
    files.run_before("finish");
    execute(&mut connection, "DROP TABLE gone").await;
    files.run(ABANDON);
    execute(&mut connection, "SELECT setval('parents_id_seq', 2147483647); INSERT INTO parents (code) VALUES (NULL); INSERT INTO parents (id, code) VALUES (7, 7)").await;
    assert_eq!(text(&mut connection, "SELECT max(id) FROM parents").await, "2147483648");
}

async fn rows_of(connection: &mut PgConnection) -> String {
    let found = text(connection, "SELECT count(*) FROM parents").await;
    execute(connection, "INSERT INTO parents (code) VALUES (NULL)").await;
    execute(connection, "DELETE FROM parents WHERE code IS NULL").await;
    found
}
