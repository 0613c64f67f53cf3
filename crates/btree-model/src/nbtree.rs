//! The split rule of a B-tree index of PostgreSQL (`src/backend/access/nbtree/nbtsplitloc.c`).

use crate::nbtree_page::{HEAP_POINTER, KEYLESS_RECORD, LINE_POINTER, ROOM, TUPLE_HEADER};
use crate::rule::{Cut, Records, SplitRule};
use crate::shape::Shape;

/// `BTREE_NONLEAF_FILLFACTOR`.
const INNER_FILLFACTOR: f64 = 0.70;
/// `LEAF_SPLIT_DISTANCE` and `INTERNAL_SPLIT_DISTANCE`: how far from the best place a page may be split.
const DISTANCE: [f64; 2] = [0.050, 0.075];

/// PostgreSQL's rule: the rightmost page of a level is filled to its fill factor, and any other page is divided in the
/// middle, unless the index has two columns or more and the new key continues a group of equal first columns.
///
/// ```
/// use btree_model::{Nbtree, PostgresIndex, Shape};
///
/// let mut index = PostgresIndex::new(Nbtree::default(), Shape::nbtree(8)?);
/// for key in 0..200_000_u64 {
///     index.insert(&key.to_be_bytes())?;
/// }
/// // As pgstatindex counts them for a bigint.
/// assert_eq!(index.tree().leaf_pages, 547);
/// # Ok::<(), btree_model::Error>(())
/// ```
///
/// Records are of one size. Indexes that are not unique merge duplicates (deduplication), which ids do not need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nbtree {
    /// The index's `fillfactor` in per cent.
    pub fillfactor: u32,
    /// Bytes of the first column, where the index has more than one.
    pub first_column: Option<u32>,
}

impl Default for Nbtree {
    /// An index of one column with the default fill factor of 90.
    fn default() -> Self {
        Nbtree { fillfactor: 90, first_column: None }
    }
}

/// A place to split: the number of records of the lower page, including the new one, and the bytes that stay free.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    lower: usize,
    lower_free: i64,
    upper_free: i64,
}

impl SplitRule for Nbtree {
    fn takes(&self, page: &Records, shape: &Shape, _place: usize) -> bool {
        shape.fits(page.level, page.len as u32)
    }

    /// `_bt_findsplitloc`.
    fn cut(&self, page: &Records, shape: &Shape, place: usize, shared: &dyn Fn(usize) -> usize) -> Cut {
        let leaf_fill = f64::from(self.fillfactor) / 100.0;
        let fill = if page.level > 0 {
            page.rightmost.then_some(INNER_FILLFACTOR)
        } else if page.rightmost {
            Some(leaf_fill)
        } else if self.continues_a_group(page, shape, place, shared) {
            let share = (place + 2) as f64 / (page.len + 2) as f64;
            if place < page.len && share <= leaf_fill {
                // Behind the new record, which becomes the last of its page.
                return below(place + 1, place);
            }
            Some(leaf_fill)
        } else {
            None
        };
        below(self.best(page, shape, fill, shared), place)
    }
}

/// A cut behind this many records of the lower page, including the new one.
fn below(lower: usize, place: usize) -> Cut {
    let new_goes_down = place < lower;
    Cut { at: if new_goes_down { lower - 1 } else { lower }, new_goes_down, downwards: false }
}

impl Nbtree {
    /// `_bt_afternewitemoff`: a new key that continues a run of ascending ones with the same first column.
    fn continues_a_group(
        &self,
        page: &Records,
        shape: &Shape,
        place: usize,
        shared: &dyn Fn(usize) -> usize,
    ) -> bool {
        /// A record of two columns of eight bytes. Wider ones are not considered.
        const WIDEST: u32 = TUPLE_HEADER + 16 + LINE_POINTER;
        let Some(first) = self.first_column else { return false };
        if shape.record_bytes() > WIDEST || place == 0 || shared(place) < first as usize {
            return false;
        }
        // Behind the last of the page, or right after the row that was inserted before: their places in the table are
        // neighbors then.
        place == page.len || (page.follows_last(place) && page.took_last_row)
    }

    /// `_bt_deltasortsplits` and `_bt_bestsplitloc`: the place that leaves the wanted shares of both pages free, or one
    /// near it between different first columns, whose high key is shorter.
    fn best(
        &self,
        page: &Records,
        shape: &Shape,
        fill: Option<f64>,
        shared: &dyn Fn(usize) -> usize,
    ) -> usize {
        let off = |split: &Candidate| {
            let (lower, upper) = (split.lower_free as f64, split.upper_free as f64);
            match fill {
                Some(fill) => (fill * lower - (1.0 - fill) * upper).abs(),
                None => (lower - upper).abs(),
            }
        };
        let mut splits: Vec<Candidate> = candidates(page, shape).collect();
        splits.sort_by(|a, b| off(a).total_cmp(&off(b)));
        let Some(best) = splits.first().copied() else { return page.len.div_ceil(2) };
        let Some(first) = self.first_column.filter(|_| page.level == 0) else { return best.lower };

        let record = f64::from(shape.record_bytes());
        let tolerance = (page.len as f64 * record * DISTANCE[usize::from(page.level > 0)]) as i64;
        let near = |split: &&Candidate| {
            (split.lower_free - best.lower_free).abs() <= tolerance
                && (split.upper_free - best.upper_free).abs() <= tolerance
        };
        let between = |split: &Candidate| shared(split.lower) < first as usize;
        splits.iter().take_while(near).find(|split| between(split)).unwrap_or(&best).lower
    }
}

/// `_bt_recsplitloc`: every place where both pages have room for their records.
fn candidates(page: &Records, shape: &Shape) -> impl Iterator<Item = Candidate> {
    let record = i64::from(shape.record_bytes());
    let (leaf, rightmost) = (page.level == 0, page.rightmost);
    let all = page.len as i64 + 1;
    (1..all).filter_map(move |lower| {
        // The high key of the lower page is a copy of the first key of the upper one.
        let high_key = if leaf { record + HEAP_POINTER } else { record };
        let keyless = if leaf { 0 } else { record - i64::from(KEYLESS_RECORD) };
        let lower_free = i64::from(ROOM) - lower * record - high_key + keyless;
        let upper_high_key = if rightmost { 0 } else { record };
        let upper_free = i64::from(ROOM) - (all - lower) * record - upper_high_key + keyless;
        (lower_free >= 0 && upper_free >= 0).then_some(Candidate {
            lower: lower as usize,
            lower_free,
            upper_free,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(len: usize, rightmost: bool) -> Records {
        Records { level: 0, len, heap: len, last: None, took_last_row: false, rightmost }
    }

    fn lower(rule: Nbtree, page: Records, place: usize, shared: usize) -> (usize, bool) {
        let shape = Shape::nbtree(16).unwrap();
        let cut = rule.cut(&page, &shape, place, &|_| shared);
        assert!(!cut.downwards);
        (cut.at, cut.new_goes_down)
    }

    const TWO: Nbtree = Nbtree { fillfactor: 90, first_column: Some(8) };

    #[test]
    fn a_page_of_uuids_holds_what_the_servers_does() {
        let shape = Shape::nbtree(16).unwrap();
        assert!(shape.fits(0, 289) && !shape.fits(0, 290));
        // A bigint's record is smaller.
        let shape = Shape::nbtree(8).unwrap();
        assert!(shape.fits(0, 405) && !shape.fits(0, 406));
        assert!(Shape::nbtree(2_696).is_ok());
        assert!(Shape::nbtree(2_697).unwrap_err().to_string().contains("2716"));
        assert!(Shape::nbtree(u32::MAX).is_err());
    }

    #[test]
    fn the_rightmost_page_is_filled_to_the_fill_factor() {
        // 261 of the 291 records stay, as in the table of version 7 keys: 767 leaves for 200,000 rows.
        assert_eq!(lower(Nbtree::default(), page(290, true), 290, 0), (261, false));
        let half = Nbtree { fillfactor: 50, ..Nbtree::default() };
        assert_eq!(lower(half, page(290, true), 290, 0), (145, false));
    }

    #[test]
    fn another_page_is_divided_in_the_middle_also_behind_its_last_key() {
        assert_eq!(lower(Nbtree::default(), page(290, false), 290, 16), (145, false));
        assert_eq!(lower(Nbtree::default(), page(290, false), 10, 16), (144, true));
    }

    #[test]
    fn two_columns_stay_together() {
        // Behind the last key of the page: as on the rightmost one.
        assert_eq!(lower(TWO, page(290, false), 290, 8), (261, false));
        // A row in the middle of the page, right behind the row that was inserted before, is where the page
        // is cut.
        let after = Records { last: Some(99), took_last_row: true, ..page(290, false) };
        assert_eq!(lower(TWO, after, 100, 8), (100, true));
        // Another row was inserted in between, or the first column differs.
        let later = Records { took_last_row: false, ..after };
        assert_eq!(lower(TWO, later, 100, 8), (144, true));
        assert_eq!(lower(TWO, after, 100, 7), (144, true));
        // Near the end of the page, the fill factor decides.
        let end = Records { last: Some(279), took_last_row: true, ..page(290, false) };
        assert_eq!(lower(TWO, end, 280, 8), (261, false));
    }

    #[test]
    fn a_boundary_between_first_columns_is_preferred() {
        let shape = Shape::nbtree(16).unwrap();
        let cut = |boundary| {
            let shared = move |at: usize| if at == boundary { 0 } else { 8 };
            TWO.cut(&page(290, false), &shape, 0, &shared).at
        };
        assert_eq!(cut(140), 139);
        assert_eq!(cut(20), 144, "too far from the middle");
    }
}
