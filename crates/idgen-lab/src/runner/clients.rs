//! Clients that insert as services do: each makes the ids of a statement immediately before it.
//!
//! Which rows are on which page depends on the order in which rows arrive, and so on the time between making an id and
//! inserting it, compared with the time between two inserts. The lab leaves both to the clients, and records them.

use std::time::{Duration, Instant};

use idgen::Timestamp;
use idgen::source::{Entropy, FixedEntropy};
use idgen_record::Clients as Record;

use super::check::Rows;
use super::course::{Course, Inserts, Run};
use super::observer::Observer;
use crate::cancel::Cancel;
use crate::engine::{Feed, Inserted, Latencies, Statement, Turn};
use crate::key::Key;
use crate::strategy::Ids;
use crate::workload::Arrivals;
use crate::{Error, Result};

/// What the generators of all clients read as the time.
enum Clock {
    /// Time passes as it does outside, from the simulated start on.
    Real { began: Instant, start: Timestamp },
    /// Each id is made at the next random moment, whichever client makes it: the run passes through its prefixes, however
    /// fast the database is. The order of the times is the order in which the ids are made.
    Simulated(Box<Arrivals>),
}

impl Clock {
    fn now(&mut self) -> Result<Timestamp> {
        match self {
            Clock::Real { began, start } => {
                let ticks = i64::try_from(began.elapsed().as_nanos() / 100).unwrap_or(i64::MAX);
                Ok(Timestamp::from_unix_ticks(start.unix_ticks().saturating_add(ticks)))
            }
            Clock::Simulated(arrivals) => arrivals.next_moment(),
        }
    }
}

/// The statements of a paced load: they arrive at random, independently of each other and of the clients.
struct Pace {
    began: Instant,
    arrivals: Arrivals,
    /// The moment of the statement that each client will insert, if it waits for one.
    due: Vec<Option<Instant>>,
}

impl Pace {
    /// The moment of this client's next statement. Only a client that is free asks.
    fn due(&mut self, client: usize) -> Result<Instant> {
        if let Some(due) = self.due[client] {
            return Ok(due);
        }
        self.arrivals.next_moment()?;
        let due = self.began + Duration::from_secs_f64(self.arrivals.elapsed_secs());
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
        (self.arrivals.elapsed_secs() / took.max(1e-9)).min(1.0)
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
        let made = Instant::now();
        let ids = &mut self.ids[client];
        let mut keys = Vec::with_capacity(rows as usize);
        for _ in 0..rows {
            ids.at(self.clock.now()?);
            keys.push(ids.next_key()?);
        }
        Ok(Turn::Insert(Statement { first, keys, payloads, made }))
    }

    fn acknowledged(&mut self, statement: &Statement, rows: &[Inserted]) -> Result<()> {
        check_answer(&statement.keys, rows)?;
        self.delays.record(statement.made);
        self.inserted.extend(rows);
        self.observer.inserted(self.inserted.len() as u64 - self.existing);
        Ok(())
    }
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
pub(super) fn insert(run: Run<'_>) -> Result<Inserts> {
    let Run { table, strategy, workload, cancel, observer, rows: inserted } = run;
    let ids = (0..workload.writers).map(|writer| Ids::of_writer(strategy, workload, writer));
    let start = Timestamp::from_unix_secs(workload.start_unix_secs);
    let statement_rows = table.rows_at_once(workload).max(1);
    let began = Instant::now();
    let pace = workload.rate.filter(|_| workload.paced).map(|rate| Pace {
        began,
        arrivals: Arrivals::new(start, rate / statement_rows as f64, workload.seed),
        due: vec![None; workload.writers as usize],
    });
    let clock = match pace {
        Some(_) => Clock::Real { began, start },
        None => Clock::Simulated(Box::new(Ids::arrivals(strategy, workload))),
    };
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
    let clients = Record { delay: Some(clients.delays.laps()), pace_kept, ..Record::default() };
    Ok(Inserts { clients, ..course.end() })
}
