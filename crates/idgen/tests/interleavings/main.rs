//! The counters that threads and forked processes share, with the steps of several threads in all orders.
//!
//! The files of `src/shared` are compiled here once more, from the same text, with other atomics: those of loom, which
//! execute every order of the threads' steps and every value that the memory model allows a load to return. A process
//! that was forked counts like a thread here, because it shares the words and nothing else.
//!
//! Each promise also has faults, which are small changes of these steps. A test asserts that loom finds an order in which
//! the fault breaks the promise, so each of the steps is needed, and each scenario can fail.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod atomic;
mod device;
mod explore;
mod numbers;
mod server;
#[path = "../../src/shared/mod.rs"]
mod shared;
