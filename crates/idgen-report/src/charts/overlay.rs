//! The courses of several recorded runs in one chart: a line for each, told apart by color and by the pattern of its dashes, so
//! that print and color-blind readers lose nothing.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::bars::round_step;
use super::lines::COLORS;
use super::{Chart, INK, WIDTH, failed, text};
use crate::error::Result;
use crate::figures::numbers::{grouped, rate, short};

/// One line: its name, and its values over the rows in the table, for each of the panels.
pub struct Overlaid {
    pub label: String,
    pub points: [Vec<(f64, f64)>; 2],
}

const LEFT: i32 = 66;
const RIGHT: i32 = 24;
const HEADING: i32 = 34;
const PLOT_HEIGHT: i32 = 180;
const AXIS_HEIGHT: i32 = 26;
const PANEL: i32 = HEADING + PLOT_HEIGHT + AXIS_HEIGHT;
const ROW_HEIGHT: i32 = 20;
/// Of a line in the legend: long enough that every pattern is seen twice.
const SAMPLE: i32 = 54;
const FONT_SIZE: i32 = 15;
/// Letters of a line of the legend.
const LETTERS: usize = 44;

/// Lengths of dashes and gaps in turn; none of an unbroken line. One more or less than the colors, so that the two agree again
/// only after all combinations.
const PATTERNS: [&[f64]; 5] =
    [&[], &[9.0, 5.0], &[2.0, 4.0], &[12.0, 4.0, 2.0, 4.0], &[5.0, 3.0, 2.0, 3.0, 2.0, 3.0]];

/// The largest number of lines that a reader can distinguish.
pub const MOST: usize = 12;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws the panels one below the other over the same rows, each from zero, and the legend below them.
pub fn overlay(title: &str, headings: [&str; 2], lines: &[Overlaid]) -> Result<Chart> {
    let labels: Vec<_> = lines.iter().map(|line| textwrap::wrap(&line.label, LETTERS)).collect();
    let rows: usize = labels.iter().map(Vec::len).sum();
    let legend = 2 * PANEL;
    let height = legend + ROW_HEIGHT * rows as i32 + 8;
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, height as u32)).into_drawing_area();
        for (number, heading) in headings.into_iter().enumerate() {
            panel(&root, number, heading, lines)?;
        }
        let mut row = legend;
        for (number, label) in labels.iter().enumerate() {
            let middle = row + ROW_HEIGHT / 2;
            let sample = [(f64::from(8), f64::from(middle)), (f64::from(8 + SAMPLE), f64::from(middle))];
            draw(&root, number, &sample)?;
            for words in label {
                let left = Pos::new(HPos::Left, VPos::Center);
                let at = (8 + SAMPLE + 8, row + ROW_HEIGHT / 2);
                root.draw(&Text::new(words.to_string(), at, text(FONT_SIZE).pos(left))).map_err(failed)?;
                row += ROW_HEIGHT;
            }
        }
        root.present().map_err(failed)?;
    }
    Ok(Chart::drawn(&svg, title, in_words(headings, lines)))
}

fn panel(root: &Area<'_>, number: usize, heading: &str, lines: &[Overlaid]) -> Result<()> {
    let top = number as i32 * PANEL + HEADING;
    let (floor, right) = (top + PLOT_HEIGHT, WIDTH as i32 - RIGHT);
    let everywhere = || lines.iter().flat_map(|line| line.points.iter().flatten());
    let first = everywhere().map(|point| point.0).fold(f64::MAX, f64::min);
    let last = everywhere().map(|point| point.0).fold(1.0, f64::max);
    let most = lines.iter().flat_map(|line| &line.points[number]).map(|point| point.1).fold(1.0, f64::max);
    let across = round_step((last - first.min(last)).max(1.0) / 3.0);
    let start = (first.min(last) / across).floor() * across;
    let up = round_step(most / 4.0);
    let end = up * (most / up).ceil();
    let x = |rows: f64| f64::from(LEFT) + (rows - start) / (last - start).max(1.0) * f64::from(right - LEFT);
    let y = |value: f64| f64::from(floor) - value / end * f64::from(PLOT_HEIGHT);
    let words = |words: String, at: (i32, i32), h| {
        root.draw(&Text::new(words, at, text(FONT_SIZE).pos(Pos::new(h, VPos::Center)))).map_err(failed)
    };
    words(heading.to_owned(), (8, top - HEADING / 2 - 5), HPos::Left)?;
    for tick in 0..=(end / up).round() as i32 {
        let value = up * f64::from(tick);
        let at = y(value).round() as i32;
        let strength = if tick == 0 { 0.5 } else { 0.15 };
        root.draw(&PathElement::new(vec![(LEFT, at), (right, at)], INK.mix(strength))).map_err(failed)?;
        words(grouped(value), (LEFT - 6, at), HPos::Right)?;
    }
    for tick in 0..=((last - start) / across).floor() as i32 {
        let rows = start + across * f64::from(tick);
        let at = x(rows).round() as i32;
        root.draw(&PathElement::new(vec![(at, floor), (at, floor + 4)], INK.mix(0.5))).map_err(failed)?;
        words(short(rows), (at, floor + AXIS_HEIGHT / 2 + 2), HPos::Center)?;
    }
    for (line, one) in lines.iter().enumerate() {
        let points: Vec<_> = one.points[number].iter().map(|(rows, value)| (x(*rows), y(*value))).collect();
        draw(root, line, &points)?;
    }
    Ok(())
}

/// The line with this number, in its color and pattern.
fn draw(root: &Area<'_>, number: usize, points: &[(f64, f64)]) -> Result<()> {
    let style = COLORS[number % COLORS.len()].stroke_width(2);
    for dash in dashes(points, PATTERNS[number % PATTERNS.len()]) {
        let pixels: Vec<_> = dash.iter().map(|(x, y)| (x.round() as i32, y.round() as i32)).collect();
        root.draw(&PathElement::new(pixels, style)).map_err(failed)?;
    }
    Ok(())
}

/// The parts of a line that are drawn: the pattern goes on from one point to the next.
fn dashes(points: &[(f64, f64)], pattern: &[f64]) -> Vec<Vec<(f64, f64)>> {
    let Some(first) = points.first().filter(|_| !pattern.is_empty()) else { return vec![points.to_vec()] };
    let (mut done, mut dash) = (Vec::new(), vec![*first]);
    let (mut place, mut left) = (0, pattern[0]);
    for ends in points.windows(2) {
        let [mut from, to] = [ends[0], ends[1]];
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length < left {
                left -= length;
                dash.extend((place % 2 == 0).then_some(to));
                break;
            }
            let share = if length > 0.0 { left / length } else { 1.0 };
            from = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            if place % 2 == 0 {
                dash.push(from);
                done.push(std::mem::take(&mut dash));
            } else {
                dash = vec![from];
            }
            place = (place + 1) % pattern.len();
            left = pattern[place];
        }
    }
    done.extend((place % 2 == 0 && dash.len() > 1).then_some(dash));
    done
}

fn in_words(headings: [&str; 2], lines: &[Overlaid]) -> String {
    let course = |heading: &str, points: &[(f64, f64)]| match (points.first(), points.last()) {
        (Some(first), Some(last)) => {
            format!(
                "{heading} from {} at {} rows to {} at {}",
                rate(first.1),
                grouped(first.0),
                rate(last.1),
                grouped(last.0)
            )
        }
        _ => format!("{heading} unknown"),
    };
    let said = lines.iter().map(|line| {
        let courses: Vec<_> =
            headings.iter().zip(&line.points).map(|(heading, points)| course(heading, points)).collect();
        format!("{}: {}", line.label, courses.join("; "))
    });
    format!("{}.", said.collect::<Vec<_>>().join(". "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_on_over_the_points_and_keep_their_lengths() {
        // A line of 30 in steps of 1: nine, a gap of five, nine, a gap of five, two.
        let points: Vec<_> = (0..=30).map(|x| (f64::from(x), 5.0)).collect();
        let ends: Vec<_> =
            dashes(&points, &[9.0, 5.0]).iter().map(|dash| (dash[0].0, dash[dash.len() - 1].0)).collect();
        assert_eq!(ends, [(0.0, 9.0), (14.0, 23.0), (28.0, 30.0)]);
        // The same in one step.
        let whole: Vec<_> = dashes(&[points[0], points[30]], &[9.0, 5.0]);
        assert_eq!(whole.iter().map(|dash| (dash[0].0, dash[1].0)).collect::<Vec<_>>(), ends);
        assert_eq!(dashes(&points, &[]), [points]);
        assert!(dashes(&[], &[9.0, 5.0])[0].is_empty());
    }

    #[test]
    fn every_line_has_a_color_and_a_pattern_of_its_own() {
        let looks: std::collections::BTreeSet<_> =
            (0..MOST).map(|line| (line % COLORS.len(), line % PATTERNS.len())).collect();
        assert_eq!(looks.len(), MOST);
    }
}
