//! The charts as SVG, drawn by `plotters`. They are narrow, so that they can be read on a phone. Text and grid have the
//! color of the surrounding text, so that they can be read on light and dark backgrounds and in print.

mod axis;
mod bars;
mod course;
pub(crate) mod drawings;
mod lines;
pub(crate) mod overlaid;
pub(crate) mod picture;
mod plot;
mod strips;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::error::{Error, Result};
use idgen_record::Family;

pub use bars::{Bar, bars};
pub use course::{Course, course};
pub use lines::{Axes, Line, lines};
pub use picture::{Maps, pages};
pub use strips::{Strips, strips};

/// Width of every chart in its own pixels; pages scale it.
const WIDTH: u32 = 420;

/// Becomes `currentColor`.
const INK: RGBColor = RGBColor(0, 0, 0);

const FONT: &str = "sans-serif";

/// Colors with a contrast of at least 3:1 on white and on near-black. Names are beside the bars, so that readers need not
/// tell colors apart.
fn color(family: Family) -> RGBColor {
    match family {
        Family::Integer => RGBColor(0x2f, 0x7f, 0xc9),
        Family::Random => RGBColor(0xd1, 0x4d, 0x41),
        Family::Time => RGBColor(0x2b, 0x8a, 0x5f),
        Family::Prefixed => RGBColor(0x94, 0x69, 0xc8),
    }
}

/// The width of a letter of a number or a name, in pixels.
const LETTER_WIDTH: i32 = 8;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Writes words, if there are any, that begin, end or are centered here.
fn word(root: &Area<'_>, words: &str, at: (i32, i32), side: HPos) -> Result<()> {
    if words.is_empty() {
        return Ok(());
    }
    // The font size of `plotters` includes more than the letters: 16 here are 13 pixels.
    let style = TextStyle::from((FONT, 16)).color(&INK).pos(Pos::new(side, VPos::Center));
    root.draw(&Text::new(words.to_owned(), at, style)).map_err(failed)
}

/// Draws a line of this strength.
fn stroke(root: &Area<'_>, ends: &[(i32, i32)], strength: f64) -> Result<()> {
    root.draw(&PathElement::new(ends.to_vec(), INK.mix(strength))).map_err(failed)
}

/// Writes the numbers below an axis. A number that would touch the one before is left out.
fn below(root: &Area<'_>, numbers: Vec<(i32, String)>, y: i32) -> Result<()> {
    let mut free_from = i32::MIN;
    for (x, number) in numbers {
        let half = LETTER_WIDTH * number.chars().count() as i32 / 2 + 2;
        if x - half >= free_from {
            word(root, &number, (x, y), HPos::Center)?;
            free_from = x + half;
        }
    }
    Ok(())
}

/// A drawing with its name, and a description in words for readers who cannot see it.
#[derive(Debug)]
pub struct Chart {
    pub title: String,
    pub words: String,
    width: u32,
    height: u32,
    body: String,
}

impl Chart {
    /// Makes a chart from the SVG that `plotters` drew.
    fn drawn(svg: &str, title: &str, words: String) -> Self {
        let body = svg.split_once('>').map_or("", |(_, body)| body);
        let body = body.rsplit_once("</svg>").map_or(body, |(body, _)| body);
        let height = attribute(svg, "height").and_then(|height| height.parse().ok()).unwrap_or(300);
        Chart {
            title: title.into(),
            words,
            width: WIDTH,
            height,
            body: body.replace("#000000", "currentColor"),
        }
    }

    /// The SVG element as part of a page: in the color of the surrounding text, and as wide as the space that
    /// it has.
    pub fn inline(&self) -> String {
        self.element("", "")
    }

    /// The SVG as a file, with its own background: black text would not be visible in a viewer with a dark
    /// background.
    pub fn file(&self) -> String {
        const COLORS: &str = "<style>svg{color:#1b1f24;background:#fff}\
            @media(prefers-color-scheme:dark){svg{color:#e8ecf0;background:#101418}}</style>";
        self.element(&format!(" width=\"{}\" height=\"{}\"", self.width, self.height), COLORS) + "\n"
    }

    fn element(&self, attributes: &str, style: &str) -> String {
        let Chart { title, words, width, height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {width} {height}\"{attributes} \
             fill=\"currentColor\"><title>{}</title><desc>{}</desc>{style}{body}</svg>",
            escape(title),
            escape(words),
        )
    }
}

/// The value of an attribute of the first element.
fn attribute<'a>(svg: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = svg.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Drawing into a string fails only for a chart without space.
fn failed(error: impl std::fmt::Display) -> Error {
    Error::caused("cannot draw a chart", error.to_string())
}
