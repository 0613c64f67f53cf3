//! The seconds of a case as a multiple of those of the first.

use idgen_record::{CaseRecord, Difference, Metric, Results, Sample};

/// The case that this one is compared with: the first with the same number of clients and of rows in a statement.
pub fn first_of<'a>(results: &'a Results, case: &CaseRecord) -> Option<&'a CaseRecord> {
    let size = |case: &CaseRecord| case.load.as_ref().map(|load| (load.clients, load.statement_rows));
    results.cases.iter().find(|other| size(other) == size(case))
}

/// The seconds of each run of a case.
pub fn seconds(case: &CaseRecord) -> Option<Sample> {
    Sample::of(if case.runs.is_empty() { vec![case.secs] } else { case.runs.clone() })
}

/// Seconds as a multiple of those of the first case.
pub fn times_first(
    results: &Results,
    case: &CaseRecord,
    secs: fn(&CaseRecord) -> Option<f64>,
) -> Option<f64> {
    let first = secs(first_of(results, case)?)?;
    (first > 0.0).then_some(secs(case)? / first)
}

/// The published multiple, which was published as such or as seconds.
pub fn published_times(results: &Results, case: &CaseRecord) -> Option<f64> {
    case.published_times.or_else(|| times_first(results, case, |case| case.published_secs))
}

/// How the seconds of two cases differ.
pub fn slower(case: &CaseRecord, from: &CaseRecord) -> Option<Difference> {
    seconds(case)?.differs(&seconds(from)?, Metric::named("secs")?.noise)
}
