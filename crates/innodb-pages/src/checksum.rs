//! Checks that a page is as the server wrote it.

use crate::bytes::u32_at;
use crate::fil::LSN;
use crate::format::{Checksum, Format};

/// The value that `innodb_checksum_algorithm=none` writes in place of a checksum.
const NONE: u32 = 0xdead_beef;

/// Describes what is wrong with the page's checksum, if it is wrong.
pub(crate) fn mismatch(format: &Format, page: &[u8]) -> Option<String> {
    let end = page.len();
    let (stored, computed) = match format.checksum {
        Checksum::Crc32 => {
            (u32_at(page, 0), crc32c::crc32c(&page[4..26]) ^ crc32c::crc32c(&page[38..end - 8]))
        }
        Checksum::FullCrc32 => (u32_at(page, end - 4), crc32c::crc32c(&page[..end - 4])),
    };
    let unprotected = format.checksum == Checksum::Crc32 && stored == NONE;
    if stored == computed || unprotected {
        return None;
    }
    let or_older = match format.checksum {
        Checksum::Crc32 => {
            " (servers before MySQL 5.7 and MariaDB 10.2 wrote other checksums: read their pages without verifying, \
             --no-verify)"
        }
        Checksum::FullCrc32 => "",
    };
    Some(format!("its checksum is {stored:#010x}, its bytes give {computed:#010x}{or_older}"))
}

/// Describes how the two copies of the LSN of an unencrypted page differ, if they do.
pub(crate) fn torn(format: &Format, page: &[u8]) -> Option<String> {
    let copy = match format.checksum {
        Checksum::Crc32 => page.len() - 4,
        Checksum::FullCrc32 => page.len() - 8,
    };
    let (head, tail) = (u32_at(page, LSN + 4), u32_at(page, copy));
    (head != tail)
        .then(|| format!("it is torn: its LSN ends in {head:#010x} at the head, {tail:#010x} at the tail"))
}
