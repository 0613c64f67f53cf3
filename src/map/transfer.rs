//! `idgen map export` and `import`.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use futures_util::TryStreamExt;
use idgen::Uuid;
use idgen::codec::hyphenated;
use idgen_mysql::UuidMap;

use super::Connection;
use super::connection::progress;
use crate::failure;
use crate::lines::{Lines, Piece};
use crate::output::Output;
use crate::values;

#[derive(clap::Args)]
pub struct Export {
    #[command(flatten)]
    connection: Connection,
    /// Only ids above this one: to resume, the last that was received.
    #[arg(long, value_name = "ID", default_value_t = 0, value_parser = values::count)]
    after: u64,
}

#[derive(clap::Args)]
pub struct Import {
    #[command(flatten)]
    connection: Connection,
}

/// Pairs in one round: one commit.
const BATCH: usize = UuidMap::GROUP;

pub async fn export(args: Export) -> anyhow::Result<ExitCode> {
    let map = args.connection.open().await?;
    let mut out = Output::open();
    let progress = progress("pairs");
    let mut pairs = std::pin::pin!(map.export(args.after));
    while let Some((id, uuid)) = pairs.try_next().await? {
        writeln!(out, "{id}\t{uuid}")?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

pub async fn import(args: Import) -> anyhow::Result<ExitCode> {
    let map = args.connection.open().await?;
    let mut lines = Lines::new();
    let (mut number, mut stored, mut present) = (0, 0, 0);
    let progress = progress("pairs");
    loop {
        let mut batch: Vec<(u64, Uuid)> = Vec::with_capacity(BATCH);
        while batch.len() < BATCH
            && let Some(piece) = lines.next_line()?
        {
            number += 1;
            let pair = match piece {
                Piece::Whole(text) => read(text),
                Piece::TooLong => Err(anyhow::anyhow!("it is too long")),
            };
            // A list of pairs with a hole would look complete: stop, and say where to go on.
            batch.push(pair.with_context(|| {
                format!(
                    "line {number} is not an id, a tab and a UUID; {} pairs before it were imported",
                    stored + present
                )
            })?);
        }
        let done = map.import(&batch).await?;
        stored += done.stored;
        present += done.present;
        progress.inc(batch.len() as u64);
        if batch.len() < BATCH {
            break;
        }
    }
    progress.finish_and_clear();
    failure::note(format_args!("{stored} pairs imported, {present} were there already"));
    Ok(ExitCode::SUCCESS)
}

fn read(text: &[u8]) -> anyhow::Result<(u64, Uuid)> {
    let text = std::str::from_utf8(text).context("it is not text")?;
    let (id, uuid) = text.split_once('\t').context("there is no tab")?;
    Ok((values::count(id).map_err(anyhow::Error::msg)?, hyphenated::decode(uuid)?))
}
