//! A B+tree that grows by the split rule of its engine.

use crate::error::{Error, Result};
use crate::key::Key;
use crate::page::{NIL, Page};
use crate::rule::SplitRule;
use crate::shape::Shape;

/// Is told of every page that an insert accesses.
pub(crate) trait Trace {
    /// The page is read.
    fn touch(&mut self, page: u32);
    /// The page, which was read before, is changed.
    fn change(&mut self, page: u32);
    /// The page is new.
    fn create(&mut self, page: u32);
    /// A split moved this many records of a leaf to a new page, which logs them again.
    fn moved(&mut self, _records: usize) {}
}

/// The root is always at this place.
const ROOT: u32 = 0;

/// The pages of an index.
#[derive(Debug)]
pub(crate) struct Tree<K, R> {
    shape: Shape,
    rule: R,
    pages: Vec<Page<K>>,
    /// The path to the leaf: the pages above it, with the child chosen in each. Kept to save allocations.
    path: Vec<(u32, usize)>,
    pub(crate) rows: u64,
    pub(crate) splits: u64,
}

impl<K: Key, R: SplitRule> Tree<K, R> {
    /// An empty tree.
    pub(crate) fn new(shape: Shape, rule: R) -> Tree<K, R> {
        Tree { shape, rule, pages: vec![Page::empty(0)], path: Vec::new(), rows: 0, splits: 0 }
    }

    /// Inserts a key and returns its leaf.
    pub(crate) fn insert(&mut self, key: K, trace: &mut impl Trace) -> Result<u32> {
        self.rows += 1;
        let leaf = self.descend(key, trace);
        trace.touch(leaf);
        let place = self.page(leaf).place(key);
        let mut path = std::mem::take(&mut self.path);
        let taken_by = self.insert_or_split(leaf, &mut path, place, key, None, trace);
        self.path = path;
        let taken_by = taken_by?;
        let row = self.rows;
        self.page_mut(taken_by).last_row = row;
        Ok(taken_by)
    }

    /// The leaf of `key`.
    pub(crate) fn leaf_of(&self, key: K) -> u32 {
        let mut at = ROOT;
        while self.page(at).level > 0 {
            at = self.page(at).children[self.page(at).place(key).saturating_sub(1)];
        }
        at
    }

    /// The level of a page and the records on it.
    pub(crate) fn records_on(&self, page: u32) -> (u8, usize) {
        let page = self.page(page);
        (page.level, page.len())
    }

    /// All leaves.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = &Page<K>> {
        self.pages.iter().filter(|page| page.level == 0)
    }

    /// Pages on all levels.
    pub(crate) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Keeps only the leaves for whose first key `keep` is true, and builds new pages above them.
    pub(crate) fn retain(&mut self, keep: impl Fn(K) -> bool) {
        let mut at = self.leftmost_leaf();
        let mut kept = Vec::new();
        while at != NIL {
            let leaf = std::mem::replace(self.page_mut(at), Page::empty(0));
            at = leaf.next;
            if leaf.keys.first().is_some_and(|&first| keep(first)) {
                kept.push(leaf);
            }
        }
        // The root has place 0, and the leaves follow in order.
        let lowest: Vec<K> = kept.iter().map(|leaf| leaf.keys[0]).collect();
        let last = kept.len() as u32;
        self.pages = vec![Page::empty(0)];
        for (number, mut leaf) in (1..).zip(kept) {
            leaf.previous = if number == 1 { NIL } else { number - 1 };
            leaf.next = if number == last { NIL } else { number + 1 };
            self.pages.push(leaf);
        }
        self.grow_above(1..=last, lowest);
    }

    /// Builds pages of node pointers above a level, up to the root.
    fn grow_above(&mut self, children: std::ops::RangeInclusive<u32>, lowest: Vec<K>) {
        let mut below: Vec<(K, u32)> = lowest.into_iter().zip(children).collect();
        let mut level = 1;
        let most = (0..).find(|&records| !self.shape.fits(1, records)).unwrap_or(2) as usize;
        while below.len() > most {
            let mut pages = Vec::new();
            // Two thirds full, as random inserts leave them.
            for group in below.chunks(most * 2 / 3) {
                let (keys, children) = group.iter().copied().unzip();
                let number = self.pages.len() as u32;
                let mut page = Page::of(level, keys, children);
                page.previous = if pages.is_empty() { NIL } else { number - 1 };
                page.next = number + 1;
                self.pages.push(page);
                pages.push((group[0].0, number));
            }
            if let Some(page) = self.pages.last_mut() {
                page.next = NIL;
            }
            below = pages;
            level += 1;
        }
        if !below.is_empty() {
            let (keys, children) = below.into_iter().unzip();
            self.pages[ROOT as usize] = Page::of(level, keys, children);
        }
    }

    fn leftmost_leaf(&self) -> u32 {
        let mut at = ROOT;
        while self.page(at).level > 0 {
            at = self.page(at).children[0];
        }
        at
    }

    fn page(&self, page: u32) -> &Page<K> {
        &self.pages[page as usize]
    }

    fn page_mut(&mut self, page: u32) -> &mut Page<K> {
        &mut self.pages[page as usize]
    }

    /// Descends to the leaf of `key` and stores the path.
    fn descend(&mut self, key: K, trace: &mut impl Trace) -> u32 {
        self.path.clear();
        let mut at = ROOT;
        while self.page(at).level > 0 {
            trace.touch(at);
            // The first pointer of a level covers all keys below the second.
            let child = self.page(at).place(key).saturating_sub(1);
            self.path.push((at, child));
            at = self.page(at).children[child];
        }
        at
    }

    fn new_page(&mut self, page: Page<K>) -> Result<u32> {
        let number = u32::try_from(self.pages.len()).ok().filter(|&number| number != NIL);
        let number = number.ok_or_else(Error::too_many_pages)?;
        self.pages.push(page);
        Ok(number)
    }

    /// `btr_cur_pessimistic_insert`: a record that may not fit on its page. `path` leads to the page.
    fn insert_or_split(
        &mut self,
        page: u32,
        path: &mut Vec<(u32, usize)>,
        place: usize,
        key: K,
        child: Option<u32>,
        trace: &mut impl Trace,
    ) -> Result<u32> {
        if self.rule.takes(&self.page(page).records(self.rows), &self.shape, place) {
            self.page_mut(page).insert(place, key, child);
            trace.change(page);
            return Ok(page);
        }
        let page = if page == ROOT { self.raise_root(path, trace)? } else { page };
        if let Some(sibling) = self.right_sibling_with_room(page, place, trace) {
            self.insert_at_front(sibling, path, key, child, trace);
            return Ok(sibling);
        }
        self.split(page, path, place, key, child, trace)
    }

    /// `btr_root_raise_and_insert`: the root's records move to a new page below it.
    fn raise_root(&mut self, path: &mut Vec<(u32, usize)>, trace: &mut impl Trace) -> Result<u32> {
        let number = self.pages.len() as u32;
        let moved = self.page_mut(ROOT).raise(number);
        let number = self.new_page(moved)?;
        trace.create(number);
        trace.change(ROOT);
        path.clear();
        path.push((ROOT, 0));
        Ok(number)
    }

    /// The next page, if the record's place is the end of this page and the next page has room
    /// (`btr_insert_into_right_sibling`).
    fn right_sibling_with_room(&mut self, page: u32, place: usize, trace: &mut impl Trace) -> Option<u32> {
        let next = self.page(page).next;
        if !self.rule.uses_right_sibling() || place < self.page(page).len() || next == NIL {
            return None;
        }
        trace.touch(next);
        self.page(next).fits(&self.shape).then_some(next)
    }

    fn insert_at_front(
        &mut self,
        page: u32,
        path: &[(u32, usize)],
        key: K,
        child: Option<u32>,
        trace: &mut impl Trace,
    ) {
        let level = self.page(page).level;
        self.lower_pointers_to_next(path, level, key, trace);
        self.page_mut(page).insert(0, key, child);
        trace.change(page);
    }

    /// Lowers the pointers to the page behind the one that `path` leads to: its own pointer, and those above it
    /// while each is the first of its page.
    fn lower_pointers_to_next(&mut self, path: &[(u32, usize)], level: u8, key: K, trace: &mut impl Trace) {
        let up = path.iter().rev().find(|(above, at)| at + 1 < self.page(*above).len());
        let Some(&(mut above, at)) = up else { return };
        let mut at = at + 1;
        loop {
            self.page_mut(above).keys[at] = key;
            trace.change(above);
            let below = self.page(above).children[at];
            if self.page(below).level == level {
                return;
            }
            trace.touch(below);
            (above, at) = (below, 0);
        }
    }

    fn split(
        &mut self,
        page: u32,
        path: &mut Vec<(u32, usize)>,
        place: usize,
        key: K,
        child: Option<u32>,
        trace: &mut impl Trace,
    ) -> Result<u32> {
        self.splits += 1;
        let divided = self.page(page);
        // The keys of the page with the new one among them.
        let at = |index: usize| match index.cmp(&place) {
            std::cmp::Ordering::Less => divided.keys[index],
            std::cmp::Ordering::Equal => key,
            std::cmp::Ordering::Greater => divided.keys[index - 1],
        };
        let shared = |index: usize| at(index - 1).shared_bytes(at(index));
        let cut = self.rule.cut(&divided.records(self.rows), &self.shape, place, &shared);
        let moved = if cut.downwards {
            self.page_mut(page).move_lower(cut.at)
        } else {
            self.page_mut(page).move_upper(cut.at)
        };
        let moved_rows = if moved.level == 0 { moved.len() } else { 0 };
        let new = self.new_page(moved)?;
        trace.create(new);
        trace.change(page);
        trace.moved(moved_rows);
        let (lower, upper) = if cut.downwards { (new, page) } else { (page, new) };
        self.link(page, lower, upper, trace);

        let (taken_by, place) = if cut.new_goes_down { (lower, place) } else { (upper, place - cut.at) };
        self.page_mut(taken_by).insert(place, key, child);

        let (parent, at) = path.pop().expect("a page that is not the root should have a page above it");
        let first_of_upper = self.page_mut(upper).keys[0];
        self.page_mut(parent).children[at] = lower;
        self.insert_or_split(parent, path, at + 1, first_of_upper, Some(upper), trace)?;
        Ok(taken_by)
    }

    /// Replaces `page` by `lower` and `upper` in the chain of its level. The neighbors store the numbers of the pages beside
    /// them, so one of them changes.
    fn link(&mut self, page: u32, lower: u32, upper: u32, trace: &mut impl Trace) {
        let (previous, next) = (self.page(page).previous, self.page(page).next);
        (self.page_mut(lower).previous, self.page_mut(lower).next) = (previous, upper);
        (self.page_mut(upper).previous, self.page_mut(upper).next) = (lower, next);
        if previous != NIL {
            if lower != page || self.rule.latches_left_sibling() {
                trace.touch(previous);
            }
            if lower != page {
                trace.change(previous);
            }
            self.page_mut(previous).next = lower;
        }
        if next != NIL {
            trace.touch(next);
            if upper != page {
                trace.change(next);
            }
            self.page_mut(next).previous = upper;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::innodb::InnoDb;

    struct Unseen;

    impl Trace for Unseen {
        fn touch(&mut self, _: u32) {}
        fn change(&mut self, _: u32) {}
        fn create(&mut self, _: u32) {}
    }

    /// Every key, leaf by leaf along the chain.
    fn chain(tree: &Tree<u128, InnoDb>) -> Vec<u128> {
        let mut at = tree.leftmost_leaf();
        let (mut keys, mut previous) = (Vec::new(), NIL);
        while at != NIL {
            assert_eq!(tree.page(at).previous, previous, "the chain should be the same in both directions");
            keys.extend_from_slice(&tree.page(at).keys);
            (previous, at) = (at, tree.page(at).next);
        }
        keys
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Ascending runs, descending runs and single keys, in any mixture: no key is lost, the chain is in order, and each key
        /// is found in its leaf.
        #[test]
        fn keys_stay_in_order(
            runs in prop::collection::vec((any::<u32>(), 1u32..120, -1i64..=1), 1..60),
        ) {
            // Rows of 1,500 bytes: ten to a page, so a few hundred make three levels.
            let shape = Shape::clustered(16_384, 1_500, 0).expect("ten fit");
            let mut tree = Tree::new(shape, InnoDb);
            let mut all = std::collections::BTreeSet::new();
            for (start, len, step) in runs {
                for n in 0..i64::from(len) {
                    let key = (i64::from(start) * 1_000 + 500 + n * step) as u128;
                    if all.insert(key) {
                        tree.insert(key, &mut Unseen).expect("few pages");
                    }
                }
            }
            prop_assert_eq!(chain(&tree), all.iter().copied().collect::<Vec<_>>());
            for key in all.iter().step_by(17) {
                prop_assert!(tree.page(tree.leaf_of(*key)).keys.contains(key), "{} is in another leaf", key);
            }
            prop_assert_eq!(tree.rows, all.len() as u64);

            // Without half of its leaves, the rest of the tree is unchanged, and keys can be inserted again.
            let rest: Vec<u128> =
                tree.leaves().filter(|leaf| leaf.keys.first().is_some_and(|key| key % 2 == 0)).flat_map(|leaf| leaf.keys.clone()).collect();
            tree.retain(|first| first % 2 == 0);
            let mut rest: std::collections::BTreeSet<u128> = rest.into_iter().collect();
            prop_assert_eq!(chain(&tree), rest.iter().copied().collect::<Vec<_>>());
            for key in 0..300_u128 {
                tree.insert(key * 7_777_777 + 1, &mut Unseen).expect("few pages");
                rest.insert(key * 7_777_777 + 1);
            }
            prop_assert_eq!(chain(&tree).len(), rest.len());
        }
    }
}
