//! The table of metrics: the name of each, its unit, and how it is read from a record.
//!
//! Tables, CSV, comparisons and charts iterate over [`METRICS`]: a new metric is one entry, and a field of
//! [`Totals`](crate::Totals) where the figure is new. The order of the table is that of the columns everywhere.

mod basis;
mod operations;
mod table;

use crate::figures::Figures;
use crate::mix::Operation;
use crate::run::{Detail, Run};
use crate::sample::{Noise, Sample};
use crate::window::Window;

pub use table::METRICS;

/// A value that a record has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Count(u64),
    /// Any other number.
    Number(f64),
}

impl Value {
    /// The value as a floating-point number.
    pub fn number(self) -> f64 {
        match self {
            Value::Count(count) => count as f64,
            Value::Number(number) => number,
        }
    }
}

/// The unit of a metric, which decides how its values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Pieces, without decimals: rows, pages, bytes.
    Pieces,
    /// Pieces per 1,000 inserts, of which a part can matter.
    PerThousand,
    /// A number with this many decimals.
    Decimals(usize),
    /// A share from 0 to 1, written in percent with this many decimals.
    Share(usize),
    /// Microseconds, written in milliseconds.
    Micros,
}

/// The direction in which a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// Neither: it describes the run.
    Neither,
}

/// The table of a report that a metric belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The main table and the comparison: figures of the end of a run, when the table is larger than the cache.
    Figures,
    /// Means over the whole run, whose beginning still fits the cache.
    Whole,
    /// The duration of statements.
    Latency,
    /// The time from making ids to their insert, and the place of the inserts.
    Clients,
    /// Pages read and written by a load of several kinds of operations, and its speed.
    Operations,
    /// The duration of the operations of this kind.
    LatencyOf(Operation),
    /// Figures that only servers count.
    Server,
    /// Only the comparison.
    Compared,
    /// The tables and the comparison of timed statements.
    Timed,
    /// Only the CSV files.
    Facts,
}

/// The axis of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Factors of ten.
    Log,
    /// A linear scale that starts at zero.
    Linear,
    /// A linear scale from 0 to 100 %.
    Percent,
}

/// The chart of a metric in a report of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChartOf {
    /// The name of its file, without the ending.
    pub file: &'static str,
    /// The title.
    pub title: &'static str,
    /// The caption on a server; for every engine if `embedded_caption` is `None`.
    pub caption: &'static str,
    /// The caption for the embedded engine.
    pub embedded_caption: Option<&'static str>,
    /// The metric of the mark across the bar.
    pub mark: Option<&'static str>,
}

/// A metric: a figure of a run with its names, its unit and its noise.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The name in `results.json`, in the CSV files and in the published figures of an experiment.
    pub name: &'static str,
    /// The heading of a wide column, and of its chart and table in a comparison.
    pub title: &'static str,
    /// The heading of a narrow column, in lines.
    pub head: &'static str,
    /// The unit, which decides how values are written.
    pub unit: Unit,
    /// The direction in which the metric is better.
    pub better: Better,
    /// The noise: runs that are closer than this do not differ.
    pub noise: Noise,
    /// The table that it belongs to.
    pub group: Group,
    /// The axis on which a comparison draws it; `None` where it does not.
    pub axis: Option<Axis>,
    /// The chart of the metric in a report; only with an axis.
    pub chart: Option<ChartOf>,
    /// The metric that replaces this one in a report of which no run has it: the mean over the whole run, for a record without
    /// figures of its end.
    pub instead: Option<&'static str>,
    run: fn(&Figures<'_>) -> Option<Value>,
    window: Option<fn(&Window) -> Option<Value>>,
}

impl Metric {
    /// The metric with this name.
    ///
    /// ```
    /// use idgen_record::Metric;
    ///
    /// assert_eq!(Metric::named("fill_mean").unwrap().title, "fill %, mean");
    /// assert!(Metric::named("fill_median").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static Metric> {
        METRICS.iter().find(|metric| metric.name == name)
    }

    /// The metrics of a table.
    pub fn of_group(group: Group) -> impl Iterator<Item = &'static Metric> {
        METRICS.iter().filter(move |metric| metric.group == group)
    }

    /// The metric that a report of these runs shows: this metric where any run has it, otherwise its replacement, if any run
    /// has that.
    pub fn shown(&'static self, runs: &[Run]) -> Option<&'static Metric> {
        let known = |metric: &&Metric| runs.iter().any(|run| metric.value(&run.figures()).is_some());
        Some(self).filter(known).or_else(|| Metric::named(self.instead?).filter(known))
    }

    /// The metrics by which such a run is compared with another one.
    pub fn compared(run: &Run) -> impl Iterator<Item = &'static Metric> {
        let timed = run.strategy.key.is_none();
        METRICS.iter().filter(move |metric| match metric.group {
            Group::Facts => false,
            Group::Timed => timed,
            _ => true,
        })
    }

    /// The metrics that windows have.
    pub fn of_windows() -> impl Iterator<Item = &'static Metric> {
        METRICS.iter().filter(|metric| metric.window.is_some())
    }

    /// Reads the value from a run; `None` where the database does not provide it, or where it is not a finite
    /// number.
    pub fn value(&self, figures: &Figures<'_>) -> Option<Value> {
        (self.run)(figures).filter(|value| value.number().is_finite())
    }

    /// Reads the value from a run as a floating-point number; `None` as for [`Metric::value`].
    pub fn number(&self, figures: &Figures<'_>) -> Option<f64> {
        self.value(figures).map(Value::number)
    }

    /// The values of all runs of a record; `None` where one of the runs has no value.
    pub fn sample(&self, run: &Run) -> Option<Sample> {
        self.sample_of(run, |figures| figures)
    }

    /// Like [`Metric::sample`], with the figures of the end taken from the window in which the table reached
    /// this many rows.
    pub fn sample_at(&self, run: &Run, rows: u64) -> Option<Sample> {
        self.sample_of(run, |figures| figures.at(rows))
    }

    fn sample_of<'a>(&self, run: &'a Run, of: impl Fn(Figures<'a>) -> Figures<'a>) -> Option<Sample> {
        Sample::of(run.each().into_iter().map(|one| self.number(&of(one))).collect::<Option<_>>()?)
    }

    /// Reads the value from a window; `None` where windows do not have this metric, or where it is not a
    /// finite number.
    pub fn in_window(&self, window: &Window) -> Option<Value> {
        self.window.and_then(|of| of(window)).filter(|value| value.number().is_finite())
    }
}

impl Detail {
    /// The metric that is written alike and has the same noise.
    pub fn metric(&self) -> Option<&'static Metric> {
        Metric::named(self.like)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_heads_are_narrow() {
        for (index, metric) in METRICS.iter().enumerate() {
            assert!(METRICS[..index].iter().all(|other| other.name != metric.name), "{}", metric.name);
            assert!(metric.head.lines().all(|line| line.len() <= 8), "{}", metric.name);
            assert!(!metric.title.contains('\n') && !metric.title.is_empty(), "{}", metric.name);
            assert!(metric.chart.is_none() || metric.axis.is_some(), "{}", metric.name);
            let mark = metric.chart.and_then(|chart| chart.mark);
            let others = mark.into_iter().chain(metric.instead);
            others.for_each(|name| assert!(Metric::named(name).is_some(), "{}", metric.name));
        }
    }

    /// The names of fields and of metrics are the same, so that one finds a column of the CSV in the JSON.
    #[test]
    fn totals_and_windows_have_no_figure_without_a_metric() {
        let window = serde_json::json!({
            "rows_end": 1, "rows": 1, "secs": 1.0, "rows_per_sec": 1.0, "reads_per_1k": 1.0, "disk_reads_per_1k": 1.0,
            "writes_per_1k": 1.0, "created_per_1k": 1.0, "table_reads_per_1k": 1.0, "table_writes_per_1k": 1.0, "splits_per_1k": 1.0, "redo_bytes_per_row": 1.0, "hit_rate": 1.0,
            "page_images_per_1k": 1.0, "serialization_failures_per_1k": 1.0,
            "latency": {"p50_micros": 1, "p95_micros": 1, "p99_micros": 1, "max_micros": 1},
        });
        let window: Window = serde_json::from_value(window).unwrap();
        assert!(Metric::of_windows().all(|metric| metric.in_window(&window).is_some()));
        let fields = serde_json::to_value(window).unwrap();
        for name in fields
            .as_object()
            .unwrap()
            .keys()
            .filter(|name| !["rows_end", "latency"].contains(&name.as_str()))
        {
            assert!(Metric::of_windows().any(|metric| metric.name == name), "{name}");
        }
    }
}
