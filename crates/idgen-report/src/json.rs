//! `results.json`: the records themselves.

use super::maps::map;
use crate::{Error, Result};
use idgen_record::{Results, RunRecord};
use innodb_pages::Measure;

/// The results as indented JSON.
///
/// # Errors
/// Where a figure is not a number, which JSON cannot hold.
pub fn json(results: &Results) -> Result<String> {
    serde_json::to_string_pretty(results)
        .map(|text| text + "\n")
        .map_err(|error| Error::caused("cannot write the results as JSON", error))
}

/// The results that [`json`] wrote.
///
/// # Errors
/// Where the text is not such a file, or one of another version.
pub fn read(text: &str) -> Result<Results> {
    #[derive(serde::Deserialize)]
    struct Head {
        format: u32,
    }
    let not_ours = |error| Error::caused("this is not a results.json of the lab", error);
    let head: Head = serde_json::from_str(text).map_err(not_ours)?;
    if head.format != Results::FORMAT {
        return Err(Error::refused(format!(
            "this results.json has format {}, but this version reads format {}: run the lab again",
            head.format,
            Results::FORMAT
        )));
    }
    let mut results: Results = serde_json::from_str(text).map_err(not_ours)?;
    // The maps are text within the text: found now, a damage is named; later it would spoil a chart.
    for file in results.runs.iter().flat_map(|run| &run.trees).filter_map(|tree| tree.file.as_ref()) {
        map(file, Measure::Fill)?;
        map(file, Measure::Recency)?;
    }
    results.runs.iter_mut().for_each(RunRecord::complete);
    Ok(results)
}
