//! Draws the course of one strategy over the run, before the faint curves of all the others: throughput and
//! latency, or pages read and written.

use std::ops::Range;

use super::axis::{Axis, round_step};
use super::plot::{Legend, Panel, Plot, Series};
use super::{Chart, INK, color};
use crate::error::Result;
use crate::figures::numbers::{grouped, short, write_single};
use idgen_record::{Metric, Results, Run, Window, Workload};
use plotters::style::Color as _;

/// The pairs of curves that are drawn over the rows in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// Rows per second and, below it, the 99th percentile of the statements' time where they were timed, on scales of
    /// factors of ten.
    Throughput,
    /// Pages read and, below it, pages written per 1,000 inserts, on linear scales from zero.
    Pages,
}

/// A curve: the heading above it, and its value in a window; `None` where it is not known.
struct Measure {
    heading: &'static str,
    of: fn(&Window) -> Option<f64>,
}

const RATE: Measure = Measure { heading: "rows per second", of: |window| Some(window.rows_per_sec) };
const SLOWEST: Measure = Measure {
    heading: "milliseconds a statement, 99th percentile",
    of: |window| window.latency.map(|latency| latency.p99_micros as f64 / 1_000.0),
};
const READ: Measure =
    Measure { heading: "pages read per 1,000 inserts", of: |window| Some(window.reads_per_1k) };
const WRITTEN: Measure = Measure {
    heading: "pages written per 1,000 inserts",
    of: |window| Some(window.writes_per_1k).filter(|pages| pages.is_finite()),
};

/// Draws the curves of one strategy; of several runs each one thin, and the one in the middle stronger. All charts of one
/// report have the same axes.
pub fn course(results: &Results, run: &Run, kind: Course) -> Result<Chart> {
    let (measures, what) = match kind {
        Course::Pages if values(results, &WRITTEN).next().is_none() => {
            (vec![READ], "pages read per 1,000 inserts")
        }
        Course::Pages => (vec![READ, WRITTEN], "pages read and written per 1,000 inserts"),
        Course::Throughput if values(results, &SLOWEST).next().is_some() => {
            (vec![RATE, SLOWEST], "rows inserted per second, and how long statements took,")
        }
        Course::Throughput => (vec![RATE], "rows inserted per second"),
    };
    let panel = |measure: &Measure| {
        let Range { start, end } = over(&results.workload);
        let step = round_step((end - start).max(1.0) / 4.0);
        let x = Axis::between(start, end, step, short);
        let panel = Panel::of(x, kind.axis(results, measure), curves(results, run, measure));
        Panel { heading: measure.heading.into(), ..panel }
    };
    Plot {
        title: format!("{}: {what} over the run", run.strategy.title),
        words: match kind {
            Course::Throughput => throughput_in_words(run),
            Course::Pages => pages_in_words(run),
        },
        panels: measures.iter().map(panel).collect(),
        legend: Legend::default(),
    }
    .draw()
}

/// The faint curves of the others, then the run's own.
fn curves(results: &Results, run: &Run, measure: &Measure) -> Vec<Series> {
    let curve = |windows: &[Window], color, width| {
        let point = |window: &Window| Some((window.rows_end as f64, (measure.of)(window)?));
        Series::line(windows.iter().filter_map(point).collect(), color, width)
    };
    let own = color(run.strategy.family());
    let others = results.runs.iter().filter(|other| other.strategy != run.strategy);
    let others = others.map(|other| curve(&other.windows, INK.mix(0.12), 1));
    let repeats = run.repeats.iter().map(|repeat| curve(&repeat.windows, own.mix(0.5), 1));
    others.chain(repeats).chain([curve(&run.windows, own.into(), 2)]).collect()
}

/// Rows in the table at the beginning of the run and at its end.
fn over(load: &Workload) -> Range<f64> {
    load.existing_rows() as f64..load.rows_at_end() as f64
}

/// The least that a logarithmic scale shows: a microsecond, in milliseconds.
const LEAST: f64 = 0.001;

impl Course {
    /// The axis that holds the values of all runs: whole factors of ten, or from zero to a round number.
    fn axis(self, results: &Results, measure: &Measure) -> Axis {
        let most = values(results, measure).fold(0.0, f64::max);
        match self {
            Course::Throughput => {
                let least = values(results, measure).fold(f64::MAX, f64::min);
                Axis::of_factors(least.max(LEAST), most.max(LEAST), label)
            }
            Course::Pages => Axis::from_zero(most.max(1.0), label),
        }
    }
}

/// A value on an axis: `0.01`, `1,000`.
fn label(value: f64) -> String {
    if value >= 1.0 || value == 0.0 {
        return grouped(value);
    }
    format!("{value:.3}").trim_end_matches('0').to_owned()
}

/// The values of all runs, including the repeated ones.
fn values<'a>(results: &'a Results, measure: &'a Measure) -> impl Iterator<Item = f64> + 'a {
    let each = results.runs.iter().flat_map(Run::each);
    each.flat_map(|run| run.windows).filter_map(|window| (measure.of)(window))
}

fn ends(run: &Run) -> Option<(&Window, &Window)> {
    Some((run.windows.first()?, run.windows.last()?))
}

/// A figure of one window, of one run.
fn single(name: &str, value: f64) -> String {
    Metric::named(name).map_or_else(String::new, |metric| write_single(metric, value))
}

fn pages_in_words(run: &Run) -> String {
    ends(run).map_or_else(String::new, |(first, last)| {
        if last.writes_per_1k.is_nan() {
            return format!(
                "From {} pages read per 1,000 inserts at the start to {} at {} rows.",
                single("reads_per_1k", first.reads_per_1k),
                single("reads_per_1k", last.reads_per_1k),
                grouped(last.rows_end as f64)
            );
        }
        format!(
            "From {} pages read and {} written per 1,000 inserts at the start to {} and {} at {} rows.",
            single("reads_per_1k", first.reads_per_1k),
            single("writes_per_1k", first.writes_per_1k),
            single("reads_per_1k", last.reads_per_1k),
            single("writes_per_1k", last.writes_per_1k),
            grouped(last.rows_end as f64)
        )
    })
}

fn throughput_in_words(run: &Run) -> String {
    let Some((first, last)) = ends(run) else { return String::new() };
    let rates = format!(
        "From {} rows per second at the start to {} at {} rows.",
        single("rows_per_sec", first.rows_per_sec),
        single("rows_per_sec", last.rows_per_sec),
        grouped(last.rows_end as f64)
    );
    match (first.latency, last.latency) {
        (Some(first), Some(last)) => format!(
            "{rates} 99 of 100 statements took at most {} milliseconds at the start, {} at the end.",
            single("p99_micros", first.p99_micros as f64),
            single("p99_micros", last.p99_micros as f64)
        ),
        _ => rates,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use idgen_record::{Existing, IdKind};

    #[test]
    fn rows_from_before_are_not_in_the_course() {
        let empty = Workload::of_rows(4_000).unwrap();
        assert_eq!(over(&empty), 0.0..4_000.0);
        let existing = Some(Existing { ids: Some(IdKind::V4), rows: 3_000 });
        assert_eq!(over(&Workload { existing, ..empty }), 3_000.0..7_000.0);
    }
}
