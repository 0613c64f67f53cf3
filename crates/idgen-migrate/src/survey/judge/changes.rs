//! Keys that a model can predict: the questions to the model, its answers, and the order of the tables by their gain.
//!
//! The survey knows no model. [`Survey::questions`](crate::survey::Survey::questions) says what to ask one, and its answers go
//! into [`Survey::predictions`](crate::survey::Survey::predictions).

use serde::Serialize;

/// The model is not more accurate than this factor.
const EQUAL: f64 = 1.15;

/// The order in which the keys of a table arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Everywhere, as version 4 does.
    Random,
    /// Version 1 in plain order, which passes all keys every seven minutes.
    LowTimeFirst,
    /// The time first, as version 7 and ULIDs.
    TimeFirst,
}

/// A question to a model: the properties of the key of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question {
    /// The table.
    pub table: String,
    /// The column that is its key.
    pub column: String,
    /// Its rows.
    pub rows: u64,
    /// The order of its keys.
    pub order: Order,
    /// Bytes of a key as stored, rounded.
    pub key_bytes: u32,
    /// Bytes of the rest of the row in the tree that the key orders: of the table, or of the index beside it.
    pub row_bytes: u32,
    /// Inserts per second, if they were counted.
    pub rate: Option<f64>,
}

/// A change of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Change {
    /// Nothing: new rows get keys as the old ones.
    Stay,
    /// The old ids in 16 bytes: `BINARY(16)`, `uuid`, or a `BLOB`.
    Bytes16,
    /// New rows get version 7 in the column as it is. Sealed ids are stored as these, and cost the same.
    V7,
    /// The old ids in 16 bytes, and version 7 for new rows. Sealed ids are stored as these, and cost the same.
    V7In16,
    /// New rows get ids with a keyed prefix for each minute, in the column as it is.
    Prefix,
    /// Version 1 with its time fields swapped.
    Swapped,
    /// Integers from the map; the map's own table is counted too.
    Integers,
}

impl Change {
    /// Describes the change in words.
    ///
    /// ```
    /// assert_eq!(idgen_migrate::survey::Change::Bytes16.title(), "the same ids in 16 bytes");
    /// ```
    pub const fn title(self) -> &'static str {
        self.words().0
    }

    /// Describes the change in a few letters, for a chart.
    ///
    /// ```
    /// assert_eq!(idgen_migrate::survey::Change::Bytes16.short(), "16 bytes");
    /// ```
    pub const fn short(self) -> &'static str {
        self.words().1
    }

    /// The title, and the few letters.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Change::Stay => ("as they are", "as they are"),
            Change::Bytes16 => ("the same ids in 16 bytes", "16 bytes"),
            Change::V7 => ("v7 from now on, open or sealed", "v7 from now on"),
            Change::V7In16 => ("16 bytes, and v7 from now on, open or sealed", "16 bytes, v7"),
            Change::Prefix => ("a keyed prefix from now on", "keyed prefix"),
            Change::Swapped => ("v1 with swapped time fields", "swapped"),
            Change::Integers => ("integers, and a map beside them", "integers and map"),
        }
    }
}

/// The predicted pages of a table with a change, when it holds twice as many rows as today.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Predicted {
    /// The change.
    pub change: Change,
    /// Bytes of the tree that the key orders: of the table, or of the index beside it. With integers, those of the map too.
    pub bytes: f64,
    /// Mean page fill of this tree, from 0 to 1.
    pub fill: f64,
    /// Pages read per 1,000 inserts; on PostgreSQL, those of the heap, too.
    pub reads_per_1k: f64,
    /// Pages written per 1,000 inserts; on PostgreSQL, those of the heap, too.
    pub writes_per_1k: f64,
    /// Whole pages in the write-ahead log per 1,000 inserts, on PostgreSQL.
    pub images_per_1k: Option<f64>,
}

impl Predicted {
    /// Pages read, written, and logged as a whole, per 1,000 inserts.
    pub fn pages_per_1k(&self) -> f64 {
        self.reads_per_1k + self.writes_per_1k + self.images_per_1k.unwrap_or(0.0)
    }
}

/// The answers of a model for the key of one table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// The question to the model.
    #[serde(flatten)]
    pub question: Question,
    /// The inserts per second that it assumed.
    pub assumed_rate: f64,
    /// The cost of each change. [`Change::Stay`] comes first.
    pub changes: Vec<Predicted>,
    /// True if the table is too small for its changes to differ: with every change, fewer pages are read and written in
    /// the predicted time than the tree has. [`Survey::add_predictions`](crate::survey::Survey::add_predictions) sets
    /// it.
    pub too_small: bool,
}

impl Prediction {
    /// Returns true if, with every change, fewer pages were read and written than the tree has. Then no page had to be
    /// written back, and the figures depend on the moment at which the prediction ends.
    pub(crate) fn has_no_flush(&self, page_bytes: u32) -> bool {
        self.changes.iter().all(|one| {
            let pages = one.bytes / f64::from(page_bytes.max(1));
            let moved = one.pages_per_1k() * self.question.rows as f64 / 1_000.0;
            one.images_per_1k.is_none() && moved < pages
        })
    }

    /// The change with the fewest pages; of those that are nearly equal, the simplest one. It can be [`Change::Stay`].
    pub fn best(&self) -> Option<&Predicted> {
        let fewest = self.changes.iter().map(Predicted::pages_per_1k).min_by(f64::total_cmp)?;
        self.changes.iter().find(|one| one.pages_per_1k() <= fewest * EQUAL + 1.0)
    }

    /// Pages per 1,000 inserts that a change saves; negative if it costs more, and `None` if the table is too small.
    pub fn saved_per_1k(&self, change: &Predicted) -> Option<f64> {
        if self.too_small {
            return None;
        }
        let stay = self.changes.iter().find(|one| one.change == Change::Stay)?;
        Some(stay.pages_per_1k() - change.pages_per_1k())
    }

    /// Pages that the best change saves: per second if all inserts were counted, otherwise per 1,000 inserts.
    fn gain(&self, per_second: bool) -> f64 {
        let saved = self.best().and_then(|best| self.saved_per_1k(best)).unwrap_or(0.0);
        if per_second { saved * self.question.rate.unwrap_or(0.0) / 1_000.0 } else { saved }
    }
}

/// Puts those first whose tables gain most.
pub(crate) fn rank(predictions: &mut [Prediction]) {
    let per_second = is_per_second(predictions);
    predictions.sort_by(|a, b| b.gain(per_second).total_cmp(&a.gain(per_second)));
}

/// Returns true if all inserts were counted, so that the gain is known per second.
pub(crate) fn is_per_second(predictions: &[Prediction]) -> bool {
    predictions.iter().all(|one| one.question.rate.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prediction(table: &str, rate: Option<f64>, pages: &[f64]) -> Prediction {
        let question = Question {
            table: table.to_owned(),
            column: "id".to_owned(),
            rows: 20_000,
            order: Order::Random,
            key_bytes: 36,
            row_bytes: 100,
            rate,
        };
        let changes = [Change::Stay, Change::Bytes16, Change::V7].into_iter().zip(pages);
        let changes = changes.map(|(change, &pages)| Predicted {
            change,
            bytes: 1e6,
            fill: 0.7,
            reads_per_1k: pages,
            writes_per_1k: 0.0,
            images_per_1k: None,
        });
        Prediction {
            question,
            assumed_rate: rate.unwrap_or(1_000.0),
            changes: changes.collect(),
            too_small: false,
        }
    }

    #[test]
    fn tables_are_ranked_by_the_second_only_if_all_inserts_were_counted() {
        let names = |rates: [Option<f64>; 2]| {
            let mut all = vec![
                prediction("few", rates[0], &[900.0, 600.0, 10.0]),
                prediction("many", rates[1], &[100.0, 60.0, 1.0]),
            ];
            rank(&mut all);
            all.iter().map(|one| one.question.table.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names([None, Some(5_000.0)]), ["few", "many"]);
        assert_eq!(names([Some(1.0), Some(5_000.0)]), ["many", "few"]);
        let one = prediction("one", None, &[900.0, 600.0, 10.0]);
        assert_eq!(one.best().map(|best| best.change), Some(Change::V7));
        assert_eq!(one.saved_per_1k(&one.changes[1]), Some(300.0));
        let equal = prediction("equal", None, &[105.0, 110.0, 100.0]);
        assert_eq!(equal.best().map(|best| best.change), Some(Change::Stay));
        // 20,000 rows move fewer pages than the 61 that a megabyte has.
        let mut small = prediction("small", None, &[2.0, 1.5, 3.0]);
        assert!(small.has_no_flush(16_384) && !equal.has_no_flush(16_384));
        assert_eq!(small.saved_per_1k(&small.changes[2]), Some(-1.0));
        small.too_small = true;
        assert_eq!(small.saved_per_1k(&small.changes[2]), None);
    }
}
