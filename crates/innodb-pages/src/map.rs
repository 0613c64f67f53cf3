//! A file as a row of cells, one for each page. Whoever draws the cells decides how they look.

use crate::page::PageKind;
use crate::pages::Pages;

/// The figure that the shade of a cell shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The page fill: 0 empty, 1 full.
    Fill,
    /// The recency of the last change of the page: 1 for the newest, 0 for the oldest, by rank among the index pages.
    /// With ages in place of ranks, a load after an idle day would have a single shade.
    Recency,
}

/// One page of the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// Freed, or never allocated.
    Free,
    /// A page that belongs to no index.
    Other,
    /// An index page above the leaves.
    Inner {
        /// From 0 to 1, as [`Measure`] says.
        shade: f64,
    },
    /// A leaf.
    Leaf {
        /// From 0 to 1, as [`Measure`] says.
        shade: f64,
    },
}

/// One cell for each page of a file, whichever index it belongs to, in file order.
#[derive(Clone, Debug, PartialEq)]
pub struct PageMap {
    /// The figure of each leaf that its shade shows, such as its fill.
    pub measure: Measure,
    /// `cells[n]` is page n.
    pub cells: Vec<Cell>,
}

impl PageMap {
    /// Maps a scanned file.
    pub fn of(file: &Pages, measure: Measure) -> PageMap {
        let mut lsns: Vec<u64> =
            file.pages.iter().filter(|page| page.index.is_some()).map(|page| page.lsn).collect();
        lsns.sort_unstable();
        lsns.dedup();
        let oldest_to_newest = lsns.len().saturating_sub(1).max(1) as f64;
        let cell = |page: &crate::page::Page| match &page.index {
            _ if page.free || page.kind == PageKind::Allocated => Cell::Free,
            None => Cell::Other,
            Some(index) => {
                let shade = match measure {
                    Measure::Fill => index.fill(file.format.page_size).min(1.0),
                    Measure::Recency => lsns.partition_point(|&lsn| lsn < page.lsn) as f64 / oldest_to_newest,
                };
                if index.level == 0 { Cell::Leaf { shade } } else { Cell::Inner { shade } }
            }
        };
        PageMap { measure, cells: file.pages.iter().map(cell).collect() }
    }

    /// Returns the number of pages that a cell must represent, so that there are at most this many cells. It is a power
    /// of two, so that cells end where extents of 64 pages end.
    pub fn pages_per_cell(&self, most_cells: usize) -> usize {
        let mut pages = 1;
        while self.cells.len().div_ceil(pages) > most_cells.max(1) {
            pages *= 2;
        }
        pages
    }

    /// Returns this map with one cell in place of several. It is of the kind of most of them, and its shade is the mean of theirs.
    pub fn condensed(&self, cells: usize) -> PageMap {
        PageMap { measure: self.measure, cells: self.cells.chunks(cells.max(1)).map(together).collect() }
    }

    /// The map as text, a character for each cell: `.` free, `-` no index, `^` above the leaves, else a leaf, from `0`,
    /// the lowest tenth of the shades, to `9`.
    ///
    /// ```
    /// use innodb_pages::{Cell, Measure, PageMap};
    ///
    /// let map = PageMap { measure: Measure::Fill, cells: vec![Cell::Other, Cell::Leaf { shade: 0.93 }, Cell::Free] };
    /// assert_eq!(map.to_text(), "-9.");
    /// assert_eq!(PageMap::from_text(Measure::Fill, "-9.").unwrap().to_text(), "-9.");
    /// ```
    pub fn to_text(&self) -> String {
        self.cells.iter().map(|cell| to_char(*cell)).collect()
    }

    /// The map that [`PageMap::to_text`] wrote; each leaf has the middle shade of its tenth.
    ///
    /// # Errors
    /// The first character that is not one of a map.
    ///
    /// ```
    /// use innodb_pages::{Measure, PageMap};
    ///
    /// assert_eq!(PageMap::from_text(Measure::Recency, "01x"), Err('x'));
    /// ```
    pub fn from_text(measure: Measure, text: &str) -> Result<PageMap, char> {
        let cells = text.chars().map(|letter| from_char(letter).ok_or(letter)).collect::<Result<_, _>>()?;
        Ok(PageMap { measure, cells })
    }

    /// Cells in a row of a drawing: whole extents of 64, and about as wide as high.
    pub fn columns(&self) -> usize {
        let side = (self.cells.len() as f64).sqrt().ceil() as usize;
        side.next_multiple_of(64).max(64)
    }
}

/// Steps of a leaf's shade in the text of a map: one for each digit.
const STEPS: f64 = 10.0;

fn to_char(cell: Cell) -> char {
    match cell {
        Cell::Free => '.',
        Cell::Other => '-',
        Cell::Inner { .. } => '^',
        Cell::Leaf { shade } => char::from(b'0' + (shade * STEPS).clamp(0.0, STEPS - 1.0) as u8),
    }
}

/// A leaf in the middle of its tenth.
fn from_char(letter: char) -> Option<Cell> {
    match letter {
        '.' => Some(Cell::Free),
        '-' => Some(Cell::Other),
        '^' => Some(Cell::Inner { shade: 0.5 }),
        _ => letter.to_digit(10).map(|digit| Cell::Leaf { shade: (f64::from(digit) + 0.5) / STEPS }),
    }
}

/// One cell for several.
fn together(cells: &[Cell]) -> Cell {
    let mut counts = [0; 4];
    let mut shades = [0.0; 4];
    for cell in cells {
        let (kind, shade) = match *cell {
            Cell::Leaf { shade } => (0, shade),
            Cell::Inner { shade } => (1, shade),
            Cell::Other => (2, 0.0),
            Cell::Free => (3, 0.0),
        };
        counts[kind] += 1;
        shades[kind] += shade;
    }
    // If several kinds are equally frequent, the first is taken, because leaf pages matter most.
    let most = (0..4).rev().max_by_key(|kind| counts[*kind]).unwrap_or(3);
    let shade = shades[most] / f64::from(counts[most].max(1));
    match most {
        0 => Cell::Leaf { shade },
        1 => Cell::Inner { shade },
        2 => Cell::Other,
        _ => Cell::Free,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_map_reads_back() {
        for letter in ".-^0123456789".chars() {
            assert_eq!(from_char(letter).map(to_char), Some(letter));
        }
        assert_eq!(
            [-1.0, 0.0, 0.0999, 0.1, 1.0, 7.0].map(|shade| to_char(Cell::Leaf { shade })),
            ['0', '0', '0', '1', '9', '9']
        );
        for (bad, letter) in [("0x1", 'x'), ("\u{e9}", '\u{e9}'), ("9\u{663}", '\u{663}')] {
            assert_eq!(PageMap::from_text(Measure::Fill, bad), Err(letter));
        }
    }

    #[test]
    fn a_condensed_map_keeps_what_most_pages_are() {
        let leaf = |shade| Cell::Leaf { shade };
        let cells = vec![Cell::Other, leaf(0.5), leaf(0.25), leaf(0.75), Cell::Free, Cell::Free, leaf(1.0)];
        let map = PageMap { measure: Measure::Fill, cells };
        assert_eq!([7, 6, 4, 3, 1, 0].map(|most| map.pages_per_cell(most)), [1, 2, 2, 4, 8, 8]);
        assert_eq!(map.condensed(1), map);
        assert_eq!(map.condensed(2).cells, [leaf(0.5), leaf(0.5), Cell::Free, leaf(1.0)]);
        assert_eq!(map.condensed(9).cells.len(), 1);
    }
}
