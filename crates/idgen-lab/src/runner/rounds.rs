//! Which strategy runs next, and what was recorded of each so far.

use idgen::source::FixedEntropy;
use idgen_record::{Protocol, RunRecord};

use crate::Result;
use crate::order::shuffle;
use crate::strategy::Strategy;

/// Rounds of strategies, by their place in the list.
pub struct Rounds {
    /// The places that are left of this round, the next one last.
    left: Vec<usize>,
    /// This round, from 0, and how many there are.
    round: u32,
    rounds: u32,
    random: Option<FixedEntropy>,
    /// The runs of each strategy with their seeds; none any more of one that failed.
    taken: Vec<Option<Vec<(u64, RunRecord)>>>,
}

impl Rounds {
    /// As the protocol says; without one a single round in the order given.
    pub fn new(strategies: &[&Strategy], protocol: Option<&Protocol>) -> Self {
        Rounds {
            left: Vec::new(),
            round: 0,
            rounds: protocol.map_or(1, |protocol| protocol.repeats),
            random: protocol.map(|protocol| FixedEntropy::new(protocol.order_seed)),
            taken: vec![Some(Vec::new()); strategies.len()],
        }
    }

    /// The place of the next strategy and the number of its round, from 0; `None` where all are done. One that failed
    /// does not come again.
    pub fn next(&mut self) -> Result<Option<(usize, u32)>> {
        while self.left.is_empty() {
            if self.round == self.rounds {
                return Ok(None);
            }
            self.round += 1;
            self.left = (0..self.taken.len()).rev().filter(|place| self.taken[*place].is_some()).collect();
            if let Some(random) = &mut self.random {
                shuffle(&mut self.left, random)?;
            }
            if self.left.is_empty() {
                return Ok(None);
            }
        }
        Ok(self.left.pop().map(|place| (place, self.round - 1)))
    }

    /// Takes the record of a run.
    pub fn finished(&mut self, place: usize, seed: u64, record: RunRecord) {
        if let Some(runs) = &mut self.taken[place] {
            runs.push((seed, record));
        }
    }

    /// No figures of a strategy are shown of which a run failed.
    pub fn failed(&mut self, place: usize) {
        self.taken[place] = None;
    }

    /// The records so far, in the order of the strategies.
    pub fn records(&self) -> Vec<RunRecord> {
        self.taken.iter().flatten().filter_map(|runs| RunRecord::of_repeats(runs.clone())).collect()
    }
}
