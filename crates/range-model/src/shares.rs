//! Where a batch of keys goes.

use serde::Serialize;

/// The distribution of some inserts over ranges and nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    /// The share of the inserts that the range with the most of them gets, 0 to 1.
    pub hottest_range: f64,
    /// The share of the inserts that the node with the most of them gets, 0 to 1: the mean
    /// of the balancer's trials.
    pub hottest_node: f64,
    /// The share of the inserts that the node with the fewest of them gets, 0 to 1: the mean of the balancer's trials.
    pub coldest_node: f64,
    /// Ranges that get any of them.
    pub ranges: f64,
    /// Nodes that get any of them.
    pub nodes: f64,
}

impl Shares {
    /// From the inserts of each range, and its node in each trial of the balancer.
    pub(crate) fn of(counts: &[(&[u32], u64)], nodes: u32, trials: u32) -> Shares {
        let all: u64 = counts.iter().map(|(_, count)| count).sum();
        let share = |count: u64| if all == 0 { 0.0 } else { count as f64 / all as f64 };
        let (mut hottest_node, mut coldest_node, mut touched) = (0.0, 0.0, 0.0);
        for trial in 0..trials as usize {
            let mut of_nodes = vec![0_u64; nodes as usize];
            counts.iter().for_each(|(placed, count)| of_nodes[placed[trial] as usize] += count);
            hottest_node += share(of_nodes.iter().copied().max().unwrap_or(0));
            coldest_node += share(of_nodes.iter().copied().min().unwrap_or(0));
            touched += of_nodes.iter().filter(|count| **count > 0).count() as f64;
        }
        Shares {
            hottest_range: share(counts.iter().map(|(_, count)| *count).max().unwrap_or(0)),
            hottest_node: hottest_node / f64::from(trials),
            coldest_node: coldest_node / f64::from(trials),
            ranges: counts.len() as f64,
            nodes: touched / f64::from(trials),
        }
    }

    /// The mean of several.
    pub fn mean(of: &[Shares]) -> Shares {
        let mean = |one: fn(&Shares) -> f64| of.iter().map(one).sum::<f64>() / of.len().max(1) as f64;
        Shares {
            hottest_range: mean(|one| one.hottest_range),
            hottest_node: mean(|one| one.hottest_node),
            coldest_node: mean(|one| one.coldest_node),
            ranges: mean(|one| one.ranges),
            nodes: mean(|one| one.nodes),
        }
    }
}
