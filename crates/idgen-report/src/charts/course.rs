//! One strategy's throughput and latency over the run, before the faint curves of all the others.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::{Chart, INK, WIDTH, colour, failed, text};
use crate::Result;
use crate::numbers::{grouped, write};
use idgen_record::{Results, RunRecord, Unit, Window, Workload};

/// Of one curve.
const HEIGHT: u32 = 200;

/// Of a letter of a label.
const LETTER_WIDTH: u32 = 8;

/// What is drawn over the rows in the table; nothing where it is not known.
type Measure = fn(&Window) -> Option<f64>;

/// Draws rows per second and, below it, the 99th percentile of the statements' time where they were timed, on
/// scales of factors of ten. All charts of one report have the same axes.
pub fn course(results: &Results, run: &RunRecord) -> Result<Chart> {
    let rate: Measure = |window| Some(window.rows_per_sec);
    let slowest: Measure = |window| window.latency.map(|latency| latency.p99_micros as f64 / 1_000.0);
    let (measures, timed) = match values(results, slowest).next() {
        Some(_) => (vec![rate, slowest], ", and how long statements took,"),
        None => (vec![rate], ""),
    };

    let mut svg = String::new();
    {
        let size = (WIDTH, HEIGHT * measures.len() as u32);
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        // As wide in all curves, so that they have their rows one below the other.
        let scales: Vec<_> = measures.iter().map(|measure| decades(results, *measure)).collect();
        let ends = scales.iter().flat_map(|scale| [scale.start, scale.end]);
        let longest = ends.map(|end| label(end).len()).max().unwrap_or(0);
        let labels = longest as u32 * LETTER_WIDTH + 8;
        let areas = root.split_evenly((measures.len(), 1));
        for ((area, measure), scale) in areas.iter().zip(measures).zip(scales) {
            curve(area, results, run, measure, scale, labels)?;
        }
        root.present().map_err(failed)?;
    }
    let title = format!("{}: rows inserted per second{timed} over the run", run.strategy.title);
    Ok(Chart::drawn(&svg, &title, in_words(run)))
}

fn curve(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    results: &Results,
    run: &RunRecord,
    measure: Measure,
    scale: Range<f64>,
    labels: u32,
) -> Result<()> {
    let points = |run: &RunRecord| -> Vec<_> {
        run.windows.iter().filter_map(|window| Some((window.rows_end, measure(window)?))).collect()
    };
    let mut chart = ChartBuilder::on(area)
        .margin_top(8)
        .margin_right(30)
        .x_label_area_size(24)
        .y_label_area_size(labels)
        .build_cartesian_2d(over(&results.workload), scale.log_scale())
        .map_err(failed)?;
    chart
        .configure_mesh()
        .x_labels(4)
        .y_labels(4)
        .x_label_formatter(&|rows| grouped(*rows as f64))
        .y_label_formatter(&|value| label(*value))
        .label_style(text(15))
        .axis_style(INK.mix(0.5))
        .bold_line_style(INK.mix(0.15))
        .light_line_style(TRANSPARENT)
        .draw()
        .map_err(failed)?;
    for other in results.runs.iter().filter(|other| other.strategy != run.strategy) {
        chart.draw_series(LineSeries::new(points(other), INK.mix(0.12))).map_err(failed)?;
    }
    let own = colour(run.strategy.family).stroke_width(2);
    chart.draw_series(LineSeries::new(points(run), own)).map_err(failed)?;
    Ok(())
}

/// Rows in the table at the beginning of the run and at its end.
fn over(load: &Workload) -> Range<u64> {
    load.existing_rows()..load.rows_at_end()
}

/// The least that a logarithmic scale shows: a microsecond, in milliseconds.
const LEAST: f64 = 0.001;

/// The whole factors of ten that hold all values, at least one.
fn decades(results: &Results, measure: Measure) -> Range<f64> {
    let low = values(results, measure).fold(f64::MAX, f64::min).max(LEAST).log10().floor();
    let high = values(results, measure).fold(LEAST, f64::max).log10().ceil();
    10_f64.powf(low)..10_f64.powf(high.max(low + 1.0))
}

/// A value on an axis: `0.01`, `1,000`.
fn label(value: f64) -> String {
    if value >= 1.0 {
        return grouped(value);
    }
    format!("{value:.3}").trim_end_matches('0').to_owned()
}

/// Of all runs.
fn values(results: &Results, measure: Measure) -> impl Iterator<Item = f64> {
    results.runs.iter().flat_map(|run| &run.windows).filter_map(measure)
}

fn in_words(run: &RunRecord) -> String {
    let (Some(first), Some(last)) = (run.windows.first(), run.windows.last()) else { return String::new() };
    let rates = format!(
        "From {} rows per second at the start to {} at {} rows.",
        grouped(first.rows_per_sec),
        grouped(last.rows_per_sec),
        grouped(last.rows_end as f64)
    );
    match (first.latency, last.latency) {
        (Some(first), Some(last)) => format!(
            "{rates} 99 of 100 statements took at most {} milliseconds at the start, {} at the end.",
            write(Unit::Micros, first.p99_micros as f64),
            write(Unit::Micros, last.p99_micros as f64)
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
        let existing = Some(Existing { ids: IdKind::V4, rows: 3_000 });
        assert_eq!(over(&Workload { existing, ..empty }), 3_000..7_000);
    }
}
