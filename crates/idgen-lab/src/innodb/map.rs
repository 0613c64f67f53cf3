//! A file as a row of cells, for drawing. Knows pages, not pictures.

use super::page::PageKind;
use super::tablespace::Pages;

/// What the shade of a cell stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// How full the page is: 0 empty, 1 full.
    Fill,
    /// How lately it was changed: 1 newest, 0 oldest, by rank among the index pages. Ranks, because a
    /// load after an idle day would otherwise show in a single shade.
    Recency,
}

/// One page of the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// Given back or never given out.
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

/// One cell for each page, in file order.
#[derive(Clone, Debug, PartialEq)]
pub struct PageMap {
    /// What the shades stand for.
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
        let cell = |page: &super::page::Page| match &page.index {
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

    /// Cells in a row of a drawing: whole extents of 64, and about as wide as high.
    pub fn columns(&self) -> usize {
        let side = (self.cells.len() as f64).sqrt().ceil() as usize;
        side.next_multiple_of(64).max(64)
    }
}
