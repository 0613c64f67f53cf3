//! Big-endian fields of a page.
//!
//! The callers pass offsets that the page size guarantees: the smallest page has 4,096 bytes, and a
//! field that lies elsewhere is checked before it is read.

/// Two bytes at `at`.
pub(crate) fn u16_at(page: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(field(page, at))
}

/// Four bytes at `at`.
pub(crate) fn u32_at(page: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(field(page, at))
}

/// Eight bytes at `at`.
pub(crate) fn u64_at(page: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(field(page, at))
}

/// `N` bytes at `at`, or zeros beyond the end, because damaged input may contain any offset.
fn field<const N: usize>(page: &[u8], at: usize) -> [u8; N] {
    page.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or([0; N])
}
