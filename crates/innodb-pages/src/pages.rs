//! The result of a scan of a file.

use crate::format::Format;
use crate::page::Page;
use crate::sdi::IndexName;
use crate::space::SpaceKind;

/// Every page of a file, in order, and the names of its indexes.
#[derive(Clone, Debug)]
pub struct Pages {
    /// The writer, the size of pages and the checksum, from the first page.
    pub format: Format,
    /// The kind of tablespace, such as that of one table.
    pub kind: SpaceKind,
    /// All pages, so `pages[n].number == n`.
    pub pages: Vec<Page>,
    pub(crate) names: Vec<IndexName>,
}

impl Pages {
    /// Pages that no scan of a file gave: `pages[n].number` is n, and the indexes have no names.
    pub fn new(format: Format, pages: Vec<Page>) -> Pages {
        let kind = SpaceKind::of(&format, &pages);
        Pages { format, kind, pages, names: Vec::new() }
    }
}
