//! The numbers of one MySQL server, as `UUID_SHORT()` returns them, counted in a word that holds the next one.

use core::sync::atomic::Ordering::{AcqRel, Release};

use crate::atomic::AtomicU64;

/// The last number of the server. It is never returned: as the next number it means that all are used.
pub(crate) const fn end_of(server_id: u8) -> u64 {
    (server_id as u64) << 56 | u64::MAX >> 8
}

/// Takes `count` numbers from the word, and returns the first, if that many are left.
#[inline]
pub(crate) fn take(word: &AtomicU64, server_id: u8, count: u64) -> Option<u64> {
    let taken = attempt(word, server_id, count);
    if taken.is_none() {
        // A caller that passes the end sets the word back to it, so that no caller gets a number any more.
        word.store(end_of(server_id), Release);
    }
    taken
}

/// Like [`take`], but a failure leaves the word where it is.
#[inline(always)]
pub(crate) fn attempt(word: &AtomicU64, server_id: u8, count: u64) -> Option<u64> {
    let first = word.fetch_add(count, AcqRel);
    (first >> 56 == server_id as u64 && count <= end_of(server_id) - first).then_some(first)
}
