//! Records how long operations took.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;
use idgen_record::{Operation, OperationLatency, Operations};

use crate::engine::Counters;
use crate::measure::Counted;
use crate::{Error, Result};

/// The durations of the operations of each kind, in nanoseconds.
pub struct Times(BTreeMap<Operation, Histogram<u64>>);

impl Times {
    /// An empty record.
    pub fn new() -> Result<Self> {
        let empty = |kind| {
            // The range is from a nanosecond to an hour, with three digits.
            let times = Histogram::new_with_bounds(1, 3_600_000_000_000, 3)
                .map_err(|error| Error::engine("cannot keep the latencies", error))?;
            Ok((kind, times))
        };
        Operation::ALL.into_iter().map(empty).collect::<Result<_>>().map(Times)
    }

    /// Records an operation.
    pub fn record(&mut self, kind: Operation, took: Duration) {
        if let Some(times) = self.0.get_mut(&kind) {
            times.saturating_record(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        }
    }

    /// The figures of the operations, which took this long together.
    pub fn figures(&self, counted: &Counted, secs: f64) -> Operations {
        let count: u64 = self.0.values().map(Histogram::len).sum();
        let per_1k = |pages: u64| pages as f64 * 1_000.0 / count.max(1) as f64;
        let micros = |nanos: u64| nanos as f64 / 1_000.0;
        let kinds = self.0.iter().filter(|(_, times)| !times.is_empty()).map(|(kind, times)| {
            let latency = OperationLatency {
                count: times.len(),
                p50_micros: micros(times.value_at_quantile(0.5)),
                p99_micros: micros(times.value_at_quantile(0.99)),
                p999_micros: micros(times.value_at_quantile(0.999)),
                max_micros: micros(times.max()),
            };
            (*kind, latency)
        });
        let Counters { pages_read, pages_written, table_pages, .. } = counted.inserts;
        let flushed = counted.flush.and_then(|flush| flush.pages_written).unwrap_or(0);
        Operations {
            count,
            secs,
            reads_per_1k: per_1k(pages_read),
            writes_per_1k: pages_written.map_or(f64::NAN, |pages| per_1k(pages + flushed)),
            table_reads_per_1k: table_pages.map(|pages| per_1k(pages.read)),
            hit_rate: counted.inserts.hit_rate(),
            repeated: None,
            kinds: kinds.collect(),
        }
    }
}
