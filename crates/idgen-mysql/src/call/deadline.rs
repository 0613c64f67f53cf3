//! The deadline of a call, which bounds all of its waits together.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::error::failure::Failure;
use crate::error::{Error, Result};

/// The deadline of a call.
///
/// It is set when the call begins, and passed to everything that waits: retries and the pauses between them, answers of
/// the server, locks that other calls hold. So it bounds the call, however many of these there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    /// No attempt begins after this.
    last_start: Instant,
    /// The last attempt ends here.
    end: Instant,
}

/// The time of an attempt that is the only one of its call.
const ONE_ATTEMPT: Duration = Duration::from_secs(1);

/// The longest limit, thirty years, because an `Instant` cannot represent every sum.
const FOREVER: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

impl Deadline {
    pub(crate) fn after(limit: Duration) -> Deadline {
        let now = Instant::now();
        Deadline { last_start: now + limit.min(FOREVER), end: now + limit.clamp(ONE_ATTEMPT, FOREVER) }
    }

    /// The deadline of work that no call waits for.
    pub(crate) fn never() -> Deadline {
        Deadline::after(FOREVER)
    }

    /// Returns true if no attempt may begin after a pause of this length.
    pub(crate) fn ends_within(&self, pause: Duration) -> bool {
        Instant::now() + pause >= self.last_start
    }

    /// Runs work on the server until the deadline; `None` if it takes longer.
    pub(crate) async fn bound<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        timeout_at(self.end, work).await.ok()
    }

    /// Runs work on the server for at most `limit`, and not beyond the deadline; `None` if it takes longer.
    pub(crate) async fn bound_by<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        timeout_at(self.end.min(Instant::now() + limit.min(FOREVER)), work).await.ok()
    }

    /// Waits for work that another call of this client does for all calls.
    pub(crate) async fn wait_for<T>(&self, action: &'static str, wait: impl Future<Output = T>) -> Result<T> {
        self.bound(wait).await.ok_or_else(|| Error::failed(action, Failure::OtherCall, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn all_waits_share_one_limit() {
        let (deadline, begin) = (Deadline::after(30 * SECOND), Instant::now());
        assert_eq!(deadline.bound_by(10 * SECOND, pending::<()>()).await, None);
        assert_eq!(begin.elapsed().as_secs(), 10);
        assert!(!deadline.ends_within(19 * SECOND) && deadline.ends_within(21 * SECOND));
        let error = deadline.wait_for("wait", pending::<()>()).await.unwrap_err();
        assert!(error.is_transient() && error.to_string().contains("another call"), "{error}");
        assert_eq!(begin.elapsed().as_secs(), 30);
        assert_eq!(deadline.bound(pending::<()>()).await, None);
        assert_eq!(deadline.bound_by(10 * SECOND, pending::<()>()).await, None);
        assert_eq!(begin.elapsed().as_secs(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn no_limit_is_too_short_or_too_long() {
        let begin = Instant::now();
        let one_attempt = Deadline::after(Duration::ZERO);
        assert!(one_attempt.ends_within(Duration::ZERO));
        assert_eq!(one_attempt.bound_by(10 * SECOND, pending::<()>()).await, None);
        assert_eq!(begin.elapsed().as_secs(), 1);
        let never = Deadline::after(Duration::MAX);
        assert_eq!(never.bound_by(10 * SECOND, pending::<()>()).await, None);
        assert!(!never.ends_within(SECOND));
        assert_eq!(never.bound_by(Duration::MAX, async { 7 }).await, Some(7));
    }
}
