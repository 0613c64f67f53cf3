//! One strategy's throughput over the run, before the faint curves of all the others.

use plotters::prelude::*;

use super::{Chart, INK, WIDTH, colour, failed, text};
use crate::Result;
use crate::measure::{Results, RunRecord};
use crate::report::numbers::grouped;

const HEIGHT: u32 = 200;

/// Draws rows per second, on a scale of factors of ten, over the rows in the table. All charts of one
/// report have the same axes.
pub fn course(results: &Results, run: &RunRecord) -> Result<Chart> {
    let rates = || results.runs.iter().flat_map(|run| run.windows.iter().map(|window| window.rows_per_sec));
    let low = 10_f64.powf(rates().fold(f64::MAX, f64::min).max(1.0).log10().floor());
    let high = 10_f64.powf(rates().fold(10.0, f64::max).log10().ceil());
    let points =
        |run: &RunRecord| run.windows.iter().map(|w| (w.rows_end, w.rows_per_sec)).collect::<Vec<_>>();

    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT)).into_drawing_area();
        let mut chart = ChartBuilder::on(&root)
            .margin_top(8)
            .margin_right(30)
            .x_label_area_size(24)
            .y_label_area_size(72)
            .build_cartesian_2d(0..results.workload.rows, (low..high.max(low * 10.0)).log_scale())
            .map_err(failed)?;
        chart
            .configure_mesh()
            .x_labels(4)
            .y_labels(4)
            .x_label_formatter(&|rows| grouped(*rows as f64))
            .y_label_formatter(&|rate| grouped(*rate))
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
        root.present().map_err(failed)?;
    }
    let title = format!("{}: rows inserted per second over the run", run.strategy.title);
    let description = match (run.windows.first(), run.windows.last()) {
        (Some(first), Some(last)) => format!(
            "From {} rows a second at the start to {} at {} rows.",
            grouped(first.rows_per_sec),
            grouped(last.rows_per_sec),
            grouped(last.rows_end as f64)
        ),
        _ => String::new(),
    };
    Ok(Chart::drawn(&svg, &title, description))
}
