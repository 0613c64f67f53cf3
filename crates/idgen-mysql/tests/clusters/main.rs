//! The map on clusters of three nodes, while nodes are killed and cut off: clients go on through the nodes
//! that are left, and what they were told is checked afterwards on every node.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../servers/checker.rs"]
mod checker;
mod memory;
mod replicated;
mod traffic;
mod vitess;
