//! Reads the tablespace flags: page size, checksum and which server wrote the file.

use serde::Serialize;

use crate::bytes::{u16_at, u32_at};
use crate::error::{Error, Kind, Result};
use crate::fil::{SPACE_ID, TYPE, kind};

/// The offset of the file space header, and its fields (`fsp0fsp.h`).
const FSP: usize = 38;
const FSP_SPACE_ID: usize = FSP;
const FSP_SIZE: usize = FSP + 8;
const FSP_FREE_LIMIT: usize = FSP + 12;
const FSP_FLAGS: usize = FSP + 16;
/// MySQL gives undo tablespaces the last numbers below that of the redo log: 127 of them, with 400,000 numbers
/// each (`dict0dict.h`).
const MYSQL_UNDO: std::ops::Range<u32> = 0xffff_fff0 - 127 * 400_000..0xffff_fff0;
/// The header pages' common part: FIL header and file space header.
pub(crate) const HEADER_BYTES: usize = FSP + 112;

/// The server that wrote the file, as far as its flags show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Writer {
    /// MySQL 8.0 or later: the file has its table definition (SDI), or the number of an undo tablespace.
    Mysql,
    /// MariaDB 10.4 or later, with the checksum `full_crc32`.
    Mariadb,
    /// MySQL before 8.0, or MariaDB with the older checksum, which have the same flags.
    Either,
}

/// The checksum that protects pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Checksum {
    /// CRC-32C of the header and of the body, at the page's first and last bytes.
    Crc32,
    /// CRC-32C of the whole page, in its last four bytes (MariaDB).
    FullCrc32,
}

/// The properties of the whole file, from its first page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Format {
    /// The server that wrote it.
    pub writer: Writer,
    /// Bytes in a page: 4,096 to 65,536.
    pub page_size: u32,
    /// The checksum that protects pages.
    pub checksum: Checksum,
    /// The number of the tablespace.
    pub space_id: u32,
    /// Pages in the tablespace, by its header (`FSP_SIZE`).
    pub pages: u32,
    /// Pages from this number on were never allocated (`FSP_FREE_LIMIT`).
    pub free_limit: u32,
}

impl Format {
    /// Reads the first bytes of page 0; `header` holds at least [`HEADER_BYTES`].
    pub(crate) fn parse(header: &[u8]) -> Result<Format> {
        let found = u16_at(header, TYPE);
        if found == 0 {
            return Err(Error::new(Kind::Unwritten));
        }
        if found != kind::FSP_HDR {
            return Err(Error::not_tablespace(format!(
                "page 0 has the type {found}, and a tablespace begins with type {}",
                kind::FSP_HDR
            )));
        }
        let space_id = u32_at(header, FSP_SPACE_ID);
        let stamped = u32_at(header, SPACE_ID);
        if space_id != stamped {
            return Err(Error::not_tablespace(format!(
                "page 0 belongs to space {stamped}, its header says {space_id}"
            )));
        }
        let (mut writer, page_size, checksum) = read_flags(u32_at(header, FSP_FLAGS))?;
        if MYSQL_UNDO.contains(&space_id) {
            writer = Writer::Mysql;
        }
        Ok(Format {
            writer,
            page_size,
            checksum,
            space_id,
            pages: u32_at(header, FSP_SIZE),
            free_limit: u32_at(header, FSP_FREE_LIMIT),
        })
    }

    /// Pages in an extent: one mebibyte, but never fewer than 64 pages.
    pub(crate) fn extent_pages(&self) -> u32 {
        (1_048_576 / self.page_size).max(64)
    }
}

/// The flags of `fsp0types.h`. Bit 4 distinguishes the two families: in the older one it is the top bit of a compressed
/// page size that no server writes, and in `full_crc32` it is always set.
fn read_flags(flags: u32) -> Result<(Writer, u32, Checksum)> {
    let unknown = || Error::not_tablespace(format!("unknown tablespace flags {flags:#x}"));
    if flags & 0x10 != 0 {
        if flags >> 8 != 0 {
            return Err(unknown());
        }
        if flags >> 5 != 0 {
            return Err(compressed("MariaDB page compression"));
        }
        let page_size = shifted_size(flags & 0xf).ok_or_else(unknown)?;
        return Ok((Writer::Mariadb, page_size, Checksum::FullCrc32));
    }
    if flags & !0x1_7fff != 0 {
        return Err(unknown());
    }
    if flags & 0x1_0000 != 0 {
        return Err(compressed("MariaDB page compression"));
    }
    if flags & 0x2000 != 0 {
        return Err(Error::new(Kind::Encrypted { page: 0 }));
    }
    if flags >> 1 & 0xf != 0 {
        return Err(compressed("ROW_FORMAT=COMPRESSED"));
    }
    let page_size = match flags >> 6 & 0xf {
        0 => 16_384,
        shift => shifted_size(shift).ok_or_else(unknown)?,
    };
    let writer = if flags & 0x4000 != 0 { Writer::Mysql } else { Writer::Either };
    Ok((writer, page_size, Checksum::Crc32))
}

/// The page size as the servers store it: 3 means 4 KiB, 7 means 64 KiB.
fn shifted_size(shift: u32) -> Option<u32> {
    (3..=7).contains(&shift).then(|| 512 << shift)
}

pub(crate) fn compressed(how: &'static str) -> Error {
    Error::new(Kind::Compressed { how })
}
