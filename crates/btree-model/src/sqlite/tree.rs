//! The pages of a table of SQLite (`btree.c`).

use innodb_pages::Distribution;

use super::balance::divide;
use super::cells::SqliteShape;
use crate::error::{Error, Result};
use crate::key::Key;
use crate::state::TreeState;
use crate::tree::Trace;

/// The first page of the file, which holds the schema and the number of pages.
const FIRST: u32 = 0;
/// The root keeps its place in the file.
const ROOT: u32 = 1;

/// The pages of one table.
#[derive(Debug)]
pub(super) struct SqliteTree<K> {
    shape: SqliteShape,
    /// The pages by their places in the file. The first page is not a part of the tree.
    pages: Vec<Node<K>>,
    /// Pages that no longer belong to the tree (the freelist).
    free: Vec<u32>,
    /// The path to the page that is inserted into: the pages above it, with the child chosen in each.
    path: Vec<(u32, usize)>,
    pub(super) rows: u64,
    /// The number of pages that were added because rows did not fit on the existing ones.
    pub(super) splits: u64,
}

/// A page. One above the leaves has one more child than keys.
#[derive(Clone, Debug)]
struct Node<K> {
    keys: Vec<K>,
    children: Vec<u32>,
    /// Bytes that the cells and their pointers take.
    taken: u32,
}

impl<K> Node<K> {
    const fn empty() -> Node<K> {
        Node { keys: Vec::new(), children: Vec::new(), taken: 0 }
    }

    fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }
}

impl<K: Key> SqliteTree<K> {
    /// An empty tree.
    pub(super) fn new(shape: SqliteShape, trace: &mut impl Trace) -> Self {
        trace.create(FIRST);
        trace.create(ROOT);
        let pages = vec![Node::empty(), Node::empty()];
        SqliteTree { shape, pages, free: Vec::new(), path: Vec::new(), rows: 0, splits: 0 }
    }

    /// Inserts a key and returns the leaf to which it was given at first.
    pub(super) fn insert(&mut self, key: K, trace: &mut impl Trace) -> Result<u32> {
        self.rows += 1;
        let leaf = self.descend(key, trace);
        let place = self.node(leaf).keys.partition_point(|other| *other < key);
        let taken = self.shape.taken(true, key.head());
        let node = self.node_mut(leaf);
        let appended = place == node.keys.len();
        node.keys.insert(place, key);
        node.taken += taken;
        if self.is_too_full(leaf) {
            // The page itself is not changed until it is divided.
            self.balance(leaf, appended, trace)?;
        } else {
            trace.change(leaf);
        }
        Ok(leaf)
    }

    /// The figures of the tree.
    pub(super) fn state(&self) -> TreeState {
        let used = || self.pages.iter().skip(1).filter(|node| self.rows == 0 || !node.keys.is_empty());
        let fills: Vec<f64> =
            used().filter(|node| node.is_leaf()).map(|node| self.shape.fill(true, node.taken)).collect();
        let leaf_pages = fills.len() as u64;
        let pages = used().count() as u64;
        let bytes = (pages * u64::from(self.shape.page_bytes())) as f64;
        TreeState {
            rows: self.rows,
            leaf_pages,
            inner_pages: pages - leaf_pages,
            page_bytes_per_row: if self.rows == 0 { 0.0 } else { bytes / self.rows as f64 },
            fill: Distribution::of(fills),
        }
    }

    fn node(&self, page: u32) -> &Node<K> {
        &self.pages[page as usize]
    }

    fn node_mut(&mut self, page: u32) -> &mut Node<K> {
        &mut self.pages[page as usize]
    }

    /// Descends to the leaf of `key` and stores the path. A row number above the leaves is the highest of its child.
    fn descend(&mut self, key: K, trace: &mut impl Trace) -> u32 {
        self.path.clear();
        let mut at = ROOT;
        trace.touch(at);
        while !self.node(at).is_leaf() {
            let child = self.node(at).keys.partition_point(|other| *other < key);
            self.path.push((at, child));
            at = self.node(at).children[child];
            trace.touch(at);
        }
        at
    }

    fn is_too_full(&self, page: u32) -> bool {
        let node = self.node(page);
        node.taken > self.shape.room(node.is_leaf())
    }

    /// Less than a third of the page is in use.
    fn is_too_empty(&self, page: u32) -> bool {
        let node = self.node(page);
        let free = self.shape.room(node.is_leaf()).saturating_sub(node.taken);
        free * 3 > self.shape.page_bytes() * 2
    }

    /// A page of the freelist, or a new one at the end of the file, whose length the first page holds.
    fn allocate(&mut self, node: Node<K>, trace: &mut impl Trace) -> Result<u32> {
        let page = if let Some(page) = self.free.pop() {
            *self.node_mut(page) = node;
            page
        } else {
            let page = u32::try_from(self.pages.len()).map_err(|_| Error::too_many_pages())?;
            self.pages.push(node);
            page
        };
        trace.change(FIRST);
        trace.create(page);
        Ok(page)
    }

    /// Balances a page that is too full, and those above it that become too full or too empty by that
    /// (`balance`). `appended` says that the new cell is the last one of its page.
    fn balance(&mut self, mut page: u32, mut appended: bool, trace: &mut impl Trace) -> Result<()> {
        loop {
            let too_full = self.is_too_full(page);
            if !too_full && !self.is_too_empty(page) {
                return Ok(());
            }
            let (parent, at) = match self.path.pop() {
                Some(above) => above,
                None if too_full => {
                    page = self.deepen(trace)?;
                    (ROOT, 0)
                }
                None => return Ok(()),
            };
            trace.change(parent);
            let is_last = at == self.node(parent).keys.len();
            if appended && is_last && self.shape.rows_on_leaves_only() {
                self.append_page(page, parent, trace)?;
            } else {
                self.balance_with_neighbors(parent, at, trace)?;
            }
            (page, appended) = (parent, false);
        }
    }

    /// `balance_deeper`: the root's cells move to a new page, the only one below it.
    fn deepen(&mut self, trace: &mut impl Trace) -> Result<u32> {
        let moved = std::mem::replace(self.node_mut(ROOT), Node::empty());
        let child = self.allocate(moved, trace)?;
        self.node_mut(ROOT).children.push(child);
        Ok(child)
    }

    /// `balance_quick`: a new row behind all others of the table goes to a new page alone.
    fn append_page(&mut self, page: u32, parent: u32, trace: &mut impl Trace) -> Result<()> {
        let keys = &mut self.node_mut(page).keys;
        let (Some(key), Some(&highest)) = (keys.pop(), keys.last()) else {
            return Ok(());
        };
        let taken = self.shape.taken(true, key.head());
        self.node_mut(page).taken -= taken;
        let new = self.allocate(Node { keys: vec![key], children: Vec::new(), taken }, trace)?;
        let above = self.shape.taken(false, highest.head());
        let parent = self.node_mut(parent);
        parent.keys.push(highest);
        parent.children.push(new);
        parent.taken += above;
        self.splits += 1;
        Ok(())
    }

    /// `balance_nonroot`: the cells of a page and of up to two neighbors are divided evenly among as many pages as they
    /// need.
    fn balance_with_neighbors(&mut self, parent: u32, at: usize, trace: &mut impl Trace) -> Result<()> {
        let dividers = self.node(parent).keys.len();
        let first = match at {
            _ if dividers < 2 || at == 0 => 0,
            at if at == dividers => dividers - 2,
            at => at - 1,
        };
        let last = (first + 2).min(dividers);
        let old: Vec<u32> = self.node(parent).children[first..=last].to_vec();
        let leaf = self.node(old[0]).is_leaf();
        let data = leaf && self.shape.rows_on_leaves_only();

        // All cells in order, with those between the pages, and the pages below.
        let (mut keys, mut children, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for (number, &page) in old.iter().enumerate() {
            trace.change(page);
            let node = std::mem::replace(self.node_mut(page), Node::empty());
            keys.extend(node.keys);
            children.extend(node.children);
            ends.push(keys.len());
            if page != old[old.len() - 1] && !data {
                keys.push(self.node(parent).keys[first + number]);
            }
        }
        let sizes: Vec<u32> = keys.iter().map(|key| self.shape.taken(leaf, key.head())).collect();
        let ends = divide(&sizes, &ends, self.shape.room(leaf), data);

        let (mut new, mut between, mut from) = (Vec::new(), Vec::new(), 0);
        for (number, &end) in ends.iter().enumerate() {
            let below = if leaf { Vec::new() } else { children[from..=end].to_vec() };
            let taken = sizes[from..end].iter().sum();
            let node = Node { keys: keys[from..end].to_vec(), children: below, taken };
            new.push(if let Some(&page) = old.get(number) {
                *self.node_mut(page) = node;
                page
            } else {
                self.allocate(node, trace)?
            });
            if number + 1 < ends.len() {
                // A copy of the highest row number, or the cell between the pages.
                between.push(keys[if data { end - 1 } else { end }]);
            }
            from = end + usize::from(!data);
        }
        self.splits += new.len().saturating_sub(old.len()) as u64;
        self.free.extend(old.get(new.len()..).unwrap_or_default());

        let head_of = |key: &K| key.head();
        let gone: u32 = self.node(parent).keys[first..last]
            .iter()
            .map(head_of)
            .map(|head| self.shape.taken(false, head))
            .sum();
        let come: u32 = between.iter().map(head_of).map(|head| self.shape.taken(false, head)).sum();
        let node = self.node_mut(parent);
        node.taken = node.taken - gone + come;
        node.keys.splice(first..last, between);
        node.children.splice(first..=last, new);
        self.shrink_root(trace);
        Ok(())
    }

    /// A root without a key takes the cells of its only child.
    fn shrink_root(&mut self, trace: &mut impl Trace) {
        let root = self.node(ROOT);
        if let ([], &[child]) = (root.keys.as_slice(), root.children.as_slice()) {
            *self.node_mut(ROOT) = std::mem::replace(self.node_mut(child), Node::empty());
            self.free.push(child);
            trace.change(ROOT);
        }
    }
}
