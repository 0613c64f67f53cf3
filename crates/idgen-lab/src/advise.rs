//! Recommends a key for a table, with the reasons.

mod amounts;
mod candidates;
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
use crate::{Error, Result};
pub use candidates::IdsFrom;
use candidates::{Choice, Compared, choose, compared, given};
use idgen_record::Database;
pub use interval::{IntervalForecast, PrefixAdvice};
pub use postgres::{PostgresAdvice, PostgresCandidate, advise_postgres};
use reasons::{caveats, reasons};
use scale::Scaled;
pub use sqlite::{SqliteAdvice, advise_sqlite};

/// A smaller relative difference in cost than this counts as equal: the model is not more accurate.
const EQUAL: f64 = 0.15;
/// Page reads and writes per second that are too few to influence the choice.
const FREE_PAGES_PER_SEC: f64 = 20.0;

/// A recommendation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// Who makes the ids.
    pub ids_from: IdsFrom,
    /// The recommended strategy.
    pub recommended: &'static str,
    /// The strategy to use if the database makes the ids, if it is not known who does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_server: Option<&'static str>,
    /// Why, in sentences; the strongest reason first.
    pub reasons: Vec<String>,
    /// What the reader should know besides.
    pub caveats: Vec<String>,
    /// The model's tables are at most this many times smaller than the real one.
    pub scale: u64,
    /// What each candidate costs, in the order in which they are listed.
    pub candidates: Vec<Candidate>,
    /// The strategy to use if ids must not reveal when they were made, in a table that holds rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hiding: Option<&'static str>,
    /// How to generate prefixed ids, for the case that ids must not reveal their date. Not for a table that holds rows: the
    /// formulas are for regions that are empty at first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<PrefixAdvice>,
}

/// What one strategy costs in the planned table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// Its name.
    pub strategy: &'static str,
    /// Bytes of the table when it holds all rows, those that were there before included.
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
            table_bytes: forecast.tree.page_bytes_per_row * load.all_rows() as f64,
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
}

impl Compared for Candidate {
    fn strategy(&self) -> &'static str {
        self.strategy
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
/// use idgen_lab::advise::{IdsFrom, advise};
/// use idgen_lab::forecast::Load;
/// use btree_model::Server;
///
/// let server = Server::mysql(16 << 20);
/// let load = Load {
///     rows: 200_000, row_bytes: 100, rate: 2_000.0, id_rate: None, writers: 4, commit_rows: 1, server,
///     existing: None,
/// };
/// let advice = advise(&load, IdsFrom::Either)?;
/// assert_eq!((advice.recommended, advice.from_server), ("v7-binary", Some("auto-increment")));
/// assert!(!advice.reasons.is_empty());
/// // A minute of 2,000 inserts a second adds a thousand pages to one region of the index.
/// let prefix = advice.prefix.expect("the table is new");
/// assert_eq!((prefix.interval, prefix.tail), ("minute", "ascending"));
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that a server could have, or nothing but its own kind fits the rows that its table holds, or nothing
/// that is made by whom ids should be from.
pub fn advise(load: &Load, from: IdsFrom) -> Result<Advice> {
    load.check()?;
    if load.all_rows() > Load::MAX_ROWS {
        return Err(Error::config(format!(
            "{} rows are too many, with those that the table holds: give at most {}",
            load.all_rows(),
            Load::MAX_ROWS
        )));
    }
    let (mut scale, mut stopped) = (1, Vec::new());
    let mut candidates = Vec::new();
    for strategy in compared(Database::MySql, load.existing)? {
        let name = strategy.name;
        let scaled = Scaled::of(load, strategy);
        scale = scale.max(scaled.scale);
        stopped.extend(scaled.stops_at(load).map(|rows| (name, rows)));
        candidates.push(Candidate::of(&scaled.predict(strategy)?, load));
    }
    let Choice { best, from_server, hiding } = choose(&candidates, from)?;
    let hiding = hiding.filter(|_| load.existing.is_some()).map(|one| one.strategy);
    // Ids of several writers that share a key interleave within a millisecond, as version 7 does.
    let ascending = candidates.iter().find(|one| one.strategy == "v7-binary");
    let prefix = match ascending.filter(|_| load.existing.is_none()) {
        Some(ascending) => Some(interval::choose(load, ascending.fill)?),
        None => None,
    };
    let reasons = given(reasons(best, from_server, &candidates, load), best.strategy)?;
    let from_server = from_server.map(|one| one.strategy);
    let mut caveats = caveats(best, load);
    if let Some(rows) = stopped.iter().map(|(_, rows)| *rows).min() {
        let names: Vec<&str> = stopped.iter().map(|(name, _)| *name).collect();
        let (names, rows) = (names.join(", "), rows / 1_000_000);
        caveats.push(match load.existing {
            Some(_) => format!(
                "For {names} the model's table ends at {rows} million rows or more, long after the pool is full: they read and \
                 write rather more in a larger one."
            ),
            None => format!(
                "For {names} the model stops before the end, at {rows} million rows or more, long after the pool is full: \
                 beyond, they read and write rather more."
            ),
        });
    }
    Ok(Advice {
        ids_from: from,
        recommended: best.strategy,
        from_server,
        reasons,
        caveats,
        scale,
        candidates,
        hiding,
        prefix,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy;
    use btree_model::Server;

    fn load(rows: u64, writers: u64) -> Load {
        Load {
            rows,
            row_bytes: 100,
            rate: 2_000.0,
            id_rate: None,
            writers,
            commit_rows: 1,
            server: Server::mysql(64 << 20),
            existing: None,
        }
    }

    #[test]
    fn who_makes_ids_decides_and_not_the_number_of_writers() {
        for writers in [1, 8] {
            let said = |from| advise(&load(100_000, writers), from).unwrap();
            let either = said(IdsFrom::Either);
            assert_eq!((either.recommended, either.from_server), ("v7-binary", Some("auto-increment")));
            assert!(
                either.to_string().contains("If the database makes the ids, use auto-increment"),
                "{either}"
            );
            assert!(either.reasons.iter().any(|reason| reason.contains("the smallest key")), "{either:?}");
            let server = said(IdsFrom::Server);
            assert_eq!((server.recommended, server.from_server), ("auto-increment", None));
            assert!(
                !server.reasons.is_empty() && !server.to_string().contains("If the database"),
                "{server}"
            );
            let clients = said(IdsFrom::Clients);
            assert_eq!((clients.recommended, clients.from_server), ("v7-binary", None));
        }
    }

    #[test]
    fn random_keys_cost_reads_only_if_the_table_outgrows_the_pool() {
        let within = advise(&load(100_000, 2), IdsFrom::Either).unwrap();
        assert!(within.reasons[0].contains("no key causes reads"), "{within:?}");
        let beyond = advise(&load(4_000_000, 2), IdsFrom::Either).unwrap();
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
        let load = Load {
            rows: 50_000_000,
            row_bytes: 100,
            rate: 100.0,
            id_rate: None,
            writers: 20,
            commit_rows: 1,
            server,
            existing: None,
        };
        let advice = advise(&load, IdsFrom::Either).unwrap();
        assert_eq!(advice.recommended, "v7-binary");
        let candidate = |name: &str| {
            advice.candidates.iter().find(|candidate| candidate.strategy == name).unwrap().clone()
        };
        // Each prefix is used two or three times. From the second time on it finds existing pages and splits them.
        let (v7, ascending) = (candidate("v7-binary"), candidate("minute-ascending"));
        assert!(ascending.fill < 0.8 && ascending.reads_per_1k > 5.0, "{ascending:?}");
        assert!(v7.fill > 0.9 && v7.reads_per_1k < 1.0, "{v7:?}");
        assert!(candidate("v4-binary").reads_per_1k > 10.0 * ascending.reads_per_1k);
        let said = advice.reasons.join(" ");
        assert!(
            said.contains("The second choice is ") && said.contains("If the database makes the ids"),
            "{said}"
        );
        assert!(!advice.caveats.iter().any(|caveat| caveat.contains("stops")), "{:?}", advice.caveats);
    }

    #[test]
    fn a_device_that_is_too_slow_is_named() {
        let server = Server { device_iops: Some(20), ..Server::mysql(16 << 20) };
        let load = Load { rate: 20_000.0, server, ..load(1_000_000, 1) };
        let advice = advise(&load, IdsFrom::Server).unwrap();
        let said = advice.reasons.join(" ") + &advice.caveats.join(" ");
        assert!(said.contains("A device with 20 reads and writes per second sustains about"), "{said}");
        let best = &advice.candidates[0];
        assert!((best.rate_at(20) * (best.reads_per_1k + best.writes_per_1k) / 1_000.0 - 20.0).abs() < 1e-9);
    }

    #[test]
    fn new_keys_for_an_existing_table_fit_its_column() {
        let advice = |name, writers| {
            let existing = Some((strategy::find(name).unwrap(), 50_000));
            advise(&Load { existing, ..load(50_000, writers) }, IdsFrom::Either)
        };
        let binary = advice("v4-binary", 1).unwrap();
        assert_eq!((binary.recommended, binary.hiding), ("v7-binary", Some("minute-ascending")));
        let first = &binary.reasons[0];
        assert!(first.contains("if they stay with v4-binary, at"), "{first}");
        assert!(binary.prefix.is_none() && !binary.to_string().contains("interval"), "{binary}");
        assert!(binary.candidates.iter().all(|one| !one.strategy.contains("text")), "{binary:?}");
        let text = advice("v4-text36", 3).unwrap();
        assert!(text.recommended == "v7-text36" && text.hiding == Some("minute-text36"), "{text:?}");
        let counted = advice("auto-increment", 1).unwrap();
        assert_eq!((counted.recommended, counted.from_server), ("device", Some("auto-increment")));
        assert!(advice("v4-base64", 1).unwrap_err().is_config());
        let existing = Some((strategy::find("v4-binary").unwrap(), u64::MAX));
        let load = Load { existing, ..load(50_000, 1) };
        assert!(advise(&load, IdsFrom::Either).unwrap_err().is_config());
    }

    /// The whole recorded tables are small enough to be predicted without scaling.
    #[test]
    fn the_recorded_switches_have_the_predicted_sizes() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results/2026-11-23");
        let mut compared = 0;
        for (name, server) in [("mysql", Server::mysql(8 << 20)), ("mariadb", Server::mariadb(8 << 20))] {
            for growth in [1_u64, 3] {
                let path = format!("{root}/{name}/switch-{growth}x");
                let results = idgen_report::open(path.as_ref()).unwrap();
                let (old, rows) = (strategy::find("v4-binary").unwrap(), results.workload.rows);
                let load = Load {
                    rows,
                    row_bytes: 0,
                    rate: rows as f64 / 2_400.0,
                    id_rate: None,
                    writers: 1,
                    commit_rows: 1,
                    server: server.clone(),
                    existing: Some((old, results.workload.existing_rows())),
                };
                let advice = advise(&load, IdsFrom::Either).unwrap();
                assert_eq!((rows, advice.scale), (200_000 * growth, 1));
                assert_eq!(advice.recommended, "v7-binary", "{name} {growth}");
                let recorded = |name: &str| {
                    let run = results.runs.iter().find(|run| run.strategy.name == name)?;
                    Some(run.trees[0].leaf_pages as f64)
                };
                let predicted = |name: &str| {
                    advice.candidates.iter().find(|one| one.strategy == name).unwrap().table_bytes
                };
                for kind in ["v7-binary", "fixed-prefix", "minute-ascending", "minute-random"] {
                    let Some(pages) = recorded(kind) else { continue };
                    let measured = pages / recorded("v4-binary").unwrap();
                    let ratio = predicted(kind) / predicted("v4-binary");
                    assert!((ratio - measured).abs() < 0.03, "{name} {growth} {kind}: {ratio} {measured}");
                    compared += 1;
                }
            }
        }
        assert!(compared >= 15, "{compared}");
    }

    /// A table that fits the pool with one form of random keys and not with another.
    #[test]
    fn a_reason_names_only_the_keys_that_read() {
        let candidate = |strategy, reads_per_1k| Candidate {
            strategy,
            table_bytes: 60e6,
            fill: 0.7,
            reads_per_1k,
            writes_per_1k: 10.0,
            device_pages_per_sec: 10.0,
        };
        let of = |v4, text36| {
            let all =
                [candidate("v7-binary", 0.0), candidate("v4-binary", v4), candidate("v4-text36", text36)];
            reasons(&all[0], None, &all, &load(400_000, 2))[0].clone()
        };
        let said = of(0.0, 250.0);
        assert!(
            said.contains("random UUIDs of 16 bytes read 0.0 pages") && said.contains("v4-text36 reads 250"),
            "{said}"
        );
        assert!(of(1_250.0, 1_300.0).contains("1,000 inserts read 1,250 pages from the disk"));
        assert!(of(0.0, 0.0).contains("fits in the pool of 64 MiB: no key causes reads"));
    }
}
