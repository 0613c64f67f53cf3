//! Tests the map on clusters of three nodes, while nodes are killed and cut off. Clients continue through the remaining
//! nodes, and what was acknowledged to them is checked afterwards on every node.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../servers/checker.rs"]
mod checker;
mod memory;
mod replicated;
mod sync;
mod traffic;
mod vitess;
