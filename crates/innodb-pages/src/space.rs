//! The purpose of a tablespace: tables, undo logs, or the server itself.

use std::ops::Range;

use serde::Serialize;

use crate::bytes::u32_at;
use crate::format::Format;
use crate::page::{Page, PageKind};

/// The page of the transaction system in `ibdata1`.
pub(crate) const TRANSACTION_SYSTEM: u32 = 5;
/// The doublewrite information at the end of that page (`trx0sys.h`): its magic number, and the first pages of
/// two blocks of one extent each.
const DOUBLEWRITE: usize = 200;
const MAGIC: usize = 10;
const BLOCKS: [usize; 2] = [14, 18];
const MAGIC_NUMBER: u32 = 536_853_855;

/// The purpose of a tablespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpaceKind {
    /// Rows of one table or of several.
    Tables,
    /// Undo logs.
    Undo,
    /// The system tablespace, `ibdata1`.
    System,
}

impl SpaceKind {
    /// Decides the kind by the number of the tablespace, and by its pages: an undo tablespace has rollback segments and
    /// no tree.
    pub(crate) fn of(format: &Format, pages: &[Page]) -> SpaceKind {
        let any = |wanted: &dyn Fn(&Page) -> bool| pages.iter().any(|page| !page.free && wanted(page));
        if format.space_id == 0 {
            SpaceKind::System
        } else if any(&|page| matches!(page.kind, PageKind::System | PageKind::RollbackSegments))
            && !any(&|page| page.index.is_some())
        {
            SpaceKind::Undo
        } else {
            SpaceKind::Tables
        }
    }
}

/// The pages of the doublewrite buffer, from the page of the transaction system. They are copies of pages of all
/// tablespaces, so they have numbers and owners of their own.
pub(crate) fn doublewrite(format: &Format, page: &[u8]) -> [Range<u32>; 2] {
    let at = page.len() - DOUBLEWRITE;
    if u32_at(page, at + MAGIC) != MAGIC_NUMBER {
        return [0..0, 0..0];
    }
    BLOCKS.map(|block| {
        let first = u32_at(page, at + block);
        first..first.saturating_add(format.extent_pages())
    })
}
