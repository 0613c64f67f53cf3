//! Tests of the readers that need more than the readers: servers that write files, and another reader of these files.
//!
//! `innodb-pages` and `btree-model` are tested in their own packages with files and figures that were recorded. Here, they are
//! compared with servers. A package of its own, so that their tests compile neither the servers nor `inno`.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "helpers of tests fail by panicking")]

pub mod inno;
