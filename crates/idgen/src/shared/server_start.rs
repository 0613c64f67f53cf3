//! The start of a server's numbers with its first id, in a word that exists before.

use core::sync::atomic::Ordering::{AcqRel, Acquire};

use crate::atomic::AtomicU64;

/// Returns the word of a server that has not started. Any number with this first byte means the same, because others
/// may count on before they detect it. It is neither a number of the server nor the one after its last.
pub(crate) const fn unstarted(server_id: u8) -> u64 {
    ((server_id ^ 0x40) as u64) << 56
}

/// True if the word means that the server has not started.
pub(crate) fn is_unstarted(word: &AtomicU64, server_id: u8) -> bool {
    stands_for_none(word.load(Acquire), server_id)
}

fn stands_for_none(number: u64, server_id: u8) -> bool {
    number >> 56 == unstarted(server_id) >> 56
}

/// Starts a server at this number. If another thread or process was faster, its start counts.
pub(crate) fn start(word: &AtomicU64, server_id: u8, first: u64) {
    let _ = word.fetch_update(AcqRel, Acquire, |number| stands_for_none(number, server_id).then_some(first));
}
