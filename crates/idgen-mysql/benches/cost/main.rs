//! What the map costs, as a multiple of the plain insert that a schema without UUIDs would do.
//!
//! Every speed is pairs a second divided by the rows a second of `INSERT` into a table with an
//! AUTO_INCREMENT key, with as many clients and the same batch size, on the same server and under full
//! durability. The map is also divided by its floor, the same rows in the same tables by plain SQL. They take
//! turns in short rounds, so that a machine whose speed drifts favors none of them. Then what a pair takes, how
//! many pages a new one touches, and how many ids a repeat burns.
//!
//! `make bench-map`; `IDGEN_BENCH_SECS`, `IDGEN_BENCH_ROUNDS` and `IDGEN_BENCH_PAIRS` make it shorter,
//! `IDGEN_BENCH_SERVER` names one server, and `IDGEN_BENCH_ONLY` some of the speeds.

mod design;
mod machine;
mod pages;
mod report;
mod speed;

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use idgen_server::{Database, Server, Settings};

use crate::pages::Footprint;
use crate::report::Measured;

type Failure = Box<dyn std::error::Error + Send + Sync>;

const BATCH: usize = 500;
const CLIENTS: [u64; 3] = [1, 4, 16];

/// What the map costs, relative to a plain insert
#[derive(Parser)]
#[command(name = "cost")]
struct Arguments {
    /// Seconds of one measurement
    #[arg(long, env = "IDGEN_BENCH_SECS", default_value_t = 0.2)]
    secs: f64,
    /// How often each is measured: the median counts
    #[arg(long, env = "IDGEN_BENCH_ROUNDS", default_value_t = 9)]
    rounds: usize,
    /// Pairs in the tables whose pages are counted
    #[arg(long, env = "IDGEN_BENCH_PAIRS", default_value_t = pages::MILLION)]
    pairs: u64,
    /// Measure this server only: mysql or mariadb
    #[arg(long, env = "IDGEN_BENCH_SERVER", value_parser = database)]
    server: Option<Database>,
    /// Measure only the speeds whose names contain this, as in "map, unique, batch", and no pages
    #[arg(long, env = "IDGEN_BENCH_ONLY", conflicts_with = "write")]
    only: Option<String>,
    /// Put the tables between the marks of this file, too
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// What `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn database(name: &str) -> Result<Database, String> {
    match name {
        "mysql" => Ok(Database::MySql),
        "mariadb" => Ok(Database::MariaDb),
        _ => Err(format!("no server \"{name}\": choose mysql or mariadb")),
    }
}

/// How long and how often.
struct Effort {
    span: Duration,
    rounds: usize,
    /// How many processes ran or waited for a processor in the minute before, where the system says so.
    load: Option<f64>,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let span = Duration::try_from_secs_f64(arguments.secs)
        .map_err(|error| format!("{} seconds: {error}", arguments.secs))?;
    if span.is_zero() || arguments.rounds == 0 {
        return Err("there must be at least one round of more than no time".into());
    }
    if let Some(path) = &arguments.write {
        // Before the work, not after it.
        report::check_marks(path)?;
    }
    let load = sysinfo::System::load_average().ok().map(|load| load.one);
    let effort = Effort { span, rounds: arguments.rounds, load };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut all = Vec::new();
    for database in Database::MYSQL_FAMILY
        .into_iter()
        .filter(|database| arguments.server.is_none_or(|only| only == *database))
    {
        let settings = Settings::new()
            .buffer_pool_mib(256)
            .option("innodb_flush_log_at_trx_commit", "1")
            .option("sync_binlog", "1")
            .option("log_bin_trust_function_creators", "1");
        let server = Server::start(database, &settings)?;
        all.push(runtime.block_on(measure(&server, &effort, &arguments))?);
    }
    let text = report::markdown(&all, &effort);
    println!("{text}");
    if let Some(path) = &arguments.write {
        report::write(path, &text)?;
    }
    Ok(())
}

async fn measure(server: &Server, effort: &Effort, arguments: &Arguments) -> Result<Measured, Failure> {
    let mut measured = Measured::new(server)?;
    let mut rows = speed::rows();
    if let Some(only) = &arguments.only {
        let names: Vec<String> = rows.iter().map(|row| format!("\"{}\"", row.name())).collect();
        rows.retain(|row| row.name().contains(only));
        if rows.is_empty() {
            return Err(
                format!("no speed's name contains \"{only}\": choose from {}", names.join(", ")).into()
            );
        }
    }
    for mut row in rows {
        eprintln!("{}: {}", server.database(), row.name());
        row.measure(server, effort).await?;
        measured.speeds.push(row);
    }
    if arguments.only.is_some() {
        return Ok(measured);
    }
    for what in pages::designs() {
        eprintln!("{}: pages of {}, {}", server.database(), what.0.name(), what.1.name());
        measured.footprints.push(Footprint::measure(server, what, arguments.pairs).await?);
    }
    Ok(measured)
}
