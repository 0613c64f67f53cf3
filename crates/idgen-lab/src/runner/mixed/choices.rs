//! Chooses the operations and their rows.
//!
//! In a round, each client has 100 operations, with each kind as often as its share says, in a random order of its own.
//! Rows to read, change and delete are chosen from those that were in the table when the round began. Clients never wait
//! for each other's rows: a row that one of them changes or deletes is not chosen by another one in the same round.

use idgen::source::{Entropy, FixedEntropy};
use idgen_record::{Mix, Operation, Workload};

use super::claims::Claims;
use super::in_turn;
use crate::engine::Step;
use crate::order::shuffle;
use crate::runner::check::Rows;
use crate::{Error, Result};

/// An operation that was chosen.
pub struct Planned {
    pub kind: Operation,
    /// The number of its row, counted from 0. Unused for an insert.
    pub row: usize,
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
            Operation::Insert => Step::Insert { payload },
            Operation::ReadRecent | Operation::ReadRandom => Step::Read(rows.address(self.row)),
            Operation::Update => Step::Update { key: rows.address(self.row), payload },
            Operation::Delete => Step::Delete(rows.address(self.row)),
        }
    }
}

/// The random streams and the shares by which one client chooses its operations.
struct Client {
    random: FixedEntropy,
    payloads: FixedEntropy,
    /// The kinds of operations of a round.
    round: Vec<Operation>,
}

impl Client {
    fn new(mix: Mix, seed: u64, client: u32) -> Self {
        let kinds = mix.shares().into_iter();
        // Each client has streams of its own. They differ from those of ids, and the first client has those of a single one.
        let own = u64::from(client) << 40;
        Client {
            random: FixedEntropy::new(seed.rotate_left(24) ^ 0x00c4_01ce ^ own),
            payloads: FixedEntropy::new(!seed ^ own),
            round: kinds.flat_map(|(kind, share)| std::iter::repeat_n(kind, share as usize)).collect(),
        }
    }

    /// A random number below `count`. The bias of a remainder of 2^64 is negligible here.
    fn below(&mut self, count: usize) -> Result<usize> {
        let chosen = self.random.next_u64()? % (count as u64).max(1);
        Ok(usize::try_from(chosen).unwrap_or(0))
    }
}

/// The attempts to find a row, after which there are too few rows. [`check`](super::check()) allows no such
/// load.
const MOST_ATTEMPTS: u32 = 1_000;

/// Chooses operations and their rows, determined by a seed.
pub struct Choices {
    clients: Vec<Client>,
    payload_bytes: usize,
    /// The rows that are in the table, in any order.
    there: Vec<usize>,
    /// The position of each row in `there`; `None` for a deleted row.
    places: Vec<Option<usize>>,
    /// The checksum of the payload of each row.
    sums: Vec<u32>,
    /// The rows chosen in this round.
    claims: Claims,
}

impl Choices {
    /// Makes the choices for a table with one row per checksum.
    pub fn new(mix: Mix, workload: &Workload, sums: Vec<u32>) -> Self {
        Choices {
            clients: (0..workload.writers).map(|client| Client::new(mix, workload.seed, client)).collect(),
            payload_bytes: workload.payload_bytes as usize,
            there: (0..sums.len()).collect(),
            places: (0..sums.len()).map(Some).collect(),
            sums,
            claims: Claims::default(),
        }
    }

    /// Returns whether the row is in the table.
    pub fn is_there(&self, row: usize) -> bool {
        self.places.get(row).is_some_and(Option::is_some)
    }

    /// The operations of each client in the next round. Later rounds may choose the rows that they insert.
    pub fn round(&mut self) -> Result<Vec<Vec<Planned>>> {
        self.claims.clear();
        (0..self.clients.len()).map(|client| self.round_of(client)).collect()
    }

    fn round_of(&mut self, client: usize) -> Result<Vec<Planned>> {
        let Client { random, round, .. } = &mut self.clients[client];
        shuffle(round, random)?;
        let kinds = round.clone();
        kinds.into_iter().map(|kind| self.plan(client, kind)).collect()
    }

    fn plan(&mut self, client: usize, kind: Operation) -> Result<Planned> {
        let mut planned = Planned { kind, row: 0, payload: Vec::new(), sum: 0 };
        if matches!(kind, Operation::Insert | Operation::Update) {
            planned.payload.resize(self.payload_bytes, 0);
            self.clients[client].payloads.fill(&mut planned.payload)?;
            planned.sum = crc32fast::hash(&planned.payload);
        }
        match kind {
            Operation::Insert => {}
            Operation::ReadRecent => {
                planned.row = self.recent(client)?;
                planned.sum = self.sums[planned.row];
            }
            Operation::ReadRandom => {
                planned.row = self.any(client, Claims::read)?;
                planned.sum = self.sums[planned.row];
            }
            Operation::Update => {
                planned.row = self.any(client, Claims::change)?;
                self.sums[planned.row] = planned.sum;
            }
            Operation::Delete => {
                planned.row = self.any(client, Claims::change)?;
                self.delete(planned.row);
            }
        }
        Ok(planned)
    }

    /// Any row in the table that this client may claim.
    fn any(&mut self, client: usize, claim: fn(&mut Claims, usize, usize) -> bool) -> Result<usize> {
        for _ in 0..MOST_ATTEMPTS {
            let place = self.clients[client].below(self.there.len())?;
            if let Some(row) = self.there.get(place)
                && claim(&mut self.claims, *row, client)
            {
                return Ok(*row);
            }
        }
        Err(Error::config("too few rows are left: choose fewer deletes, or more rows with --existing"))
    }

    /// Chooses one of the last rows inserted. If it was deleted or another client changes it, another one is
    /// chosen; few of them are.
    fn recent(&mut self, client: usize) -> Result<usize> {
        let rows = self.places.len();
        let recent = usize::try_from(Mix::RECENT_ROWS).unwrap_or(rows).min(rows);
        for _ in 0..recent {
            let row = rows - 1 - self.clients[client].below(recent)?;
            if self.is_there(row) && self.claims.read(row, client) {
                return Ok(row);
            }
        }
        self.any(client, Claims::read)
    }

    fn delete(&mut self, row: usize) {
        let Some(place) = self.places[row].take() else { return };
        self.there.swap_remove(place);
        if let Some(moved) = self.there.get(place) {
            self.places[*moved] = Some(place);
        }
    }

    /// Adds the rows that this round inserted, clients in turn.
    pub fn inserted(&mut self, planned: &[Vec<Planned>]) {
        for one in in_turn(planned).filter(|one| one.kind == Operation::Insert) {
            self.places.push(Some(self.there.len()));
            self.there.push(self.sums.len());
            self.sums.push(one.sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::runner::mixed::mixed_load as load;

    /// The kinds, rows and checksums of each client in all rounds, clients in turn.
    type Chosen = Vec<(Operation, usize, u32)>;

    /// Chooses the operations of 100 rounds of a client, and of as many clients as the load has. Each round has the kinds
    /// in their shares, only existing rows are chosen, recent rows are recent, and clients share only rows that they read.
    fn operations(load: &Workload) -> Chosen {
        let clients = load.writers as usize;
        let mut choices = Choices::new(load.mix.unwrap(), load, vec![0; 10_000]);
        let mut all = Vec::new();
        let rounds = 100 / clients;
        for round in 0..rounds {
            let known = 10_000 + round * 40 * clients;
            let before: Vec<bool> = (0..known).map(|row| choices.is_there(row)).collect();
            let planned = choices.round().unwrap();
            assert_eq!(planned.len(), clients);
            let (mut readers, mut writers) = (BTreeMap::<_, BTreeSet<_>>::new(), BTreeMap::new());
            let mut deleted = BTreeSet::new();
            for (client, planned) in planned.iter().enumerate() {
                for (kind, share) in load.mix.unwrap().shares() {
                    assert_eq!(planned.iter().filter(|one| one.kind == kind).count(), share as usize);
                }
                for one in planned.iter().filter(|one| one.kind != Operation::Insert) {
                    assert!(before[one.row]);
                    assert!(one.kind != Operation::ReadRecent || one.row >= known - 1_000);
                    // A row that this client deleted is not chosen again.
                    assert!(!deleted.contains(&one.row));
                    readers.entry(one.row).or_default().insert(client);
                    if matches!(one.kind, Operation::Update | Operation::Delete) {
                        assert_eq!(*writers.entry(one.row).or_insert(client), client);
                    }
                    if one.kind == Operation::Delete {
                        assert!(deleted.insert(one.row));
                    }
                }
            }
            assert_eq!(deleted.len(), 5 * clients);
            assert!(writers.keys().all(|row| readers[row].len() == 1));
            choices.inserted(&planned);
            all.extend(in_turn(&planned).map(|one| (one.kind, one.row, one.sum)));
        }
        assert_eq!(choices.there.len(), 10_000 + rounds * 35 * clients);
        assert!(choices.there.iter().enumerate().all(|(place, row)| choices.places[*row] == Some(place)));
        all
    }

    #[test]
    fn a_seed_gives_the_same_operations_on_existing_rows() {
        for writers in [1, 4] {
            let load = load([40, 25, 15, 15, 5]).with_writers(writers).unwrap();
            let operations = |seed| operations(&Workload { seed, ..load.clone() });
            let first = operations(7);
            assert_eq!(first, operations(7));
            assert_ne!(first, operations(8));
        }
    }

    /// Each client has its own operations, and the first has those of a single client.
    #[test]
    fn clients_have_operations_of_their_own() {
        let load = load([40, 25, 15, 15, 5]);
        let kinds = |chosen: &[(Operation, usize, u32)], client: usize, clients: usize| {
            let own = chosen.iter().skip(client).step_by(clients).take(100);
            own.map(|(kind, _, sum)| (*kind, *sum)).collect::<Vec<_>>()
        };
        let (alone, several) = (operations(&load), operations(&load.clone().with_writers(4).unwrap()));
        assert_eq!(kinds(&alone, 0, 1), kinds(&several, 0, 4));
        let different: BTreeSet<_> = (0..4).map(|client| kinds(&several, client, 4)).collect();
        assert_eq!(different.len(), 4);
    }
}
