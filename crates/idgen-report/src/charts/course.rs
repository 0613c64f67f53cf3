//! One strategy's course over the run, before the faint curves of all the others: throughput and latency, or pages read
//! and written.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::AsRangedCoord;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::bars::round_step;
use super::{Chart, INK, WIDTH, color, failed, text};
use crate::error::Result;
use crate::figures::numbers::{grouped, short, write_single};
use idgen_record::{Metric, Results, Run, Window, Workload};

/// Of one curve.
const HEIGHT: u32 = 200;
/// Of what stands above a curve.
const HEADING: u32 = 22;

/// Of a letter of a label.
const LETTER_WIDTH: u32 = 8;

/// What is drawn over the rows in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// Rows per second and, below it, the 99th percentile of the statements' time where they were timed, on scales of
    /// factors of ten.
    Throughput,
    /// Pages read and, below it, pages written per 1,000 inserts, on linear scales from zero.
    Pages,
}

/// One curve: what stands above it, and its value in a window; nothing where it is not known.
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
    let mut svg = String::new();
    {
        let size = (WIDTH, (HEIGHT + HEADING) * measures.len() as u32);
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        // As wide in all curves, so that they have their rows one below the other.
        let scales: Vec<_> = measures.iter().map(|measure| kind.scale(results, measure)).collect();
        let ends = scales.iter().flat_map(|scale| [scale.start, scale.end]);
        let longest = ends.map(|end| label(end).len()).max().unwrap_or(0);
        let labels = longest as u32 * LETTER_WIDTH + 8;
        let areas = root.split_evenly((measures.len(), 1));
        for ((area, measure), scale) in areas.iter().zip(&measures).zip(scales) {
            let place = (labels as i32, HEADING as i32 / 2 + 3);
            let left = text(15).pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(measure.heading, place, left)).map_err(failed)?;
            let (_, plot) = area.split_vertically(HEADING);
            match kind {
                Course::Throughput => curve(&plot, results, run, measure, scale.log_scale(), labels)?,
                Course::Pages => curve(&plot, results, run, measure, scale, labels)?,
            }
        }
        root.present().map_err(failed)?;
    }
    let words = match kind {
        Course::Throughput => throughput_in_words(run),
        Course::Pages => pages_in_words(run),
    };
    Ok(Chart::drawn(&svg, &format!("{}: {what} over the run", run.strategy.title), words))
}

fn curve<Y>(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    results: &Results,
    run: &Run,
    measure: &Measure,
    scale: impl AsRangedCoord<CoordDescType = Y, Value = f64>,
    labels: u32,
) -> Result<()>
where
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let points = |windows: &[Window]| -> Vec<_> {
        windows.iter().filter_map(|window| Some((window.rows_end, (measure.of)(window)?))).collect()
    };
    let mut chart = ChartBuilder::on(area)
        .margin_top(4)
        .margin_right(30)
        .x_label_area_size(24)
        .y_label_area_size(labels)
        .build_cartesian_2d(over(&results.workload), scale)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .x_labels(4)
        .y_labels(4)
        .x_label_formatter(&|rows| short(*rows as f64))
        .y_label_formatter(&|value| label(*value))
        .label_style(text(15))
        .axis_style(INK.mix(0.5))
        .bold_line_style(INK.mix(0.15))
        .light_line_style(TRANSPARENT)
        .draw()
        .map_err(failed)?;
    for other in results.runs.iter().filter(|other| other.strategy != run.strategy) {
        chart.draw_series(LineSeries::new(points(&other.windows), INK.mix(0.12))).map_err(failed)?;
    }
    let own = color(run.strategy.family());
    for repeat in &run.repeats {
        chart.draw_series(LineSeries::new(points(&repeat.windows), own.mix(0.5))).map_err(failed)?;
    }
    chart.draw_series(LineSeries::new(points(&run.windows), own.stroke_width(2))).map_err(failed)?;
    Ok(())
}

/// Rows in the table at the beginning of the run and at its end.
fn over(load: &Workload) -> Range<u64> {
    load.existing_rows()..load.rows_at_end()
}

/// The least that a logarithmic scale shows: a microsecond, in milliseconds.
const LEAST: f64 = 0.001;

impl Course {
    /// The axis that holds the values of all runs: whole factors of ten, at least one, or from zero to a round number.
    fn scale(self, results: &Results, measure: &Measure) -> Range<f64> {
        let most = values(results, measure).fold(0.0, f64::max);
        match self {
            Course::Throughput => {
                let low = values(results, measure).fold(f64::MAX, f64::min).max(LEAST).log10().floor();
                let high = most.max(LEAST).log10().ceil();
                10_f64.powf(low)..10_f64.powf(high.max(low + 1.0))
            }
            Course::Pages => {
                // Where nothing was read or written there is still an axis.
                let step = round_step(most.max(1.0) / 4.0);
                0.0..step * (most / step).ceil().max(1.0)
            }
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

/// Of all runs, the repeated ones too.
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
        assert_eq!(over(&empty), 0..4_000);
        let existing = Some(Existing { ids: Some(IdKind::V4), rows: 3_000 });
        assert_eq!(over(&Workload { existing, ..empty }), 3_000..7_000);
    }
}
