//! A stretch of inserts in figures: the difference of two readings.

use serde::Serialize;

use super::pool::Counters;

/// Inserts in the unit of every figure.
pub(super) const UNIT: u64 = 1_000;

/// A stretch of inserts in figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Window {
    /// Rows in the table at its end.
    pub rows: u64,
    /// Inserts in it.
    pub inserts: u64,
    /// Pages read per 1,000 inserts.
    pub reads_per_1k: f64,
    /// Pages written per 1,000 inserts, the doublewrite buffer's copies not counted.
    pub writes_per_1k: f64,
    /// Pages made per 1,000 inserts.
    pub created_per_1k: f64,
    /// Page splits per 1,000 inserts, on all levels.
    pub splits_per_1k: f64,
    /// Different leaves that took a record, per 1,000 inserts: the mean over thousands that end in it.
    pub distinct_leaves_per_1k: f64,
}

/// What was counted up to a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    /// Rows in the table.
    pub(super) rows: u64,
    /// Page splits.
    pub(super) splits: u64,
    /// What the pool did.
    pub(super) counters: Counters,
    /// Different leaves, summed over thousands of inserts.
    pub(super) distinct: u64,
}

impl Window {
    /// From one reading to a later one, of one of `parts` equal parts of the keys.
    pub(super) fn between(before: &Reading, now: &Reading, parts: u32) -> Window {
        let inserts = now.rows - before.rows;
        let parts = f64::from(parts);
        let per_1k = |count: u64| match inserts {
            0 => 0.0,
            inserts => count as f64 * UNIT as f64 * parts / inserts as f64,
        };
        let thousands = (now.rows.div_ceil(UNIT) - before.rows.div_ceil(UNIT)).max(1) as f64;
        Window {
            rows: now.rows,
            inserts,
            reads_per_1k: per_1k(now.counters.read - before.counters.read),
            writes_per_1k: per_1k(now.counters.written - before.counters.written),
            created_per_1k: per_1k(now.counters.created - before.counters.created),
            splits_per_1k: per_1k(now.splits - before.splits),
            distinct_leaves_per_1k: (now.distinct - before.distinct) as f64 * parts / thousands,
        }
    }
}
