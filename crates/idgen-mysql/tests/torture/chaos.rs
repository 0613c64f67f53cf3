//! The disturbances while the clients work.

use std::cell::Cell;
use std::fmt;
use std::pin::pin;
use std::time::{Duration, Instant};

use idgen_mysql::Index;
use idgen_server::{Database, Server, Wait};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::record;

/// The time that a statement may take. An online `ALTER TABLE` waits for the rows that the clients change meanwhile,
/// and may never catch up with them on a slow machine.
const STATEMENT_SECONDS: u64 = 60;
/// The time that the server may take to cancel it.
const CANCEL: Duration = Duration::from_secs(30);

/// Each comes once in this order, then they come at random.
const ALL: [Wrong; 9] = [
    Wrong::KillConnections,
    Wrong::KillClient,
    Wrong::Alter,
    Wrong::KillServer,
    Wrong::SessionDefaults,
    Wrong::KillStatements,
    Wrong::Restart,
    Wrong::ClearClaims,
    Wrong::Unsafe,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    /// kill -9 of the server, at any moment.
    KillServer,
    /// kill -9 of a client.
    KillClient,
    /// An orderly restart of the server.
    Restart,
    /// `KILL` of connections.
    KillConnections,
    /// `KILL QUERY`.
    KillStatements,
    /// The tables are rebuilt, altered and analyzed.
    Alter,
    /// Claims are deleted by SQL.
    ClearClaims,
    /// Session defaults that change the meaning of statements.
    SessionDefaults,
    /// Commits are not written to disk for a while; then the server is killed with kill -9.
    Unsafe,
}

pub struct Chaos<'a> {
    runtime: &'a Runtime,
    server: &'a Server,
    url: &'a str,
    index: Index,
    done: [u32; ALL.len()],
    /// When each began and ended, in milliseconds since 1970.
    times: Vec<(Wrong, u64, u64)>,
    next: usize,
    pause_until: Instant,
    kills_a_client: bool,
    statement_limit: Duration,
    /// Statements that took longer than their limit.
    cancelled: Cell<u32>,
}

impl<'a> Chaos<'a> {
    pub fn new(runtime: &'a Runtime, server: &'a Server, url: &'a str, index: Index) -> Chaos<'a> {
        crate::verdict::self_test();
        let pause_until = Instant::now() + Duration::from_millis(500);
        Chaos {
            runtime,
            server,
            url,
            index,
            done: [0; ALL.len()],
            times: Vec::new(),
            next: 0,
            pause_until,
            kills_a_client: false,
            statement_limit: Duration::from_secs(crate::setting(
                "IDGEN_TORTURE_STATEMENT_SECONDS",
                STATEMENT_SECONDS,
            )),
            cancelled: Cell::new(0),
        }
    }

    /// True once each of them happened.
    pub fn has_done_all(&self) -> bool {
        self.done.iter().all(|done| *done > 0)
    }

    /// True if a client is to be killed now.
    pub fn kills_a_client(&mut self) -> bool {
        std::mem::take(&mut self.kills_a_client)
    }

    /// Makes the next disturbance after the clients had time to work.
    pub fn next(&mut self) {
        if Instant::now() < self.pause_until {
            return;
        }
        let at = if self.next < ALL.len() { self.next } else { self.at_random() };
        self.next += 1;
        self.done[at] += 1;
        let began = record::now();
        self.make(ALL[at]);
        self.times.push((ALL[at], began, record::now()));
        self.pause_until = Instant::now() + Duration::from_millis(fastrand::u64(100..700));
    }

    /// Restarts and rebuilds take long, so they come less often.
    fn at_random(&self) -> usize {
        loop {
            let at = fastrand::usize(0..ALL.len());
            let rare = matches!(ALL[at], Wrong::KillServer | Wrong::Restart | Wrong::Unsafe | Wrong::Alter);
            if !rare || fastrand::u8(0..10) == 0 {
                return at;
            }
        }
    }

    /// Prints the times of all faults, to understand a failure.
    pub fn print_times(&self) {
        for (wrong, began, ended) in &self.times {
            println!("{wrong:?} from {began} to {ended}");
        }
    }

    /// Restores the settings that the map requires.
    pub fn end(&mut self) {
        self.sql(&["SET GLOBAL innodb_flush_log_at_trx_commit = 1"]);
        self.session_defaults(false);
    }

    fn make(&mut self, wrong: Wrong) {
        match wrong {
            Wrong::KillClient => self.kills_a_client = true,
            Wrong::KillServer => {
                self.server.kill().unwrap();
                self.server.start_again().unwrap();
            }
            Wrong::Restart => {
                self.server.stop().unwrap();
                self.server.start_again().unwrap();
            }
            Wrong::KillConnections => self.kill("KILL"),
            Wrong::KillStatements => self.kill("KILL QUERY"),
            Wrong::Alter => self.sql(&[
                // The statement waits for open transactions, and all other statements wait for it.
                "SET SESSION lock_wait_timeout = 3",
                "ALTER TABLE uuid_map ADD COLUMN note INT NULL",
                "ALTER TABLE uuid_map DROP COLUMN note",
                "ALTER TABLE uuid_map ENGINE = InnoDB",
                "ANALYZE TABLE uuid_map",
                "FLUSH TABLES",
            ]),
            Wrong::ClearClaims if self.index == Index::Dedup => {
                self.sql(&["DELETE FROM uuid_map_claim LIMIT 500"]);
            }
            Wrong::ClearClaims => {}
            Wrong::SessionDefaults => {
                let on = self.done.iter().sum::<u32>() % 2 == 1;
                self.session_defaults(on);
            }
            Wrong::Unsafe => {
                self.sql(&["SET GLOBAL innodb_flush_log_at_trx_commit = 0"]);
                // Clients acknowledge nothing two seconds later, and the log is written once per second, or later on a busy
                // machine.
                std::thread::sleep(Duration::from_millis(2100));
                self.wait_for_log();
                self.server.kill().unwrap();
                self.server.start_again().unwrap();
            }
        }
    }

    /// Waits until all that is in the log now is written.
    fn wait_for_log(&self) {
        let read = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_lsn_current', 'Innodb_lsn_flushed', \
            'Innodb_redo_log_current_lsn', 'Innodb_redo_log_flushed_to_disk_lsn')";
        self.runtime.block_on(async {
            let mut connection = MySqlConnection::connect(self.url).await.unwrap();
            let (wait, mut wanted) = (Wait::until("the log is written"), None);
            loop {
                wait.check();
                let rows = connection.fetch_all(sqlx::raw_sql(read)).await.unwrap();
                let position = |flushed: bool| -> u64 {
                    let mut rows = rows.iter().map(|row| (row.get::<String, _>(0), row.get::<String, _>(1)));
                    rows.find(|(name, _)| name.contains("flushed") == flushed).unwrap().1.parse().unwrap()
                };
                if position(true) >= *wanted.get_or_insert(position(false)) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
    }

    /// The defaults affect connections that are opened from now on.
    fn session_defaults(&self, on: bool) {
        let (limit, completion, level) =
            if on { ("1", "CHAIN", "READ UNCOMMITTED") } else { ("DEFAULT", "DEFAULT", "REPEATABLE READ") };
        let modes = match (on, self.server.database()) {
            (false, _) => "DEFAULT",
            (true, Database::MySql) => "'ANSI'",
            (true, _) => "'ORACLE'",
        };
        self.sql(&[
            &format!("SET GLOBAL sql_select_limit = {limit}"),
            &format!("SET GLOBAL completion_type = {completion}"),
            &format!("SET GLOBAL TRANSACTION ISOLATION LEVEL {level}"),
            &format!("SET GLOBAL sql_mode = {modes}"),
        ]);
    }

    /// Some of the clients' connections.
    fn kill(&self, statement: &str) {
        let list = "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() \
            AND db = DATABASE() ORDER BY RAND() LIMIT 8";
        self.runtime.block_on(async {
            let Ok(mut connection) = MySqlConnection::connect(self.url).await else { return };
            let Ok(rows) = connection.fetch_all(list).await else { return };
            for row in rows {
                let id: i64 = row.try_get_unchecked(0).unwrap();
                // The connection may have ended by itself.
                let _ = connection.execute(AssertSqlSafe(format!("{statement} {id}"))).await;
            }
        });
    }

    /// Runs them one after another. If one fails with a deadlock or a timeout, or takes too long and is cancelled, it was
    /// disturbance enough.
    fn sql(&self, statements: &[&str]) {
        self.runtime.block_on(async {
            let mut connection = MySqlConnection::connect(self.url).await.unwrap();
            let id: u64 = connection.fetch_one("SELECT CONNECTION_ID()").await.unwrap().get_unchecked(0);
            for statement in statements {
                let mut work =
                    pin!(connection.execute(sqlx::raw_sql(AssertSqlSafe((*statement).to_owned()))));
                let done = match timeout(self.statement_limit, &mut work).await {
                    Ok(done) => done,
                    Err(_) => match timeout(CANCEL, self.cancel(id, statement, work)).await {
                        Ok(done) => done,
                        // The connection is given up with it.
                        Err(_) => return,
                    },
                };
                if let Err(error) = done
                    && statement.starts_with("SET")
                {
                    panic!("{statement}: {error}");
                }
            }
        });
    }

    /// Ends the statement of this connection, and returns its result.
    async fn cancel<T>(&self, id: u64, statement: &str, work: impl Future<Output = T>) -> T {
        self.cancelled.set(self.cancelled.get() + 1);
        let limit = self.statement_limit.as_secs();
        eprintln!("{statement} took more than {limit} s and is cancelled");
        if let Ok(mut connection) = MySqlConnection::connect(self.url).await {
            // It may have ended meanwhile.
            let _ = connection.execute(AssertSqlSafe(format!("KILL QUERY {id}"))).await;
        }
        work.await
    }
}

impl fmt::Display for Chaos<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (wrong, done)) in ALL.iter().zip(self.done).enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            let name = match wrong {
                Wrong::KillServer => "server kills",
                Wrong::KillClient => "client kills",
                Wrong::Restart => "restarts",
                Wrong::KillConnections => "rounds of KILL",
                Wrong::KillStatements => "of KILL QUERY",
                Wrong::Alter => "of ALTER",
                Wrong::ClearClaims => "of deleted claims",
                Wrong::SessionDefaults => "of session defaults",
                Wrong::Unsafe => "of unsafe settings",
            };
            write!(f, "{comma}{done} {name}")?;
        }
        match self.cancelled.get() {
            0 => Ok(()),
            cancelled => {
                write!(f, ", {cancelled} statements cancelled after {} s", self.statement_limit.as_secs())
            }
        }
    }
}
