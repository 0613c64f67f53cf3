//! `idgen lab compare`: compares two recorded runs.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use idgen_report as report;

use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  idgen lab compare idgen-lab/uuid-order yesterday/uuid-order
  idgen lab compare mysql/results.json mariadb/results.json --html page.html

A and B are results.json files of idgen lab, or their directories. The output first lists the differences in \
engine, version, workload, settings and machine. Then it shows the figures that both runs have, with B divided by \
A: rows per second and milliseconds per statement; pages read, written and created, also at the end of the run; \
splits, log, cache, leaf pages, page fill and bytes.";

/// Compare two recorded runs: the differences in their settings, and the figures of both with their ratio.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The first run: a results.json file, or its directory.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The second run: a results.json file, or its directory.
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Print the comparison as JSON.
    #[arg(long)]
    json: bool,
    /// Write the comparison as an HTML page, with charts, into this file.
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
