//! 64-bit atomics on every target: those of the core library, or where the processor has none, such as Cortex-M, those of
//! `portable-atomic`.
//!
//! The latter protect a word with a lock of this process, so the word must not lie in memory that processes share: see
//! `idgen_shared_words` in the build script.

#[cfg(target_has_atomic = "64")]
pub(crate) use core::sync::atomic::{AtomicI64, AtomicU64};
#[cfg(not(target_has_atomic = "64"))]
pub(crate) use portable_atomic::{AtomicI64, AtomicU64};
