//! Computes the number of records that fit on a page: the arithmetic of `page0page.h` and `btr0cur.cc`.

use crate::error::{Error, Result};
use crate::nbtree_page;

/// Bytes of a page that records cannot use: headers, the infimum and supremum records, the trailer and two
/// directory slots.
const OVERHEAD: u32 = 120 + 8 + 4;
/// A record's header in the compact row formats.
pub const RECORD_HEADER: u32 = 5;
/// The transaction number and the roll pointer in every row of a clustered index.
pub const SYSTEM_COLUMNS: u32 = 6 + 7;
/// A page number in a node pointer.
const CHILD: u32 = 4;

/// The format of pages and records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// A clustered index, which keeps a part of each leaf free.
    InnoDb { clustered: bool },
    /// PostgreSQL's: see the module `nbtree`.
    Nbtree,
}

/// The bytes that decide how many records fit on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    page_size: u32,
    leaf_record: u32,
    node_record: u32,
    layout: Layout,
}

impl Shape {
    /// A clustered index: the table itself.
    ///
    /// `key_bytes` is the primary key as stored, `other_bytes` the rest of the row with its length and
    /// null bytes. The record header and the two system columns are added here.
    ///
    /// ```
    /// use btree_model::Shape;
    ///
    /// let shape = Shape::clustered(16_384, 16, 0)?;
    /// assert_eq!(shape.record_bytes(), 34);
    /// # Ok::<(), btree_model::Error>(())
    /// ```
    ///
    /// # Errors
    /// InnoDB does not have this page size, or fewer than two records fit on a page.
    pub fn clustered(page_size: u32, key_bytes: u32, other_bytes: u32) -> Result<Shape> {
        let record = RECORD_HEADER
            .saturating_add(SYSTEM_COLUMNS)
            .saturating_add(key_bytes)
            .saturating_add(other_bytes);
        Shape::new(page_size, record, key_bytes, Layout::InnoDb { clustered: true })
    }

    /// A secondary index: `key_bytes` is the indexed columns with the primary key behind them.
    ///
    /// # Errors
    /// The errors of [`Shape::clustered`].
    pub fn secondary(page_size: u32, key_bytes: u32) -> Result<Shape> {
        let layout = Layout::InnoDb { clustered: false };
        Shape::new(page_size, RECORD_HEADER.saturating_add(key_bytes), key_bytes, layout)
    }

    /// A B-tree index of PostgreSQL, whose key columns take this many bytes as stored: 16 of a `uuid`, 37 of a text of 36
    /// characters, which has a byte for its length.
    ///
    /// ```
    /// use btree_model::Shape;
    ///
    /// // Eight bytes before the key, four on the page to find it.
    /// assert_eq!(Shape::nbtree(16)?.record_bytes(), 28);
    /// assert_eq!(Shape::nbtree(37)?.record_bytes(), 52);
    /// # Ok::<(), btree_model::Error>(())
    /// ```
    ///
    /// # Errors
    /// The key is longer than an index allows, about a third of a page.
    pub fn nbtree(key_bytes: u32) -> Result<Shape> {
        let record = nbtree_page::record_bytes(key_bytes);
        if record > nbtree_page::MOST_RECORD_BYTES {
            return Err(Error::record_size(record, nbtree_page::MOST_RECORD_BYTES));
        }
        Ok(Shape {
            page_size: nbtree_page::PAGE_BYTES,
            leaf_record: record,
            node_record: record,
            layout: Layout::Nbtree,
        })
    }

    fn new(page_size: u32, leaf_record: u32, key_bytes: u32, layout: Layout) -> Result<Shape> {
        if !page_size.is_power_of_two() || !(4_096..=65_536).contains(&page_size) {
            return Err(Error::page_size(page_size));
        }
        let node_record = RECORD_HEADER.saturating_add(key_bytes).saturating_add(CHILD);
        let shape = Shape { page_size, leaf_record, node_record, layout };
        // InnoDB stores longer columns on other pages, so that at least two records fit.
        if !shape.fits(0, 1) || !shape.fits(0, 0) || leaf_record.max(node_record) > shape.room() / 2 {
            return Err(Error::record_size(leaf_record.max(node_record), shape.room() / 2));
        }
        Ok(shape)
    }

    /// Bytes in a page.
    pub fn page_size(&self) -> u32 {
        self.page_size
    }

    /// Bytes of a row in a leaf page, header and system columns included.
    pub fn record_bytes(&self) -> u32 {
        self.leaf_record
    }

    /// The share of a leaf page that `records` take, as the page reader counts it; for PostgreSQL as its function
    /// `pgstatindex` does, which also counts the high key.
    pub fn fill(&self, records: usize) -> f64 {
        if self.layout == Layout::Nbtree {
            return (records + 1) as f64 * f64::from(self.leaf_record) / f64::from(nbtree_page::ROOM);
        }
        records as f64 * f64::from(self.leaf_record) / f64::from(self.page_size)
    }

    fn room(&self) -> u32 {
        self.page_size - OVERHEAD
    }

    fn record(&self, level: u8) -> u32 {
        if level == 0 { self.leaf_record } else { self.node_record }
    }

    /// `page_get_max_insert_size_after_reorganize`: bytes for one more record beside `records`.
    fn spare(&self, level: u8, records: u32) -> i64 {
        if self.layout == Layout::Nbtree {
            return nbtree_page::spare(self.record(level), level, records);
        }
        i64::from(self.room()) - i64::from(records) * i64::from(self.record(level)) - directory(records + 1)
    }

    /// Returns true if one more record fits beside `records` on a page of this level, 0 for a leaf, once the page is reorganized.
    ///
    /// ```
    /// use btree_model::Shape;
    ///
    /// let shape = Shape::clustered(16_384, 1_500, 0)?;
    /// assert!(shape.fits(0, 9) && !shape.fits(0, 10));
    /// # Ok::<(), btree_model::Error>(())
    /// ```
    pub fn fits(&self, level: u8, records: u32) -> bool {
        self.spare(level, records) >= i64::from(self.record(level))
    }

    /// Returns whether a page with `records` records takes another one without a split, if its heap has had
    /// room for `heap` records. The heap is larger once a split has moved records away; such a page is split
    /// when less than 1/32 of it is left (`BTR_CUR_PAGE_REORGANIZE_LIMIT`).
    pub(crate) fn takes(&self, level: u8, records: u32, heap: u32) -> bool {
        let record = i64::from(self.record(level));
        let spare = self.spare(level, records);
        if heap == records {
            return spare >= record;
        }
        let untidied = i64::from(self.room()) - i64::from(heap) * record - directory(records + 1 + heap);
        let crowded = spare < record || spare < i64::from(self.page_size / 32);
        !(crowded && records > 1 && untidied < record)
    }

    /// Returns whether an insert in key order goes to another page: a clustered leaf keeps 1/16 free for
    /// updates (`dict_index_get_space_reserve`).
    pub(crate) fn reserve_reached(&self, level: u8, records: u32) -> bool {
        let reserve = i64::from(self.page_size / 16);
        level == 0
            && self.layout == Layout::InnoDb { clustered: true }
            && records >= 2
            && reserve + i64::from(self.leaf_record) > self.spare(level, records)
    }
}

/// `page_dir_calc_reserved_space`: a two-byte slot for every four records.
fn directory(records: u32) -> i64 {
    (2 * i64::from(records) + 3) / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server was measured to put 676 rows with an INT key on a page, and 441 with a BINARY(16) key, in key
    /// order.
    #[test]
    fn ascending_pages_hold_as_many_rows_as_on_the_server() {
        for (key_bytes, rows) in [(4, 676), (16, 441)] {
            let shape = Shape::clustered(16_384, key_bytes, 0).unwrap();
            let full = (0..).find(|&records| shape.reserve_reached(0, records)).unwrap();
            assert_eq!(full, rows);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(Shape::clustered(10_000, 16, 0).unwrap_err().is_config());
        let error = Shape::clustered(16_384, 16, 9_000).unwrap_err();
        assert!(error.to_string().contains("9034"), "{error}");
        assert!(Shape::clustered(16_384, u32::MAX, u32::MAX).is_err());
        assert!(Shape::secondary(4_096, 4_000).is_err());
    }
}
