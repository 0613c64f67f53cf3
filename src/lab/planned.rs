//! The load of a prediction: its options, and the load of each kind of model.

use idgen_lab::forecast::{Load, Model, Options};
use idgen_lab::strategy::Strategy;
use idgen_lab::{lsm, ranges};
use idgen_record::Database;
use range_model::Spread;

use super::clients::ClientArgs;
use super::engine::{self, Predicted};
use super::existing;
use crate::{failure, number};

#[derive(clap::Args)]
pub(super) struct LoadArgs {
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
    pub(super) engine: Predicted,
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
    /// Nodes that accept writes, of a table in ranges [default: 3].
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>(1..=1_000), allow_negative_numbers = true)]
    nodes: Option<u32>,
    /// Bytes of a range that is split, of a table in ranges [default: that of the engine].
    #[arg(long, value_name = "BYTES", value_parser = number::size, allow_negative_numbers = true)]
    range_bytes: Option<u64>,
    /// What a table in ranges does to its keys: none, bit-reversed, or hash:N, which puts a hash modulo N before them [default: that
    /// of the engine].
    #[arg(long, value_name = "HOW", value_parser = spread)]
    spread: Option<Spread>,
    /// Tenants, if the primary key is (tenant, id): an INT comes before the id, and each row is of a tenant at random; of InnoDB
    /// or PostgreSQL [default: the key is the id alone].
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>(1..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    tenants: Option<u32>,
    /// Rows that the table holds before the run, as STRATEGY:ROWS, such as v4-binary:1M.
    #[arg(long, value_name = "STRATEGY:ROWS", value_parser = existing::read)]
    existing: Option<existing::Existing>,
    /// Print the figures as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// A rate that the model takes.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    number::rate(text, (Load::MIN_RATE, Load::MAX_RATE))
}

/// Parses the value of `--spread`: the change of keys by a table in ranges.
fn spread(text: &str) -> Result<Spread, String> {
    ranges::read_spread(text).map_err(|error| error.to_string())
}

impl LoadArgs {
    /// Refuses the first of these options that is given and that the model of the database does not have, and says why.
    pub(super) fn refuse(&self, options: &[(&str, bool, &str)]) -> anyhow::Result<()> {
        match options.iter().find(|(_, refused, _)| *refused) {
            Some((option, _, why)) => Err(failure::usage(format_args!(
                "{option} does not apply to the model of {}, {why}: leave it out, or choose another --engine",
                self.engine.name()
            ))),
            None => Ok(()),
        }
    }

    pub(super) fn load(&self, model: &Model) -> anyhow::Result<Load> {
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
        self.refuse(&self.of_ranges_alone())?;
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

    pub(super) fn of_lsm(&self, engine: lsm::Engine) -> anyhow::Result<lsm::Load> {
        const WHY: &str = "which predicts bytes, and no speed";
        self.refuse(&[
            ("--pool", self.pool.is_some(), "whose writes do not depend on a cache"),
            ("--iops", self.iops.is_some(), WHY),
            ("--checkpoint", self.checkpoint.is_some(), WHY),
            ("--page-bytes", self.page_bytes.is_some(), "which has no pages"),
            ("--commit-rows", self.commit_rows.is_some(), WHY),
            ("--tenants", self.tenants.is_some(), "whose keys have one column"),
        ])?;
        self.refuse(&self.of_ranges_alone())?;
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

    /// The options of tables in ranges.
    fn of_ranges_alone(&self) -> [(&'static str, bool, &'static str); 3] {
        const WHY: &str = "which keeps a table in one piece";
        [
            ("--nodes", self.nodes.is_some(), WHY),
            ("--range-bytes", self.range_bytes.is_some(), WHY),
            ("--spread", self.spread.is_some(), WHY),
        ]
    }

    pub(super) fn of_ranges(&self, engine: &'static ranges::Engine) -> anyhow::Result<ranges::Load> {
        const WHY: &str = "which predicts where rows go, and no pages";
        self.refuse(&[
            ("--pool", self.pool.is_some(), WHY),
            ("--iops", self.iops.is_some(), WHY),
            ("--checkpoint", self.checkpoint.is_some(), WHY),
            ("--page-bytes", self.page_bytes.is_some(), WHY),
            ("--commit-rows", self.commit_rows.is_some(), WHY),
            ("--tenants", self.tenants.is_some(), "whose keys have one column"),
            (
                "--range-bytes",
                self.range_bytes.is_some() && !engine.splits_by_size,
                "whose ranges are not split by size",
            ),
        ])?;
        self.refuse(&self.of_lsm_alone())?;
        let order = self.clients.given().into_iter().filter(|(option, _)| *option != "--statement-rows");
        let order: Vec<_> = order
            .map(|(option, given)| (option, given, "whose shares do not depend on the order of a moment"))
            .collect();
        self.refuse(&order)?;
        let LoadArgs { rows, row_bytes, rate, writers, .. } = *self;
        let usual = ranges::Load::new(rows, engine);
        Ok(ranges::Load {
            row_bytes,
            rate,
            writers,
            statement_rows: self.clients.statement_rows().unwrap_or(usual.statement_rows),
            nodes: self.nodes.unwrap_or(usual.nodes),
            range_bytes: self.range_bytes.unwrap_or(usual.range_bytes),
            spread: self.spread.unwrap_or(usual.spread),
            existing: self.existing()?,
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
