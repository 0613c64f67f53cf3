//! A tree of short keys or of long ones: an integer is compared quicker than forty bytes.

use super::error::Result;
use super::key::{Key, Wide};
use super::ranges::Ranges;
use super::shape::Shape;
use super::state::TreeState;
use super::tree::{Trace, Tree};

/// The tree of one table, whose keys are of one type.
#[derive(Debug)]
pub(super) enum AnyTree {
    /// Keys of up to 16 bytes.
    Short(Tree<u128>),
    /// Keys of up to 40.
    Long(Tree<Wide>),
}

impl AnyTree {
    /// An empty tree.
    pub(super) fn new(shape: Shape) -> AnyTree {
        AnyTree::Short(Tree::new(shape))
    }

    /// Puts a key in and gives the leaf that took it. The first key decides between short and long ones.
    pub(super) fn insert(&mut self, shape: Shape, key: &[u8], trace: &mut impl Trace) -> Result<u32> {
        if let AnyTree::Short(tree) = self
            && tree.rows == 0
            && key.len() > 16
        {
            *self = AnyTree::Long(Tree::new(shape));
        }
        match self {
            AnyTree::Short(tree) => tree.insert(u128::read(key)?, trace),
            AnyTree::Long(tree) => tree.insert(Wide::read(key)?, trace),
        }
    }

    /// The leaf that `key` belongs to.
    pub(super) fn leaf_of(&self, key: &[u8]) -> Result<u32> {
        Ok(match self {
            AnyTree::Short(tree) => tree.leaf_of(u128::read(key)?),
            AnyTree::Long(tree) => tree.leaf_of(Wide::read(key)?),
        })
    }

    /// Page splits so far, on all levels.
    pub(super) fn splits(&self) -> u64 {
        match self {
            AnyTree::Short(tree) => tree.splits,
            AnyTree::Long(tree) => tree.splits,
        }
    }

    /// Keeps the leaves of these ranges; gives the number of pages.
    pub(super) fn retain(&mut self, ranges: &Ranges) -> u32 {
        fn of<K: Key>(tree: &mut Tree<K>, ranges: &Ranges) -> u32 {
            tree.retain(|first| ranges.take_head(first.head()));
            tree.pages() as u32
        }
        match self {
            AnyTree::Short(tree) => of(tree, ranges),
            AnyTree::Long(tree) => of(tree, ranges),
        }
    }

    /// How it stands, where it is one of `parts` equal parts of a table with so many rows.
    pub(super) fn state(&self, shape: Shape, rows: u64, parts: u32) -> TreeState {
        match self {
            AnyTree::Short(tree) => TreeState::of(tree, shape, rows, parts),
            AnyTree::Long(tree) => TreeState::of(tree, shape, rows, parts),
        }
    }
}
