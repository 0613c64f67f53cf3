//! Chooses the operations and their rows.
//!
//! A round of 100 operations contains each kind as often as its share says, in a random order. Rows to read, change and
//! delete are chosen from those that were in the table when the round began.

use idgen::source::{Entropy, FixedEntropy};
use idgen_record::{Mix, Operation, Workload};

use crate::engine::Step;
use crate::key::Key;
use crate::order::shuffle;
use crate::runner::check::Rows;
use crate::strategy::Ids;
use crate::{Error, Result};

/// An operation that was chosen.
pub struct Planned {
    pub kind: Operation,
    /// The number of its row, counted from 0. Unused for an insert.
    pub row: usize,
    /// The key of an insert.
    key: Key,
    /// The payload of an insert or an update.
    payload: Vec<u8>,
    /// The checksum of the payload that is written, or of the one that must be read.
    pub sum: u32,
}

impl Planned {
    /// The operation, given the rows of the table.
    pub fn step<'a>(&'a self, rows: &Rows) -> Step<'a> {
        let payload = &self.payload;
        match self.kind {
            Operation::Insert => Step::Insert { key: self.key, payload },
            Operation::ReadRecent | Operation::ReadRandom => Step::Read(rows.address(self.row)),
            Operation::Update => Step::Update { key: rows.address(self.row), payload },
            Operation::Delete => Step::Delete(rows.address(self.row)),
        }
    }
}

/// Chooses operations and their rows, determined by a seed.
pub struct Choices {
    random: FixedEntropy,
    payloads: FixedEntropy,
    payload_bytes: usize,
    /// The kinds of operations of a round.
    round: Vec<Operation>,
    /// The rows that are in the table, in any order.
    there: Vec<usize>,
    /// The position of each row in `there`; `None` for a deleted row.
    places: Vec<Option<usize>>,
    /// The checksum of the payload of each row.
    sums: Vec<u32>,
}

impl Choices {
    /// For a table with one row per checksum.
    pub fn new(mix: Mix, workload: &Workload, sums: Vec<u32>) -> Self {
        let kinds = mix.shares().into_iter();
        Choices {
            // Gives other streams than the seeds of ids and payloads.
            random: FixedEntropy::new(workload.seed.rotate_left(24) ^ 0x00c4_01ce),
            payloads: FixedEntropy::new(!workload.seed),
            payload_bytes: workload.payload_bytes as usize,
            round: kinds.flat_map(|(kind, share)| std::iter::repeat_n(kind, share as usize)).collect(),
            there: (0..sums.len()).collect(),
            places: (0..sums.len()).map(Some).collect(),
            sums,
        }
    }

    /// Whether the row is in the table.
    pub fn is_there(&self, row: usize) -> bool {
        self.places.get(row).is_some_and(Option::is_some)
    }

    /// The operations of the next round. Later rounds may choose the rows that they insert.
    pub fn round(&mut self, ids: &mut Ids) -> Result<Vec<Planned>> {
        let mut round = std::mem::take(&mut self.round);
        shuffle(&mut round, &mut self.random)?;
        let planned = round.iter().map(|kind| self.plan(*kind, ids)).collect();
        self.round = round;
        planned
    }

    fn plan(&mut self, kind: Operation, ids: &mut Ids) -> Result<Planned> {
        let mut planned = Planned { kind, row: 0, key: Key::Assigned, payload: Vec::new(), sum: 0 };
        if matches!(kind, Operation::Insert | Operation::Update) {
            planned.payload.resize(self.payload_bytes, 0);
            self.payloads.fill(&mut planned.payload)?;
            planned.sum = crc32fast::hash(&planned.payload);
        }
        match kind {
            Operation::Insert => planned.key = ids.next_key()?,
            Operation::ReadRecent => {
                planned.row = self.recent()?;
                planned.sum = self.sums[planned.row];
            }
            Operation::ReadRandom => {
                planned.row = self.any()?;
                planned.sum = self.sums[planned.row];
            }
            Operation::Update => {
                planned.row = self.any()?;
                self.sums[planned.row] = planned.sum;
            }
            Operation::Delete => {
                planned.row = self.any()?;
                self.delete(planned.row);
            }
        }
        Ok(planned)
    }

    /// A random number below `count`. The bias of a remainder of 2^64 is negligible here.
    fn below(&mut self, count: usize) -> Result<usize> {
        let chosen = self.random.next_u64()? % (count as u64).max(1);
        Ok(usize::try_from(chosen).unwrap_or(0))
    }

    /// Any row in the table.
    fn any(&mut self) -> Result<usize> {
        let place = self.below(self.there.len())?;
        self.there.get(place).copied().ok_or_else(|| Error::config("no row is left: choose fewer deletes"))
    }

    /// One of the last rows inserted. If it was deleted, another one is chosen; few of them are deleted.
    fn recent(&mut self) -> Result<usize> {
        let rows = self.places.len();
        let recent = usize::try_from(Mix::RECENT_ROWS).unwrap_or(rows).min(rows);
        for _ in 0..recent {
            let row = rows - 1 - self.below(recent)?;
            if self.is_there(row) {
                return Ok(row);
            }
        }
        self.any()
    }

    fn delete(&mut self, row: usize) {
        let Some(place) = self.places[row].take() else { return };
        self.there.swap_remove(place);
        if let Some(moved) = self.there.get(place) {
            self.places[*moved] = Some(place);
        }
    }

    /// Adds the rows that this round inserted.
    pub fn inserted(&mut self, planned: &[Planned]) {
        for one in planned.iter().filter(|one| one.kind == Operation::Insert) {
            self.places.push(Some(self.there.len()));
            self.there.push(self.sums.len());
            self.sums.push(one.sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::mixed::mixed_load as load;
    use crate::strategy::find;

    /// Each round has the kinds in their shares, only existing rows are chosen, and recent rows are recent.
    #[test]
    fn a_seed_gives_the_same_operations_on_existing_rows() {
        let load = load([40, 25, 15, 15, 5]);
        let operations = |seed| {
            let load = Workload { seed, ..load.clone() };
            let mut choices = Choices::new(load.mix.unwrap(), &load, vec![0; 10_000]);
            let mut ids = Ids::new(find("v4-binary").unwrap(), &load).unwrap();
            let mut all = Vec::new();
            for round in 0..100 {
                let known = 10_000 + round * 40;
                let before: Vec<bool> = (0..known).map(|row| choices.is_there(row)).collect();
                let planned = choices.round(&mut ids).unwrap();
                for (kind, share) in load.mix.unwrap().shares() {
                    assert_eq!(planned.iter().filter(|one| one.kind == kind).count(), share as usize);
                }
                for one in planned.iter().filter(|one| one.kind != Operation::Insert) {
                    assert!(before[one.row]);
                    assert!(one.kind != Operation::ReadRecent || one.row >= known - 1_000);
                }
                let mut deleted: Vec<_> =
                    planned.iter().filter(|one| one.kind == Operation::Delete).map(|one| one.row).collect();
                deleted.sort_unstable();
                deleted.dedup();
                assert_eq!(deleted.len(), 5);
                choices.inserted(&planned);
                all.extend(planned.into_iter().map(|one| (one.kind, one.row, one.sum)));
            }
            assert_eq!(choices.there.len(), 10_000 + 4_000 - 500);
            assert!(choices.there.iter().enumerate().all(|(place, row)| choices.places[*row] == Some(place)));
            all
        };
        let first = operations(7);
        assert_eq!(first, operations(7));
        assert_ne!(first, operations(8));
    }
}
