//! `idgen lab`: measures what each kind of key costs a database.

mod cases;
mod clean;
mod clients;
mod clocks;
mod compare;
mod engine;
mod existing;
mod forecast;
mod lsm;
mod options;
mod own;
mod pages;
mod planned;
mod progress;
mod report;
mod run;
mod screen;
mod shape;
mod signals;
mod site;
mod skew;
mod summary;
mod timed;
mod waiting;

use std::io::Write;
use std::process::ExitCode;

use clap::Subcommand;
use idgen_lab::experiment::{self, Scale};
use idgen_lab::strategy;
use idgen_report as reports;

use self::options::{CommonArgs, LoadArgs};
use self::run::Size;
use crate::number;
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  idgen lab                                           # less than two minutes
  idgen lab --quick                                   # seconds, fewer rows
  idgen lab --strategies v4-binary,v7-binary --rows 1000000
  idgen lab --engine mysql --rows 200000              # on a real server
  idgen lab --engine postgres --rows 200000 --checkpoint 60
  idgen lab --existing v4:500K --strategies v4-binary,v7-binary,fixed-prefix
  idgen lab --engine mariadb --pool 32M --payload 200 --rate 2000
  idgen lab run --schema schema.sql --insert insert.sql --engine mysql
  idgen lab run uuid-order --engine mysql --scale ci  # an experiment
  idgen lab run uuid-order --strategies v4-binary     # a part of it
  idgen lab compare idgen-lab elsewhere/idgen-lab     # two recorded runs
  idgen lab site idgen-lab -o site                    # a page of all runs
  idgen lab list                                      # explains the names

Each strategy inserts rows into a clustered table while the page cache holds an eighth of the table. \
Afterwards the lab verifies the rows. After each strategy, it writes to the directory of --out: report.html, \
the same report as report.md with its charts as charts/NAME.svg, results.json, results.csv, and windows.csv, \
which shows the course of each run. After Ctrl-C, the results of finished strategies are kept. \
MySQL, MariaDB and PostgreSQL run in a container if Docker is available, otherwise as a private process.";

/// Compare key strategies on a database, and write a report.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    load: LoadArgs,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Run the comparison, as without a subcommand, or published experiments.
    #[command(after_help = EXAMPLES)]
    Run {
        /// The experiments to run, or `all`. Without any, the lab compares all strategies.
        #[arg(value_name = "EXPERIMENT", conflicts_with_all = ["rows", "quick", "payload", "pool", "seed", "statement_rows", "commit_rows", "prefixes", "interval", "rate", "existing", "mix", "serializable", "schema", "insert", "secondary_indexes", "memtable", "level_base", "lz4", "fixed_levels"])]
        experiments: Vec<String>,
        /// The size of the experiments: ci (seconds), default (minutes) or full (as published).
        #[arg(long, default_value_t = Scale::Default, requires = "experiments")]
        scale: Scale,
        /// In experiments whose table has rows before the run: insert N times as many rows as these.
        #[arg(long, value_name = "N", value_parser = number::whole::<u32>(1..=100), requires = "experiments", allow_negative_numbers = true)]
        growth: Option<u32>,
        #[command(flatten)]
        load: LoadArgs,
        #[command(flatten)]
        common: CommonArgs,
    },
    Compare(compare::Args),
    Report(report::Args),
    Site(site::Args),
    /// Explain each strategy and each experiment in one line.
    List,
    Pages(pages::Args),
    Clean(clean::Args),
    Skew(skew::Args),
    Simulate(forecast::SimulateArgs),
    Advise(forecast::AdviseArgs),
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        Some(Command::Compare(args)) => compare::run(args),
        Some(Command::Report(args)) => report::run(args),
        Some(Command::Site(args)) => site::run(&args),
        Some(Command::List) => list(),
        Some(Command::Pages(args)) => pages::run(args),
        Some(Command::Clean(args)) => clean::run(&args),
        Some(Command::Skew(args)) => skew::run(&args),
        Some(Command::Simulate(args)) => forecast::run_simulate(args),
        Some(Command::Advise(args)) => forecast::run_advise(args),
        Some(Command::Run { experiments, scale, growth, load, common }) if !experiments.is_empty() => {
            run::experiments(&experiments, Size { scale, growth }, &load, &common)
        }
        Some(Command::Run { load, common, .. }) => run::strategies(&load, &common),
        None => run::strategies(&args.load, &args.common),
    }
}

fn list() -> anyhow::Result<ExitCode> {
    let mut out = Output::open();
    let strategies =
        reports::list(["name", "what it is"], strategy::ALL.iter().map(|known| (known.name, known.explains)));
    let experiments = experiment::all()?;
    let questions = experiments.iter().map(|known| (known.id(), known.question()));
    writeln!(out, "{strategies}\n{}", reports::list(["experiment", "question"], questions))?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
