//! The facts that a client remembers from one call to the next, in addition to the ids that it holds.

use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

/// The interval at which the map reads the settings of its own connections again.
const FRESH: Duration = Duration::from_secs(1);

/// Clusters have fewer nodes.
const MOST: usize = 32;

/// Other nodes of the map's cluster on which a caller's transaction was found to be on the map within the last second.
#[derive(Debug, Default)]
pub(crate) struct KnownPlaces(Mutex<Vec<(String, Instant)>>);

impl KnownPlaces {
    pub(super) fn fresh(&self) -> Vec<String> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        places.retain(|(_, checked)| checked.elapsed() < FRESH);
        places.iter().map(|(place, _)| place.clone()).collect()
    }

    pub(super) fn note(&self, place: String) {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() < MOST {
            places.push((place, Instant::now()));
        }
    }
}

/// A pair that was in the table when it was last seen.
#[derive(Debug, Default)]
pub(crate) struct Witness(Mutex<Option<(Uuid, u64)>>);

impl Witness {
    pub(super) fn get(&self) -> Option<(Uuid, u64)> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a committed pair.
    pub(super) fn set(&self, pair: Option<(Uuid, u64)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = pair;
    }
}

/// Records when stored pairs were last read back.
#[derive(Debug, Default)]
pub(crate) struct Proof {
    /// The reading of the state and the reservation after which they were.
    pub(super) after: AtomicU64,
}
