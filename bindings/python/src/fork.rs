//! How many forks lie between the first process and this one, and what all of them share.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;

use crate::{device, standard};

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

/// Makes the memory in which a family of processes counts together. At the import: a preforking server
/// may make no id before it forks, and its workers would count each for itself.
///
/// # Panics
/// Where the system gives no memory or no randomness; PyO3 makes an exception of it.
pub(crate) fn prepare() {
    device::short();
    standard::last_tick();
    // No id, but the lines of all server ids.
    idgen::fill_mysql_short(0, &mut []);
}
