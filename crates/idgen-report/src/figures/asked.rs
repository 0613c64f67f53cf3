//! The metrics that an answer and the main table are about.

use idgen_record::{Group, Metric, Results, Run, Sample, Workload};

/// The metrics that the answer is about, beginning with the one that decides; none where only times were measured.
pub(crate) fn asked(results: &Results) -> Vec<&'static str> {
    let known = |name: &str| results.runs.iter().all(|run| sample(name, run).is_some());
    if results.times_statements() {
        return ["bytes_per_row", "fill_mean"].into_iter().filter(|name| known(name)).collect();
    }
    if is_mixed(results) {
        // Only the tables' own pages, where the database counts them separately.
        let pages = match known("operations_table_reads_per_1k") && !results.engine.is_embedded() {
            true => "operations_table_reads_per_1k",
            false => "operations_reads_per_1k",
        };
        let names = [pages, "operations_hit_rate", "insert_p99_micros", "read_random_p99_micros"];
        return names.into_iter().filter(|name| known(name)).collect();
    }
    // Only the tables' own pages, where the database counts them separately; otherwise all pages.
    let pages = match known("last_table_reads_per_1k") && !results.engine.is_embedded() {
        true => ["last_table_reads_per_1k", "last_table_writes_per_1k"],
        false => ["last_reads_per_1k", "last_writes_per_1k"],
    };
    // In PostgreSQL the log differs most between keys.
    let in_heap = results.engine.database().is_some_and(|database| !database.clusters_rows());
    let log = in_heap.then_some("redo_bytes_per_row");
    let mut asked = Vec::new();
    // Where no key reads pages, the page fill differs most. The few rows of `--quick` say nothing about
    // speed.
    let reads = |run: &Run| sample(pages[0], run).is_some_and(|reads| reads.median() > 0.0);
    let fill = (!results.runs.iter().any(reads)).then_some("fill_mean");
    let speed = (results.workload.rows != Workload::QUICK_ROWS).then_some("last_rows_per_sec");
    // An LSM tree has no pages: what compactions write differs most.
    let decides = ["write_amplification", "written_bytes_per_row", "filters_per_1k"].into_iter();
    let decides = decides.chain(fill).chain(["distinct_leaves_per_1k"]);
    for name in decides.chain(pages).chain(log).chain(speed) {
        // A record without figures of the end has those of the whole run.
        let shown = Metric::named(name).and_then(|metric| metric.shown(&results.runs));
        asked.extend(shown.map(|metric| metric.name).filter(|name| known(name)));
    }
    asked
}

/// Returns whether the runs did more than insert.
pub(crate) fn is_mixed(results: &Results) -> bool {
    results.runs.iter().any(|run| run.operations.is_some())
}

/// A clause about the check that each run passed.
pub(crate) fn checked(results: &Results) -> &'static str {
    if is_mixed(results) {
        "the table contained exactly the rows that had not been deleted, and each read had given what was last written"
    } else {
        "the table contained exactly the inserted rows"
    }
}

/// Pages of the tables' own files.
const TABLE_PAGES: [&str; 3] =
    ["last_table_reads_per_1k", "last_table_writes_per_1k", "operations_table_reads_per_1k"];

/// The metrics of the main table: first those that the answer is about, then the others that any run has.
pub(crate) fn main_metrics(results: &Results) -> Vec<&'static Metric> {
    let mut metrics: Vec<_> = asked(results).into_iter().filter_map(Metric::named).collect();
    // An embedded engine reads and writes only the tables' own file.
    let twice = |metric: &Metric| results.engine.is_embedded() && TABLE_PAGES.contains(&metric.name);
    let operations = Metric::of_group(Group::Operations).filter(|_| is_mixed(results));
    let others = operations.chain(Metric::of_group(Group::Figures)).filter(|metric| !twice(metric));
    for metric in others.filter_map(|metric| metric.shown(&results.runs)) {
        if metrics.iter().all(|other| other.name != metric.name) {
            metrics.push(metric);
        }
    }
    metrics
}

/// The figure with this name in all runs of a strategy.
pub(crate) fn sample(name: &str, run: &Run) -> Option<Sample> {
    Metric::named(name)?.sample(run)
}
