//! The metrics of a load of several kinds of operations.

use super::basis::{LATENCY, LONGEST, METRIC, PER_1K, SHARE, TIMED};
use super::{Axis, Better, ChartOf, Group, Metric, Noise, Unit, Value};
use crate::figures::Figures;
use crate::mix::{Operation, OperationLatency};

/// Pages read by operations of all kinds. The answer of a report is about this metric, unless the table's own
/// pages are counted separately.
pub(super) const PAGES_READ: Metric = Metric {
    name: "operations_reads_per_1k",
    title: "pages read per 1,000 operations",
    head: "read/1k\noperat.",
    group: Group::Operations,
    axis: Some(Axis::Log),
    chart: Some(ChartOf {
        file: "operation-reads",
        title: "Pages read per 1,000 operations",
        caption: "Logarithmic scale. Pages that the whole server read during operations of all kinds, because they were not in \
                  its cache: those of the table, and its own.",
        embedded_caption: Some(
            "Logarithmic scale. Pages read from the file because they were no longer in the cache, by operations of all kinds.",
        ),
        mark: None,
    }),
    run: |f| Some(Value::Number(f.operations?.reads_per_1k)),
    ..PER_1K
};
pub(super) const TABLE_PAGES_READ: Metric = Metric {
    name: "operations_table_reads_per_1k",
    title: "pages read from the table's file per 1,000 operations",
    head: "table\nread/1k",
    group: Group::Operations,
    run: |f| f.operations?.table_reads_per_1k.map(Value::Number),
    ..PER_1K
};
pub(super) const PAGES_WRITTEN: Metric = Metric {
    name: "operations_writes_per_1k",
    title: "pages written per 1,000 operations",
    head: "writ./1k\noperat.",
    group: Group::Operations,
    axis: Some(Axis::Log),
    chart: Some(ChartOf {
        file: "operation-writes",
        title: "Pages written per 1,000 operations",
        caption: "Logarithmic scale. Pages that the whole server wrote: those of the table, and its own. The lab counts them \
                  until no changed page is left, where it can wait for that.",
        embedded_caption: Some(
            "Logarithmic scale. Pages written to the file, also after the last operation until no changed page was left.",
        ),
        mark: None,
    }),
    run: |f| Some(Value::Number(f.operations?.writes_per_1k)),
    ..PER_1K
};
pub(super) const HIT_RATE: Metric = Metric {
    name: "operations_hit_rate",
    title: "requests answered by the cache, %",
    head: "cache\nhits %",
    unit: Unit::Share(2),
    better: Better::Higher,
    // A tenth of a point is a tenth of the misses where 99 % are hits.
    noise: Noise { floor: 0.001, share: 0.01 },
    group: Group::Operations,
    run: |f| f.operations?.hit_rate.map(Value::Number),
    ..SHARE
};
pub(super) const REPEATED: Metric = Metric {
    name: "operations_repeated_per_1k",
    title: "statements repeated after a deadlock or lock timeout, per 1,000 operations",
    head: "repeat.\nper 1k",
    group: Group::Operations,
    run: |f| {
        let operations = f.operations?;
        Some(Value::Number(operations.repeated? as f64 * 1_000.0 / operations.count.max(1) as f64))
    },
    ..PER_1K
};
pub(super) const PER_SEC: Metric = Metric {
    name: "operations_per_sec",
    title: "operations per second",
    head: "operat.\nper sec",
    better: Better::Higher,
    noise: TIMED,
    group: Group::Operations,
    run: |f| f.operations.map(|all| Value::Number(all.count as f64 / all.secs.max(1e-9))),
    ..METRIC
};

fn of(figures: &Figures<'_>, kind: Operation, percentile: fn(&OperationLatency) -> f64) -> Option<Value> {
    figures.operations?.kinds.get(&kind).map(|found| Value::Number(percentile(found)))
}

/// The three percentiles of a kind of operation.
macro_rules! latencies {
    ($kind:ident, $name:literal, $title:literal, $head:literal) => {
        [
            Metric {
                name: concat!($name, "_p50_micros"),
                title: concat!($title, ": milliseconds, median"),
                head: concat!($head, "\nmedian"),
                group: Group::LatencyOf(Operation::$kind),
                run: |f| of(f, Operation::$kind, |found| found.p50_micros),
                ..OF_OPERATION
            },
            Metric {
                name: concat!($name, "_p99_micros"),
                title: concat!($title, ": milliseconds, 99th percentile"),
                head: concat!($head, "\np99"),
                group: Group::LatencyOf(Operation::$kind),
                noise: Noise { share: 0.85, ..OF_OPERATION.noise },
                run: |f| of(f, Operation::$kind, |found| found.p99_micros),
                ..OF_OPERATION
            },
            Metric {
                name: concat!($name, "_p999_micros"),
                title: concat!($title, ": milliseconds, 99.9th percentile"),
                head: concat!($head, "\np99.9"),
                group: Group::LatencyOf(Operation::$kind),
                noise: Noise { share: LONGEST, ..OF_OPERATION.noise },
                run: |f| of(f, Operation::$kind, |found| found.p999_micros),
                ..OF_OPERATION
            },
        ]
    };
}

/// An operation of the embedded engine takes microseconds: what a scheduler adds to one is noise.
const OF_OPERATION: Metric = Metric { noise: Noise { floor: 1.0, ..LATENCY.noise }, ..LATENCY };

pub(super) const INSERT: [Metric; 3] = latencies!(Insert, "insert", "insert", "insert");
pub(super) const READ_RECENT: [Metric; 3] =
    latencies!(ReadRecent, "read_recent", "read of a recent row", "recent");
pub(super) const READ_RANDOM: [Metric; 3] =
    latencies!(ReadRandom, "read_random", "read of a random row", "random");
pub(super) const UPDATE: [Metric; 3] = latencies!(Update, "update", "update", "update");
pub(super) const DELETE: [Metric; 3] = latencies!(Delete, "delete", "delete", "delete");
