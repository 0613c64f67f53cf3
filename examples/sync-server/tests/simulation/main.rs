//! Many devices, servers and a database, in one run: servers and the database are killed with `SIGKILL`, batches are lost,
//! repeated, cut anew and reordered, clocks are set back, and devices are restored from old backups. A checker compares the
//! tables with the logs of the devices.
//!
//! `make soak-sync` runs it with the numbers of the environment.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod checker;
mod fleet;
#[path = "../process/mod.rs"]
mod process;
mod servers;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use checker::{Journal, Log, check};
use fleet::{Fleet, Person};
use idgen_mysql::UuidMap;
use idgen_server::{Database, Server, Settings};
use servers::Servers;
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection};

/// The size of a run.
struct Size {
    devices: usize,
    /// How often each device makes rows, about 10 at a time.
    visits: usize,
    server_kills: usize,
    database_kills: usize,
}

impl Size {
    fn of_environment() -> Size {
        let number = |name: &str, default: usize| {
            std::env::var(name)
                .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}")))
        };
        Size {
            devices: number("IDGEN_SYNC_DEVICES", 12),
            visits: number("IDGEN_SYNC_VISITS", 12),
            server_kills: number("IDGEN_SYNC_SERVER_KILLS", 4),
            database_kills: number("IDGEN_SYNC_KILLS", 1),
        }
    }
}

#[test]
fn mysql() {
    simulate(Database::MySql);
}

#[test]
fn mariadb() {
    simulate(Database::MariaDb);
}

fn simulate(database: Database) {
    let size = Size::of_environment();
    let settings = Settings::new().buffer_pool_mib(256).option("max_connections", "500");
    let server = Server::start(database, &settings).unwrap();
    let scratch = server.scratch().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let leases = runtime.block_on(async {
        let map = UuidMap::builder().timeout(Duration::from_secs(300)).connect(scratch.url()).await.unwrap();
        map.install().await.unwrap();
        let leases = map.device_leases();
        leases.install().await.unwrap();
        leases
    });
    let servers = Servers::start(scratch.url());
    let folder = tempfile::tempdir().unwrap();
    let fleet = Fleet::new(size.devices, size.visits, folder.path(), &leases, runtime.handle());
    let journal = Journal::default();
    let (begin, ended, restored) = (Instant::now(), AtomicBool::new(false), AtomicUsize::new(0));

    std::thread::scope(|scope| {
        let killer = scope.spawn(|| {
            let kills = size.server_kills + size.database_kills;
            for kill in 1..=kills {
                // Kills are spread over the work that is done, however long it takes.
                while fleet.done() < fleet.visits() * kill / (kills + 1) && !ended.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(10));
                }
                // The kills of the database are spread among those of the servers.
                if kill * size.database_kills / kills > (kill - 1) * size.database_kills / kills {
                    server.kill().unwrap();
                    server.start_again().unwrap();
                } else {
                    servers.kill_one(kill % 2);
                }
            }
        });
        let workers: Vec<_> = (0..8)
            .map(|seed| {
                let (fleet, servers, journal, restored) = (&fleet, &servers, &journal, &restored);
                scope.spawn(move || {
                    let mut random = fastrand::Rng::with_seed(seed);
                    while let Some(mut person) = fleet.take() {
                        let left = person.visit(&mut random, servers, journal);
                        restored.fetch_add(usize::from(person.restore()), Ordering::Relaxed);
                        fleet.put_back(person, left);
                    }
                })
            })
            .collect();
        for worker in workers {
            worker.join().unwrap();
        }
        ended.store(true, Ordering::Relaxed);
        killer.join().unwrap();
    });

    let (people, log) = (fleet.into_people(), journal.into_log());
    runtime.block_on(async {
        let mut connection = MySqlConnection::connect(scratch.url()).await.unwrap();
        // Otherwise the restored devices show nothing.
        assert_eq!(restored.load(Ordering::Relaxed), size.devices / 2);
        assert!(log.refused > 0);
        let report = check(&mut connection, &log, &people).await;
        println!(
            "{database}: {} devices, {} restored; {} rows made, {} changes sent, {} of them refused or older; {} server and {} database kills; {} rows in the \
             tables, {} s",
            size.devices,
            restored.load(Ordering::Relaxed),
            log.rows(),
            log.changes,
            log.refused,
            size.server_kills,
            size.database_kills,
            report.rows,
            begin.elapsed().as_secs()
        );
        assert_eq!(report.wrong, Vec::<String>::new());
        the_checker_finds_each_fault(&mut connection, &log, &people).await;
    });
    servers.stop();
}

/// Otherwise its silence would say nothing.
///
/// Some rows are of devices that were restored before they were told about them, and may be gone: so the faults are of
/// several.
async fn the_checker_finds_each_fault(connection: &mut MySqlConnection, log: &Log, people: &[Person]) {
    for (fault, words) in [
        ("DELETE FROM notes LIMIT 20", "is not there"),
        (
            "INSERT INTO notes SELECT id + 100000000, item_id, code ^ (1 << 62) FROM notes LIMIT 20",
            "no device",
        ),
        ("UPDATE items SET title = 'another' LIMIT 20", "other values"),
        ("UPDATE notes SET item_id = NULL WHERE item_id IS NOT NULL LIMIT 20", "refers elsewhere"),
        ("UPDATE uuid_map SET uuid = REVERSE(uuid) LIMIT 20", "was told"),
        ("UPDATE uuid_map_row SET number = number + 1 WHERE tbl = 'lists' LIMIT 20", "the number"),
        ("UPDATE uuid_map_lease SET device = x'01900000000070008000000000000002' LIMIT 1", "lease"),
    ] {
        let mut transaction = connection.begin().await.unwrap();
        let done = transaction.execute(sqlx::raw_sql(AssertSqlSafe(fault))).await.unwrap();
        assert!(done.rows_affected() > 0, "{fault}");
        let wrong = check(&mut transaction, log, people).await.wrong;
        assert!(wrong.iter().any(|wrong| wrong.contains(words)), "{fault}: {wrong:?}");
        transaction.rollback().await.unwrap();
    }
}
