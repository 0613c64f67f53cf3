//! `idgen lab`: measures what each kind of key costs a database.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Subcommand;
use idgen_lab::engine::{Engine, Sqlite};
use idgen_lab::measure::Results;
use idgen_lab::progress::Progress;
use idgen_lab::runner::{self, Cancel};
use idgen_lab::strategy::{self, Strategy};
use idgen_lab::{Workload, report};

use crate::failure;
use crate::output::Output;

const QUESTION: &str = "What does each kind of key cost a table?";

const EXAMPLES: &str = "\
Examples:
  idgen lab                                              # all strategies: under two minutes
  idgen lab --quick                                      # the same in seconds, to look at the report
  idgen lab --strategies v4-binary,v7-binary --rows 1000000
  idgen lab list                                         # what each strategy is

Each strategy fills a clustered table of SQLite whose page cache holds an eighth of it. Afterwards the
rows are verified. report.html, results.json and results.csv are written after each strategy: Ctrl-C
keeps what was finished.";

/// Compare key strategies on a database, and write a report.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Run the comparison; the same as without a subcommand.
    #[command(after_help = EXAMPLES)]
    Run(RunArgs),
    /// Explain each strategy in a line.
    List,
}

#[derive(clap::Args)]
struct RunArgs {
    /// Rows that each strategy inserts.
    #[arg(long, value_name = "N", default_value_t = Workload::DEFAULT_ROWS, conflicts_with = "quick")]
    rows: u64,
    /// Which strategies, separated by commas, in the order given; all by default.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = strategy::find)]
    strategies: Vec<&'static Strategy>,
    /// The directory for report.html, results.json and results.csv; made where it is missing.
    #[arg(long, value_name = "DIR", default_value = "idgen-lab")]
    out: PathBuf,
    /// Few rows, for a look at the report: seconds, but no figures to cite.
    #[arg(long)]
    quick: bool,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        Some(Command::List) => list(),
        Some(Command::Run(run)) => compare(run),
        None => compare(args.run),
    }
}

fn list() -> anyhow::Result<ExitCode> {
    let mut out = Output::open();
    writeln!(out, "{}", report::strategies())?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn compare(args: RunArgs) -> anyhow::Result<ExitCode> {
    let rows = if args.quick { Workload::QUICK_ROWS } else { args.rows };
    let workload = Workload::of_rows(rows).map_err(failure::usage)?;
    let strategies = args.selected();
    let mut engine = Sqlite::new()?;
    let mut results = Results::new(QUESTION, &args.command(rows), engine.info(), workload);
    // A directory that cannot be written is better known before the runs than after.
    report::save(&results, &args.out)?;

    let cancel = Cancel::new();
    let on_signal = cancel.clone();
    ctrlc::set_handler(move || on_signal.cancel()).context("cannot listen for Ctrl-C")?;
    let mut progress = Progress::new(strategies.len(), rows, args.out.clone());
    runner::run(&mut engine, &strategies, &mut results, &cancel, &mut progress)?;

    let mut out = Output::open();
    if args.json {
        write!(out, "{}", report::json(&results)?)?;
    } else {
        summary(&mut out, &results, &args)?;
    }
    out.finish()?;
    Ok(match (results.interrupted, results.failures.is_empty()) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    })
}

/// What a shell reports for a command that Ctrl-C ended: 128 + SIGINT.
const INTERRUPTED: u8 = 130;

fn summary(out: &mut Output, results: &Results, args: &RunArgs) -> anyhow::Result<()> {
    if results.interrupted {
        writeln!(
            out,
            "Interrupted: {} of {} strategies were finished.",
            results.runs.len(),
            args.selected().len()
        )?;
    }
    if !results.runs.is_empty() {
        writeln!(out, "{}", report::table(results))?;
    }
    if let Some(answer) = report::answer(results) {
        writeln!(out, "\n{}", textwrap::fill(&answer, usize::from(report::WIDTH)))?;
    }
    writeln!(out, "\nReport: {}", args.out.join("report.html").display())?;
    Ok(())
}

impl RunArgs {
    fn selected(&self) -> Vec<&'static Strategy> {
        if self.strategies.is_empty() { strategy::ALL.iter().collect() } else { self.strategies.clone() }
    }

    /// The command that does the same again, wherever it is run.
    fn command(&self, rows: u64) -> String {
        let mut command = format!("idgen lab run --rows {rows}");
        if !self.strategies.is_empty() {
            let names: Vec<_> = self.strategies.iter().map(|strategy| strategy.name).collect();
            command += &format!(" --strategies {}", names.join(","));
        }
        command
    }
}
