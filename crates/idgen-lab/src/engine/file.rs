//! Reads the figures that the file of a table shows besides its leaves: a small map of its pages, and the
//! ages of their last changes.

use idgen_record::FileMaps;
use innodb_pages::{IndexPage, LsnAge, Measure, Page, PageMap, Pages};

/// Summarizes a file whose rows are in the index with this number.
pub(in crate::engine) fn maps(file: &Pages, index_id: u64) -> FileMaps {
    let is_rows = |page: &&Page| page.index.as_ref().is_some_and(|index| is_leaf(index, index_id));
    let lsns: Vec<u64> = file.pages.iter().map(|page| page.lsn).filter(|lsn| *lsn > 0).collect();
    let leaf_lsns: Vec<u64> = file.pages.iter().filter(is_rows).map(|page| page.lsn).collect();
    summed_up(|measure| PageMap::of(file, measure), &lsns, &leaf_lsns)
}

/// Summarizes any file: its maps, when its pages were last changed (pages never changed are left out), and the same for
/// the leaves.
pub(in crate::engine) fn summed_up(
    map: impl Fn(Measure) -> PageMap,
    lsns: &[u64],
    leaf_lsns: &[u64],
) -> FileMaps {
    let (of_fill, of_recency) = (map(Measure::Fill), map(Measure::Recency));
    let pages_per_cell = of_fill.pages_per_cell(FileMaps::MOST_CELLS);
    let text = |whole: &PageMap| whole.condensed(pages_per_cell).to_text();
    let newest = lsns.iter().max().copied().unwrap_or(0);
    let log_bytes = newest - lsns.iter().min().copied().unwrap_or(0);
    let ages: Vec<u64> = leaf_lsns.iter().map(|lsn| newest - lsn).collect();
    let recent = ages.iter().filter(|age| **age <= log_bytes / 10).count();
    let recent_leaves = recent as f64 / ages.len().max(1) as f64;
    let age = LsnAge::of(ages);
    let share = |age: u64| age as f64 / log_bytes.max(1) as f64;
    FileMaps {
        pages: of_fill.cells.len() as u64,
        pages_per_cell: pages_per_cell as u64,
        fill: text(&of_fill),
        recency: text(&of_recency),
        log_bytes,
        recent_leaves,
        median_age: share(age.median),
        p10_age: Some(share(age.p10)),
        p90_age: Some(share(age.p90)),
    }
}

fn is_leaf(index: &IndexPage, index_id: u64) -> bool {
    index.index_id == index_id && index.level == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use innodb_pages::{Checksum, Format, PageKind, Writer};

    fn page(number: u32, lsn: u64, index: Option<(u64, u16, u32)>) -> Page {
        let index = index.map(|(index_id, level, data_bytes)| IndexPage {
            index_id,
            level,
            records: 1,
            metadata: false,
            data_bytes,
            garbage_bytes: 0,
            previous: None,
            next: None,
        });
        let kind = if index.is_some() { PageKind::Index } else { PageKind::Other(8) };
        Page { number, kind, free: false, lsn, index }
    }

    /// A file with the header, a root, five leaves of the rows, one leaf of another index, and a free page.
    fn file() -> Pages {
        let format = Format {
            writer: Writer::Mysql,
            page_size: 16_384,
            checksum: Checksum::Crc32,
            space_id: 1,
            pages: 9,
            free_limit: 9,
        };
        let leaf = |number, lsn, percent: u32| page(number, lsn, Some((7, 0, 16_384 * percent / 100)));
        let mut pages = vec![
            page(0, 1_900, None),
            page(1, 2_000, Some((7, 1, 800))),
            leaf(2, 1_000, 95),
            leaf(3, 1_100, 50),
            leaf(4, 1_500, 5),
            leaf(5, 1_910, 71),
            leaf(6, 1_990, 25),
            page(7, 1_950, Some((8, 0, 16_384))),
            page(8, 0, None),
        ];
        pages[8].free = true;
        Pages::new(format, pages)
    }

    #[test]
    fn a_file_is_summarized_for_the_index_of_the_rows() {
        let found = maps(&file(), 7);
        assert_eq!((found.pages, found.pages_per_cell), (9, 1));
        assert_eq!((found.fill.as_str(), found.recency.as_str()), ("-^950729.", "-^013586."));
        assert_eq!(found.log_bytes, 1_000);
        // The positions 1,910 and 1,990 are within the last 100 bytes of the log.
        assert_eq!(found.recent_leaves, 0.4);
        assert_eq!((found.p10_age, found.median_age, found.p90_age), (Some(0.01), 0.5, Some(1.0)));
    }
}
