//! A replica that gets rows from the binary log ends equal, and the copy waits while it is behind.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use idgen_migrate::plan::{Options, Target, plan};
use idgen_mysql::Index;
use idgen_server::{Database, Server, Settings, Wait};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

use crate::cascades::cascades_in_innodb;
use crate::client::{Client, address, result};
use crate::clients::Clients;
use crate::integers;
use crate::ledger::monitor::Monitor;
use crate::ledger::world::{Servers, World};
use crate::shop::{execute, fill};
use crate::whole::named;

#[test]
fn mysql() {
    ends_equal(Database::MySql, Target::Binary16, Index::Unique);
}

#[test]
fn mariadb() {
    ends_equal(Database::MariaDb, Target::Uuid, Index::Unique);
}

#[test]
#[ignore = "minutes: make soak executes it"]
fn integers_on_mysql() {
    ends_equal(Database::MySql, Target::Integer, Index::Unique);
}

#[test]
#[ignore = "minutes: make soak executes it"]
fn integers_on_mariadb() {
    ends_equal(Database::MariaDb, Target::Integer, Index::Dedup);
}

fn settings(database: Database, number: u32) -> Settings {
    let settings = cascades_in_innodb(database).option("server_id", number.to_string());
    match database {
        Database::MySql => settings.option("gtid_mode", "ON").option("enforce_gtid_consistency", "ON"),
        // The files of the log are named ON.000001 and so on.
        // The map needs a binary log that a crash does not cut.
        _ => settings.option("log_bin", "ON").option("binlog_format", "ROW").option("sync_binlog", "1"),
    }
}

/// A source and its replica.
struct Pair {
    source: Server,
    replica: Server,
}

impl Pair {
    async fn start(database: Database) -> Pair {
        let [source, replica] =
            [1, 2].map(|number| Server::start(database, &settings(database, number)).unwrap());
        let pair = Pair { source, replica };
        let [user, password, host, port] = address(pair.source.url());
        let from = match database {
            Database::MySql => format!(
                "RESET BINARY LOGS AND GTIDS; SET GLOBAL gtid_purged = '{}'; \
                 CHANGE REPLICATION SOURCE TO SOURCE_HOST = '{host}', SOURCE_PORT = {port}, SOURCE_USER = '{user}', \
                 SOURCE_PASSWORD = '{password}', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1",
                pair.position().await
            ),
            _ => format!(
                "SET GLOBAL gtid_slave_pos = '{}'; CHANGE MASTER TO MASTER_HOST = '{host}', MASTER_PORT = {port}, \
                 MASTER_USER = '{user}', MASTER_PASSWORD = '{password}', MASTER_USE_GTID = slave_pos",
                pair.position().await
            ),
        };
        pair.on_replica(&from).await;
        pair.on_replica("START REPLICA").await;
        pair
    }

    /// The position up to which the source has written its binary log.
    async fn position(&self) -> String {
        let variable = match self.source.database() {
            Database::MySql => "SELECT REPLACE(@@GLOBAL.gtid_executed, '\n', '')",
            _ => "SELECT @@GLOBAL.gtid_binlog_pos",
        };
        let mut connection = MySqlConnection::connect(self.source.url()).await.unwrap();
        sqlx::query_scalar(variable).fetch_one(&mut connection).await.unwrap()
    }

    async fn on_replica(&self, sql: &str) {
        let mut connection = MySqlConnection::connect(self.replica.url()).await.unwrap();
        execute(&mut connection, sql).await.unwrap();
    }

    /// Until the replica has executed what the source has.
    async fn wait_for_replica(&self) {
        let position = self.position().await;
        let wait = match self.source.database() {
            Database::MySql => format!("SELECT WAIT_FOR_EXECUTED_GTID_SET('{position}', 600)"),
            _ => format!("SELECT MASTER_GTID_WAIT('{position}', 600)"),
        };
        let mut connection = MySqlConnection::connect(self.replica.url()).await.unwrap();
        let waited: i64 = sqlx::query_scalar(AssertSqlSafe(wait)).fetch_one(&mut connection).await.unwrap();
        assert_eq!(waited, 0, "the replica does not get to {position}: {:?}", self.replica_error().await);
    }

    async fn replica_error(&self) -> Vec<String> {
        let mut connection = MySqlConnection::connect(self.replica.url()).await.unwrap();
        let row = connection.fetch_one("SHOW REPLICA STATUS").await.unwrap();
        let columns = ["Last_Error", "Last_SQL_Error", "Last_IO_Error"];
        columns.iter().filter_map(|column| row.try_get_unchecked(*column).ok()).collect()
    }

    /// Asserts that no plan is made or executed on the replica, where the changes of the source fire no triggers.
    async fn refuses_a_plan(&self, schema: &str, options: &Options) {
        self.wait_for_replica().await;
        let url = self.replica.url().replace("/mysql?", &format!("/{schema}?"));
        let error = plan(&url, options).await.unwrap_err().to_string();
        assert!(error.contains("this server is a replica"), "{error}");
        // A plan that is made while it does not replicate is refused when it does again.
        self.on_replica("STOP REPLICA").await;
        let folder = tempfile::tempdir().unwrap();
        plan(&url, options).await.unwrap().write(folder.path()).unwrap();
        self.on_replica("START REPLICA").await;
        let client = Client::new(&self.replica, schema, folder.path());
        let first = client.files("").into_iter().next().unwrap();
        let said = tokio::task::block_in_place(|| client.execute(&first)).unwrap_err();
        assert!(said.contains("this server is a replica"), "{said}");
    }

    /// All tables of the schema are equal on both.
    async fn assert_equal(&self, schema: &str, tables: usize) {
        self.wait_for_replica().await;
        let of_source = sums(self.source.url(), schema).await;
        let of_replica = sums(self.replica.url(), schema).await;
        assert_eq!(of_source, of_replica);
        assert_eq!(of_source.len(), tables, "{of_source:?}");
    }
}

/// Each table of a schema with its count of rows and a sum over all columns. MariaDB's CHECKSUM TABLE differs for virtual columns.
async fn sums(url: &str, schema: &str) -> Vec<(String, i64, i64)> {
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    execute(&mut connection, "SET SESSION group_concat_max_len = 100000").await.unwrap();
    let tables = format!(
        "SELECT TABLE_NAME, GROUP_CONCAT('COALESCE(HEX(`', COLUMN_NAME, '`), ''-'')' ORDER BY ORDINAL_POSITION) \
         FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '{schema}' GROUP BY TABLE_NAME ORDER BY TABLE_NAME"
    );
    let mut all = Vec::new();
    for row in connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(tables))).await.unwrap() {
        let [table, columns] = [0, 1].map(|at| String::from_utf8(row.get_unchecked(at)).unwrap());
        let sum = format!(
            "SELECT COUNT(*), CAST(COALESCE(SUM(CRC32(CONCAT_WS(' ', {columns}))), 0) AS SIGNED) FROM `{schema}`.`{table}`"
        );
        let (count, sum) = sqlx::query_as(AssertSqlSafe(sum)).fetch_one(&mut connection).await.unwrap();
        all.push((table, count, sum));
    }
    all
}

/// The index is that of the map, for integers.
fn ends_equal(database: Database, to: Target, index: Index) {
    crate::workers(2).block_on(async {
        let pair = Pair::start(database).await;
        let World { client, scratch, folder } = World::new(&pair.source);
        let rows = fill(scratch.url(), 4, 4_000, to).await;
        let map = integers::map_for(to, scratch.url(), index, &rows).await;
        let options = Options::new("orders", to);
        pair.refuses_a_plan(scratch.name(), &options).await;
        plan(scratch.url(), &options).await.unwrap().write(folder.path()).unwrap();
        let watcher = "CREATE USER watcher IDENTIFIED BY 'watches'; GRANT ALL ON *.* TO watcher";
        execute(&mut MySqlConnection::connect(scratch.url()).await.unwrap(), watcher).await.unwrap();
        let clients = Clients::start(&pair.source, scratch.url(), rows, to, map.clone()).await;
        tokio::task::block_in_place(|| {
            let (first_copy, rename) = (named(&client, "copy-customers"), named(&client, "rename"));
            let files = client.files("");
            files.iter().filter(|file| **file < first_copy).for_each(|file| drop(client.must(file)));
            waits_while_the_replica_is_behind(&pair, &client, &clients, folder.path(), scratch.name());
            files.iter().filter(|file| **file < rename).for_each(|file| {
                if *file >= first_copy {
                    client.must(file);
                }
            });
            clients.may_be_renamed();
            client.must(&rename);
            client.must(&named(&client, "verify-renamed"));
        });
        let (acknowledged, changes, answers) = clients.end().await;
        assert!(changes > 200, "{changes} changes are too few for a test");
        let of_the_map = match (to, index) {
            // The pairs, the state row, and the table of what clients synchronize.
            (Target::Integer, Index::Unique) => 3,
            (Target::Integer, _) => 4,
            _ => 0,
        };
        // The block of integers, and the counter that draws them.
        let of_integers = if map.is_some() { 2 } else { 0 };
        // Three old and three new tables, three positions, two of the phase, the control table, the ledger and what hangs on the new tables.
        pair.assert_equal(scratch.name(), 15 + of_the_map + of_integers).await;
        let url = pair.replica.url().replace("/mysql?", &format!("/{}?", scratch.name()));
        acknowledged.assert_equal(&crate::shop::Acknowledged::read(&url, "", to).await, "the replica");
        tokio::task::block_in_place(|| client.must(&named(&client, "finish")));
        pair.assert_equal(scratch.name(), 3 + of_the_map).await;
        if let Some(map) = map {
            if index == Index::Dedup {
                integers::assert_no_claims(scratch.url()).await;
            }
            integers::assert_of_the_map(scratch.url(), &map, &answers).await;
        }
    });
}

/// The replica stops; the program that watches it sees that, and the copy waits until the replica continues.
fn waits_while_the_replica_is_behind(
    pair: &Pair,
    client: &Client,
    clients: &Clients,
    folder: &std::path::Path,
    schema: &str,
) {
    let runtime = tokio::runtime::Handle::current();
    let number = |sql: &str| -> i64 {
        let sql = AssertSqlSafe(sql.replace("FROM ", &format!("FROM {schema}.")));
        runtime.block_on(async {
            let mut connection = MySqlConnection::connect(pair.source.url()).await.unwrap();
            sqlx::query_scalar(sql).fetch_one(&mut connection).await.unwrap()
        })
    };
    let execute_on_source = |sql: String| {
        runtime.block_on(async {
            let mut connection = MySqlConnection::connect(pair.source.url()).await.unwrap();
            execute(&mut connection, &sql).await.unwrap();
        });
    };
    let (control, at) = (client.own("control"), client.made("customers", "at"));
    execute_on_source(format!("UPDATE {schema}.{control} SET max_replica_lag = 3"));
    let mut watcher = watch(pair, client, folder, schema);
    let mut until = |state: &str| {
        let wait = Wait::until(format!("the program has seen {state}"));
        while number(&format!("SELECT COALESCE({state}, 0) FROM {control}")) == 0 {
            if watcher.try_wait().unwrap().is_some() {
                let mut said = String::new();
                watcher.stderr.take().unwrap().read_to_string(&mut said).unwrap();
                panic!("the program has ended: {said}");
            }
            wait.check();
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    until("replica_lag IS NOT NULL");
    runtime.block_on(pair.on_replica("STOP REPLICA SQL_THREAD"));
    until("replica_lag > max_replica_lag");
    let mut copy = client.start(&named(client, "copy-customers"));
    let [list, _, _, state] = clients.sessions();
    let sleeps = format!("SELECT COUNT(*) FROM {list} WHERE {state} = 'User sleep'");
    let sleeping = || -> i64 {
        runtime.block_on(async {
            let mut connection = MySqlConnection::connect(pair.source.url()).await.unwrap();
            sqlx::query_scalar(AssertSqlSafe(sleeps.clone())).fetch_one(&mut connection).await.unwrap()
        })
    };
    let wait = Wait::until("the copy sleeps");
    while sleeping() == 0 {
        wait.check();
        assert!(copy.try_wait().unwrap().is_none(), "the copy did not wait");
    }
    assert_eq!(number(&format!("SELECT CAST(rows_copied AS SIGNED) FROM {at}")), 0);
    runtime.block_on(pair.on_replica("START REPLICA SQL_THREAD"));
    result(copy.wait_with_output().unwrap()).unwrap();
    assert_eq!(number(&format!("SELECT CAST(finished AS SIGNED) FROM {at}")), 1);
    // Without the program, the copy would wait, too, unless `watched` is NULL, which means that nobody watches.
    watcher.kill().unwrap();
    // The processes that it started end before its output does.
    watcher.wait_with_output().unwrap();
    execute_on_source(format!("UPDATE {schema}.{control} SET watched = NULL"));
}

/// Starts the program of the plan, with the server's own client.
fn watch(pair: &Pair, client: &Client, folder: &std::path::Path, schema: &str) -> std::process::Child {
    let programs = tempfile::tempdir_in(folder).unwrap().keep();
    let (program, words) = client.program();
    let path = std::env::var("PATH").unwrap();
    std::fs::write(
        programs.join(program),
        // It has the name of the client that it calls.
        format!("#!/bin/sh\nPATH='{path}' exec {} --user=watcher \"$@\"\n", words.join(" ")),
    )
    .unwrap();
    std::fs::set_permissions(programs.join(program), std::fs::Permissions::from_mode(0o755)).unwrap();
    let place = |server: &Server| {
        let [_, _, host, port] = address(server.url());
        format!("{host}:{port}")
    };
    Command::new("sh")
        .arg(folder.join("watch-replicas.sh"))
        .args([schema, &place(&pair.source), &place(&pair.replica)])
        .env("PATH", format!("{}:{path}", programs.display()))
        .env("MYSQL_PWD", "watches")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A snapshot of a replica that is older than the rows there would read empty tables. Only the program that watches the replicas knows of it.
#[test]
fn old_snapshots_of_a_replica_stop_the_renaming() {
    for database in Database::MYSQL_FAMILY {
        let runtime = crate::workers(2);
        let pair = runtime.block_on(Pair::start(database));
        let servers = Servers { server: pair.source, runtime };
        let world = servers.world();
        let pair = Pair { source: servers.server, replica: pair.replica };
        let on = |connection: &mut MySqlConnection, sql: &str| {
            servers.runtime.block_on(execute(connection, sql)).unwrap()
        };
        let mut own = servers.runtime.block_on(MySqlConnection::connect(world.scratch.url())).unwrap();
        on(&mut own, "CREATE USER watcher IDENTIFIED BY 'watches'; GRANT ALL ON *.* TO watcher");
        servers.runtime.block_on(pair.wait_for_replica());
        let url = pair.replica.url().replace("/mysql?", &format!("/{}?", world.scratch.name()));
        let mut reader = servers.runtime.block_on(MySqlConnection::connect(&url)).unwrap();
        world.until("copy-c");
        servers.runtime.block_on(pair.wait_for_replica());
        // The list of transactions of the replica is from before the next one, as long as a monitor reads it all the time.
        let monitor = Monitor::start(pair.replica.url());
        on(&mut reader, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
        let mut watcher = watch(&pair, &world.client, world.folder.path(), world.scratch.name());
        world.between("copy-c", "rename");
        let control = world.client.own("control");
        let mut arrived = || -> bool {
            let sql = format!(
                "SELECT COUNT(*) FROM {control} WHERE watched > UTC_TIMESTAMP(6) - INTERVAL 5 SECOND AND copy_arrived IS NOT NULL"
            );
            let number = sqlx::query_scalar::<_, i64>(AssertSqlSafe(sql)).fetch_one(&mut own);
            servers.runtime.block_on(number).unwrap() > 0
        };
        let wait = Wait::until("the rows of the copy are on the replica");
        while !arrived() {
            assert!(watcher.try_wait().unwrap().is_none(), "the program has ended");
            wait.check();
            std::thread::sleep(Duration::from_millis(100));
        }
        world.refused(&world.file("rename"), "a transaction on a replica that is older than the copy");
        monitor.stop();
        world.refused(&world.file("rename"), "a transaction on a replica that is older than the copy");
        // A later one reads all rows, also after the renaming. The program knows to a few seconds when it began, so the transactions are later and later.
        let wait = Wait::until("the program knows of a transaction that began after the copy");
        while let Err(said) = world.client.execute(&world.file("rename")) {
            let too_old = "a transaction on a replica that is older than the copy";
            assert!(said.contains(too_old) || said.contains("ERROR 1205"), "{database}: {said}");
            wait.check();
            on(&mut reader, "COMMIT");
            on(&mut reader, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
            std::thread::sleep(Duration::from_secs(2));
        }
        servers.runtime.block_on(pair.wait_for_replica());
        let rows = servers
            .runtime
            .block_on(sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM c").fetch_one(&mut reader));
        assert!(rows.as_ref().is_ok_and(|rows| *rows == 8) || rows.is_err(), "{database}: {rows:?}");
        watcher.kill().unwrap();
        watcher.wait_with_output().unwrap();
    }
}
