//! The content of a report: its answer, its sentences and its tables, whatever the format.

pub(crate) mod answer;
pub(crate) mod asked;
pub(crate) mod finding;
pub(crate) mod grid;
pub(crate) mod grids;
pub(crate) mod load;
pub(crate) mod maps;
pub(crate) mod numbers;
pub(crate) mod published;
pub(crate) mod staying;
pub(crate) mod timed;
pub(crate) mod verdict;
