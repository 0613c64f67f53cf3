//! The deadline of a call, the attempts that are repeated until it, and the counters of calls.

pub(crate) mod deadline;
pub(crate) mod observe;
pub(crate) mod retry;
