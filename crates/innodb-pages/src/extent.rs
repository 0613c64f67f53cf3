//! Finds the pages that are allocated. A page that InnoDB freed keeps its old bytes, so without the extent descriptors
//! the pages of a deleted tree would be counted as part of an existing one.

use crate::bytes::u32_at;
use crate::format::{Format, HEADER_BYTES};

/// An extent descriptor's state, and the bitmap after it (`fsp0fsp.h`).
const STATE: usize = 20;
const BITMAP: usize = 24;
const NOT_INITIALISED: u32 = 0;
const FREE: u32 = 1;

/// The extent descriptors of one descriptor page, which covers as many pages as a page has bytes.
pub(crate) struct Extents {
    first_page: u32,
    extent_pages: u32,
    free_limit: u32,
    descriptors: Vec<u8>,
}

impl Extents {
    /// Reads the descriptor page at `first_page`.
    pub(crate) fn read(format: &Format, first_page: u32, page: &[u8]) -> Extents {
        Extents {
            first_page,
            extent_pages: format.extent_pages(),
            free_limit: format.free_limit,
            descriptors: page[HEADER_BYTES..].to_vec(),
        }
    }

    /// Returns true if page `number` holds nothing that the tablespace still uses.
    pub(crate) fn is_free(&self, number: u32) -> bool {
        if number >= self.free_limit {
            return true;
        }
        let within = (number - self.first_page) as usize;
        let extent_pages = self.extent_pages as usize;
        let entry = (within / extent_pages) * (BITMAP + extent_pages / 4);
        let state = u32_at(&self.descriptors, entry + STATE);
        if state == NOT_INITIALISED || state == FREE {
            return true;
        }
        let bit = 2 * (within % extent_pages);
        self.descriptors.get(entry + BITMAP + bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }
}
