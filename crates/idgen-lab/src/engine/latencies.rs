//! Records how long statements took.

use std::time::Instant;

use hdrhistogram::Histogram;
use idgen_record::Latency;

use crate::{Error, Result};

/// The durations of the statements of a run: in the current lap, and in the laps before.
pub(crate) struct Latencies {
    lap: Histogram<u64>,
    laps: Histogram<u64>,
}

impl Latencies {
    /// An empty record.
    pub fn new() -> Result<Self> {
        // The range is from a microsecond to an hour, with three digits. The bounds are fixed, because a
        // histogram that grows would clamp a value to its first two milliseconds if it could not grow when
        // recording it.
        let lap = Histogram::new_with_bounds(1, 3_600_000_000, 3)
            .map_err(|error| Error::engine("cannot keep the latencies", error))?;
        Ok(Latencies { laps: lap.clone(), lap })
    }

    /// Discards everything.
    pub fn clear(&mut self) {
        self.lap.reset();
        self.laps.reset();
    }

    /// Records a statement that began at this moment and has just ended.
    pub fn record(&mut self, began: Instant) {
        self.record_micros(u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX));
    }

    /// Records a time in microseconds.
    pub fn record_micros(&mut self, micros: u64) {
        self.lap.saturating_record(micros);
    }

    /// The latencies since the last call.
    pub fn lap(&mut self) -> Latency {
        let lap = latency(&self.lap);
        // Both have the same bounds, so no value is out of range.
        self.laps += &self.lap;
        self.lap.reset();
        lap
    }

    /// The latencies of all finished laps.
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
