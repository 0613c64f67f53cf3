//! A database in which each new session begins with unusual settings: the files do what they say.

use std::collections::BTreeSet;

use idgen_migrate::plan::{Options, Target, plan};
use sqlx::PgConnection;

use crate::psql::{Files, execute, text};
use crate::{UUIDS, keys, rows, shape};

/// Settings that an owner can make for a database. Its schema `other` has an operator and tables of the same names.
const ODD: [&str; 14] = [
    "statement_timeout = '5 s'",
    "lock_timeout = '5 s'",
    "idle_in_transaction_session_timeout = '5 s'",
    "transaction_timeout = '5 s'",
    "default_transaction_isolation = 'serializable'",
    "default_transaction_read_only = on",
    "default_transaction_deferrable = on",
    "search_path = other, public",
    "standard_conforming_strings = off",
    "transform_null_equals = on",
    "client_encoding = 'LATIN1'",
    "\"DateStyle\" = 'German, DMY'",
    "\"IntervalStyle\" = 'sql_standard'",
    "bytea_output = 'escape'",
];

/// Shows the settings that a session has after the head of a file.
const SHOW: &str = "\\t \\\\ SELECT concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'), \
    current_setting('idle_in_transaction_session_timeout'), current_setting('transaction_timeout'), \
    current_setting('transaction_isolation'), current_setting('transaction_read_only'), current_setting('transform_null_equals'), \
    current_setting('search_path'), current_setting('DateStyle'), current_setting('client_encoding'));";

/// Objects whose definitions are written again, with constants whose text depends on settings.
const OBJECTS: &str = "CREATE SCHEMA other; CREATE TABLE other.orders (id int, n int); CREATE TABLE other.lines (id int);
    CREATE FUNCTION other.lower(text) RETURNS text LANGUAGE sql AS $f$SELECT 'wrong'$f$;
    ALTER TABLE orders ADD größe date NOT NULL DEFAULT '2026-03-02';
    CREATE INDEX late ON orders (id) WHERE größe > '2026-02-01'::date;
    CREATE INDEX long ON lines (order_id) WHERE quantity * interval '1 day 02:03:04' > interval '1 mon -1 day'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_settings_of_a_database_change_nothing() {
    let (scratch, mut connection) = rows::filled(4_000).await;
    execute(&mut connection, OBJECTS).await;
    let before = (keys(&mut connection).await, ids(&mut connection).await);
    let database = text(&mut connection, "SELECT quote_ident(current_database())").await;
    for setting in ODD {
        execute(&mut connection, format!("ALTER DATABASE {database} SET {setting}")).await;
    }
    let of = async |table: &str| {
        let options = Options { keep_text: true, ..Options::new(table, Target::Uuid) };
        plan(scratch.url(), &options).await
    };
    let error = of("orders").await.unwrap_err().to_string();
    assert!(error.ends_with("write one of other.orders, public.orders"), "{error}");
    let plan = of("public.orders").await.unwrap();
    assert_eq!(plan.tables, ["orders", "lines", "payments"]);
    let files = Files::write(plan, scratch.url());
    let switch = files.names.iter().position(|name| name.ends_with("-switch.sql")).unwrap();
    let head = files.text(&files.names[0]);
    let head = head.split("-- Fails if the tables").next().unwrap();
    let shown = files.attempt_text(&format!("{head} {SHOW}"));
    assert_eq!(
        String::from_utf8_lossy(&shown.stdout).trim(),
        "0 0 0 0 read committed off off other, public ISO, MDY UTF8"
    );
    files.run_all(&files.names[..=switch]);
    files.go_back(&files.names[..=switch]);
    assert_eq!((keys(&mut connection).await, ids(&mut connection).await), before);
    files.run_all(&files.names);
    assert_eq!(shape(&mut connection).await, (UUIDS.into(), "0".into()));
    assert_eq!(keys(&mut connection).await, before.0);
    let spelled_alike: BTreeSet<String> = before.1.iter().map(|id| id.to_lowercase()).collect();
    assert_eq!(ids(&mut connection).await, spelled_alike);
}

async fn ids(connection: &mut PgConnection) -> BTreeSet<String> {
    let all = "SELECT string_agg(id::text, ' ') FROM (SELECT id::text FROM public.orders UNION ALL SELECT id::text FROM public.lines) AS a";
    text(connection, all).await.split(' ').map(str::to_owned).collect()
}
