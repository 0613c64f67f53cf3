//! The split rule of InnoDB (`btr_page_split_and_insert`).

use crate::rule::{Cut, Records, SplitRule};
use crate::shape::Shape;

/// InnoDB's rule: a page that is filled in key order stays full, and any other page is split in the middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InnoDb;

impl SplitRule for InnoDb {
    /// `btr_cur_optimistic_insert`.
    fn takes(&self, page: &Records, shape: &Shape, place: usize) -> bool {
        let in_order = page.follows_last(place) || page.precedes_last(place);
        let records = page.len as u32;
        shape.takes(page.level, records, page.heap as u32)
            && !(in_order && shape.reserve_reached(page.level, records))
    }

    fn cut(&self, page: &Records, _: &Shape, place: usize, _: &dyn Fn(usize) -> usize) -> Cut {
        let len = page.len;
        // Ascending: the records below stay. Those above move to the new page, except for the nearest.
        if page.follows_last(place) {
            let at = if place + 1 < len { place + 1 } else { place };
            return Cut { at, new_goes_down: place + 1 < len, downwards: false };
        }
        // Descending: the same in the other direction. The record below moves too, unless the
        // insert is at the page's very beginning.
        if page.precedes_last(place) {
            let at = if place > 1 { place - 1 } else { place };
            return Cut { at, new_goes_down: place <= 1, downwards: true };
        }
        if len <= 1 {
            return Cut { at: place, new_goes_down: place == 0, downwards: false };
        }
        // Otherwise: half of the records each, wherever the place of the new one is.
        let at = len / 2;
        Cut { at, new_goes_down: place <= at, downwards: false }
    }

    /// `btr_insert_into_right_sibling`.
    fn uses_right_sibling(&self) -> bool {
        true
    }

    /// `btr_cur_latch_leaves`.
    fn latches_left_sibling(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(len: usize, last: Option<usize>, place: usize) -> Cut {
        let page = Records { level: 0, len, heap: len, last, took_last_row: false, rightmost: false };
        let shape = Shape::clustered(16_384, 8, 0).unwrap();
        InnoDb.cut(&page, &shape, place, &|_| unreachable!("InnoDB compares no keys to split a page"))
    }

    fn cut(at: usize, new_goes_down: bool, downwards: bool) -> Cut {
        Cut { at, new_goes_down, downwards }
    }

    #[test]
    fn ascending_inserts_leave_the_page_full() {
        assert_eq!(split(10, Some(9), 10), cut(10, false, false));
        assert_eq!(split(10, Some(8), 9), cut(9, false, false), "the last record should move too");
        assert_eq!(split(10, Some(4), 5), cut(6, true, false), "one neighbor should stay");
    }

    #[test]
    fn descending_inserts_leave_the_page_full() {
        assert_eq!(split(10, Some(0), 0), cut(0, true, true));
        assert_eq!(split(10, Some(1), 1), cut(1, true, true));
        assert_eq!(split(10, Some(5), 5), cut(4, false, true), "the record below should move too");
    }

    #[test]
    fn other_inserts_cut_the_page_in_the_middle() {
        assert_eq!(split(10, None, 10), cut(5, false, false));
        assert_eq!(split(11, Some(3), 5), cut(5, true, false));
        assert_eq!(split(11, Some(3), 6), cut(5, false, false));
        assert_eq!(split(1, None, 0), cut(0, true, false));
        assert_eq!(split(1, None, 1), cut(1, false, false));
    }
}
