//! A range, and its splits.

use crate::key::Key;

/// The keys from the range's first one to the next range's first one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Range {
    /// The node that accepts its writes, in each trial of the balancer.
    pub(crate) nodes: Box<[u32]>,
    /// Its keys, in no order.
    keys: Vec<Key>,
    /// Bytes of its rows.
    bytes: u64,
    /// Keys that were inserted since the balancer ran: the last of `keys`.
    pub(crate) inserts: u64,
}

impl Range {
    /// An empty range on these nodes.
    pub(crate) fn on(nodes: &[u32]) -> Range {
        Range { nodes: nodes.into(), ..Range::default() }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn insert(&mut self, key: Key, bytes: u64) {
        self.keys.push(key);
        self.bytes += bytes;
        self.inserts += 1;
    }

    /// Takes the upper half of the rows out, and returns it with its first key. `None` if all keys are equal.
    pub(crate) fn split(&mut self) -> Option<(Key, Range)> {
        let mut sorted = self.keys.clone();
        let middle = sorted.len() / 2;
        let (_, border, _) = sorted.select_nth_unstable(middle);
        self.split_at(*border)
    }

    /// Takes the rows above the middle of the last inserts out, and returns them with their first key. `None` if that would
    /// not divide the inserts: the last ones are all above or all below that key, as where keys ascend.
    pub(crate) fn split_by_load(&mut self) -> Option<(Key, Range)> {
        /// A border must leave this part of the newest inserts on each side.
        const LEAST_PART: usize = 4;
        let last = self.keys.len() - self.inserts as usize;
        let recent = &self.keys[last..];
        if recent.len() < 2 * LEAST_PART {
            return None;
        }
        let mut sorted = recent.to_vec();
        sorted.sort_unstable();
        let border = sorted[sorted.len() / 2];
        let newest = &recent[recent.len() / 2..];
        let above = newest.iter().filter(|key| **key >= border).count();
        let divides =
            above * LEAST_PART >= newest.len() && (newest.len() - above) * LEAST_PART >= newest.len();
        if divides { self.split_at(border) } else { None }
    }

    /// Takes the rows from `border` on out.
    fn split_at(&mut self, border: Key) -> Option<(Key, Range)> {
        let last = self.keys.len() - self.inserts as usize;
        let each = self.bytes as f64 / self.keys.len() as f64;
        let (mut low, mut high) = (Range::on(&self.nodes), Range::on(&self.nodes));
        for (place, key) in self.keys.iter().enumerate() {
            let part = if *key < border { &mut low } else { &mut high };
            part.keys.push(*key);
            part.inserts += u64::from(place >= last);
        }
        if low.keys.is_empty() || high.keys.is_empty() {
            return None;
        }
        high.bytes = (each * high.keys.len() as f64) as u64;
        low.bytes = self.bytes - high.bytes;
        *self = low;
        Some((border, high))
    }
}
