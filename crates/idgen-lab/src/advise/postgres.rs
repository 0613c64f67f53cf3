//! What advice says about a table of PostgreSQL.

use super::amounts::bytes;
use super::scale::MOST_CROWD;
use super::{Advised, Found, Scaled, clocks, hold_out_clients};
use crate::forecast::{Load, Part, PostgresSettings};
use crate::strategy::Strategy;
use idgen_record::{Database, IdKind};

/// Rows that the model inserts for each strategy, so that it takes seconds instead of minutes.
const MODEL_ROWS: u64 = 1_000_000;

impl Advised for PostgresSettings {
    fn model(&self) -> &'static str {
        "a model of PostgreSQL's B-tree"
    }

    fn measured_by(&self) -> &'static str {
        "idgen lab run --engine postgres"
    }

    fn database(&self) -> Database {
        Database::Postgres
    }

    fn scaled(&self, strategy: &Strategy, load: &Load) -> Scaled {
        // Random keys fill pages in waves, and the phase of the wave is the same in a table half the size.
        scaled(strategy, load, 1 << (load.all_rows() / MODEL_ROWS).max(1).ilog2())
    }

    fn reasons(&self, found: &Found<'_>) -> Vec<String> {
        let mut reasons = against_staying(found);
        reasons.extend(against_random(found, self));
        if let Some(ascending) = found.first(&["minute-ascending"]) {
            reasons.push(format!(
                "The ascending tail behind a keyed prefix, which is best on InnoDB, leaves pages {:.0} % full here: PostgreSQL \
                 fills only the last page of an index, and divides all others in the middle.",
                100.0 * ascending.fill
            ));
        }
        reasons
    }

    fn caveats(&self, found: &Found<'_>) -> Vec<String> {
        caveats(found)
    }
}

/// The strategy on a table this many times smaller. Random keys change each page equally often between two checkpoints
/// if the interval between checkpoints shrinks by the same factor. Ascending keys do so at any size. A prefix keeps its
/// pages, and is used again equally often.
fn scaled(strategy: &Strategy, load: &Load, scale: u64) -> Scaled {
    let existing = load.existing.map(|(old, rows)| (old, (rows / scale).max(1)));
    let smaller = Load { rows: (load.rows / scale).max(Load::MIN_ROWS), existing, ..load.clone() };
    let is_keyed = matches!(strategy.ids, IdKind::MinuteAscending | IdKind::MinuteRandom);
    let crowd = if is_keyed { scale.min(MOST_CROWD / load.writers).max(1) } else { 1 };
    let checkpoints = if strategy.ids == IdKind::V4 { scale } else { 1 };
    Scaled { scale, load: smaller, part: Part { crowd, checkpoints } }
}

/// What new keys would do to an index that holds old ones.
fn against_staying(found: &Found<'_>) -> Vec<String> {
    let (Some((old, _)), Some(stay)) = (found.load.existing, found.stay()) else { return Vec::new() };
    let (best, mut reasons) = (found.best, Vec::new());
    if let Some(v7) = found.first(&["v7-binary", "v7-text36"]) {
        let more = 100.0 * (v7.tree_bytes / stay.tree_bytes - 1.0);
        if more >= 1.0 && v7.strategy != old.name {
            reasons.push(format!(
                "{} makes the index {more:.0} % larger than staying with {}: its keys lie between the old \
                 ones, where PostgreSQL divides pages in the middle and leaves them half empty.",
                v7.strategy, old.name
            ));
        }
    }
    if best.strategy != old.name {
        reasons.push(format!(
            "With {} the index ends at {}, and at {} if new rows stay with {}.",
            best.strategy,
            bytes(best.tree_bytes),
            bytes(stay.tree_bytes),
            old.name
        ));
    }
    reasons
}

/// What random keys would cost.
fn against_random(found: &Found<'_>, settings: &PostgresSettings) -> Vec<String> {
    let Some(random) = found.random() else { return Vec::new() };
    let best = found.best;
    let [of_random, of_best] = [random, best].map(|one| one.log.unwrap_or_default());
    vec![
        format!(
            "With a checkpoint every {} s, a row of random UUIDs adds {:.0} bytes to the write-ahead log, and one of {} {:.0}: \
             the first change of a page after a checkpoint logs the whole page, and random keys change {:.0} pages in \
             1,000 inserts for the first time.",
            settings.checkpoint_secs,
            of_random.log_bytes_per_row,
            best.strategy,
            of_best.log_bytes_per_row,
            of_random.images_per_1k
        ),
        format!(
            "The pages of its index are {:.0} % full, those of random UUIDs {:.0} %: {} instead of {} at the end.",
            100.0 * best.fill,
            100.0 * random.fill,
            bytes(best.tree_bytes),
            bytes(random.tree_bytes)
        ),
    ]
}

fn caveats(found: &Found<'_>) -> Vec<String> {
    let Found { best, load, .. } = *found;
    let mut caveats = vec![
        "Each secondary index has pages and images of its own, in the order of its own columns.".into(),
        "The model has no buffer pool: it leaves out pages read and written, and what vacuum, updates and deletes do. \
         The log is that of heap and index, without transactions (about 40 bytes each) and with full_page_writes on."
            .into(),
        "On 108 recorded runs of tables of up to a million rows, the model was off by at most 3.9 % for the leaf pages and by at most 2.5 % for \
         the bytes of the log. With five million rows (48 runs) it was off by at most 1.5 and 1.3 %."
            .into(),
    ];
    caveats.extend(clocks::sentence(found));
    caveats.extend(hold_out_clients::sentence(&[Database::Postgres], load));
    if matches!(best.strategy, "v7-binary" | "v7-text36" | "fixed-prefix" | "fixed-text36" | "device") {
        caveats.push("The id shows to the millisecond when it was made.".into());
    }
    caveats
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::predict;
    use crate::strategy::find;

    /// The naive version: the model runs on the whole table.
    #[test]
    fn a_smaller_table_predicts_the_large_one() {
        let load = Load {
            rate: 800_000.0 / 6_000.0,
            ..Load::new(800_000, PostgresSettings { checkpoint_secs: 300 })
        };
        for name in ["v4-binary", "v7-binary", "minute-random", "minute-ascending"] {
            let strategy = find(name).unwrap();
            let whole = predict(strategy, &load).unwrap();
            let part = scaled(strategy, &load, 4).predict(strategy).unwrap();
            let near = |a: f64, b: f64, by: f64| (a - b).abs() <= by * a.max(b);
            assert!((whole.tree.fill.mean - part.tree.fill.mean).abs() < 0.05, "{name}: {part:?}");
            assert!(
                near(whole.late_log().unwrap().0, part.late_log().unwrap().0, 0.15),
                "{name}: {part:?} {whole:?}"
            );
        }
    }
}
