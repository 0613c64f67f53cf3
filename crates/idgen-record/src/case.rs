//! One case of an experiment that times statements or loads tables.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::published::Tolerance;

/// One case that was run and checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// In a few words.
    pub name: String,
    /// The statement that was timed.
    pub sql: String,
    /// Seconds: the median of the runs.
    pub secs: f64,
    /// Seconds of each run.
    pub runs: Vec<f64>,
    /// The number that the check gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<String>,
    /// Seconds as published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_secs: Option<f64>,
    /// Seconds as published, times those of the first case, where only that was published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_times: Option<f64>,
    /// How far the published ratio, page fill or share may be from the one measured here. Only a run as large as the
    /// published one has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_tolerance: Option<Tolerance>,
    /// How several clients loaded tables, where they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadFigures>,
    /// The file of the case's table afterwards, where the experiment is about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileFigures>,
}

/// A load by several clients at the same time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadFigures {
    /// Clients that inserted at the same time.
    pub clients: u32,
    /// Rows of each statement.
    pub statement_rows: u32,
    /// Rows of each run, of all clients together. The tables were found to hold this many.
    pub rows: u64,
    /// Rows per second, by the median of the runs.
    pub rows_per_sec: f64,
    /// What the server counted during the load, per 1,000 rows over all runs, by the server's name for it. Counters that
    /// the server does not have are absent.
    pub per_1k: BTreeMap<String, f64>,
}

/// The file of a table, or its heap and its indexes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileFigures {
    /// Rows in it, which agree with the server's count.
    pub rows: u64,
    /// Bytes of the file, including pages that no index uses.
    pub bytes: u64,
    /// Of those, the bytes of the heap, in which the rows lie; `None` where they lie in the first index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap_bytes: Option<u64>,
    /// Bytes of one key, where the experiment is about copies of the key in indexes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_bytes: Option<u32>,
    /// How full the leaf pages of the clustered index are, from 0 to 1, as published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_fill: Option<f64>,
    /// The share of all storage that such keys took, from 0 to 1, as published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_key_share: Option<f64>,
    /// The indexes: the clustered one, the table itself, first; beside a heap, that of the primary key.
    pub indexes: Vec<IndexFigures>,
}

impl FileFigures {
    /// Bytes of the pages of all indexes and of the heap, per row. Free pages, of which a small file has many, do not count.
    pub fn bytes_per_row(&self) -> f64 {
        self.heap_bytes_per_row().unwrap_or(0.0) + self.index_bytes_per_row()
    }

    /// Bytes of the pages of all indexes, per row.
    pub fn index_bytes_per_row(&self) -> f64 {
        self.per_row(self.indexes.iter().map(|index| index.bytes).sum())
    }

    /// Bytes of the heap, per row.
    pub fn heap_bytes_per_row(&self) -> Option<f64> {
        self.heap_bytes.map(|bytes| self.per_row(bytes))
    }

    fn per_row(&self, bytes: u64) -> f64 {
        bytes as f64 / self.rows.max(1) as f64
    }

    /// Bytes that the copies of the key take, per row: each index holds the key once. Beside a heap only the index of the
    /// primary key does, and the heap; the other indexes refer to places in the heap.
    pub fn key_bytes_per_row(&self) -> Option<f64> {
        let copies = if self.heap_bytes.is_some() { 2 } else { self.indexes.len() };
        Some(f64::from(self.key_bytes?) * copies as f64)
    }

    /// The share of these pages that the copies of the key take, from 0 to 1.
    pub fn key_share(&self) -> Option<f64> {
        Some(self.key_bytes_per_row()? / self.bytes_per_row().max(1e-9))
    }
}

/// One index in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexFigures {
    /// Its name.
    pub name: String,
    /// Leaf pages.
    pub leaf_pages: u64,
    /// Bytes of all its pages.
    pub bytes: u64,
    /// How full a leaf page is, from 0 to 1: the mean.
    pub fill_mean: f64,
    /// The tenth percentile of the page fill: a tenth of the leaf pages are at most this full.
    pub fill_p10: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_index_holds_a_copy_of_the_key() {
        let index =
            IndexFigures { name: "a".into(), leaf_pages: 1, bytes: 600, fill_mean: 0.5, fill_p10: 0.5 };
        let mut file = FileFigures {
            rows: 10,
            bytes: 5_000,
            heap_bytes: None,
            key_bytes: Some(36),
            published_fill: None,
            published_key_share: None,
            indexes: vec![index; 6],
        };
        assert_eq!(file.bytes_per_row(), 360.0);
        assert_eq!(file.key_bytes_per_row(), Some(216.0));
        assert_eq!(file.key_share(), Some(0.6));
        file.heap_bytes = Some(1_200);
        assert_eq!((file.heap_bytes_per_row(), file.bytes_per_row()), (Some(120.0), 480.0));
        assert_eq!((file.key_bytes_per_row(), file.key_share()), (Some(72.0), Some(0.15)));
        file.key_bytes = None;
        assert_eq!(file.key_share(), None);
    }
}
