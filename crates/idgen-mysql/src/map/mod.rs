//! The map: calls, claims inside the caller's transaction, and its upkeep.

pub(crate) mod builder;
pub(crate) mod calls;
pub(crate) mod changes;
pub(crate) mod check;
pub(crate) mod choices;
pub(crate) mod close;
pub(crate) mod fence;
pub(crate) mod finding;
pub(crate) mod forget;
pub(crate) mod inspect;
pub(crate) mod repeats;
pub(crate) mod setup;
pub(crate) mod single_flight;
pub(crate) mod transfer;
pub(crate) mod uuid_map;
pub(crate) mod within;
