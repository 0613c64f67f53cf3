//! Operations of several kinds on a table that holds rows, one row at a time, by one or several clients.
//!
//! Each result of a read is compared with what was last written. Clients work in rounds: a round begins when the last client
//! has finished the one before. Each makes the key of a row immediately before it inserts the row.

mod check;
mod choices;
mod claims;
mod times;

use std::time::Instant;

use idgen_record::{Mix, Operations, Workload};

pub use check::check;
use choices::Choices;
use times::Times;

use super::course::Context;
use crate::engine::{Outcome, Step};
use crate::key::Key;
use crate::measure::Counted;
use crate::strategy::{Ids, Strategy};
use crate::workload::Arrivals;
use crate::{Error, Result};

/// The figures of the operations, and the rows that they left in the table.
pub(super) struct Done {
    pub operations: Operations,
    pub counted: Counted,
    /// Rows from before the run that are still there.
    pub existing: u64,
    /// Inserted rows that are still there.
    pub inserted: u64,
}

/// Carries the operations out. Afterwards, `rows` has the rows that are in the table. `sums` has the checksum of the payload
/// of each existing row.
pub(super) fn operate(context: Context<'_>, mix: Mix, sums: Vec<u32>) -> Result<Done> {
    let Context { table, strategy, workload, cancel, observer, rows } = context;
    let existing = rows.len();
    let clients = workload.writers;
    let rounds = mix.rounds(workload.rows, clients);
    let warm_up = Mix::warm_up(rounds);
    // May be more rows than requested, because each round inserts its whole share.
    let all = rounds * u64::from(mix.insert) * u64::from(clients);
    let load = Workload { rows: all, ..workload.clone() };
    let mut makers = Makers::of(strategy, &load)?;
    let mut make = |client| makers.make(client);
    let mut choices = Choices::new(mix, workload, sums);
    let mut times = Times::new()?;
    let mut start = table.counters()?;
    let mut secs = 0.0;
    let mut repeated = 0;
    let mut done = 0;
    for round in 0..rounds {
        cancel.check()?;
        if round == warm_up {
            table.flush()?;
            times = Times::new()?;
            secs = 0.0;
            repeated = 0;
            start = table.counters()?;
        }
        let planned = choices.round()?;
        let steps: Vec<Vec<Step<'_>>> =
            planned.iter().map(|client| client.iter().map(|one| one.step(rows)).collect()).collect();
        let clock = Instant::now();
        let answers = table.operate(&steps, &mut make)?;
        secs += clock.elapsed().as_secs_f64();
        if !steps.iter().map(Vec::len).eq(answers.iter().map(Vec::len)) {
            let (sent, done) = (steps.iter().flatten().count(), answers.iter().flatten().count());
            return Err(Error::unverified(format!("{sent} operations were sent, and {done} answered")));
        }
        for (one, answer) in in_turn(&planned).zip(in_turn(&answers)) {
            times.record(one.kind, answer.took);
            repeated += u64::from(answer.repeated);
            match &answer.outcome {
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
    let repeated = (clients > 1 || repeated > 0).then_some(repeated);
    let operations = Operations { repeated, ..times.figures(&counted, secs) };
    rows.retain(|row| choices.is_there(row));
    let left = (0..existing).filter(|row| choices.is_there(*row)).count();
    let (left, all) = (left as u64, rows.len() as u64);
    table.settle(all)?;
    Ok(Done { operations, counted, existing: left, inserted: all - left })
}

/// The generators of the clients.
struct Makers {
    ids: Vec<Ids>,
    /// The simulated times of the ids, in the order in which the clients make them, whichever of them it is.
    arrivals: Arrivals,
}

impl Makers {
    fn of(strategy: &Strategy, load: &Workload) -> Result<Self> {
        let ids = (0..load.writers).map(|client| Ids::of_writer(strategy, load, client));
        Ok(Makers { ids: ids.collect::<Result<_>>()?, arrivals: Ids::arrivals(strategy, load) })
    }

    /// The key of the row that this client inserts now.
    fn make(&mut self, client: usize) -> Result<Key> {
        let moment = self.arrivals.next_moment()?;
        let ids =
            self.ids.get_mut(client).ok_or_else(|| Error::mistake(format!("there is no client {client}")))?;
        ids.at(moment);
        ids.next_key()
    }
}

/// Yields the elements of these lists, one of each list in turn: the order in which clients of the same speed
/// work.
fn in_turn<T>(lists: &[Vec<T>]) -> impl Iterator<Item = &T> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(move |place| lists.iter().filter_map(move |list| list.get(place)))
}

/// A load with these shares for the tests of this module.
#[cfg(test)]
fn mixed_load(shares: [u32; 5]) -> Workload {
    let existing = Some(idgen_record::Existing { ids: None, rows: 10_000 });
    Workload { mix: Some(Mix::of(shares).unwrap()), existing, ..Workload::of_rows(4_000).unwrap() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::find;

    /// Clients that are not equally fast make ids in the order in which they come to their inserts.
    #[test]
    fn ids_have_the_order_in_which_clients_make_them() {
        let load = mixed_load([40, 25, 15, 15, 5]).with_writers(4).unwrap();
        let mut makers = Makers::of(find("v7-binary").unwrap(), &load).unwrap();
        let clients = [0, 0, 0, 3, 1, 0, 2, 2, 3, 1].into_iter().cycle().take(1_000);
        let keys: Vec<Key> = clients.map(|client| makers.make(client).unwrap()).collect();
        let pairs = keys.windows(2);
        // Two ids of one millisecond, by different clients, may be in either order.
        let ascend = pairs.filter(|pair| pair[0] < pair[1]).count();
        assert!(ascend > 980, "{ascend} of 999 pairs ascend");
        assert!(makers.make(4).is_err());
    }
}
