//! How many forks lie between the first process and this one.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;

static FORKS: AtomicU64 = AtomicU64::new(0);

/// Notes that this process is a new child: `os.register_at_fork` calls it.
#[pyfunction]
pub(crate) fn forked() {
    FORKS.fetch_add(1, Ordering::SeqCst);
}

/// A number that no ancestor of this process has.
#[inline]
pub(crate) fn count() -> u64 {
    FORKS.load(Ordering::Relaxed)
}
