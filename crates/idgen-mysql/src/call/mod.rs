//! What all calls have: a deadline, attempts that are repeated until it, and counters.

pub(crate) mod deadline;
pub(crate) mod observe;
pub(crate) mod retry;
