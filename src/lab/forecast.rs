//! `idgen lab simulate` and `idgen lab advise`: the predictions of the model.

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use idgen::Timestamp;
use idgen_lab::advise::{IdsFrom, advise};
use idgen_lab::forecast::{Forecast, Load, predict};
use idgen_lab::strategy::{self, Strategy};
use idgen_lab::{lsm, ranges};
use idgen_record::thousands;
use idgen_report as report;
use idgen_report::Upward;
use serde::Serialize;

use super::engine::Predicted;
use super::planned::{LoadArgs, rate};
use super::screen::wrapped;
use super::waiting::Waiting;
use crate::failure;
use crate::output::Output;
use crate::values;

const SIMULATE_EXAMPLES: &str = "\
Examples:
  idgen lab simulate v4-binary --rows 3M --pool 128M --rate 1000
  idgen lab simulate minute-ascending --rows 1000M --pool 16G  # takes minutes
  idgen lab simulate v7-binary --existing v4-binary:1M --rows 1M
  idgen lab simulate v7-binary --engine postgres --existing v4-binary:1M
  idgen lab simulate v4-binary --engine postgres --pool 256M --rows 10M
  idgen lab simulate v4-binary --engine sqlite --pool 2M --commit-rows 100
  idgen lab simulate minute-random --pool 32M --rates 1,60 --picture reads.svg
  idgen lab simulate minute-random --pool 32M --rate 12000 --id-rate 400
  idgen lab simulate v4-binary --engine rocksdb --memtable 4M --level-base 16M
  idgen lab simulate v7-binary --engine tidb --nodes 5 --spread hash:16
  idgen lab simulate minute-random --engine hbase --picture nodes.svg

Beyond ten million rows, the model follows only a part of the keys: one in N, where N is the smallest of the pool \
divided by 16M, the rows divided by 8M, and 64. A billion rows take up to 2 GB of memory with --pool 512M, and half of \
that with 1G and more.";

const ADVISE_EXAMPLES: &str = "\
Examples:
  idgen lab advise --rows 500M --pool 8G --rate 3000 --writers 20
  idgen lab advise --engine postgres --rows 100M --pool 1G --rate 2000
  idgen lab advise --engine postgres --rows 10M --existing v4-binary:10M
  idgen lab advise --engine sqlite --rows 2M --writers 5
  idgen lab advise --engine myrocks --rows 200M --rate 5000 --compressed 50
  idgen lab advise --engine tidb --rows 500M --nodes 6 --writers 20
  idgen lab advise --rows 10M --existing v4-binary:10M
  idgen lab advise --rows 10M --json";

/// The numbers across a picture.
const ROWS: &str = "rows in the table";

/// Predict what a key strategy costs a table of InnoDB, PostgreSQL or SQLite: page fill, splits, pages read and written, log;
/// an LSM tree: how often compactions write a row; or a table in ranges: which share of the inserts one range and one node get.
#[derive(clap::Args)]
#[command(after_help = SIMULATE_EXAMPLES)]
pub struct SimulateArgs {
    /// The strategy; `idgen lab list` explains each.
    #[arg(value_name = "STRATEGY", value_parser = strategy::find)]
    strategy: &'static Strategy,
    /// Several rates in place of --rate, separated by commas; the model predicts each.
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = rate, conflicts_with = "rate", allow_negative_numbers = true)]
    rates: Vec<f64>,
    /// Ids per second by their own clock, if that is not the clock of the inserts [default: --rate]. `idgen lab
    /// run` inserts as fast as the server can, and spreads its ids over simulated minutes.
    #[arg(long, value_name = "N", value_parser = rate, allow_negative_numbers = true)]
    id_rate: Option<f64>,
    /// Draw a chart over the rows in the table into this file (.svg): pages read per 1,000 inserts, with a line for each rate; for an
    /// LSM tree, how often a byte is written; for a table in ranges, the shares of the hottest and the coldest node.
    #[arg(long, value_name = "FILE", value_parser = values::svg())]
    picture: Option<PathBuf>,
    /// The time of the first id, such as 2026-10-05T08:00:00Z [default: 2026-01-04T00:00:00Z]. It matters for version 1, whose
    /// low bits come first and begin again every seven minutes.
    #[arg(long, value_name = "TIME", value_parser = start)]
    start: Option<i64>,
    #[command(flatten)]
    load: LoadArgs,
}

/// Recommend a key for a planned table, or for new rows of one that holds rows, with the reasons.
#[derive(clap::Args)]
#[command(after_help = ADVISE_EXAMPLES)]
pub struct AdviseArgs {
    #[command(flatten)]
    load: LoadArgs,
    /// Who makes the ids: the database (server) or those who insert (clients) [default: a key for either].
    #[arg(long, value_name = "WHO")]
    ids_from: Option<Who>,
}

/// The side that makes ids.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Who {
    /// The database, and clients learn the id after the insert.
    Server,
    /// Clients, which know the id before the insert.
    Clients,
}

/// A moment as RFC 3339 writes it, in seconds since 1970.
fn start(text: &str) -> Result<i64, String> {
    values::moment(text).map(Timestamp::unix_secs)
}

/// Runs `simulate`.
pub fn run_simulate(args: SimulateArgs) -> anyhow::Result<ExitCode> {
    let strategy = args.strategy;
    let model = match args.load.engine {
        Predicted::Tree(model) => model,
        Predicted::Lsm(engine) => {
            args.load.refuse(&[("--rates", !args.rates.is_empty(), "which follows one rate")])?;
            let load =
                lsm::Load { id_rate: args.id_rate, start_unix_secs: args.start, ..args.load.of_lsm(engine)? };
            let waiting = Waiting::begin("predicting");
            let forecast = lsm::predict(strategy, &load).map_err(refused)?;
            drop(waiting);
            if let Some(path) = &args.picture {
                let points = forecast.windows.iter().map(|one| (one.rows as f64, one.write_amplification));
                let title = format!(
                    "{}: how often a byte is written, over the rows in the table, predicted",
                    strategy.title
                );
                let line = [(strategy.name.to_owned(), points.collect())];
                report::write(path, report::over(&title, ROWS, Upward::Written, &line)?.as_bytes())?;
            }
            return show(&forecast, args.load.json);
        }
        Predicted::Ranges(engine) => {
            const CLOCK: &str = "whose inserts follow the clock of the ids";
            let given = [
                ("--rates", !args.rates.is_empty(), "which follows one rate"),
                ("--id-rate", args.id_rate.is_some(), CLOCK),
            ];
            args.load.refuse(&given)?;
            let mut load = args.load.of_ranges(engine)?;
            load.start_unix_secs = args.start.unwrap_or(load.start_unix_secs);
            let waiting = Waiting::begin("predicting");
            let forecast = ranges::predict(strategy, &load).map_err(refused)?;
            drop(waiting);
            if let Some(path) = &args.picture {
                report::write(path, shares_picture(strategy, &forecast)?.as_bytes())?;
            }
            return show(&forecast, args.load.json);
        }
    };
    strategy.check(model.database).map_err(refused)?;
    let load = Load { id_rate: args.id_rate, start_unix_secs: args.start, ..args.load.load(model)? };
    let rates = if args.rates.is_empty() { vec![load.rate] } else { args.rates.clone() };
    let waiting = Waiting::begin("predicting");
    let mut forecasts = Vec::new();
    for rate in rates {
        forecasts.push(predict(strategy, &Load { rate, ..load.clone() }).map_err(refused)?);
    }
    drop(waiting);
    if let Some(path) = &args.picture {
        let pool = match load.server.pool_bytes() {
            mib if mib.is_multiple_of(1 << 20) => format!("{} MiB", mib >> 20),
            kib => format!("{} KiB", kib >> 10),
        };
        let title = format!(
            "{}: pages read per 1,000 inserts over the rows in the table, predicted for a pool of {pool}",
            strategy.title
        );
        let lines: Vec<_> = forecasts.iter().map(line).collect();
        report::write(path, report::over(&title, ROWS, Upward::PagesRead, &lines)?.as_bytes())?;
    }
    match forecasts.as_slice() {
        [forecast] if args.rates.is_empty() => show(forecast, args.load.json),
        forecasts if args.load.json => print(&serde_json::to_string_pretty(forecasts)?),
        forecasts => {
            let texts: Vec<_> = forecasts.iter().map(|forecast| wrapped(&forecast.to_string())).collect();
            print(&texts.join("\n"))
        }
    }
}

/// The chart of the shares of the hottest node, the coldest one and the hottest range.
fn shares_picture(strategy: &Strategy, forecast: &ranges::Forecast) -> report::Result<String> {
    let line = |name: &str, share: fn(&ranges::Window) -> f64| {
        let points = forecast.windows.iter().map(|window| (window.rows as f64, share(window)));
        (name.to_owned(), points.collect())
    };
    let lines = [
        line("the hottest node", |window| window.hottest_node),
        line("the coldest node", |window| window.coldest_node),
        line("the hottest range", |window| window.hottest_range),
    ];
    let nodes = forecast.load.nodes;
    let title = format!(
        "{}: shares of the inserts over the rows in the table, predicted for {nodes} nodes",
        strategy.title
    );
    report::over(&title, ROWS, Upward::Shares { even: 1.0 / f64::from(nodes) }, &lines)
}

/// The line of a rate: its name, and the pages read at each number of rows.
fn line(forecast: &Forecast) -> (String, Vec<(f64, f64)>) {
    let points = forecast.windows.iter().map(|window| (window.rows as f64, window.pool.reads_per_1k));
    let each = match forecast.load.rate {
        1.0 => "1 row per second".to_owned(),
        whole if whole.fract() == 0.0 => format!("{} rows per second", thousands(whole as u64)),
        rate => format!("{rate} rows per second"),
    };
    (each, points.collect())
}

/// Runs `advise`.
pub fn run_advise(args: AdviseArgs) -> anyhow::Result<ExitCode> {
    let load = &args.load;
    let from = match args.ids_from {
        None => IdsFrom::Either,
        Some(Who::Server) => IdsFrom::Server,
        Some(Who::Clients) => IdsFrom::Clients,
    };
    let model = match load.engine {
        Predicted::Tree(model) => model,
        Predicted::Lsm(engine) => {
            load.refuse(&[("--ids-from", args.ids_from.is_some(), "which names a key for either")])?;
            let planned = load.of_lsm(engine)?;
            let waiting = Waiting::begin("predicting each kind of key");
            let advice = lsm::advise(&planned).map_err(refused)?;
            drop(waiting);
            return show(&advice, load.json);
        }
        Predicted::Ranges(engine) => {
            const WHY: &str = "which spreads ids, whoever makes them";
            load.refuse(&[("--ids-from", args.ids_from.is_some(), WHY)])?;
            let planned = load.of_ranges(engine)?;
            let waiting = Waiting::begin("predicting each kind of key");
            let advice = ranges::advise(&planned).map_err(refused)?;
            drop(waiting);
            return show(&advice, load.json);
        }
    };
    let planned = load.load(model)?;
    let waiting = Waiting::begin("predicting each kind of key");
    let advice = advise(&planned, from).map_err(refused)?;
    drop(waiting);
    show(&advice, load.json)
}

fn show(result: &(impl Display + Serialize), json: bool) -> anyhow::Result<ExitCode> {
    if json { print(&serde_json::to_string_pretty(result)?) } else { print(&wrapped(&result.to_string())) }
}

fn print(text: &str) -> anyhow::Result<ExitCode> {
    let mut out = Output::open();
    writeln!(out, "{text}")?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn refused(error: idgen_lab::Error) -> anyhow::Error {
    if error.is_config() { failure::usage(error) } else { error.into() }
}
