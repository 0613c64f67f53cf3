//! Which ranges move to other nodes.

use crate::range::Range;
use crate::settings::{Balancer, Settings};

/// Moves ranges until the nodes are balanced, in each trial. Returns how many moved in the first one.
pub(crate) fn balance(ranges: &mut [&mut Range], settings: &Settings, random: &mut Random) -> u64 {
    let mut moves = Vec::new();
    for trial in 0..settings.trials as usize {
        let inserts: Vec<u64> = ranges.iter().map(|range| range.inserts).collect();
        let mut places: Vec<u32> = ranges.iter().map(|range| range.nodes[trial]).collect();
        if settings.balancer != Balancer::None {
            by_count(&mut places, settings.nodes, random);
        }
        if settings.balancer == Balancer::Load {
            by_load(&mut places, &inserts, settings.nodes);
        }
        let moved = |(range, place): (&mut &mut Range, u32)| {
            u64::from(std::mem::replace(&mut range.nodes[trial], place) != place)
        };
        moves.push(ranges.iter_mut().zip(places).map(moved).sum());
    }
    moves.first().copied().unwrap_or(0)
}

/// Moves random ranges of the node with the most of them until no node has two more than another one.
fn by_count(places: &mut [u32], nodes: u32, random: &mut Random) {
    let mut of_nodes: Vec<Vec<usize>> = vec![Vec::new(); nodes as usize];
    for (range, node) in places.iter().enumerate() {
        of_nodes[*node as usize].push(range);
    }
    loop {
        let count = |node: &usize| of_nodes[*node].len();
        let all = 0..of_nodes.len();
        let (Some(least), Some(most)) = (all.clone().min_by_key(count), all.max_by_key(count)) else { break };
        if of_nodes[most].len() < of_nodes[least].len() + 2 {
            break;
        }
        let chosen = random.below(of_nodes[most].len());
        let moved = of_nodes[most].swap_remove(chosen);
        of_nodes[least].push(moved);
        places[moved] = least as u32;
    }
}

/// Exchanges ranges of the node with the most inserts and the one with the fewest as long as that makes the larger of the two
/// smaller. Their numbers of ranges stay the same.
fn by_load(places: &mut [u32], inserts: &[u64], nodes: u32) {
    /// A balancer does not look for the best of all places.
    const EXCHANGES_PER_NODE: u32 = 4;
    for _ in 0..EXCHANGES_PER_NODE * nodes {
        let mut loads = vec![0_u64; nodes as usize];
        places.iter().zip(inserts).for_each(|(node, inserts)| loads[*node as usize] += inserts);
        let load = |node: &u32| loads[*node as usize];
        let (Some(least), Some(most)) = ((0..nodes).min_by_key(load), (0..nodes).max_by_key(load)) else {
            break;
        };
        let apart = load(&most) - load(&least);
        let on = |node: u32| (0..places.len()).filter(|range| places[*range] == node).collect::<Vec<_>>();
        let (hot, mut cold) = (on(most), on(least));
        cold.sort_by_key(|range| inserts[*range]);
        // For each hot range the cold one with which half of the difference would be exchanged, or nearly so.
        let pairs = hot.iter().flat_map(|from| {
            let wanted = inserts[*from].saturating_sub(apart / 2);
            let near = cold.partition_point(|to| inserts[*to] < wanted);
            cold[near.saturating_sub(1)..].iter().take(2).map(move |to| (*from, *to))
        });
        let gain = |pair: &(usize, usize)| inserts[pair.0].saturating_sub(inserts[pair.1]);
        let better = pairs.filter(|pair| (1..apart).contains(&gain(pair)));
        let Some((from, to)) = better.min_by_key(|pair| gain(pair).abs_diff(apart / 2)) else { break };
        places.swap(from, to);
    }
}

/// Random numbers that a seed repeats (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ (mixed >> 31)) * count as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Key;

    /// Ranges with so many inserts, all on the first node.
    fn ranges(inserts: &[u64]) -> Vec<Range> {
        let of = |count: &u64| {
            let mut range = Range::on(&[0]);
            (0..*count).for_each(|_| range.insert(Key::LEAST, 1));
            range
        };
        inserts.iter().map(of).collect()
    }

    fn loads(ranges: &[Range], nodes: u32) -> Vec<(usize, u64)> {
        let on = |node| ranges.iter().filter(move |range| range.nodes[0] == node);
        (0..nodes).map(|node| (on(node).count(), on(node).map(|range| range.inserts).sum())).collect()
    }

    fn balanced(balancer: Balancer, inserts: &[u64], nodes: u32) -> (u64, Vec<(usize, u64)>) {
        let mut all = ranges(inserts);
        let settings = Settings { balancer, trials: 1, ..Settings::of_nodes(nodes) };
        let moves = balance(&mut all.iter_mut().collect::<Vec<_>>(), &settings, &mut Random(1));
        (moves, loads(&all, nodes))
    }

    #[test]
    fn nodes_get_the_same_number_of_ranges() {
        for count in 1..40 {
            let (moves, loads) = balanced(Balancer::Count, &vec![1; count], 3);
            let counts = loads.iter().map(|(ranges, _)| *ranges);
            assert!(counts.clone().max().unwrap() - counts.min().unwrap() <= 1, "{count}: {loads:?}");
            assert_eq!(moves as usize, count - count.div_ceil(3), "{count}");
        }
    }

    #[test]
    fn loads_are_equalized_as_far_as_ranges_allow() {
        let (_, loads) = balanced(Balancer::Load, &[50, 40, 30, 1, 1, 1], 3);
        assert!(loads.iter().all(|(ranges, load)| *ranges == 2 && *load <= 51), "{loads:?}");
        // One hot range stays one hot range.
        let (_, loads) = balanced(Balancer::Load, &[100, 0, 0, 0], 2);
        assert_eq!(loads.iter().map(|(_, load)| *load).max(), Some(100));
    }

    #[test]
    fn nothing_moves_without_a_balancer() {
        assert_eq!(balanced(Balancer::None, &[1; 9], 3), (0, vec![(9, 9), (0, 0), (0, 0)]));
    }
}
