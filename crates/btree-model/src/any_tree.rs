//! A tree of short keys or of long ones. Short keys are compared as integers, which is faster than comparing forty bytes.

use crate::error::Result;
use crate::key::{Key, Wide};
use crate::ranges::Ranges;
use crate::rule::SplitRule;
use crate::shape::Shape;
use crate::state::TreeState;
use crate::tree::{Trace, Tree};

/// The tree of one table, whose keys are of one type.
#[derive(Debug)]
pub(crate) enum AnyTree<R> {
    /// Keys of up to 16 bytes.
    Short(Tree<u128, R>),
    /// Keys of up to 40.
    Long(Tree<Wide, R>),
}

impl<R: SplitRule> AnyTree<R> {
    /// An empty tree.
    pub(crate) fn new(shape: Shape, rule: R) -> Self {
        AnyTree::Short(Tree::new(shape, rule))
    }

    /// Inserts a key and returns its leaf. The first key decides between short and long keys.
    pub(crate) fn insert(
        &mut self,
        shape: Shape,
        rule: R,
        key: &[u8],
        trace: &mut impl Trace,
    ) -> Result<u32> {
        if let AnyTree::Short(tree) = self
            && tree.rows == 0
            && key.len() > 16
        {
            *self = AnyTree::Long(Tree::new(shape, rule));
        }
        match self {
            AnyTree::Short(tree) => tree.insert(u128::read(key)?, trace),
            AnyTree::Long(tree) => tree.insert(Wide::read(key)?, trace),
        }
    }

    /// The leaf of `key`.
    pub(crate) fn leaf_of(&self, key: &[u8]) -> Result<u32> {
        Ok(match self {
            AnyTree::Short(tree) => tree.leaf_of(u128::read(key)?),
            AnyTree::Long(tree) => tree.leaf_of(Wide::read(key)?),
        })
    }

    /// The level of a page and the records on it.
    pub(crate) fn records_on(&self, page: u32) -> (u8, usize) {
        match self {
            AnyTree::Short(tree) => tree.records_on(page),
            AnyTree::Long(tree) => tree.records_on(page),
        }
    }

    /// Page splits so far, on all levels.
    pub(crate) fn splits(&self) -> u64 {
        match self {
            AnyTree::Short(tree) => tree.splits,
            AnyTree::Long(tree) => tree.splits,
        }
    }

    /// Keeps only the leaves of these ranges, and returns the number of pages.
    pub(crate) fn retain(&mut self, ranges: &Ranges) -> u32 {
        fn of<K: Key, R: SplitRule>(tree: &mut Tree<K, R>, ranges: &Ranges) -> u32 {
            tree.retain(|first| ranges.take_head(first.head()));
            tree.pages() as u32
        }
        match self {
            AnyTree::Short(tree) => of(tree, ranges),
            AnyTree::Long(tree) => of(tree, ranges),
        }
    }

    /// The figures of a tree that is one of `parts` equal parts of a table of `rows` rows.
    pub(crate) fn state(&self, shape: Shape, rows: u64, parts: u32) -> TreeState {
        match self {
            AnyTree::Short(tree) => TreeState::of(tree, shape, rows, parts),
            AnyTree::Long(tree) => TreeState::of(tree, shape, rows, parts),
        }
    }
}
