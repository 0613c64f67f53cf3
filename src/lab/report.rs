//! `idgen lab report`: draws the report of a recorded run again, or archives the run.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use idgen_report as report;

use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  idgen lab report idgen-lab/uuid-order      # into the directory of the run
  idgen lab report old/results.json --out docs/results/uuid-order
  idgen lab report 2026-11-23/mysql/switch-1x --out report
  idgen lab report idgen-lab/uuid-order --archive --charts reads,writes

A report's results.json contains everything that the report shows. A run that was recorded by an older version gets \
the charts and tables of this version. In a checkout of idgen, a run of docs/results can be named by the end of its path.

--archive is for runs that a repository keeps: the directory then has the record as results.json.gz, and the charts \
that --charts names. idgen lab report draws the others from it at any time, and idgen lab site makes a page of many.";

/// Draw the report of a recorded run again, from its results.json, or archive the run.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The run: a results.json file, also compressed, or its directory.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The directory for the files [default: the directory of RUN].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Keep only the compressed record and the charts of --charts.
    #[arg(long)]
    archive: bool,
    /// The charts that an archive keeps, separated by commas: the names of their files without .svg.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "archive")]
    charts: Vec<String>,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let beside = if args.run.is_dir() { Some(args.run.as_path()) } else { args.run.parent() };
    let Some(directory) = args.out.as_deref().or(beside.filter(|_| args.run.exists())) else {
        report::open(&args.run)?;
        anyhow::bail!("name the directory of the report of {} with --out", args.run.display());
    };
    let (what, file) = if args.archive {
        let charts: Vec<_> = args.charts.iter().map(String::as_str).collect();
        report::archive(&args.run, directory, &charts)?;
        ("Record", "results.json.gz")
    } else {
        report::save(&report::open(&args.run)?, directory)?;
        ("Report", "report.html")
    };
    let mut out = Output::open();
    writeln!(out, "{what}: {}", directory.join(file).display())?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
