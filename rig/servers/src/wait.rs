//! Waiting for a state.

use std::time::{Duration, Instant};

/// Even on a busy machine, any state that can be reached is reached within this time.
const LIMIT: Duration = Duration::from_secs(600);

/// A test's wait for a state. Tests wait for states and not for times, and a state that never comes must be an error
/// that names it: a test that waits forever reports nothing, and prevents the report of all others.
///
/// ```
/// let wait = idgen_server::Wait::until("the row is there");
/// let mut rows = 0;
/// while rows == 0 {
///     wait.check();
///     rows += 1;
/// }
/// assert_eq!(rows, 1);
/// ```
#[derive(Debug)]
pub struct Wait {
    state: String,
    begin: Instant,
    limit: Duration,
}

impl Wait {
    /// Begins now to wait until something is true, which the error would say.
    pub fn until(state: impl Into<String>) -> Wait {
        Wait { state: state.into(), begin: Instant::now(), limit: LIMIT }
    }

    /// To be called in each turn of the loop that waits.
    ///
    /// # Panics
    /// The wait began more than ten minutes ago.
    pub fn check(&self) {
        assert!(
            self.begin.elapsed() < self.limit,
            "waited {} s in vain until {}",
            self.limit.as_secs(),
            self.state
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "waited 0 s in vain until two sessions copy")]
    fn a_wait_ends() {
        let mut wait = Wait::until("two sessions copy");
        wait.check();
        wait.limit = Duration::ZERO;
        wait.check();
    }
}
