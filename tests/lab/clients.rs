//! Several clients make their ids as services do, on real servers: where their rows arrive, and how full that leaves pages.

use idgen_lab::engine::{Engine, Mysql, Postgres};
use idgen_lab::forecast::{Load, Model, Options, replay};
use idgen_lab::measure;
use idgen_lab::runner::{Cancel, Observer, run};
use idgen_lab::strategy;
use idgen_record::{Clients, Database, Failure, Skew, Workload};
use idgen_server::{Server, Settings};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection};

use crate::common::{find, load, results};

const CLIENTS: u32 = 8;

/// Single rows by eight clients.
fn single() -> Workload {
    Workload { statement_rows: 1, commit_rows: 100, rows: 5_003, ..load(CLIENTS, 40) }
}

fn clients_of(engine: &mut dyn Engine, name: &str, load: Workload) -> (Clients, f64) {
    let rows = load.rows;
    let results = results(engine, &find(&[name]), load);
    let run = results.run(name).unwrap();
    assert_eq!(run.totals.rows, rows);
    (run.clients.unwrap(), run.totals.fill_mean)
}

fn arrive(engine: &mut dyn Engine) {
    // The clients insert as fast as the server allows. Clients that got the ids of a round before they began
    // would insert most rows hundreds of rows from the edge.
    let (fast, _) = clients_of(engine, "v7-binary", single());
    let (edge, delay) = (fast.edge.unwrap(), fast.delay.unwrap());
    assert!(edge.p50_rows <= 32 && edge.at_edge > 0.05, "{fast:?}");
    assert!(delay.p50_micros > 0 && delay.p50_micros <= delay.max_micros, "{fast:?}");
    // The server said when it inserted each row: before it acknowledged the statement.
    let insert = fast.insert.unwrap();
    assert!(insert.p50_micros <= delay.p50_micros && insert.max_micros <= delay.max_micros, "{fast:?}");
    assert_eq!(fast.pace_kept, None);
    let (random, _) = clients_of(engine, "v4-binary", single());
    assert!(random.edge.unwrap().p50_rows > 500, "{random:?}");

    // By a stated delay, the order is the same on each machine: one client more than waits for the server.
    let delayed = |engine: &mut dyn Engine, name: &str, delay_ms| {
        let load = Workload { rate: Some(1_000.0), delay_ms: Some(delay_ms), ..single() };
        clients_of(engine, name, load)
    };
    let (soon, full) = delayed(engine, "v7-binary", 0.2);
    let (late, emptier) = delayed(engine, "v7-binary", 20.0);
    assert_eq!(delayed(engine, "v7-binary", 20.0).0, late);
    assert!(soon.edge.unwrap().p95_rows <= 2 && late.edge.unwrap().p95_rows >= 8, "{soon:?} {late:?}");
    let (_, random) = delayed(engine, "v4-binary", 0.2);
    assert!(full > random + 0.05, "{full} {random}");
    assert!(full > emptier - 0.02, "{full} {emptier}");

    // The clients keep a pace by a real clock, and the share of it that they kept is recorded.
    let load = Workload { rate: Some(2_000.0), paced: true, rows: 1_501, ..single() };
    let (paced, _) = clients_of(engine, "v7-binary", load);
    let kept = paced.pace_kept.unwrap();
    assert!(kept > 0.0 && kept <= 1.0 && paced.delay.is_some() && paced.insert.is_some(), "{paced:?}");

    // Statements of several rows, and a last one that is short; a single client at a pace.
    let load = Workload { statement_rows: 100, rate: Some(1e6), paced: true, writers: 1, ..single() };
    let (one, _) = clients_of(engine, "v7-binary", load);
    assert_eq!(one.edge.unwrap().at_edge, 1.0, "{one:?}");
}

/// The model has nothing to guess if it gets the order in which the server inserted the rows. Where one
/// statement ends before the next begins, the order is certain: the leaf pages are those of an InnoDB table,
/// and within one in 25 those of an index of PostgreSQL. Where clients insert at the same time, the server's
/// clock is read beside each row: a thread that loses the processor in between puts the row in another place
/// of the order, and on a machine with much other work the pages may differ by a fifth. Clocks that differ by
/// more than the time between two inserts leave emptier pages.
fn the_recorded_order_gives_the_leaf_pages(engine: &mut dyn Engine) {
    let fast = Workload { statement_rows: 10, rows: 10_000, ..single() };
    let apart = Skew::Each((0..CLIENTS).map(|client| f64::from(client) * 400.0).collect());
    let mut fills = Vec::new();
    let alone = Workload { statement_rows: 1, ..fast.clone() };
    let in_turn = Workload { rate: Some(5_000.0), delay_ms: Some(10.0), ..fast.clone() };
    for load in [in_turn, fast, alone.clone(), Workload { skew: Some(apart), ..alone }] {
        let results = results(engine, &find(&["v7-binary"]), load.clone());
        let run = results.run("v7-binary").unwrap();
        let database = results.engine.database().unwrap();
        let order =
            run.arrival.as_ref().unwrap_or_else(|| panic!("{database}: no order in {:?}", run.clients));
        let model = Model::of(database).unwrap();
        // The length of the payload takes a byte of the row on InnoDB.
        let row_bytes = load.payload_bytes + u32::from(database.clusters_rows());
        let planned = Load::new(load.rows, (model.settings)(Options::default()));
        let found =
            replay(strategy::find("v7-binary").unwrap(), &Load { row_bytes, ..planned }, order).unwrap();
        let (found, counted) = (found.tree.leaf_pages as f64, run.trees[0].leaf_pages as f64);
        let off = match load.delay_ms {
            Some(_) if database.clusters_rows() => 0.0,
            Some(_) => 0.04,
            None => 0.35,
        };
        assert!((found / counted - 1.0).abs() <= off, "{database}: {found} {counted} {:?}", run.clients);
        fills.push(run.totals.fill_mean);
    }
    assert!(fills[3] < fills[2], "{fills:?}");
}

#[test]
fn the_recorded_order_gives_the_leaf_pages_of_mysql() {
    the_recorded_order_gives_the_leaf_pages(&mut Mysql::start(Database::MySql, &single()).unwrap());
}

#[test]
fn the_recorded_order_gives_the_leaf_pages_of_mariadb() {
    the_recorded_order_gives_the_leaf_pages(&mut Mysql::start(Database::MariaDb, &single()).unwrap());
}

#[test]
fn the_recorded_order_gives_the_leaf_pages_of_postgres() {
    the_recorded_order_gives_the_leaf_pages(&mut Postgres::start(&single()).unwrap());
}

#[test]
fn rows_of_mysql_clients_arrive_near_the_edge() {
    arrive(&mut Mysql::start(Database::MySql, &single()).unwrap());
}

#[test]
fn rows_of_mariadb_clients_arrive_near_the_edge() {
    arrive(&mut Mysql::start(Database::MariaDb, &single()).unwrap());
}

#[test]
fn rows_of_postgres_clients_arrive_near_the_edge() {
    arrive(&mut Postgres::start(&single()).unwrap());
}

/// Writes to another schema of the server once, in the middle of the run.
struct Writes<'a> {
    server: &'a Server,
    database: Database,
    statements: Vec<String>,
}

impl Observer for Writes<'_> {
    fn inserted(&mut self, rows: u64) {
        if rows > 1_000 {
            execute(self.server, self.database, std::mem::take(&mut self.statements));
        }
    }
    fn failed(&mut self, failure: &Failure) {
        panic!("{}: {}", failure.strategy, failure.error);
    }
}

/// Executes statements in a thread of its own, because the lab's runtime may be calling.
fn execute(server: &Server, database: Database, statements: Vec<String>) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                if database == Database::Postgres {
                    let mut connection = PgConnection::connect(server.url()).await.unwrap();
                    for sql in statements {
                        connection.execute(AssertSqlSafe(sql)).await.unwrap();
                    }
                    // Otherwise the session reports what it wrote only when it ends, which close does not wait for.
                    connection.execute("SELECT pg_stat_force_next_flush()").await.unwrap();
                    connection.close().await.unwrap();
                } else {
                    let mut connection = MySqlConnection::connect(server.url()).await.unwrap();
                    for sql in statements {
                        connection.execute(AssertSqlSafe(sql)).await.unwrap();
                    }
                    connection.close().await.unwrap();
                }
            });
        });
    });
}

/// The writes of others in a run on a server that is given by URL, with this many writes in the middle of it.
fn others(server: &Server, database: Database, writes: usize) -> (u64, Option<String>) {
    let load = Workload { statement_rows: 100, ..single() };
    let mut engine: Box<dyn Engine> = match database {
        Database::Postgres => Box::new(Postgres::at(server.url()).unwrap()),
        _ => Box::new(Mysql::at(server.url(), &load).unwrap()),
    };
    let mut results = measure::begin("?", "test", engine.info(), load);
    let inserts = (0..writes).map(|row| format!("INSERT INTO kept VALUES ({row})"));
    let statements = ["BEGIN".to_owned()].into_iter().chain(inserts).chain(["COMMIT".to_owned()]).collect();
    let mut observer = Writes { server, database, statements };
    run(&mut *engine, &find(&["v7-binary"]), &mut results, &Cancel::new(), &mut observer).unwrap();
    let found = results.runs[0].clients.unwrap().others.unwrap();
    execute(server, database, vec!["DELETE FROM kept".into()]);
    (found.writes, idgen_report::foreign_writes(&results))
}

fn foreign(database: Database) {
    let server = Server::start(database, &Settings::new()).unwrap();
    execute(&server, database, vec!["CREATE TABLE kept (id INT PRIMARY KEY)".into()]);
    // PostgreSQL's autovacuum writes statistics of the other databases.
    let few = if database == Database::Postgres { 1_000 } else { 5 };
    let (alone, said) = others(&server, database, 0);
    assert!(alone <= few && said.is_none(), "{alone} {said:?}");
    let (disturbed, said) = others(&server, database, 1_200);
    assert!((1_200..=1_200 + few).contains(&disturbed), "{disturbed}");
    assert!(said.unwrap().contains("Other clients wrote to the server"));
}

#[test]
fn writes_of_others_to_a_mysql_server_are_counted() {
    foreign(Database::MySql);
}

#[test]
fn writes_of_others_to_a_mariadb_server_are_counted() {
    foreign(Database::MariaDb);
}

#[test]
fn writes_of_others_to_a_postgres_server_are_counted() {
    foreign(Database::Postgres);
}
