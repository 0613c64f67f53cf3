//! `idgen map export`, `changes` and `import`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use futures_util::TryStreamExt;
use idgen::Uuid;
use idgen::codec::hyphenated;
use idgen_mysql::{Position, UuidMap};

use super::Connection;
use super::connection::progress;
use crate::failure;
use crate::lines::{Lines, Piece};
use crate::number;
use crate::output::Output;
use crate::text_file;

#[derive(clap::Args)]
pub struct Export {
    #[command(flatten)]
    connection: Connection,
    /// Export only ids above this one. To resume an export, name the last id that was received.
    #[arg(long, value_name = "ID", default_value_t = 0, value_parser = number::id)]
    after: u64,
}

#[derive(clap::Args)]
pub struct Changes {
    #[command(flatten)]
    connection: Connection,
    /// The file that holds the position of the last run. If it does not exist, the command prints all pairs
    /// and creates it. It is replaced after the pairs were printed: a run that was interrupted prints them again.
    #[arg(long, value_name = "FILE")]
    position: PathBuf,
}

#[derive(clap::Args)]
pub struct Import {
    #[command(flatten)]
    connection: Connection,
    /// Import ids in the last 5 % of the map's range, too. New ids follow the largest one, so few are left then.
    #[arg(long)]
    allow_exhaustion: bool,
}

/// The number of pairs that are committed together.
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

pub async fn changes(args: Changes) -> anyhow::Result<ExitCode> {
    let file = &args.position;
    let mut position = match std::fs::exists(file) {
        Ok(false) => Position::default(),
        // If its folder cannot be read, neither can the file.
        Ok(true) | Err(_) => text_file::read(file)?
            .parse()
            .with_context(|| format!("{} does not contain a position", file.display()))?,
    };
    let map = args.connection.open().await?;
    let mut out = Output::open();
    let progress = progress("pairs");
    loop {
        let (pairs, next) = map.changes(&position, 10 * BATCH).await?;
        if next == position {
            break;
        }
        for (id, uuid) in &pairs {
            writeln!(out, "{id}\t{uuid}")?;
        }
        out.flush()?;
        progress.inc(pairs.len() as u64);
        position = next;
        save(file, &position).with_context(|| format!("cannot write {}", file.display()))?;
    }
    progress.finish_and_clear();
    out.finish()?;
    map.close().await?;
    Ok(ExitCode::SUCCESS)
}

/// Saves the position in one step: a reader of the file finds the old position or the new one.
fn save(file: &Path, position: &Position) -> std::io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut new = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    writeln!(new, "{position}")?;
    new.as_file().sync_all()?;
    new.persist(file)?;
    Ok(())
}

pub async fn import(args: Import) -> anyhow::Result<ExitCode> {
    let allow = args.allow_exhaustion;
    let map = args.connection.open_with(|builder| builder.allow_exhausting_import(allow)).await?;
    let mut lines = Lines::new();
    let (mut number, mut before, mut stored, mut present) = (0, 0, 0, 0);
    let progress = progress("pairs");
    loop {
        let mut batch: Vec<(u64, Uuid)> = Vec::with_capacity(BATCH);
        while batch.len() < BATCH
            && let Some(piece) = lines.next_line()?
        {
            number += 1;
            let pair = match piece {
                Piece::Whole(text) => read(text),
                Piece::TooLong => Err(anyhow::anyhow!("the line is too long")),
            };
            // A list of pairs with a gap would look complete, so stop and say where to continue.
            batch.push(pair.with_context(|| {
                format!("line {number} is not an id, a tab and a UUID; {}", done_before(before))
            })?);
        }
        let done = map.import(&batch).await.map_err(|error| at_line(&error, &batch, before))?;
        stored += done.stored;
        present += done.present;
        // Each line is a pair, perhaps one that is repeated.
        before += batch.len();
        progress.inc(batch.len() as u64);
        if batch.len() < BATCH {
            break;
        }
    }
    progress.finish_and_clear();
    failure::note(format_args!("{stored} pairs imported, {present} were already present"));
    Ok(ExitCode::SUCCESS)
}

/// The error of a batch, of which nothing was stored unless the server's answer was lost. Each line before it is a pair.
fn at_line(error: &idgen_mysql::Error, batch: &[(u64, Uuid)], before: usize) -> anyhow::Error {
    let refused = error.refused_pair();
    let at = refused.and_then(|refused| batch.iter().rposition(|pair| *pair == refused));
    let line = at.map_or(String::new(), |at| format!("line {}: ", before + at + 1));
    let done = done_before(before);
    match error.is_transient() {
        true => anyhow::anyhow!(
            "{line}{error}; {done}, unless the server did it without an answer: import the same lines again"
        ),
        false => anyhow::anyhow!("{line}{error}; {done}"),
    }
}

/// Describes the part of an import that was done before it stopped: each line before is a pair.
fn done_before(lines: usize) -> String {
    match lines {
        0 => "nothing was imported".to_owned(),
        lines => {
            let next = lines + 1;
            format!("the {lines} pairs before line {next} were imported, and none from line {next} on")
        }
    }
}

fn read(text: &[u8]) -> anyhow::Result<(u64, Uuid)> {
    let text = std::str::from_utf8(text).context("the line is not UTF-8")?;
    let (id, uuid) = text.split_once('\t').context("the line has no tab")?;
    // A quoted field of a CSV file is not digits either.
    Ok((number::id(id).map_err(anyhow::Error::msg)?, hyphenated::decode(uuid)?))
}
