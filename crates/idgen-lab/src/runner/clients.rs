//! Clients that insert as services do: each makes the ids of a statement immediately before it.
//!
//! The rows of a page depend on the order in which rows arrive, and so on the time between making an id and
//! inserting it, compared with the time between two inserts. The lab leaves both to the clients, and records
//! them.

use std::time::{Duration, Instant, SystemTime};

use idgen::Timestamp;
use idgen::source::{Entropy, FixedEntropy};
use idgen_record::{Clients as Record, Workload};

use super::arrived::Arrived;
use super::check::Rows;
use super::course::{Context, Course, Inserts};
use super::observer::Observer;
use crate::cancel::Cancel;
use crate::engine::{Feed, Inserted, Latencies, Statement, Turn};
use crate::key::Key;
use crate::strategy::{Ids, Strategy};
use crate::workload::Arrivals;
use crate::{Error, Result};

const TICKS_PER_SEC: i64 = 10_000_000;
const TICKS_PER_MILLI: f64 = 10_000.0;

/// The clock that the generators of all clients read: it runs at the speed of the machine's, from the
/// simulated start on.
///
/// Without a rate, it jumps to the beginning of the next interval whenever the share of the rows of an interval was made. So
/// the run passes through its prefixes, however fast the database is, and between two jumps the clock is that of the machine.
struct Clock {
    began: Instant,
    start: Timestamp,
    /// Ticks by which jumps have put the clock forward.
    ahead: i64,
    jumps: Option<Jumps>,
    /// Ticks by which the clock of each client is ahead of this one.
    skew: Vec<i64>,
}

struct Jumps {
    interval_ticks: i64,
    intervals: u64,
    rows: u64,
}

impl Clock {
    fn of(strategy: &Strategy, workload: &Workload, began: Instant) -> Clock {
        let jumps = (workload.rate.is_none() && !workload.paced).then(|| Jumps {
            interval_ticks: i64::try_from(Ids::interval_secs(strategy, workload))
                .unwrap_or(i64::MAX)
                .saturating_mul(TICKS_PER_SEC),
            intervals: u64::from(workload.intervals.max(1)),
            rows: workload.rows,
        });
        let start = Timestamp::from_unix_secs(workload.start_unix_secs);
        Clock { began, start, ahead: 0, jumps, skew: skew_ticks(workload) }
    }

    /// Reads the time for a client, after this many rows of the run were made.
    fn now(&mut self, client: usize, made: u64) -> Timestamp {
        let elapsed = i64::try_from(self.began.elapsed().as_nanos() / 100).unwrap_or(i64::MAX);
        if let Some(Jumps { interval_ticks, intervals, rows }) = self.jumps {
            let interval = (u128::from(made) * u128::from(intervals) / u128::from(rows.max(1))) as i64;
            let begins = interval_ticks.saturating_mul(interval);
            self.ahead = self.ahead.max(begins.saturating_sub(elapsed));
        }
        let offset = self.skew.get(client).copied().unwrap_or(0);
        let ticks = elapsed.saturating_add(self.ahead).saturating_add(offset);
        Timestamp::from_unix_ticks(self.start.unix_ticks().saturating_add(ticks))
    }
}

/// Ticks by which the clock of each client is ahead.
pub(super) fn skew_ticks(workload: &Workload) -> Vec<i64> {
    let Some(skew) = &workload.skew else { return Vec::new() };
    (0..workload.writers).map(|client| (skew.of(client, workload.seed) * TICKS_PER_MILLI) as i64).collect()
}

/// The statements of a paced load: they arrive at random, independently of each other and of the clients.
struct Pace {
    began: Instant,
    /// The arrivals of all clients together, or of each client by itself.
    arrivals: Vec<Arrivals>,
    /// The moment of the statement that each client will insert, if it waits for one.
    due: Vec<Option<Instant>>,
}

impl Pace {
    /// The moment of this client's next statement. Only a client that is free asks.
    fn due(&mut self, client: usize) -> Result<Instant> {
        if let Some(due) = self.due[client] {
            return Ok(due);
        }
        let streams = self.arrivals.len();
        let arrivals = &mut self.arrivals[client % streams];
        arrivals.next_moment()?;
        let due = self.began + Duration::from_secs_f64(arrivals.elapsed_secs());
        self.due[client] = Some(due);
        Ok(due)
    }

    /// The clients were stopped for this long, and so was the arrival of statements.
    fn shift(&mut self, pause: Duration) {
        self.began += pause;
        self.due.iter_mut().flatten().for_each(|due| *due += pause);
    }

    /// The share of the pace that was kept, if the clients have inserted what arrived until now.
    fn kept(&self, ended: Instant) -> f64 {
        let took = ended.saturating_duration_since(self.began).as_secs_f64();
        let arrived: f64 = self.arrivals.iter().map(Arrivals::elapsed_secs).sum();
        (arrived / self.arrivals.len().max(1) as f64 / took.max(1e-9)).min(1.0)
    }
}

/// The generators of the clients, and what is left for them to insert.
struct Clients<'a> {
    ids: Vec<Ids>,
    clock: Clock,
    pace: Option<Pace>,
    payloads: FixedEntropy,
    payload_bytes: usize,
    statement_rows: u64,
    /// The number of the next row, and the rows left until the clients stop.
    next_row: u64,
    left: u64,
    inserted: &'a mut Rows,
    delays: Latencies,
    arrivals: Arrived,
    existing: u64,
    cancel: &'a Cancel,
    observer: &'a mut dyn Observer,
}

impl Feed for Clients<'_> {
    fn next(&mut self, client: usize) -> Result<Turn> {
        self.cancel.check()?;
        if self.left == 0 {
            return Ok(Turn::Done);
        }
        if let Some(pace) = &mut self.pace {
            let due = pace.due(client)?;
            if due > Instant::now() {
                return Ok(Turn::Wait(due));
            }
            pace.due[client] = None;
        }
        let rows = self.statement_rows.min(self.left);
        let first = self.next_row;
        self.left -= rows;
        self.next_row += rows;
        let mut payloads = vec![0; rows as usize * self.payload_bytes];
        self.payloads.fill(&mut payloads)?;
        let (made, made_at) = (Instant::now(), SystemTime::now());
        let ids = &mut self.ids[client];
        let mut keys = Vec::with_capacity(rows as usize);
        // The clock is read once for a statement, as by services that make ids of a batch.
        let moment = self.clock.now(client, first - self.existing);
        for _ in 0..rows {
            ids.at(moment);
            keys.push(ids.next_key()?);
        }
        Ok(Turn::Insert(Statement { first, keys, payloads, made, made_at }))
    }

    fn acknowledged(&mut self, client: usize, statement: &Statement, rows: &[Inserted]) -> Result<()> {
        check_answer(&statement.keys, rows)?;
        self.delays.record(statement.made);
        self.arrivals.acknowledged(client, micros(statement.made_at), rows.len());
        self.inserted.extend(rows);
        self.observer.inserted(self.inserted.len() as u64 - self.existing);
        Ok(())
    }

    fn inserted_at(&mut self, client: usize, micros: &[i64]) {
        self.arrivals.inserted_at(client, micros);
    }
}

/// Microseconds since 1970.
fn micros(time: SystemTime) -> i64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// Refuses an answer about more or fewer rows than were sent.
fn check_answer(keys: &[Key], rows: &[Inserted]) -> Result<()> {
    if keys.len() == rows.len() {
        return Ok(());
    }
    let (sent, answered) = (keys.len(), rows.len());
    Err(Error::unverified(format!("a statement of {sent} rows was acknowledged as {answered}")))
}

/// Inserts all rows by clients that work at the same time, each statement after another.
pub(super) fn insert(context: Context<'_>) -> Result<Inserts> {
    let Context { table, strategy, workload, cancel, observer, rows: inserted } = context;
    let ids = (0..workload.writers).map(|writer| Ids::of_writer(strategy, workload, writer));
    let start = Timestamp::from_unix_secs(workload.start_unix_secs);
    let statement_rows = table.rows_at_once(workload).max(1);
    let ahead = table.clock_ahead()?;
    let began = Instant::now();
    // Clients whose clocks differ are on hosts of their own, and each has its own requests.
    let streams = if workload.skew.is_some() { workload.writers.into() } else { 1 };
    let pace = workload.rate.filter(|_| workload.paced).map(|rate| Pace {
        began,
        arrivals: Arrivals::of_each(start, rate / statement_rows as f64, workload.seed, streams),
        due: vec![None; workload.writers as usize],
    });
    let clock = Clock::of(strategy, workload, began);
    let existing = workload.existing_rows();
    let mut clients = Clients {
        ids: ids.collect::<Result<_>>()?,
        clock,
        pace,
        payloads: FixedEntropy::new(!workload.seed),
        payload_bytes: workload.payload_bytes as usize,
        statement_rows,
        next_row: existing,
        left: 0,
        inserted,
        delays: Latencies::new()?,
        arrivals: Arrived::new(workload.writers, ahead)?,
        existing,
        cancel,
        observer,
    };
    let mut course = Course::begin(table, existing)?;
    let in_window = workload.round_rows() * workload.rounds_per_window();
    let mut stopped = began;
    let mut done = 0;
    while done < workload.rows {
        cancel.check()?;
        let rows = in_window - done % in_window;
        let rows = rows.min(workload.rows - done).min(table.rows_to_checkpoint()?.max(1));
        clients.left = rows;
        let clock = Instant::now();
        if let Some(pace) = &mut clients.pace {
            pace.shift(clock - stopped);
        }
        table.serve(&mut clients)?;
        stopped = Instant::now();
        done += rows;
        course.add(rows, (stopped - clock).as_secs_f64());
        if done % in_window == 0 || done == workload.rows {
            course.close(table)?;
        }
    }
    let pace_kept = clients.pace.as_ref().map(|pace| pace.kept(stopped));
    clients.delays.lap();
    let delay = Some(clients.delays.laps());
    let Clients { arrivals, inserted, .. } = clients;
    let (insert, span, order) = arrivals.end();
    if let Some(order) = order {
        inserted.reorder(existing as usize, &order);
    }
    let clients = Record { insert, span, delay, pace_kept, ..Record::default() };
    Ok(Inserts { clients, ..course.end() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::find;

    /// Within an interval the clock is the machine's, and each share of the rows has the next interval.
    #[test]
    fn the_clock_passes_through_the_intervals_and_is_otherwise_real() {
        let load = Workload { intervals: 4, ..Workload::of_rows(4_000).unwrap() }.with_writers(2).unwrap();
        let mut clock = Clock::of(find("v7-binary").unwrap(), &load, Instant::now());
        let start = Timestamp::from_unix_secs(load.start_unix_secs);
        let mut last = start;
        for made in 0..4_000 {
            let now = clock.now(made as usize % 2, made);
            assert!(last <= now, "{made}");
            let in_interval = now.since(start).as_millis() % 60_000;
            assert_eq!(now.since(start).as_secs() / 60, made / 1_000, "{made}");
            assert!(in_interval < 30_000, "{made} {in_interval}");
            last = now;
        }
        // Under a rate that is kept, the clock does not jump.
        let paced = Workload { rate: Some(100.0), paced: true, ..load };
        let mut clock = Clock::of(find("v7-binary").unwrap(), &paced, Instant::now());
        assert!(clock.now(0, 3_999).since(start).as_secs() < 30);
    }

    /// Requests of hosts wait for their host; those of a service go to any client that is free.
    #[test]
    fn each_host_has_its_own_pace() {
        let pace = |streams| {
            let arrivals = Arrivals::of_each(Timestamp::UNIX_EPOCH, 100.0, 7, streams);
            Pace { began: Instant::now(), arrivals, due: vec![None; 2] }
        };
        let alone = |streams| {
            let mut pace = pace(streams);
            (0..200).for_each(|_| {
                pace.due(0).unwrap();
                pace.due[0] = None;
            });
            (pace.due(0).unwrap() - pace.began).as_secs_f64()
        };
        let (shared, own) = (alone(1), alone(2));
        assert!((1.5..2.5).contains(&shared) && (3.0..5.0).contains(&own), "{shared} {own}");
    }

    #[test]
    fn clocks_of_clients_differ_by_their_skew() {
        let skew = Some(idgen_record::Skew::Each(vec![0.0, 2_000.0]));
        let load = Workload { skew, rate: Some(1.0), paced: true, ..Workload::of_rows(1_000).unwrap() };
        let load = load.with_writers(3).unwrap();
        let mut clock = Clock::of(find("v7-binary").unwrap(), &load, Instant::now());
        let [one, ahead, again] = [0, 1, 2].map(|client| clock.now(client, 0));
        assert!((1_500..2_500).contains(&ahead.since(one).as_millis()));
        assert!(again.since(one).as_millis() < 500);
    }
}
