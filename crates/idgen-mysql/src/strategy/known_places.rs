//! Other nodes of the map's cluster on which a caller's transaction was found to be on the map.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// As often as the map reads the settings of its own connections again.
const FRESH: Duration = Duration::from_secs(1);

/// Clusters have fewer nodes.
const MOST: usize = 32;

/// The places that were checked within the last second.
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
