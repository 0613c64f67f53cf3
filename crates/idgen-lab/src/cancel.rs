//! A request to cancel, shared by a signal handler and the work that checks it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::{Either, select};

use crate::{Error, Result};

/// Lets another thread, or a signal handler, end the runs.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the work to stop after the current transaction.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// True after [`Cancel::cancel`].
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::interrupted()) } else { Ok(()) }
    }

    /// Runs the work to its end, or drops it unfinished once this is cancelled.
    ///
    /// # Errors
    /// The errors of the work, and `is_interrupted`.
    pub(crate) async fn or<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        /// Short enough for a person who waits, and too long to disturb a measurement.
        const LOOK: Duration = Duration::from_millis(100);
        let cancelled = async {
            while !self.is_cancelled() {
                tokio::time::sleep(LOOK).await;
            }
        };
        match select(pin!(work), pin!(cancelled)).await {
            Either::Left((done, _)) => done,
            Either::Right(_) => Err(Error::interrupted()),
        }
    }
}
