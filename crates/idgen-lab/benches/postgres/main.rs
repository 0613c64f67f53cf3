//! Measures keys on a PostgreSQL server: page fill of the primary key's index, and bytes of the write-ahead log, beside
//! the model's predictions. `make bench-postgres` runs it.

mod cases;
mod report;
mod server;

use std::path::PathBuf;

use clap::Parser;
use idgen_server::{Flavor, Server};

use cases::Case;
use server::Session;

type Failure = Box<dyn std::error::Error>;

/// What a key costs on PostgreSQL
#[derive(Parser)]
#[command(name = "postgres")]
struct Arguments {
    /// Rows of each table before the log is measured
    #[arg(long, env = "IDGEN_BENCH_ROWS", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(10_000..=50_000_000))]
    rows: u64,
    /// Put the tables between the marks of this file, too
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Write the figures as JSON into this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// What `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// Simulated minutes between two checkpoints.
const CHECKPOINTS: [u64; 3] = [1, 5, 30];
/// The simulated minutes of a table; every minute has the same number of rows.
const MINUTES: u64 = 100;

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    if let Some(path) = &arguments.write {
        // Checked before the work begins, not after it.
        report::check_marks(path)?;
    }
    let server = Server::start(Flavor::Postgres, &server::settings())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (new, switched) = runtime.block_on(async {
        let mut session = Session::open(&server).await?;
        let mut new = Vec::new();
        for case in Case::all() {
            eprintln!("{}", case.name);
            new.push(session.measure(case, arguments.rows).await?);
        }
        let mut switched = Vec::new();
        for case in Case::after_random() {
            eprintln!("version 4, then {}", case.name);
            switched.push(session.switch(case, arguments.rows).await?);
        }
        session.close().await?;
        Ok::<_, Failure>((new, switched))
    })?;
    let text = report::markdown(&server, arguments.rows, &new, &switched)?;
    println!("{text}");
    if let Some(path) = &arguments.write {
        report::write(path, &text)?;
    }
    if let Some(path) = &arguments.json {
        let record = serde_json::json!({
            "server": server.version(),
            "settings": server.shown_settings()?.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
            "rows": arguments.rows,
            "new_tables": new,
            "after_version_4": switched,
        });
        std::fs::write(path, format!("{record:#}\n"))?;
    }
    Ok(())
}
