//! The published figures beside the measured ones.

use crate::figures::numbers::{write, write_median};
use crate::figures::times::{first_of, published_times, slower, times_first};
use idgen_record::{CaseRecord, Database, Metric, Published, Results};

/// One published figure and what was measured here.
pub struct Comparison {
    /// The title of the strategy measured.
    pub strategy: String,
    /// A description of the published run.
    pub setting: String,
    /// Which figure.
    pub figure: &'static str,
    /// As published.
    pub published: String,
    /// As measured: the median of the runs.
    pub measured: String,
    /// The difference in percent of the published figure. Empty if that is 0, if the database is another one than the
    /// published, or if the run had less than half of the published rows.
    pub difference: String,
    /// Whether the difference is within the tolerance, where there is one.
    pub met: Option<bool>,
}

impl Comparison {
    /// `met` or `missed`; empty without a tolerance.
    pub fn verdict(&self) -> &'static str {
        self.met.map_or("", verdict)
    }
}

/// Its name.
pub(crate) fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "missed" }
}

/// How many of the published figures with a tolerance were met, in a sentence; `None` where none has one.
pub fn met(results: &Results) -> Option<String> {
    let of_runs = comparisons(results).into_iter().filter_map(|line| line.met);
    let all: Vec<bool> =
        of_runs.chain(results.cases.iter().filter_map(|case| case_met(results, case))).collect();
    let met = all.iter().filter(|met| **met).count();
    (!all.is_empty())
        .then(|| format!("{met} of {} published figures are met within their tolerance.", all.len()))
}

/// Whether a case meets what was published of it, where that has a tolerance: its time as a multiple of the first case's,
/// how full its table is, or the share of the key.
pub fn case_met(results: &Results, case: &CaseRecord) -> Option<bool> {
    let tolerance = case.published_tolerance?;
    let pairs = match &case.file {
        Some(file) => vec![
            (file.published_fill, file.indexes.first().map(|index| index.fill_mean)),
            (file.published_key_share, file.key_share()),
        ],
        None => {
            let published = published_times(results, case);
            // An effect that no run shows is neither met nor missed, even if the medians are as far apart as published.
            let shown = first_of(results, case).is_some_and(|first| slower(case, first).is_some());
            if !shown && published.is_some_and(|times| !tolerance.allows(times, 1.0)) {
                return None;
            }
            vec![(published, times_first(results, case, |case| Some(case.secs)))]
        }
    };
    let judged: Vec<bool> =
        pairs.into_iter().filter_map(|(published, here)| Some(tolerance.allows(published?, here?))).collect();
    (!judged.is_empty()).then(|| judged.iter().all(|met| *met))
}

/// Every published figure for which there is a run, beside the median of its runs.
pub fn comparisons(results: &Results) -> Vec<Comparison> {
    let mut lines = Vec::new();
    for published in &results.published {
        let Some(run) = results.run(&published.strategy) else { continue };
        for (name, value) in &published.figures {
            let Some(metric) = Metric::named(name) else { continue };
            let sample = match published.rows {
                Some(rows) => metric.sample_at(run, rows),
                None => metric.sample(run),
            };
            let Some(sample) = sample else { continue };
            let measured = sample.median();
            let difference = match *value {
                0.0 => String::new(),
                _ if !comparable(results, published) => String::new(),
                value => format!("{:+.0} %", (measured / value - 1.0) * 100.0),
            };
            lines.push(Comparison {
                strategy: run.strategy.title.clone(),
                setting: published.setting.clone(),
                figure: metric.title,
                published: write(metric.unit, *value),
                measured: write_median(metric, Some(&sample)),
                difference,
                met: published.tolerances.get(name).map(|tolerance| tolerance.allows(*value, measured)),
            });
        }
    }
    lines
}

/// Whether a difference in percent says something: on the same kind of database, with at least half of the published rows.
fn comparable(results: &Results, published: &Published) -> bool {
    let same_kind = results.engine.database().is_none_or(Database::speaks_mysql);
    same_kind && published.rows.is_none_or(|rows| results.workload.rows.saturating_mul(2) >= rows)
}

/// Why published figures have no difference, in a sentence; `None` where all have one.
pub fn uncompared(results: &Results) -> Option<&'static str> {
    let mut shown = results.published.iter().filter(|published| results.run(&published.strategy).is_some());
    shown.any(|published| !comparable(results, published)).then_some(
        "The published figures are those of MySQL and of their number of rows. Where the database is another one, or the \
         table has less than half of these rows, only the order of the strategies can be compared, and no difference is given.",
    )
}
