//! Operations of several kinds on a table that holds rows: one client, one row at a time.
//!
//! A round of 100 operations has each kind as often as its share says, in a random order. Rows to read, change and delete are
//! chosen among those that were in the table when the round began. What each read gives is compared with what was last
//! written.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use idgen::source::{Entropy, FixedEntropy};
use idgen_record::{Column, Mix, Operation, OperationLatency, Operations, Workload};

use super::check::Rows;
use super::{Cancel, Observer};
use crate::engine::{Counters, Outcome, Step, Table};
use crate::key::Key;
use crate::measure::Counted;
use crate::order::shuffle;
use crate::strategy::{Ids, Strategy};
use crate::{Error, Result};

/// One of so many rounds comes before the measured ones: the cache then holds what such operations leave in it.
const WARM_UP: u64 = 10;

/// Refuses a load of several kinds of operations that a strategy cannot have.
///
/// # Errors
/// Why it cannot, and what to choose.
pub fn check(strategy: &Strategy, workload: &Workload) -> Result<()> {
    let Some(mix) = workload.mix else { return Ok(()) };
    mix.check().map_err(|error| Error::config(error.to_string()))?;
    let refused = |why: String| Err(Error::config(format!("the operations {mix} cannot be run: {why}")));
    let existing = workload.existing_rows();
    let deleted = mix.rounds(workload.rows) * u64::from(mix.delete);
    if existing < Mix::RECENT_ROWS {
        return refused(format!(
            "the table holds {existing} rows before them, and recent rows are the last {}: choose more with --existing",
            Mix::RECENT_ROWS
        ));
    }
    if deleted > existing / 2 {
        return refused(format!(
            "they would delete {deleted} rows, more than half of the {existing} that the table holds before them: choose fewer \
             deletes, or more rows with --existing"
        ));
    }
    if workload.payload_bytes == 0 {
        return refused("rows without a payload have nothing to update: choose --payload 1 or more".into());
    }
    if workload.writers > 1 {
        return refused(format!(
            "one client carries them out, not {}: leave out --writers",
            workload.writers
        ));
    }
    let apart = [
        (workload.own.is_some(), "--schema"),
        (workload.visits.is_some(), "visits"),
        (workload.serializable, "--serializable"),
        (workload.paced, "--paced"),
    ];
    if let Some((_, other)) = apart.iter().find(|(given, _)| *given) {
        return refused(format!("they exclude {other}: leave out one of the two"));
    }
    let is_apart = matches!(strategy.column, Column::Unkeyed16 | Column::TwoIntegers);
    if is_apart || strategy.column.is_mapped() || strategy.ids.is_server_made() {
        return refused(format!(
            "{} has no primary key of one column whose value the client knows; choose strategies whose ids the client makes, or auto-increment",
            strategy.name
        ));
    }
    Ok(())
}

/// What the operations left.
pub(super) struct Done {
    pub operations: Operations,
    pub counted: Counted,
    /// Of the rows that were there before, those that still are.
    pub existing: u64,
    /// Of the rows that were inserted, those that still are there.
    pub inserted: u64,
}

/// Carries the operations out, and leaves in `rows` those that are in the table afterwards. `sums` has the checksum of the
/// payload of each row.
pub(super) fn operate(
    table: &mut dyn Table,
    strategy: &Strategy,
    (workload, mix): (&Workload, Mix),
    cancel: &Cancel,
    observer: &mut dyn Observer,
    rows: &mut Rows,
    sums: Vec<u32>,
) -> Result<Done> {
    let existing = rows.len();
    let rounds = mix.rounds(workload.rows);
    let warm_up = rounds / WARM_UP;
    // More rows than were asked for, where they are no multiple of the share: ids have to last.
    let ids = Workload { rows: rounds * u64::from(mix.insert), ..workload.clone() };
    let mut ids = Ids::new(strategy, &ids)?;
    let mut choices = Choices::new(mix, workload, sums);
    let mut times = Times::new()?;
    let mut start = table.counters()?;
    let mut secs = 0.0;
    let mut done = 0;
    for round in 0..rounds {
        cancel.check()?;
        if round == warm_up {
            table.flush()?;
            times = Times::new()?;
            secs = 0.0;
            start = table.counters()?;
        }
        let planned = choices.round(&mut ids)?;
        let steps: Vec<Step<'_>> = planned.iter().map(|one| one.step(rows)).collect();
        let mut heard = Vec::with_capacity(steps.len());
        let clock = Instant::now();
        table.operate(&steps, &mut |outcome, took| {
            heard.push((outcome, took));
            Ok(())
        })?;
        secs += clock.elapsed().as_secs_f64();
        if heard.len() != steps.len() {
            let (sent, done) = (steps.len(), heard.len());
            return Err(Error::unverified(format!("{sent} operations were sent, and {done} answered")));
        }
        for (one, (outcome, took)) in planned.iter().zip(&heard) {
            times.record(one.kind, *took);
            match outcome {
                Outcome::Inserted(inserted) => {
                    rows.extend(&[*inserted]);
                    done += 1;
                }
                Outcome::Read(payload) if crc32fast::hash(payload) != one.sum => {
                    let key = rows.address(one.row);
                    return Err(Error::unverified(format!(
                        "the row {key} was read with another payload than the last that was written"
                    )));
                }
                Outcome::Read(_) | Outcome::Changed => {}
            }
        }
        choices.inserted(&planned);
        observer.inserted(done);
    }
    let counters = table.counters()?.since(&start);
    let counted = Counted { inserts: counters, flush: table.flush()? };
    let operations = times.figures(&counted, secs);
    rows.retain(|row| choices.is_there(row));
    let left = (0..existing).filter(|row| choices.is_there(*row)).count();
    let (left, all) = (left as u64, rows.len() as u64);
    table.settle(all)?;
    Ok(Done { operations, counted, existing: left, inserted: all - left })
}

/// An operation that was decided on.
struct Planned {
    kind: Operation,
    /// The row that it is about, from 0; of an insert none yet.
    row: usize,
    /// Of an insert.
    key: Key,
    /// Of an insert or an update.
    payload: Vec<u8>,
    /// The checksum of the payload: of the one that is written, or the one that must be read.
    sum: u32,
}

impl Planned {
    fn step<'a>(&'a self, rows: &Rows) -> Step<'a> {
        let payload = &self.payload;
        match self.kind {
            Operation::Insert => Step::Insert { key: self.key, payload },
            Operation::ReadRecent | Operation::ReadRandom => Step::Read(rows.address(self.row)),
            Operation::Update => Step::Update { key: rows.address(self.row), payload },
            Operation::Delete => Step::Delete(rows.address(self.row)),
        }
    }
}

/// Decides on the operations, from a seed.
struct Choices {
    random: FixedEntropy,
    payloads: FixedEntropy,
    payload_bytes: usize,
    /// The kinds of a round.
    round: Vec<Operation>,
    /// Rows that are in the table, in no order, and the place of each row in it; none of one that was deleted.
    there: Vec<usize>,
    places: Vec<Option<usize>>,
    /// The checksum of the payload of each row.
    sums: Vec<u32>,
}

impl Choices {
    fn new(mix: Mix, workload: &Workload, sums: Vec<u32>) -> Self {
        let kinds = mix.shares().into_iter();
        Choices {
            // Other streams than those of ids and payloads.
            random: FixedEntropy::new(workload.seed.rotate_left(24) ^ 0x00c4_01ce),
            payloads: FixedEntropy::new(!workload.seed),
            payload_bytes: workload.payload_bytes as usize,
            round: kinds.flat_map(|(kind, share)| std::iter::repeat_n(kind, share as usize)).collect(),
            there: (0..sums.len()).collect(),
            places: (0..sums.len()).map(Some).collect(),
            sums,
        }
    }

    fn is_there(&self, row: usize) -> bool {
        self.places.get(row).is_some_and(Option::is_some)
    }

    /// The next operations. Rows that they insert are there from the next round on.
    fn round(&mut self, ids: &mut Ids) -> Result<Vec<Planned>> {
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

    /// One of so many things; the bias of a remainder of 2^64 is nothing here.
    fn below(&mut self, count: usize) -> Result<usize> {
        let chosen = self.random.next_u64()? % (count as u64).max(1);
        Ok(usize::try_from(chosen).unwrap_or(0))
    }

    /// Any row that is there.
    fn any(&mut self) -> Result<usize> {
        let place = self.below(self.there.len())?;
        self.there.get(place).copied().ok_or_else(|| Error::config("no row is left: choose fewer deletes"))
    }

    /// One of the last rows inserted. Few of them have been deleted: another is chosen in their place.
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

    /// The rows of this round are in the table.
    fn inserted(&mut self, planned: &[Planned]) {
        for one in planned.iter().filter(|one| one.kind == Operation::Insert) {
            self.places.push(Some(self.there.len()));
            self.there.push(self.sums.len());
            self.sums.push(one.sum);
        }
    }
}

/// How long operations took, in nanoseconds.
struct Times(BTreeMap<Operation, Histogram<u64>>);

impl Times {
    fn new() -> Result<Self> {
        let empty = |kind| {
            // To an hour, to three digits.
            let times = Histogram::new_with_bounds(1, 3_600_000_000_000, 3)
                .map_err(|error| Error::engine("cannot keep the latencies", error))?;
            Ok((kind, times))
        };
        Operation::ALL.into_iter().map(empty).collect::<Result<_>>().map(Times)
    }

    fn record(&mut self, kind: Operation, took: Duration) {
        if let Some(times) = self.0.get_mut(&kind) {
            times.saturating_record(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        }
    }

    fn figures(&self, counted: &Counted, secs: f64) -> Operations {
        let count: u64 = self.0.values().map(Histogram::len).sum();
        let per_1k = |pages: u64| pages as f64 * 1_000.0 / count.max(1) as f64;
        let micros = |nanos: u64| nanos as f64 / 1_000.0;
        let kinds = self.0.iter().filter(|(_, times)| !times.is_empty()).map(|(kind, times)| {
            let latency = OperationLatency {
                count: times.len(),
                p50_micros: micros(times.value_at_quantile(0.5)),
                p99_micros: micros(times.value_at_quantile(0.99)),
                p999_micros: micros(times.value_at_quantile(0.999)),
                max_micros: micros(times.max()),
            };
            (*kind, latency)
        });
        let Counters { pages_read, pages_written, table_pages, .. } = counted.inserts;
        let flushed = counted.flush.map_or(0, |flush| flush.pages_written);
        Operations {
            count,
            secs,
            reads_per_1k: per_1k(pages_read),
            writes_per_1k: per_1k(pages_written + flushed),
            table_reads_per_1k: table_pages.map(|pages| per_1k(pages.read)),
            hit_rate: counted.inserts.hit_rate(),
            kinds: kinds.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::find;
    use idgen_record::Existing;

    fn load(shares: [u32; 5]) -> Workload {
        let existing = Some(Existing { ids: None, rows: 10_000 });
        Workload { mix: Some(Mix::of(shares).unwrap()), existing, ..Workload::of_rows(4_000).unwrap() }
    }

    #[test]
    fn what_cannot_be_run_is_refused_with_what_to_choose() {
        let v4 = find("v4-binary").unwrap();
        check(v4, &load([40, 25, 15, 15, 5])).unwrap();
        let few = Some(Existing { ids: None, rows: 999 });
        for (strategy, load, says) in [
            ("v4-binary", Workload { existing: few, ..load([40, 25, 15, 15, 5]) }, "999 rows before"),
            ("v4-binary", load([10, 25, 15, 15, 35]), "delete 14000 rows"),
            ("v4-binary", Workload { payload_bytes: 0, ..load([40, 25, 15, 15, 5]) }, "--payload 1"),
            ("v4-binary", Workload { writers: 2, ..load([40, 25, 15, 15, 5]) }, "leave out --writers"),
            ("v4-binary", Workload { serializable: true, ..load([40, 25, 15, 15, 5]) }, "--serializable"),
            ("mapped", load([40, 25, 15, 15, 5]), "no primary key of one column"),
        ] {
            let error = check(find(strategy).unwrap(), &load).unwrap_err();
            assert!(error.is_config() && error.to_string().contains(says), "{error}");
        }
    }

    /// Each round has the shares, only rows that are there are chosen, and recent ones are recent.
    #[test]
    fn a_seed_gives_the_same_operations_on_rows_that_are_there() {
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
