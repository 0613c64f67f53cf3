//! `idgen map`: UUIDs mapped to integers in MySQL or MariaDB.

mod claim;
mod connection;
mod lease;
mod reverse;
mod setup;
mod sync;
mod transfer;
mod upkeep;

use std::process::ExitCode;

use clap::Subcommand;
use connection::Connection;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

const EXAMPLES: &str = "\
Examples:
  export IDGEN_MAP_URL=mysql://app:secret@localhost/shop
  idgen map install                                     # creates the tables
  idgen map id 6ccd780c-baba-1026-9564-5b8c656024db     # its id, new or old
  idgen map id --from base64 bM14DLq6ECaVZFuMZWAk2w     # another format
  idgen map ids < uuids.txt > ids.txt                   # many, in batches
  idgen map uuid 42                                     # the UUID of an id
  idgen map uuid < ids.txt > uuids.txt                  # many
  idgen map export > pairs.tsv
  idgen map import --url mysql://app:secret@other/shop < pairs.tsv
  idgen map changes --position shop.position >> pairs.tsv  # since the last run
  idgen map forget 6ccd780c-baba-1026-9564-5b8c656024db    # erases the UUID
  idgen map lease take 6ccd780c-baba-1026-9564-5b8c656024db  # a device's number
  idgen map check                                       # exit code 1 if wrong

A UUID is read from hexadecimal digits: hyphenated, 32 digits, in braces, as a URN, or as a server prints it (0x…, \
\\x…, X'…'). Other formats must be named with --from, because nearly every number and every 22 characters are an id \
in one of them.

An id is printed only after its pair is committed. It is safe to repeat any command.";

/// Map UUIDs to integers in MySQL or MariaDB.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Create the tables of the map, or check the existing ones.
    Install(setup::Install),
    /// Print the id of each UUID, one at a time; create it if there is none. For a bad UUID the line is empty.
    Id(claim::Uuids),
    /// Print the ids of many UUIDs, in batches and in the order of the input; create them if there are none. For a
    /// bad UUID the line is empty.
    Ids(claim::Uuids),
    /// Create an id for each UUID. If a UUID has one already, an error names it.
    Register(claim::Uuids),
    /// Print the UUID of each id. For an id without a UUID the line is empty.
    Uuid(reverse::Args),
    /// Print all pairs, one per line: the id, a tab, the UUID.
    Export(transfer::Export),
    /// Store pairs from standard input, in the format of export.
    Import(transfer::Import),
    /// Print the pairs that were committed since the last run, one per line: the id, a tab, the UUID.
    Changes(transfer::Changes),
    /// Print the map's size and state.
    Stats(setup::Stats),
    /// Erase UUIDs, and print the ids that they had, which are never assigned again. An empty line for one that
    /// has no id.
    Forget(claim::Uuids),
    /// Check pairs, claims, next id, tables and server settings. Exit code 1 if something is wrong.
    Check(upkeep::Check),
    /// Repair what needs no decision: raise a next id that is too low, and remove old claims. Exit code 1 if something
    /// else is wrong.
    Repair(Connection),
    /// Start a new epoch after the map was restored from a backup: new ids are --next-id and above, and clients drop
    /// the ids and pairs that they hold.
    Fence(upkeep::Fence),
    Lease(lease::Args),
    Sync(sync::Args),
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    print_warnings();
    // The map's tasks run in their own thread. This thread waits for standard input, and a task's locks on the
    // server would be held during the wait.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        match args.command {
            Command::Install(args) => setup::install(args).await,
            Command::Id(args) => claim::one(args).await,
            Command::Ids(args) => claim::many(args).await,
            Command::Register(args) => claim::register(args).await,
            Command::Uuid(args) => reverse::run(args).await,
            Command::Export(args) => transfer::export(args).await,
            Command::Import(args) => transfer::import(args).await,
            Command::Changes(args) => transfer::changes(args).await,
            Command::Stats(args) => setup::stats(args).await,
            Command::Forget(args) => upkeep::forget(args).await,
            Command::Check(args) => upkeep::check(args).await,
            Command::Repair(args) => upkeep::repair(args).await,
            Command::Fence(args) => upkeep::fence(args).await,
            Command::Lease(args) => lease::run(args).await,
            Command::Sync(args) => sync::run(args).await,
        }
    })
}

/// The map's warnings go to standard error, such as one that most ids are used. A refused server is an error of the
/// command, which says more.
fn print_warnings() {
    let lines =
        tracing_subscriber::fmt::layer().with_writer(std::io::stderr).without_time().with_target(false);
    let warnings = Targets::new()
        .with_default(LevelFilter::WARN)
        .with_target("idgen_mysql::connector", LevelFilter::ERROR);
    tracing_subscriber::registry().with(lines.with_ansi(false)).with(warnings).init();
}
