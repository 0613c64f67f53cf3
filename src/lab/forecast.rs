//! `idgen lab simulate` and `idgen lab advise`: what the model predicts.

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use idgen_lab::advise::{IdsFrom, advise};
use idgen_lab::forecast::{Forecast, Load, Model, Options, predict};
use idgen_lab::lsm;
use idgen_lab::strategy::{self, Strategy};
use idgen_record::{Database, thousands};
use idgen_report as report;
use serde::Serialize;

use super::clients::ClientArgs;
use super::engine::{self, Predicted};
use super::existing;
use super::screen::wrapped;
use super::waiting::Waiting;
use crate::failure;
use crate::number;
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
  idgen lab advise --rows 10M --existing v4-binary:10M
  idgen lab advise --rows 10M --json";

/// Predict what a key strategy costs a table of InnoDB, PostgreSQL or SQLite: page fill, splits, pages read and written, log;
/// or an LSM tree: how often compactions write a row.
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
    /// Draw pages read per 1,000 inserts over the rows in the table into this file (.svg), with a line for each rate.
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

/// Who makes ids.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Who {
    /// The database, and clients learn the id after the insert.
    Server,
    /// Clients, which know the id before the insert.
    Clients,
}

#[derive(clap::Args)]
struct LoadArgs {
    /// Rows to insert; K, M and G stand for powers of 1,000.
    #[arg(long, value_name = "N", value_parser = number::count, default_value = "1M", allow_negative_numbers = true)]
    rows: u64,
    /// Bytes of a row without its key.
    #[arg(long, value_name = "BYTES", value_parser = number::whole::<u32>(0..=u64::from(u32::MAX)), default_value_t = 100, allow_negative_numbers = true)]
    row_bytes: u32,
    /// The size of the buffer pool, of PostgreSQL's shared buffers or of SQLite's page cache; K, M and G stand for powers of 1,024
    /// [default: 128M, on SQLite 2000K].
    #[arg(long, value_name = "BYTES", value_parser = number::size, allow_negative_numbers = true)]
    pool: Option<u64>,
    /// Inserts per second, by all writers together.
    #[arg(long, value_name = "N", value_parser = rate, default_value_t = 1_000.0, allow_negative_numbers = true)]
    rate: f64,
    /// Clients that generate ids and insert, each with its own generator and prefix key.
    #[arg(long, value_name = "N", value_parser = number::whole::<u64>(0..=u64::MAX), default_value_t = 1, allow_negative_numbers = true)]
    writers: u64,
    #[command(flatten)]
    clients: ClientArgs,
    /// The database whose default settings the model uses.
    #[arg(long, alias = "server", value_parser = engine::modeled(), default_value = Database::MySql.id())]
    engine: Predicted,
    /// Page reads and writes per second that the device can do, if it is the limit; of InnoDB or PostgreSQL.
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>(1..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    iops: Option<u32>,
    /// Seconds between two checkpoints, on PostgreSQL [default: 300].
    #[arg(long, value_name = "SECONDS", value_parser = number::whole::<u32>(1..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    checkpoint: Option<u32>,
    /// Bytes of a page, on SQLite [default: 4096].
    #[arg(long, value_name = "BYTES", value_parser = number::whole::<u32>(0..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    page_bytes: Option<u32>,
    /// Rows in a transaction, of InnoDB or SQLite [default: 1, on SQLite 1000].
    #[arg(long, value_name = "N", value_parser = number::count, allow_negative_numbers = true)]
    commit_rows: Option<u64>,
    /// Bytes of a memtable, of an LSM tree (write_buffer_size); files have the same size [default: 64M].
    #[arg(long, value_name = "BYTES", value_parser = number::size, allow_negative_numbers = true)]
    memtable: Option<u64>,
    /// Bytes of the first level below level 0, of an LSM tree (max_bytes_for_level_base) [default: 256M].
    #[arg(long, value_name = "BYTES", value_parser = number::size, allow_negative_numbers = true)]
    level_base: Option<u64>,
    /// The size of a compressed file in % of its size without compression, of an LSM tree [default: 100].
    #[arg(long, value_name = "PERCENT", value_parser = number::whole::<u32>(1..=100), allow_negative_numbers = true)]
    compressed: Option<u32>,
    /// Tenants, if the primary key is (tenant, id): an INT comes before the id, and each row is of a tenant at random; of InnoDB
    /// or PostgreSQL [default: the key is the id alone].
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>(1..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    tenants: Option<u32>,
    /// Rows that the table holds before the run, as STRATEGY:ROWS, such as v4-binary:1M.
    #[arg(long, value_name = "STRATEGY:ROWS", value_parser = existing::read)]
    existing: Option<existing::Existing>,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

/// A rate that the model takes.
fn rate(text: &str) -> Result<f64, String> {
    number::rate(text, (Load::MIN_RATE, Load::MAX_RATE))
}

/// A moment as RFC 3339 writes it.
fn start(text: &str) -> Result<i64, String> {
    text.parse::<jiff::Timestamp>()
        .map(jiff::Timestamp::as_second)
        .map_err(|_| format!("'{text}' is not a time: give one such as 2026-10-05T08:00:00Z"))
}

/// Runs `simulate`.
pub fn run_simulate(args: SimulateArgs) -> anyhow::Result<ExitCode> {
    let strategy = args.strategy;
    let model = match args.load.engine {
        Predicted::Tree(model) => model,
        Predicted::Lsm(engine) => {
            const WHY: &str = "which follows one rate, and reads no pages";
            let given =
                [("--rates", !args.rates.is_empty(), WHY), ("--picture", args.picture.is_some(), WHY)];
            args.load.refuse(&given)?;
            let load =
                lsm::Load { id_rate: args.id_rate, start_unix_secs: args.start, ..args.load.of_lsm(engine)? };
            let waiting = Waiting::begin("predicting");
            let forecast = lsm::predict(strategy, &load).map_err(refused)?;
            drop(waiting);
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
        report::write(path, report::over_rows(&title, &lines)?.as_bytes())?;
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

impl LoadArgs {
    /// Refuses the first of these options that is given and that the model of the database does not have, and says why.
    fn refuse(&self, options: &[(&str, bool, &str)]) -> anyhow::Result<()> {
        match options.iter().find(|(_, refused, _)| *refused) {
            Some((option, _, why)) => Err(failure::usage(format_args!(
                "{option} does not apply to the model of {}, {why}: leave it out, or choose another --engine",
                self.engine.name()
            ))),
            None => Ok(()),
        }
    }

    fn load(&self, model: &Model) -> anyhow::Result<Load> {
        self.refuse(&[
            (
                "--iops",
                self.iops.is_some() && !model.has_device,
                "which does not predict the speed of a device",
            ),
            (
                "--checkpoint",
                self.checkpoint.is_some() && !model.has_checkpoints,
                "whose figures do not depend on checkpoints",
            ),
            (
                "--page-bytes",
                self.page_bytes.is_some() && !model.has_page_sizes,
                "whose pages have the default size",
            ),
            (
                "--commit-rows",
                self.commit_rows.is_some() && !model.has_transactions,
                "whose figures do not depend on transactions",
            ),
        ])?;
        self.refuse(&self.of_lsm_alone())?;
        let clients = if model.has_clients {
            self.clients.of(self.writers)?
        } else {
            let given = self.clients.given();
            self.refuse(
                &given.map(|(option, given)| (option, given, "where one connection inserts all rows")),
            )?;
            None
        };
        let server = (model.settings)(Options {
            pool_bytes: self.pool,
            page_bytes: self.page_bytes,
            checkpoint_secs: self.checkpoint,
            device_iops: self.iops,
        });
        let LoadArgs { rows, row_bytes, rate, writers, .. } = *self;
        let usual = Load::new(rows, server);
        let commit_rows = self.commit_rows.unwrap_or(usual.commit_rows);
        Ok(Load {
            row_bytes,
            rate,
            writers,
            commit_rows,
            existing: self.existing()?,
            clients,
            skew: self.clients.skew(),
            tenants: self.tenants,
            ..usual
        })
    }

    /// The options of LSM trees.
    fn of_lsm_alone(&self) -> [(&'static str, bool, &'static str); 3] {
        const WHY: &str = "which is no LSM tree";
        [
            ("--memtable", self.memtable.is_some(), WHY),
            ("--level-base", self.level_base.is_some(), WHY),
            ("--compressed", self.compressed.is_some(), WHY),
        ]
    }

    fn of_lsm(&self, engine: lsm::Engine) -> anyhow::Result<lsm::Load> {
        const WHY: &str = "which predicts bytes, and no speed";
        self.refuse(&[
            ("--pool", self.pool.is_some(), "whose writes do not depend on a cache"),
            ("--iops", self.iops.is_some(), WHY),
            ("--checkpoint", self.checkpoint.is_some(), WHY),
            ("--page-bytes", self.page_bytes.is_some(), "which has no pages"),
            ("--commit-rows", self.commit_rows.is_some(), WHY),
            ("--tenants", self.tenants.is_some(), "whose keys have one column"),
        ])?;
        let clients = self.clients.of(self.writers)?;
        let LoadArgs { rows, row_bytes, rate, writers, .. } = *self;
        let usual = lsm::Load::new(rows, engine);
        let memtable_bytes = self.memtable.unwrap_or(usual.settings.memtable_bytes);
        let level_base_bytes = self.level_base.unwrap_or(usual.settings.level_base_bytes);
        let settings = lsm_model::Settings {
            compressed_share: f64::from(self.compressed.unwrap_or(100)) / 100.0,
            ..usual.settings.clone().sized(memtable_bytes, level_base_bytes)
        };
        let skew = self.clients.skew();
        Ok(lsm::Load {
            row_bytes,
            rate,
            writers,
            settings,
            existing: self.existing()?,
            clients,
            skew,
            ..usual
        })
    }

    fn existing(&self) -> anyhow::Result<Option<(&'static Strategy, u64)>> {
        match self.existing {
            None => Ok(None),
            Some(existing::Existing { strategy: Some(strategy), rows }) => Ok(Some((strategy, rows))),
            Some(existing::Existing { strategy: None, .. }) => Err(failure::usage(
                "--existing own does not apply to the model: name a strategy, such as v4-binary:1M",
            )),
        }
    }
}
