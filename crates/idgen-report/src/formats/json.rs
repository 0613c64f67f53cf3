//! `results.json`: the records themselves.

use crate::error::{Error, Result};
use crate::figures::maps::map;
use idgen_record::{METRICS, Results, Run, Value};
use innodb_pages::Measure;

/// The results as indented JSON.
///
/// # Errors
/// A figure is not a number, which JSON cannot represent.
pub fn json(results: &Results) -> Result<String> {
    serde_json::to_string_pretty(results)
        .map(|text| text + "\n")
        .map_err(|error| Error::caused("cannot write the results as JSON", error))
}

/// The largest value of a figure: no run has more, and no axis could show it.
const MOST: f64 = 1e15;

/// Checks that all figures of a run are possible ones. Others would need an endless axis.
fn plausible(run: &Run) -> Result<()> {
    for one in run.each() {
        let figures = METRICS.iter().map(|metric| (metric, metric.value(&one)));
        let windows = one.windows.iter();
        let windows =
            windows.flat_map(|window| METRICS.iter().map(|metric| (metric, metric.in_window(window))));
        for (metric, value) in figures.chain(windows) {
            if let Some(value) = value.map(Value::number).filter(|value| value.abs() > MOST) {
                return Err(Error::refused(format!(
                    "{} of {} is {value:e}, more than any run can have: the record is damaged, run the lab again",
                    metric.name, run.strategy.name
                )));
            }
        }
    }
    Ok(())
}

/// The results that [`json`] wrote, also behind a byte order mark, which an editor may have added.
///
/// # Errors
/// The text is not such a file, or is one of another version.
pub fn read(text: &str) -> Result<Results> {
    #[derive(serde::Deserialize)]
    struct Head {
        format: u32,
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let not_ours = |error| Error::caused("this is not a results.json of the lab", error);
    let head: Head = serde_json::from_str(text).map_err(not_ours)?;
    if head.format != Results::FORMAT {
        return Err(Error::refused(format!(
            "this results.json has format {}, but this version reads format {}: run the lab again",
            head.format,
            Results::FORMAT
        )));
    }
    let results: Results = serde_json::from_str(text).map_err(not_ours)?;
    // Maps are text in the JSON. A damaged map is refused here, and not when a chart is drawn.
    for file in results.runs.iter().flat_map(|run| &run.trees).filter_map(|tree| tree.file.as_ref()) {
        map(file, Measure::Fill)?;
        map(file, Measure::Recency)?;
    }
    results.runs.iter().try_for_each(plausible)?;
    Ok(results)
}
