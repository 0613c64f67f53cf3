//! The figures of one B-tree after a run, and the maps of its file.

use serde::{Deserialize, Serialize};

use crate::known;

/// The content and purpose of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It holds the rows, in the order of the key. Where rows lie in a heap, it is the index of the key.
    Rows,
    /// It finds the integer of a UUID.
    Map,
    /// It holds the pairs of a map in the order of the integers, where the index itself does not hold them.
    Pairs,
    /// A secondary index.
    Secondary,
}

/// The figures of one tree after the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeFigures {
    /// The purpose of the tree.
    pub role: Role,
    /// The name of its index, where an experiment shows each index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Rows in it.
    pub rows: u64,
    /// Leaf pages.
    pub leaf_pages: u64,
    /// Pages above them.
    pub inner_pages: u64,
    /// Bytes of all its pages.
    pub bytes: u64,
    /// Bytes in use of a leaf page, from 0 to 1: the mean.
    pub fill_mean: f64,
    /// The tenth percentile of the page fill of leaf pages.
    pub fill_p10: f64,
    /// Leaf pages by fill: below 5 %, below 10 % and so on.
    pub fill_histogram: Vec<u64>,
    /// Different leaf pages that 1,000 consecutive inserts went to, on average. Not a number where unknown.
    #[serde(with = "known")]
    pub distinct_leaves_per_1k: f64,
    /// The page fill of the leaf pages of rows that were in the table before the run, from 0 to 1: the mean over these rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill_of_old_rows: Option<f64>,
    /// The mean page fill of the leaf pages of rows of the run, over these rows, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill_of_new_rows: Option<f64>,
    /// Maps of the pages of its file; `None` where the engine does not read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileMaps>,
}

impl TreeFigures {
    /// An index that an experiment shows, with its leaf pages and the others. The page fill is not known.
    pub fn index(name: &str, role: Role, rows: u64, [leaf_pages, inner_pages]: [u64; 2], bytes: u64) -> Self {
        TreeFigures {
            role,
            name: Some(name.into()),
            rows,
            leaf_pages,
            inner_pages,
            bytes,
            fill_mean: f64::NAN,
            fill_p10: f64::NAN,
            fill_histogram: Vec::new(),
            distinct_leaves_per_1k: f64::NAN,
            fill_of_old_rows: None,
            fill_of_new_rows: None,
            file: None,
        }
    }
}

/// The file of a tree, which may hold another tree of the same table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileMaps {
    /// Pages in the file, including free ones.
    pub pages: u64,
    /// The number of pages in a cell of the maps. Cells are in the order of the file.
    pub pages_per_cell: u64,
    /// A character for each cell: `.` free, `-` no index, `^` above the leaves, else a leaf, from `0`,
    /// less than a tenth full, to `9`.
    pub fill: String,
    /// A character for each cell, as in `fill`; but leaves run from `0`, changed longest ago, to `9`, changed
    /// last, by rank.
    pub recency: String,
    /// Bytes of log from the oldest change that a page of the file holds to the newest: the whole run.
    pub log_bytes: u64,
    /// Leaf pages changed within the last tenth of it, from 0 to 1.
    pub recent_leaves: f64,
    /// The median age of leaf pages since their last change, as a share of the run: 0 changed just now, 1 at
    /// the start.
    pub median_age: f64,
    /// The age below which a tenth of the leaf pages are, as a share of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p10_age: Option<f64>,
    /// The age below which nine tenths of the leaf pages are, as a share of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p90_age: Option<f64>,
}

impl FileMaps {
    /// The most cells of a map: enough to see the pattern, and few enough for a text file.
    pub const MOST_CELLS: usize = 2_048;
}
