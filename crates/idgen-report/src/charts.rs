//! The charts as SVG, drawn by `plotters`. Narrow, so that they can be read on a phone; text and grid
//! take the color of the text around them, so that they work on light and dark ground and in print.

mod bars;
mod course;
mod lines;
mod overlay;
mod pages;
mod scatter;

use plotters::style::{RGBColor, TextStyle};

use crate::Error;
use idgen_record::Family;

pub use bars::{Bar, Scale, bars};
pub use course::{Course, course};
pub use lines::{Axes, Line, lines};
pub use overlay::{MOST as MOST_OVERLAID, Overlaid, overlay};
pub use pages::{Maps, pages};
pub use scatter::{Point, scatter};

/// Width of every chart in pixels of its own; pages scale it.
const WIDTH: u32 = 420;

/// Becomes `currentColor`.
const INK: RGBColor = RGBColor(0, 0, 0);

const FONT: &str = "sans-serif";

/// Mid tones with at least 3:1 contrast on white and on near-black. The names stand beside them, so
/// that nothing depends on telling colors apart.
fn color(family: Family) -> RGBColor {
    match family {
        Family::Integer => RGBColor(0x2f, 0x7f, 0xc9),
        Family::Random => RGBColor(0xd1, 0x4d, 0x41),
        Family::Time => RGBColor(0x2b, 0x8a, 0x5f),
        Family::Prefixed => RGBColor(0x94, 0x69, 0xc8),
    }
}

/// `plotters` gives a font size that covers more than the letters: 16 here are 13 pixels.
fn text(size: i32) -> TextStyle<'static> {
    TextStyle::from((FONT, size)).color(&INK)
}

/// A drawing with its name, and what it shows in words for those who do not see it.
#[derive(Debug)]
pub struct Chart {
    pub title: String,
    pub words: String,
    width: u32,
    height: u32,
    body: String,
}

impl Chart {
    /// From what `plotters` drew.
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

    /// Part of a page: in the color of the text around it, as wide as its place.
    pub fn inline(&self) -> String {
        self.element("", "")
    }

    /// A file of its own, on a ground of its own: a reader in the dark would not see black on it.
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

/// Drawing into a string cannot fail but for a chart without room.
fn failed(error: impl std::fmt::Display) -> Error {
    Error::caused("cannot draw a chart", error.to_string())
}
