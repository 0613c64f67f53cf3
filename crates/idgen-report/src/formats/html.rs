//! `report.html`: the question, the answer, the charts, the tables, the settings; no network, and a script that sorts tables.

use askama::Template;

use crate::charts::drawings::Drawings;
use crate::error::{Error, Result};
use crate::formats::contents::Contents;
use idgen_record::Results;

/// The page as one self-contained HTML file.
///
/// # Errors
/// Where a chart cannot be drawn.
pub fn html(results: &Results) -> Result<String> {
    page(results, &Drawings::of(results)?)
}

/// The same with given charts.
pub fn page(results: &Results, drawings: &Drawings) -> Result<String> {
    let contents = Contents::of(results, drawings);
    contents.render().map_err(|error| Error::caused("cannot write the report", error))
}
