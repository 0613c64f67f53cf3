//! The formats of a report, and the files of a run.

pub(crate) mod contents;
pub(crate) mod csv;
pub(crate) mod document;
pub(crate) mod files;
pub(crate) mod fitted;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod records;
pub(crate) mod script;
pub(crate) mod sections;
pub(crate) mod survey;
pub(crate) mod terminal;
