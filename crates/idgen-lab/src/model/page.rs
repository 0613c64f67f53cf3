//! One page of the tree, and where InnoDB splits it (`btr_page_split_and_insert`).

use super::key::Key;
use super::shape::Shape;

/// No page.
pub(super) const NIL: u32 = u32::MAX;

/// A leaf, or a page of node pointers.
#[derive(Clone, Debug)]
pub(super) struct Page<K> {
    pub(super) level: u8,
    pub(super) previous: u32,
    pub(super) next: u32,
    /// How many records the heap was grown for: more than are here after a split took some away.
    heap: u16,
    /// The place of the record put in last (`PAGE_LAST_INSERT`), where no split has forgotten it.
    pub(super) last: Option<u16>,
    pub(super) keys: Vec<K>,
    /// The pages below, beside their keys; empty in a leaf.
    pub(super) children: Vec<u32>,
}

/// Where a full page is cut, in places among its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The first record that moves to the upper page.
    pub(super) at: usize,
    /// Whether the new record becomes the last of the lower page, rather than one of the upper.
    pub(super) new_goes_down: bool,
    /// Whether the lower half is the new page (`FSP_DOWN`), rather than the upper.
    pub(super) downwards: bool,
}

impl<K: Key> Page<K> {
    pub(super) fn empty(level: u8) -> Page<K> {
        Page::of(level, Vec::new(), Vec::new())
    }

    /// A new page with these records, its heap without a gap.
    pub(super) fn of(level: u8, keys: Vec<K>, children: Vec<u32>) -> Page<K> {
        let heap = keys.len() as u16;
        Page { level, previous: NIL, next: NIL, heap, last: None, keys, children }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Where `key` belongs: behind every key that is not greater.
    pub(super) fn place(&self, key: K) -> usize {
        self.keys.partition_point(|other| *other <= key)
    }

    /// Whether the record at `place` follows the one put in last.
    fn follows_last(&self, place: usize) -> bool {
        place > 0 && self.last.map(usize::from) == Some(place - 1)
    }

    /// Whether the record at `place` comes just before the one put in last.
    fn precedes_last(&self, place: usize) -> bool {
        self.last.map(usize::from) == Some(place)
    }

    /// Whether a record may go in at `place` without a split (`btr_cur_optimistic_insert`).
    pub(super) fn takes(&self, shape: &Shape, place: usize) -> bool {
        let in_order = self.follows_last(place) || self.precedes_last(place);
        let records = self.len() as u32;
        shape.takes(self.level, records, self.heap.into())
            && !(in_order && shape.reserve_reached(self.level, records))
    }

    /// Whether a record fits at all.
    pub(super) fn fits(&self, shape: &Shape) -> bool {
        shape.fits(self.level, self.len() as u32)
    }

    /// Puts a record in at `place`, with its child above the leaves.
    pub(super) fn insert(&mut self, place: usize, key: K, child: Option<u32>) {
        self.keys.insert(place, key);
        if let Some(child) = child {
            self.children.insert(place, child);
        }
        self.last = u16::try_from(place).ok();
        self.heap = self.heap.max(self.len() as u16);
    }

    /// Where to cut for a record at `place`.
    pub(super) fn cut(&self, place: usize) -> Cut {
        let len = self.len();
        // Ascending: leave what is below alone. Records above it move away, all but the nearest.
        if self.follows_last(place) {
            let at = if place + 1 < len { place + 1 } else { place };
            return Cut { at, new_goes_down: place + 1 < len, downwards: false };
        }
        // Descending: the same the other way round, with the record below taken along unless the
        // insert is at the page's very beginning.
        if self.precedes_last(place) {
            let at = if place > 1 { place - 1 } else { place };
            return Cut { at, new_goes_down: place <= 1, downwards: true };
        }
        if len <= 1 {
            return Cut { at: place, new_goes_down: place == 0, downwards: false };
        }
        // Any other: half of the records each, wherever the new one goes.
        let at = len / 2;
        Cut { at, new_goes_down: place <= at, downwards: false }
    }

    /// Moves the records from `at` on to a page of their own. The heap here keeps their room.
    pub(super) fn move_upper(&mut self, at: usize) -> Page<K> {
        let keys = self.keys.split_off(at);
        let children = if self.children.is_empty() { Vec::new() } else { self.children.split_off(at) };
        if !keys.is_empty() {
            self.last = None;
        }
        Page::of(self.level, keys, children)
    }

    /// Moves the records before `at` to a page of their own. The heap here keeps their room.
    pub(super) fn move_lower(&mut self, at: usize) -> Page<K> {
        let keys: Vec<K> = self.keys.drain(..at).collect();
        let children =
            if self.children.is_empty() { Vec::new() } else { self.children.drain(..at).collect() };
        if !keys.is_empty() {
            self.last = None;
        }
        Page::of(self.level, keys, children)
    }

    /// Moves everything to a page of its own and becomes the page above it: how a root grows.
    pub(super) fn raise(&mut self, child: u32) -> Page<K> {
        let moved = self.move_upper(0);
        let lowest = moved.keys[0];
        *self = Page { level: self.level + 1, ..Page::of(0, vec![lowest], vec![child]) };
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(keys: u128, last: Option<u16>) -> Page<u128> {
        Page { last, ..Page::of(0, (0..keys).map(|key| 10 * key).collect(), Vec::new()) }
    }

    fn cut(at: usize, new_goes_down: bool, downwards: bool) -> Cut {
        Cut { at, new_goes_down, downwards }
    }

    #[test]
    fn a_run_upwards_leaves_the_page_full() {
        assert_eq!(page(10, Some(9)).cut(10), cut(10, false, false));
        assert_eq!(page(10, Some(8)).cut(9), cut(9, false, false), "the last record goes along");
        assert_eq!(page(10, Some(4)).cut(5), cut(6, true, false), "one neighbour stays");
    }

    #[test]
    fn a_run_downwards_leaves_the_page_full() {
        assert_eq!(page(10, Some(0)).cut(0), cut(0, true, true));
        assert_eq!(page(10, Some(1)).cut(1), cut(1, true, true));
        assert_eq!(page(10, Some(5)).cut(5), cut(4, false, true), "the record below goes along");
    }

    #[test]
    fn anything_else_is_cut_in_the_middle() {
        assert_eq!(page(10, None).cut(10), cut(5, false, false));
        assert_eq!(page(11, Some(3)).cut(5), cut(5, true, false));
        assert_eq!(page(11, Some(3)).cut(6), cut(5, false, false));
        assert_eq!(page(1, None).cut(0), cut(0, true, false));
        assert_eq!(page(1, None).cut(1), cut(1, false, false));
    }
}
