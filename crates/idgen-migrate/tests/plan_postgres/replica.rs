//! A logical replica whose keys are changed beside those of its source, while clients change rows of the source.

use sqlx::PgConnection;
use sqlx::postgres::PgConnectOptions;

use crate::clients::Clients;
use crate::psql::{Files, SERVER, connect, execute, text, until};
use crate::{UUIDS, rows, shape};

/// All that is in the tables, the old keys too, independent of the order of rows and columns.
const CONTENT: &str = "SELECT md5(string_agg(r, ',' ORDER BY r)) FROM (SELECT to_jsonb(o)::text FROM orders AS o
    UNION ALL SELECT to_jsonb(l)::text FROM lines AS l UNION ALL SELECT to_jsonb(p)::text FROM payments AS p) AS a (r)";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_logical_replica_ends_equal() {
    let (source, replica) = (SERVER.scratch().unwrap(), SERVER.scratch().unwrap());
    let mut connection = connect(source.url()).await;
    let mut other = connect(replica.url()).await;
    rows::fill(&mut connection, 4_000).await;
    execute(&mut other, rows::TABLES).await;
    let slot = subscribe(&mut connection, &mut other, source.url()).await;
    until_equal(&mut connection, &mut other).await;
    let files = Files::with_texts(source.url()).await;
    let there = Files::with_texts(replica.url()).await;
    let clients = Clients::start(source.url(), rows::read(&mut connection).await);
    for (name, there_name) in files.names.iter().zip(&there.names) {
        match name[3..].trim_end_matches(".sql") {
            // The replica cannot apply a change with columns that it does not have, and waits.
            "switch" => {
                files.run(name);
                let waits = "SELECT apply_error_count > 0 FROM pg_stat_subscription_stats WHERE subname = 'of the test'";
                until(&mut other, waits).await;
                there.run(there_name);
            }
            "finish" => {
                until(
                    &mut other,
                    &format!("SELECT count(*) > 50 FROM lines WHERE order_id_{}_old IS NOT NULL", there.id),
                )
                .await;
                files.run(name);
                // Changes that the source wrote before have the columns that this step drops.
                let end = text(&mut connection, "SELECT pg_current_wal_lsn()").await;
                let has_all = format!(
                    "SELECT confirmed_flush_lsn >= '{end}' FROM pg_replication_slots WHERE slot_name = '{slot}'"
                );
                until(&mut connection, &has_all).await;
                there.run(there_name);
            }
            _ => {
                there.run(there_name);
                files.run(name);
            }
        }
    }
    let expected = clients.stop().await;
    rows::check(&mut connection, &expected).await;
    until_equal(&mut connection, &mut other).await;
    assert_eq!(shape(&mut other).await, (UUIDS.into(), "0".into()));
    rows::check(&mut other, &expected).await;
    execute(&mut other, "ALTER SUBSCRIPTION \"of the test\" DISABLE").await;
    execute(&mut other, "ALTER SUBSCRIPTION \"of the test\" SET (slot_name = NONE)").await;
    execute(&mut other, "DROP SUBSCRIPTION \"of the test\"").await;
    until(
        &mut connection,
        &format!("SELECT NOT active FROM pg_replication_slots WHERE slot_name = '{slot}'"),
    )
    .await;
    execute(&mut connection, format!("SELECT pg_drop_replication_slot('{slot}')")).await;
}

/// The slot is made first: within one server, `CREATE SUBSCRIPTION` would wait for itself.
async fn subscribe(source: &mut PgConnection, replica: &mut PgConnection, url: &str) -> String {
    let slot = format!("{}_replica", text(source, "SELECT current_database()").await);
    execute(source, "CREATE PUBLICATION of_the_test FOR TABLE orders, lines, payments").await;
    execute(source, format!("SELECT pg_create_logical_replication_slot('{slot}', 'pgoutput')")).await;
    let options: PgConnectOptions = url.parse().unwrap();
    let password = url.split_once("://").unwrap().1.split_once('@').unwrap().0.split_once(':').unwrap().1;
    // The server reaches itself inside of its container.
    let port = text(source, "SELECT current_setting('port')").await;
    let database = options.get_database().unwrap();
    let user = options.get_username();
    let sql = format!(
        "CREATE SUBSCRIPTION \"of the test\" CONNECTION 'host=127.0.0.1 port={port} user={user} password={password} dbname={database}' \
         PUBLICATION of_the_test WITH (create_slot = false, slot_name = '{slot}')"
    );
    execute(replica, sql).await;
    slot
}

async fn until_equal(source: &mut PgConnection, replica: &mut PgConnection) {
    let expected = text(source, CONTENT).await;
    until(replica, &format!("SELECT ({CONTENT}) = '{expected}'")).await;
}
