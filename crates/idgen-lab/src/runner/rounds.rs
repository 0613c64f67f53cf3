//! Determines which strategy runs next, and collects the records of each.

use idgen::source::FixedEntropy;
use idgen_record::{Protocol, Run};

use crate::Result;
use crate::order::shuffle;
use crate::strategy::Strategy;

/// Rounds of strategies, which are identified by their position in the list.
pub struct Rounds {
    /// The positions that are left in this round, the next one last.
    left: Vec<usize>,
    /// The current round, counted from 0, and the number of rounds.
    round: u32,
    rounds: u32,
    random: Option<FixedEntropy>,
    /// The runs of each strategy with their seeds; `None` for a strategy of which a run failed.
    taken: Vec<Option<Vec<(u64, Run)>>>,
}

impl Rounds {
    /// The rounds of a protocol; without one, a single round in the order given.
    pub fn new(strategies: &[&Strategy], protocol: Option<&Protocol>) -> Self {
        Rounds {
            left: Vec::new(),
            round: 0,
            rounds: protocol.map_or(1, |protocol| protocol.repeats),
            random: protocol.map(|protocol| FixedEntropy::new(protocol.order_seed)),
            taken: vec![Some(Vec::new()); strategies.len()],
        }
    }

    /// The position of the next strategy and the number of its round, counted from 0; `None` if all are done. A
    /// strategy that failed is left out.
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

    /// Adds the record of a run.
    pub fn finished(&mut self, place: usize, seed: u64, record: Run) {
        if let Some(runs) = &mut self.taken[place] {
            runs.push((seed, record));
        }
    }

    /// Removes the strategy: if one of its runs failed, none of its figures are shown.
    pub fn failed(&mut self, place: usize) {
        self.taken[place] = None;
    }

    /// The records so far, in the order of the strategies.
    pub fn records(&self) -> Vec<Run> {
        self.taken.iter().flatten().filter_map(|runs| Run::of_repeats(runs.clone())).collect()
    }
}
