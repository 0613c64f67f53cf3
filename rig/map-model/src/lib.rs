//! The promise of `idgen-mysql` as a model, checked in all orders of its steps. No server is needed.
//!
//! A step is one statement, or one transaction, of the map: between any two of them other clients, operators, failures
//! and wrong answers take their steps. The checker ([stateright](https://docs.rs/stateright)) visits every state that
//! two clients with two UUIDs can reach. Each [`Defect`] takes a remedy out of the design, and the checker has to find
//! the violation.
//!
//! Not modeled are batches, whose rows are each handled like a single one, clusters, and durations. "Within a second"
//! is a step that is taken when every client that continues has read the epoch.
//!
//! [`sync`] is the model of the sync of rows made offline.

mod blocks;
mod caller;
mod calls;
mod check;
mod defect;
mod faults;
mod map;
mod model;
mod operators;
mod promises;
mod properties;
mod scope;
pub mod sync;
mod world;

pub use check::{Judged, Report, check};
pub use defect::Defect;
pub use scope::Scope;
pub use world::Index;
