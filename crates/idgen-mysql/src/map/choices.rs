//! The choices of a client before it connects.

use std::time::Duration;

use crate::installed::{IdWidth, Index};

/// See [`Builder`](crate::Builder), which has a method for each.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    pub(crate) table: String,
    pub(crate) index: Option<Index>,
    pub(crate) width: Option<IdWidth>,
    pub(crate) cache: usize,
    pub(crate) largest_block: u64,
    pub(crate) timeout: Duration,
    pub(crate) answer_limit: Duration,
    pub(crate) connections: u32,
    pub(crate) accept_unsafe_server: bool,
    pub(crate) read_only: bool,
    pub(crate) allow_exhausting_import: bool,
}

impl Default for Choices {
    fn default() -> Self {
        Choices {
            table: "uuid_map".to_owned(),
            index: None,
            width: None,
            cache: 10_000,
            largest_block: 65_536,
            timeout: Duration::from_secs(30),
            answer_limit: Duration::from_secs(10),
            connections: 10,
            accept_unsafe_server: false,
            read_only: false,
            allow_exhausting_import: false,
        }
    }
}
