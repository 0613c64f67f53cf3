//! `idgen plan`: the change of a key with its foreign keys, as SQL files, and their execution.

mod interrupt;
mod make;
mod moment;
mod progress;
mod run;
mod status;

use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  export IDGEN_PLAN_URL=mysql://reader:secret@localhost/shop
  idgen plan --table orders --to binary16               # shows the steps
  idgen plan --table orders --to binary16 --out change  # writes them as files
  idgen plan --table orders --to binary16 --keep-text --json
  idgen plan --table orders --to v7-from-now            # a default, no copy
  idgen plan --table orders --to integer                # needs the map
  idgen plan --table orders --to bigint                 # INT becomes BIGINT
  idgen plan --table orders --to uuid --for pt-online-schema-change --out ptosc
  idgen plan run change                                 # executes the files
  idgen plan status                                     # how far plans are

The planning only reads. The folder has a README.md, one numbered SQL file for each step, and undo/ with the ways back. \
Read them, try them on a copy of the database, and execute them with the server's own client or with idgen plan run.

Exit codes: 0; 1 if the change cannot be planned; 2 if the command line was wrong.";

/// Plan the change of a key and its foreign keys, as SQL files, and execute them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    make: make::Make,
}

#[derive(clap::Subcommand)]
enum Command {
    Run(run::Args),
    Status(status::Args),
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        None => make::run(args.make),
        Some(Command::Run(args)) => run::run(args),
        Some(Command::Status(args)) => status::run(args),
    }
}
