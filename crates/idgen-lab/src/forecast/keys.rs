//! The keys of a load, made by the real generators.

use idgen::Timestamp;
use idgen::source::{Entropy, FixedEntropy};

use super::arrival::{Arriving, Maker, Order};
use super::buckets::Bucketed;
use crate::Result;
use crate::key::Key;
use crate::strategy::{self, Ids, Strategy};
use crate::workload::Arrivals;
use idgen_record::{Column, IdKind, Workload};

/// The keys of all writers, in the order in which their rows are inserted: that of their creation, or that in which the
/// statements of several clients arrive.
pub(crate) struct Keys {
    writers: Writers,
    turn: usize,
    /// The order of the rows, if it is not that of their creation.
    order: Option<Order>,
    /// True if the rows are sorted by a counted number and not by their ids.
    counted: bool,
    assigned: u64,
    tenants: Option<Tenants>,
    buffer: [u8; TENANT_BYTES + crate::TEXT_LEN],
}

/// The makers of the ids of a load, and their rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Makers {
    /// Clients, each with a generator of its own.
    pub(crate) writers: u64,
    /// Ids per second of all clients together.
    pub(crate) rate: f64,
    /// The time of the first id, in seconds since 1970, if it matters.
    pub(crate) start_unix_secs: Option<i64>,
    /// Tenants whose number comes before the id in the key, if it does.
    pub(crate) tenants: Option<u32>,
}

/// Bytes of a tenant's number, an `INT`.
pub(crate) const TENANT_BYTES: usize = 4;

/// Draws the tenant of each row at random.
struct Tenants {
    count: u32,
    random: FixedEntropy,
}

impl Tenants {
    fn new(count: u32, seed: u64) -> Tenants {
        // Another random stream than those of ids, requests and delays.
        Tenants { count, random: FixedEntropy::new(seed.rotate_left(8) ^ 0x7e4a_4275) }
    }

    /// The number of the next row's tenant, spread over all numbers, so that a sample of the key space has its share of them.
    fn next_number(&mut self) -> Result<[u8; TENANT_BYTES]> {
        let tenant = ((self.random.next_u64()? >> 32) * u64::from(self.count)) >> 32;
        let step = u64::from(u32::MAX / self.count);
        Ok(((tenant * step) as u32).to_be_bytes())
    }
}

/// The generators of all writers, and their clock.
struct Writers {
    all: Vec<Writer>,
    /// The times at which ids are made, one after another.
    arrivals: Arrivals,
    /// True if the ids of a statement have times of their own, and not that of the statement.
    own_clock: bool,
    /// Ticks by which the clock of each writer is ahead, where clocks differ.
    skew: Vec<i64>,
    seed: u64,
    start: Timestamp,
}

enum Writer {
    Ids(Box<Ids>),
    /// Keyed prefixes in columns of bytes.
    Bucketed(Box<Bucketed>),
}

impl Keys {
    /// A round of keyed prefixes has `crowd` times fewer intervals, and `crowd` times fewer prefixes. Other strategies
    /// have no rounds.
    pub(crate) fn new(strategy: &Strategy, makers: &Makers, crowd: u64) -> Result<Keys> {
        let mut workload = workload(strategy, makers.writers)?;
        workload.start_unix_secs = makers.start_unix_secs.unwrap_or(workload.start_unix_secs);
        let start = Timestamp::from_unix_secs(workload.start_unix_secs);
        let arrivals = Arrivals::new(start, makers.rate, workload.seed);
        Ok(Keys::of(strategy, &workload, arrivals, crowd)?.of_tenants(makers, workload.seed))
    }

    /// The keys of rows that a table holds before the load begins. One writer made them at this rate, and the last of
    /// them when the keys of [`Keys::new`] begin.
    pub(crate) fn existing(strategy: &Strategy, makers: &Makers, rows: u64) -> Result<Keys> {
        /// Gives another random stream than the seed of the load.
        const SEED: u64 = 0x01d_5eed;
        let mut workload = workload(strategy, 1)?;
        workload.start_unix_secs = makers.start_unix_secs.unwrap_or(workload.start_unix_secs);
        /// Ids are made after 1970. Their order is the same in a shorter time.
        const MOST_SECS: f64 = 40.0 * 365.0 * 86_400.0;
        let secs = (rows as f64 / makers.rate).ceil().min(MOST_SECS);
        workload.seed ^= SEED;
        workload.start_unix_secs -= secs as i64;
        let start = Timestamp::from_unix_secs(workload.start_unix_secs);
        let arrivals = Arrivals::within(start, secs, rows, workload.seed);
        Ok(Keys::of(strategy, &workload, arrivals, 1)?.of_tenants(makers, workload.seed))
    }

    fn of_tenants(self, makers: &Makers, seed: u64) -> Keys {
        Keys { tenants: makers.tenants.map(|count| Tenants::new(count, seed)), ..self }
    }

    /// Returns these keys in the order in which the rows of this load arrive.
    pub(crate) fn by(mut self, arriving: &Arriving<'_>) -> Result<Keys> {
        let Writers { all, start, seed, .. } = &self.writers;
        let of = |clients| Order::new(&clients, all.len() as u64, arriving, *start, *seed);
        self.order = arriving.clients.map(of).transpose()?;
        self.writers.own_clock = arriving.own_clock;
        if let Some(skew) = arriving.skew {
            let ticks = |writer| (skew.of(writer, self.writers.seed) * 10_000.0) as i64;
            self.writers.skew = (0..self.writers.all.len() as u32).map(ticks).collect();
        }
        Ok(self)
    }

    /// Keys for a table that holds `rows` rows already: numbers that the table assigns continue after them.
    pub(crate) fn after(self, rows: u64) -> Keys {
        Keys { assigned: rows, ..self }
    }

    fn of(strategy: &Strategy, workload: &Workload, arrivals: Arrivals, crowd: u64) -> Result<Keys> {
        // Ids that a server makes are the same as those that clients make.
        let strategy = match strategy.ids {
            IdKind::ServerV4 | IdKind::ServerV7 => strategy::find(strategy.portable())?,
            _ => strategy,
        };
        let is_keyed = matches!(strategy.ids, IdKind::MinuteAscending | IdKind::MinuteRandom);
        let writer = |writer| {
            if is_keyed && strategy.column == Column::Binary16 {
                let ascending = strategy.ids == IdKind::MinuteAscending;
                Ok(Writer::Bucketed(Box::new(Bucketed::new(ascending, workload, writer, crowd)?)))
            } else {
                Ok(Writer::Ids(Box::new(Ids::of_writer(strategy, workload, writer)?)))
            }
        };
        let writers = Writers {
            all: (0..workload.writers).map(writer).collect::<Result<_>>()?,
            arrivals,
            own_clock: false,
            skew: Vec::new(),
            seed: workload.seed,
            start: Timestamp::from_unix_secs(workload.start_unix_secs),
        };
        Ok(Keys {
            writers,
            turn: 0,
            order: None,
            counted: strategy.column == Column::Unkeyed16,
            assigned: 0,
            tenants: None,
            buffer: [0; TENANT_BYTES + crate::TEXT_LEN],
        })
    }

    pub(crate) fn next_key(&mut self) -> Result<&[u8]> {
        let key = match &mut self.order {
            Some(order) => order.next(&mut self.writers)?,
            None => None,
        };
        let key = match key {
            Some(key) => key,
            // Without an order, writers take turns; so do they for a row after the last one that was
            // announced.
            None => {
                let moment = self.writers.arrivals.next_moment()?;
                let key = self.writers.key(self.turn, moment)?;
                self.turn = (self.turn + 1) % self.writers.all.len();
                key
            }
        };
        let key = if self.counted { Key::Assigned } else { key };
        let before = match &mut self.tenants {
            None => 0,
            Some(tenants) => {
                self.buffer[..TENANT_BYTES].copy_from_slice(&tenants.next_number()?);
                TENANT_BYTES
            }
        };
        let end = match &key {
            Key::Assigned => {
                self.assigned += 1;
                self.keep(before, &self.assigned.to_be_bytes())
            }
            Key::Uint(number) => self.keep(before, &number.to_be_bytes()),
            Key::Binary(bytes) => self.keep(before, bytes),
            Key::Text(text) => self.keep(before, text.as_bytes()),
        };
        Ok(&self.buffer[..end])
    }

    /// Copies bytes to this place of the buffer, and returns their end.
    fn keep(&mut self, place: usize, bytes: &[u8]) -> usize {
        let end = place + bytes.len();
        self.buffer[place..end].copy_from_slice(bytes);
        end
    }
}

impl Writers {
    /// The next key of a writer, made at this time.
    fn key(&mut self, writer: usize, moment: Timestamp) -> Result<Key> {
        let ahead = self.skew.get(writer).copied().unwrap_or(0);
        let moment = Timestamp::from_unix_ticks(moment.unix_ticks().saturating_add(ahead));
        match &mut self.all[writer] {
            Writer::Ids(ids) => {
                ids.at(moment);
                ids.next_key()
            }
            Writer::Bucketed(ids) => {
                ids.at(moment);
                Ok(Key::Binary(ids.next_key()?))
            }
        }
    }
}

impl Maker for Writers {
    fn make(&mut self, client: usize, moment: Timestamp, rows: u64) -> Result<Vec<Key>> {
        (0..rows)
            .map(|_| {
                let moment = if self.own_clock { self.arrivals.next_moment()? } else { moment };
                self.key(client, moment)
            })
            .collect()
    }
}

/// Sets the writers and the seed; the time is set for each key.
fn workload(strategy: &Strategy, writers: u64) -> Result<Workload> {
    let mut workload = Workload::of_rows(super::Load::MIN_ROWS)?;
    workload.devices = writers as u32;
    // One generator makes the ids of all devices, which take turns.
    workload.writers = if strategy.ids == IdKind::Device { 1 } else { workload.devices };
    Ok(workload)
}
