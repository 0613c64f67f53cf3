//! Statements, and the connections that run them, whichever driver made these.

pub(crate) mod caller;
pub(crate) mod driver;
pub(crate) mod one_by_one;
pub(crate) mod shadow;
pub(crate) mod sql;
pub(crate) mod transaction;
pub(crate) mod values;
