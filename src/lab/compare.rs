//! `idgen lab compare`: two recorded runs side by side.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use idgen_lab::report;

use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  idgen lab compare idgen-lab/uuid-order yesterday/uuid-order
  idgen lab compare mysql/results.json mariadb/results.json --html difference.html

A and B are files results.json that idgen lab wrote, or their directories. First comes what differs in how \
they were made: engine, version, workload, settings, machine. Then the figures that both have, with B divided by \
A: rows a second and milliseconds a statement, pages read, written and created, also at the end of the run, \
splits, log, cache, leaves, fill and bytes.";

/// Set two recorded runs side by side: what differs in their settings, and the figures of both with their ratio.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The first run: a results.json, or its directory.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The second run.
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Print the comparison as JSON.
    #[arg(long)]
    json: bool,
    /// Write the comparison as a page, with charts, into this file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (a, b) = (report::open(&args.a)?, report::open(&args.b)?);
    let (a_name, b_name) = (args.a.to_string_lossy(), args.b.to_string_lossy());
    let compared = report::compare((&a_name, &a), (&b_name, &b))?;
    if let Some(path) = &args.html {
        report::write(path, report::comparison_html(&compared)?.as_bytes())?;
    }
    let mut out = Output::open();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&compared)?)?;
    } else {
        writeln!(out, "{}", report::comparison(&compared))?;
        if let Some(path) = &args.html {
            writeln!(out, "\nPage: {}", path.display())?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
