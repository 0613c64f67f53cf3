//! A smaller table, on which an insert costs what it costs on the large one.

use crate::Result;
use crate::forecast::{Forecast, Load, PAGE_SIZE, predict_crowded};
use crate::strategy::Strategy;
use btree_model::Server;
use idgen_record::IdKind;

/// Rows that the model inserts for each strategy, so that it takes seconds instead of minutes.
const MODEL_ROWS: u64 = 1_000_000;
/// The most rows that the model inserts: a table that outgrows its pool by more reads a page for nearly every row
/// anyway.
const MOST_MODEL_ROWS: u64 = 4_000_000;
/// The fewest pages with which the pool still behaves like one.
const LEAST_FRAMES: u64 = 512;
/// The number of prefixes of two bytes.
const PREFIXES: u64 = 1 << 16;
/// At least this many prefixes are left for each writer, so that two writers seldom have the same one.
const PREFIXES_A_WRITER: u64 = 8;

/// A load on a table that is smaller by a factor.
pub struct Scaled {
    /// The factor.
    pub scale: u64,
    load: Load,
    /// A round has this many times fewer intervals, and this many times fewer prefixes.
    crowd: u64,
}

impl Scaled {
    /// The load for this strategy, made small enough for about a million rows, but not so small that the pool no longer
    /// holds the pages in use.
    pub fn of(load: &Load, strategy: &Strategy) -> Scaled {
        let frames = load.server.pool_bytes / u64::from(PAGE_SIZE);
        let wanted = load.all_rows() / MODEL_ROWS;
        let scale = match strategy.ids {
            IdKind::V4 => wanted.min(frames / LEAST_FRAMES),
            IdKind::MinuteAscending | IdKind::MinuteRandom => wanted
                .min(frames / LEAST_FRAMES)
                .min(frames / (2 * pages_in_use(load)))
                .min(PREFIXES / PREFIXES_A_WRITER / load.writers),
            // Only the last pages are in use, and they fit any pool.
            _ => wanted,
        };
        let scale = match load.existing {
            // Random keys fill pages in waves, and a table half the size is in the same phase of the wave.
            Some(_) => 1 << scale.max(1).ilog2(),
            None => scale.max(1),
        };
        let (rows, existing) = fewer_rows(load, scale);
        let least_pool = (LEAST_FRAMES * u64::from(PAGE_SIZE)).min(load.server.pool_bytes);
        let server = Server {
            pool_bytes: (load.server.pool_bytes / scale).max(least_pool),
            free_pages: (u64::from(load.server.free_pages) / scale) as u32,
            free_low_pages: (u64::from(load.server.free_low_pages) / scale) as u32,
            least_pages: (u64::from(load.server.least_pages) / scale) as u32,
            other_pages: (u64::from(load.server.other_pages) / scale) as u32,
            rollback_segments: (u64::from(load.server.rollback_segments) / scale).max(1) as u32,
            ..load.server.clone()
        };
        let whole_rows = load.rows;
        let load = Load { rows, server, existing, ..load.clone() };
        match strategy.ids {
            IdKind::V4 => Scaled { scale, load: slower(load, scale), crowd: 1 },
            IdKind::MinuteAscending | IdKind::MinuteRandom => {
                // A prefix is used again as often as in the large table, also if the model stops before the end.
                let crowd = (whole_rows / rows).min(PREFIXES / PREFIXES_A_WRITER / load.writers).max(1);
                Scaled { scale, load: as_fast(load, scale), crowd }
            }
            _ => Scaled { scale, load: as_fast(load, scale), crowd: 1 },
        }
    }

    /// The row of the large table after which the model stops, if it stops before the end.
    pub fn stops_at(&self, load: &Load) -> Option<u64> {
        let rows = self.load.all_rows() * self.scale;
        let stops = match load.existing {
            Some(_) => self.load.all_rows() < load.all_rows() / self.scale / 2,
            None => self.load.rows == MOST_MODEL_ROWS && rows < load.rows,
        };
        stops.then_some(rows)
    }

    pub fn predict(&self, strategy: &'static Strategy) -> Result<Forecast> {
        predict_crowded(strategy, &self.load, self.crowd)
    }
}

/// The rows of the smaller table, and those that it holds before. If they are still more than the model inserts, a new
/// table gets fewer rows, and one that holds rows is made smaller by a power of two, because the share of old rows and
/// the phase of the wave decide how full its pages are.
fn fewer_rows(load: &Load, scale: u64) -> (u64, Option<(&'static Strategy, u64)>) {
    let Some((old, before)) = load.existing else {
        return ((load.rows / scale).min(MOST_MODEL_ROWS), None);
    };
    let more = (load.all_rows() / scale).div_ceil(MOST_MODEL_ROWS).next_power_of_two();
    let rows = (load.rows / scale / more).max(Load::MIN_ROWS);
    (rows, Some((old, (before / scale / more).max(1))))
}

/// Random keys fill a smaller log sooner, and write fewer pages per second. At less than one insert per second, the
/// device could not do one whole page per insert. The clock is therefore never slower than that, and the device does
/// its usual work between two inserts.
fn slower(load: Load, scale: u64) -> Load {
    let slower = scale.min(load.rate as u64).max(1);
    let part = |whole: u32| (u64::from(whole) / slower).max(1) as u32;
    let server = Server {
        io_capacity: part(load.server.io_capacity),
        io_capacity_max: part(load.server.io_capacity_max),
        redo_bytes: load.server.redo_bytes / scale,
        device_iops: load.server.device_iops.map(part),
        ..load.server.clone()
    };
    Load { rate: load.rate / slower as f64, server, ..load }
}

/// Keys that ascend, or that stay in one region for a minute, come at the real rate. A page in use is written as often
/// as the log requires, and when as many pages are changed as in the large pool. After that it is no longer used.
fn as_fast(load: Load, scale: u64) -> Load {
    let dirty_low_pct = (load.server.dirty_low_pct * scale as f64).min(load.server.dirty_max_pct);
    Load { server: Server { dirty_low_pct, ..load.server.clone() }, ..load }
}

/// Leaf pages that all writers together insert into within a minute, each in the region of its own prefix.
fn pages_in_use(load: &Load) -> u64 {
    let writers = load.writers as f64;
    let rows_a_minute = load.rate * 60.0 / writers;
    let minutes = load.rows as f64 / load.rate / 60.0;
    let regions = (minutes * writers).clamp(1.0, PREFIXES as f64);
    // Pages of random tails are two thirds full. 40 bytes are the key and what InnoDB adds to a row.
    let rows_a_page = (f64::from(PAGE_SIZE) * 0.65 / (f64::from(load.row_bytes) + 40.0)).max(1.0);
    let pages_a_region = load.rows as f64 / regions / rows_a_page;
    (writers * pages_a_region.min(rows_a_minute)).ceil() as u64 + load.writers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::predict;
    use crate::strategy;

    fn load(rows: u64, rate: f64, pool_mib: u64, writers: u64) -> Load {
        Load {
            rows,
            row_bytes: 0,
            rate,
            id_rate: None,
            writers,
            commit_rows: 1,
            server: Server::mysql(pool_mib << 20),
            existing: None,
        }
    }

    /// The same for a table that holds rows. Two million rows are scaled by two.
    #[test]
    fn a_smaller_table_that_holds_rows_predicts_the_large_one() {
        let v4 = strategy::find("v4-binary").unwrap();
        let load = Load { existing: Some((v4, 1_000_000)), ..load(1_000_000, 500.0, 64, 2) };
        for name in ["v7-binary", "minute-ascending", "v4-binary"] {
            let strategy = strategy::find(name).unwrap();
            let scaled = Scaled::of(&load, strategy);
            let part = scaled.predict(strategy).unwrap();
            let whole = predict(strategy, &load).unwrap();
            assert!(scaled.scale == 2 && scaled.stops_at(&load).is_none(), "{name}");
            assert_eq!(part.tree.rows, 2_000_000 / scaled.scale, "{name}");
            let fills = (part.tree.fill.mean, whole.tree.fill.mean);
            assert!((fills.0 - fills.1).abs() < 0.02, "{name}: {fills:?}");
            let near = |a: f64, b: f64| (a - b).abs() <= (0.10 * a.max(b)).max(3.0);
            let (of_part, of_whole) = (part.last(), whole.last());
            assert!(near(of_part.reads_per_1k, of_whole.reads_per_1k), "{name}: {of_part:?} {of_whole:?}");
            assert!(near(of_part.writes_per_1k, of_whole.writes_per_1k), "{name}: {of_part:?} {of_whole:?}");
        }
        // A pool that is too small to be scaled: the table is smaller, with the same share of old rows.
        let huge = Load { existing: Some((v4, 300_000_000)), ..super::tests::load(100_000_000, 500.0, 8, 2) };
        let scaled = Scaled::of(&huge, v4);
        assert_eq!(
            (scaled.scale, scaled.load.rows, scaled.load.existing.unwrap().1),
            (1, 781_250, 2_343_750)
        );
        assert_eq!(scaled.stops_at(&huge), Some(3_125_000));
    }

    /// The naive version: the model runs on the whole table. Each prefix is used twice, so that a writer returns to
    /// existing pages.
    #[test]
    fn a_smaller_table_predicts_the_large_one() {
        let load = load(2_000_000, 5.0, 32, 20);
        for name in ["minute-ascending", "minute-random", "v4-binary"] {
            let strategy = strategy::find(name).unwrap();
            let scaled = Scaled::of(&load, strategy);
            assert_eq!((scaled.scale, scaled.load.rows), (2, 1_000_000), "{name}");
            let (whole, part) = (predict(strategy, &load).unwrap(), scaled.predict(strategy).unwrap());
            let fills = (whole.tree.fill.mean, part.tree.fill.mean);
            assert!((fills.0 - fills.1).abs() < 0.02, "{name}: {fills:?}");
            let near = |a: f64, b: f64, by: f64| (a - b).abs() <= by * a.max(b) + 1.0;
            let (whole, part) = (whole.last(), part.last());
            assert!(near(whole.reads_per_1k, part.reads_per_1k, 0.10), "{name}: {whole:?} {part:?}");
            assert!(near(whole.writes_per_1k, part.writes_per_1k, 0.10), "{name}: {whole:?} {part:?}");
        }
    }

    /// 60 rows per minute are half a page. Later visits append to their buckets in the smaller table too, so pages are
    /// as full as on the servers (63 % after 4 visits of 57 rows, 84 % after 16).
    #[test]
    fn prefixes_that_come_again_fill_their_pages() {
        for (rounds, fill) in [(4, 0.63), (16, 0.84)] {
            let rows = rounds * PREFIXES * 60;
            let load = Load { row_bytes: 100, ..load(rows, 1.0, 8 << 10, 1) };
            let ascending = strategy::find("minute-ascending").unwrap();
            let scaled = Scaled::of(&load, ascending);
            assert!(scaled.crowd > 8, "{}", scaled.crowd);
            let found = scaled.predict(ascending).unwrap().tree.fill.mean;
            assert!((found - fill).abs() < 0.03, "{rounds} visits: {found}");
        }
    }

    #[test]
    fn slow_loads_and_huge_loads_are_scaled() {
        let v4 = strategy::find("v4-binary").unwrap();
        let scaled = Scaled::of(&load(100_000_000, 1.0, 8 << 10, 1), v4);
        assert_eq!((scaled.scale, scaled.load.rows, scaled.load.rate), (100, 1_000_000, 1.0));
        assert_eq!(scaled.load.server.pool_bytes, (8 << 30) / 100);
        // The page cleaner does as much work per insert as before: at one insert per second, all of it.
        assert_eq!(scaled.load.server.io_capacity, 10_000);
        let scaled = Scaled::of(&load(1_000_000_000, 1_000.0, 128, 2_000), v4);
        assert_eq!((scaled.scale, scaled.load.rows, scaled.load.rate), (16, MOST_MODEL_ROWS, 62.5));
        assert_eq!(scaled.load.server.io_capacity, 625);
        assert_eq!(scaled.stops_at(&load(1_000_000_000, 1_000.0, 128, 2_000)), Some(64_000_000));
    }

    /// 20 writers insert 3,000 rows per minute each, two and a half of them into one region: the pages in use fit the
    /// smaller pool.
    #[test]
    fn the_pool_holds_the_pages_that_the_writers_use() {
        let load = Load { row_bytes: 100, ..load(500_000_000, 1_000.0, 8 << 10, 20) };
        let in_use = pages_in_use(&load);
        assert!((1_500..2_500).contains(&in_use), "{in_use}");
        for name in ["minute-ascending", "minute-random"] {
            let scaled = Scaled::of(&load, strategy::find(name).unwrap());
            assert!(scaled.load.server.pool_bytes >= 2 * in_use * u64::from(PAGE_SIZE), "{name}");
            assert_eq!(scaled.crowd, 500_000_000 / scaled.load.rows);
        }
    }
}
