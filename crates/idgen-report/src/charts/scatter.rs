//! Two metrics against each other, a numbered point for each strategy, with its name below: what one costs and the other
//! saves.

use super::axis::{Axis, round_step};
use super::plot::{Legend, Mark, Panel, Plot, Series};
use super::{Chart, INK, color};
use crate::error::Result;
use crate::figures::numbers::short;
use idgen_record::{Family, Sample};

/// One strategy.
pub struct Point {
    /// Its name in the legend.
    pub label: String,
    /// Gives the color.
    pub family: Family,
    /// The value across in each run.
    pub across: Sample,
    /// The value upwards in each run.
    pub up: Sample,
    /// Both as they are written.
    pub written: [String; 2],
}

/// Draws the points; upwards in factors of ten.
pub fn scatter(title: &str, across: &str, up: &str, points: &[Point]) -> Result<Chart> {
    let at = |point: &Point| (point.across.median(), point.up.median().max(LEAST));
    let dot = |point: &Point| Series {
        mark: Some(Mark { shape: 0, filled: true }),
        ..Series::line(vec![at(point)], color(point.family).into(), 1)
    };
    let ranges = |point: &Point| {
        let (x, y) = at(point);
        let (across, up) = (&point.across, &point.up);
        let up = [up.min(), up.max()].map(|value| (x, value.max(LEAST)));
        [vec![(across.min(), y), (across.max(), y)], up.to_vec()]
            .map(|ends| Series::line(ends, INK.into(), 1))
    };
    let named = |(number, point): (usize, &Point)| (dot(point), format!("{number} {}", point.label));
    let (x, y) = axes(points);
    let series = points.iter().flat_map(ranges).chain(points.iter().map(dot)).collect();
    let words: Vec<_> = points
        .iter()
        .map(|point| format!("{}: {} and {}", point.label, point.written[0], point.written[1]))
        .collect();
    let panel = Panel::of(x, y, series);
    let numbered = points.iter().map(at).collect();
    Plot {
        title: title.into(),
        words: format!("{across} and {up}. {}", words.join("; ")),
        panels: vec![Panel { heading: up.into(), across: across.into(), numbered, height: 250, ..panel }],
        legend: Legend { entries: (1..).zip(points).map(named).collect(), sample: 0, columns: 2 },
    }
    .draw()
}

/// The least that the logarithmic axis shows.
const LEAST: f64 = 0.1;

/// The axes: across from round number to round number, with space for the marks at both ends.
fn axes(points: &[Point]) -> (Axis, Axis) {
    let values =
        |of: fn(&Point) -> &Sample| points.iter().flat_map(move |point| of(point).values().iter().copied());
    let most = values(|point| &point.across).fold(0.0, f64::max);
    let least = values(|point| &point.across).fold(most, f64::min);
    let step = round_step(((most - least) / 3.0).max(most / 100.0).max(0.01));
    let space = if least % step < step / 8.0 { step / 2.0 } else { 0.0 };
    let left = ((least / step).floor() * step - space).max(0.0);
    let right = (most / step).ceil() * step + step / 4.0;
    let top = values(|point| &point.up).fold(1.0, f64::max);
    let low = values(|point| &point.up).fold(top, f64::min).max(LEAST);
    (Axis::between(left, right, step, short), Axis::of_factors(low, top, short))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(label: &str, across: &[f64], up: &[f64]) -> Point {
        let sample = |values: &[f64]| Sample::of(values.to_vec()).unwrap();
        let written = ["many bytes".to_owned(), "few pages".to_owned()];
        Point { label: label.into(), family: Family::Time, across: sample(across), up: sample(up), written }
    }

    #[test]
    fn each_point_has_its_number_and_its_name() {
        let points: Vec<_> =
            (0..24).map(|number| point(&format!("key {number}"), &[100.0], &[3.0])).collect();
        let svg = scatter("A<B", "bytes", "pages", &points).unwrap().inline();
        assert_eq!(svg.matches("<circle").count(), 2 * 24, "{svg}");
        assert!(svg.contains("\n24 key 23\n") && svg.contains("<title>A&lt;B</title>"), "{svg}");
        assert!(svg.contains("key 23: many bytes and few pages") && !svg.contains("NaN"), "{svg}");
        for points in [vec![], vec![point("zero", &[0.0, 0.0], &[0.0, 5.0])]] {
            let svg = scatter("t", "a", "b", &points).unwrap().inline();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
