//! The atomics that `src/shared` gets here: those of loom, with a fault if a test wants one.

use std::cell::Cell;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

/// A fault of the atomics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// A read and a write replace each operation that does both.
    TwoSteps,
    /// No operation has an order with those on other words.
    Relaxed,
    /// Stores have no effect.
    NoStores,
}

thread_local! {
    // loom executes the threads of a scenario on the thread of its test.
    static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Runs with this fault.
pub(crate) fn with<T>(fault: Option<Fault>, run: impl FnOnce() -> T) -> T {
    FAULT.set(fault);
    let result = run();
    FAULT.set(None);
    result
}

fn has(fault: Fault) -> bool {
    FAULT.get() == Some(fault)
}

/// The order of an operation, or none if that is the fault.
fn order(order: Ordering) -> Ordering {
    if has(Fault::Relaxed) { Relaxed } else { order }
}

#[derive(Debug)]
pub(crate) struct AtomicU64(loom::sync::atomic::AtomicU64);

impl AtomicU64 {
    pub(crate) fn new(value: u64) -> Self {
        AtomicU64(loom::sync::atomic::AtomicU64::new(value))
    }

    pub(crate) fn load(&self, when: Ordering) -> u64 {
        self.0.load(order(when))
    }

    pub(crate) fn store(&self, value: u64, when: Ordering) {
        if !has(Fault::NoStores) {
            self.0.store(value, order(when));
        }
    }

    pub(crate) fn fetch_add(&self, value: u64, when: Ordering) -> u64 {
        if has(Fault::TwoSteps) {
            let old = self.0.load(Acquire);
            self.0.store(old.wrapping_add(value), Release);
            return old;
        }
        self.0.fetch_add(value, order(when))
    }

    pub(crate) fn compare_exchange(
        &self,
        old: u64,
        new: u64,
        when: Ordering,
        failed: Ordering,
    ) -> Result<u64, u64> {
        if has(Fault::TwoSteps) {
            let found = self.0.load(Acquire);
            if found != old {
                return Err(found);
            }
            self.0.store(new, Release);
            return Ok(found);
        }
        self.0.compare_exchange(old, new, order(when), order(failed))
    }

    pub(crate) fn compare_exchange_weak(
        &self,
        old: u64,
        new: u64,
        when: Ordering,
        failed: Ordering,
    ) -> Result<u64, u64> {
        self.compare_exchange(old, new, when, failed)
    }

    /// Works as the core library defines it.
    pub(crate) fn fetch_update(
        &self,
        when: Ordering,
        failed: Ordering,
        mut change: impl FnMut(u64) -> Option<u64>,
    ) -> Result<u64, u64> {
        let mut old = self.load(failed);
        while let Some(new) = change(old) {
            match self.compare_exchange(old, new, when, failed) {
                Ok(found) => return Ok(found),
                Err(found) => old = found,
            }
        }
        Err(old)
    }
}
