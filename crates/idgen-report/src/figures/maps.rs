//! The maps of a file's pages, from the text that a record has of them.

use idgen_record::FileMaps;
use innodb_pages::{Measure, PageMap};

use crate::error::{Error, Result};

/// Reads the fill map or the recency map of a file from its text in the record.
///
/// # Errors
/// The text contains a character that stands for no page, or too many cells, because the record was changed
/// by hand.
pub fn map(file: &FileMaps, measure: Measure) -> Result<PageMap> {
    let text = match measure {
        Measure::Fill => &file.fill,
        Measure::Recency => &file.recency,
    };
    let map = PageMap::from_text(measure, text)
        .map_err(|letter| damaged(format!("{letter:?} stands for no page: use . - ^ or a digit")))?;
    if map.cells.len() > FileMaps::MOST_CELLS {
        return Err(damaged(format!("{} cells, more than {}", map.cells.len(), FileMaps::MOST_CELLS)));
    }
    Ok(map)
}

fn damaged(what: String) -> Error {
    Error::caused("a map of pages in this record is damaged", what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_map_is_refused() {
        let good = FileMaps {
            pages: 4,
            pages_per_cell: 1,
            fill: "-^90".into(),
            recency: "-^09".into(),
            log_bytes: 1,
            recent_leaves: 0.5,
            median_age: 0.5,
            p10_age: None,
            p90_age: None,
        };
        assert_eq!(map(&good, Measure::Fill).unwrap().to_text(), good.fill);
        for bad in ["0123x", "\u{e9}", &"0".repeat(FileMaps::MOST_CELLS + 1)] {
            let file = FileMaps { fill: bad.into(), ..good.clone() };
            assert!(map(&file, Measure::Fill).is_err(), "{bad}");
            assert_eq!(map(&file, Measure::Recency).unwrap().to_text(), good.recency);
        }
    }
}
