//! The promise of the sync of rows made offline as a model: devices with outboxes, a server with two tables, and a network that
//! loses, repeats and reorders.
//!
//! A step is a change of a row, a batch that is sent, applied or answered, a moment that passes, a backup or its restoration. In
//! each state that can be reached, the devices then send what they have until nothing is left, as their loops do: what the
//! server has in the end depends neither on how batches were cut nor on their order. Each [`Defect`] takes a remedy out.

mod change;
mod defect;
mod model;
mod outbox;
mod server;
mod world;

pub use change::Scope;
pub use defect::{Defect, Promise};
pub use model::{Report, check};
