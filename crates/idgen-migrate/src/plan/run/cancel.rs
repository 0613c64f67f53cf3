//! Cancels a file between two statements, or in the middle of one.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::{Either, select};

/// The time after which the running statement is canceled again: the first time, there may have been none.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Set when the user wants no further statement.
#[derive(Default)]
pub(super) struct Flag(AtomicBool);

impl Flag {
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The result of `work`, whose running statement `stop` ends after `canceled`.
pub(super) async fn until_canceled<T>(
    work: impl Future<Output = T>,
    flag: &Flag,
    canceled: impl Future<Output = ()>,
    stop: impl AsyncFn(),
) -> T {
    let mut work = pin!(work);
    if let Either::Left((done, _)) = select(work.as_mut(), pin!(canceled)).await {
        return done;
    }
    flag.0.store(true, Ordering::Relaxed);
    loop {
        // The work continues while it is being stopped: the server answers both.
        let stopping = async {
            stop().await;
            tokio::time::sleep(AGAIN_AFTER).await;
        };
        if let Either::Left((done, _)) = select(work.as_mut(), pin!(stopping)).await {
            return done;
        }
    }
}
