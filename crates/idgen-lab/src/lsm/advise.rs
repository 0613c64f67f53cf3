//! Recommends a key for a table in an LSM tree, with the reasons.

use serde::Serialize;

use super::load::Load;
use super::{Forecast, predict_on};
use crate::advise::amounts::pool;
use crate::advise::candidates::{hides, is_made_by_server, is_prefixed, of_table};
use crate::forecast::FORMAT;
use crate::strategy::Strategy;
use crate::{Error, Result};
use idgen_record::Cost;

/// Rows that the model follows for each strategy.
const FOLLOWED: u64 = 2_000_000;

/// A recommendation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The version of this form: a change that breaks readers raises it.
    pub format: u32,
    /// The load.
    pub load: Load,
    /// The recommended strategy.
    pub recommended: &'static str,
    /// The strategy to use if ids must not reveal when they were made.
    pub hiding: &'static str,
    /// Sentences with the reasons; the strongest comes first.
    pub reasons: Vec<String>,
    /// Sentences with the limits of the prediction, and with advice for special cases.
    pub caveats: Vec<String>,
    /// The model's trees are this many times smaller than the real one.
    pub scale: u64,
    /// The predicted costs of each strategy, in the order in which strategies are listed.
    pub candidates: Vec<Candidate>,
}

/// The predicted costs of one strategy in the planned table, in the second half of the inserts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The name of the strategy.
    pub strategy: &'static str,
    /// Bytes written to files for each byte that was flushed from a memtable.
    pub write_amplification: f64,
    /// Bytes written to files per second at the given rate.
    pub written_bytes_per_sec: f64,
    /// Filters that the check for an equal key asks, per 1,000 inserts.
    pub filters_per_1k: f64,
    /// Sorted runs at the end.
    pub sorted_runs: u64,
    /// Bytes of all files at the end.
    pub file_bytes: f64,
}

impl Candidate {
    fn of(forecast: &Forecast) -> Candidate {
        let late = &forecast.windows[forecast.windows.len() / 2..];
        let inserts: f64 = late.iter().map(|window| window.inserts as f64).sum();
        let mean = |of: fn(&super::Window) -> f64| {
            late.iter().map(|window| of(window) * window.inserts as f64).sum::<f64>() / inserts
        };
        Candidate {
            strategy: forecast.strategy,
            write_amplification: mean(|window| window.write_amplification),
            written_bytes_per_sec: mean(|window| window.written_bytes_per_row) * forecast.load.rate,
            filters_per_1k: mean(|window| window.filters_per_1k),
            sorted_runs: forecast.whole.sorted_runs,
            file_bytes: forecast.file_bytes,
        }
    }

    fn cost(&self) -> Cost {
        let is_prefixed = is_prefixed(self.strategy);
        Cost { work: self.written_bytes_per_sec, space: self.file_bytes, is_prefixed }
    }
}

/// Compares the strategies for a planned table. Each runs on the model of a tree that is small enough for two million rows,
/// with as many files and levels as the real one.
///
/// ```
/// use idgen_lab::lsm::{Engine, Load, advise};
/// use lsm_model::Settings;
///
/// let settings = Settings { memtable_bytes: 1 << 20, level_base_bytes: 4 << 20, ..Settings::rocksdb() };
/// let advice = advise(&Load { settings, ..Load::new(200_000, Engine::RocksDb) })?;
/// assert_eq!(advice.recommended, "v7-binary");
/// assert!(advice.reasons[0].contains("v4-binary"));
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that such a tree could have.
pub fn advise(load: &Load) -> Result<Advice> {
    let scale = load.scale(FOLLOWED);
    let candidates: Vec<Candidate> = compared(load)?
        .into_iter()
        .map(|strategy| Ok(Candidate::of(&predict_on(strategy, load, scale)?)))
        .collect::<Result<_>>()?;
    let best = cheapest(&candidates, |one| !is_made_by_server(one))?;
    let hiding = cheapest(&candidates, hides).map_or("v4-binary", |one| one.strategy);
    Ok(Advice {
        format: FORMAT,
        load: load.clone(),
        recommended: best.strategy,
        hiding,
        reasons: reasons(load, best, &candidates),
        caveats: caveats(load),
        scale,
        candidates,
    })
}

/// The strategies that fit the table.
fn compared(load: &Load) -> Result<Vec<&'static Strategy>> {
    let mut all = of_table(load.existing.map(|(old, _)| old), load.writers > 1)?;
    all.retain(|strategy| load.check_strategy(strategy).is_ok());
    Ok(all)
}

fn cheapest(all: &[Candidate], wanted: impl Fn(&str) -> bool) -> Result<&Candidate> {
    let some: Vec<&Candidate> = all.iter().filter(|one| wanted(one.strategy)).collect();
    let costs: Vec<Cost> = some.iter().map(|one| one.cost()).collect();
    Cost::cheapest(&costs)
        .map(|place| some[place])
        .ok_or_else(|| Error::config("nothing that is compared fits the column of the table"))
}

fn reasons(load: &Load, best: &Candidate, all: &[Candidate]) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Some((old, _)) = load.existing
        && old.name == best.strategy
    {
        reasons.push(format!(
            "No other key that fits the column is clearly cheaper than {}, so new rows can stay with it.",
            old.name
        ));
    }
    let random = all.iter().find(|one| one.strategy.starts_with("v4-") && one.strategy != best.strategy);
    if all.iter().all(|one| one.write_amplification == 1.0) {
        reasons.push(format!(
            "All rows fit a few memtables of {}, so no key is written again, whatever its order. Only a table that is many times \
             as large shows what a key costs.",
            pool(load.settings.memtable_bytes)
        ));
    } else if let Some(random) = random {
        reasons.push(format!(
            "Compactions write a row of {} {:.1} times, and one of {} {:.1} times: {:.1} against {:.1} MB per second to the \
             device at this rate, the log not included.",
            random.strategy,
            random.write_amplification,
            best.strategy,
            best.write_amplification,
            random.written_bytes_per_sec / 1e6,
            best.written_bytes_per_sec / 1e6
        ));
        reasons.push(format!(
            "The check that a key is new asks {:.1} filters for each row of {}, and {:.1} for one of {}: the files whose range \
             contains the new key.",
            random.filters_per_1k / 1_000.0,
            random.strategy,
            best.filters_per_1k / 1_000.0,
            best.strategy
        ));
    }
    if reasons.is_empty() {
        reasons.push(format!("Of the keys that fit the column, {} costs least.", best.strategy));
    }
    reasons
}

fn caveats(load: &Load) -> Vec<String> {
    let mut caveats = vec![
        "The table has nearly the same size with every key: an LSM tree has no half-empty pages. Long keys make it larger.".into(),
        "All compactions are done before the next row comes. If rows come faster than that, files wait in level 0, reads ask \
         more of them, and the engine slows the writers down."
            .into(),
        "Updates, deletes, secondary indexes and reads are not in the model.".into(),
    ];
    if load.settings.compressed_share == 1.0 {
        caveats.push(
            "Files are not compressed in the model: --compressed 50 stands for files of half the size."
                .into(),
        );
    }
    caveats
}
