//! A page of the tree.

use crate::key::Key;
use crate::rule::Records;
use crate::shape::Shape;

/// No page.
pub(crate) const NIL: u32 = u32::MAX;

/// A leaf, or a page of node pointers.
#[derive(Clone, Debug)]
pub(crate) struct Page<K> {
    pub(crate) level: u8,
    pub(crate) previous: u32,
    pub(crate) next: u32,
    /// The number of records that the heap has had room for: more than the page holds once a split has moved
    /// some away.
    heap: u16,
    /// The place of the record inserted last (`PAGE_LAST_INSERT`), where no split has cleared it.
    last: Option<u16>,
    /// The row inserted last into this leaf, as the number of rows that the table had then.
    pub(crate) last_row: u64,
    pub(crate) keys: Vec<K>,
    /// The pages below, beside their keys; empty in a leaf.
    pub(crate) children: Vec<u32>,
}

impl<K: Key> Page<K> {
    pub(crate) fn empty(level: u8) -> Page<K> {
        Page::of(level, Vec::new(), Vec::new())
    }

    /// A new page with these records, whose heap has no gaps.
    pub(crate) fn of(level: u8, keys: Vec<K>, children: Vec<u32>) -> Page<K> {
        let heap = keys.len() as u16;
        Page { level, previous: NIL, next: NIL, heap, last: None, last_row: 0, keys, children }
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The place of `key`: behind every key that is not greater.
    pub(crate) fn place(&self, key: K) -> usize {
        self.keys.partition_point(|other| *other <= key)
    }

    /// The page as a split rule sees it while row number `row` is inserted.
    pub(crate) fn records(&self, row: u64) -> Records {
        Records {
            level: self.level,
            len: self.len(),
            heap: self.heap.into(),
            last: self.last.map(usize::from),
            took_last_row: self.last_row + 1 == row,
            rightmost: self.next == NIL,
        }
    }

    /// Returns whether the bytes of the records on the page leave enough for one more.
    pub(crate) fn fits(&self, shape: &Shape) -> bool {
        shape.fits(self.level, self.len() as u32)
    }

    /// Inserts a record at `place`, with its child if this is not a leaf.
    pub(crate) fn insert(&mut self, place: usize, key: K, child: Option<u32>) {
        self.keys.insert(place, key);
        if let Some(child) = child {
            self.children.insert(place, child);
        }
        self.last = u16::try_from(place).ok();
        self.heap = self.heap.max(self.len() as u16);
    }

    /// Moves the records from `at` on to a new page. The heap of this page keeps their space.
    pub(crate) fn move_upper(&mut self, at: usize) -> Page<K> {
        let keys = self.keys.split_off(at);
        let children = if self.children.is_empty() { Vec::new() } else { self.children.split_off(at) };
        if !keys.is_empty() {
            self.last = None;
        }
        Page::of(self.level, keys, children)
    }

    /// Moves the records before `at` to a new page. The heap of this page keeps their space.
    pub(crate) fn move_lower(&mut self, at: usize) -> Page<K> {
        let keys: Vec<K> = self.keys.drain(..at).collect();
        let children =
            if self.children.is_empty() { Vec::new() } else { self.children.drain(..at).collect() };
        if !keys.is_empty() {
            self.last = None;
        }
        // These are copied one after another as inserts are (`page_copy_rec_list_start`), so the last one counts as the record
        // that was inserted last. Records that move to an upper page are copied all at once, and none counts.
        let last = keys.len().checked_sub(1).and_then(|last| u16::try_from(last).ok());
        Page { last, ..Page::of(self.level, keys, children) }
    }

    /// Moves all records to a new page and becomes the page above it. A root grows this way.
    pub(crate) fn raise(&mut self, child: u32) -> Page<K> {
        let moved = self.move_upper(0);
        let lowest = moved.keys[0];
        *self = Page { level: self.level + 1, ..Page::of(0, vec![lowest], vec![child]) };
        moved
    }
}
