//! Recommends a key for a table of SQLite, with the reasons.

use std::fmt;

use serde::Serialize;

use super::Candidate;
use super::amounts::{bytes, per_1k, pool};
use super::candidates::{Choice, IdsFrom, choose, compared, conclude, given};
use super::text::from_server;
use crate::Result;
use crate::forecast::{SqliteForecast, SqliteLoad, predict_crowded_sqlite};
use crate::strategy::Strategy;
use idgen_record::{Database, IdKind, thousands};

/// Rows of the model's table, so that it takes seconds instead of minutes: if the cache is reduced with the table, and
/// if it is too small for that.
const MODEL_ROWS: u64 = 1_000_000;
const MOST_ROWS: u64 = 2_000_000;
/// As in the model of InnoDB: the prefixes of two bytes, divided by the number that each writer keeps at least.
const MOST_CROWD: u64 = (1 << 16) / 8;
/// The fewest pages of a reduced cache with which it still behaves like one.
const LEAST_CACHE: u64 = 256;

/// A recommendation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SqliteAdvice {
    /// Who makes the ids.
    pub ids_from: IdsFrom,
    /// The recommended strategy.
    pub recommended: &'static str,
    /// The strategy to use if the database makes the ids, if it is not known who does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_server: Option<&'static str>,
    /// The strategy to use if ids must not reveal when they were made, if one that fits hides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hiding: Option<&'static str>,
    /// Why, in sentences; the strongest reason first.
    pub reasons: Vec<String>,
    /// What the reader should know besides.
    pub caveats: Vec<String>,
    /// The model's tables are this many times smaller than the real one.
    pub scale: u64,
    /// What each candidate costs, in the order in which they are listed.
    pub candidates: Vec<Candidate>,
}

/// Compares the strategies for a planned table of SQLite.
///
/// ```
/// use idgen_lab::advise::{IdsFrom, advise_sqlite};
/// use idgen_lab::forecast::SqliteLoad;
///
/// let load = SqliteLoad {
///     rows: 100_000, row_bytes: 100, rate: 50.0, writers: 4, page_bytes: 4_096, cache_bytes: 2_000 << 10,
///     commit_rows: 1_000, existing: None,
/// };
/// let advice = advise_sqlite(&load, IdsFrom::Either)?;
/// assert_eq!(advice.recommended, "v7-binary");
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that SQLite could have.
pub fn advise_sqlite(load: &SqliteLoad, from: IdsFrom) -> Result<SqliteAdvice> {
    let scale = Scale::of(load);
    let mut candidates = Vec::new();
    for strategy in compared(Database::Sqlite, load.existing)? {
        candidates.push(candidate(&scaled(strategy, load, scale)?, load));
    }
    let Choice { best, from_server, hiding } = choose(&candidates, from)?;
    Ok(SqliteAdvice {
        ids_from: from,
        recommended: best.strategy,
        from_server: from_server.map(|one| one.strategy),
        hiding: hiding.map(|one| one.strategy),
        reasons: given(reasons(best, from_server, &candidates, load), best.strategy)?,
        caveats: caveats(best, load, scale),
        scale: scale.table,
        candidates,
    })
}

/// How many times smaller the model's table is. Powers of two, because random keys fill pages in waves, and a table half the
/// size is in the same phase of the wave.
#[derive(Clone, Copy)]
struct Scale {
    /// Of the table.
    table: u64,
    /// Of the cache, and of the transactions of random keys. Less than that of the table where the cache is small: such a
    /// table is many times larger than its cache at either size.
    cache: u64,
}

impl Scale {
    fn of(load: &SqliteLoad) -> Scale {
        let power = |most: u64| 1 << most.max(1).ilog2();
        let pages = load.cache_bytes / u64::from(load.page_bytes.max(1));
        let most = load.rows / SqliteLoad::COMMIT_ROWS;
        let cache = power((load.all_rows() / MODEL_ROWS).min(pages / LEAST_CACHE).min(most));
        let table =
            power((load.all_rows() / cache).div_ceil(MOST_ROWS).next_power_of_two().min(most / cache))
                * cache;
        Scale { table, cache }
    }
}

/// The strategy on a smaller table. Random keys change as large a part of it in a transaction if its rows are reduced as
/// much as the cache. Other keys change the same few pages at any size.
fn scaled(strategy: &'static Strategy, load: &SqliteLoad, scale: Scale) -> Result<SqliteForecast> {
    let is_keyed = matches!(strategy.ids, IdKind::MinuteAscending | IdKind::MinuteRandom);
    let crowd = if is_keyed { scale.table.min(MOST_CROWD / load.writers.max(1)).max(1) } else { 1 };
    let (cache_scale, commit_rows) = match strategy.ids {
        IdKind::V4 => (scale.cache, load.commit_rows / scale.cache),
        // The pages of a minute are the same ones in a smaller table.
        IdKind::MinuteAscending | IdKind::MinuteRandom => {
            let spare = load.cache_bytes / load.bytes_of_a_minute();
            (scale.cache.min(spare / 2).max(1), load.commit_rows)
        }
        _ => (scale.cache, load.commit_rows),
    };
    let part = SqliteLoad {
        rows: (load.rows / scale.table).max(10_000),
        cache_bytes: load.cache_bytes / cache_scale,
        commit_rows: commit_rows.max(1),
        existing: load.existing.map(|(old, rows)| (old, (rows / scale.table).max(1))),
        ..load.clone()
    };
    predict_crowded_sqlite(strategy, &part, crowd)
}

fn candidate(forecast: &SqliteForecast, load: &SqliteLoad) -> Candidate {
    let (reads_per_1k, writes_per_1k) = forecast.second_half();
    Candidate {
        strategy: forecast.strategy,
        table_bytes: forecast.tree.page_bytes_per_row * load.all_rows() as f64,
        fill: forecast.tree.fill.mean,
        reads_per_1k,
        writes_per_1k,
        device_pages_per_sec: (reads_per_1k + writes_per_1k) * load.rate / 1_000.0,
    }
}

fn reasons(
    best: &Candidate,
    from_server: Option<&Candidate>,
    all: &[Candidate],
    load: &SqliteLoad,
) -> Vec<String> {
    let find = |name: &str| all.iter().find(|one| one.strategy == name);
    let mut reasons = Vec::new();
    let stay = load.existing.and_then(|(old, _)| find(old.name));
    if let Some(stay) = stay.filter(|stay| stay.strategy != best.strategy) {
        reasons.push(format!(
            "If new rows get {}, the table ends at {}; if they stay with {}, at {}.",
            best.strategy,
            bytes(best.table_bytes),
            stay.strategy,
            bytes(stay.table_bytes)
        ));
    }
    let random = ["v4-binary", "v4-text36"].into_iter().find_map(find);
    if let Some(random) = random.filter(|random| random.strategy != best.strategy) {
        reasons.push(format!(
            "In the second half of the run, 1,000 inserts of {} read {} pages and write {}, with {} in a transaction \
             and a cache of {}. With {} they read {} and write {}.",
            random.strategy,
            per_1k(random.reads_per_1k),
            per_1k(random.writes_per_1k),
            rows(load.commit_rows),
            pool(load.cache_bytes),
            best.strategy,
            per_1k(best.reads_per_1k),
            per_1k(best.writes_per_1k)
        ));
        let smaller = 100.0 * (1.0 - best.table_bytes / random.table_bytes);
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
    let from_server = from_server.map(|one| (one.strategy, one.table_bytes));
    conclude(&mut reasons, (best.strategy, best.table_bytes), from_server, load.existing);
    reasons
}

fn rows(count: u64) -> String {
    if count == 1 { "one row".to_owned() } else { format!("{} rows", thousands(count)) }
}

fn caveats(best: &Candidate, load: &SqliteLoad, scale: Scale) -> Vec<String> {
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

impl fmt::Display for SqliteAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Take {}.", self.recommended)?;
        from_server(f, self.from_server)?;
        match self.hiding {
            Some(hiding) => writeln!(f, "If ids must not reveal when they were made, use {hiding}.\n")?,
            None => writeln!(f)?,
        }
        for reason in &self.reasons {
            writeln!(f, "- {reason}")?;
        }
        writeln!(f, "\n{}\n", super::text::candidates(&self.candidates))?;
        for caveat in &self.caveats {
            writeln!(f, "- {caveat}")?;
        }
        write!(f, "\nPredicted by a model of SQLite's B-tree and page cache")?;
        if self.scale > 1 {
            write!(f, ", on a table {} times smaller", self.scale)?;
        }
        writeln!(f, "; idgen lab run --engine sqlite measures it.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::predict_sqlite;
    use crate::strategy::find;

    fn load(rows: u64, writers: u64) -> SqliteLoad {
        SqliteLoad {
            rows,
            row_bytes: 100,
            rate: 1_000.0,
            writers,
            page_bytes: SqliteLoad::PAGE_BYTES,
            cache_bytes: SqliteLoad::CACHE_BYTES,
            commit_rows: SqliteLoad::COMMIT_ROWS,
            existing: None,
        }
    }

    #[test]
    fn ordered_keys_are_recommended_for_their_reads_and_writes() {
        let server = advise_sqlite(&load(60_000, 1), IdsFrom::Server).unwrap();
        assert_eq!(server.recommended, "auto-increment");
        let advice = advise_sqlite(&load(60_000, 5), IdsFrom::Either).unwrap();
        assert_eq!((advice.recommended, advice.hiding), ("v7-binary", Some("minute-ascending")));
        let said = advice.reasons.join(" ");
        assert!(
            said.contains("its pages are 8")
                && said.contains("If the database makes the ids, auto-increment"),
            "{said}"
        );
    }

    #[test]
    fn keys_for_an_existing_table_fit_its_column() {
        let advice = |name, writers| {
            let existing = Some((find(name).unwrap(), 50_000));
            advise_sqlite(&SqliteLoad { existing, ..load(50_000, writers) }, IdsFrom::Either)
        };
        let binary = advice("v4-binary", 1).unwrap();
        assert_eq!(binary.recommended, "v7-binary");
        assert!(binary.reasons[0].contains("if they stay with v4-binary, at"), "{binary:?}");
        assert!(binary.candidates.iter().all(|one| !one.strategy.contains("text")));
        let text = advice("v4-text36", 1).unwrap();
        assert!(text.recommended.ends_with("text36") && text.recommended != "v4-text36", "{text:?}");
        assert_eq!(advice("auto-increment", 2).unwrap().recommended, "device");
        assert!(advice("v4-base64", 1).unwrap_err().is_config());
    }

    /// The naive version: the model runs on the whole table.
    #[test]
    fn a_smaller_table_predicts_the_large_one() {
        let load = SqliteLoad { cache_bytes: 16 << 20, ..load(1_200_000, 1) };
        for name in ["v4-binary", "v7-binary", "minute-random", "minute-ascending"] {
            let strategy = find(name).unwrap();
            let whole = candidate(&predict_sqlite(strategy, &load).unwrap(), &load);
            let part = candidate(&scaled(strategy, &load, Scale { table: 4, cache: 4 }).unwrap(), &load);
            let near = |a: f64, b: f64, by: f64| (a - b).abs() <= (by * a.max(b)).max(5.0);
            assert!((whole.fill - part.fill).abs() < 0.03, "{name}: {part:?} {whole:?}");
            assert!(near(whole.reads_per_1k, part.reads_per_1k, 0.15), "{name}: {part:?} {whole:?}");
            assert!(near(whole.writes_per_1k, part.writes_per_1k, 0.15), "{name}: {part:?} {whole:?}");
        }
    }

    #[test]
    fn a_large_table_is_scaled_and_the_advice_says_so() {
        let scale = |rows, cache_bytes| {
            let Scale { table, cache } = Scale::of(&SqliteLoad { cache_bytes, ..load(rows, 1) });
            (table, cache)
        };
        assert_eq!(scale(900_000, 2 << 20), (1, 1));
        assert_eq!(scale(40_000_000, 1 << 30), (32, 32));
        assert_eq!(scale(40_000_000, 2_000 << 10), (32, 1));
        let caveats = caveats(
            &candidate(
                &predict_sqlite(find("v7-binary").unwrap(), &load(20_000, 1)).unwrap(),
                &load(20_000, 1),
            ),
            &load(40_000_000, 1),
            Scale { table: 32, cache: 1 },
        );
        assert!(caveats.iter().any(|one| one.contains("ends at 1 million rows")), "{caveats:?}");
    }
}
