//! The seconds of a case, set against those of the first.

use idgen_record::{CaseRecord, Results, Sample};

/// The case that this one is set against: the first with as many clients and rows in a statement.
pub fn first_of<'a>(results: &'a Results, case: &CaseRecord) -> Option<&'a CaseRecord> {
    let size = |case: &CaseRecord| case.load.as_ref().map(|load| (load.clients, load.statement_rows));
    results.cases.iter().find(|other| size(other) == size(case))
}

/// The seconds of each run of a case.
pub fn seconds(case: &CaseRecord) -> Option<Sample> {
    Sample::of(if case.runs.is_empty() { vec![case.secs] } else { case.runs.clone() })
}

/// Seconds, times those of the first.
pub fn times_first(
    results: &Results,
    case: &CaseRecord,
    secs: fn(&CaseRecord) -> Option<f64>,
) -> Option<f64> {
    let first = secs(first_of(results, case)?)?;
    (first > 0.0).then_some(secs(case)? / first)
}

/// The same as published, either so or in seconds.
pub fn published_times(results: &Results, case: &CaseRecord) -> Option<f64> {
    case.published_times.or_else(|| times_first(results, case, |case| case.published_secs))
}
