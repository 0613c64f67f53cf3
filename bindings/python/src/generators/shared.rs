//! A generator that threads share.
//!
//! A fork copies the lock as it stands: a child whose parent's other thread was just making ids would
//! wait for ever. So each holder notes in which process it took the lock, and a child that finds a
//! note of its parent's reports it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use idgen::source::ForkMark;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::clock;

/// A generator behind a lock.
pub(crate) struct Shared<G> {
    generator: Mutex<G>,
    taken_in: AtomicU64,
}

impl<G: Send> Shared<G> {
    pub(crate) fn new(generator: G) -> Self {
        Shared { generator: Mutex::new(generator), taken_in: AtomicU64::new(ForkMark::now().number()) }
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
                run(&mut generator)
            }
            Err(TryLockError::Poisoned(poisoned)) if !long => run(&mut poisoned.into_inner()),
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
            let message =
                "the clock of a generator must not make ids with it, nor a signal handler while it waits";
            return Err(PyRuntimeError::new_err(message));
        }
        let done = py.detach(|| self.lock().map(|mut generator| run(&mut generator)));
        done.ok_or_else(|| {
            PyRuntimeError::new_err(
                "another thread was making ids with this generator while the process forked: \
                 make a new generator in the child",
            )
        })
    }

    /// Waits for the lock; `None` where nobody is left who could open it.
    fn lock(&self) -> Option<MutexGuard<'_, G>> {
        // A holder in this process notes it at once, so that a second of waiting for the note is ample.
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
