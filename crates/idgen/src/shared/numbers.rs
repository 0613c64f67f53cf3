//! Numbers that no two callers get: those of forked processes and of restarts.

use core::sync::atomic::Ordering::Relaxed;

use crate::atomic::AtomicU64;

/// Returns a number that no other call returns, greater than all that were returned before.
pub(crate) fn next(numbers: &AtomicU64) -> u64 {
    numbers.fetch_add(1, Relaxed) + 1
}

/// Returns a number that all later calls of [`next`] exceed.
pub(crate) fn last(numbers: &AtomicU64) -> u64 {
    numbers.load(Relaxed)
}
