//! `idgen map check`, `repair`, `fence` and `forget`.

use std::io::Write;
use std::process::ExitCode;

use idgen_mysql::Severity;

use super::Connection;
use super::claim::{Uuids, each};
use crate::failure::{self, report};
use crate::number;
use crate::output::Output;

#[derive(clap::Args)]
pub struct Check {
    #[command(flatten)]
    connection: Connection,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub struct Fence {
    #[command(flatten)]
    connection: Connection,
    /// The lowest new id: above every id that was ever assigned.
    #[arg(long, value_name = "ID", value_parser = number::id)]
    next_id: u64,
}

/// Exit code 1 if something is wrong. A warning alone does not count.
pub async fn check(args: Check) -> anyhow::Result<ExitCode> {
    // Settings that endanger the map are findings here.
    let map = args.connection.open_with(|builder| builder.accept_unsafe_server(true)).await?;
    let findings = map.check().await?;
    let mut out = Output::open();
    if args.json {
        let record: Vec<_> = findings
            .iter()
            .map(|finding| {
                serde_json::json!({ "severity": finding.severity().to_string(), "text": finding.text() })
            })
            .collect();
        writeln!(out, "{}", serde_json::Value::from(record))?;
    } else {
        for finding in &findings {
            writeln!(out, "{finding}")?;
        }
        if findings.is_empty() {
            writeln!(out, "The map is in order.")?;
        }
    }
    out.finish()?;
    map.close().await?;
    let wrong = findings.iter().any(|finding| finding.severity() > Severity::Warning);
    Ok(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Exit code 1 if something is wrong that cannot be repaired without a guess.
pub async fn repair(connection: Connection) -> anyhow::Result<ExitCode> {
    let map = connection.open().await?;
    let mut out = Output::open();
    let done = map.repair().await?;
    let findings = map.check().await?;
    let wrong = findings.iter().any(|finding| finding.severity() > Severity::Warning);
    for done in &done {
        writeln!(out, "{done}")?;
    }
    if done.is_empty() && !wrong {
        writeln!(out, "There was nothing to repair.")?;
    }
    out.finish()?;
    for finding in &findings {
        if finding.severity() > Severity::Warning {
            report(finding);
        } else {
            failure::note(finding);
        }
    }
    let code = if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    map.close().await?;
    Ok(code)
}

/// Moves the next id of a map that was restored from a backup.
pub async fn fence(args: Fence) -> anyhow::Result<ExitCode> {
    let map = args.connection.open().await?;
    map.fence(args.next_id).await?;
    let mut out = Output::open();
    writeln!(out, "The next id is {}.", map.stats().await?.next_id)?;
    out.finish()?;
    let _ = writeln!(
        std::io::stderr(),
        "note: no running client begins to assign an id below {} any more. Statements that are under way may still end: wait \
         for their answer limit, 10 seconds by default. Open transactions and stopped processes may end later: see \
         docs/mapping.md.",
        args.next_id
    );
    map.close().await?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the id that each UUID had; an empty line for one that had none.
pub async fn forget(args: Uuids) -> anyhow::Result<ExitCode> {
    each(&args.connection, args.input, async |map, uuid| map.forget(uuid).await).await
}
