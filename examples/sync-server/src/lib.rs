//! An example of a server that takes in the rows of a to-do list that devices made offline, and of a device.
//!
//! See the README for the two commands that run them.
#![forbid(unsafe_code)]

pub mod device;
pub mod server;
pub mod wire;

/// The code of docs/sync.md, which compiles as it is there.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/sync.md")]
mod documentation {}
