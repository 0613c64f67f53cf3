//! `idgen lab report`: draws the report of a recorded run again.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use idgen_report as report;

use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  idgen lab report idgen-lab/uuid-order      # into the directory of the run
  idgen lab report old/results.json --out docs/results/uuid-order

A report's results.json contains everything that the report shows. A run that was recorded by an older version gets \
the charts and tables of this version.";

/// Draw the report of a recorded run again, from its results.json.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The run: a results.json file, or its directory.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The directory for the files [default: the directory of RUN].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let results = report::open(&args.run)?;
    let beside = if args.run.is_dir() { Some(args.run.as_path()) } else { args.run.parent() };
    let directory = args.out.as_deref().or(beside).unwrap_or(&args.run);
    report::save(&results, directory)?;
    let mut out = Output::open();
    writeln!(out, "Report: {}", directory.join("report.html").display())?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
