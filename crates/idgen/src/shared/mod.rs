//! The steps of the counters that threads and forked processes share, without a lock.
//!
//! These files need nothing but 64-bit atomics, so that `tests/interleavings` can compile the same text with the atomics of
//! loom, which execute the steps of several threads in all orders.

pub(crate) mod device;
pub(crate) mod numbers;
pub(crate) mod server;
#[cfg(feature = "std")]
pub(crate) mod server_start;
