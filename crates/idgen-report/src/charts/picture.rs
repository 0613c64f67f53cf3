//! The pages of a file, a square each: how full they are, or when they were changed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use innodb_pages::{Cell, Measure, PageMap};

use super::escape;
use crate::charts::{Axes, Chart, Line, lines};
use crate::error::Result;
use crate::figures::numbers::grouped;

/// Shades from dark to bright, in steps that look equal and do not have to be distinguished by red and green
/// (viridis).
const SHADES: [[u8; 3]; 10] = [
    [0x44, 0x01, 0x54],
    [0x48, 0x28, 0x78],
    [0x3e, 0x49, 0x89],
    [0x31, 0x68, 0x8e],
    [0x26, 0x82, 0x8e],
    [0x1f, 0x9e, 0x89],
    [0x35, 0xb7, 0x79],
    [0x6e, 0xce, 0x58],
    [0xb5, 0xde, 0x2b],
    [0xfd, 0xe7, 0x25],
];
/// Index pages above the leaves.
const INNER: [u8; 3] = [0xe0, 0x5a, 0x2b];
/// Pages that belong to no index.
const OTHER: [u8; 3] = [0x9a, 0x9a, 0x9a];
/// The width of the legend.
const LEGEND_WIDTH: usize = 680;
/// The side of a cell in a PNG, in pixels, for files of up to this many pages.
const CELL_PX: [(usize, usize); 3] = [(4_096, 8), (65_536, 4), (1_000_000, 2)];

/// The color of a cell; `None` for a free page, where the background shows.
fn color(cell: Cell) -> Option<[u8; 3]> {
    match cell {
        Cell::Free => None,
        Cell::Other => Some(OTHER),
        Cell::Inner { .. } => Some(INNER),
        Cell::Leaf { shade } => {
            let step = (shade * SHADES.len() as f64) as usize;
            Some(SHADES[step.min(SHADES.len() - 1)])
        }
    }
}

/// `#rrggbb`.
fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The map as an SVG with a legend. Neighbors of one color share a step of a path, so the SVG of a million pages in order is
/// small. [`page_png`] is smaller where colors are random.
pub fn page_svg(map: &PageMap, title: &str) -> String {
    let columns = map.columns();
    let rows = map.cells.len().div_ceil(columns);
    let side = (768 / columns).max(1);
    let (width, height) = (columns * side, rows * side);
    let title = escape(title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<title>{title}</title>\n\
         <text y=\"14\" fill=\"currentColor\">{title}</text>\n\
         <g transform=\"translate(0 22) scale({side})\" shape-rendering=\"crispEdges\">\n",
        width.max(LEGEND_WIDTH),
        height + 58
    );
    out += &squares(&map.cells, columns);
    out.push_str("</g>\n");
    legend(&mut out, map.measure, height + 34);
    out.push_str("</svg>\n");
    out
}

/// The shades between two words, and what the other colors are.
fn legend(out: &mut String, measure: Measure, top: usize) {
    let words = match measure {
        Measure::Fill => ["empty leaf", "full leaf"],
        Measure::Recency => ["oldest change", "newest change"],
    };
    let _ = writeln!(out, "<g transform=\"translate(0 {top})\" fill=\"currentColor\">");
    shades(out, words, 90, 12);
    for (x, color, word) in [(320, INNER, "above the leaves"), (450, OTHER, "not an index")] {
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" width=\"12\" height=\"12\" fill=\"{}\"/><text x=\"{}\" y=\"10\">{word}</text>",
            hex(color),
            x + 16
        );
    }
    out.push_str("<text x=\"560\" y=\"10\">no color: free</text>\n</g>\n");
}

/// The shades from here on, between two words.
fn shades(out: &mut String, [low, high]: [&str; 2], left: usize, step: usize) {
    let _ = write!(out, "<text y=\"10\">{low}</text>");
    for (number, shade) in SHADES.into_iter().enumerate() {
        let x = left + step * number;
        let _ = write!(out, "<rect x=\"{x}\" width=\"{step}\" height=\"12\" fill=\"{}\"/>", hex(shade));
    }
    let _ = write!(out, "<text x=\"{}\" y=\"10\">{high}</text>", left + step * SHADES.len() + 8);
}

/// A path for each color, with a square of one unit for each cell; neighbors in a row share a step.
fn squares(cells: &[Cell], columns: usize) -> String {
    let mut paths: BTreeMap<[u8; 3], String> = BTreeMap::new();
    for (y, row) in cells.chunks(columns).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|a, b| color(*a) == color(*b)) {
            if let Some(color) = color(run[0]) {
                let _ = write!(paths.entry(color).or_default(), "M{x} {y}h{0}v1h-{0}z", run.len());
            }
            x += run.len();
        }
    }
    paths.iter().map(|(color, path)| format!("<path fill=\"{}\" d=\"{path}\"/>", hex(*color))).collect()
}

/// The two maps of one file.
#[derive(Clone, Debug)]
pub struct Maps {
    pub fill: PageMap,
    pub recency: PageMap,
}

/// Draws both maps of a file with `columns` squares in a row: how full its pages are, and below when they were changed. It is
/// narrower than the other charts, because several stand side by side.
pub fn pages(maps: &Maps, columns: usize, title: &str, words: String) -> Chart {
    const WIDTH: usize = 256;
    const HEADING: usize = 20;
    const LEGEND: usize = 24;
    let mut body = String::from("<g font-family=\"sans-serif\" font-size=\"12\">");
    let mut top = 0;
    for (map, heading, ends) in [
        (&maps.fill, "How full each page is", ["empty", "full"]),
        (&maps.recency, "When it was changed", ["first", "last"]),
    ] {
        let _ = write!(body, "<text y=\"{}\">{heading}</text>", top + 13);
        top += HEADING;
        let side = WIDTH / columns;
        let height = map.cells.len().div_ceil(columns) * side;
        // A ground of its own: the darkest squares show on a dark page, the brightest on a white one.
        let _ = write!(
            body,
            "<g transform=\"translate(0 {top})\"><rect width=\"{WIDTH}\" height=\"{height}\" opacity=\".16\"/>\
             <g transform=\"scale({side})\" shape-rendering=\"crispEdges\">{}</g></g>",
            squares(&map.cells, columns)
        );
        top += height + 6;
        let _ = write!(body, "<g transform=\"translate(0 {top})\">");
        shades(&mut body, ends, 42, 14);
        body.push_str("</g>");
        top += LEGEND;
    }
    body.push_str("</g>");
    Chart { title: title.into(), words, width: WIDTH as u32, height: top as u32, body }
}

/// The figure on the upward axis of such a chart.
#[derive(Clone, Copy, Debug)]
pub enum Upward {
    /// Pages read per 1,000 inserts.
    PagesRead,
    /// Bytes that an LSM tree writes to files, divided by those of the rows.
    Written,
    /// Shares of the inserts, from 0 to 1.
    Shares {
        /// The share of each node if all had the same: a stronger line is there.
        even: f64,
    },
}

/// A figure over the numbers that `across` names, such as the rows in the table, for each name a line, as an SVG of its own with a legend.
///
/// # Errors
/// The chart cannot be drawn.
///
/// ```
/// use idgen_report::{Upward, over};
///
/// let line = ("60 rows per second".to_owned(), vec![(1e6, 1.1), (2e6, 1.3)]);
/// let svg = over("Pages read", "rows in the table", Upward::PagesRead, &[line])?;
/// assert!(svg.contains("<title>Pages read</title>") && svg.contains("60 rows per second"));
/// # Ok::<(), idgen_report::Error>(())
/// ```
pub fn over(
    title: &str,
    across: &str,
    upward: Upward,
    named: &[(String, Vec<(f64, f64)>)],
) -> Result<String> {
    let line = |(label, points): &(String, Vec<(f64, f64)>)| Line {
        label: label.clone(),
        measured: points.clone(),
        published: Vec::new(),
    };
    let (what, write, base): (_, fn(f64) -> String, _) = match upward {
        Upward::PagesRead => ("pages read per 1,000 inserts", grouped, None),
        Upward::Written => ("how often a byte is written", |times| format!("{times:.1}"), Some(1.0)),
        Upward::Shares { even } => {
            ("% of the inserts", |share| format!("{:.0} %", 100.0 * share), Some(even))
        }
    };
    let across = format!("{across}; upward: {what}");
    let axes = Axes { across: &across, write, base };
    Ok(lines(title, &axes, &named.iter().map(line).collect::<Vec<_>>())?.file())
}

/// The map as a PNG with a transparent background, without a legend.
pub fn page_png(map: &PageMap) -> Vec<u8> {
    let columns = map.columns();
    let rows = map.cells.len().div_ceil(columns).max(1);
    let side = CELL_PX.into_iter().find(|(pages, _)| map.cells.len() <= *pages).map_or(1, |(_, side)| side);
    let (width, height) = (columns * side, rows * side);
    let mut pixels = vec![0; width * height * 4];
    for (number, &cell) in map.cells.iter().enumerate() {
        let Some([red, green, blue]) = color(cell) else { continue };
        let (left, top) = (number % columns * side, number / columns * side);
        for y in top..top + side {
            let row = &mut pixels[(y * width + left) * 4..][..side * 4];
            row.as_chunks_mut().0.fill([red, green, blue, 0xff]);
        }
    }
    encode(&pixels, width, height).expect("encoding an image of the right size into memory cannot fail")
}

fn encode(pixels: &[u8], width: usize, height: usize) -> std::result::Result<Vec<u8>, png::EncodingError> {
    let side = |pixels: usize| u32::try_from(pixels).map_err(|_| png::EncodingError::LimitsExceeded);
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, side(width)?, side(height)?);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn cells() -> impl proptest::strategy::Strategy<Value = Vec<Cell>> {
        let cell = prop_oneof![
            Just(Cell::Free),
            Just(Cell::Other),
            (0.0..=1.0).prop_map(|shade| Cell::Inner { shade }),
            (0.0..=1.0).prop_map(|shade| Cell::Leaf { shade }),
        ];
        prop::collection::vec(cell, 0..300)
    }

    proptest! {
        /// Any map, also that of an empty file, gives a complete picture in both formats.
        #[test]
        fn every_map_is_drawn(cells in cells(), recency in any::<bool>()) {
            let measure = if recency { Measure::Recency } else { Measure::Fill };
            let map = PageMap { measure, cells };
            let text = page_svg(&map, "random <keys>");
            prop_assert!(text.contains("random &lt;keys&gt;") && text.ends_with("</svg>\n"));
            let image = page_png(&map);
            let reader = png::Decoder::new(Cursor::new(image)).read_info().expect("a PNG");
            let rows = map.cells.len().div_ceil(map.columns()).max(1) as u32;
            prop_assert_eq!(reader.info().size(), (64 * 8, rows * 8));
        }
    }

    /// A file of some gigabytes has narrow columns, while the legend keeps its width.
    #[test]
    fn the_legend_fits_a_picture_of_any_file() {
        for pages in [1, 4_096, 200_000, 331_776, 600_000] {
            let map = PageMap { measure: Measure::Fill, cells: vec![Cell::Free; pages] };
            let text = page_svg(&map, "large");
            let width: f64 =
                text.split("viewBox=\"0 0 ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
            assert!(width >= 680.0, "{pages} pages: {width}");
        }
    }

    #[test]
    fn neighbors_of_one_color_are_one_step_and_free_pages_none() {
        let leaf = |shade| Cell::Leaf { shade };
        let cells = [Cell::Other, leaf(0.41), leaf(0.49), Cell::Free, leaf(1.0)];
        let drawn = squares(&cells, 3);
        for part in [
            format!("<path fill=\"{}\" d=\"M0 0h1v1h-1z\"/>", hex(OTHER)),
            format!("<path fill=\"{}\" d=\"M1 0h2v1h-2z\"/>", hex(SHADES[4])),
            format!("<path fill=\"{}\" d=\"M1 1h1v1h-1z\"/>", hex(SHADES[9])),
        ] {
            assert!(drawn.contains(&part), "{drawn}");
        }
        assert_eq!(drawn.matches("<path").count(), 3);
        let maps = Maps {
            fill: PageMap { measure: Measure::Fill, cells: cells.to_vec() },
            recency: PageMap { measure: Measure::Recency, cells: Vec::new() },
        };
        assert!(pages(&maps, 32, "a<b", "words".into()).inline().contains("<title>a&lt;b</title>"));
    }
}
