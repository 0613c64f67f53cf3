//! What the map costs, as a multiple of the plain insert that a schema without UUIDs would do.
//!
//! Every figure is pairs a second divided by the rows a second of `INSERT` into a table with an
//! AUTO_INCREMENT key, with as many clients, the same batch size, on the same server and under full
//! durability. The plain insert is measured before and after each design and averaged, so that a machine
//! whose speed drifts does not favour either.
//!
//! `make bench-map`; `IDGEN_BENCH_SECS` sets the seconds of one measurement.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use idgen_mysql::{Strategy, UuidMap, reference};
use idgen_server::{Flavor, Server, Settings};
use sqlx::mysql::{MySqlPool, MySqlPoolOptions};
use sqlx::{AssertSqlSafe, Executor};
use uuid::Uuid;

type Failure = Box<dyn std::error::Error + Send + Sync>;

const BATCH: usize = 500;
const CLIENTS: [u64; 3] = [1, 4, 16];

/// Which UUIDs come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Random,
    /// A prefix for each client, ascending within: what prefixed ids with an ascending tail are.
    Bucket,
}

#[derive(Clone, Copy)]
enum Design {
    Map(Strategy, Order, usize),
    Reference(&'static str),
}

impl Design {
    fn name(self) -> String {
        match self {
            Design::Map(strategy, order, batch) => {
                let order = if order == Order::Random { "random" } else { "bucket-ordered" };
                format!(
                    "{strategy}, {}, {order}",
                    if batch == 1 { "single".to_owned() } else { format!("batch of {batch}") }
                )
            }
            Design::Reference(function) => format!("{}, single, random", function.replace('_', " ")),
        }
    }

    fn batch(self) -> usize {
        match self {
            Design::Map(_, _, batch) => batch,
            Design::Reference(_) => 1,
        }
    }
}

/// UUIDs of one client.
struct Source {
    order: Order,
    next: u128,
}

impl Source {
    fn new(order: Order, client: u64) -> Source {
        Source { order, next: u128::from(fastrand::u16(..)) << 112 | u128::from(client) << 64 }
    }

    fn take(&mut self, count: usize) -> Vec<Uuid> {
        let one = || match self.order {
            Order::Random => Uuid::from_u128(fastrand::u128(..)),
            Order::Bucket => {
                self.next += 1;
                Uuid::from_u128(self.next)
            }
        };
        std::iter::repeat_with(one).take(count).collect()
    }
}

fn main() -> Result<(), Failure> {
    let seconds = std::env::var("IDGEN_BENCH_SECS").map_or(Ok(2.0), |text| text.parse())?;
    let span = Duration::from_secs_f64(seconds);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    println!("# Mapping: pairs a second, as a multiple of the plain insert\n");
    println!(
        "{seconds} s each; `make bench-map`. A batch is compared with a plain insert of the same batch.\n"
    );
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let settings = Settings::new()
            .buffer_pool_mib(256)
            .option("innodb_flush_log_at_trx_commit", "1")
            .option("sync_binlog", "1")
            .option("log_bin_trust_function_creators", "1");
        let server = Server::start(flavor, &settings)?;
        println!("## {flavor} {}\n", server.version());
        println!("| design | 1 client | 4 clients | 16 clients |\n|---|---|---|---|");
        runtime.block_on(table(&server, span))?;
        println!();
    }
    Ok(())
}

async fn table(server: &Server, span: Duration) -> Result<(), Failure> {
    let mut designs = Vec::new();
    for strategy in [Strategy::Unique, Strategy::Dedup] {
        for batch in [1, BATCH] {
            for order in [Order::Random, Order::Bucket] {
                designs.push(Design::Map(strategy, order, batch));
            }
        }
    }
    designs.extend([Design::Reference("reference_lock"), Design::Reference("reference_dedup")]);
    for batch in [1, BATCH] {
        let mut cells = Vec::new();
        for clients in CLIENTS {
            cells.push(format!("{:.0}/s", plain(server, clients, batch, span).await?));
        }
        println!("| plain insert, batch of {batch} | {} |", cells.join(" | "));
    }
    for design in designs {
        let mut cells = Vec::new();
        for clients in CLIENTS {
            let before = plain(server, clients, design.batch(), span / 2).await?;
            let rate = measure(server, design, clients, span).await?;
            let after = plain(server, clients, design.batch(), span / 2).await?;
            cells.push(format!("{:.2}", rate / ((before + after) / 2.0)));
        }
        println!("| {} | {} |", design.name(), cells.join(" | "));
    }
    Ok(())
}

async fn pool(url: &str, clients: u64) -> Result<MySqlPool, Failure> {
    let options = MySqlPoolOptions::new().max_connections(clients as u32 + 1).test_before_acquire(false);
    Ok(options.connect(url).await?)
}

/// Rows a second of the plain insert.
async fn plain(server: &Server, clients: u64, batch: usize, span: Duration) -> Result<f64, Failure> {
    let scratch = server.scratch()?;
    let pool = pool(scratch.url(), clients).await?;
    let table = "CREATE TABLE plain (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, payload BINARY(16) NOT NULL) ENGINE=InnoDB";
    pool.execute(table).await?;
    let count = Arc::new(AtomicU64::new(0));
    let begin = Instant::now();
    let tasks = (0..clients).map(|client| {
        let (pool, count) = (pool.clone(), count.clone());
        async move {
            let mut source = Source::new(Order::Random, client);
            while begin.elapsed() < span {
                let uuids = source.take(batch);
                if batch == 1 {
                    let insert = sqlx::query("INSERT INTO plain (payload) VALUES (?)");
                    pool.execute(insert.bind(uuids[0].as_bytes().to_vec())).await?;
                } else {
                    let list: Vec<String> =
                        uuids.iter().map(|uuid| format!("(x'{}')", uuid.simple())).collect();
                    let insert = format!("INSERT INTO plain (payload) VALUES {}", list.join(","));
                    pool.execute(sqlx::raw_sql(AssertSqlSafe(insert))).await?;
                }
                count.fetch_add(batch as u64, Ordering::Relaxed);
            }
            Ok::<(), Failure>(())
        }
    });
    futures_util::future::try_join_all(tasks).await?;
    Ok(count.load(Ordering::Relaxed) as f64 / begin.elapsed().as_secs_f64())
}

/// Pairs a second of a design.
async fn measure(server: &Server, design: Design, clients: u64, span: Duration) -> Result<f64, Failure> {
    let scratch = server.scratch()?;
    let pool = pool(scratch.url(), clients).await?;
    let map = UuidMap::builder().cache(0);
    let map = match design {
        Design::Map(strategy, _, _) => {
            let map = map.strategy(strategy).with_pool(pool.clone())?;
            map.install().await?;
            Some(map)
        }
        Design::Reference(_) => {
            for statement in reference::statements() {
                pool.execute(sqlx::raw_sql(statement)).await?;
            }
            None
        }
    };
    let count = Arc::new(AtomicU64::new(0));
    let begin = Instant::now();
    let tasks = (0..clients).map(|client| {
        let (pool, map, count) = (pool.clone(), map.clone(), count.clone());
        async move {
            let order = match design {
                Design::Map(_, order, _) => order,
                Design::Reference(_) => Order::Random,
            };
            let mut source = Source::new(order, client);
            while begin.elapsed() < span {
                let uuids = source.take(design.batch());
                match (&design, &map) {
                    (Design::Map(..), Some(map)) if uuids.len() == 1 => drop(map.id_of(uuids[0]).await?),
                    (Design::Map(..), Some(map)) => drop(map.ids_of(&uuids).await?),
                    (Design::Reference(function), _) => {
                        let call = sqlx::query(AssertSqlSafe(format!("SELECT {function}(?)")))
                            .bind(uuids[0].to_string());
                        pool.execute(call).await?;
                    }
                    (Design::Map(..), None) => return Err("a design without its map".into()),
                }
                count.fetch_add(uuids.len() as u64, Ordering::Relaxed);
            }
            Ok::<(), Failure>(())
        }
    });
    futures_util::future::try_join_all(tasks).await?;
    Ok(count.load(Ordering::Relaxed) as f64 / begin.elapsed().as_secs_f64())
}
