//! Two metrics against each other, a numbered point for each strategy, with its name below: what one costs and the other
//! saves.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::bars::round_step;
use super::{Chart, INK, WIDTH, color, failed, text};
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

const PLOT_HEIGHT: u32 = 250;
const HEADING: i32 = 22;
const ACROSS_HEIGHT: i32 = 44;
const ROW_HEIGHT: i32 = 20;
/// Names that stand beside each other in the legend.
const COLUMNS: i32 = 2;
/// Half of a number's box, with what keeps it apart from others.
const NUMBER: (i32, i32) = (9, 7);

/// Draws the points; upwards in factors of ten.
pub fn scatter(title: &str, across: &str, up: &str, points: &[Point]) -> Result<Chart> {
    let rows = (points.len() as i32 + COLUMNS - 1) / COLUMNS;
    let height = HEADING + PLOT_HEIGHT as i32 + ACROSS_HEIGHT + rows * ROW_HEIGHT + 4;
    let values =
        |of: fn(&Point) -> &Sample| points.iter().flat_map(move |point| of(point).values().iter().copied());
    let most = values(|point| &point.across).fold(0.0, f64::max);
    let least = values(|point| &point.across).fold(most, f64::min);
    // From round number to round number, with room for the marks at both ends.
    let step = round_step(((most - least) / 3.0).max(most / 100.0).max(0.01));
    let left =
        ((least / step).floor() * step - if least % step < step / 8.0 { step / 2.0 } else { 0.0 }).max(0.0);
    let right = (most / step).ceil() * step + step / 4.0;
    let top = values(|point| &point.up).fold(1.0, f64::max);
    let low = values(|point| &point.up).fold(top, f64::min).max(0.1).log10().floor();
    let high = top.log10().ceil().max(low + 1.0);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, height as u32)).into_drawing_area();
        let word = |words: String, at: (i32, i32), side: HPos| {
            root.draw(&Text::new(words, at, text(15).pos(Pos::new(side, VPos::Center)))).map_err(failed)
        };
        word(up.to_owned(), (6, HEADING / 2), HPos::Left)?;
        let (_, below) = root.split_vertically(HEADING);
        let (plot, _) = below.split_vertically(PLOT_HEIGHT + 24);
        let mut chart = ChartBuilder::on(&plot)
            .margin_right(16)
            .x_label_area_size(24)
            .y_label_area_size(48)
            .build_cartesian_2d(left..right, (10_f64.powf(low)..10_f64.powf(high)).log_scale())
            .map_err(failed)?;
        chart
            .configure_mesh()
            .x_labels(5)
            .y_labels(4)
            .x_label_formatter(&|value| short(*value))
            .y_label_formatter(&|value| short(*value))
            .label_style(text(15))
            .axis_style(INK.mix(0.5))
            .bold_line_style(INK.mix(0.15))
            .light_line_style(TRANSPARENT)
            .draw()
            .map_err(failed)?;
        let mut taken = Vec::new();
        let at = |point: &Point| (point.across.median(), point.up.median().max(0.1));
        for point in points {
            let (x, y) = at(point);
            let ink = color(point.family);
            for ends in [
                vec![(point.across.min(), y), (point.across.max(), y)],
                vec![(x, point.up.min().max(0.1)), (x, point.up.max().max(0.1))],
            ] {
                chart.draw_series([PathElement::new(ends, INK.stroke_width(1))]).map_err(failed)?;
            }
            chart.draw_series([Circle::new((x, y), 4, ink.filled())]).map_err(failed)?;
            let (x, y) = chart.backend_coord(&(x, y));
            taken.push((x, y));
        }
        // All points are there: now each number takes the nearest free place beside its own.
        for (number, point) in (1..).zip(points) {
            let (x, y) = chart.backend_coord(&at(point));
            let place = free_place((x, y), &taken);
            taken.push(place);
            if (place.0 - x).abs().max((place.1 - y).abs()) > 20 {
                root.draw(&PathElement::new(vec![(x, y), place], INK.mix(0.4))).map_err(failed)?;
            }
            word(number.to_string(), place, HPos::Center)?;
        }
        let floor = HEADING + PLOT_HEIGHT as i32 + 24 + 8;
        word(across.to_owned(), (WIDTH as i32 / 2 + 24, floor), HPos::Center)?;
        for (place, point) in (0..).zip(points) {
            let (column, row) = (place / rows.max(1), place % rows.max(1));
            let (left, middle) = (
                6 + column * WIDTH as i32 / COLUMNS,
                HEADING + PLOT_HEIGHT as i32 + ACROSS_HEIGHT + row * ROW_HEIGHT + ROW_HEIGHT / 2,
            );
            root.draw(&Circle::new((left + 4, middle), 4, color(point.family).filled())).map_err(failed)?;
            word(format!("{} {}", place + 1, point.label), (left + 14, middle), HPos::Left)?;
        }
        root.present().map_err(failed)?;
    }
    let words: Vec<_> = points
        .iter()
        .map(|point| format!("{}: {} and {}", point.label, point.written[0], point.written[1]))
        .collect();
    Ok(Chart::drawn(&svg, title, format!("{across} and {up}. {}", words.join("; "))))
}

/// The nearest place around a point that no number and no other point has.
fn free_place((x, y): (i32, i32), taken: &[(i32, i32)]) -> (i32, i32) {
    const DIRECTIONS: [(i32, i32); 8] =
        [(1, 0), (0, -1), (-1, 0), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)];
    let free = |(across, down): (i32, i32)| {
        let apart = |(other_x, other_y): &(i32, i32)| {
            (other_x - across).abs() > 2 * NUMBER.0 - 5 || (other_y - down).abs() > 2 * NUMBER.1 - 3
        };
        across > 56 && across < WIDTH as i32 - 10 && down > HEADING && taken.iter().all(apart)
    };
    let places = (1..8).flat_map(|ring| {
        DIRECTIONS
            .into_iter()
            .map(move |(across, down)| (x + across * (6 + 8 * ring), y + down * (4 + 9 * ring)))
    });
    places.into_iter().find(|place| free(*place)).unwrap_or((x + 14, y))
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

    #[test]
    fn numbers_keep_apart() {
        let mut taken = vec![(200, 100)];
        for _ in 0..12 {
            let place = free_place((200, 100), &taken);
            assert!(
                taken.iter().all(|(x, y)| (x - place.0).abs() > 12 || (y - place.1).abs() > 10),
                "{taken:?}"
            );
            taken.push(place);
        }
    }
}
