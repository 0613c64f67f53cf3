//! The sentences of advice about a table of SQLite.

use super::amounts::{bytes, per_1k, pool};
use super::scale::MOST_CROWD;
use super::{Advised, Found, Scaled, leaving};
use crate::forecast::{Load, Part, SqliteSettings};
use crate::strategy::Strategy;
use idgen_record::{Database, IdKind, thousands};

/// Rows of the model's table, so that it takes seconds instead of minutes: if the cache is reduced with the table, and
/// if it is too small for that.
const MODEL_ROWS: u64 = 1_000_000;
const MOST_ROWS: u64 = 2_000_000;
/// The fewest pages of a reduced cache with which it still behaves like one.
const LEAST_CACHE: u64 = 256;

impl Advised for SqliteSettings {
    fn model(&self) -> &'static str {
        "a model of SQLite's B-tree and page cache"
    }

    fn measured_by(&self) -> &'static str {
        "idgen lab run --engine sqlite"
    }

    fn database(&self) -> Database {
        Database::Sqlite
    }

    fn scaled(&self, strategy: &Strategy, load: &Load) -> Scaled {
        scaled(strategy, load, self, Scale::of(load, self))
    }

    fn reasons(&self, found: &Found<'_>) -> Vec<String> {
        reasons(found, self)
    }

    fn caveats(&self, found: &Found<'_>) -> Vec<String> {
        caveats(found, Scale::of(found.load, self))
    }
}

/// The factors by which the model's table and cache are smaller. They are powers of two, because random keys
/// fill pages in waves, and a table half the size is in the same phase of the wave.
#[derive(Clone, Copy)]
struct Scale {
    /// The factor of the table.
    table: u64,
    /// The factor of the cache, and of the transactions of random keys. It is less than that of the table
    /// where the cache is small: such a table is many times larger than its cache at either size.
    cache: u64,
}

impl Scale {
    fn of(load: &Load, settings: &SqliteSettings) -> Scale {
        let power = |most: u64| 1 << most.max(1).ilog2();
        let pages = settings.pool_bytes / u64::from(settings.page_bytes.max(1));
        let most = load.rows / SqliteSettings::COMMIT_ROWS;
        let cache = power((load.all_rows() / MODEL_ROWS).min(pages / LEAST_CACHE).min(most));
        let table =
            power((load.all_rows() / cache).div_ceil(MOST_ROWS).next_power_of_two().min(most / cache))
                * cache;
        Scale { table, cache }
    }
}

/// The strategy on a smaller table. Random keys change as large a part of it in a transaction if its rows are reduced as
/// much as the cache. Other keys change the same few pages at any size.
fn scaled(strategy: &Strategy, load: &Load, settings: &SqliteSettings, scale: Scale) -> Scaled {
    let is_keyed = matches!(strategy.ids, IdKind::MinuteAscending | IdKind::MinuteRandom);
    let crowd = if is_keyed { scale.table.min(MOST_CROWD / load.writers).max(1) } else { 1 };
    let (cache_scale, commit_rows) = match strategy.ids {
        IdKind::V4 => (scale.cache, load.commit_rows / scale.cache),
        // The pages of a minute are the same ones in a smaller table.
        IdKind::MinuteAscending | IdKind::MinuteRandom => {
            let spare = settings.pool_bytes / bytes_of_a_minute(load);
            (scale.cache.min(spare / 2).max(1), load.commit_rows)
        }
        _ => (scale.cache, load.commit_rows),
    };
    let smaller = SqliteSettings { pool_bytes: settings.pool_bytes / cache_scale, ..settings.clone() };
    let load = Load {
        rows: (load.rows / scale.table).max(Load::MIN_ROWS),
        commit_rows: commit_rows.max(1),
        existing: load.existing.map(|(old, rows)| (old, (rows / scale.table).max(1))),
        server: smaller.into(),
        ..load.clone()
    };
    Scaled { scale: scale.table, load, part: Part { crowd, ..Part::default() } }
}

/// Bytes of the rows that are inserted within a minute, about; at least one.
fn bytes_of_a_minute(load: &Load) -> u64 {
    /// The key, the lengths of the columns and the room that pages keep free.
    const BESIDE_ROW: u64 = 35;
    let rows = (load.rate * 60.0).min(load.rows as f64) as u64;
    (rows * (u64::from(load.row_bytes) + BESIDE_ROW)).max(1)
}

fn reasons(found: &Found<'_>, settings: &SqliteSettings) -> Vec<String> {
    let Found { best, load, .. } = *found;
    let mut reasons = Vec::new();
    if let Some(stay) = found.stay().filter(|stay| stay.strategy != best.strategy) {
        reasons.push(format!(
            "If new rows get {}, the table ends at {}; if they stay with {}, at {}.",
            best.strategy,
            bytes(best.tree_bytes),
            stay.strategy,
            bytes(stay.tree_bytes)
        ));
    }
    if let Some(random) = found.random() {
        let (random_pages, best_pages) = (random.pages, best.pages);
        reasons.push(format!(
            "In the second half of the run, 1,000 inserts of {} read {} pages and write {}, with {} in a transaction \
             and a cache of {}. With {} they read {} and write {}.",
            random.strategy,
            per_1k(random_pages.reads_per_1k),
            per_1k(random_pages.writes_per_1k),
            rows(load.commit_rows),
            pool(settings.pool_bytes),
            best.strategy,
            per_1k(best_pages.reads_per_1k),
            per_1k(best_pages.writes_per_1k)
        ));
        let smaller = 100.0 * (1.0 - best.tree_bytes / random.tree_bytes);
        let difference = match smaller {
            none if none.abs() < 1.0 => "does not change the size of the table".to_owned(),
            smaller if smaller > 0.0 => format!("makes the table {smaller:.0} % smaller"),
            larger => format!("makes the table {:.0} % larger", -larger),
        };
        reasons.push(format!(
            "{} {difference}: its pages are {:.0} % full, those of {} {:.0} %. SQLite moves rows to neighboring pages before it \
             adds a page, so pages of random keys are full too.",
            best.strategy,
            100.0 * best.fill,
            random.strategy,
            100.0 * random.fill
        ));
    }
    reasons.push(leaving::sentence(found, "table", settings.pool_bytes));
    reasons
}

fn rows(count: u64) -> String {
    if count == 1 { "one row".to_owned() } else { format!("{} rows", thousands(count)) }
}

fn caveats(found: &Found<'_>, scale: Scale) -> Vec<String> {
    let Found { best, load, .. } = *found;
    let mut caveats = vec![
        "Keys that are not counted are those of a table WITHOUT ROWID. In an ordinary table the key is a second index beside \
         the rows, and only that index follows the order of the key."
            .to_owned(),
        "Each secondary index has pages of its own, in the order of its own columns.".into(),
        match load.existing {
            None => {
                "A test compares the model with the bundled library, page by page: the leaf pages are the same, and pages read \
                 and written are within 0.5 %, or three pages in 40,000 inserts."
            }
            Some(_) => {
                "On 60 recorded runs of tables that got another kind of key, the model's leaf pages and pages read and written \
                 were within 3 % of the library's, or three pages in 1,000 inserts."
            }
        }
        .into(),
        "The model is that of one connection with a rollback journal. It leaves out the pages of the journal, and what a \
         write-ahead log changes: there, a changed page goes to the log with each transaction and to the file at a checkpoint."
            .into(),
    ];
    if scale.table > scale.cache {
        caveats.push(format!(
            "The model's table ends at {} million rows, long after it has outgrown the cache: random keys in a larger table \
             read slightly more pages.",
            load.all_rows() / (scale.table / scale.cache) / 1_000_000
        ));
    }
    if matches!(best.strategy, "v7-binary" | "v7-text36" | "fixed-prefix" | "fixed-text36" | "device") {
        caveats.push("The id shows when it was made.".into());
    }
    caveats
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::Candidate;
    use crate::forecast::predict;
    use crate::strategy::find;

    fn settings(pool_bytes: u64) -> SqliteSettings {
        SqliteSettings { pool_bytes, ..SqliteSettings::default() }
    }

    /// The naive version: the model runs on the whole table.
    #[test]
    fn a_smaller_table_predicts_the_large_one() {
        let settings = settings(16 << 20);
        let load = Load::new(1_200_000, settings.clone());
        for name in ["v4-binary", "v7-binary", "minute-random", "minute-ascending"] {
            let strategy = find(name).unwrap();
            let whole = predict(strategy, &load).unwrap();
            let scaled = scaled(strategy, &load, &settings, Scale { table: 4, cache: 4 });
            let part = scaled.predict(strategy).unwrap();
            let near = |a: f64, b: f64, by: f64| (a - b).abs() <= (by * a.max(b)).max(5.0);
            assert!((whole.tree.fill.mean - part.tree.fill.mean).abs() < 0.03, "{name}: {part:?} {whole:?}");
            let (of_whole, of_part) = (whole.late_pages(), part.late_pages());
            assert!(near(of_whole.0, of_part.0, 0.15), "{name}: {of_part:?} {of_whole:?}");
            assert!(near(of_whole.1, of_part.1, 0.15), "{name}: {of_part:?} {of_whole:?}");
        }
    }

    #[test]
    fn a_large_table_is_scaled_and_the_advice_says_so() {
        let scale = |rows, pool_bytes| {
            let settings = settings(pool_bytes);
            let Scale { table, cache } = Scale::of(&Load::new(rows, settings.clone()), &settings);
            (table, cache)
        };
        assert_eq!(scale(900_000, 2 << 20), (1, 1));
        assert_eq!(scale(40_000_000, 1 << 30), (32, 32));
        assert_eq!(scale(40_000_000, 2_000 << 10), (32, 1));
        let load = Load::new(40_000_000, SqliteSettings::default());
        let forecast = predict(find("v7-binary").unwrap(), &Load { rows: 20_000, ..load.clone() }).unwrap();
        let best = Candidate::of(&forecast, &load, forecast.late_pages());
        let found = Found { load: &load, best: &best, from_server: None, all: &[], stopped: &[] };
        let caveats = SqliteSettings::default().caveats(&found);
        assert!(caveats.iter().any(|one| one.contains("ends at 1 million rows")), "{caveats:?}");
    }
}
