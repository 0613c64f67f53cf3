//! Tests whether the place of a run in its round had an effect: early runs against late ones.

use crate::metrics::Metric;
use crate::rank::stratified_rank_test;
use crate::repeat::Protocol;
use crate::results::Results;
use crate::run::Run;

/// The effect of the place in a round on one metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderEffect {
    /// Runs in the first half of their round.
    pub early: usize,
    /// Runs in the second half.
    pub late: usize,
    /// The probability that early and late runs differ this much, or more, if the place has no effect.
    pub p: f64,
    /// The smallest p that this many runs can give.
    pub least: f64,
}

/// Compares the runs that came in the first half of their round with those in the second half, strategy by strategy, by the
/// ranks of a metric. `None` where the record does not contain the order, where no strategy has runs of both kinds, or
/// where a run does not have the metric.
pub fn order_effect(results: &Results, metric: &Metric) -> Option<OrderEffect> {
    let protocol = results.protocol.as_ref()?;
    let mut groups = Vec::new();
    for run in &results.runs {
        let sample = metric.sample(run)?;
        let places = places(protocol, run)?;
        let of = |half: Half| -> Vec<f64> {
            let runs = sample.values().iter().zip(&places);
            runs.filter(|(_, place)| **place == half).map(|(value, _)| *value).collect()
        };
        groups.push((of(Half::First), of(Half::Second)));
    }
    groups.retain(|(early, late)| !early.is_empty() && !late.is_empty());
    let count = |of: fn(&(Vec<f64>, Vec<f64>)) -> usize| groups.iter().map(of).sum();
    let p = stratified_rank_test(groups.iter().map(|(early, late)| (early.as_slice(), late.as_slice())));
    // The p of groups in which all early runs are below all late ones.
    let apart: Vec<_> =
        groups.iter().map(|(early, late)| (vec![0.0; early.len()], vec![1.0; late.len()])).collect();
    let least = stratified_rank_test(apart.iter().map(|(early, late)| (early.as_slice(), late.as_slice())));
    (!groups.is_empty()).then(|| OrderEffect {
        early: count(|(early, _)| early.len()),
        late: count(|(_, late)| late.len()),
        p,
        least,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    First,
    Middle,
    Second,
}

/// The half of its round in which each run of a strategy came; `None` where the order does not have all of
/// them.
fn places(protocol: &Protocol, run: &Run) -> Option<Vec<Half>> {
    let mut places = Vec::new();
    let mut left = protocol.order.as_slice();
    // A round ends where a strategy appears again, because a strategy that failed is missing from later rounds.
    while !left.is_empty() {
        let ends = (1..left.len()).find(|end| left[..*end].contains(&left[*end])).unwrap_or(left.len());
        let (round, rest) = left.split_at(ends);
        if let Some(place) = round.iter().position(|name| *name == run.strategy.name) {
            places.push(match (2 * place + 1).cmp(&round.len()) {
                std::cmp::Ordering::Less => Half::First,
                std::cmp::Ordering::Equal => Half::Middle,
                std::cmp::Ordering::Greater => Half::Second,
            });
        }
        left = rest;
    }
    (places.len() == run.run_count()).then_some(places)
}
