//! A line for each thing compared, over a few numbers, with a legend below. What was published is dashed.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::bars::round_step;
use super::{Chart, INK, WIDTH, failed, text};
use crate::error::Result;
use crate::figures::numbers::short;

/// One line of the chart.
pub struct Line {
    /// Its name in the legend.
    pub label: String,
    /// What was measured: each place on the axis with its value, in order.
    pub measured: Vec<(f64, f64)>,
    /// The same as published; none where nothing was.
    pub published: Vec<(f64, f64)>,
}

/// What the axes mean.
pub struct Axes<'a> {
    /// What the numbers below are, in the legend.
    pub across: &'a str,
    /// How a value is written.
    pub write: fn(f64) -> String,
    /// A value to draw a stronger line at: what the others are set against.
    pub base: Option<f64>,
}

const LEFT: i32 = 66;
const RIGHT: i32 = 18;
const TOP: i32 = 10;
const PLOT_HEIGHT: i32 = 170;
const AXIS_HEIGHT: i32 = 24;
const ROW_HEIGHT: i32 = 21;
const FONT_SIZE: i32 = 16;
const SAMPLE: i32 = 34;

/// Mid tones with at least 3:1 contrast on white and on near-black. Each line has a mark of its own shape
/// besides, so that nothing depends on telling colors apart.
pub(super) const COLORS: [RGBColor; 6] = [
    RGBColor(0x2f, 0x7f, 0xc9),
    RGBColor(0xd1, 0x4d, 0x41),
    RGBColor(0x2b, 0x8a, 0x5f),
    RGBColor(0x94, 0x69, 0xc8),
    RGBColor(0xb0, 0x7d, 0x1b),
    RGBColor(0x7a, 0x7f, 0x87),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws the lines; both axes begin at 0, a logarithmic one at 1.
pub fn lines(title: &str, axes: &Axes<'_>, lines: &[Line]) -> Result<Chart> {
    let published = lines.iter().any(|line| !line.published.is_empty());
    let legend = TOP + PLOT_HEIGHT + AXIS_HEIGHT + ROW_HEIGHT;
    let height = legend + ROW_HEIGHT * (lines.len() as i32 + i32::from(published)) + 4;
    let place = Place::of(lines, axes);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, height as u32)).into_drawing_area();
        grid(&root, &place, axes)?;
        for (number, line) in lines.iter().enumerate() {
            let ink = Ink::of(number);
            ink.dashes(&root, &place.all(&line.published))?;
            ink.whole(&root, &place.all(&line.measured))?;
        }
        let word = |row: i32, words: &str| {
            let left = Pos::new(HPos::Left, VPos::Center);
            let at = (LEFT + SAMPLE + 8, legend + ROW_HEIGHT * row + ROW_HEIGHT / 2);
            root.draw(&Text::new(words.to_owned(), at, text(FONT_SIZE).pos(left))).map_err(failed)
        };
        for (row, line) in (0..).zip(lines) {
            let middle = legend + ROW_HEIGHT * row + ROW_HEIGHT / 2;
            Ink::of(row as usize).sample(&root, LEFT, middle)?;
            word(row, &line.label)?;
        }
        if published {
            let row = lines.len() as i32;
            let middle = legend + ROW_HEIGHT * row + ROW_HEIGHT / 2;
            dashed(&root, &[(LEFT, middle), (LEFT + SAMPLE, middle)], INK.to_rgba())?;
            word(row, "the same, as published")?;
        }
        root.present().map_err(failed)?;
    }
    Ok(Chart::drawn(&svg, title, in_words(axes, lines)))
}

/// From values to pixels.
struct Place {
    places: Vec<f64>,
    step: f64,
    top: f64,
}

impl Place {
    fn of(lines: &[Line], axes: &Axes<'_>) -> Self {
        let points = || lines.iter().flat_map(|line| line.measured.iter().chain(&line.published));
        let mut places: Vec<f64> = points().map(|point| point.0).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let most = points().map(|point| point.1).chain(axes.base).fold(0.0, f64::max);
        // Without a value there is still an axis.
        let step = round_step(if most > 0.0 { most / 4.0 } else { 1.0 });
        Place { step, top: step * (most / step).ceil().max(1.0), places }
    }

    fn x(&self, value: f64) -> i32 {
        let last = self.places.last().copied().unwrap_or(1.0).max(1e-9);
        LEFT + (value / last * f64::from(WIDTH as i32 - LEFT - RIGHT)).round() as i32
    }

    fn y(&self, value: f64) -> i32 {
        TOP + PLOT_HEIGHT - (value / self.top * f64::from(PLOT_HEIGHT)).round() as i32
    }

    fn all(&self, points: &[(f64, f64)]) -> Vec<(i32, i32)> {
        points.iter().map(|(x, y)| (self.x(*x), self.y(*y))).collect()
    }
}

fn grid(root: &Area<'_>, place: &Place, axes: &Axes<'_>) -> Result<()> {
    let right = WIDTH as i32 - RIGHT;
    let floor = TOP + PLOT_HEIGHT;
    let level = |y: i32, strength: f64| {
        root.draw(&PathElement::new(vec![(LEFT, y), (right, y)], INK.mix(strength))).map_err(failed)
    };
    for number in 0..=(place.top / place.step).round() as i32 {
        let value = place.step * f64::from(number);
        level(place.y(value), if number == 0 { 0.5 } else { 0.15 })?;
        let beside = text(15).pos(Pos::new(HPos::Right, VPos::Center));
        root.draw(&Text::new((axes.write)(value), (LEFT - 6, place.y(value)), beside)).map_err(failed)?;
    }
    if let Some(base) = axes.base {
        level(place.y(base), 0.5)?;
    }
    let below = || text(15).pos(Pos::new(HPos::Center, VPos::Center));
    let mut free_from = i32::MIN;
    for value in &place.places {
        let (x, name) = (place.x(*value), short(*value));
        root.draw(&PathElement::new(vec![(x, floor), (x, floor + 4)], INK.mix(0.5))).map_err(failed)?;
        // Narrow places share a number.
        let half = 4 * name.len() as i32 + 2;
        if x - half >= free_from {
            root.draw(&Text::new(name, (x, floor + AXIS_HEIGHT / 2 + 3), below())).map_err(failed)?;
            free_from = x + half;
        }
    }
    let middle = ((LEFT + right) / 2, floor + AXIS_HEIGHT + ROW_HEIGHT / 2 - 3);
    root.draw(&Text::new(axes.across.to_owned(), middle, below())).map_err(failed)
}

/// The color and the mark of a line.
struct Ink {
    color: RGBColor,
    number: usize,
}

impl Ink {
    fn of(number: usize) -> Self {
        Ink { color: COLORS[number % COLORS.len()], number }
    }

    /// What was measured: an unbroken line, its marks filled.
    fn whole(&self, root: &Area<'_>, points: &[(i32, i32)]) -> Result<()> {
        root.draw(&PathElement::new(points.to_vec(), self.color.stroke_width(2))).map_err(failed)?;
        points.iter().try_for_each(|point| self.mark(root, *point, self.color.filled()))
    }

    /// What was published: a broken line, its marks hollow.
    fn dashes(&self, root: &Area<'_>, points: &[(i32, i32)]) -> Result<()> {
        dashed(root, points, self.color.to_rgba())?;
        points.iter().try_for_each(|point| self.mark(root, *point, self.color.stroke_width(2)))
    }

    fn sample(&self, root: &Area<'_>, left: i32, middle: i32) -> Result<()> {
        let line = vec![(left, middle), (left + SAMPLE, middle)];
        root.draw(&PathElement::new(line, self.color.stroke_width(2))).map_err(failed)?;
        self.mark(root, (left + SAMPLE / 2, middle), self.color.filled())
    }

    fn mark(&self, root: &Area<'_>, (x, y): (i32, i32), style: ShapeStyle) -> Result<()> {
        let corners: &[(i32, i32)] = match self.number % 4 {
            0 => return root.draw(&Circle::new((x, y), 4, style)).map_err(failed),
            1 => &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
            2 => &[(0, -5), (5, 4), (-5, 4)],
            _ => &[(0, -6), (6, 0), (0, 6), (-6, 0)],
        };
        let corners: Vec<_> = corners.iter().map(|(across, down)| (x + across, y + down)).collect();
        if style.filled {
            return root.draw(&Polygon::new(corners, style)).map_err(failed);
        }
        let closed: Vec<_> = corners.iter().chain(corners.first()).copied().collect();
        root.draw(&PathElement::new(closed, style)).map_err(failed)
    }
}

/// A broken line: six pixels and a gap of four, which begins again at each point.
fn dashed(root: &Area<'_>, points: &[(i32, i32)], color: RGBAColor) -> Result<()> {
    const DASH: f64 = 6.0;
    const GAP: f64 = 4.0;
    for ends in points.windows(2) {
        let [(x, y), (to_x, to_y)] = [ends[0], ends[1]].map(|(x, y)| (f64::from(x), f64::from(y)));
        let length = (to_x - x).hypot(to_y - y).max(1e-9);
        let at = |along: f64| {
            let share = (along / length).min(1.0);
            ((x + (to_x - x) * share).round() as i32, (y + (to_y - y) * share).round() as i32)
        };
        let mut along = 0.0;
        while along < length {
            let dash = vec![at(along), at(along + DASH)];
            root.draw(&PathElement::new(dash, color.stroke_width(2))).map_err(failed)?;
            along += DASH + GAP;
        }
    }
    Ok(())
}

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

    #[test]
    fn dashes_end_where_the_line_does() {
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (100, 10)).into_drawing_area();
            dashed(&root, &[(0, 5), (23, 5)], INK.to_rgba()).unwrap();
            dashed(&root, &[(3, 3)], INK.to_rgba()).unwrap();
        }
        assert_eq!(svg.matches("<polyline").count(), 3, "{svg}");
        assert!(svg.contains("20,5 23,5"), "{svg}");
    }
}
