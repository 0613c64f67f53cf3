//! `idgen map uuid`: prints the UUIDs of ids.

use std::io::Write;
use std::process::ExitCode;

use super::Connection;
use crate::failure::report;
use crate::output::Output;
use crate::values;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    connection: Connection,
    /// The ids.
    #[arg(value_name = "ID", required = true, value_parser = values::count)]
    ids: Vec<u64>,
}

pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let map = args.connection.open().await?;
    let mut out = Output::open();
    let mut code = ExitCode::SUCCESS;
    for (id, uuid) in args.ids.iter().zip(map.uuids_of(&args.ids).await?) {
        match uuid {
            Some(uuid) => writeln!(out, "{uuid}")?,
            None => {
                report(format_args!("no UUID has the id {id}"));
                code = ExitCode::FAILURE;
            }
        }
    }
    out.finish()?;
    Ok(code)
}
