//! Computes the bytes of a row on a page: the record format and the cell formats of the documentation,
//! "Database File Format".

use crate::error::{Error, Result};

/// The header of a page: of a leaf, and of a page above the leaves.
const LEAF_HEADER: u32 = 8;
const INNER_HEADER: u32 = 12;
/// The number of a page below.
const CHILD: u32 = 4;
/// A cell's entry in the array of cell pointers.
const POINTER: u32 = 2;
/// The smallest cell.
const LEAST_CELL: u32 = 4;

/// The columns of a table, as far as they decide how many rows fit on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqliteShape {
    page_bytes: u32,
    kind: Kind,
    /// Bytes of the record without what depends on the key's value.
    fixed: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Sorted by the number of the row; pages above the leaves hold only such numbers.
    Rowid,
    /// `WITHOUT ROWID`, with a key of this many bytes.
    Bytes,
    /// `WITHOUT ROWID`, with a key that is an integer.
    Integer,
}

impl SqliteShape {
    /// A table with row numbers, which may have a column that is another name of the number (`INTEGER PRIMARY KEY`), and
    /// further columns of this many bytes each.
    ///
    /// ```
    /// use btree_model::SqliteShape;
    ///
    /// // Two bytes for the record's header, one each for the columns' types, and the lengths of the record and the number.
    /// assert_eq!(SqliteShape::rowid(16_384, &[16])?.cell_bytes(1_000_000), 1 + 3 + 3 + 16);
    /// # Ok::<(), btree_model::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLite does not have this page size, or a row does not fit on a page without overflow pages.
    pub fn rowid(page_bytes: u32, columns: &[u32]) -> Result<Self> {
        // The number is not in the record: a NULL takes its place.
        Self::of(page_bytes, Kind::Rowid, 1, columns)
    }

    /// A table with row numbers and without a column that is another name for them.
    ///
    /// # Errors
    /// The errors of [`SqliteShape::rowid`].
    pub fn unkeyed(page_bytes: u32, columns: &[u32]) -> Result<Self> {
        Self::of(page_bytes, Kind::Rowid, 0, columns)
    }

    /// A table `WITHOUT ROWID` whose key is a blob or a text of `key_bytes`.
    ///
    /// # Errors
    /// The errors of [`SqliteShape::rowid`].
    pub fn bytes(page_bytes: u32, key_bytes: u32, columns: &[u32]) -> Result<Self> {
        let key = column(key_bytes);
        Self::of(page_bytes, Kind::Bytes, key, columns)
    }

    /// A table `WITHOUT ROWID` whose key is an integer.
    ///
    /// # Errors
    /// The errors of [`SqliteShape::rowid`].
    pub fn integer(page_bytes: u32, columns: &[u32]) -> Result<Self> {
        Self::of(page_bytes, Kind::Integer, 1, columns)
    }

    fn of(page_bytes: u32, kind: Kind, key: u32, columns: &[u32]) -> Result<Self> {
        if !page_bytes.is_power_of_two() || !(512..=65_536).contains(&page_bytes) {
            return Err(Error::sqlite_page_size(page_bytes));
        }
        let columns = columns.iter().fold(0_u32, |sum, &bytes| sum.saturating_add(column(bytes)));
        // The length of the record's header takes one byte: no table here has more than a hundred columns.
        let fixed = 1_u32.saturating_add(key).saturating_add(columns);
        let shape = SqliteShape { page_bytes, kind, fixed };
        let most = match kind {
            Kind::Rowid => page_bytes - 35,
            Kind::Bytes | Kind::Integer => (page_bytes - 12) * 64 / 255 - 23,
        };
        let record = fixed.saturating_add(if kind == Kind::Integer { 8 } else { 0 });
        if record > most {
            return Err(Error::sqlite_record(record, most, page_bytes));
        }
        Ok(shape)
    }

    /// Bytes of a page.
    pub fn page_bytes(&self) -> u32 {
        self.page_bytes
    }

    /// Bytes of a row on a leaf, without its entry in the page's array of pointers. `key` is the row's number or its
    /// integer key; for other keys it does not matter.
    pub fn cell_bytes(&self, key: u64) -> u32 {
        let record = match self.kind {
            Kind::Rowid => return varint(self.fixed.into()) + varint(key) + self.fixed,
            Kind::Bytes => self.fixed,
            Kind::Integer => self.fixed + integer(key),
        };
        (varint(record.into()) + record).max(LEAST_CELL)
    }

    /// Returns whether the leaves hold all rows, and the pages above them only copies of row numbers.
    pub(super) fn rows_on_leaves_only(&self) -> bool {
        self.kind == Kind::Rowid
    }

    /// Bytes that a cell takes from a page's room, its pointer included. `head` is the first 16 bytes of the key.
    pub(super) fn taken(&self, leaf: bool, head: u128) -> u32 {
        let key = (head >> 64) as u64;
        POINTER
            + match (leaf, self.kind) {
                (true, _) => self.cell_bytes(key),
                (false, Kind::Rowid) => CHILD + varint(key),
                (false, _) => CHILD + self.cell_bytes(key),
            }
    }

    /// Bytes of a page that cells and their pointers can use.
    pub(super) fn room(&self, leaf: bool) -> u32 {
        self.page_bytes - header(leaf)
    }

    /// The share of a page that is in use, as `dbstat` counts it.
    pub(super) fn fill(&self, leaf: bool, taken: u32) -> f64 {
        f64::from(header(leaf) + taken) / f64::from(self.page_bytes)
    }
}

fn header(leaf: bool) -> u32 {
    if leaf { LEAF_HEADER } else { INNER_HEADER }
}

/// Bytes of a blob or a text in a record, with those of its type, which includes its length.
fn column(bytes: u32) -> u32 {
    varint(13 + 2 * u64::from(bytes)).saturating_add(bytes)
}

/// Bytes of an integer in a record, beside the byte for its type.
fn integer(value: u64) -> u32 {
    match value {
        0..=1 => 0,
        2..=0x7f => 1,
        0x80..=0x7fff => 2,
        0x8000..=0x7f_ffff => 3,
        0x80_0000..=0x7fff_ffff => 4,
        0x8000_0000..=0x7fff_ffff_ffff => 6,
        _ => 8,
    }
}

/// Bytes of a number of variable length: seven bits in each, and eight in the ninth.
fn varint(value: u64) -> u32 {
    (u64::BITS - value.leading_zeros()).div_ceil(7).clamp(1, 9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_seven_bits_a_byte() {
        for (value, bytes) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (u64::MAX, 9)] {
            assert_eq!(varint(value), bytes, "{value}");
        }
    }

    #[test]
    fn rows_that_need_overflow_pages_are_refused() {
        assert!(SqliteShape::bytes(4_096, 16, &[900]).is_ok());
        let error = SqliteShape::bytes(4_096, 16, &[1_100]).unwrap_err();
        assert!(error.is_config() && error.to_string().contains("at most 1002"), "{error}");
        assert!(SqliteShape::rowid(4_096, &[4_000]).is_ok());
        assert!(SqliteShape::rowid(4_096, &[4_100]).is_err());
        assert!(SqliteShape::rowid(4_096, &[u32::MAX]).is_err());
        let error = SqliteShape::rowid(5_000, &[0]).unwrap_err();
        assert!(error.is_config() && error.to_string().contains("5000"), "{error}");
    }
}
