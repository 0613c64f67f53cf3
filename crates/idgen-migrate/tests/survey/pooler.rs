//! Behind a pooler, a survey leaves the sessions of other clients as they were: after it has ended, and after it was cancelled.

use std::collections::BTreeMap;
use std::time::Duration;

use idgen_migrate::survey::{Options, survey};
use idgen_server::{CHANGED_BY_STATEMENTS, Database, Pooler, Pooling, Server, Settings, SharedConnection};
use sqlx::{Connection, Executor, MySqlConnection, PgConnection};

type Session = BTreeMap<String, String>;

/// The number of surveys that are canceled, each a little later than the one before.
const CANCELLED: u32 = 12;

/// Ends a survey after a time, as Ctrl-C does: the connection is closed in the middle of whatever it does.
async fn cancelled(url: &str, number: u32) {
    let options = Options::default();
    let _ = tokio::time::timeout(Duration::from_millis(2 << (number / 2)), survey(url, &options)).await;
}

const TABLES: &str = "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, n INT);
    CREATE TABLE parts (id CHAR(36) PRIMARY KEY, o CHAR(36) REFERENCES orders (id));
    INSERT INTO orders VALUES ('6ccd780c-baba-4026-9564-5b8c656024db', 1), ('6CCD780C-BABA-4026-9564-5B8C656024DC', 2);";

async fn of_postgres(client: &mut PgConnection) -> Session {
    let sql = "SELECT name, setting FROM pg_settings";
    sqlx::query_as(sql).persistent(false).fetch_all(client).await.unwrap().into_iter().collect()
}

#[test]
fn pgbouncer() {
    let server = Server::start(Database::Postgres, &Settings::new()).unwrap();
    let scratch = server.scratch().unwrap();
    crate::common::runtime().block_on(async {
        crate::common::execute(scratch.url(), TABLES).await;
        let transactions = Pooler::start(scratch.url(), Pooling::Transactions).unwrap();
        let url = transactions.url(scratch.url());
        let mut client = PgConnection::connect(&url).await.unwrap();
        client.execute("SET statement_timeout = '77 s'").await.unwrap();
        let before = of_postgres(&mut client).await;
        let found = survey(&url, &Options::default()).await.unwrap();
        assert_eq!((found.tables.len(), found.unseen.len()), (2, 0), "{found:?}");
        assert_eq!(of_postgres(&mut client).await, before);
        for number in 0..CANCELLED {
            cancelled(&url, number).await;
            assert_eq!(of_postgres(&mut client).await["default_transaction_read_only"], "off", "{number}");
        }
        client
            .execute("INSERT INTO orders VALUES ('6ccd780c-baba-4026-9564-5b8c656024de', 3)")
            .await
            .unwrap();

        let sessions = Pooler::start(scratch.url(), Pooling::Sessions).unwrap();
        let url = sessions.url(scratch.url());
        let mut client = PgConnection::connect(&url).await.unwrap();
        let before = of_postgres(&mut client).await;
        client.close().await.unwrap();
        survey(&url, &Options::default()).await.unwrap();
        let mut client = PgConnection::connect(&url).await.unwrap();
        assert_eq!(of_postgres(&mut client).await, before);
    });
}

async fn of_mysql(client: &mut MySqlConnection) -> Session {
    let variables: Vec<(String, String)> =
        sqlx::query_as("SHOW SESSION VARIABLES").persistent(false).fetch_all(client).await.unwrap();
    variables.into_iter().filter(|(name, _)| !CHANGED_BY_STATEMENTS.contains(&name.as_str())).collect()
}

#[test]
fn a_shared_connection_of_mysql_and_mariadb() {
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &Settings::new()).unwrap();
        let scratch = server.scratch().unwrap();
        crate::common::runtime().block_on(async {
            crate::common::execute(scratch.url(), TABLES).await;
            let shared = SharedConnection::start(scratch.url()).unwrap();
            let url = shared.url(scratch.url());
            let mut client = MySqlConnection::connect(&url).await.unwrap();
            let sql = "SET SESSION sql_mode = 'ANSI', time_zone = '+05:00', sql_select_limit = 7000";
            client.execute(sql).await.unwrap();
            let before = of_mysql(&mut client).await;
            assert!(before.len() > 400, "{database}: {}", before.len());
            let found = survey(&url, &Options::default()).await.unwrap();
            assert_eq!((found.tables.len(), found.unseen.len()), (2, 0), "{database}: {found:?}");
            shared.until_one_client_is_left();
            assert_eq!(of_mysql(&mut client).await, before, "{database}");
            for number in 0..CANCELLED {
                cancelled(&url, number).await;
                shared.until_one_client_is_left();
                assert_eq!(of_mysql(&mut client).await, before, "{database} {number}");
            }
            client.execute("INSERT INTO orders VALUES (UUID(), 3)").await.unwrap();
        });
    }
}
