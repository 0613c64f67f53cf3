//! Repeats attempts that failed temporarily, within the deadline of the call.

use std::time::Duration;

use crate::call::deadline::Deadline;
use crate::call::observe;
use crate::error::failure::{Attempt, Failure};
use crate::error::numbers::Verdict;
use crate::error::{Error, Result};

const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The attempts of one call.
pub(crate) struct Retries {
    deadline: Deadline,
    count: u32,
    /// The last failure that says what the server's reason was.
    reason: Option<Failure>,
}

impl Retries {
    pub(crate) fn new(deadline: Deadline) -> Retries {
        Retries { deadline, count: 1, reason: None }
    }

    /// Waits before the next attempt, or ends the call. The maximum pause doubles each time, and each pause is random up to it,
    /// so that clients that failed at the same time do not repeat at the same time.
    pub(crate) async fn after(&mut self, action: &'static str, failure: Failure) -> Result<()> {
        let ceiling = FIRST_PAUSE.saturating_mul(1 << self.count.min(16)).min(LONGEST_PAUSE);
        let pause = ceiling.mul_f64(fastrand::f64());
        if failure.verdict() == Verdict::Final || self.deadline.ends_within(pause) {
            return Err(self.end(action, failure));
        }
        observe::retried();
        tracing::debug!(action, attempt = self.count, %failure, "an attempt failed and is repeated");
        match failure {
            Failure::NoConnection => {}
            Failure::NoAnswer => {
                self.reason.get_or_insert(failure);
            }
            reason => self.reason = Some(reason),
        }
        tokio::time::sleep(pause).await;
        self.count += 1;
        Ok(())
    }

    /// The error of a call that makes no further attempt. If the last one only waited, because the time of the call was
    /// over, the error names the reason why those before it failed.
    pub(crate) fn end(&mut self, action: &'static str, failure: Failure) -> Error {
        let failure = match failure {
            Failure::NoConnection | Failure::NoAnswer => self.reason.take().unwrap_or(failure),
            failure => failure,
        };
        Error::failed(action, failure, self.count)
    }

    /// Continues at once after ids that were in use already, within the same deadline.
    pub(crate) fn pass_over(&mut self, action: &'static str, failure: Failure) -> Result<()> {
        if self.deadline.ends_within(Duration::ZERO) {
            return Err(Error::failed(action, failure, self.count));
        }
        observe::retried();
        self.count += 1;
        Ok(())
    }

    /// Runs an attempt that may be repeated whatever its effect was.
    pub(crate) async fn run<T, F>(
        deadline: Deadline,
        action: &'static str,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T>
    where
        F: Future<Output = Attempt<T>>,
    {
        let mut retries = Retries::new(deadline);
        loop {
            match attempt().await {
                Ok(value) => return Ok(value),
                Err(failure) => retries.after(action, failure).await?,
            }
        }
    }
}
