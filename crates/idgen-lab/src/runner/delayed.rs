//! Several clients by the simulated clock: the order of their inserts follows from a stated delay.
//!
//! Requests arrive at random, at the rate of the load. The client that has been free for the longest time takes the request (where
//! clocks differ, clients are on hosts of their own, and each has its own requests), makes the ids of a statement, and its rows
//! arrive at the server after a random delay. The lab inserts one statement after
//! another in the order of these arrivals, each on the connection of its client, so pages are as full as the rate and the
//! delay make them, on any machine. Nothing runs at the same time, so speed and latency are those of one client.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use idgen::Timestamp;
use idgen::source::{Entropy, FixedEntropy};
use idgen_record::{Clients, Workload};

use super::clients::skew_ticks;
use super::course::{Context, Course, Inserts};
use crate::Result;
use crate::engine::{Batch, Latencies};
use crate::key::Key;
use crate::strategy::{Ids, Strategy};
use crate::turns::Turns;
use crate::workload::share;

/// Ticks of 100 ns.
const TICKS_PER_MILLI: f64 = 10_000.0;

/// A statement on its way to the server.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Sent {
    arrives: i64,
    /// Statements that arrive in the same tick keep the order in which they were made.
    number: u64,
    made: i64,
    client: usize,
    keys: Vec<Key>,
}

/// Statements in the order in which they arrive at the server.
struct Queue {
    ids: Vec<Ids>,
    turns: Turns,
    random: FixedEntropy,
    mean_ticks: f64,
    /// Ticks by which the clock of each client is ahead.
    skew: Vec<i64>,
    statement_rows: u64,
    /// Rows that were not made yet.
    left: u64,
    number: u64,
    sent: BinaryHeap<Reverse<Sent>>,
}

impl Queue {
    /// The statement that arrives next; `None` after the last one.
    fn next(&mut self) -> Result<Option<Sent>> {
        while self.left > 0 {
            let arrives = self.sent.peek().map(|Reverse(first)| first.arrives);
            let Some((made, client)) = self.turns.take(arrives)? else { break };
            let arrives = made.saturating_add(self.delay()?);
            let rows = self.statement_rows.min(self.left);
            self.left -= rows;
            let mut keys = Vec::with_capacity(rows as usize);
            for _ in 0..rows {
                let ahead = self.skew.get(client).copied().unwrap_or(0);
                self.ids[client].at(Timestamp::from_unix_ticks(made.saturating_add(ahead)));
                keys.push(self.ids[client].next_key()?);
            }
            self.sent.push(Reverse(Sent { arrives, number: self.number, made, client, keys }));
            self.number += 1;
            self.turns.free(client, arrives)?;
        }
        Ok(self.sent.pop().map(|Reverse(sent)| sent))
    }

    /// A random delay in ticks.
    fn delay(&mut self) -> Result<i64> {
        Ok((-self.mean_ticks * share(&mut self.random)?.ln()) as i64)
    }
}

/// The statements of a load with these rows each.
fn queue(strategy: &Strategy, workload: &Workload, statement_rows: u64) -> Result<Queue> {
    let start = Timestamp::from_unix_secs(workload.start_unix_secs);
    let ids = (0..workload.writers).map(|writer| Ids::of_writer(strategy, workload, writer));
    let statements_a_second = Ids::rate(strategy, workload) / statement_rows as f64;
    let (writers, apart) = (workload.writers.into(), workload.skew.is_some());
    Ok(Queue {
        ids: ids.collect::<Result<_>>()?,
        turns: Turns::new(start, statements_a_second, workload.seed, writers, apart)?,
        // Another random stream than those of ids, arrivals and payloads.
        random: FixedEntropy::new(workload.seed.rotate_left(8) ^ 0xde1a_7ed5),
        mean_ticks: workload.delay_ms.unwrap_or(0.0) * TICKS_PER_MILLI,
        skew: skew_ticks(workload),
        statement_rows,
        left: workload.rows,
        number: 0,
        sent: BinaryHeap::new(),
    })
}

/// Inserts all rows in the order of their arrivals.
pub(super) fn insert(context: Context<'_>) -> Result<Inserts> {
    let Context { table, strategy, workload, cancel, observer, rows: inserted } = context;
    let mut queue = queue(strategy, workload, table.rows_at_once(workload).max(1))?;
    let mut payload_source = FixedEntropy::new(!workload.seed);
    let mut payloads = Vec::new();
    let existing = workload.existing_rows();
    let mut course = Course::begin(table, existing)?;
    let in_window = workload.round_rows() * workload.rounds_per_window();
    let (mut done, mut closed) = (0, 0);
    let mut delays = Latencies::new()?;
    while let Some(Sent { arrives, made, client, keys, .. }) = queue.next()? {
        cancel.check()?;
        payloads.resize(keys.len() * workload.payload_bytes as usize, 0);
        payload_source.fill(&mut payloads)?;
        let batch = Batch { first: existing + done, keys: &keys, payloads: &payloads };
        let clock = Instant::now();
        let acknowledged = table.insert(client, &batch)?;
        let rows = keys.len() as u64;
        course.add(rows, clock.elapsed().as_secs_f64());
        inserted.extend(&acknowledged);
        delays.record_micros((arrives - made).unsigned_abs() / 10);
        done += rows;
        if done / in_window > closed || done == workload.rows {
            closed = done / in_window;
            course.close(table)?;
        }
        observer.inserted(done);
    }
    delays.lap();
    let clients = Clients { insert: Some(delays.laps()), ..Clients::default() };
    Ok(Inserts { clients, ..course.end() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Ranks, edge};
    use crate::strategy::find;

    const ROWS: u64 = 20_000;

    /// The 95th percentile of the distance from the right edge at which rows of version 7 arrive, by clients,
    /// rows of a statement, rate and delay.
    fn p95_rows(writers: u32, statement_rows: u64, rate: f64, delay_ms: f64) -> u64 {
        let load = Workload::of_rows(ROWS).unwrap().with_writers(writers).unwrap();
        let load = Workload { rate: Some(rate), delay_ms: Some(delay_ms), ..load };
        let mut queue = queue(find("v7-binary").unwrap(), &load, statement_rows).unwrap();
        let (mut keys, mut last) = (Vec::new(), i64::MIN);
        while let Some(sent) = queue.next().unwrap() {
            assert!(last <= sent.arrives && sent.made <= sent.arrives, "arrivals ascend");
            last = sent.arrives;
            keys.extend(sent.keys);
        }
        assert_eq!(keys.len() as u64, ROWS);
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_unstable_by_key(|row| keys[*row as usize]);
        let mut ranks = vec![0; keys.len()];
        (0..).zip(&order).for_each(|(rank, row)| ranks[*row as usize] = rank);
        edge(&Ranks::of(ranks), 0).unwrap().p95_rows
    }

    /// The distance depends on how long an id waits against the time between two inserts, and no client
    /// overtakes itself.
    #[test]
    fn a_row_is_as_far_from_the_edge_as_its_delay_lasts() {
        assert_eq!(p95_rows(1, 1, 1_000.0, 5.0), 0);
        // One row in twenty waits three times as long as the mean, or longer: here as long as 0.3 and 15 rows take.
        let (seldom, often) = (p95_rows(8, 1, 100.0, 1.0), p95_rows(8, 1, 1_000.0, 5.0));
        assert!(seldom <= 1 && (8..=16).contains(&often), "{seldom} {often}");
        // These are the same delays in relation to the time between two statements.
        assert_eq!(p95_rows(8, 1, 1_000.0, 5.0), p95_rows(8, 1, 500.0, 10.0));
        // A statement of 100 rows goes between others as a whole.
        let many = p95_rows(8, 100, 100_000.0, 5.0);
        assert!((800..=1_600).contains(&many), "{many}");
    }
}
