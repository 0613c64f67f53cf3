//! The order in which the rows of several clients arrive at a server.
//!
//! Statements are requested at random, at the rate of the load. The client that has been free for the longest
//! time makes the ids of a statement at once; if clocks differ, clients are on hosts of their own, and each
//! has its own requests. After a delay, the server inserts its rows one after another, and rows of other
//! statements among them. So ids and rows have different orders, and how different they are decides how full
//! pages are. What follows the last row, the commit and the answer, changes no order.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::vec::IntoIter;

use idgen::Timestamp;
use idgen::source::FixedEntropy;

use super::clients::{Clients, Delay};
use crate::Result;
use crate::key::Key;
use crate::turns::Turns;
use crate::workload::share;
use idgen_record::Skew;

/// Times longer than those of this share of the statements are stalls. This constant and the next ones were chosen for training
/// runs with 3, 12 and 32 clients and 1, 5, 20 and 60 rows in a statement, which the hold-out sets do not have.
const BODY: f64 = 0.5;
/// This share of the stalls before the first row stops all statements that are under way: a flush, a lock of the server, or
/// processors that all of them wait for. They go on in the order in which they would have been inserted, so such a stall
/// changes nothing. The others stop one client or its thread.
const COMMON: f64 = 0.6;
/// This share of the stalls between two rows of a statement stops all statements that are under way.
const COMMON_BETWEEN_ROWS: f64 = 0.5;
/// Microseconds from one row of a statement to the next, if nothing stops the server between them.
const ROW_MICROS: f64 = 12.0;
/// A pause between two rows is at most about this long, in microseconds.
const PAUSE_MICROS: f64 = 10_000.0;
const TICKS_PER_MICRO: f64 = 10.0;

/// Makes the ids of a statement: by which client, when, and how many.
pub(super) trait Maker {
    fn make(&mut self, client: usize, moment: Timestamp, rows: u64) -> Result<Vec<Key>>;
}

/// The order in which the rows of a load arrive at the server: that of their ids, unless clients wait or clocks differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arriving<'a> {
    /// The statements and delays of clients; without them, rows arrive in the order in which their ids are made.
    pub(crate) clients: Option<Clients>,
    /// Rows that are inserted.
    pub(crate) rows: u64,
    /// Inserts per second.
    pub(crate) rate: f64,
    /// True if the ids of a statement have times of their own, and not that of the statement.
    pub(crate) own_clock: bool,
    /// The differences between the clocks of the writers; `None` if they agree.
    pub(crate) skew: Option<&'a Skew>,
}

/// A statement that has rows left to insert.
struct Sent {
    /// The time at which its next row arrives, in ticks of 100 ns since 1970.
    arrives: i64,
    /// Rows that arrive at the same time keep the order in which they were made.
    number: u64,
    /// The distances between its rows.
    pauses: Pauses,
    rows: IntoIter<Key>,
}

/// The rows of a statement follow each other at a constant distance, except where the server stops between two of them, because
/// another thread has its turn.
#[derive(Clone, Copy)]
struct Pauses {
    /// Ticks from row to row.
    step: i64,
    /// Ticks of a pause, which comes after every `every` rows.
    pause: i64,
    every: u64,
    inserted: u64,
}

impl Pauses {
    /// The ticks until the next row.
    fn next(&mut self) -> i64 {
        self.inserted += 1;
        self.step + if self.inserted.is_multiple_of(self.every) { self.pause } else { 0 }
    }
}

impl Ord for Sent {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.arrives, self.number).cmp(&(other.arrives, other.number))
    }
}

impl PartialOrd for Sent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Sent {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Sent {}

/// The rows of a load in the order of their arrivals.
pub(super) struct Order {
    turns: Turns,
    statement_rows: u64,
    delay: Delay,
    span: Option<Delay>,
    random: FixedEntropy,
    /// Rows whose ids are not made yet.
    left: u64,
    number: u64,
    sent: BinaryHeap<Reverse<Sent>>,
}

impl Order {
    /// The order of the rows of a load by this many clients. The same seed gives the same order.
    pub(super) fn new(
        clients: &Clients,
        writers: u64,
        arriving: &Arriving<'_>,
        start: Timestamp,
        seed: u64,
    ) -> Result<Order> {
        let (rate, apart) = (arriving.rate / clients.statement_rows as f64, arriving.skew.is_some());
        Ok(Order {
            turns: Turns::new(start, rate, !seed, writers, apart)?,
            statement_rows: clients.statement_rows,
            delay: clients.delay,
            span: clients.span,
            // Another random stream than those of ids and requests.
            random: FixedEntropy::new(seed.rotate_left(16) ^ 0x0a44_17a1),
            left: arriving.rows,
            number: 0,
            sent: BinaryHeap::new(),
        })
    }

    /// The row that arrives next; `None` after the last one.
    pub(super) fn next(&mut self, maker: &mut impl Maker) -> Result<Option<Key>> {
        while self.left > 0 {
            let arrives = self.sent.peek().map(|Reverse(first)| first.arrives);
            let Some((made, client)) = self.turns.take(arrives)? else { break };
            self.send(client, made, maker)?;
        }
        let Some(Reverse(mut sent)) = self.sent.pop() else { return Ok(None) };
        let row = sent.rows.next();
        if sent.rows.len() > 0 {
            sent.arrives = sent.arrives.saturating_add(sent.pauses.next());
            self.sent.push(Reverse(sent));
        }
        Ok(row)
    }

    /// A client makes the ids of a statement and sends it.
    fn send(&mut self, client: usize, made: i64, maker: &mut impl Maker) -> Result<()> {
        let rows = self.statement_rows.min(self.left);
        self.left -= rows;
        let first = made.saturating_add(self.delay()? as i64);
        let keys = maker.make(client, Timestamp::from_unix_ticks(made), rows)?;
        let pauses = self.pauses(rows)?;
        self.sent.push(Reverse(Sent { arrives: first, number: self.number, pauses, rows: keys.into_iter() }));
        self.number += 1;
        let (mut last, mut pauses) = (first, pauses);
        (1..rows).for_each(|_| last = last.saturating_add(pauses.next()));
        self.turns.free(client, last)
    }

    /// The time from making the ids of a statement to the insert of its first row, in ticks.
    fn delay(&mut self) -> Result<f64> {
        let share = self.share_without_stalls(COMMON)?;
        Ok(self.delay.micros(share) * TICKS_PER_MICRO)
    }

    /// The share of the statements that take less time, if this share of the stalls takes none, because it stops all.
    fn share_without_stalls(&mut self, common: f64) -> Result<f64> {
        let share = self.share()?;
        let is_common = share > BODY && self.share()? <= common;
        Ok(if is_common { BODY * self.share()? } else { share })
    }

    /// Draws the distances between the rows of a statement.
    fn pauses(&mut self, rows: u64) -> Result<Pauses> {
        let quick = ROW_MICROS * TICKS_PER_MICRO;
        let none = Pauses { step: quick as i64, pause: 0, every: u64::MAX, inserted: 0 };
        let gaps = (rows - 1) as f64;
        let Some(span) = self.span.filter(|_| rows > 1) else { return Ok(none) };
        let span = span.micros(self.share_without_stalls(COMMON_BETWEEN_ROWS)?) * TICKS_PER_MICRO;
        let spare = span - gaps * quick;
        if spare <= 0.0 {
            return Ok(Pauses { step: (span / gaps) as i64, ..none });
        }
        let pauses = (spare / (PAUSE_MICROS * TICKS_PER_MICRO)).ceil().clamp(1.0, gaps);
        // The first pause comes at any row of the first part, and the others follow evenly.
        let every = ((rows as f64 / (pauses + 1.0)).round() as u64).max(1);
        let inserted = (self.share()? * every as f64) as u64;
        Ok(Pauses { pause: (spare / pauses) as i64, every, inserted, ..none })
    }

    fn share(&mut self) -> Result<f64> {
        share(&mut self.random)
    }
}

#[cfg(test)]
mod tests {
    use btree_model::Server;
    use idgen_record::{Latency, Skew};

    use super::*;
    use crate::forecast::Load;
    use crate::workload::Arrivals;

    const START: i64 = 17_000_000_000_000_000;
    const ROWS: u64 = 4_000;

    /// Numbers rows in the order in which they are made, and notes when and by which client.
    #[derive(Default)]
    struct Numbers {
        made: Vec<(i64, usize)>,
    }

    impl Maker for Numbers {
        fn make(&mut self, client: usize, moment: Timestamp, rows: u64) -> Result<Vec<Key>> {
            let first = self.made.len() as u64;
            self.made.extend((0..rows).map(|_| (moment.unix_ticks(), client)));
            Ok((first..first + rows).map(Key::Uint).collect())
        }
    }

    /// Clients of one service, or each on a host of its own.
    fn order(clients: &Clients, writers: u64, rate: f64, seed: u64, apart: bool) -> Order {
        let skew = apart.then_some(Skew::Within(1.0));
        let load = Load { rate, skew, ..Load::new(ROWS, Server::mysql(1 << 30)) };
        Order::new(clients, writers, &load.arriving(), Timestamp::from_unix_ticks(START), seed).unwrap()
    }

    fn arrived(clients: &Clients, writers: u64, rate: f64, seed: u64) -> (Vec<u64>, Numbers) {
        arrived_in(order(clients, writers, rate, seed, false))
    }

    fn arrived_in(mut order: Order) -> (Vec<u64>, Numbers) {
        let (mut numbers, mut rows) = (Numbers::default(), Vec::new());
        while let Some(key) = order.next(&mut numbers).unwrap() {
            let Key::Uint(number) = key else { unreachable!() };
            rows.push(number);
        }
        (rows, numbers)
    }

    /// The naive version: all statements first, then all rows sorted by the time of their arrival.
    fn naive(clients: &Clients, writers: usize, rate: f64, seed: u64) -> Vec<u64> {
        let mut source = order(clients, writers as u64, rate, seed, false);
        let start = Timestamp::from_unix_ticks(START);
        let mut requests = Arrivals::new(start, rate / clients.statement_rows as f64, !seed);
        let (mut free, mut rows, mut number) = (vec![i64::MIN; writers], Vec::new(), 0);
        while number < ROWS {
            let request = requests.next_moment().unwrap().unix_ticks();
            let client = (0..writers).min_by_key(|client| (free[*client], *client)).unwrap();
            let made = request.max(free[client]);
            let count = clients.statement_rows.min(ROWS - number);
            let first = made + source.delay().unwrap() as i64;
            let mut pauses = source.pauses(count).unwrap();
            let mut at = first;
            for row in 0..count {
                at += if row > 0 { pauses.next() } else { 0 };
                rows.push((at, number + row));
            }
            number += count;
            free[client] = at;
        }
        // Stable: rows that arrive at the same time stay in the order in which they were made.
        rows.sort_by_key(|(arrives, _)| *arrives);
        rows.into_iter().map(|(_, number)| number).collect()
    }

    #[test]
    fn rows_arrive_as_in_the_naive_version_and_a_seed_repeats_them() {
        let recorded = Latency { p50_micros: 800, p95_micros: 4_000, p99_micros: 20_000, max_micros: 90_000 };
        for (delay, span) in
            [(Delay::MeanMillis(3.0), None), (Delay::Recorded(recorded), Some(Delay::MeanMillis(9.0)))]
        {
            for (writers, statement_rows, rate) in
                [(1, 1, 500.0), (8, 1, 1_000.0), (8, 30, 5_000.0), (3, 7, 1e7), (64, 100, 1e7)]
            {
                let clients = Clients { statement_rows, delay, span };
                let (rows, _) = arrived(&clients, writers, rate, 7);
                assert_eq!(rows, naive(&clients, writers as usize, rate, 7), "{writers} {statement_rows}");
                assert_eq!(rows, arrived(&clients, writers, rate, 7).0);
                let mut sorted = rows.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..ROWS).collect::<Vec<_>>());
                if writers == 1 {
                    assert_eq!(rows, sorted, "one client inserts in its own order");
                } else {
                    assert_ne!(rows, arrived(&clients, writers, rate, 8).0);
                }
            }
        }
    }

    /// Hosts have requests of their own: each makes statements at the times of its requests, or as soon as it is free, and one
    /// host in four makes the next statement too.
    #[test]
    fn each_host_has_its_own_requests() {
        let clients = Clients { statement_rows: 1, delay: Delay::MeanMillis(1.0), span: None };
        let (rows, numbers) = arrived_in(order(&clients, 4, 100.0, 7, true));
        assert_eq!(rows.len() as u64, ROWS);
        assert!(numbers.made.is_sorted_by_key(|(made, _)| *made), "ids are made one after another");
        let start = Timestamp::from_unix_ticks(START);
        for (host, mut requests) in Arrivals::of_each(start, 100.0, !7, 4).into_iter().enumerate() {
            let made: Vec<i64> =
                numbers.made.iter().filter(|(_, by)| *by == host).map(|(at, _)| *at).collect();
            assert!((900..1_100).contains(&made.len()), "{host} {}", made.len());
            let late = made.iter().filter(|at| **at != requests.next_moment().unwrap().unix_ticks()).count();
            assert!(late * 10 < made.len(), "{host}: {late} statements waited for the one before");
        }
        let again = |made: &[(i64, usize)]| made.windows(2).filter(|pair| pair[0].1 == pair[1].1).count();
        assert!((900..1_100).contains(&again(&numbers.made)), "{}", again(&numbers.made));
        let (_, in_turn) = arrived(&clients, 4, 100.0, 7);
        assert!(again(&in_turn.made) < 100, "{}", again(&in_turn.made));
    }

    /// A client makes no ids while it waits, and the rows of a statement keep their order.
    #[test]
    fn clients_wait_for_their_statements() {
        let clients = Clients { statement_rows: 10, delay: Delay::MeanMillis(2.0), span: None };
        let (rows, numbers) = arrived(&clients, 4, 1e7, 7);
        assert!(numbers.made.is_sorted_by_key(|(made, _)| *made), "ids are made one after another");
        let mut seen = vec![0; ROWS as usize / 10];
        for row in rows {
            assert_eq!(row % 10, seen[row as usize / 10], "row {row}");
            seen[row as usize / 10] += 1;
        }
        // Four clients that wait for 2 ms on average would insert some 20,000 rows per second; stalls of all, which take no time here,
        // are four tenths of these waits.
        let secs = (numbers.made[ROWS as usize - 1].0 - START) as f64 / 1e7;
        assert!((0.09..0.15).contains(&secs), "{secs}");
        // Statements that are requested seldom are over before the next one.
        let (rows, _) = arrived(&clients, 4, 0.01, 7);
        assert!(rows.is_sorted());
    }
}
