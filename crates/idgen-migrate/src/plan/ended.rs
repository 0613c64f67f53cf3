//! The end of a session, for which the server needs a moment.

use std::time::Duration;

/// A lock of the session is requested up to this many times, with a pause in between, until it is free.
pub(super) const ATTEMPTS: u32 = 500;
pub(super) const BETWEEN: Duration = Duration::from_millis(20);
