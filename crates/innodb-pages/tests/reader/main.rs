//! The page reader: compared with what servers reported about their own files, with another reader of such files, and on
//! damaged files.
#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod files;
mod inno;
mod inno_servers;
mod reader;
mod special;
mod special_servers;
