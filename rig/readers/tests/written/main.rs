//! The reader of pages on files that servers have just written.
#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod inno;
mod special;
