//! A smaller table of PostgreSQL, on which an insert costs what it costs on the large one.

use super::super::Scaled;
use super::super::scale::MOST_CROWD;
use crate::forecast::{Load, Part, PostgresSettings};
use crate::strategy::Strategy;
use idgen_record::IdKind;

/// Rows of the model's table, so that it takes seconds instead of minutes: if the shared buffers are reduced with the table, and if
/// they are too few for that.
const MODEL_ROWS: u64 = 1_000_000;
const MOST_ROWS: u64 = 2_000_000;
/// The fewest shared buffers that still behave as many do.
const LEAST_BUFFERS: u64 = 1_024;
const PAGE_BYTES: u64 = 8_192;
/// Rows are a multiple of this, so that a half of them has whole windows.
const WHOLE_WINDOWS: u64 = 10_000;

/// The factors by which the model's table and buffers are smaller. They are powers of two, because random
/// keys fill pages in waves, and a table half the size is in the same phase of the wave.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    /// The factor of the table, and of the distance between checkpoints for random keys.
    pub table: u64,
    /// The factor of the shared buffers and the background writer. It is less than that of the table where
    /// the buffers are few: such a table is many times larger than they are at either size.
    pub buffers: u64,
}

impl Scale {
    pub(super) fn of(load: &Load, settings: &PostgresSettings) -> Scale {
        let power = |most: u64| 1 << most.max(1).ilog2();
        let few = settings.pool_bytes / PAGE_BYTES / LEAST_BUFFERS;
        let buffers = power((load.all_rows() / MODEL_ROWS).min(few));
        let table = (load.all_rows() / buffers).div_ceil(MOST_ROWS).next_power_of_two() * buffers;
        Scale { table, buffers }
    }
}

/// The strategy on a smaller table. Random keys change each page equally often between two checkpoints if the interval between
/// checkpoints shrinks by the same factor. Ascending keys do so at any size. A prefix keeps its pages, and is used again equally
/// often.
pub(super) fn scaled(strategy: &Strategy, load: &Load, settings: &PostgresSettings, scale: Scale) -> Scaled {
    let is_keyed = matches!(strategy.ids, IdKind::MinuteAscending | IdKind::MinuteRandom);
    let crowd = if is_keyed { scale.table.min(MOST_CROWD / load.writers).max(1) } else { 1 };
    let buffers = if is_keyed {
        // The pages of a minute are the same ones in a smaller table.
        let spare = settings.pool_bytes / bytes_of_a_minute(load) / 4;
        scale.buffers.min(spare).max(1)
    } else {
        scale.buffers
    };
    let rows = match load.rows / scale.table {
        all if scale.table == 1 => all,
        few if few < WHOLE_WINDOWS => few.max(Load::MIN_ROWS),
        rows => rows / WHOLE_WINDOWS * WHOLE_WINDOWS,
    };
    let between = settings.rows_between(load) / if strategy.ids == IdKind::V4 { scale.table } else { 1 };
    let part = Part { crowd, checkpoint_rows: Some(in_whole_halves(rows, between.max(1))) };
    // Fewer pages in a round, and as many for each insert.
    let pages = u64::from(settings.background_pages).div_ceil(buffers);
    let fewer = pages as f64 / f64::from(settings.background_pages.max(1));
    let smaller = PostgresSettings {
        pool_bytes: settings.pool_bytes / buffers,
        background_pages: pages as u32,
        background_delay_ms: settings.background_delay_ms * if pages > 0 { fewer } else { 1.0 },
        ..settings.clone()
    };
    let existing = load.existing.map(|(old, rows)| (old, (rows / scale.table).max(1)));
    Scaled { scale: scale.table, load: Load { rows, existing, server: smaller.into(), ..load.clone() }, part }
}

/// The largest distance between checkpoints, up to this one, of which half of the rows is a multiple: the second half has the work of
/// whole distances, whose writes a checkpoint delays until it begins.
fn in_whole_halves(rows: u64, between: u64) -> u64 {
    let half = (rows / 2).max(1);
    half / half.div_ceil(between)
}

/// Bytes of the index for the rows that are inserted within a minute, about; at least one.
fn bytes_of_a_minute(load: &Load) -> u64 {
    /// A key of 16 bytes on pages that are two thirds full.
    const BYTES: f64 = 42.0;
    ((load.rate * 60.0).min(load.rows as f64) * BYTES).max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::predict;
    use crate::strategy::find;

    fn settings(pool_bytes: u64) -> PostgresSettings {
        PostgresSettings { pool_bytes, ..PostgresSettings::default() }
    }

    /// The naive version: the model runs on the whole table, whose index is a few times larger than the shared buffers.
    #[test]
    fn a_smaller_table_predicts_the_large_one() {
        // A minute whose prefix is above all before it fills its pages as ascending keys do. Which ones these are is another chance in
        // the smaller table, so ascending tails get ten times as many minutes.
        for (name, rate, checkpoint_secs) in [
            ("v4-binary", 2_000.0, 100),
            ("v7-binary", 2_000.0, 100),
            ("minute-random", 2_000.0, 100),
            ("minute-ascending", 200.0, 1_000),
        ] {
            let settings = PostgresSettings { checkpoint_secs, ..settings(16 << 20) };
            let load = Load { rate, ..Load::new(2_000_000, settings.clone()) };
            let strategy = find(name).unwrap();
            let whole = predict(strategy, &load).unwrap();
            let part = scaled(strategy, &load, &settings, Scale { table: 2, buffers: 2 });
            let part = part.predict(strategy).unwrap();
            let near = |a: f64, b: f64, by: f64| (a - b).abs() <= (by * a.max(b)).max(3.0);
            let (fill, of_part) = (whole.tree.fill.mean, part.tree.fill.mean);
            assert!((fill - of_part).abs() < 0.05, "{name}: {fill} {of_part}");
            let (log, of_part) = (whole.late_log().unwrap(), part.late_log().unwrap());
            assert!(near(log.0, of_part.0, 0.15), "{name}: {log:?} {of_part:?}");
            let ((reads, writes), of_part) = (whole.late_pages(), part.late_pages());
            assert!(near(reads, of_part.0, 0.05), "{name}: {reads} {writes} {of_part:?}");
            assert!(near(writes, of_part.1, 0.10), "{name}: {reads} {writes} {of_part:?}");
        }
    }

    #[test]
    fn few_buffers_are_not_reduced() {
        let scale = |rows, mib: u64| {
            let settings = settings(mib << 20);
            let Scale { table, buffers } = Scale::of(&Load::new(rows, settings.clone()), &settings);
            (table, buffers)
        };
        assert_eq!(scale(900_000, 128), (1, 1));
        assert_eq!(scale(100_000_000, 1_024), (64, 64));
        assert_eq!(scale(100_000_000, 128), (64, 16));
        assert_eq!(scale(100_000_000, 1), (64, 1));
    }

    /// A second half in which no checkpoint ended would write nothing.
    #[test]
    fn each_half_has_whole_distances() {
        for (between, expected) in
            [(1, 1), (300_000, 250_000), (500_000, 500_000), (9_000_000, 500_000), (100_001, 100_000)]
        {
            assert_eq!(in_whole_halves(1_000_000, between), expected);
        }
        assert_eq!(in_whole_halves(1_000, 7), 6);
    }
}
