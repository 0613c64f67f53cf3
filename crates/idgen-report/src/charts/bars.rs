//! Horizontal bars, one or more per strategy, with their values written at their ends.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::axis::Axis;
use super::{Area, Chart, INK, WIDTH, below, color, failed, stroke, word};
use crate::error::Result;
use idgen_record::Family;

/// A bar of the chart, with its label and its value.
pub struct Bar {
    /// The text at its left.
    pub label: String,
    /// The family, which gives the color.
    pub family: Family,
    /// The value, which is the length of the bar on the axis.
    pub value: f64,
    /// The text at its end.
    pub written: String,
    /// A mark across the bar, such as a percentile.
    pub mark: Option<f64>,
    /// The value in each run, where there was more than one: a dot each, and a line from the least to the most.
    pub points: Vec<f64>,
}

/// The least and the greatest width of the labels, in pixels. They are as wide as the longest needs, within
/// these.
const LABEL_WIDTH: (i32, i32) = (146, 216);
const NAME_LETTER: i32 = 7;
const VALUE_WIDTH: i32 = 52;
const ROW_HEIGHT: i32 = 24;
const AXIS_HEIGHT: i32 = 24;

/// Draws the bars.
pub fn bars(title: &str, rows: &[Bar], scale: idgen_record::Axis) -> Result<Chart> {
    let height = ROW_HEIGHT * rows.len() as i32 + AXIS_HEIGHT;
    let letters = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0) as i32;
    let label_width = (letters * NAME_LETTER + 14).clamp(LABEL_WIDTH.0, LABEL_WIDTH.1);
    let furthest = |row: &Bar| row.points.iter().copied().chain(row.mark).fold(row.value, f64::max);
    let axis = Axis::of(scale, rows.iter().map(furthest).fold(0.0, f64::max));
    let width = f64::from(WIDTH as i32 - label_width - VALUE_WIDTH);
    let place = |value: f64| label_width + (axis.share(value) * width).round() as i32;
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, height as u32)).into_drawing_area();
        let floor = height - AXIS_HEIGHT;
        let ticks: Vec<_> = axis.ticks().map(|(tick, label)| (place(tick), label)).collect();
        ticks.iter().try_for_each(|(x, _)| stroke(&root, &[(*x, 0), (*x, floor)], 0.15))?;
        below(&root, ticks, floor + AXIS_HEIGHT / 2)?;
        for (top, row) in (0..).step_by(ROW_HEIGHT as usize).zip(rows) {
            let middle = top + ROW_HEIGHT / 2;
            let end = place(row.value).max(label_width + 2);
            word(&root, &row.label, (label_width - 6, middle), HPos::Right)?;
            let corners = [(label_width, top + 4), (end, top + ROW_HEIGHT - 4)];
            root.draw(&Rectangle::new(corners, color(row.family).filled())).map_err(failed)?;
            let mark = row.mark.filter(|mark| mark.is_finite()).map(place);
            if let Some(x) = mark {
                let line = vec![(x, top + 2), (x, top + ROW_HEIGHT - 2)];
                root.draw(&PathElement::new(line, INK.stroke_width(2))).map_err(failed)?;
            }
            let points: Vec<i32> = row.points.iter().map(|point| place(*point)).collect();
            spread(&root, &points, middle)?;
            // A mark beyond the bar would cross the number.
            let number = points.into_iter().chain(mark).fold(end, i32::max) + 5;
            word(&root, &row.written, (number, middle), HPos::Left)?;
        }
        root.present().map_err(failed)?;
    }
    let words: Vec<_> = rows.iter().map(|row| format!("{}: {}", row.label, row.written)).collect();
    Ok(Chart::drawn(&svg, title, words.join("; ")))
}

/// The runs of a bar: a line from the least to the most with ends across it, and a dot for each.
fn spread(root: &Area<'_>, points: &[i32], middle: i32) -> Result<()> {
    let (Some(least), Some(most)) = (points.iter().min(), points.iter().max()) else { return Ok(()) };
    let line = |from: (i32, i32), to: (i32, i32)| {
        root.draw(&PathElement::new(vec![from, to], INK.stroke_width(1))).map_err(failed)
    };
    line((*least, middle), (*most, middle))?;
    for end in [*least, *most] {
        line((end, middle - 4), (end, middle + 4))?;
    }
    points
        .iter()
        .try_for_each(|point| root.draw(&Circle::new((*point, middle), 2, INK.filled())).map_err(failed))
}
