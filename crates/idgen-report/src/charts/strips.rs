//! The runs of each row of a table as points, all rows over one axis: a chart that filters and sorts with its table.

use std::fmt::Write as _;

use super::axis::Axis;
use super::{LETTER_WIDTH, color};
use idgen_record::Family;

/// The drawings of a column of a table.
#[derive(Debug, Default)]
pub struct Strips {
    /// A drawing for each row. Its numbers are in the row, so it has no words.
    pub rows: Vec<String>,
    /// The axis, below the rows.
    pub axis: String,
}

/// Pixels of a drawing.
const WIDTH: i32 = 240;
const HEIGHT: i32 = 28;
const AXIS_HEIGHT: i32 = 16;
/// Pixels beside the axis, for the points and the numbers at its ends.
const MARGIN: i32 = 12;

/// Draws a point for each value of each row; of several runs, the first is at the top.
pub fn strips(rows: &[(Family, Vec<f64>)], scale: idgen_record::Axis) -> Strips {
    let values = || rows.iter().flat_map(|(_, values)| values.iter().copied());
    let most = values().fold(0.0, f64::max);
    let axis = Axis::of(scale, most);
    let place = |value: f64| f64::from(MARGIN) + axis.share(value) * f64::from(WIDTH - 2 * MARGIN);
    let ticks: Vec<_> = axis.ticks().map(|(tick, label)| (place(tick).round() as i32, label)).collect();
    let grid: String = ticks.iter().map(|(x, _)| format!("M{x} 0V{HEIGHT}")).collect();
    let row = |(family, values): &(Family, Vec<f64>)| {
        let step = f64::from(HEIGHT - 2) / values.len() as f64;
        // A line without a length and with round ends is a point.
        let points: String = (0..)
            .zip(values)
            .map(|(run, value)| format!("M{:.1} {:.1}h0", place(*value), 1.0 + step * (f64::from(run) + 0.5)))
            .collect();
        let plotters::style::RGBColor(red, green, blue) = color(*family);
        format!(
            "<svg class=\"strip\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" aria-hidden=\"true\"><path class=\"ticks\" d=\"{grid}\"/>\
             <path class=\"runs\" stroke=\"#{red:02x}{green:02x}{blue:02x}\" d=\"{points}\"/></svg>"
        )
    };
    let (mut numbers, mut free_from) = (String::new(), i32::MIN);
    for (x, label) in ticks {
        let half = (LETTER_WIDTH - 1) * label.chars().count() as i32 / 2 + 2;
        let x = x.clamp(half, WIDTH - half);
        if x - half >= free_from {
            let _ = write!(numbers, "<text x=\"{x}\" y=\"12\">{label}</text>");
            free_from = x + half;
        }
    }
    Strips {
        rows: rows.iter().map(row).collect(),
        axis: format!(
            "<svg class=\"strip\" viewBox=\"0 0 {WIDTH} {AXIS_HEIGHT}\" aria-hidden=\"true\">{numbers}</svg>"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_a_point_in_its_order() {
        let drawn = strips(
            &[(Family::Random, vec![500.0, 100.0, 1.0]), (Family::Time, vec![0.0])],
            idgen_record::Axis::Log,
        );
        let counts: Vec<_> = drawn.rows.iter().map(|row| row.matches("h0").count()).collect();
        assert_eq!(counts, [3, 1]);
        let (first, last) = (drawn.rows[0].find("M206.3 5.3h0"), drawn.rows[0].find("M12.0 22.7h0"));
        assert!(first.is_some() && first < last, "{}", drawn.rows[0]);
        assert!(drawn.axis.contains(">1</text>") && drawn.axis.contains(">1k</text>"), "{}", drawn.axis);
        assert!(!drawn.rows.concat().contains("NaN"));
        assert!(strips(&[], idgen_record::Axis::Linear).rows.is_empty());
    }
}
