//! A control for tests that kill a server: does the server itself keep what it acknowledges?
//!
//! MariaDB 10.11.18 does not always, if the disk is busy with other work. After about one kill in a thousand, acknowledged
//! rows were gone, or the server could not read its own tables or undo logs. Such a server says nothing about the map.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use idgen_server::{Scratch, Server, Wait};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};
use tokio::task::JoinHandle;

use crate::common::{connect, run};

/// Rows that plain SQL inserts one by one while the server is killed.
pub struct Control {
    scratch: Scratch,
    acknowledged: Arc<Mutex<Vec<u64>>>,
    inserts: JoinHandle<()>,
}

impl Control {
    pub async fn start(server: &Server) -> Control {
        let scratch = server.scratch().unwrap();
        let create = "CREATE TABLE control (n BIGINT UNSIGNED PRIMARY KEY) ENGINE=InnoDB";
        run(&mut connect(scratch.url()).await, create).await;
        let acknowledged: Arc<Mutex<Vec<u64>>> = Arc::default();
        let (url, list) = (scratch.url().to_owned(), acknowledged.clone());
        let inserts = tokio::spawn(async move {
            let mut connection = None;
            for n in 1.. {
                match insert(&url, connection, n).await {
                    Ok(same) => {
                        list.lock().unwrap().push(n);
                        connection = Some(same);
                    }
                    Err(_) => {
                        connection = None;
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                }
            }
        });
        Control { scratch, acknowledged, inserts }
    }

    /// Describes the damage by the server: it ended by itself, lost an acknowledged row, or damaged a table of these
    /// schemas; `None` if there is none.
    pub async fn damage(self, server: &Server, schemas: &[&Scratch]) -> Option<String> {
        self.inserts.abort();
        if let Some(log) = server.ended() {
            return Some(format!("it ended by itself:\n{log}"));
        }
        match self.look(schemas).await {
            Ok(damage) => damage,
            Err(error) => Some(format!("its tables cannot be read: {error}")),
        }
    }

    async fn look(&self, schemas: &[&Scratch]) -> sqlx::Result<Option<String>> {
        let mut connection = MySqlConnection::connect(self.scratch.url()).await?;
        let stored = connection.fetch_all("SELECT n FROM control ORDER BY n").await?;
        let stored: Vec<u64> =
            stored.iter().map(|row| row.try_get_unchecked(0)).collect::<sqlx::Result<_>>()?;
        let acknowledged = self.acknowledged.lock().unwrap().clone();
        if let Some(lost) = acknowledged.iter().find(|n| stored.binary_search(n).is_err()) {
            let count = acknowledged.len();
            return Ok(Some(format!("it lost row {lost} of {count} rows that plain SQL inserted")));
        }
        for schema in schemas {
            let mut connection = MySqlConnection::connect(schema.url()).await?;
            for table in connection.fetch_all("SHOW TABLES").await? {
                let table: String = table.try_get_unchecked(0)?;
                let check = format!("CHECK TABLE `{table}` EXTENDED");
                for row in connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(check))).await? {
                    let (kind, text): (String, String) =
                        (row.try_get_unchecked(2)?, row.try_get_unchecked(3)?);
                    if kind != "note" && text != "OK" {
                        return Ok(Some(format!("CHECK TABLE {table}: {kind}: {text}")));
                    }
                }
            }
        }
        Ok(None)
    }
}

async fn insert(url: &str, connection: Option<MySqlConnection>, n: u64) -> sqlx::Result<MySqlConnection> {
    let mut connection = match connection {
        Some(connection) => connection,
        None => MySqlConnection::connect(url).await?,
    };
    let insert = format!("INSERT INTO control VALUES ({n})");
    connection.execute(sqlx::raw_sql(AssertSqlSafe(insert))).await?;
    Ok(connection)
}

/// The control sees each kind of damage, and none where there is none.
#[tokio::test(flavor = "multi_thread")]
async fn the_control_sees_damage() {
    let settings = crate::common::settings();
    let server = Server::start(idgen_server::Database::MariaDb, &settings).unwrap();
    let begun = async || {
        let control = Control::start(&server).await;
        let wait = Wait::until("five rows are acknowledged");
        while control.acknowledged.lock().unwrap().len() < 5 {
            wait.check();
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        control
    };
    let other = server.scratch().unwrap();
    run(&mut connect(other.url()).await, "CREATE TABLE view_of (n INT PRIMARY KEY) ENGINE=InnoDB").await;
    assert_eq!(begun().await.damage(&server, &[&other]).await, None);

    // A view whose table is gone stands for a table that the server cannot read.
    let mut connection = connect(other.url()).await;
    run(&mut connection, "CREATE VIEW seen AS SELECT n FROM view_of").await;
    run(&mut connection, "DROP TABLE view_of").await;
    let damage = begun().await.damage(&server, &[&other]).await.unwrap();
    assert!(damage.starts_with("CHECK TABLE seen: "), "{damage}");

    let control = begun().await;
    control.inserts.abort();
    run(&mut connect(control.scratch.url()).await, "DELETE FROM control WHERE n = 3").await;
    let damage = control.damage(&server, &[]).await.unwrap();
    assert!(damage.starts_with("it lost row 3 of "), "{damage}");

    let control = begun().await;
    server.kill().unwrap();
    let damage = control.damage(&server, &[]).await.unwrap();
    assert!(damage.starts_with("it ended by itself:\n"), "{damage}");
}
