//! `idgen lab site`: makes one page of all recorded runs in and below a directory.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use idgen_record::thousands;
use idgen_report as report;

use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  idgen lab site idgen-lab -o site           # the runs of this machine
  idgen lab site docs/results -o site        # those of a repository
  xdg-open site/index.html                   # needs no server

The page shows what each experiment found, every single run as a point, an exact rank test for each figure, the \
command, the settings, and the record to download with its checksum. In a git checkout with its whole history, it also names the \
commit of each record. Filters for the engine, the kind of key, the figure and the number of clients are in the URL of the \
page, so that a link leads to what you see. Without JavaScript, the page shows everything.

DIR is written completely or not at all. It replaces an earlier site, but no other files.";

/// Make one page of all recorded runs in and below a directory: findings, every run as a point, and the records.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The directory of the records: results.json files, also compressed, and .jsonl.gz files.
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// The directory for the site. It is not in RESULTS.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let site = report::site(&args.results, &args.out)?;
    let mut out = Output::open();
    let (records, runs) = (thousands(site.records as u64), thousands(site.runs as u64));
    writeln!(out, "Site: {} (records: {records}, runs: {runs})", args.out.join("index.html").display())?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
