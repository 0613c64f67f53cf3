//! Recommends a key for a table in ranges, with the reasons.

use range_model::Spread;
use serde::Serialize;

use super::engine::Rule;
use super::load::Load;
use super::{Forecast, predict_on};
use crate::advise::amounts::pool;
use crate::advise::candidates::{is_made_by_server, is_prefixed, of_table};
use crate::forecast::FORMAT;
use crate::strategy::{self, Strategy};
use crate::{Error, Result};

/// Rows that the model follows for each key.
const FOLLOWED: u64 = 300_000;
/// Shares of the hottest node that are closer to each other are equal: the model is not more accurate.
const EQUAL: f64 = 0.05;
/// Parts of a hash-sharded index, as CockroachDB makes them by default.
const HASH_PARTS: u32 = 16;

/// A recommendation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The version of this form: a change that breaks readers raises it.
    pub format: u32,
    /// The load.
    pub load: Load,
    /// The recommended strategy.
    pub recommended: &'static str,
    /// The recommended placement: as the table sorts keys, or with a hash or reversed bits before.
    pub spread: Spread,
    /// Sentences with the reasons; the strongest comes first.
    pub reasons: Vec<String>,
    /// The limits of the prediction, in sentences.
    pub caveats: Vec<String>,
    /// The rules of the manual.
    pub rules: &'static [Rule],
    /// The model's ranges are this many times smaller than the real ones.
    pub scale: u64,
    /// The keys that were compared, in the order of the list.
    pub candidates: Vec<Candidate>,
}

/// The shares that one key has in the planned table, in the second half of the inserts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The strategy.
    pub strategy: &'static str,
    /// The change of the key by the table before it sorts rows.
    pub spread: Spread,
    /// The share of the inserts of a moment that the hottest range gets, 0 to 1.
    pub hottest_range: f64,
    /// The share of the inserts of a moment that the hottest node gets, 0 to 1.
    pub hottest_node: f64,
    /// Ranges that a statement of one writer touches.
    pub ranges_per_statement: f64,
    /// Ranges at the end.
    pub ranges: u64,
}

impl Candidate {
    fn of(forecast: &Forecast) -> Candidate {
        Candidate {
            strategy: forecast.strategy,
            spread: forecast.load.spread,
            hottest_range: forecast.late.hottest_range,
            hottest_node: forecast.late.hottest_node,
            ranges_per_statement: forecast.late.ranges_per_statement,
            ranges: forecast.late.ranges,
        }
    }

    /// Returns true if the database makes its ids, so that clients do not know them before the insert.
    fn is_counted(&self) -> bool {
        is_made_by_server(self.strategy)
    }
}

/// Compares the keys for a planned table. Each runs on the model of a table with ranges that are small enough for
/// 300,000 rows, and as many as the real one has.
///
/// ```
/// use idgen_lab::ranges::{Engine, Load, advise};
///
/// let load = |name| Ok::<_, idgen_lab::Error>(Load::new(100_000_000, Engine::find(name)?));
/// assert_eq!(advise(&load("cockroachdb")?)?.recommended, "v4-binary");
/// // Where the database hashes keys, their order does not matter.
/// assert_eq!(advise(&load("yugabytedb")?)?.recommended, "v7-binary");
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that such a table could have.
pub fn advise(load: &Load) -> Result<Advice> {
    let scale = load.scale(FOLLOWED);
    let candidates: Vec<Candidate> = compared(load)?
        .into_iter()
        .map(|(strategy, spread)| {
            Ok(Candidate::of(&predict_on(strategy, &Load { spread, ..load.clone() }, scale)?))
        })
        .collect::<Result<_>>()?;
    let made = || candidates.iter().filter(|one| !one.is_counted());
    let least = made().map(|one| one.hottest_node).fold(f64::INFINITY, f64::min);
    // A prefix is not the simplest of equals.
    let best = made()
        .filter(|one| one.hottest_node <= least + EQUAL)
        .min_by_key(|one| is_prefixed(one.strategy))
        .ok_or_else(|| Error::config("nothing that is compared fits the column of the table"))?;
    Ok(Advice {
        format: FORMAT,
        load: load.clone(),
        recommended: best.strategy,
        spread: best.spread,
        reasons: reasons(load, best, &candidates),
        caveats: caveats(load),
        rules: load.engine.rules,
        scale,
        candidates,
    })
}

/// The strategies that fit the table, as the table sorts keys; and version 7 with the remedies for keys that ascend, where it is
/// compared.
fn compared(load: &Load) -> Result<Vec<(&'static Strategy, Spread)>> {
    let strategies = of_table(load.existing.map(|(old, _)| old), load.writers > 1)?;
    let mut all: Vec<_> = strategies.into_iter().map(|strategy| (strategy, load.spread)).collect();
    let ascending = strategy::find("v7-binary")?;
    if load.spread == Spread::None && load.existing.is_none() {
        all.extend([Spread::Hashed(HASH_PARTS), Spread::BitReversed].map(|spread| (ascending, spread)));
    }
    Ok(all)
}

fn reasons(load: &Load, best: &Candidate, all: &[Candidate]) -> Vec<String> {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let mut reasons = Vec::new();
    if load.nodes == 1 {
        reasons.push("With one node, no key spreads the inserts: give --nodes.".to_owned());
    }
    if best.ranges == 1 {
        reasons.push(format!(
            "The table does not fill one range of {}, so one node has all rows, whatever the key is. Only a larger table, or a \
             smaller --range-bytes, shows a difference.",
            pool(load.range_bytes)
        ));
    }
    reasons.push(format!(
        "With {}, the hottest of {} nodes gets {} of the inserts of a moment, and the hottest range {}.",
        named(best.strategy, best.spread),
        load.nodes,
        percent(best.hottest_node),
        percent(best.hottest_range)
    ));
    if let Some(hot) =
        all.iter().find(|one| !one.is_counted() && one.hottest_node > best.hottest_node + EQUAL)
    {
        reasons.push(format!(
            "With {}, one node gets {}, so the table takes about {} of the inserts that {} nodes could take.",
            named(hot.strategy, hot.spread),
            percent(hot.hottest_node),
            percent(1.0 / (hot.hottest_node * f64::from(load.nodes))),
            load.nodes
        ));
    } else if best.ranges > 1 {
        reasons
            .push("No other key that is compared is spread better: choose it for other reasons.".to_owned());
    }
    reasons.push(format!(
        "A statement of {} rows touches {:.1} ranges with it{}.",
        load.statement_rows,
        best.ranges_per_statement,
        if best.ranges_per_statement > 1.5 {
            ", each of which is one more participant of the transaction"
        } else {
            ""
        }
    ));
    let together = |one: &&Candidate| {
        one.hottest_node <= 2.0 * best.hottest_node
            && one.ranges_per_statement <= best.ranges_per_statement / 2.0
            && !one.is_counted()
    };
    if let Some(one) = all.iter().filter(together).min_by(|a, b| a.hottest_node.total_cmp(&b.hottest_node)) {
        reasons.push(format!(
            "With {}, a statement touches {:.1} ranges, and the hottest node gets {}: the choice if statements have many rows.",
            named(one.strategy, one.spread),
            one.ranges_per_statement,
            percent(one.hottest_node)
        ));
    }
    reasons
}

/// Names a strategy, and the change of its keys by the table.
pub(super) fn named(strategy: &str, spread: Spread) -> String {
    match spread {
        Spread::None => strategy.to_owned(),
        Spread::BitReversed => format!("{strategy}, bits reversed"),
        Spread::Hashed(parts) if parts == Spread::MOST_PARTS => format!("{strategy}, hashed"),
        Spread::Hashed(parts) => format!("{strategy}, hashed in {parts}"),
    }
}

fn caveats(load: &Load) -> Vec<String> {
    let run = match load.engine.measured {
        Some(measured) => format!("The model was compared with {measured}."),
        None => format!(
            "{} was not run: the model of its ranges is made from its manual, and was compared with HBase and Vitess only.",
            load.engine.name
        ),
    };
    vec![
        run,
        "Shares of inserts are not speeds: how many inserts one range takes per second is not in the model."
            .into(),
        "Where keys are hashed or at random, rows of one time are read from all ranges.".into(),
    ]
}
