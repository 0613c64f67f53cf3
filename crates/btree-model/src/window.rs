//! The figures of consecutive inserts: the difference of two readings of the counters.

use serde::Serialize;

use crate::pool::Counters;

/// Figures are per this many inserts.
pub(crate) const UNIT: u64 = 1_000;

/// The figures of consecutive inserts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Window {
    /// Rows in the table at the end of the window.
    pub rows: u64,
    /// Inserts in it.
    pub inserts: u64,
    /// Pages read per 1,000 inserts.
    pub reads_per_1k: f64,
    /// Pages written per 1,000 inserts, the doublewrite buffer's copies not counted.
    pub writes_per_1k: f64,
    /// Pages created per 1,000 inserts.
    pub created_per_1k: f64,
    /// Page splits per 1,000 inserts, on all levels.
    pub splits_per_1k: f64,
    /// Different leaves that got a record, per 1,000 inserts. They are counted in each 1,000 of the table's rows, so the
    /// figure is exact for a window that begins and ends at a multiple of 1,000 rows.
    pub distinct_leaves_per_1k: f64,
}

/// Counters of the whole table up to a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    /// Rows in the table.
    pub(crate) rows: u64,
    /// Page splits.
    pub(crate) splits: u64,
    /// Pages that the pool read, wrote and created.
    pub(crate) counters: Counters,
    /// Different leaves in each 1,000 inserts, summed.
    pub(crate) distinct: u64,
}

impl Reading {
    /// `whole`, plus `parts` times what was counted since an earlier reading.
    pub(crate) fn grown(self, since: &Reading, parts: u32, whole: &Reading) -> Reading {
        let on = |now: u64, then: u64, whole: u64| whole + (now - then) * u64::from(parts);
        let (now, then, base) = (self.counters, since.counters, whole.counters);
        Reading {
            rows: self.rows,
            splits: on(self.splits, since.splits, whole.splits),
            counters: Counters {
                read: on(now.read, then.read, base.read),
                written: on(now.written, then.written, base.written),
                created: on(now.created, then.created, base.created),
            },
            distinct: on(self.distinct, since.distinct, whole.distinct),
        }
    }
}

impl Window {
    /// The figures of the inserts from one reading to a later one.
    pub(crate) fn between(before: &Reading, now: &Reading) -> Window {
        let inserts = now.rows - before.rows;
        let per_1k = |count: u64| match inserts {
            0 => 0.0,
            inserts => count as f64 * UNIT as f64 / inserts as f64,
        };
        Window {
            rows: now.rows,
            inserts,
            reads_per_1k: per_1k(now.counters.read - before.counters.read),
            writes_per_1k: per_1k(now.counters.written - before.counters.written),
            created_per_1k: per_1k(now.counters.created - before.counters.created),
            splits_per_1k: per_1k(now.splits - before.splits),
            distinct_leaves_per_1k: per_1k(now.distinct - before.distinct),
        }
    }
}
