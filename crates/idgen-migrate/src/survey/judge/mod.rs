//! Judges what was read: pure functions, without a connection.

pub(super) mod arrival;
pub(super) mod came;
pub(super) mod chance;
pub(super) mod changes;
pub(super) mod classify;
pub(super) mod columns;
pub(super) mod costs;
pub(super) mod dangers;
mod integers;
pub(super) mod kinds;
#[cfg(test)]
mod mixtures;
pub(super) mod parse;
pub(super) mod parsed;
mod patterns;
mod questions;
#[cfg(test)]
mod random;
mod reading;
pub(super) mod tokens;
