//! The header that every page begins with (`fil0types.h`), and the page types that it names.

/// Fields of the FIL header, which every page begins with (`fil0types.h`).
pub(crate) const NUMBER: usize = 4;
pub(crate) const PREVIOUS: usize = 8;
pub(crate) const NEXT: usize = 12;
pub(crate) const LSN: usize = 16;
pub(crate) const TYPE: usize = 24;
pub(crate) const SPACE_ID: usize = 34;

/// The page types of `fil0fil.h` that this crate distinguishes.
pub(crate) mod kind {
    pub(crate) const FSP_HDR: u16 = 8;
    pub(crate) const SDI: u16 = 17_853;
    pub(crate) const INSTANT: u16 = 18;
    pub(crate) const RTREE: u16 = 17_854;
    pub(crate) const INDEX: u16 = 17_855;
}
