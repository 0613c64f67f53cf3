//! How long statements took.

use std::time::Instant;

use hdrhistogram::Histogram;
use idgen_record::Latency;

use crate::{Error, Result};

/// How long the statements of a run took: in this lap, and in those before.
pub(in crate::engine) struct Latencies {
    lap: Histogram<u64>,
    laps: Histogram<u64>,
}

impl Latencies {
    /// None yet.
    pub fn new() -> Result<Self> {
        // From a microsecond to an hour, to three digits. Bounds of its own: one that grows would clamp what
        // is recorded without a way to fail to its first two milliseconds.
        let lap = Histogram::new_with_bounds(1, 3_600_000_000, 3)
            .map_err(|error| Error::engine("cannot keep the latencies", error))?;
        Ok(Latencies { laps: lap.clone(), lap })
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.lap.reset();
        self.laps.reset();
    }

    /// A statement that began at this moment is done.
    pub fn record(&mut self, began: Instant) {
        let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.lap.saturating_record(micros);
    }

    /// Those since this was last asked.
    pub fn lap(&mut self) -> Latency {
        let lap = latency(&self.lap);
        // Of the same bounds: nothing of it can be out of place.
        self.laps += &self.lap;
        self.lap.reset();
        lap
    }

    /// Those of all laps that are over.
    pub fn laps(&self) -> Latency {
        latency(&self.laps)
    }
}

fn latency(micros: &Histogram<u64>) -> Latency {
    Latency {
        p50_micros: micros.value_at_quantile(0.5),
        p95_micros: micros.value_at_quantile(0.95),
        p99_micros: micros.value_at_quantile(0.99),
        max_micros: micros.max(),
    }
}
