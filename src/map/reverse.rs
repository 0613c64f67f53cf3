//! `idgen map uuid`: prints the UUIDs of ids.

use std::io::Write;
use std::process::ExitCode;

use anyhow::anyhow;
use idgen_mysql::UuidMap;

use super::Connection;
use crate::failure::{report, report_input};
use crate::lines::{Lines, Piece};
use crate::number;
use crate::output::Output;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    connection: Connection,
    /// The ids. Without any, each line of standard input is an id.
    #[arg(value_name = "ID", value_parser = number::id)]
    ids: Vec<u64>,
}

/// The number of ids that are looked up together.
const BATCH: usize = UuidMap::GROUP;

/// Each line of the output belongs to an id of the input, so an id without a UUID gets a line, too.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let map = args.connection.open().await?;
    let mut out = Output::open();
    let mut code = ExitCode::SUCCESS;
    let mut ids = Ids::of(args.ids);
    loop {
        let batch = ids.next_batch()?;
        let good: Vec<u64> = batch.iter().filter_map(|id| id.as_ref().ok().copied()).collect();
        let mut found = map.uuids_of(&good).await?.into_iter();
        for id in &batch {
            let uuid = match id {
                Ok(id) => found.next().flatten().ok_or_else(|| anyhow!("no UUID has the id {id}")),
                Err(error) => Err(anyhow!("{error}")),
            };
            match uuid {
                Ok(uuid) => writeln!(out, "{uuid}")?,
                Err(error) => {
                    writeln!(out)?;
                    code = ExitCode::FAILURE;
                    match &ids {
                        Ids::Arguments(_) => report(error),
                        Ids::Lines(..) => report_input(error)?,
                    }
                }
            }
        }
        if batch.len() < BATCH {
            break;
        }
        out.flush()?;
    }
    out.finish()?;
    map.close().await?;
    Ok(code)
}

enum Ids {
    Arguments(std::vec::IntoIter<u64>),
    /// Standard input, and the number of the last line.
    Lines(Lines, u64),
}

impl Ids {
    fn of(arguments: Vec<u64>) -> Self {
        match arguments.is_empty() {
            true => Ids::Lines(Lines::new(), 0),
            false => Ids::Arguments(arguments.into_iter()),
        }
    }

    /// The next ids, fewer than [`BATCH`] at the end; an error for a line that is not an id.
    fn next_batch(&mut self) -> anyhow::Result<Vec<Result<u64, String>>> {
        match self {
            Ids::Arguments(ids) => Ok(ids.by_ref().take(BATCH).map(Ok).collect()),
            Ids::Lines(lines, number) => {
                let mut batch = Vec::new();
                while batch.len() < BATCH
                    && let Some(line) = lines.next_line()?
                {
                    *number += 1;
                    let id = match line {
                        Piece::Whole(text) => number::id(&String::from_utf8_lossy(text)),
                        Piece::TooLong => Err("the line is too long".to_owned()),
                    };
                    batch.push(id.map_err(|error| format!("line {number}: {error}")));
                }
                Ok(batch)
            }
        }
    }
}
