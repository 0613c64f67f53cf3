//! The offline page reader: against what servers said of their own files, against another reader of such
//! files, and against damage.
#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod files;
mod inno;
mod inno_servers;
mod reader;
mod special;
mod special_servers;
