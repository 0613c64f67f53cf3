//! Checks the noise of each metric for single runs against the recorded runs that were repeated.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use idgen_record::{Group, METRICS, Results, Run, Sample};

/// All results under docs/results whose loads were repeated.
fn repeated() -> Vec<Results> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
    let all = idgen_report::below(&root).unwrap();
    all.iter().map(|file| idgen_report::open(file).unwrap()).filter(Results::has_repeats).collect()
}

/// A report of single runs says that a difference is larger than those of about 95 of 100 pairs of runs of one load.
#[test]
fn single_runs_of_one_load_seldom_differ() {
    let recorded = repeated();
    let (mut compared, mut wrong) = (0, Vec::new());
    let runs =
        || recorded.iter().flat_map(|results| &results.runs).filter(|run: &&Run| run.strategy.key.is_some());
    for metric in METRICS.iter().filter(|metric| ![Group::Facts, Group::Timed].contains(&metric.group)) {
        let (mut pairs, mut differ) = (0_u32, 0_u32);
        for sample in runs().filter_map(|run| metric.sample(run)) {
            let values = sample.values();
            let single = |value: &f64| Sample::of(vec![*value]).unwrap();
            for (index, one) in values.iter().enumerate() {
                for other in &values[index + 1..] {
                    pairs += 1;
                    differ += u32::from(single(one).differs(&single(other), metric.noise).is_some());
                }
            }
        }
        // A share of fewer pairs says little.
        if pairs >= 100 {
            let share = f64::from(differ) / f64::from(pairs);
            if share > 0.06 {
                wrong.push(format!("{}: {differ} of {pairs} pairs differ", metric.name));
            }
            compared += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(compared >= 30, "{compared}");
}
