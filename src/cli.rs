//! The subcommands, and the file that runs each of them.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

#[cfg(feature = "lab")]
use crate::lab;
use crate::{absent, bounds, check, completions, convert, failure, input, inspect, new, odds};
#[cfg(feature = "databases")]
use crate::{map, plan, sql, survey};

/// Examples of the commands that this program has, and its exit codes.
fn examples() -> String {
    let lab = "  idgen lab                                 # what each kind of key costs\n";
    let map = "\n  idgen map --help                          # UUIDs to integers, in MySQL";
    let interrupted = "; 130 if the lab or idgen plan run was interrupted";
    format!(
        "\
Examples:
{lab}\
  \x20 idgen new v7                              # one id
  idgen new week -n 1000 -f base64          # 1,000 ids for a CHAR(22) column
  idgen convert --to hyphenated < ids.txt   # each line in another format
  idgen inspect 01ARZ3NDEKTSV4RRFFQ69G5FAV  # what can be read from an id
  idgen bounds v7 --at 2026-11-21T12:00:00Z # for range queries
  idgen new v7 -n 10000 | idgen check       # is a generator right?
  idgen odds v4 --devices 1000 --rate 100 --years 10\
{map}

Exit codes: 0 for success; 1 if some input was bad or something failed; 2 if the command line was wrong{interrupted}.",
        lab = if cfg!(feature = "lab") { lab } else { "" },
        map = if cfg!(feature = "databases") { map } else { "" },
        interrupted = if cfg!(any(feature = "databases", feature = "lab")) { interrupted } else { "" },
    )
}

/// Generate, convert and inspect unique ids, and measure which key suits a database.
#[derive(Parser)]
#[command(name = "idgen", version, after_help = examples())]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

// To add a subcommand, add a line here and a line in `main`.
#[derive(Subcommand)]
enum Command {
    New(new::Args),
    Convert(convert::Args),
    Inspect(inspect::Args),
    Bounds(Box<bounds::Args>),
    Check(check::Args),
    Odds(odds::Args),
    #[cfg(feature = "databases")]
    Map(map::Args),
    #[cfg(feature = "databases")]
    Sql(sql::Args),
    #[cfg(feature = "databases")]
    Survey(survey::Args),
    #[cfg(feature = "databases")]
    Plan(plan::Args),
    #[cfg(feature = "lab")]
    Lab(Box<lab::Args>),
    Completions(completions::Args),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let mut cli = Cli::command();
    let matches = cli.try_get_matches_from_mut(std::env::args_os()).unwrap_or_else(|error| {
        let better = absent::named(&error, &mut cli)
            .or_else(|| input::file_as_argument(&error, &mut cli))
            .or_else(|| input::taken_for_options(&mut cli));
        failure::exit(better.unwrap_or(error))
    });
    let Cli { command } = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => failure::exit(error),
    };
    let result = match command {
        Command::New(args) => new::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Bounds(args) => bounds::run(*args),
        Command::Check(args) => check::run(args),
        Command::Odds(args) => odds::run(args),
        #[cfg(feature = "databases")]
        Command::Map(args) => map::run(args),
        #[cfg(feature = "databases")]
        Command::Sql(args) => sql::run(args),
        #[cfg(feature = "databases")]
        Command::Survey(args) => survey::run(args),
        #[cfg(feature = "databases")]
        Command::Plan(args) => plan::run(args),
        #[cfg(feature = "lab")]
        Command::Lab(args) => lab::run(*args),
        Command::Completions(args) => completions::run(args, Cli::command()),
    };
    let subcommands = std::iter::successors(matches.subcommand(), |(_, below)| below.subcommand());
    failure::exit_code(result, input::subcommand(&mut cli, subcommands.map(|(name, _)| name)))
}
