//! The identity of the client's map: recorded at the first use, and compared on every connection.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use crate::error::refusal::Reason;
use crate::installed::Installed;
use crate::table::schema::State;
use crate::table::tables::Tables;

/// A client reads the state of the server and of the map again if the last reading began longer ago than this. A
/// changed setting, another map, and a new epoch are therefore noticed within this time.
pub(crate) const FRESH: Duration = Duration::from_secs(1);

/// The number of pairs that a client remembers to recognize its map. One is not enough: an operator may delete it.
const REMEMBERED: usize = 4;

/// The map that this client began with.
#[derive(Debug)]
pub(crate) struct MapIdentity {
    /// The beginning of the client's time.
    begin: Instant,
    /// When the last successful reading of the epoch began, in nanoseconds from `begin`; 0 before the first.
    read_at: AtomicU64,
    tables: Mutex<Tables>,
    known: Mutex<Option<Known>>,
    /// The last pairs that this client has seen in the map in this epoch, each with a larger id than those before.
    stored: Mutex<Vec<(u64, Uuid)>>,
    /// The largest of their ids; 0 if there is none.
    largest: AtomicU64,
    /// The definitions of the tables when they were last found to be right.
    definitions: Mutex<Option<Vec<String>>>,
    // Starts at 0, before the map is known.
    epoch: AtomicU64,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    map_id: Uuid,
    installed: Installed,
}

impl MapIdentity {
    pub(crate) fn new(tables: Tables) -> MapIdentity {
        MapIdentity {
            begin: Instant::now(),
            read_at: AtomicU64::new(0),
            tables: Mutex::new(tables),
            known: Mutex::default(),
            stored: Mutex::default(),
            largest: AtomicU64::new(0),
            definitions: Mutex::default(),
            epoch: AtomicU64::new(0),
        }
    }

    /// Records that the epoch was read, by a reading that began at this moment.
    pub(crate) fn note_reading(&self, began: Instant) {
        self.read_at.fetch_max(self.nanos(began), Ordering::AcqRel);
    }

    /// A number for the last successful reading.
    pub(crate) fn reading(&self) -> u64 {
        self.read_at.load(Ordering::Acquire)
    }

    /// Records a committed pair that was stored or read in an epoch. If it is missing later, the table was replaced.
    pub(crate) fn note_stored(&self, epoch: u64, id: u64, uuid: Uuid) {
        if id <= self.largest.load(Ordering::Acquire) {
            return;
        }
        let mut stored = lock(&self.stored);
        if self.epoch() == epoch && stored.last().is_none_or(|(largest, _)| *largest < id) {
            if stored.len() == REMEMBERED {
                stored.remove(0);
            }
            stored.push((id, uuid));
            self.largest.store(id, Ordering::Release);
        }
    }

    /// Pairs that the map must hold, in ascending order of their ids.
    pub(crate) fn stored(&self) -> Vec<(u64, Uuid)> {
        lock(&self.stored).clone()
    }

    /// The largest id that this client has seen in the map in this epoch; 0 if there is none.
    pub(crate) fn largest_stored(&self) -> u64 {
        self.largest.load(Ordering::Acquire)
    }

    /// Returns true if the last reading of the epoch began at most a second ago.
    pub(crate) fn is_fresh(&self) -> bool {
        self.is_fresh_at(Instant::now())
    }

    /// Returns true if the last reading of the epoch began at most a second before this moment.
    pub(crate) fn is_fresh_at(&self, now: Instant) -> bool {
        let read_at = self.read_at.load(Ordering::Acquire);
        read_at > 0 && self.nanos(now).saturating_sub(read_at) < FRESH.as_nanos() as u64
    }

    /// The nanoseconds from the beginning of the client's time, at least 1. They are enough for 584 years.
    fn nanos(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.begin).as_nanos() as u64 + 1
    }

    /// The tables' names, once they are known as this kind of server has them.
    pub(crate) fn tables(&self) -> Tables {
        lock(&self.tables).clone()
    }

    /// Records the identity of the map that was found first.
    pub(crate) fn note(&self, tables: &Tables, state: &State, installed: Installed) {
        *lock(&self.tables) = tables.clone();
        lock(&self.known).get_or_insert(Known { map_id: state.map_id, installed });
        self.epoch.store(state.epoch, Ordering::Release);
    }

    /// Returns true if the map is known already.
    pub(crate) fn is_known(&self) -> bool {
        lock(&self.known).is_some()
    }

    /// The parameters with which the map was installed, once they are known.
    pub(crate) fn installed(&self) -> Option<Installed> {
        lock(&self.known).map(|known| known.installed)
    }

    /// Returns true if the tables had these definitions when they were last found to be right.
    pub(crate) fn are_defined_so(&self, definitions: &[String]) -> bool {
        lock(&self.definitions).as_deref() == Some(definitions)
    }

    /// Records the definitions of tables that are right.
    pub(crate) fn note_definitions(&self, definitions: Vec<String>) {
        *lock(&self.definitions) = Some(definitions);
    }

    /// The map's id, once it is known.
    pub(crate) fn map_id(&self) -> Option<Uuid> {
        lock(&self.known).map(|known| known.map_id)
    }

    /// The epoch that was read last. Cached pairs and reserved ids of an earlier epoch are dropped.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Compares what a connection read with the known map, and stores the epoch.
    pub(crate) fn compare(&self, state: Option<&State>) -> Result<(), Reason> {
        let Some(epoch) = self.epoch_of(state)? else { return Ok(()) };
        let mut stored = lock(&self.stored);
        let before = self.epoch.swap(epoch, Ordering::AcqRel);
        if before != epoch {
            // A map that was restored may lack it.
            stored.clear();
            self.largest.store(0, Ordering::Release);
            let table = lock(&self.tables).state.clone();
            tracing::info!(
                table,
                before,
                epoch,
                "the map has a new epoch: reserved ids and cached pairs are dropped"
            );
        }
        Ok(())
    }

    /// The epoch of the known map, as a connection read it; `None` before the map is known.
    pub(crate) fn epoch_of(&self, state: Option<&State>) -> Result<Option<u64>, Reason> {
        let Some(known) = *lock(&self.known) else { return Ok(None) };
        let table = lock(&self.tables).state.clone();
        let Some(state) = state else { return Err(Reason::NoMap { table }) };
        // A newer version may store the id and the epoch in other columns.
        let installed = match state.understand() {
            Ok(installed) => installed,
            Err(problem) => return Err(Reason::Schema { table, problem }),
        };
        if state.map_id != known.map_id {
            return Err(Reason::OtherMap { table, expected: known.map_id, found: state.map_id });
        }
        if installed != known.installed {
            let (found, began) = (installed, known.installed);
            let problem = format!("it says {found}, and this client began with {began}");
            return Err(Reason::Schema { table, problem });
        }
        Ok(Some(state.epoch))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
