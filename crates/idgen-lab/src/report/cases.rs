//! Timed statements, set against the first of them.

use super::numbers::rate;
use crate::measure::Results;

/// One case as a table shows it.
pub struct CaseLine {
    /// In a few words.
    pub name: String,
    /// Seconds, times the first, what was counted, times the first as published.
    pub cells: [String; 4],
}

/// The lines of all cases.
pub fn case_lines(results: &Results) -> Vec<CaseLine> {
    let first = results.cases.first();
    let times = |secs: Option<f64>, first: Option<f64>| match (secs, first) {
        (Some(secs), Some(first)) if first > 0.0 => rate(secs / first),
        _ => String::new(),
    };
    results
        .cases
        .iter()
        .map(|case| CaseLine {
            name: case.name.clone(),
            cells: [
                format!("{:.3}", case.secs),
                times(Some(case.secs), first.map(|first| first.secs)),
                case.counted.clone().unwrap_or_default(),
                times(case.published_secs, first.and_then(|first| first.published_secs)),
            ],
        })
        .collect()
}
