//! Clients that change the rows of the shop while a plan is executed.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use idgen_migrate::plan::Target;
use idgen_mysql::UuidMap;
use idgen_server::{Database, Server};
use sqlx::mysql::MySqlConnection;
use sqlx::{Connection, Row};
use tokio::task::JoinHandle;

use crate::changer::Changer;
use crate::client::{Client, result};
use crate::shop::{Acknowledged, execute};

pub struct Clients {
    url: String,
    database: Database,
    to: Target,
    stop: Arc<AtomicBool>,
    renamed: Arc<AtomicBool>,
    changers: Vec<JoinHandle<Changer>>,
    connections: Vec<u64>,
}

impl Clients {
    /// One client for each part of the rows.
    pub async fn start(
        server: &Server,
        url: &str,
        rows: Vec<Acknowledged>,
        to: Target,
        map: Option<UuidMap>,
    ) -> Clients {
        let (stop, renamed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (mut changers, mut connections) = (Vec::new(), Vec::new());
        for (seed, rows) in rows.into_iter().enumerate() {
            let (changer, connection) =
                Changer::open(url, rows, seed as u64, to, Arc::clone(&renamed), map.clone()).await;
            connections.push(connection);
            let stop = Arc::clone(&stop);
            changers.push(tokio::spawn(async move { changer.run(&stop).await }));
        }
        Clients { url: url.to_owned(), database: server.database(), to, stop, renamed, changers, connections }
    }

    /// Allows the tables to have the new type from now on.
    pub fn may_be_renamed(&self) {
        self.renamed.store(true, Ordering::Relaxed);
    }

    /// Stops all clients. Returns the rows that were acknowledged to them, the number of changes, and the map's
    /// answers.
    pub async fn end(self) -> (Acknowledged, u64, HashMap<u128, u64>) {
        self.stop.store(true, Ordering::Relaxed);
        let mut acknowledged = Acknowledged::default();
        let (mut changes, mut refused, mut answers) = (0, BTreeMap::new(), HashMap::new());
        for changer in self.changers {
            let changer = changer.await.unwrap();
            changes += changer.changes;
            changer.refused.iter().for_each(|(code, times)| *refused.entry(*code).or_insert(0) += times);
            acknowledged.add(changer.acknowledged);
            answers.extend(changer.integers);
        }
        println!("{changes} changes acknowledged, refused by code: {refused:?}");
        // A lock wait timeout, a deadlock; an id in the type that the column does not have, before or after the renaming; with
        // integers, a column that is not there or has no value, and an integer that is not the one of the id.
        let mut known = match self.to {
            Target::Integer => vec![1054, 1205, 1213, 1364, 1644],
            _ => vec![1048, 1205, 1213, 1366, 1406, 1411, 1452],
        };
        if self.database == Database::MariaDb {
            // While the renaming waits, MariaDB tells some statements that a table of their triggers does not exist.
            known.push(1146);
        }
        assert!(refused.keys().all(|code| known.contains(code)), "{refused:?}");
        (acknowledged, changes, answers)
    }

    /// The table of sessions, and its columns of their numbers, schemas and states.
    pub fn sessions(&self) -> [&'static str; 4] {
        match self.database {
            Database::MariaDb => ["information_schema.PROCESSLIST", "ID", "DB", "STATE"],
            // information_schema cannot show statements with the bytes of the map's clients (error 3854).
            _ => ["performance_schema.threads", "PROCESSLIST_ID", "PROCESSLIST_DB", "PROCESSLIST_STATE"],
        }
    }

    /// Kills the sessions of others than these clients, if they are in a state that contains a text.
    pub async fn kill_others(&self, state: &str) -> usize {
        let mut own = MySqlConnection::connect(&self.url).await.unwrap();
        let kept: Vec<_> = self.connections.iter().map(u64::to_string).collect();
        let [list, id, schema, state_of] = self.sessions();
        let sql = format!(
            "SELECT CAST({id} AS CHAR) FROM {list} WHERE {schema} = DATABASE() AND {id} <> CONNECTION_ID() \
             AND {id} NOT IN ({}) AND COALESCE({state_of}, '') LIKE '%{state}%'",
            kept.join(", ")
        );
        let rows = sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).fetch_all(&mut own).await.unwrap();
        for row in &rows {
            let id = String::from_utf8(row.try_get_unchecked::<Vec<u8>, _>(0).unwrap()).unwrap();
            // It may have ended by itself.
            let _ = execute(&mut own, &format!("KILL {id}")).await;
        }
        rows.len()
    }

    /// Executes a file, and kills the session after a while, if it still runs.
    pub fn kill_while_it_runs(&self, client: &Client, file: &str, after: Duration) {
        let child = client.start(file);
        std::thread::sleep(after);
        tokio::runtime::Handle::current().block_on(self.kill_others(""));
        let _ = result(child.wait_with_output().unwrap());
    }
}
