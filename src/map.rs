//! `idgen map`: UUIDs mapped to integers in MySQL or MariaDB.

mod claim;
mod connection;
mod reverse;
mod setup;
mod transfer;
mod upkeep;

use std::process::ExitCode;

use clap::Subcommand;
use connection::Connection;

const EXAMPLES: &str = "\
Examples:
  export IDGEN_MAP_URL=mysql://app:secret@localhost/shop
  idgen map install                                      # makes the tables, once
  idgen map id 6ccd780c-baba-1026-9564-5b8c656024db      # its id, made where it has none
  idgen map id -- -P6xMXtjRo1C2gQBJY5OyV                 # after --, as it begins with a hyphen
  idgen map ids < uuids.txt > ids.txt                    # many, in batches
  idgen map uuid 42                                      # the way back
  idgen map export > pairs.tsv
  idgen map import --url mysql://app:secret@other/shop < pairs.tsv
  idgen map changes --position shop.position >> pairs.tsv  # those committed since the last run
  idgen map forget 6ccd780c-baba-1026-9564-5b8c656024db  # erases it; its id is never used again
  idgen map check                                        # exit code 1 where something is wrong

An id is printed only after its pair is committed. All commands may be repeated safely.";

/// Map UUIDs to integers in MySQL or MariaDB.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make the tables of the map, or check those that are there.
    Install(setup::Install),
    /// Print the id of each UUID, one by one; made where there is none. A bad one leaves its line empty.
    Id(claim::One),
    /// Print the ids of many UUIDs, in batches and in their order; made where there is none. A bad one leaves
    /// its line empty.
    Ids(claim::Many),
    /// Make an id for each UUID that must not have one; an existing id is an error that names it.
    Register(claim::Register),
    /// Print the UUID of each id.
    Uuid(reverse::Args),
    /// Print all pairs, a line each: the id, a tab, the UUID.
    Export(transfer::Export),
    /// Store pairs from standard input, as export prints them.
    Import(transfer::Import),
    /// Print the pairs that were committed since the last run, a line each: the id, a tab, the UUID.
    Changes(transfer::Changes),
    /// Print the map's size and state.
    Stats(setup::Stats),
    /// Erase UUIDs, and print the ids that they had, which are never given out again. An empty line for one that
    /// has no id.
    Forget(upkeep::Forget),
    /// Check pairs, claims, next id, tables and server settings. Exit code 1 where something is wrong.
    Check(upkeep::Check),
    /// Repair what needs no guess: raise a next id that is behind, clear claims away. Exit code 1 where
    /// something else is wrong.
    Repair(upkeep::Repair),
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    // A thread of its own for the map's tasks: this one waits for standard input, and what a task holds on the
    // server would wait with it.
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
        }
    })
}
