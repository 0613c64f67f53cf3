//! What the file of a table says beyond its leaves: a small map of its pages, and when they were changed.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};
use innodb_pages::{Cell, IndexPage, LsnAge, Measure, PageMap, Pages};

/// The file of a tree, which may hold another tree of the same table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileMaps {
    /// Pages in the file, the free ones too.
    pub pages: u64,
    /// How many of them a cell of the maps stands for, in the order of the file.
    pub pages_per_cell: u64,
    /// A character for each cell: `.` free, `-` no index, `^` above the leaves, else a leaf, from `0`,
    /// less than a tenth full, to `9`.
    pub fill: String,
    /// The same, where a leaf runs from `0`, changed longest ago, to `9`, changed last, by rank.
    pub recency: String,
    /// Bytes of log from the oldest change that a page of the file holds to the newest: the whole run.
    pub log_bytes: u64,
    /// Leaf pages changed within the last tenth of it, from 0 to 1.
    pub recent_leaves: f64,
    /// How long ago half of the leaf pages were changed, as a share of it: 0 just now, 1 at the start.
    pub median_age: f64,
    /// The same of a tenth of the leaf pages, the youngest. Records of before have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p10_age: Option<f64>,
    /// The same of nine tenths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p90_age: Option<f64>,
}

impl FileMaps {
    /// Cells of a map: enough to see the pattern, few enough for a record that is text.
    pub const MOST_CELLS: usize = 2_048;
    /// Steps of a leaf's shade: one for each digit.
    const STEPS: usize = 10;

    /// Sums up a scanned file whose rows lie in the index with this number.
    pub(crate) fn of(file: &Pages, index_id: u64) -> Self {
        let map = |measure| {
            let whole = PageMap::of(file, measure);
            let pages = whole.pages_per_cell(Self::MOST_CELLS);
            (pages, whole.condensed(pages).cells.into_iter().map(to_char).collect())
        };
        let ((pages_per_cell, fill), (_, recency)) = (map(Measure::Fill), map(Measure::Recency));
        let lsns = || file.pages.iter().map(|page| page.lsn).filter(|lsn| *lsn > 0);
        let newest = lsns().max().unwrap_or(0);
        let log_bytes = newest - lsns().min().unwrap_or(0);
        let ages: Vec<u64> = file
            .pages
            .iter()
            .filter(|page| page.index.as_ref().is_some_and(|index| is_leaf(index, index_id)))
            .map(|page| newest - page.lsn)
            .collect();
        let recent = ages.iter().filter(|age| **age <= log_bytes / 10).count();
        let recent_leaves = recent as f64 / ages.len().max(1) as f64;
        let age = LsnAge::of(ages);
        let share = |age: u64| age as f64 / log_bytes.max(1) as f64;
        FileMaps {
            pages: file.pages.len() as u64,
            pages_per_cell: pages_per_cell as u64,
            fill,
            recency,
            log_bytes,
            recent_leaves,
            median_age: share(age.median),
            p10_age: Some(share(age.p10)),
            p90_age: Some(share(age.p90)),
        }
    }

    /// One of the two maps.
    ///
    /// # Errors
    /// Where the record was changed by hand: a character that stands for nothing, or too many.
    pub fn map(&self, measure: Measure) -> Result<PageMap> {
        let text = match measure {
            Measure::Fill => &self.fill,
            Measure::Recency => &self.recency,
        };
        let cells: Vec<Cell> = text
            .chars()
            .map(|letter| from_char(letter).ok_or_else(|| damaged(format!("a page shown as {letter:?}"))))
            .collect::<Result<_>>()?;
        if cells.len() > Self::MOST_CELLS {
            return Err(damaged(format!("{} cells, more than {}", cells.len(), Self::MOST_CELLS)));
        }
        Ok(PageMap { measure, cells })
    }
}

fn is_leaf(index: &IndexPage, index_id: u64) -> bool {
    index.index_id == index_id && index.level == 0
}

fn damaged(what: String) -> Error {
    Error::input("a map of pages in this record is damaged", what)
}

fn to_char(cell: Cell) -> char {
    match cell {
        Cell::Free => '.',
        Cell::Other => '-',
        Cell::Inner { .. } => '^',
        Cell::Leaf { shade } => {
            let step = ((shade * FileMaps::STEPS as f64) as usize).min(FileMaps::STEPS - 1);
            char::from(b'0' + step as u8)
        }
    }
}

/// A leaf in the middle of its tenth.
fn from_char(letter: char) -> Option<Cell> {
    let middle = |digit: u32| (f64::from(digit) + 0.5) / FileMaps::STEPS as f64;
    match letter {
        '.' => Some(Cell::Free),
        '-' => Some(Cell::Other),
        '^' => Some(Cell::Inner { shade: 0.5 }),
        _ => letter.to_digit(10).map(|digit| Cell::Leaf { shade: middle(digit) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use innodb_pages::{Options, Tablespace};

    /// A real file of MySQL 9.7 with ascending keys, which the tests of the reader use too.
    fn real() -> Pages {
        let packed = &include_bytes!("../../../innodb-pages/tests/ibd/mysql-9.7-16k-ascending.ibd.gz")[..];
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed), &mut bytes).unwrap();
        Tablespace::new(std::io::Cursor::new(bytes), Options::default()).unwrap().scan().unwrap()
    }

    #[test]
    fn the_maps_of_a_file_read_back() {
        let file = real();
        let index =
            file.pages.iter().filter_map(|page| page.index.as_ref()).map(|index| index.index_id).min();
        let figures = FileMaps::of(&file, index.unwrap());
        assert_eq!((figures.pages, figures.pages_per_cell), (file.pages.len() as u64, 1));
        let leaves = file.pages.iter().filter(|p| p.index.as_ref().is_some_and(|i| i.level == 0)).count();
        for (measure, text) in [(Measure::Fill, &figures.fill), (Measure::Recency, &figures.recency)] {
            let map = figures.map(measure).unwrap();
            assert_eq!(map.cells.len(), file.pages.len());
            assert_eq!(text.chars().filter(char::is_ascii_digit).count(), leaves);
            assert_eq!(&map.cells.into_iter().map(to_char).collect::<String>(), text);
        }
        // Counted by hand, in another way: ascending keys left most pages behind long ago.
        let newest = file.pages.iter().map(|page| page.lsn).max().unwrap();
        let oldest = file.pages.iter().map(|page| page.lsn).filter(|lsn| *lsn > 0).min().unwrap();
        assert_eq!(figures.log_bytes, newest - oldest);
        let of_a_leaf = |page: &&innodb_pages::Page| page.index.as_ref().is_some_and(|i| i.level == 0);
        let late =
            file.pages.iter().filter(of_a_leaf).filter(|page| (newest - page.lsn) * 10 <= newest - oldest);
        let late = late.count();
        assert!(0 < late && late < leaves, "{late} of {leaves}");
        assert_eq!(figures.recent_leaves, late as f64 / leaves as f64);
        let ages = [figures.p10_age.unwrap(), figures.median_age, figures.p90_age.unwrap()];
        assert!(ages.is_sorted() && ages[0] >= 0.0 && ages[2] <= 1.0, "{figures:?}");
        assert!(ages[2] > ages[0], "{figures:?}");
    }

    #[test]
    fn a_damaged_map_is_refused() {
        let good = FileMaps::of(&real(), 0);
        for bad in ["0123x", "é", &"0".repeat(FileMaps::MOST_CELLS + 1)] {
            let figures = FileMaps { fill: bad.into(), ..good.clone() };
            assert!(figures.map(Measure::Fill).is_err(), "{bad}");
            assert!(figures.map(Measure::Recency).is_ok());
        }
    }
}
