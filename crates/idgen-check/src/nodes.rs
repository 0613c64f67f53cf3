//! Nodes and clock sequences of versions 1 and 6 (RFC 9562 sections 5.1, 6.1 and 6.10).

use std::collections::BTreeSet;

use crate::place::{Place, Places, Point, pairs};

/// More nodes than these are only counted as "many".
const MOST_NODES: usize = 16;

/// Facts about the machines that made the ids, from the nodes in them.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    /// The first nodes that were seen.
    pub(crate) seen: BTreeSet<u64>,
    /// True if there were more.
    pub(crate) are_many: bool,
    /// Ids whose node has the multicast bit set: it is no hardware address.
    pub(crate) multicast: u64,
    /// Ids with an earlier time than the one before, but with its node and clock sequence.
    pub(crate) unmarked_steps: Places,
    last: Option<u64>,
}

const NODE: u64 = (1 << 48) - 1;
const MULTICAST: u64 = 1 << 40;

/// The node of a tail of versions 1 and 6.
fn node(point: Point) -> u64 {
    (point.tail >> 66) as u64 & NODE
}

impl Nodes {
    pub(crate) fn push(&mut self, before: Option<Point>, points: &[Point], first: Place) {
        for &point in points {
            let node = node(point);
            self.multicast += u64::from(node & MULTICAST != 0);
            if self.last != Some(node) {
                self.add(node);
            }
        }
        for (index, a, b) in pairs(before, points) {
            if b.time < a.time && b.tail == a.tail {
                self.unmarked_steps.add(first.after(index));
            }
        }
    }

    fn add(&mut self, node: u64) {
        self.last = Some(node);
        if self.seen.len() < MOST_NODES {
            self.seen.insert(node);
        } else if !self.seen.contains(&node) {
            self.are_many = true;
        }
    }

    /// The nodes as text: twelve hexadecimal digits.
    pub(crate) fn names(&self) -> Vec<String> {
        self.seen.iter().map(|node| format!("{node:012x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(time: u64, sequence: u16, node: u64) -> Point {
        Point { time, tail: (u128::from(sequence) << 48 | u128::from(node)) << 66 }
    }

    #[test]
    fn nodes_are_counted_and_unmarked_steps_found() {
        let mut nodes = Nodes::default();
        let start = Place { stream: 0, line: 1 };
        let (card, random) = (0x0200_0000_0001_u64 & !MULTICAST, 0x0300_0000_0001_u64 | MULTICAST);
        nodes.push(None, &[point(5, 1, card), point(4, 1, card), point(3, 2, card)], start);
        nodes.push(Some(point(3, 2, card)), &[point(2, 2, random), point(9, 2, random)], start.after(3));
        assert_eq!(nodes.unmarked_steps.first, [start.after(1)]);
        assert_eq!((nodes.unmarked_steps.count, nodes.multicast), (1, 2));
        assert_eq!(nodes.names(), ["020000000001", "030000000001"]);
        let many: Vec<_> = (0..40).map(|n| point(n, 0, n)).collect();
        nodes.push(None, &many, start);
        assert!(nodes.are_many && nodes.seen.len() == MOST_NODES);
    }
}
