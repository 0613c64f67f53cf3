//! `idgen plan status`: how far the plans of a server are.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use idgen_migrate::plan::run::set;
use idgen_migrate::plan::status::{Reader, Status};

use crate::number;
use crate::output::Output;
use crate::values;

const EXAMPLES: &str = "\
Examples:
  export IDGEN_PLAN_URL=mysql://reader:secret@localhost/shop
  idgen plan status
  idgen plan status postgres://reader@localhost/shop --json
  idgen plan status --watch       # again every five seconds
  idgen plan status --watch 60 --json >> status.jsonl
  idgen plan status --set paused=1                 # lets the copy wait
  idgen plan status --set max_active=10 --plan k3f9x2ab

It reads the ledgers of all plans of the schema or database, how far their copies are, who holds the locks that \
they wait for, and what else the next file would refuse. It changes nothing \
without --set. Without a schema in a URL of MySQL or MariaDB, it shows the \
plans of all schemas.

Exit codes: 0, also if there is no plan; 1 if the database cannot be read; 2 if the command line was wrong.";

/// The time after which the rate of a copy is measured.
const RATE_AFTER: Duration = Duration::from_secs(1);

/// Show how far plans are, and what blocks them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The server. Use the environment variable to keep the password out of process lists.
    #[arg(value_name = "URL", env = "IDGEN_PLAN_URL", hide_env_values = true, value_parser = values::url)]
    url: String,

    /// Print the plans as JSON, one line for each reading.
    #[arg(long)]
    json: bool,

    /// Read again after this time, until all plans are finished or undone.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "5",
        value_parser = number::whole::<u32>(1..=86_400))]
    watch: Option<u32>,

    /// Change a setting of the copy before its next chunk, with an account that may: on MySQL and MariaDB paused (0 or 1),
    /// max_threads_running, abort_threads_running, chunk_milliseconds and max_replica_lag; on PostgreSQL paused, max_active,
    /// abort_active, chunk_blocks, pause and max_lag. Above an abort limit (a number, or none), the copy ends with an error.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,

    /// The plan whose setting changes, if there are several.
    #[arg(long, value_name = "ID", requires = "set")]
    plan: Option<String>,
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("write NAME=VALUE, such as paused=1".to_owned()),
    }
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(show(&args))?;
    Ok(ExitCode::SUCCESS)
}

async fn show(args: &Args) -> anyhow::Result<()> {
    let mut reader = Reader::open(&args.url).await?;
    let mut plans = reader.read().await?;
    if !args.set.is_empty() {
        let plan = chosen(&plans, args.plan.as_deref())?;
        for (name, value) in &args.set {
            set(&args.url, plan, name, value).await?;
        }
        plans = reader.read().await?;
    }
    if plans.iter().any(Status::is_copying) {
        tokio::time::sleep(RATE_AFTER).await;
        plans = reader.read().await?;
    }
    let mut out = Output::open();
    loop {
        print(args, &plans, &mut out)?;
        let Some(seconds) = args.watch.filter(|_| !plans.is_empty()) else { break };
        tokio::time::sleep(Duration::from_secs(seconds.into())).await;
        plans = reader.read().await?;
    }
    reader.close().await;
    Ok(out.finish()?)
}

/// The plan whose settings change.
fn chosen<'a>(plans: &'a [Status], id: Option<&str>) -> anyhow::Result<&'a Status> {
    let mut named = plans.iter().filter(|plan| id.is_none_or(|id| plan.id == id));
    let all = || plans.iter().map(|plan| plan.id.as_str()).collect::<Vec<_>>().join(", ");
    match (named.next(), named.next(), id) {
        (Some(plan), None, _) => Ok(plan),
        (Some(_), Some(_), _) => bail!("there are several plans: choose one of {} with --plan", all()),
        (None, _, Some(id)) if !plans.is_empty() => bail!("there is no plan {id}: choose one of {}", all()),
        (None, ..) => bail!(
            "there is no plan whose setting could change: none has begun, or all are finished or undone"
        ),
    }
}

fn print(args: &Args, plans: &[Status], out: &mut Output) -> anyhow::Result<()> {
    if args.json {
        serde_json::to_writer(&mut *out, plans)?;
        writeln!(out)?;
        return Ok(out.flush()?);
    }
    if args.watch.is_some() && Output::is_terminal() {
        // Clears the screen.
        write!(out, "\x1b[H\x1b[2J")?;
    }
    if plans.is_empty() {
        writeln!(out, "No plan has a ledger here: none has begun, or all are finished or undone.")?;
    }
    for (at, plan) in plans.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        write!(out, "{plan}")?;
    }
    Ok(out.flush()?)
}
