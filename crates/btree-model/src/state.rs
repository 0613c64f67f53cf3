//! The figures of a tree.

use innodb_pages::Distribution;
use serde::Serialize;

use crate::key::Key;
use crate::rule::SplitRule;
use crate::shape::Shape;
use crate::tree::Tree;

/// The figures of a tree at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeState {
    /// Rows in it.
    pub rows: u64,
    /// Leaf pages.
    pub leaf_pages: u64,
    /// Pages above the leaves.
    pub inner_pages: u64,
    /// Bytes of pages on all levels, per row.
    pub page_bytes_per_row: f64,
    /// The share of each leaf that records take, as the page reader measures it.
    pub fill: Distribution,
}

impl TreeState {
    /// Computes the figures from every leaf of a tree that is one of `parts` equal parts of a table of `rows` rows.
    pub(crate) fn of<K: Key, R: SplitRule>(
        tree: &Tree<K, R>,
        shape: Shape,
        rows: u64,
        parts: u32,
    ) -> TreeState {
        let fills: Vec<f64> = tree.leaves().map(|leaf| shape.fill(leaf.len())).collect();
        let leaf_pages = fills.len() as u64;
        let pages = tree.pages() as u64;
        let parts = u64::from(parts);
        let bytes = (pages * parts * u64::from(shape.page_size())) as f64;
        TreeState {
            rows,
            leaf_pages: leaf_pages * parts,
            inner_pages: (pages - leaf_pages) * parts,
            page_bytes_per_row: if rows == 0 { 0.0 } else { bytes / rows as f64 },
            fill: Distribution::of(fills),
        }
    }
}
