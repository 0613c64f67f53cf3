//! Behind a pooler that gives one session of the server to several clients, neither the planning nor a file nor a trial leaves
//! anything in it: the planning sets nothing, and the others are refused.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use idgen_migrate::plan::run::{Direction, Folder, execute};
use idgen_migrate::plan::{Options, Target, plan};
use idgen_server::{CHANGED_BY_STATEMENTS, Database, ReadSplitter, Server, SharedConnection};
use sqlx::{Connection, Executor, MySqlConnection};

use crate::cascades::cascades_in_innodb;
use crate::client::Client;
use crate::ledger::world::{Servers, World};

/// Plans that are canceled, each a little later than the one before.
const CANCELED: u32 = 12;

/// The application, whose session the pooler gives to others, too.
struct Other {
    connection: MySqlConnection,
    before: BTreeMap<String, String>,
}

impl Other {
    async fn connect(url: &str) -> Other {
        let mut connection = MySqlConnection::connect(url).await.unwrap();
        let sql = "SET SESSION sql_mode = 'ANSI', time_zone = '+05:00', sql_select_limit = 7000";
        connection.execute(sql).await.unwrap();
        let mut other = Other { connection, before: BTreeMap::new() };
        other.before = other.variables().await;
        assert!(other.before.len() > 400, "{}", other.before.len());
        other
    }

    async fn variables(&mut self) -> BTreeMap<String, String> {
        let all = sqlx::query_as("SHOW SESSION VARIABLES").persistent(false);
        let all: Vec<(String, String)> = all.fetch_all(&mut self.connection).await.unwrap();
        all.into_iter()
            .filter(|(name, _)| !CHANGED_BY_STATEMENTS.contains(&name.as_str()) && !name.contains("gtid"))
            .collect()
    }

    async fn assert_as_before(&mut self, when: &str) {
        let now = self.variables().await;
        let changed: Vec<_> =
            now.iter().filter(|(name, value)| self.before.get(*name) != Some(value)).collect();
        assert!(changed.is_empty(), "{when}: {changed:?}");
        let locks: i64 = sqlx::query_scalar("SELECT CAST(RELEASE_ALL_LOCKS() AS SIGNED)")
            .persistent(false)
            .fetch_one(&mut self.connection)
            .await
            .unwrap();
        assert_eq!(locks, 0, "{when}");
        self.connection.execute("INSERT INTO q VALUES (UUID(), 1)").await.unwrap();
    }
}

#[test]
fn other_clients_keep_their_sessions() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let world = servers.world();
        let shared = SharedConnection::start(world.scratch.url()).unwrap();
        let url = shared.url(world.scratch.url());
        let mut other = servers.runtime.block_on(Other::connect(&url));
        let mut is_as_before = |when: &str| {
            shared.until_one_client_is_left();
            servers.runtime.block_on(other.assert_as_before(&format!("{database}, {when}")));
        };

        let options = Options::new("p", Target::Binary16);
        let made = servers.runtime.block_on(plan(&url, &options)).unwrap();
        assert_eq!(made.tables, ["p", "c"], "{database}");
        is_as_before("planned");
        for number in 0..CANCELED {
            let limit = Duration::from_millis(2 << (number / 2));
            let _ =
                servers.runtime.block_on(async { tokio::time::timeout(limit, plan(&url, &options)).await });
            is_as_before("canceled");
        }

        let through = Client::without_tls(&url, world.scratch.name(), world.folder.path());
        let files =
            [through.files(""), through.files("undo").iter().map(|file| format!("undo/{file}")).collect()];
        assert!(files.concat().len() > 15, "{files:?}");
        for file in files.concat() {
            let said = through.execute(&file).unwrap_err();
            assert!(
                said.contains("this session was used before: it goes through a pooler"),
                "{file}: {said}"
            );
            is_as_before(&file);
        }

        let trial = Options { measure: true, ..options };
        refused(&servers, || plan(&url, &trial));
        is_as_before("tried");
        refused(&servers, || run(&url, world.folder.path()));
        is_as_before("run");
        works_without(&world);
    }
}

/// Reads that go to another session than writes may go to a replica: what they show proves nothing.
#[test]
fn a_proxy_that_splits_reads_from_writes_is_refused() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let world = servers.world();
        let (account, schema) = (format!("u_{}", world.client.id()), world.scratch.name());
        let make =
            format!("CREATE USER {account}@'%' IDENTIFIED BY ''; GRANT ALL ON {schema}.* TO {account}@'%'");
        servers.sql(&world.scratch, &make).unwrap();
        let splitter = ReadSplitter::start(world.scratch.url()).unwrap();
        let url = splitter.url(world.scratch.url(), &account);
        let said = servers.runtime.block_on(run(&url, world.folder.path())).unwrap_err().to_string();
        assert!(said.contains("or to several servers (ProxySQL"), "{database}: {said}");
        works_without(&world);
    }
}

/// A server may execute statements of its own at the start of each session of an ordinary account.
#[test]
fn statements_of_init_connect_are_those_of_the_server() {
    for database in Database::MYSQL_FAMILY {
        let settings = cascades_in_innodb(database).option("init_connect", "SET NAMES utf8mb4; SET @own = 1");
        let servers =
            Servers { server: Server::start(database, &settings).unwrap(), runtime: crate::runtime() };
        let world = servers.world();
        let (account, schema) = (format!("u_{}", world.client.id()), world.scratch.name());
        let make = format!(
            "CREATE USER {account}@'%' IDENTIFIED BY 'of a test'; GRANT ALL ON {schema}.* TO {account}@'%'"
        );
        servers.sql(&world.scratch, &make).unwrap();
        let head = world.client.statements("01-check.sql")[..3].concat();
        assert!(head.contains("idgen_own_session") && head.contains("init_connect"), "{head}");
        let client = world.client_of(&servers.server, &account);
        assert_eq!(client.execute_text(&head), Ok(String::new()), "{database}");
        let used = client
            .execute_text(&format!("SET @more = 1; SET @still = 1; SET @again = 1;\n{head}"))
            .unwrap_err();
        assert!(used.contains("this session was used before"), "{database}: {used}");
    }
}

/// Executes the first files on the server itself, which refuses none of them.
fn works_without(world: &World) {
    world.must("check");
    world.must("new-tables");
}

async fn run(url: &str, folder: &Path) -> idgen_migrate::Result<()> {
    let (said, _lines) = tokio::sync::mpsc::unbounded_channel();
    let folder = Folder::open(folder)?;
    execute(url, &folder, 0, Direction::Forward, &said, std::future::pending()).await.map(drop)
}

/// Something that connects twice, which the pooler of the tests sometimes mixes up: that is tried again, and must never succeed.
fn refused<T>(servers: &Servers, mut attempt: impl AsyncFnMut() -> idgen_migrate::Result<T>) {
    let mut said = Vec::new();
    for _ in 0..10 {
        let limited = async { tokio::time::timeout(Duration::from_secs(20), attempt()).await };
        match servers.runtime.block_on(limited) {
            Ok(Ok(_)) => panic!("it worked through a pooler"),
            Ok(Err(error)) if error.to_string().contains("this connection goes through a pooler") => return,
            Ok(Err(error)) => said.push(error.to_string()),
            Err(_) => said.push("no answer".to_owned()),
        }
    }
    panic!("{said:?}");
}
