//! One page: its kind, and for an index page how full it is.

use serde::Serialize;

use crate::bytes::{u16_at, u32_at, u64_at};
use crate::error::{Error, Kind, Result};
use crate::fil::{LSN, NEXT, PREVIOUS, TYPE, kind};
use crate::format::{Format, Writer, compressed};

/// No page.
const NIL: u32 = u32::MAX;

/// Fields of the index header (`page0types.h`).
const HEAP_TOP: usize = 40;
const HEAP_RECORDS: usize = 42;
const GARBAGE: usize = 46;
const RECORDS: usize = 54;
const LEVEL: usize = 64;
const INDEX_ID: usize = 66;
/// The offset at which user records begin, in the compact row formats and in `REDUNDANT`.
const COMPACT_HEAP: u32 = 120;
const REDUNDANT_HEAP: u32 = 125;
/// The FIL trailer.
const TRAILER: u32 = 8;
/// The record before the first, the offset of the next record in front of it, and where a record keeps its info
/// bits (`rem0rec.h`), in the compact row formats and in `REDUNDANT`.
const COMPACT_INFIMUM: usize = 99;
const REDUNDANT_INFIMUM: usize = 101;
const COMPACT_INFO_BITS: usize = 5;
const REDUNDANT_INFO_BITS: usize = 6;
/// `REC_INFO_MIN_REC_FLAG`: on a leaf only the metadata record of MariaDB's instant `ALTER TABLE` has it.
const MIN_REC_FLAG: u8 = 0x10;

/// The purpose of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// Allocated but not written, or never allocated.
    Allocated,
    /// The file space header: page 0.
    SpaceHeader,
    /// Extent descriptors.
    ExtentDescriptors,
    /// Segment inodes.
    Inode,
    /// The change buffer's bitmap.
    ChangeBufferBitmap,
    /// A B+tree page.
    Index,
    /// A spatial index page.
    Spatial,
    /// The serialized dictionary (MySQL 8.0 and later).
    Sdi,
    /// A part of a long column that is stored outside of its row's page.
    Blob,
    /// An undo log.
    Undo,
    /// A header page of the server's own: of rollback segments, of the change buffer, of the dictionary.
    System,
    /// The state of the transaction system, in `ibdata1`.
    TransactionSystem,
    /// The places of the rollback segments of an undo tablespace (MySQL 8.0 and later).
    RollbackSegments,
    /// The doublewrite buffer of `ibdata1`: copies of other pages.
    Doublewrite,
    /// Any other kind, by its number.
    Other(u16),
}

impl PageKind {
    /// The kind in one or two words.
    pub fn name(self) -> String {
        match self {
            PageKind::Allocated => "allocated".into(),
            PageKind::SpaceHeader => "space header".into(),
            PageKind::ExtentDescriptors => "extent descriptors".into(),
            PageKind::Inode => "inode".into(),
            PageKind::ChangeBufferBitmap => "change buffer bitmap".into(),
            PageKind::Index => "index".into(),
            PageKind::Spatial => "spatial index".into(),
            PageKind::Sdi => "dictionary".into(),
            PageKind::Blob => "blob".into(),
            PageKind::Undo => "undo".into(),
            PageKind::System => "system".into(),
            PageKind::TransactionSystem => "transaction system".into(),
            PageKind::RollbackSegments => "rollback segments".into(),
            PageKind::Doublewrite => "doublewrite".into(),
            PageKind::Other(number) => format!("type {number}"),
        }
    }
}

/// One page of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Page {
    /// Its number in the file, from 0.
    pub number: u32,
    /// Its type, or the type it had before it was freed.
    pub kind: PageKind,
    /// Freed, or never allocated: its bytes mean nothing.
    pub free: bool,
    /// The log sequence number of its last change, in bytes of redo log since the server was created.
    pub lsn: u64,
    /// The index header, for pages of B+trees and of spatial indexes that are in use.
    pub index: Option<IndexPage>,
}

/// The header of an index page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IndexPage {
    /// The index to which the page belongs, as in `INNODB_INDEXES.INDEX_ID`.
    pub index_id: u64,
    /// 0 for a leaf.
    pub level: u16,
    /// User records, with those that are marked deleted and not yet purged, and without the metadata record.
    pub records: u16,
    /// True if the first record is the metadata record that MariaDB's instant `ALTER TABLE` puts before the
    /// first row. `data_bytes` includes it.
    pub metadata: bool,
    /// Bytes that the records take, as `INNODB_BUFFER_PAGE.DATA_SIZE`.
    pub data_bytes: u32,
    /// Bytes of removed records, which an insert may reuse.
    pub garbage_bytes: u32,
    /// The page before it on its level.
    pub previous: Option<u32>,
    /// The page after it on its level.
    pub next: Option<u32>,
}

impl Page {
    /// Reads the page at place `number`; `free` comes from the extent descriptors.
    pub(crate) fn parse(format: &Format, number: u32, free: bool, bytes: &[u8]) -> Result<Page> {
        let code = u16_at(bytes, TYPE);
        let kind = classify(format, code);
        let index = match kind {
            PageKind::Index | PageKind::Spatial if !free => Some(IndexPage::parse(format, number, bytes)?),
            _ => None,
        };
        Ok(Page { number, kind, free, lsn: u64_at(bytes, LSN), index })
    }

    /// A page of the doublewrite buffer: a copy of some page, or of none yet.
    pub(crate) fn doublewrite(number: u32) -> Page {
        Page { number, kind: PageKind::Doublewrite, free: false, lsn: 0, index: None }
    }
}

/// Refuses a page whose type says that its bytes are compressed or encrypted. Their checksum is that of the page before
/// compression, so this check comes before that of the checksum.
pub(crate) fn refuse_packed(format: &Format, number: u32, bytes: &[u8]) -> Result<()> {
    let mysql = Err(compressed("COMPRESSION, MySQL page compression"));
    let mariadb = Err(compressed("MariaDB page compression"));
    let encrypted = Err(Error::new(Kind::Encrypted { page: number }));
    match (format.writer, u16_at(bytes, TYPE)) {
        // The version and the algorithm follow, so a page of which only the type is damaged is not taken for a compressed one.
        (Writer::Mysql | Writer::Either, 14) if matches!(bytes[26], 1..=2) && matches!(bytes[27], 1..=3) => {
            mysql
        }
        (Writer::Mysql | Writer::Either, 15..=17) => encrypted,
        (Writer::Either, 34_354) => mariadb,
        (Writer::Either, 37_401) => encrypted,
        _ => Ok(()),
    }
}

fn classify(format: &Format, code: u16) -> PageKind {
    match code {
        0 => PageKind::Allocated,
        2 => PageKind::Undo,
        3 => PageKind::Inode,
        5 => PageKind::ChangeBufferBitmap,
        6 => PageKind::System,
        7 => PageKind::TransactionSystem,
        kind::FSP_HDR => PageKind::SpaceHeader,
        9 => PageKind::ExtentDescriptors,
        10 | 22..=24 => PageKind::Blob,
        21 if format.writer == Writer::Mysql => PageKind::RollbackSegments,
        // In MySQL, type 18 is a blob of the dictionary; in MariaDB the root of a table that had a
        // column added in place.
        kind::INSTANT if format.writer == Writer::Mysql => PageKind::Sdi,
        kind::INSTANT => PageKind::Index,
        kind::SDI => PageKind::Sdi,
        kind::RTREE => PageKind::Spatial,
        kind::INDEX => PageKind::Index,
        other => PageKind::Other(other),
    }
}

impl IndexPage {
    fn parse(format: &Format, number: u32, bytes: &[u8]) -> Result<IndexPage> {
        let compact = u16_at(bytes, HEAP_RECORDS) & 0x8000 != 0;
        let heap = if compact { COMPACT_HEAP } else { REDUNDANT_HEAP };
        let heap_top = u32::from(u16_at(bytes, HEAP_TOP));
        let garbage_bytes = u32::from(u16_at(bytes, GARBAGE));
        if heap_top < heap || heap_top > format.page_size - TRAILER {
            return Err(Error::corrupt(
                number,
                format!(
                    "its records end at byte {heap_top}, outside {heap} to {}",
                    format.page_size - TRAILER
                ),
            ));
        }
        let Some(data_bytes) = (heap_top - heap).checked_sub(garbage_bytes) else {
            return Err(Error::corrupt(
                number,
                format!(
                    "{garbage_bytes} bytes of removed records don't fit in its {} bytes",
                    heap_top - heap
                ),
            ));
        };
        let records = u16_at(bytes, RECORDS);
        // The smallest record has a header of five bytes, so a page cannot hold more records than this.
        if u32::from(records) * 5 > data_bytes {
            return Err(Error::corrupt(number, format!("{records} records don't fit in {data_bytes} bytes")));
        }
        let level = u16_at(bytes, LEVEL);
        // `BTR_MAX_NODE_LEVEL` in btr0types.h.
        if level > 50 {
            return Err(Error::corrupt(number, format!("its level {level} is above 50")));
        }
        let metadata = level == 0 && records > 0 && has_metadata(bytes, compact);
        let link = |at| Some(u32_at(bytes, at)).filter(|&page| page != NIL);
        Ok(IndexPage {
            index_id: u64_at(bytes, INDEX_ID),
            level,
            records: records - u16::from(metadata),
            metadata,
            data_bytes,
            garbage_bytes,
            previous: link(PREVIOUS),
            next: link(NEXT),
        })
    }

    /// The share of the page that records take: `data_bytes / page_size`, from 0 to 1.
    pub fn fill(&self, page_size: u32) -> f64 {
        f64::from(self.data_bytes) / f64::from(page_size)
    }
}

/// Returns true if the first record of a leaf is a metadata record.
fn has_metadata(bytes: &[u8], compact: bool) -> bool {
    let (infimum, info_bits) =
        if compact { (COMPACT_INFIMUM, COMPACT_INFO_BITS) } else { (REDUNDANT_INFIMUM, REDUNDANT_INFO_BITS) };
    let next = u16_at(bytes, infimum - 2);
    // The compact formats store the distance, REDUNDANT the place.
    let first =
        if compact { infimum.checked_add_signed(next.cast_signed().into()) } else { Some(next.into()) };
    let info = first.and_then(|first| bytes.get(first.checked_sub(info_bits)?));
    info.is_some_and(|bits| bits & MIN_REC_FLAG != 0)
}
