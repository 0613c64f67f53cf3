//! The options for the load of a comparison: width and rate of rows, number of prefixes, size of the cache.

use idgen_lab::measure::this_machine;
use idgen_lab::session::Target;
use idgen_lab::strategy::Strategy;
use idgen_record::{Database, Existing, IdKind, Mix, Skew, Workload, thousands};

use super::clocks;
use super::existing;
use super::lsm::LsmArgs;
use super::own::OwnArgs;
use crate::failure;
use crate::number;

/// InnoDB keeps longer columns off the page, where their pages would be other pages.
const MAX_PAYLOAD: u32 = 7_000;
/// The rows of a transaction are kept in memory until it commits.
const MAX_COMMIT_ROWS: u64 = 1_000_000;
/// More than any server handles.
const MAX_RATE: f64 = 10_000_000.0;

// No documentation comment: it would become that of the command that takes these.
#[derive(clap::Args)]
pub struct ShapeArgs {
    /// Bytes of a row in addition to its key [default: 100].
    #[arg(long, value_name = "BYTES", value_parser = number::whole::<u32>(0..=MAX_PAYLOAD.into()), allow_negative_numbers = true)]
    payload: Option<u32>,
    /// The page cache (SQLite) or buffer pool; K, M and G stand for powers of 1,024 [default: an eighth of the
    /// expected table].
    #[arg(long, value_name = "BYTES", value_parser = number::size, allow_negative_numbers = true)]
    pool: Option<u64>,
    /// Where all randomness comes from: the same seed gives the same rows [default: 2026].
    #[arg(long, value_name = "N", value_parser = number::whole::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Rows in a statement, on servers [default: 100; 1 with --insert].
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>(1..=1_000), allow_negative_numbers = true)]
    statement_rows: Option<u32>,
    /// Rows in a transaction, on SQLite [default: 1000].
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>(1..=MAX_COMMIT_ROWS), conflicts_with = "mix", allow_negative_numbers = true)]
    commit_rows: Option<u32>,
    /// Prefixes that the run goes through: its simulated time in intervals [default: 40].
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>(1..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    prefixes: Option<u32>,
    /// Seconds of the interval of a keyed or sequential prefix [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = number::whole::<u32>(1..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    interval: Option<u32>,
    /// Inserts per second by the simulated clock of the ids, at random moments (a Poisson process), in place of
    /// rows spread over --prefixes.
    #[arg(long, value_name = "N", value_parser = rate, conflicts_with = "prefixes", allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Seconds of simulated time between two checkpoints, on a PostgreSQL server of the lab's own [default: 300].
    #[arg(long, value_name = "SECONDS", value_parser = number::whole::<u32>(1..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    checkpoint: Option<u32>,
    /// Each statement is a transaction at the isolation level SERIALIZABLE that looks for its keys first, and that is
    /// repeated if it cannot be serialized; on PostgreSQL.
    #[arg(long)]
    serializable: bool,
    /// Rows that the table holds before the run, as KIND:ROWS, such as v4:1M. The lab inserts them first, in the order
    /// in which their ids are generated, into the column of each strategy that is compared; own:1M stands
    /// for the kind of each strategy itself. Leaf pages, page fill and bytes per row are those of the whole table; all
    /// other figures are those of the rows that are inserted afterwards.
    #[arg(long, value_name = "KIND:ROWS", value_parser = existing::read)]
    existing: Option<existing::Existing>,
    /// A mixed load after --existing: of 100 operations, the numbers of inserts, reads of recent rows, reads of random
    /// rows, updates and deletes, such as 40/25/15/15/5, of each client of --writers. The report has the latencies of
    /// each kind of operation.
    #[arg(long, value_name = "SHARES", value_parser = mix, requires = "existing", conflicts_with_all = ["paced", "serializable", "statement_rows"])]
    mix: Option<Mix>,
    /// Also insert at this --rate in real time: ids are made by a real clock, and the server has as much time for each
    /// row as in production.
    #[arg(long, requires = "rate")]
    paced: bool,
    /// Milliseconds of simulated time from making an id until its row is inserted, on average (an exponential
    /// distribution). The rows of several writers are then inserted one after another in the order in which they arrive,
    /// so pages are as full as with these clients at this rate, on any machine [default: 1 with several --writers and a
    /// --rate that is not --paced; otherwise writers insert at the same time, as fast as the server allows].
    #[arg(long, value_name = "MS", value_parser = delay, conflicts_with_all = ["paced", "serializable", "mix"], allow_negative_numbers = true)]
    delay: Option<f64>,
    /// Milliseconds by which the clocks of --writers differ: a random constant for each, up to this many before or after the
    /// true time, or a list of constants, separated by commas, which begins again for further writers; `idgen lab skew` measures
    /// yours.
    #[arg(long, value_name = "MS", value_parser = clocks::read, conflicts_with_all = ["mix"], allow_negative_numbers = true)]
    skew: Option<Skew>,
    #[command(flatten)]
    pub own: OwnArgs,
    #[command(flatten)]
    lsm: LsmArgs,
}

/// Five shares, separated by slashes.
fn mix(text: &str) -> Result<Mix, String> {
    let shares =
        text.split('/').map(number::whole(0..=u64::from(u32::MAX))).collect::<Result<Vec<u32>, _>>().ok();
    let shares: [u32; 5] = shares.and_then(|shares| shares.try_into().ok()).ok_or_else(|| {
        format!(
            "'{text}' is not a mix of operations: give five whole shares, of inserts, reads of recent rows, reads of random rows, \
             updates and deletes, such as 40/25/15/15/5"
        )
    })?;
    Mix::of(shares).map_err(|error| error.to_string())
}

fn rate(text: &str) -> Result<f64, String> {
    number::rate(text, (0.001, MAX_RATE))
}

/// More than any service waits.
const MAX_DELAY_MS: f64 = 60_000.0;
/// The time of a statement on a near server.
const DELAY_MS: f64 = 1.0;

fn delay(text: &str) -> Result<f64, String> {
    number::decimal(text)
        .ok()
        .filter(|ms| (0.0..=MAX_DELAY_MS).contains(ms))
        .ok_or_else(|| format!("'{text}' is not a delay: give milliseconds, from 0 to {MAX_DELAY_MS}"))
}

impl ShapeArgs {
    /// The load with what was given. Servers take several rows in a statement unless told otherwise: a round trip for
    /// each row would be most of the time.
    pub fn apply(&self, load: Workload, engine: &Target) -> anyhow::Result<Workload> {
        let on_server = !engine.is_embedded();
        if self.pool.is_some() && !engine.is_ours() {
            return Err(failure::usage(format_args!(
                "--pool does not apply to {engine}, which keeps its own buffer pool: leave it out"
            )));
        }
        if let (Some(rows), false) = (self.statement_rows, on_server) {
            return Err(failure::usage(format_args!(
                "--statement-rows {rows} does not apply to SQLite, which runs in the process: choose --engine mysql, \
                 mariadb or postgres"
            )));
        }
        if let (Some(rows), true) = (self.commit_rows, on_server) {
            return Err(failure::usage(format_args!(
                "--commit-rows {rows} does not apply to {engine}, where each statement commits: give --statement-rows, or \
                 choose --engine sqlite"
            )));
        }
        let memory = this_machine().memory_bytes;
        if let Some(pool) = self.pool.filter(|pool| *pool > memory && memory > 0) {
            return Err(failure::usage(format_args!(
                "--pool {} bytes is more than the memory of this machine, {} bytes: give less",
                thousands(pool),
                thousands(memory)
            )));
        }
        let load = self.with_checkpoint(load, engine)?;
        self.check_lsm(engine)?;
        if self.serializable && engine.database()? != Some(Database::Postgres) {
            return Err(failure::usage(format_args!(
                "--serializable does not apply to {engine}: choose --engine postgres"
            )));
        }
        let delay_ms = self.delay_of(load.writers)?;
        if let (Some(skew), 1) = (&self.skew, load.writers) {
            return Err(failure::usage(format_args!(
                "--skew {} does not apply to one writer, which has one clock: leave it out, or give --writers",
                clocks::given(skew)
            )));
        }
        clocks::check(self.skew.as_ref(), load.writers.into())?;
        let most = if self.own.has_statement() { 1 } else { 100 };
        let statement_rows =
            if on_server { self.statement_rows.unwrap_or(most) } else { load.statement_rows };
        let load = Workload {
            commit_rows: self.commit_rows.unwrap_or(load.commit_rows),
            payload_bytes: self.payload.unwrap_or(load.payload_bytes),
            cache_bytes: self.pool.or(load.cache_bytes),
            seed: self.seed.unwrap_or(load.seed),
            intervals: self.prefixes.unwrap_or(load.intervals),
            interval_secs: self.interval.or(load.interval_secs),
            rate: self.rate.or(load.rate),
            serializable: self.serializable,
            existing: self.existing(load.existing),
            mix: self.mix,
            paced: self.paced,
            delay_ms,
            skew: self.skew.clone(),
            statement_rows,
            lsm: self.lsm.options().or(load.lsm),
            ..load
        };
        match self.own.is_given().then(|| engine.database()).transpose()?.flatten() {
            Some(database) => self.own.apply(load, database),
            None => Ok(load),
        }
    }

    /// The delay between making an id and its insert, by the simulated clock.
    fn delay_of(&self, writers: u32) -> anyhow::Result<Option<f64>> {
        match self.delay {
            Some(delay) if writers == 1 => Err(failure::usage(format_args!(
                "--delay {delay} does not apply to one writer, whose rows are inserted in the order of their ids: leave it \
                 out, or give --writers"
            ))),
            None if writers > 1 && self.rate.is_some() && !self.paced && !self.serializable => {
                Ok(Some(DELAY_MS).filter(|_| self.mix.is_none()))
            }
            given => Ok(given),
        }
    }

    /// Refuses what an engine without SQL does not have, and options of LSM trees for other engines.
    fn check_lsm(&self, engine: &Target) -> anyhow::Result<()> {
        let options = [
            ("--secondary-indexes", self.own.is_indexed()),
            ("--schema", self.own.is_given()),
            ("--mix", self.mix.is_some()),
        ];
        let option = options.iter().find(|(_, given)| *given && !engine.has_sql());
        if let Some((option, _)) = option {
            return Err(failure::usage(format_args!(
                "{option} does not apply to {engine}, into which the lab inserts one value for each key: leave it out, or choose \
                 --engine myrocks"
            )));
        }
        self.lsm.check(engine)
    }

    /// The load with the distance between checkpoints that was given.
    pub fn with_checkpoint(&self, load: Workload, engine: &Target) -> anyhow::Result<Workload> {
        match self.checkpoint {
            Some(secs) if !engine.has_checkpoints() => Err(failure::usage(format_args!(
                "--checkpoint {secs} does not apply to {engine}: the lab makes checkpoints only on a PostgreSQL server of \
                 its own, --engine postgres"
            ))),
            given => Ok(Workload { checkpoint_secs: given.or(load.checkpoint_secs), ..load }),
        }
    }

    /// Returns whether clients do more than insert.
    pub fn is_mixed(&self) -> bool {
        self.mix.is_some()
    }

    /// The given distance of checkpoints as a part of the command; empty where none was given.
    pub fn given_checkpoint(&self) -> String {
        self.checkpoint.map(|secs| format!(" --checkpoint {secs}")).unwrap_or_default()
    }

    fn existing(&self, otherwise: Option<Existing>) -> Option<Existing> {
        let given =
            self.existing.map(|given| Existing { ids: given.strategy.map(|of| of.ids), rows: given.rows });
        given.or(otherwise)
    }

    /// The given options as a part of the command.
    pub fn given(&self) -> String {
        let option = |name: &str, value: Option<String>| {
            value.map(|value| format!(" --{name} {value}")).unwrap_or_default()
        };
        [
            option("payload", self.payload.map(|bytes| bytes.to_string())),
            option("pool", self.pool.map(|bytes| bytes.to_string())),
            option("seed", self.seed.map(|seed| seed.to_string())),
            option("statement-rows", self.statement_rows.map(|rows| rows.to_string())),
            option("commit-rows", self.commit_rows.map(|rows| rows.to_string())),
            option("prefixes", self.prefixes.map(|count| count.to_string())),
            option("interval", self.interval.map(|secs| secs.to_string())),
            option("rate", self.rate.map(|rate| rate.to_string())),
            option("delay", self.delay.map(|delay| delay.to_string())),
            option("skew", self.skew.as_ref().map(clocks::given)),
            option(
                "existing",
                self.existing
                    .map(|given| format!("{}:{}", given.strategy.map_or("own", |of| of.name), given.rows)),
            ),
            option("mix", self.mix.map(|mix| mix.to_string())),
            self.given_checkpoint(),
            if self.serializable { " --serializable".to_owned() } else { String::new() },
            if self.paced { " --paced".to_owned() } else { String::new() },
            self.own.given(),
            self.lsm.given(),
        ]
        .concat()
    }
}

/// A note if the rows of one prefix need more memory than the cache has: random tails then read their pages again
/// and again within the prefix, as random keys do. Ascending tails do not.
pub fn warn_of_large_buckets(strategies: &[&Strategy], load: &Workload) {
    let Some(strategy) = strategies.iter().find(|strategy| strategy.ids == IdKind::MinuteRandom) else {
        return;
    };
    let rows = rows_in_prefix(load);
    let bytes = rows / load.rows as f64 * load.expected_bytes() as f64;
    let pool = load.cache_pages(1) as f64;
    if bytes > pool {
        failure::note(format_args!(
            "a prefix of {} holds about {} rows, which take {:.1} MiB, and the cache has {:.1} MiB: a random tail \
             reads as random keys do once its prefix outgrows the cache; choose more prefixes or a shorter interval",
            strategy.name,
            thousands(rows.round() as u64),
            bytes / f64::from(1 << 20),
            pool / f64::from(1 << 20),
        ));
    }
}

/// Rows of one writer in one interval.
fn rows_in_prefix(load: &Workload) -> f64 {
    let rows = match load.rate {
        Some(rate) => (rate * f64::from(load.interval_secs.unwrap_or(60))).min(load.rows as f64),
        None => load.rows as f64 / f64::from(load.intervals.max(1)),
    };
    rows / f64::from(load.writers)
}
