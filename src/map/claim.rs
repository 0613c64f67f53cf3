//! `idgen map id`, `ids`, `register`: print the ids of UUIDs.

use std::io::Write;
use std::process::ExitCode;

use idgen::Uuid;
use idgen::codec::Format;
use idgen_mysql::UuidMap;

use super::Connection;
use super::connection::progress;
use crate::failure::report;
use crate::input::{Ids, Input};
use crate::output::Output;

#[derive(clap::Args)]
pub struct Uuids {
    #[command(flatten)]
    pub(super) connection: Connection,
    #[command(flatten)]
    pub(super) input: Input,
}

/// The number of UUIDs that are committed together.
const BATCH: usize = UuidMap::GROUP;

pub async fn one(args: Uuids) -> anyhow::Result<ExitCode> {
    each(&args.connection, args.input, async |map, uuid| map.id_of(uuid).await.map(Some)).await
}

pub async fn many(args: Uuids) -> anyhow::Result<ExitCode> {
    let map = args.connection.open().await?;
    let mut ids = args.input.open(true);
    let mut out = Output::open();
    let progress = progress("UUIDs");
    loop {
        let mut batch: Vec<Option<Uuid>> = Vec::with_capacity(BATCH);
        while batch.len() < BATCH
            && let Some(uuid) = next(&mut ids)?
        {
            batch.push(uuid);
        }
        let good: Vec<Uuid> = batch.iter().copied().flatten().collect();
        let mut found = map.ids_of(&good).await?.into_iter();
        // Each line of the output belongs to a line of the input, so a bad UUID gets a line, too.
        for uuid in &batch {
            match uuid.and_then(|_| found.next()) {
                Some(id) => writeln!(out, "{id}")?,
                None => writeln!(out)?,
            }
        }
        progress.inc(good.len() as u64);
        if batch.len() < BATCH {
            break;
        }
        if ids.may_wait() {
            out.flush()?;
        }
    }
    progress.finish_and_clear();
    out.finish()?;
    map.close().await?;
    Ok(ids.code())
}

pub async fn register(args: Uuids) -> anyhow::Result<ExitCode> {
    let map = args.connection.open().await?;
    let mut ids = args.input.open(true);
    let mut out = Output::open();
    let mut duplicates = false;
    while let Some(uuid) = next(&mut ids)? {
        if let Some(uuid) = uuid {
            match map.register(uuid).await {
                Ok(id) => writeln!(out, "{id}")?,
                Err(error) if error.is_duplicate() => {
                    report(error);
                    duplicates = true;
                }
                Err(error) => return Err(error.into()),
            }
        }
        if ids.may_wait() {
            out.flush()?;
        }
    }
    out.finish()?;
    map.close().await?;
    Ok(if duplicates { ExitCode::FAILURE } else { ids.code() })
}

/// Prints the id that `find` has for each UUID, one after another; an empty line for none, and for a bad UUID.
pub(super) async fn each(
    connection: &Connection,
    input: Input,
    find: impl AsyncFn(&UuidMap, Uuid) -> idgen_mysql::Result<Option<u64>>,
) -> anyhow::Result<ExitCode> {
    let map = connection.open().await?;
    let mut ids = input.open(true);
    let mut out = Output::open();
    while let Some(uuid) = next(&mut ids)? {
        let id = match uuid {
            Some(uuid) => find(&map, uuid).await?,
            None => None,
        };
        match id {
            Some(id) => writeln!(out, "{id}")?,
            None => writeln!(out)?,
        }
        if ids.may_wait() {
            out.flush()?;
        }
    }
    out.finish()?;
    map.close().await?;
    Ok(ids.code())
}

/// The next UUID; `Some(None)` for a bad one, which was reported.
///
/// A pair is permanent, so only texts that can be nothing but a UUID are read, unless `--from` names another format.
fn next(ids: &mut Ids) -> anyhow::Result<Option<Option<Uuid>>> {
    ids.next(|text, named| match named {
        Some((_, uuid)) => Ok(uuid),
        None => Format::decode_uuid(text),
    })
}
