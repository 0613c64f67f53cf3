//! Horizontal bars, one or more per strategy, with their values written at their ends.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Chart, INK, WIDTH, color, failed, text};
use crate::error::Result;
use crate::figures::numbers::{figure_text, short};
use idgen_record::{Axis, Family};

/// One line of the chart.
pub struct Bar {
    /// Written at its left.
    pub label: String,
    /// Gives the color.
    pub family: Family,
    /// How far the bar reaches.
    pub value: f64,
    /// Written at its end.
    pub written: String,
    /// A mark across the bar, such as a percentile.
    pub mark: Option<f64>,
    /// The value in each run, where there was more than one: a dot each, and a line from the least to the most.
    pub points: Vec<f64>,
}

/// Of the labels: as wide as the longest needs, within these.
const LABEL_WIDTH: (i32, i32) = (146, 216);
const LETTER_WIDTH: i32 = 7;
const VALUE_WIDTH: i32 = 52;
const ROW_HEIGHT: i32 = 24;
const AXIS_HEIGHT: i32 = 24;
const FONT_SIZE: i32 = 16;

/// What a step to the right means.
#[derive(Clone, Copy, PartialEq)]
pub enum Scale {
    /// The same amount everywhere; the axis ends here.
    UpTo(f64),
    /// The same amount everywhere; the axis ends at a round number.
    Linear,
    /// A factor, beginning at 1; a bar below that is a stub.
    Log,
}

impl From<Axis> for Scale {
    fn from(axis: Axis) -> Self {
        match axis {
            Axis::Log => Scale::Log,
            Axis::Linear => Scale::Linear,
            Axis::Percent => Scale::UpTo(100.0),
        }
    }
}

impl Scale {
    /// A value of a metric as it is drawn: a share on an axis up to 100 is drawn in percent.
    pub fn of(self, value: f64) -> f64 {
        match self {
            Scale::UpTo(top) => value * top,
            Scale::Linear | Scale::Log => value,
        }
    }
}

/// Draws the bars.
pub fn bars(title: &str, rows: &[Bar], scale: Scale) -> Result<Chart> {
    let height = ROW_HEIGHT * rows.len() as i32 + AXIS_HEIGHT;
    let letters = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0) as i32;
    let label_width = (letters * LETTER_WIDTH + 14).clamp(LABEL_WIDTH.0, LABEL_WIDTH.1);
    let furthest = |row: &Bar| row.points.iter().copied().chain(row.mark).fold(row.value, f64::max);
    let most = rows.iter().map(furthest).fold(0.0, f64::max);
    let most = if scale == Scale::Log || most <= 0.0 { most.max(1.0) } else { most };
    let decades = most.log10().ceil().max(1.0);
    let (top, ticks): (f64, Vec<f64>) = match scale {
        Scale::Log => (10_f64.powf(decades), (0..=decades as i32).map(|power| 10_f64.powi(power)).collect()),
        Scale::UpTo(top) => (top, (0..=4).map(|quarter| top * f64::from(quarter) / 4.0).collect()),
        Scale::Linear => {
            let step = round_step(most / 4.0);
            let steps = (most / step).ceil();
            (step * steps, (0..=steps as i32).map(|number| step * f64::from(number)).collect())
        }
    };
    let place = |value: f64| {
        let share = if scale == Scale::Log { value.max(1.0).log10() / decades } else { value / top };
        let room = f64::from(WIDTH as i32 - label_width - VALUE_WIDTH);
        label_width + (share * room).round() as i32
    };
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, height as u32)).into_drawing_area();
        let floor = height - AXIS_HEIGHT;
        let center = |h| Pos::new(h, VPos::Center);
        let mut free_from = i32::MIN;
        for at in ticks {
            let x = place(at);
            root.draw(&PathElement::new(vec![(x, 0), (x, floor)], INK.mix(0.15))).map_err(failed)?;
            let label = if top < 4.0 { figure_text(at) } else { short(at) };
            // Many factors of ten stand close: a label that would touch the one before is left out.
            let half = LETTER_WIDTH * label.chars().count() as i32 / 2 + 2;
            if x - half >= free_from {
                free_from = x + half;
                let below = (x, floor + AXIS_HEIGHT / 2);
                root.draw(&Text::new(label, below, text(14).pos(center(HPos::Center)))).map_err(failed)?;
            }
        }
        for (index, row) in rows.iter().enumerate() {
            let top = ROW_HEIGHT * index as i32;
            let middle = top + ROW_HEIGHT / 2;
            let end = place(row.value).max(label_width + 2);
            let label = Text::new(
                row.label.clone(),
                (label_width - 6, middle),
                text(FONT_SIZE).pos(center(HPos::Right)),
            );
            root.draw(&label).map_err(failed)?;
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
            let written =
                Text::new(row.written.clone(), (number, middle), text(FONT_SIZE).pos(center(HPos::Left)));
            root.draw(&written).map_err(failed)?;
        }
        root.present().map_err(failed)?;
    }
    let words: Vec<_> = rows.iter().map(|row| format!("{}: {}", row.label, row.written)).collect();
    Ok(Chart::drawn(&svg, title, words.join("; ")))
}

/// The runs of a bar: a line from the least to the most with ends across it, and a dot for each.
fn spread(root: &DrawingArea<SVGBackend<'_>, Shift>, points: &[i32], middle: i32) -> Result<()> {
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

/// The next of 1, 2, 2.5 and 5 times a power of ten: a step between the lines of a grid.
pub(super) fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0].into_iter().find(|factor| factor * power >= least).unwrap_or(10.0);
    factor * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        for (least, step) in
            [(40.2, 50.0), (1.0, 1.0), (19.0, 20.0), (0.3, 0.5), (70.0, 100.0), (210.0, 250.0)]
        {
            assert!((round_step(least) - step).abs() < 1e-9, "{least}");
        }
    }
}
