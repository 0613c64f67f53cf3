//! Recommends a key for a table of PostgreSQL, with the reasons.

use std::fmt;

use serde::Serialize;

use super::EQUAL;
use super::amounts::bytes;
use super::candidates::{Choice, Compared, IdsFrom, choose, compared, counted, given, staying};
use super::text::from_server;
use crate::Result;
use crate::forecast::{PostgresForecast, PostgresLoad, predict_crowded_postgres};
use crate::strategy::Strategy;
use crate::table::table;
use idgen_record::{Database, IdKind};

/// Rows that the model inserts for each strategy, so that it takes seconds instead of minutes.
const MODEL_ROWS: u64 = 1_000_000;
/// As in the model of InnoDB: the prefixes of two bytes, divided by the number that each writer keeps at least.
const MOST_CROWD: u64 = (1 << 16) / 8;

/// A recommendation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PostgresAdvice {
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
    pub candidates: Vec<PostgresCandidate>,
}

/// What one strategy costs in the planned table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PostgresCandidate {
    /// Its name.
    pub strategy: &'static str,
    /// Bytes of the index when the table holds all rows.
    pub index_bytes: f64,
    /// Bytes of the heap when the table holds all rows.
    pub heap_bytes: f64,
    /// Mean page fill of the index, 0 to 1.
    pub fill: f64,
    /// Bytes of the write-ahead log per row.
    pub log_bytes_per_row: f64,
    /// Full-page images per 1,000 inserts.
    pub images_per_1k: f64,
}

impl PostgresCandidate {
    fn of(forecast: &PostgresForecast, load: &PostgresLoad) -> Self {
        let rows = (load.rows + load.existing.map_or(0, |(_, rows)| rows)) as f64;
        PostgresCandidate {
            strategy: forecast.strategy,
            index_bytes: forecast.index.page_bytes_per_row * rows,
            heap_bytes: forecast.heap_bytes_per_row * rows,
            fill: forecast.index.fill.mean,
            log_bytes_per_row: forecast.log_bytes_per_row(),
            images_per_1k: forecast.images_per_1k(),
        }
    }
}

impl Compared for PostgresCandidate {
    fn strategy(&self) -> &'static str {
        self.strategy
    }

    /// Compares the log first and the index second: the log is written all the time, the index takes up memory.
    fn is_cheaper_than(&self, other: &Self) -> bool {
        let clearly = |a: f64, b: f64| a < b * (1.0 - EQUAL);
        let (log, other_log) = (self.log_bytes_per_row, other.log_bytes_per_row);
        clearly(log, other_log) || (!clearly(other_log, log) && clearly(self.index_bytes, other.index_bytes))
    }
}

/// Compares the strategies for a planned table on PostgreSQL.
///
/// ```
/// use idgen_lab::advise::{IdsFrom, advise_postgres};
/// use idgen_lab::forecast::PostgresLoad;
///
/// let load = PostgresLoad {
///     rows: 100_000, row_bytes: 100, rate: 50.0, writers: 4, checkpoint_secs: 300, existing: None,
/// };
/// let advice = advise_postgres(&load, IdsFrom::Either)?;
/// assert_eq!((advice.recommended, advice.hiding), ("v7-binary", Some("minute-random")));
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that a server could have.
pub fn advise_postgres(load: &PostgresLoad, from: IdsFrom) -> Result<PostgresAdvice> {
    let all = load.rows.saturating_add(load.existing.map_or(0, |(_, rows)| rows));
    // Random keys fill pages in waves, and the phase of the wave is the same in a table half the size.
    let scale = 1 << (all / MODEL_ROWS).max(1).ilog2();
    let mut candidates = Vec::new();
    for strategy in compared(Database::Postgres, load.existing)? {
        candidates.push(PostgresCandidate::of(&scaled(strategy, load, scale)?, load));
    }
    let Choice { best, from_server, hiding } = choose(&candidates, from)?;
    Ok(PostgresAdvice {
        ids_from: from,
        recommended: best.strategy,
        from_server: from_server.map(|one| one.strategy),
        hiding: hiding.map(|one| one.strategy),
        reasons: given(reasons(best, from_server, &candidates, load), best.strategy)?,
        caveats: caveats(best),
        scale,
        candidates,
    })
}

/// The strategy on a table this many times smaller. Random keys change each page equally often between two checkpoints
/// if the interval between checkpoints shrinks by the same factor. Ascending keys do so at any size. A prefix keeps its
/// pages, and is used again equally often.
fn scaled(strategy: &'static Strategy, load: &PostgresLoad, scale: u64) -> Result<PostgresForecast> {
    let existing = load.existing.map(|(old, rows)| (old, (rows / scale).max(1)));
    let part = PostgresLoad { rows: (load.rows / scale).max(10_000), existing, ..load.clone() };
    let is_keyed = matches!(strategy.ids, IdKind::MinuteAscending | IdKind::MinuteRandom);
    let crowd = if is_keyed { scale.min(MOST_CROWD / load.writers.max(1)).max(1) } else { 1 };
    let between = load.checkpoint_rows();
    let between = if strategy.ids == IdKind::V4 { (between / scale).max(1) } else { between };
    predict_crowded_postgres(strategy, &part, crowd, between)
}

fn reasons(
    best: &PostgresCandidate,
    from_server: Option<&PostgresCandidate>,
    all: &[PostgresCandidate],
    load: &PostgresLoad,
) -> Vec<String> {
    let find = |name: &str| all.iter().find(|one| one.strategy == name);
    let mut reasons = Vec::new();
    let stay = load.existing.and_then(|(old, _)| find(old.name));
    if let (Some((old, _)), Some(stay)) = (load.existing, stay) {
        if let Some(v7) = find("v7-binary").or_else(|| find("v7-text36")) {
            let more = 100.0 * (v7.index_bytes / stay.index_bytes - 1.0);
            if more >= 1.0 && v7.strategy != old.name {
                reasons.push(format!(
                    "{} makes the index {more:.0} % larger than staying with {}: its keys lie between the old \
                     ones, where PostgreSQL divides pages in the middle and leaves them half empty.",
                    v7.strategy, old.name
                ));
            }
        }
        if best.strategy == old.name {
            reasons.push(staying(old.name));
        }
        if best.strategy != old.name {
            reasons.push(format!(
                "With {} the index ends at {}, and at {} if new rows stay with {}.",
                best.strategy,
                bytes(best.index_bytes),
                bytes(stay.index_bytes),
                old.name
            ));
        }
    }
    let random = find("v4-binary").or_else(|| find("v4-text36"));
    if let Some(random) = random.filter(|random| random.strategy != best.strategy) {
        reasons.push(format!(
            "With a checkpoint every {} s, a row of random UUIDs adds {:.0} bytes to the write-ahead log, and one of {} {:.0}: \
             the first change of a page after a checkpoint logs the whole page, and random keys change {:.0} pages in \
             1,000 inserts for the first time.",
            load.checkpoint_secs,
            random.log_bytes_per_row,
            best.strategy,
            best.log_bytes_per_row,
            random.images_per_1k
        ));
        reasons.push(format!(
            "The pages of its index are {:.0} % full, those of random UUIDs {:.0} %: {} instead of {} at the end.",
            100.0 * best.fill,
            100.0 * random.fill,
            bytes(best.index_bytes),
            bytes(random.index_bytes)
        ));
    }
    if let Some(ascending) = find("minute-ascending") {
        reasons.push(format!(
            "The ascending tail behind a keyed prefix, which is best on InnoDB, leaves pages {:.0} % full here: PostgreSQL \
             fills only the last page of an index, and divides all others in the middle.",
            100.0 * ascending.fill
        ));
    }
    if best.strategy == "auto-increment" {
        reasons.push("An integer that the database counts is the smallest key.".into());
    }
    reasons.extend(from_server.map(|one| {
        counted(one.strategy, &bytes(one.index_bytes), best.strategy, &bytes(best.index_bytes)).replacen(
            " ends at ",
            " has an index that ends at ",
            1,
        )
    }));
    reasons
}

fn caveats(best: &PostgresCandidate) -> Vec<String> {
    let mut caveats = vec![
        "Each secondary index has pages and images of its own, in the order of its own columns.".into(),
        "The model has no buffer pool: it leaves out pages read and written, and what vacuum, updates and deletes do. \
         The log is that of heap and index, without transactions (about 40 bytes each) and with full_page_writes on."
            .into(),
        "On 108 recorded runs of tables of up to a million rows, the model was off by at most 3.9 % for the leaf pages and by at most 2.5 % for \
         the bytes of the log. With five million rows (48 runs) it was off by at most 1.5 and 1.3 %."
            .into(),
    ];
    if matches!(best.strategy, "v7-binary" | "v7-text36" | "fixed-prefix" | "fixed-text36" | "device") {
        caveats.push("The id shows to the millisecond when it was made.".into());
    }
    caveats
}

impl fmt::Display for PostgresAdvice {
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
        let head = [
            "strategy",
            "index in\nthe end",
            "heap in\nthe end",
            "fill %",
            "log bytes\nper row",
            "images\nper 1k",
        ];
        let rows = self.candidates.iter().map(|candidate| {
            [
                candidate.strategy.to_owned(),
                bytes(candidate.index_bytes),
                bytes(candidate.heap_bytes),
                format!("{:.0}", 100.0 * candidate.fill),
                format!("{:.0}", candidate.log_bytes_per_row),
                format!("{:.1}", candidate.images_per_1k),
            ]
        });
        let table = table(head, 1, rows);
        writeln!(f, "\n{table}\n")?;
        for caveat in &self.caveats {
            writeln!(f, "- {caveat}")?;
        }
        write!(f, "\nPredicted by a model of PostgreSQL's B-tree")?;
        if self.scale > 1 {
            write!(f, ", on a table {} times smaller", self.scale)?;
        }
        writeln!(f, "; idgen lab run --engine postgres measures it.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::predict_postgres;
    use crate::strategy::find;

    fn load(rows: u64, writers: u64) -> PostgresLoad {
        PostgresLoad {
            rows,
            row_bytes: 100,
            rate: rows as f64 / 6_000.0,
            writers,
            checkpoint_secs: 300,
            existing: None,
        }
    }

    #[test]
    fn the_key_that_is_best_on_innodb_is_not_best_here() {
        let server = advise_postgres(&load(100_000, 2), IdsFrom::Server).unwrap();
        assert_eq!((server.recommended, server.hiding), ("auto-increment", None));
        let advice = advise_postgres(&load(100_000, 2), IdsFrom::Either).unwrap();
        assert_eq!((advice.recommended, advice.hiding), ("v7-binary", Some("minute-random")));
        assert_eq!(advice.from_server, Some("auto-increment"));
        let said = advice.reasons.join(" ");
        assert!(
            said.contains("best on InnoDB, leaves pages 5") && said.contains("If the database makes the ids"),
            "{said}"
        );
    }

    #[test]
    fn a_table_that_holds_random_keys_grows_with_v7_and_advice_says_so() {
        let existing = Some((find("v4-binary").unwrap(), 100_000));
        let load_of = PostgresLoad { existing, ..load(100_000, 2) };
        let advice = advise_postgres(&load_of, IdsFrom::Either).unwrap();
        assert_eq!(advice.recommended, "fixed-prefix");
        let first = &advice.reasons[0];
        assert!(first.contains("% larger than staying with v4-binary"), "{first}");
        // The column has the type uuid, and no other type fits.
        assert!(advice.candidates.iter().all(|one| one.strategy != "v4-text36"));

        let advice = |name, writers| {
            let existing = Some((find(name).unwrap(), 50_000));
            advise_postgres(&PostgresLoad { existing, ..load(50_000, writers) }, IdsFrom::Either)
        };
        assert_eq!(advice("auto-increment", 2).unwrap().recommended, "device");
        // The most common legacy table gets an answer with reasons, as on the other databases.
        let text = advice("v4-text36", 1).unwrap();
        assert!(["v7-text36", "fixed-text36"].contains(&text.recommended), "{text:?}");
        assert_eq!(text.hiding, Some("minute-text36"));
        assert!(text.reasons.iter().any(|reason| reason.contains("v4-text36")), "{text:?}");
        assert!(advice("v4-base64", 1).unwrap_err().is_config());
    }

    /// The naive version: the model runs on the whole table.
    #[test]
    fn a_smaller_table_predicts_the_large_one() {
        let load = load(800_000, 1);
        for name in ["v4-binary", "v7-binary", "minute-random", "minute-ascending"] {
            let strategy = find(name).unwrap();
            let whole = predict_postgres(strategy, &load).unwrap();
            let part = scaled(strategy, &load, 4).unwrap();
            let near = |a: f64, b: f64, by: f64| (a - b).abs() <= by * a.max(b);
            assert!((whole.index.fill.mean - part.index.fill.mean).abs() < 0.05, "{name}: {part:?}");
            assert!(
                near(whole.log_bytes_per_row(), part.log_bytes_per_row(), 0.15),
                "{name}: {part:?} {whole:?}"
            );
        }
    }
}
