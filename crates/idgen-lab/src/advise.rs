//! Recommends a key for a table, with the reasons.

mod fill;
mod hold_out;
mod interval;
mod postgres;
mod reasons;
mod scale;
mod sqlite;
mod text;

use serde::Serialize;

use crate::forecast::{Forecast, Load};
use crate::strategy;
use crate::{Error, Result};
pub use interval::{IntervalForecast, PrefixAdvice};
pub use postgres::{PostgresAdvice, PostgresCandidate, advise_postgres};
use reasons::{caveats, reasons};
use scale::Scaled;
pub use sqlite::{SqliteAdvice, advise_sqlite};

/// The strategies that are compared, the simplest first. If two are equal, the first one wins.
const CANDIDATES: [&str; 6] =
    ["auto-increment", "v7-binary", "minute-ascending", "minute-random", "v4-binary", "v4-text36"];
/// A smaller relative difference in cost than this counts as equal: the model is not more accurate.
const EQUAL: f64 = 0.15;
/// Page reads and writes per second that are too few to influence the choice.
const FREE_PAGES_PER_SEC: f64 = 20.0;

/// A recommendation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The recommended strategy.
    pub recommended: &'static str,
    /// Why, in sentences; the strongest reason first.
    pub reasons: Vec<String>,
    /// What the reader should know besides.
    pub caveats: Vec<String>,
    /// The model's tables are at most this many times smaller than the real one.
    pub scale: u64,
    /// What each candidate costs, in the order in which they are listed.
    pub candidates: Vec<Candidate>,
    /// How to generate prefixed ids, for the case that ids must not reveal their date.
    pub prefix: PrefixAdvice,
}

/// What one strategy costs in the planned table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// Its name.
    pub strategy: &'static str,
    /// Bytes of the table when it holds all rows.
    pub table_bytes: f64,
    /// Mean page fill, 0 to 1.
    pub fill: f64,
    /// Pages read per 1,000 inserts, in the last tenth; of SQLite, in the second half.
    pub reads_per_1k: f64,
    /// Pages written per 1,000 inserts, in the last tenth; of SQLite, in the second half.
    pub writes_per_1k: f64,
    /// Pages read and written per second at the given rate, in the last tenth; of SQLite, in the second half.
    pub device_pages_per_sec: f64,
}

impl Candidate {
    fn of(forecast: &Forecast, load: &Load) -> Candidate {
        let last = forecast.last();
        Candidate {
            strategy: forecast.strategy,
            table_bytes: forecast.tree.page_bytes_per_row * load.rows as f64,
            fill: forecast.tree.fill.mean,
            reads_per_1k: last.reads_per_1k,
            writes_per_1k: last.writes_per_1k,
            device_pages_per_sec: forecast.device_pages_per_sec(load.rate),
        }
    }

    /// Inserts per second that a device with this many page reads and writes per second allows.
    fn rate_at(&self, iops: u32) -> f64 {
        f64::from(iops) * 1_000.0 / (self.reads_per_1k + self.writes_per_1k)
    }

    /// The work of the device, then the space: both are paid for as long as the table exists.
    fn cost(&self) -> (f64, f64) {
        (self.device_pages_per_sec.max(FREE_PAGES_PER_SEC), self.table_bytes)
    }

    fn is_cheaper_than(&self, other: &Candidate) -> bool {
        let (work, space) = self.cost();
        let (other_work, other_space) = other.cost();
        let clearly = |a: f64, b: f64| a < b * (1.0 - EQUAL);
        clearly(work, other_work) || (!clearly(other_work, work) && clearly(space, other_space))
    }
}

/// Compares the strategies for a planned table.
///
/// The model runs on a table of about a million rows, or a few million where the pool is small compared with the table.
/// Pool, log and device are reduced by the same factor, and each prefix recurs as often as in the large table, so an
/// insert reads and writes as many pages as it would there. The interval of prefixed ids is chosen by formulas that
/// recorded measurements confirm.
///
/// ```
/// use idgen_lab::advise::advise;
/// use idgen_lab::forecast::Load;
/// use btree_model::Server;
///
/// let server = Server::mysql(16 << 20);
/// let load = Load { rows: 200_000, row_bytes: 100, rate: 2_000.0, writers: 4, server, existing: None };
/// let advice = advise(&load)?;
/// assert_eq!(advice.recommended, "v7-binary");
/// assert!(!advice.reasons.is_empty());
/// // A minute of 2,000 inserts a second brings a thousand pages to one region of the index.
/// assert_eq!((advice.prefix.interval, advice.prefix.tail), ("minute", "ascending"));
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that a server could have, or its table holds rows.
pub fn advise(load: &Load) -> Result<Advice> {
    load.check()?;
    if load.existing.is_some() {
        return Err(Error::config(
            "InnoDB tables that hold rows get no advice: compare strategies with simulate --existing"
                .to_owned(),
        ));
    }
    let (mut scale, mut stopped) = (1, Vec::new());
    let mut candidates = Vec::new();
    for name in CANDIDATES {
        let strategy = strategy::find(name)?;
        let scaled = Scaled::of(load, strategy);
        scale = scale.max(scaled.scale);
        stopped.extend(scaled.stops_at(load).map(|rows| (name, rows)));
        candidates.push(Candidate::of(&scaled.predict(strategy)?, load));
    }
    // Several writers generate ids independently of each other; for a single one, the database may count.
    let eligible = if load.writers > 1 { &candidates[1..] } else { &candidates[..] };
    let best = eligible
        .iter()
        .reduce(|best, other| if other.is_cheaper_than(best) { other } else { best })
        .expect("there are candidates");
    // Ids of several writers that share a key interleave within a millisecond, as version 7 does.
    let ascending = candidates.iter().find(|one| one.strategy == "v7-binary").expect("it is a candidate");
    let prefix = interval::choose(load, ascending.fill)?;
    let reasons = reasons(best, &candidates, load);
    let mut caveats = caveats(best, load);
    if let Some(rows) = stopped.iter().map(|(_, rows)| *rows).min() {
        let names: Vec<&str> = stopped.iter().map(|(name, _)| *name).collect();
        caveats.push(format!(
            "For {} the model stops before the end, at {} million rows or more, long after the pool is full: beyond, \
             they read and write rather more.",
            names.join(", "),
            rows / 1_000_000
        ));
    }
    Ok(Advice { recommended: best.strategy, reasons, caveats, scale, candidates, prefix })
}

/// Bytes in a form for people: three digits and a unit.
pub fn bytes(count: f64) -> String {
    let units = ["B", "KB", "MB", "GB", "TB", "PB"];
    let mut value = count;
    let mut unit = 0;
    while value >= 1_000.0 && unit + 1 < units.len() {
        value /= 1_000.0;
        unit += 1;
    }
    let digits = if value < 10.0 && unit > 0 { 1 } else { 0 };
    format!("{value:.digits$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;
    use btree_model::Server;

    fn load(rows: u64, writers: u64) -> Load {
        Load { rows, row_bytes: 100, rate: 2_000.0, writers, server: Server::mysql(64 << 20), existing: None }
    }

    #[test]
    fn auto_increment_is_recommended_to_one_writer_and_not_to_several() {
        assert_eq!(advise(&load(300_000, 1)).unwrap().recommended, "auto-increment");
        let several = advise(&load(300_000, 8)).unwrap();
        assert_eq!(several.recommended, "v7-binary");
        assert!(several.reasons.iter().any(|reason| reason.contains("8 writers")), "{several:?}");
    }

    #[test]
    fn random_keys_cost_reads_only_if_the_table_outgrows_the_pool() {
        let within = advise(&load(100_000, 2)).unwrap();
        assert!(within.reasons[0].contains("no key causes reads"), "{within:?}");
        let beyond = advise(&load(4_000_000, 2)).unwrap();
        assert!(beyond.reasons[0].contains("pages from the disk"), "{beyond:?}");
        assert!(beyond.scale > 1);
        let random = beyond.candidates.iter().find(|one| one.strategy == "v4-binary").unwrap();
        // 4 million rows of 134 bytes on pages that are two thirds full take 800 MB; the pool is a twelfth of that.
        assert!((700.0..1_000.0).contains(&random.reads_per_1k), "{random:?}");
    }

    /// The example of the README at a tenth of its size. Another test, beside the scaling, shows that a smaller table
    /// predicts the large one.
    #[test]
    fn twenty_writers_get_figures_for_their_own_prefixes() {
        let server = Server::mysql(800 << 20);
        let load =
            Load { rows: 50_000_000, row_bytes: 100, rate: 100.0, writers: 20, server, existing: None };
        let advice = advise(&load).unwrap();
        assert_eq!(advice.recommended, "v7-binary");
        let candidate = |name: &str| {
            advice.candidates.iter().find(|candidate| candidate.strategy == name).unwrap().clone()
        };
        // Each prefix comes two or three times. From the second time on it finds existing pages and splits them.
        let (v7, ascending) = (candidate("v7-binary"), candidate("minute-ascending"));
        assert!(ascending.fill < 0.8 && ascending.reads_per_1k > 5.0, "{ascending:?}");
        assert!(v7.fill > 0.9 && v7.reads_per_1k < 1.0, "{v7:?}");
        assert!(candidate("v4-binary").reads_per_1k > 10.0 * ascending.reads_per_1k);
        let said = advice.reasons.join(" ");
        assert!(
            said.contains("The second choice is ") && said.contains("auto-increment is left out"),
            "{said}"
        );
        assert!(!advice.caveats.iter().any(|caveat| caveat.contains("stops")), "{:?}", advice.caveats);
    }

    #[test]
    fn a_device_that_is_too_slow_is_named() {
        let server = Server { device_iops: Some(20), ..Server::mysql(16 << 20) };
        let advice = advise(&Load { rate: 20_000.0, server, ..load(1_000_000, 1) }).unwrap();
        let said = advice.reasons.join(" ") + &advice.caveats.join(" ");
        assert!(said.contains("A device with 20 reads and writes per second sustains about"), "{said}");
        let best = &advice.candidates[0];
        assert!((best.rate_at(20) * (best.reads_per_1k + best.writes_per_1k) / 1_000.0 - 20.0).abs() < 1e-9);
    }

    #[test]
    fn bytes_are_readable() {
        for (count, text) in [(999.0, "999 B"), (1_500.0, "1.5 KB"), (163e9, "163 GB"), (2e15, "2.0 PB")] {
            assert_eq!(bytes(count), text);
        }
    }
}
