//! The formats of a report, and the files of a run.

pub(crate) mod blocks;
pub(crate) mod csv;
pub(crate) mod files;
pub(crate) mod fitted;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod records;
pub(crate) mod report;
pub(crate) mod survey;
pub(crate) mod terminal;
