//! Tests the map while many things go wrong at the same time: 8 processes make mixed calls, on each server and with
//! each index, while servers and clients are killed, connections are cut, tables altered and settings changed.
//! Afterwards, raw SQL and the records of the clients show whether the map kept its promise:
//!
//! - one id per UUID, one UUID per id,
//! - no acknowledged pair is lost,
//! - no id is assigned again, not even that of a UUID that was forgotten.
//!
//! `make test` runs the short form, `make soak-map` the long one. The exit code is 1 if a promise was broken.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod chaos;
mod record;
mod verdict;
mod worker;

use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Server, Settings};

use crate::chaos::Chaos;

const PROCESSES: u64 = 8;

/// The interval at which the progress is printed.
const REPORT: Duration = Duration::from_secs(10);

/// A number from the environment.
fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.replace('_', "").parse().unwrap())
}

fn main() -> ExitCode {
    if std::env::var_os("IDGEN_TORTURE_WORKER").is_some() {
        return worker::run();
    }
    // Filters work as in the usual test harness: `cargo test NAME` then runs tests of other programs only.
    let filters: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut broken = false;
    for database in Database::MYSQL_FAMILY {
        for index in [Index::Unique, Index::Dedup] {
            let name = format!("torture {database} {index}");
            if !filters.is_empty() && !filters.iter().all(|word| name.to_lowercase().contains(word)) {
                continue;
            }
            match torture(&name, database, index) {
                Ok(summary) => println!("{name}: {summary}"),
                Err(problem) => {
                    broken = true;
                    println!("{name}: BROKEN: {problem}");
                }
            }
        }
    }
    if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Tests one server with one index. Returns what happened, or which promise was broken.
fn torture(name: &str, database: Database, index: Index) -> Result<String, String> {
    let acknowledgements = setting("IDGEN_TORTURE_ACKNOWLEDGEMENTS", 5_000);
    let seconds = setting("IDGEN_TORTURE_SECONDS", 3_600);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let settings =
        Settings::new().buffer_pool_mib(128).option("max_connections", "500").tls(index == Index::Dedup);
    let server = Server::start(database, &settings).unwrap();
    let scratch = server.scratch().unwrap();
    runtime.block_on(async {
        let map = UuidMap::builder().index(index).connect(scratch.url()).await.unwrap();
        map.install().await.unwrap();
        map.close().await.unwrap();
    });

    let folder = tempfile::tempdir().unwrap();
    let file = |number: u64| folder.path().join(number.to_string());
    let start = |number: u64| Worker::start(number, &file(number), scratch.url(), acknowledgements);
    let mut workers: Vec<Worker> = (0..PROCESSES).map(start).collect();
    let acknowledged = || (0..PROCESSES).map(|number| record::count(&file(number))).sum::<u64>();
    let mut chaos = Chaos::new(&runtime, &server, scratch.url(), index);
    let (begin, mut reported) = (Instant::now(), Instant::now());
    let mut latest = (0, Instant::now());
    let problem = loop {
        let done = acknowledged();
        if done > latest.0 {
            latest = (done, Instant::now());
        }
        if reported.elapsed() > REPORT {
            reported = Instant::now();
            eprintln!("{name}: {done} of {acknowledgements} acknowledged, {chaos}");
        }
        let enough = done >= acknowledgements || begin.elapsed().as_secs() >= seconds;
        if enough && chaos.has_done_all() {
            break None;
        }
        if latest.1.elapsed() > Duration::from_secs(240) {
            break Some("nothing was acknowledged for four minutes".to_owned());
        }
        chaos.next();
        if chaos.kills_a_client() {
            let number = fastrand::usize(0..workers.len());
            workers[number].kill();
            workers[number] = start(number as u64);
        }
        let ended = workers.iter_mut().find_map(Worker::ended);
        if ended.is_some() {
            break ended;
        }
        std::thread::sleep(Duration::from_millis(fastrand::u64(20..150)));
    };
    chaos.end();
    for worker in &mut workers {
        worker.stop();
    }
    let problem = problem.or_else(|| workers.iter_mut().find_map(Worker::end));
    if let Some(problem) = problem {
        return Err(problem);
    }
    let files: Vec<_> = (0..PROCESSES).map(file).collect();
    let checked =
        runtime.block_on(verdict::check(scratch.url(), &files)).inspect_err(|_| chaos.print_times())?;
    Ok(format!("{checked}, {chaos}, {} s: kept", begin.elapsed().as_secs()))
}

/// A client process.
struct Worker {
    child: Child,
    killed: bool,
}

impl Worker {
    fn start(number: u64, file: &Path, url: &str, population: u64) -> Worker {
        let child = Command::new(std::env::current_exe().unwrap())
            .env("IDGEN_TORTURE_WORKER", number.to_string())
            .env("IDGEN_TORTURE_URL", url)
            .env("IDGEN_TORTURE_FILE", file)
            .env("IDGEN_TORTURE_POPULATION", population.to_string())
            // The client works until this input is closed, which also happens if this program is killed.
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        Worker { child, killed: false }
    }

    /// kill -9.
    fn kill(&mut self) {
        self.killed = true;
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The reason why it ended, if it ended by itself.
    fn ended(&mut self) -> Option<String> {
        let status = self.child.try_wait().unwrap()?;
        (!self.killed).then(|| format!("a client ended ({status}): see its message above"))
    }

    fn stop(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Waits for its end; returns the reason if something was wrong.
    fn end(&mut self) -> Option<String> {
        let status = self.child.wait().unwrap();
        (!status.success()).then(|| format!("a client ended ({status}): see its message above"))
    }
}
