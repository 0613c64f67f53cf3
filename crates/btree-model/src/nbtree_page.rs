//! The sizes of a page of a B-tree index of PostgreSQL, and of what is on it (`src/include/access/nbtree.h`).

/// `BLCKSZ`.
pub(crate) const PAGE_BYTES: u32 = 8_192;
/// Bytes of a page for records: all but its header and the links to its neighbors.
pub(crate) const ROOM: u32 = PAGE_BYTES - 24 - 16;
/// `BTMaxItemSize`, with the line pointer.
pub(crate) const MOST_RECORD_BYTES: u32 = 2_704 + LINE_POINTER;
pub(crate) const LINE_POINTER: u32 = 4;
/// The header of an index tuple.
pub(crate) const TUPLE_HEADER: u32 = 8;
/// The first record of a page above the leaves has no key.
pub(crate) const KEYLESS_RECORD: u32 = TUPLE_HEADER + LINE_POINTER;
/// `MAXALIGN` of an `ItemPointerData`, which a high key may need to tell duplicates apart.
pub(crate) const HEAP_POINTER: i64 = 8;

/// Bytes of a record with a key of `key_bytes` bytes, including its header and its line pointer.
pub(crate) fn record_bytes(key_bytes: u32) -> u32 {
    TUPLE_HEADER.saturating_add(key_bytes).div_ceil(8).saturating_mul(8).saturating_add(LINE_POINTER)
}

/// Bytes that are free beside `records` and the high key, which is a copy of the next page's first key.
pub(crate) fn spare(record: u32, level: u8, records: u32) -> i64 {
    let record = i64::from(record);
    let keyless = if level > 0 && records > 0 { record - i64::from(KEYLESS_RECORD) } else { 0 };
    i64::from(ROOM) - (i64::from(records) + 1) * record + keyless
}
