//! The page reader: compared with what servers reported about their own files, and on damaged files. `rig/readers` compares it
//! with another reader of such files, and reads files that servers have just written.
#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod files;
mod reader;
mod special;
