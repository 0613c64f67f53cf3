//! A generator that threads share.
//!
//! A fork copies the lock as it is. If another thread of the parent was generating ids at that moment, the child would
//! wait forever. So each holder records the process in which it took the lock, and a child that finds its parent's record
//! raises an error.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use idgen::source::ForkMark;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::clock;

/// A generator behind a lock; `None` once it is closed.
pub(crate) struct Shared<G> {
    generator: Mutex<Option<G>>,
    taken_in: AtomicU64,
}

impl<G: Send> Shared<G> {
    pub(crate) fn new(generator: G) -> Self {
        Shared { generator: Mutex::new(Some(generator)), taken_in: AtomicU64::new(ForkMark::now().number()) }
    }

    /// Runs with the generator; `long` runs are made without the GIL.
    #[inline]
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        long: bool,
        run: impl FnOnce(&mut G) -> idgen::Result<T> + Send,
    ) -> PyResult<T> {
        let done = match self.generator.try_lock() {
            Ok(mut generator) if !long => {
                self.note();
                run(generator.as_mut().ok_or_else(closed)?)
            }
            Err(TryLockError::Poisoned(poisoned)) if !long => {
                run(poisoned.into_inner().as_mut().ok_or_else(closed)?)
            }
            busy => {
                drop(busy);
                self.run_detached(py, run)?
            }
        };
        clock::answer(done)
    }

    #[cold]
    fn run_detached<T: Send>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut G) -> idgen::Result<T> + Send,
    ) -> PyResult<idgen::Result<T>> {
        if clock::is_asked() {
            let message = "the clock of a generator, and a signal handler while it waits, must not generate ids with it: \
                 use another generator there";
            return Err(PyRuntimeError::new_err(message));
        }
        let done = py.detach(|| self.lock().map(|mut generator| generator.as_mut().map(run)));
        done.ok_or_else(abandoned)?.ok_or_else(closed)
    }

    /// Drops the generator: with a state, it saves the exact position and releases the file. Repeated calls do nothing.
    pub(crate) fn close(&self, py: Python<'_>) -> PyResult<()> {
        if clock::is_asked() {
            return Err(PyRuntimeError::new_err("the clock of a generator must not close it"));
        }
        let open = py.detach(|| self.lock().map(|mut generator| generator.take()));
        drop(open.ok_or_else(abandoned)?);
        Ok(())
    }

    /// Waits for the lock; nothing if no thread is left that could release it.
    fn lock(&self) -> Option<MutexGuard<'_, Option<G>>> {
        // A holder in this process records it at once, so it is enough to wait a second for the record.
        for _ in 0..1_000 {
            let found = self.generator.try_lock();
            if matches!(found, Err(TryLockError::WouldBlock)) && !self.is_taken_here() {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            drop(found);
            let generator = self.generator.lock().unwrap_or_else(PoisonError::into_inner);
            self.note();
            return Some(generator);
        }
        None
    }

    fn is_taken_here(&self) -> bool {
        self.taken_in.load(Ordering::SeqCst) == ForkMark::now().number()
    }

    #[inline]
    fn note(&self) {
        self.taken_in.store(ForkMark::now().number(), Ordering::Relaxed);
    }
}

#[cold]
fn closed() -> PyErr {
    PyValueError::new_err("the generator is closed: create a new one")
}

#[cold]
fn abandoned() -> PyErr {
    PyRuntimeError::new_err(
        "another thread was generating ids with this generator while the process forked: \
         create a new generator in the child",
    )
}
