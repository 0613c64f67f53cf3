//! The pages of a file, a square each: how full they are, and below when they were changed.

use std::fmt::Write as _;

use innodb_pages::{Cell, PageMap};

use super::Chart;
use crate::charts::picture::{INNER, OTHER, SHADES, hex};

/// The two maps of one file.
#[derive(Clone, Debug)]
pub struct Maps {
    pub fill: PageMap,
    pub recency: PageMap,
}

/// Narrower than the other charts: several stand side by side.
const WIDTH: usize = 256;
const HEADING: usize = 20;
const LEGEND: usize = 24;

/// Draws both maps with `columns` squares in a row.
pub fn pages(maps: &Maps, columns: usize, title: &str, words: String) -> Chart {
    let mut body = String::from("<g font-family=\"sans-serif\" font-size=\"12\">");
    let mut top = 0;
    for (map, heading, low, high) in [
        (&maps.fill, "How full each page is", "empty", "full"),
        (&maps.recency, "When it was changed", "first", "last"),
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
        legend(&mut body, top, low, high);
        top += LEGEND;
    }
    body.push_str("</g>");
    Chart { title: title.into(), words, width: WIDTH as u32, height: top as u32, body }
}

/// A path for each color; neighbors in a row share a step.
fn squares(cells: &[Cell], columns: usize) -> String {
    let mut paths = vec![String::new(); SHADES.len() + 2];
    for (y, row) in cells.chunks(columns).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|a, b| color(*a) == color(*b)) {
            if let Some(number) = color(run[0]) {
                let _ = write!(paths[number], "M{x} {y}h{0}v1h-{0}z", run.len());
            }
            x += run.len();
        }
    }
    let mut out = String::new();
    for (path, shade) in paths.iter().zip(SHADES.into_iter().chain([INNER, OTHER])) {
        if !path.is_empty() {
            let _ = write!(out, "<path fill=\"{}\" d=\"{path}\"/>", hex(shade));
        }
    }
    out
}

/// Which of the colors; none for a free page.
fn color(cell: Cell) -> Option<usize> {
    match cell {
        Cell::Free => None,
        Cell::Other => Some(SHADES.len() + 1),
        Cell::Inner { .. } => Some(SHADES.len()),
        Cell::Leaf { shade } => Some(((shade * SHADES.len() as f64) as usize).min(SHADES.len() - 1)),
    }
}

fn legend(body: &mut String, top: usize, low: &str, high: &str) {
    const STEP: usize = 14;
    let left = 42;
    let _ = write!(body, "<g transform=\"translate(0 {top})\"><text y=\"10\">{low}</text>");
    for (step, shade) in SHADES.into_iter().enumerate() {
        let x = left + STEP * step;
        let _ = write!(body, "<rect x=\"{x}\" width=\"{STEP}\" height=\"11\" fill=\"{}\"/>", hex(shade));
    }
    let _ = write!(body, "<text x=\"{}\" y=\"10\">{high}</text></g>", left + STEP * SHADES.len() + 8);
}

#[cfg(test)]
mod tests {
    use innodb_pages::Measure;

    use super::*;

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
