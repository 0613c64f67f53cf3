//! Lines and points over two axes: panels one below the other, and a legend below them.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::axis::Axis;
use super::{Area, Chart, LETTER_WIDTH, WIDTH, below, failed, stroke, word};
use crate::error::Result;

/// A chart of one or several panels.
pub(super) struct Plot {
    pub title: String,
    /// A description for readers who cannot see the chart.
    pub words: String,
    pub panels: Vec<Panel>,
    pub legend: Legend,
}

/// A pair of axes with its series.
pub(super) struct Panel {
    /// The heading above the panel; may be empty.
    pub heading: String,
    /// The name of the numbers on the horizontal axis, which is written below it; may be empty.
    pub across: String,
    pub x: Axis,
    pub y: Axis,
    /// A value with a stronger line, with which others are compared.
    pub base: Option<f64>,
    pub series: Vec<Series>,
    /// Pixels from the end of the upward axis to its beginning.
    pub height: i32,
}

/// A line, points, or both.
#[derive(Clone)]
pub(super) struct Series {
    pub points: Vec<(f64, f64)>,
    pub color: RGBAColor,
    pub width: u32,
    /// Lengths of dashes and gaps in turn; none of an unbroken line.
    pub dashes: &'static [f64],
    pub mark: Option<Mark>,
}

/// The mark of a point: one of four shapes.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub shape: usize,
    pub filled: bool,
}

/// Names, each after a sample of its series.
#[derive(Default)]
pub(super) struct Legend {
    pub entries: Vec<(Series, String)>,
    /// The length of a sample; 0 for a mark alone.
    pub sample: i32,
}

const RIGHT: i32 = 24;
const HEADING: i32 = 22;
const MARGIN: i32 = 10;
const AXIS_HEIGHT: i32 = 24;
const ROW_HEIGHT: i32 = 20;

/// Mid tones with at least 3:1 contrast on white and on near-black. Each line also has a mark or dashes of its own, so that
/// nothing depends on telling colors apart.
pub(super) const COLORS: [RGBColor; 6] = [
    RGBColor(0x2f, 0x7f, 0xc9),
    RGBColor(0xd1, 0x4d, 0x41),
    RGBColor(0x2b, 0x8a, 0x5f),
    RGBColor(0x94, 0x69, 0xc8),
    RGBColor(0xb0, 0x7d, 0x1b),
    RGBColor(0x7a, 0x7f, 0x87),
];

impl Series {
    /// An unbroken line.
    pub fn line(points: Vec<(f64, f64)>, color: RGBAColor, width: u32) -> Series {
        Series { points, color, width, dashes: &[], mark: None }
    }
}

impl Panel {
    /// A panel without a heading.
    pub fn of(x: Axis, y: Axis, series: Vec<Series>) -> Panel {
        Panel { heading: String::new(), across: String::new(), x, y, base: None, series, height: 170 }
    }

    fn top(&self) -> i32 {
        if self.heading.is_empty() { MARGIN } else { HEADING + MARGIN }
    }

    fn whole_height(&self) -> i32 {
        let across = if self.across.is_empty() { 0 } else { ROW_HEIGHT };
        self.top() + self.height + AXIS_HEIGHT + across
    }
}

impl Plot {
    /// Draws it.
    pub fn draw(self) -> Result<Chart> {
        // The space for labels is the same in all panels, so that places are one below the other.
        let labels = self.panels.iter().flat_map(|panel| panel.y.ticks());
        let left =
            labels.map(|(_, label)| label.chars().count()).max().unwrap_or(0) as i32 * LETTER_WIDTH + 12;
        let panels: i32 = self.panels.iter().map(Panel::whole_height).sum();
        let height = panels + self.legend.rows() * ROW_HEIGHT + 4;
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (WIDTH, height as u32)).into_drawing_area();
            let mut top = 0;
            for panel in &self.panels {
                Place { root: &root, panel, left, top: top + panel.top() }.draw()?;
                top += panel.whole_height();
            }
            self.legend.draw(&root, top)?;
            root.present().map_err(failed)?;
        }
        Ok(Chart::drawn(&svg, &self.title, self.words))
    }
}

/// A panel in its place.
struct Place<'a, 'b> {
    root: &'a Area<'b>,
    panel: &'a Panel,
    left: i32,
    top: i32,
}

impl Place<'_, '_> {
    fn draw(&self) -> Result<()> {
        let Place { root, panel, left, top } = *self;
        let (floor, right) = (top + panel.height, WIDTH as i32 - RIGHT);
        word(root, &panel.heading, (6, top - MARGIN - HEADING / 2 + 3), HPos::Left)?;
        for (number, (tick, label)) in panel.y.ticks().enumerate() {
            let y = self.y(tick).round() as i32;
            stroke(root, &[(left, y), (right, y)], if number == 0 { 0.5 } else { 0.15 })?;
            word(root, &label, (left - 6, y), HPos::Right)?;
        }
        let base = panel.base.map(|base| self.y(base).round() as i32);
        base.map_or(Ok(()), |y| stroke(root, &[(left, y), (right, y)], 0.5))?;
        let ticks: Vec<_> =
            panel.x.ticks().map(|(tick, label)| (self.x(tick).round() as i32, label)).collect();
        ticks.iter().try_for_each(|(x, _)| stroke(root, &[(*x, floor), (*x, floor + 4)], 0.5))?;
        below(root, ticks, floor + AXIS_HEIGHT / 2 + 3)?;
        let across = (i32::midpoint(left, right), floor + AXIS_HEIGHT + ROW_HEIGHT / 2 - 2);
        word(root, &panel.across, across, HPos::Center)?;
        for series in &panel.series {
            let pixels: Vec<_> = series.points.iter().map(|(x, y)| (self.x(*x), self.y(*y))).collect();
            series.draw(root, &pixels)?;
        }
        Ok(())
    }

    fn x(&self, value: f64) -> f64 {
        let width = WIDTH as i32 - RIGHT - self.left;
        f64::from(self.left) + self.panel.x.share(value) * f64::from(width)
    }

    fn y(&self, value: f64) -> f64 {
        f64::from(self.top + self.panel.height) - self.panel.y.share(value) * f64::from(self.panel.height)
    }
}

impl Series {
    fn draw(&self, root: &Area<'_>, pixels: &[(f64, f64)]) -> Result<()> {
        let style = self.color.stroke_width(self.width);
        for dash in dashes(pixels, self.dashes).into_iter().filter(|dash| dash.len() > 1) {
            let dash: Vec<_> = dash.into_iter().map(rounded).collect();
            root.draw(&PathElement::new(dash, style)).map_err(failed)?;
        }
        pixels.iter().try_for_each(|pixel| self.mark(root, rounded(*pixel)))
    }

    fn mark(&self, root: &Area<'_>, (x, y): (i32, i32)) -> Result<()> {
        let Some(Mark { shape, filled }) = self.mark else { return Ok(()) };
        let style = if filled { self.color.filled() } else { self.color.stroke_width(2) };
        let corners: &[(i32, i32)] = match shape % 4 {
            0 => return root.draw(&Circle::new((x, y), 4, style)).map_err(failed),
            1 => &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
            2 => &[(0, -5), (5, 4), (-5, 4)],
            _ => &[(0, -6), (6, 0), (0, 6), (-6, 0)],
        };
        let corners: Vec<_> = corners.iter().map(|(across, down)| (x + across, y + down)).collect();
        if filled {
            return root.draw(&Polygon::new(corners, style)).map_err(failed);
        }
        let closed: Vec<_> = corners.iter().chain(corners.first()).copied().collect();
        root.draw(&PathElement::new(closed, style)).map_err(failed)
    }
}

impl Legend {
    /// The lines of each name.
    fn lines(&self) -> Vec<Vec<String>> {
        let letters = ((WIDTH as i32 - self.sample - 24) / (LETTER_WIDTH - 1)) as usize;
        let wrapped =
            |label: &String| textwrap::wrap(label, letters).iter().map(ToString::to_string).collect();
        self.entries.iter().map(|(_, label)| wrapped(label)).collect()
    }

    fn rows(&self) -> i32 {
        self.lines().iter().map(Vec::len).sum::<usize>() as i32
    }

    fn draw(&self, root: &Area<'_>, top: i32) -> Result<()> {
        const LEFT: i32 = 8;
        let mut middle = top + ROW_HEIGHT / 2;
        for ((series, _), label) in self.entries.iter().zip(self.lines()) {
            let ends = [LEFT, LEFT + self.sample].map(|x| (f64::from(x), f64::from(middle)));
            Series { mark: None, ..series.clone() }.draw(root, &ends)?;
            series.mark(root, (LEFT + self.sample / 2, middle))?;
            for words in label {
                word(root, &words, (LEFT + self.sample + 8, middle), HPos::Left)?;
                middle += ROW_HEIGHT;
            }
        }
        Ok(())
    }
}

fn rounded((x, y): (f64, f64)) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
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
        // One step over the whole line gives the same dashes.
        let whole: Vec<_> = dashes(&[points[0], points[30]], &[9.0, 5.0]);
        assert_eq!(whole.iter().map(|dash| (dash[0].0, dash[1].0)).collect::<Vec<_>>(), ends);
        assert_eq!(dashes(&points, &[]), [points]);
        assert!(dashes(&[], &[9.0, 5.0])[0].is_empty());
    }
}
