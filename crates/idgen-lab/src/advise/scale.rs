//! A smaller table, on which an insert costs what it costs on the large one.

use super::Scaled;
use crate::forecast::{Load, PAGE_SIZE, Part};
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
/// The number of prefixes that are left for each writer, at least, so that two writers seldom have the same
/// one.
const PREFIXES_A_WRITER: u64 = 8;
/// A round of prefixes is shortened by at most this factor, divided by the writers.
pub(super) const MOST_CROWD: u64 = PREFIXES / PREFIXES_A_WRITER;

/// The load of this server for this strategy, made small enough for about a million rows, but not so small that the pool no
/// longer holds the pages in use.
pub fn scaled(load: &Load, server: &Server, strategy: &Strategy) -> Scaled {
    let frames = server.pool_bytes / u64::from(PAGE_SIZE);
    let wanted = load.all_rows() / MODEL_ROWS;
    let scale = match strategy.ids {
        IdKind::V4 => wanted.min(frames / LEAST_FRAMES),
        IdKind::MinuteAscending | IdKind::MinuteRandom => wanted
            .min(frames / LEAST_FRAMES)
            .min(frames / (2 * pages_in_use(load)))
            .min(MOST_CROWD / load.writers),
        // Only the last pages are in use, and they fit any pool.
        _ => wanted,
    };
    let scale = match load.existing {
        // Random keys fill pages in waves, and a table half the size is in the same phase of the wave.
        Some(_) => 1 << scale.max(1).ilog2(),
        None => scale.max(1),
    };
    let (rows, existing) = fewer_rows(load, scale);
    let least_pool = (LEAST_FRAMES * u64::from(PAGE_SIZE)).min(server.pool_bytes);
    let smaller = Server {
        pool_bytes: (server.pool_bytes / scale).max(least_pool),
        free_pages: (u64::from(server.free_pages) / scale) as u32,
        free_low_pages: (u64::from(server.free_low_pages) / scale) as u32,
        least_pages: (u64::from(server.least_pages) / scale) as u32,
        other_pages: (u64::from(server.other_pages) / scale) as u32,
        rollback_segments: (u64::from(server.rollback_segments) / scale).max(1) as u32,
        ..server.clone()
    };
    let is_keyed = matches!(strategy.ids, IdKind::MinuteAscending | IdKind::MinuteRandom);
    let (server, rate) = match strategy.ids {
        IdKind::V4 => slower(smaller, load.rate, scale),
        _ => (as_fast(smaller, scale), load.rate),
    };
    // A prefix is used again as often as in the large table, also if the model stops before the end.
    let crowd = if is_keyed { (load.rows / rows).min(MOST_CROWD / load.writers).max(1) } else { 1 };
    let part = Part { crowd, ..Part::default() };
    Scaled { scale, load: Load { rows, rate, server: server.into(), existing, ..load.clone() }, part }
}

/// The row of the large table after which the model stops, if it stops before the end.
pub fn stops_at(scaled: &Scaled, load: &Load) -> Option<u64> {
    let rows = scaled.load.all_rows() * scaled.scale;
    let stops = match load.existing {
        Some(_) => scaled.load.all_rows() < load.all_rows() / scaled.scale / 2,
        None => scaled.load.rows == MOST_MODEL_ROWS && rows < load.rows,
    };
    stops.then_some(rows)
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
fn slower(server: Server, rate: f64, scale: u64) -> (Server, f64) {
    let slower = scale.min(rate as u64).max(1);
    let part = |whole: u32| (u64::from(whole) / slower).max(1) as u32;
    let server = Server {
        io_capacity: part(server.io_capacity),
        io_capacity_max: part(server.io_capacity_max),
        redo_bytes: server.redo_bytes / scale,
        device_iops: server.device_iops.map(part),
        ..server
    };
    (server, rate / slower as f64)
}

/// Keys that ascend, or that stay in one region for a minute, come at the real rate. A page in use is written as often
/// as the log requires, and when as many pages are changed as in the large pool. After that it is no longer used.
fn as_fast(server: Server, scale: u64) -> Server {
    let dirty_low_pct = (server.dirty_low_pct * scale as f64).min(server.dirty_max_pct);
    Server { dirty_low_pct, ..server }
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
    use crate::forecast::{Settings, predict};
    use crate::strategy;

    fn load(rows: u64, rate: f64, pool_mib: u64, writers: u64) -> Load {
        Load { row_bytes: 0, rate, writers, ..Load::new(rows, Server::mysql(pool_mib << 20)) }
    }

    fn scaled(load: &Load, strategy: &Strategy) -> Scaled {
        super::scaled(load, server(load), strategy)
    }

    fn server(load: &Load) -> &Server {
        match &load.server {
            Settings::InnoDb(server) => server,
            other => panic!("{other:?} are not the settings of InnoDB"),
        }
    }

    /// Tests a table that holds rows. Two million rows are scaled by two.
    #[test]
    #[ignore = "replays ten million rows: make soak"]
    fn a_smaller_table_that_holds_rows_predicts_the_large_one() {
        let v4 = strategy::find("v4-binary").unwrap();
        let load = Load { existing: Some((v4, 1_000_000)), ..load(1_000_000, 500.0, 64, 2) };
        for name in ["v7-binary", "minute-ascending", "v4-binary"] {
            let strategy = strategy::find(name).unwrap();
            let scaled = scaled(&load, strategy);
            let part = scaled.predict(strategy).unwrap();
            let whole = predict(strategy, &load).unwrap();
            assert!(scaled.scale == 2 && stops_at(&scaled, &load).is_none(), "{name}");
            assert_eq!(part.tree.rows, 2_000_000 / scaled.scale, "{name}");
            let fills = (part.tree.fill.mean, whole.tree.fill.mean);
            assert!((fills.0 - fills.1).abs() < 0.02, "{name}: {fills:?}");
            let near = |a: f64, b: f64| (a - b).abs() <= (0.10 * a.max(b)).max(3.0);
            let (of_part, of_whole) = (part.last().pool, whole.last().pool);
            assert!(near(of_part.reads_per_1k, of_whole.reads_per_1k), "{name}: {of_part:?} {of_whole:?}");
            assert!(near(of_part.writes_per_1k, of_whole.writes_per_1k), "{name}: {of_part:?} {of_whole:?}");
        }
        // A pool that is too small to be scaled: the table is smaller, with the same share of old rows.
        let huge = Load { existing: Some((v4, 300_000_000)), ..super::tests::load(100_000_000, 500.0, 8, 2) };
        let scaled = scaled(&huge, v4);
        assert_eq!(
            (scaled.scale, scaled.load.rows, scaled.load.existing.unwrap().1),
            (1, 781_250, 2_343_750)
        );
        assert_eq!(stops_at(&scaled, &huge), Some(3_125_000));
    }

    /// The naive version: the model runs on the whole table. Each prefix is used twice, so that a writer returns to
    /// existing pages.
    #[test]
    fn a_smaller_table_predicts_the_large_one() {
        let load = load(2_000_000, 5.0, 32, 20);
        for name in ["minute-ascending", "minute-random", "v4-binary"] {
            let strategy = strategy::find(name).unwrap();
            let scaled = scaled(&load, strategy);
            assert_eq!((scaled.scale, scaled.load.rows), (2, 1_000_000), "{name}");
            let (whole, part) = (predict(strategy, &load).unwrap(), scaled.predict(strategy).unwrap());
            let fills = (whole.tree.fill.mean, part.tree.fill.mean);
            assert!((fills.0 - fills.1).abs() < 0.02, "{name}: {fills:?}");
            let near = |a: f64, b: f64, by: f64| (a - b).abs() <= by * a.max(b) + 1.0;
            let (whole, part) = (whole.last().pool, part.last().pool);
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
            let scaled = scaled(&load, ascending);
            assert!(scaled.part.crowd > 8, "{}", scaled.part.crowd);
            let found = scaled.predict(ascending).unwrap().tree.fill.mean;
            assert!((found - fill).abs() < 0.03, "{rounds} visits: {found}");
        }
    }

    #[test]
    fn slow_loads_and_huge_loads_are_scaled() {
        let v4 = strategy::find("v4-binary").unwrap();
        let part = scaled(&load(100_000_000, 1.0, 8 << 10, 1), v4);
        assert_eq!((part.scale, part.load.rows, part.load.rate), (100, 1_000_000, 1.0));
        assert_eq!(server(&part.load).pool_bytes, (8 << 30) / 100);
        // The page cleaner does as much work per insert as before: at one insert per second, all of it.
        assert_eq!(server(&part.load).io_capacity, 10_000);
        let part = scaled(&load(1_000_000_000, 1_000.0, 128, 2_000), v4);
        assert_eq!((part.scale, part.load.rows, part.load.rate), (16, MOST_MODEL_ROWS, 62.5));
        assert_eq!(server(&part.load).io_capacity, 625);
        assert_eq!(stops_at(&part, &load(1_000_000_000, 1_000.0, 128, 2_000)), Some(64_000_000));
    }

    /// 20 writers insert 3,000 rows per minute each, two and a half of them into one region: the pages in use fit the
    /// smaller pool.
    #[test]
    fn the_pool_holds_the_pages_that_the_writers_use() {
        let load = Load { row_bytes: 100, ..load(500_000_000, 1_000.0, 8 << 10, 20) };
        let in_use = pages_in_use(&load);
        assert!((1_500..2_500).contains(&in_use), "{in_use}");
        for name in ["minute-ascending", "minute-random"] {
            let scaled = scaled(&load, strategy::find(name).unwrap());
            assert!(server(&scaled.load).pool_bytes >= 2 * in_use * u64::from(PAGE_SIZE), "{name}");
            assert_eq!(scaled.part.crowd, 500_000_000 / scaled.load.rows);
        }
    }
}
