//! The published figures beside the measured ones.

use crate::figures::numbers::{write, write_median};
use crate::figures::timed::{first_of, slower, times_first};
use idgen_record::{Database, Metric, Published, Results, Run, TIMES_FIRST, Unit};

/// A published figure and the figure that the lab measured.
pub struct Comparison {
    /// The title of the strategy measured.
    pub strategy: String,
    /// A description of the published run.
    pub setting: String,
    /// The title of the figure.
    pub figure: &'static str,
    /// The published value.
    pub published: String,
    /// The measured value: the median of the runs.
    pub measured: String,
    /// The difference in percent of the published figure. Empty if that is 0, if the database is another one than the
    /// published, if the run had less than half of the published rows, or for seconds.
    pub difference: String,
    /// True if the difference is within the tolerance; `None` without a tolerance.
    pub met: Option<bool>,
}

impl Comparison {
    /// `met` or `missed`; empty without a tolerance.
    pub fn verdict(&self) -> &'static str {
        self.met.map_or("", verdict)
    }
}

/// The word for a published figure whose tolerance was met or not.
pub(crate) fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "missed" }
}

/// Says in a sentence how many of the published figures with a tolerance were met; `None` where none has one.
pub fn met(results: &Results) -> Option<String> {
    let all: Vec<bool> = comparisons(results).into_iter().filter_map(|line| line.met).collect();
    let met = all.iter().filter(|met| **met).count();
    (!all.is_empty())
        .then(|| format!("{met} of {} published figures are met within their tolerance.", all.len()))
}

/// Every published figure for which there is a run, beside the median of its runs.
pub fn comparisons(results: &Results) -> Vec<Comparison> {
    let mut lines = Vec::new();
    for published in &results.published {
        let Some(run) = results.run(&published.strategy) else { continue };
        for (name, value) in &published.figures {
            let Some(here) = Here::of(results, run, published, name) else { continue };
            // Seconds of another machine say nothing.
            let has_difference = comparable(results, published) && name != "secs" && *value != 0.0;
            let difference = has_difference.then(|| format!("{:+.0} %", (here.value / value - 1.0) * 100.0));
            let tolerance = published.tolerances.get(name);
            lines.push(Comparison {
                strategy: run.title().to_owned(),
                setting: published.setting.clone(),
                figure: here.title,
                published: here.unit.map_or_else(|| format!("{value:.2}"), |unit| write(unit, *value)),
                measured: here.written,
                difference: difference.unwrap_or_default(),
                met: tolerance
                    .filter(|tolerance| here.is_shown || tolerance.allows(*value, 1.0))
                    .map(|tolerance| tolerance.allows(*value, here.value)),
            });
        }
    }
    lines
}

/// The measured value of a figure that was published.
struct Here {
    title: &'static str,
    /// `None` for a ratio.
    unit: Option<Unit>,
    value: f64,
    written: String,
    /// False if the runs show no difference from the first case. Such an effect is neither met nor missed,
    /// even if the medians are as far apart as published.
    is_shown: bool,
}

impl Here {
    fn of(results: &Results, run: &Run, published: &Published, name: &str) -> Option<Here> {
        if name == TIMES_FIRST {
            let (value, first) = (times_first(results, run)?, first_of(results, run)?);
            let (title, written) = ("seconds, times those of the first", format!("{value:.2}"));
            return Some(Here { title, unit: None, value, written, is_shown: slower(run, first).is_some() });
        }
        let metric = Metric::named(name)?;
        let sample = match published.rows {
            Some(rows) => metric.sample_at(run, rows)?,
            None => metric.sample(run)?,
        };
        let written = write_median(metric, Some(&sample));
        Some(Here {
            title: metric.title,
            unit: Some(metric.unit),
            value: sample.median(),
            written,
            is_shown: true,
        })
    }
}

/// The published figure with this name of a run.
pub(crate) fn published_of(results: &Results, run: &Run, name: &str) -> Option<f64> {
    let mut of_run = results.published.iter().filter(|published| published.strategy == run.strategy.name);
    of_run.find_map(|published| published.figures.get(name).copied())
}

/// Returns whether a difference in percent is meaningful: on the same kind of database, with at least half of
/// the published rows.
fn comparable(results: &Results, published: &Published) -> bool {
    let same_kind = results.engine.database().is_none_or(Database::speaks_mysql);
    same_kind && published.rows.is_none_or(|rows| results.workload.rows.saturating_mul(2) >= rows)
}

/// Says in a sentence why published figures have no difference; `None` where all have one.
pub fn uncompared(results: &Results) -> Option<&'static str> {
    let mut shown = results.published.iter().filter(|published| results.run(&published.strategy).is_some());
    shown.any(|published| !comparable(results, published)).then_some(
        "The published figures are those of MySQL and of their number of rows. Where the database is another one, or the \
         table has less than half of these rows, only the order of the strategies can be compared, and no difference is given.",
    )
}
