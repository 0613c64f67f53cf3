//! `idgen sql`: prints functions for clients that speak only SQL.

use std::io::Write;
use std::process::ExitCode;

use idgen_mysql::Index;
use idgen_mysql::functions::{self, Dialect};

use crate::failure;
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  idgen sql --server mysql | mysql shop
  idgen sql --server mariadb --table order_ids | mariadb shop

Then, in SQL:
  SELECT idgen_week_uuid();       -- a UUID with the prefix of this week in UTC
  SELECT idgen_to_base64('6ccd780c-baba-1026-9564-5b8c656024db');
  SELECT idgen_from_base64('bM14DLq6ECaVZFuMZWAk2w');
  SELECT idgen_find('6ccd780c-baba-1026-9564-5b8c656024db');  -- id, or NULL
  SELECT idgen_uuid_of(42);
  SELECT * FROM orders            -- those of a day in UTC
    WHERE id >= idgen_first_id('v7', '2026-11-21') AND id < idgen_first_id('v7', '2026-11-22');

On MySQL with a binary log the user needs SUPER, or log_bin_trust_function_creators = 1.";

/// Print SQL functions that generate, convert and look up ids on the server.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The server that will run the functions.
    #[arg(long, value_enum, value_name = "SERVER")]
    server: Server,
    /// The table of the map, for idgen_find and idgen_uuid_of.
    #[arg(long, value_name = "NAME", default_value = "uuid_map")]
    table: String,
    /// The index of the installed map.
    #[arg(long, value_name = "INDEX", default_value = "unique")]
    index: Index,
}

/// The servers that can run the functions.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Server {
    /// MySQL 8.0 and later
    Mysql,
    /// MariaDB 10.10 and later
    Mariadb,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let dialect = match args.server {
        Server::Mysql => Dialect::MySql,
        Server::Mariadb => Dialect::MariaDb,
    };
    let script = functions::script(dialect, &args.table, args.index).map_err(failure::usage)?;
    let mut out = Output::open();
    out.write_all(script.as_bytes())?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
