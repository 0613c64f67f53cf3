//! A line for each thing compared, over a few numbers, with a legend below. What was published is dashed.

use super::axis::Axis;
use super::plot::{COLORS, Legend, Mark, Panel, Plot, Series};
use super::{Chart, INK};
use crate::error::Result;
use crate::figures::numbers::short;

/// A line of the chart.
pub struct Line {
    /// The name in the legend.
    pub label: String,
    /// The measured points: each place on the axis with its value, in order.
    pub measured: Vec<(f64, f64)>,
    /// The published points; empty where none were published.
    pub published: Vec<(f64, f64)>,
}

/// The meaning of the axes.
pub struct Axes<'a> {
    /// The name of the numbers on the horizontal axis, which is written below it.
    pub across: &'a str,
    /// Writes a value of the upward axis.
    pub write: fn(f64) -> String,
    /// A value to draw a stronger line at, with which the others are compared.
    pub base: Option<f64>,
}

/// Draws the lines; both axes begin at 0.
pub fn lines(title: &str, axes: &Axes<'_>, lines: &[Line]) -> Result<Chart> {
    let points = || lines.iter().flat_map(|line| line.measured.iter().chain(&line.published));
    let mut places: Vec<f64> = points().map(|point| point.0).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let most = points().map(|point| point.1).chain(axes.base).fold(0.0, f64::max);
    let whole = |number: usize, line: &Line| Series {
        mark: Some(Mark { shape: number, filled: true }),
        ..Series::line(line.measured.clone(), COLORS[number % COLORS.len()].into(), 2)
    };
    let published = |(number, line): (usize, &Line)| Series {
        points: line.published.clone(),
        dashes: DASHED,
        mark: Some(Mark { shape: number, filled: false }),
        ..whole(number, line)
    };
    let measured = lines.iter().enumerate().map(|(number, line)| whole(number, line));
    let series = lines.iter().enumerate().map(published).chain(measured.clone()).collect();
    let mut entries: Vec<_> =
        measured.zip(lines).map(|(series, line)| (series, line.label.clone())).collect();
    if lines.iter().any(|line| !line.published.is_empty()) {
        let sample = Series { dashes: DASHED, ..Series::line(Vec::new(), INK.into(), 2) };
        entries.push((sample, "the same, as published".into()));
    }
    let panel = Panel::of(Axis::at(places, short), Axis::from_zero(most, axes.write), series);
    Plot {
        title: title.into(),
        words: in_words(axes, lines),
        panels: vec![Panel { across: axes.across.into(), base: axes.base, ..panel }],
        legend: Legend { entries, sample: 34 },
    }
    .draw()
}

const DASHED: &[f64] = &[6.0, 4.0];

fn in_words(axes: &Axes<'_>, lines: &[Line]) -> String {
    let points = |points: &[(f64, f64)]| {
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{} at {x}", (axes.write)(*y))).collect();
        points.join(", ")
    };
    let lines: Vec<_> = lines
        .iter()
        .map(|line| match line.published.as_slice() {
            [] => format!("{}: {}", line.label, points(&line.measured)),
            published => {
                format!("{}: {}; published {}", line.label, points(&line.measured), points(published))
            }
        })
        .collect();
    format!("Over {}. {}.", axes.across, lines.join(". "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(label: &str, measured: &[(f64, f64)], published: &[(f64, f64)]) -> Line {
        Line { label: label.into(), measured: measured.to_vec(), published: published.to_vec() }
    }

    fn drawn(given: &[Line]) -> Chart {
        let write = |value| format!("{value:.1}");
        lines("Times", &Axes { across: "clients", write, base: Some(1.0) }, given).unwrap()
    }

    #[test]
    fn each_line_has_its_marks_its_legend_and_its_words() {
        let chart = drawn(&[
            line("a<b", &[(1.0, 1.0), (25.0, 1.0)], &[]),
            line("with", &[(1.0, 1.1), (25.0, 0.9)], &[(1.0, 1.0), (25.0, 1.8)]),
        ]);
        let svg = chart.inline();
        assert_eq!(svg.matches("<circle").count(), 3, "two marks and one in the legend: {svg}");
        assert!(svg.contains("a&lt;b") && svg.contains("the same, as published"), "{svg}");
        assert_eq!(
            chart.words,
            "Over clients. a<b: 1.0 at 1, 1.0 at 25. with: 1.1 at 1, 0.9 at 25; published 1.0 at 1, 1.8 at 25."
        );
        // 1.8 is below 2.0, the end of the axis.
        assert!(svg.contains("2.0") && !svg.contains("2.5"), "{svg}");
    }

    #[test]
    fn one_point_and_none_make_a_chart_too() {
        for given in [&[][..], &[line("a", &[], &[])], &[line("a", &[(4.0, 0.0)], &[(4.0, 0.5)])]] {
            let svg = drawn(given).inline();
            assert!(svg.ends_with("</svg>") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
