//! Plans of small tables: damaged rows, what is refused, odd names, other targets, and a lock that is held.

use std::collections::BTreeSet;

use idgen_migrate::plan::{Options, Target, plan};
use idgen_server::Wait;
use sqlx::{AssertSqlSafe, Executor, PgConnection};

use crate::psql::{Files, SERVER, STEP_SLEEPS, connect, database, execute, text, until};
use crate::{TEXTS, UUIDS, rows, shape};

const A: &str = "6ccd780c-baba-1026-9564-5b8c656024db";
const B: &str = "7ccd780c-baba-1026-9564-5b8c656024db";

/// Returns the problems that the checks report in a database with these rows, and checks that they changed nothing.
async fn problem(damage: &str) -> String {
    let (_scratch, mut connection, files) = crate::written(40).await;
    execute(&mut connection, damage).await;
    let output = files.attempt(files.step("check"));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && error.contains("rows must be corrected"), "{damage}: {error}");
    assert_eq!(shape(&mut connection).await, (TEXTS.into(), "0".into()));
    let shown: Vec<&str> = error.split(": ").filter(|part| part.starts_with("SELECT ")).collect();
    assert!(!shown.is_empty(), "{error}");
    for sql in shown {
        let sql = sql.lines().next().unwrap().to_owned();
        let found = connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(sql.clone()))).await.unwrap();
        assert!(!found.is_empty(), "{sql}");
    }
    error
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_rows_are_found_before_anything_is_changed() {
    let error =
        problem("INSERT INTO orders (id) VALUES ('not an id'), ('{6ccd780c-baba-1026-9564-5b8c65602}')")
            .await;
    assert!(error.contains("2 values of orders.id are no UUIDs (lengths 9 to 35)"), "{error}");
    let error = problem(&format!("INSERT INTO orders (id) VALUES ('{A}'), (upper('{A}'))")).await;
    assert!(
        error
            .contains("1 ids of orders are there in two spellings, which would be duplicates in orders_pkey"),
        "{error}"
    );
    let two = format!(
        "INSERT INTO orders (id) VALUES ('{A}'); INSERT INTO lines (id, order_id, quantity) VALUES ('{B}', '{A}', 1), \
         (replace('{B}', '-', ''), '{A}', 2)"
    );
    let error = problem(&two).await;
    assert!(error.contains("in lines_pkey") && error.contains("in lines_once"), "{error}");
    let orphan = format!(
        "SET session_replication_role = replica; INSERT INTO lines (id, order_id, quantity) VALUES ('{A}', '{B}', 1)"
    );
    let error = problem(&orphan).await;
    assert!(error.contains("1 rows refer by lines_order_id_fkey to a row that does not exist"), "{error}");
}

/// A transaction that stays open makes the switch try again, and readers do not wait for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_held_lock_does_not_stop_readers() {
    let (scratch, mut connection, files) = crate::written(40).await;
    let switch = files.step("switch").to_owned();
    files.run_before("switch");
    let mut holder = connect(scratch.url()).await;
    execute(&mut holder, "BEGIN; SELECT count(*) FROM lines").await;
    let reader = tokio::spawn(async move {
        // The lock is held until the switch has slept after its second failure, in a transaction of its own. The view reads
        // `wait_event` later than the rest, so one sleep may show the transaction before it, too: three are two sleeps.
        let sleeps = format!("SELECT min(xact_start) {STEP_SLEEPS}");
        let (mut seen, mut count) = (BTreeSet::new(), 0);
        let wait = Wait::until("the switch has slept twice");
        while seen.len() < 3 {
            wait.check();
            execute(&mut connection, "SELECT count(*) FROM orders; SELECT count(*) FROM lines").await;
            count += 1;
            let begin = text(&mut connection, &sleeps).await;
            seen.extend((!begin.is_empty()).then_some(begin));
        }
        execute(&mut holder, "ROLLBACK").await;
        (connection, count)
    });
    let said = files.run(&switch);
    let (mut connection, count) = reader.await.unwrap();
    println!("{count} reads");
    assert!(said.contains("attempt 2: the tables are in use by"), "{said}");
    // A reader waits no longer than the switch does.
    assert!(files.text(&switch).contains("SET LOCAL lock_timeout = '300ms'"));
    assert_eq!(shape(&mut connection).await.0, UUIDS);
}

/// The copy waits while too many sessions are active, and reads the settings again.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_copy_waits_while_the_server_is_busy() {
    let (scratch, mut connection, files) = crate::written(40).await;
    let copy = files.step("backfill").to_owned();
    files.run_before("backfill");
    // Its own session is active, too.
    let id = files.id.clone();
    execute(&mut connection, format!("UPDATE idgen_{id}.settings SET max_active = 0")).await;
    let url = scratch.url().to_owned();
    let later = tokio::spawn(async move {
        let mut connection = connect(&url).await;
        until(&mut connection, &format!("SELECT count(*) > 0 {STEP_SLEEPS}")).await;
        let rows = text(&mut connection, &format!("SELECT count(id_{id}_new) FROM orders")).await;
        execute(&mut connection, format!("UPDATE idgen_{id}.settings SET max_active = 64")).await;
        rows
    });
    let said = files.run(&copy);
    assert!(said.contains("sessions are active, replicas lag by"), "{said}");
    assert_eq!(later.await.unwrap(), "0");
    let count = format!("SELECT count(id_{}_new) FROM orders", files.id);
    assert_eq!(text(&mut connection, &count).await, "10");
}

/// Names that need quotes, ids as bytes, and a key of two columns that refers to them.
#[tokio::test(flavor = "multi_thread")]
async fn odd_names_and_bytes() {
    let (scratch, mut connection) = database(ODD).await;
    let error = plan(scratch.url(), &Options::new("no \"such", Target::Uuid)).await.unwrap_err().to_string();
    assert!(error.contains("there is no table"), "{error}");
    let files = Files::to(Target::Uuid, scratch.url(), "Or\"der's").await;
    assert_eq!(files.plan.tables, ["an odd schema.Or\"der's", "an odd schema.tags"]);
    let last = files.names.len() - 1;
    let before = text(&mut connection, CONTENT).await;
    files.run_all(&files.names[..last]);
    execute(&mut connection, "INSERT INTO \"an odd schema\".\"Or\"\"der's\" (\"%I'\") VALUES ('new')").await;
    execute(&mut connection, "DELETE FROM \"an odd schema\".\"Or\"\"der's\" WHERE \"%I'\" = 'new'").await;
    assert_eq!(
        text(&mut connection, CONTENT).await,
        before.replace("\\x6ccd780cbaba102695645b8c656024db", A)
    );
    let comment = "col_description('\"an odd schema\".tags'::regclass, (SELECT attnum FROM pg_attribute \
        WHERE attrelid = '\"an odd schema\".tags'::regclass AND attname = 'of'))";
    assert_eq!(text(&mut connection, comment).await, "two\n--! lines");
    files.go_back(&files.names[..last]);
    assert_eq!(text(&mut connection, CONTENT).await, before);
    files.run_all(&files.names);
    assert_eq!(
        text(&mut connection, CONTENT).await,
        before.replace("\\x6ccd780cbaba102695645b8c656024db", A)
    );
    let keys = text(
        &mut connection,
        "SELECT count(*) FROM pg_constraint WHERE contype = 'p' AND cardinality(conkey) = 2 AND conrelid > 16384",
    )
    .await;
    assert_eq!(keys, "1");
}

/// PostgreSQL has no regular expressions for such collations.
#[tokio::test(flavor = "multi_thread")]
async fn keys_whose_collation_ignores_case() {
    let schema = "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
        CREATE TABLE wholes (id text COLLATE blind PRIMARY KEY);
        CREATE TABLE parts (n integer PRIMARY KEY, whole text COLLATE blind REFERENCES wholes ON UPDATE CASCADE);
        INSERT INTO wholes SELECT gen_random_uuid() FROM generate_series(1, 20);
        INSERT INTO parts SELECT row_number() OVER (), upper(id) FROM wholes;";
    let (scratch, mut connection) = database(schema).await;
    let files = Files::to(Target::Uuid, scratch.url(), "wholes").await;
    files.run_all(&files.names);
    let joined = text(
        &mut connection,
        "SELECT count(*) || ' ' || min(pg_typeof(whole)::text) FROM parts JOIN wholes ON id = whole",
    )
    .await;
    assert_eq!(joined, "20 uuid");
}

const ODD: &str = "CREATE SCHEMA \"an odd schema\";
    CREATE TABLE \"an odd schema\".\"Or\"\"der's\" (\"select\" bytea PRIMARY KEY DEFAULT uuid_send(gen_random_uuid()), \"%I'\" text);
    CREATE TABLE \"an odd schema\".tags (of bytea REFERENCES \"an odd schema\".\"Or\"\"der's\" ON DELETE CASCADE, tag text, PRIMARY KEY (of, tag));
    COMMENT ON COLUMN \"an odd schema\".tags.of IS E'two\\n--! lines';
    INSERT INTO \"an odd schema\".\"Or\"\"der's\" VALUES ('\\x6ccd780cbaba102695645b8c656024db', 'a');
    INSERT INTO \"an odd schema\".tags VALUES ('\\x6ccd780cbaba102695645b8c656024db', 'b')";

const CONTENT: &str = "SELECT string_agg(o.\"select\"::text || o.\"%I'\" || t.of || t.tag, ',') \
    FROM \"an odd schema\".\"Or\"\"der's\" AS o JOIN \"an odd schema\".tags AS t ON t.of = o.\"select\"";

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_taken_along_is_named() {
    let (scratch, mut connection) = rows::filled(40).await;
    let refused = "CREATE VIEW recent AS SELECT id FROM orders;
        ALTER TABLE orders ADD CONSTRAINT long CHECK (length(id) > 30);
        CREATE INDEX lines_lower ON lines (lower(id));
        CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
        CREATE TRIGGER changed BEFORE UPDATE OF order_id ON lines FOR EACH ROW EXECUTE FUNCTION touch();
        CREATE TABLE parts (order_id char(36) REFERENCES orders, at date) PARTITION BY RANGE (at);
        CREATE TABLE notes (a varchar(36), b char(36), FOREIGN KEY (a, b) REFERENCES lines (id, order_id) ON DELETE SET DEFAULT);
        ALTER TABLE lines ADD CONSTRAINT both_ways UNIQUE (id, order_id);
        GRANT SELECT (order_id) ON payments TO PUBLIC";
    // The key of two columns needs its constraint first.
    let (first, last) = refused.split_once("CREATE TABLE notes").unwrap();
    let (notes, rest) = last.split_once(';').unwrap();
    let (unique, grant) = rest.split_once(';').unwrap();
    for sql in [first, unique, &format!("CREATE TABLE notes{notes}"), grant] {
        execute(&mut connection, sql).await;
    }
    let error = plan(scratch.url(), &Options::new("orders", Target::Uuid)).await.unwrap_err().to_string();
    for part in [
        "view public.recent depends on orders.id",
        "constraint long on table public.orders depends on orders.id",
        "the index lines_lower of lines has an expression",
        "trigger changed on table public.lines depends on lines.order_id",
        "the table parts is partitioned",
        "notes_a_b_fkey of notes has SET DEFAULT",
        "payments.order_id has privileges of its own",
    ] {
        assert!(error.contains(part), "{part} is not in: {error}");
    }
    for (to, part) in
        [(Target::Binary16, "use --to uuid"), (Target::Swapped, "v7-from-now"), (Target::Integer, "uuid")]
    {
        let error = plan(scratch.url(), &Options::new("orders", to)).await.unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let error = plan(scratch.url(), &Options::new("payments", Target::Uuid)).await.unwrap_err().to_string();
    assert!(error.contains("payments.number (bigint)"), "{error}");
    let error =
        plan("postgres://postgres:s3cret@127.0.0.1:1/none", &Options::new("orders", Target::Uuid)).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("cannot connect") && !error.contains("s3cret"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_name_what_a_person_has_to_decide() {
    let (scratch, mut connection) = rows::filled(40).await;
    let more = "CREATE TABLE currencies (code varchar(3) PRIMARY KEY); INSERT INTO currencies VALUES ('EUR');
        ALTER TABLE payments ADD currency varchar(3) DEFAULT 'EUR' REFERENCES currencies;
        CREATE TABLE comments (about text); INSERT INTO comments SELECT id FROM orders;
        CREATE TABLE files (n int PRIMARY KEY, of bytea); INSERT INTO files SELECT n, NULL FROM generate_series(1, 3000) AS n;
        UPDATE files SET of = decode(replace(lower(id), '-', ''), 'hex') FROM
          (SELECT id, 3000 - row_number() OVER () AS at FROM orders WHERE id = lower(id) LIMIT 2) AS o WHERE n = o.at;
        CREATE TABLE tokens (token uuid, word text); INSERT INTO tokens VALUES (gen_random_uuid(), 'no id');
        CREATE FUNCTION total() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM orders';
        CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
        CREATE TRIGGER touched BEFORE UPDATE ON lines FOR EACH ROW EXECUTE FUNCTION touch();
        CREATE INDEX orders_like ON orders (id bpchar_pattern_ops);
        CREATE PUBLICATION all_orders FOR TABLE orders";
    execute(&mut connection, more).await;
    let plan = Files::with_texts(scratch.url()).await.plan;
    assert_eq!(plan.tables, ["orders", "lines", "payments"]);
    let notes = plan.notes.join("\n");
    for part in [
        "hold other texts than UUIDs: currencies.code, payments.currency",
        // One order is written in capitals, and ids are looked up as most are written.
        "some values were looked up: comments.about (9 of 10 are in orders.id), files.of (2 of 2 are in orders.id). Give them",
        "those that were read are in no table of the plan: tokens.token.",
        "name the tables; check that they can work with uuid: public.total()",
        "each row of lines, so these triggers fire: touched",
        "dropped with the old columns: orders_like",
        "orders is published (all_orders)",
    ] {
        assert!(notes.contains(part), "{part} is not in: {notes}");
    }
    assert!(plan.facts[0].starts_with("orders has about 10 rows"), "{:?}", plan.facts);
    assert!(
        plan.facts.iter().any(|fact| fact.contains("the write-ahead log gets 2 to 4 times")),
        "{:?}",
        plan.facts
    );
}

async fn version_of_new(connection: &mut PgConnection) -> String {
    execute(connection, "TRUNCATE made; INSERT INTO made (n) VALUES (1)").await;
    text(connection, "SELECT uuid_extract_version(id::uuid) FROM made").await
}

#[tokio::test(flavor = "multi_thread")]
async fn new_rows_get_version_7_and_version_4_again() {
    let scratch = SERVER.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    for kind in ["uuid", "varchar(32)"] {
        let made = format!(
            "DROP TABLE IF EXISTS made; CREATE TABLE made (id {kind} PRIMARY KEY DEFAULT replace(gen_random_uuid()::text, '-', '')::{kind}, n int)"
        );
        execute(&mut connection, made).await;
        assert_eq!(version_of_new(&mut connection).await, "4");
        let files = Files::to(Target::V7FromNow, scratch.url(), "made").await;
        files.run(&files.names[0]);
        assert_eq!(version_of_new(&mut connection).await, "7");
        files.run(&format!("undo/{}", files.names[0]));
        assert_eq!(version_of_new(&mut connection).await, "4");
    }
}
