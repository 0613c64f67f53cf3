//! A table in ranges, and what inserts do to it.

use std::collections::BTreeMap;

use crate::balance::{Random, balance};
use crate::error::Result;
use crate::key::Key;
use crate::range::Range;
use crate::settings::Settings;
use crate::shares::Shares;

/// The ranges of a table by their first keys.
pub struct Table {
    settings: Settings,
    ranges: BTreeMap<Key, Range>,
    rows: u64,
    splits: u64,
    moves: u64,
    random: Random,
}

impl Table {
    /// An empty table. Its first ranges are on the nodes in turn.
    ///
    /// # Errors
    /// No table can have these settings.
    pub fn new(settings: &Settings) -> Result<Table> {
        settings.check()?;
        let firsts = std::iter::once(Key::LEAST).chain(Key::borders(settings.first_ranges));
        let nodes = (0..settings.nodes).cycle();
        let trials = settings.trials as usize;
        Ok(Table {
            settings: settings.clone(),
            ranges: firsts.zip(nodes).map(|(first, node)| (first, Range::on(&vec![node; trials]))).collect(),
            rows: 0,
            splits: 0,
            moves: 0,
            random: Random(2_026),
        })
    }

    /// Inserts a row of this many bytes, and splits its range if it is over its size.
    pub fn insert(&mut self, key: Key, bytes: u64) {
        self.rows += 1;
        // There is always a range with the least key.
        let Some((_, range)) = self.ranges.range_mut(..=key).next_back() else { return };
        range.insert(key, bytes);
        if range.bytes() > self.settings.split_bytes
            && let Some((first, upper)) = range.split()
        {
            self.ranges.insert(first, upper);
            self.splits += 1;
        }
    }

    /// Splits the ranges that got too large a share of the inserts, where the engine does that, and runs the balancer. What
    /// counts are the inserts since the last call.
    pub fn balance(&mut self) {
        self.split_by_load();
        let mut all: Vec<&mut Range> = self.ranges.values_mut().collect();
        self.moves += balance(&mut all, &self.settings, &mut self.random);
        all.iter_mut().for_each(|range| range.inserts = 0);
    }

    fn split_by_load(&mut self) {
        let Some(share) = self.settings.split_share else { return };
        let all: u64 = self.ranges.values().map(|range| range.inserts).sum();
        let most = share * all as f64;
        let hot = |range: &&mut Range| range.inserts as f64 > most;
        let halves: Vec<_> = self.ranges.values_mut().filter(hot).filter_map(Range::split_by_load).collect();
        self.splits += halves.len() as u64;
        self.ranges.extend(halves);
    }

    /// Returns where these keys would go, without inserting them.
    pub fn shares(&self, keys: &[Key]) -> Shares {
        let mut counts: BTreeMap<Key, (&[u32], u64)> = BTreeMap::new();
        for key in keys {
            if let Some((first, range)) = self.ranges.range(..=*key).next_back() {
                counts.entry(*first).or_insert((&range.nodes, 0)).1 += 1;
            }
        }
        let counts: Vec<_> = counts.into_values().collect();
        Shares::of(&counts, self.settings.nodes, self.settings.trials)
    }

    /// The number of ranges.
    pub fn ranges(&self) -> u64 {
        self.ranges.len() as u64
    }

    /// Rows that were inserted.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Ranges that were split so far.
    pub fn splits(&self) -> u64 {
        self.splits
    }

    /// Ranges that the balancer moved so far, in its first trial.
    pub fn moves(&self) -> u64 {
        self.moves
    }
}

#[cfg(test)]
mod tests;
