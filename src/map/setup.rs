//! `idgen map install` and `stats`.

use std::io::Write;
use std::process::ExitCode;

use clap::ValueEnum;
use idgen_mysql::{IdWidth, Index};

use super::Connection;
use crate::output::Output;

#[derive(clap::Args)]
pub struct Install {
    #[command(flatten)]
    connection: Connection,
    /// How pairs are kept unique: unique (an index on the UUID) or dedup (a hash index and claims)
    /// [default: unique, or the index of the existing map].
    #[arg(long, value_name = "INDEX")]
    index: Option<Index>,
    /// The width of the ids in bits [default: 64, or the width of the existing map].
    #[arg(long, value_name = "BITS")]
    id_bits: Option<Bits>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Bits {
    /// INT UNSIGNED: 4.29 billion ids
    #[value(name = "32")]
    Narrow,
    /// BIGINT UNSIGNED, up to 2^63 - 1
    #[value(name = "64")]
    Wide,
}

#[derive(clap::Args)]
pub struct Stats {
    #[command(flatten)]
    connection: Connection,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub async fn install(args: Install) -> anyhow::Result<ExitCode> {
    let choose = |mut builder: idgen_mysql::Builder| {
        if let Some(index) = args.index {
            builder = builder.index(index);
        }
        match args.id_bits {
            Some(Bits::Narrow) => builder.id_width(IdWidth::Bits32),
            Some(Bits::Wide) => builder.id_width(IdWidth::Bits64),
            None => builder,
        }
    };
    let map = args.connection.open_with(choose).await?;
    map.install().await?;
    let report = map.server_report().await?;
    let mut out = Output::open();
    let (index, width) = (map.index().await?, map.id_width().await?);
    writeln!(out, "Installed: index {index}, {width} ids, on {} {}.", report.topology(), report.version())?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

pub async fn stats(args: Stats) -> anyhow::Result<ExitCode> {
    let map = args.connection.open().await?;
    let stats = map.stats().await?;
    let (index, width) = (map.index().await?, map.id_width().await?);
    let mut out = Output::open();
    if args.json {
        let record = serde_json::json!({
            "index": index.to_string(),
            "max_id": width.max_id(),
            "next_id": stats.next_id,
            "used_percent": stats.used_percent,
            "pairs_estimate": stats.pairs_estimate,
            "data_bytes": stats.data_bytes,
            "index_bytes": stats.index_bytes,
            "claims": stats.claims,
        });
        writeln!(out, "{record}")?;
    } else {
        writeln!(out, "index           {index}")?;
        writeln!(out, "ids             {width}, up to {}", width.max_id())?;
        writeln!(out, "next id         {} ({} % of the width is used)", stats.next_id, stats.used_percent)?;
        writeln!(out, "pairs           about {}, estimated by the server", stats.pairs_estimate)?;
        writeln!(
            out,
            "table, index    {} and {} bytes, estimated by the server",
            stats.data_bytes, stats.index_bytes
        )?;
        if let Some(claims) = stats.claims {
            writeln!(out, "claims          {claims} not yet cleared away")?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
