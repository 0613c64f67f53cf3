//! Prefixes that come again: page fill on the model of InnoDB, and in the recorded runs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use idgen_lab::experiment::{Revisits, Scale};
use idgen_lab::forecast::revisit;
use idgen_lab::report;
use idgen_lab::runner::Cancel;
use idgen_record::{CaseRecord, VisitFigures};

fn on_the_model(definition: &str) -> Vec<VisitFigures> {
    let experiment = Revisits::parse(definition).unwrap();
    let mut all = Vec::new();
    let mut keep = |record: CaseRecord| {
        all.extend(record.visits);
        Ok(())
    };
    revisit(&experiment, Scale::Ci, &experiment.strategies().unwrap(), &Cancel::new(), &mut keep).unwrap();
    all
}

fn fill(all: &[VisitFigures], strategy: &str, visits: u32, rows: u64) -> f64 {
    let found = all
        .iter()
        .find(|found| (&*found.strategy, found.visits, found.rows_per_visit) == (strategy, visits, rows));
    found.unwrap_or_else(|| panic!("no {visits} visits of {rows} rows by {strategy}")).fill_mean
}

/// What the ascending tail promises on InnoDB. A page stands for 114 rows.
fn judge(all: &[VisitFigures]) {
    for found in all.iter().filter(|found| found.strategy == "minute-ascending") {
        let (visits, rows, fill_mean) = (found.visits, found.rows_per_visit, found.fill_mean);
        let least = match (visits, rows) {
            (4.., 1_140..) | (16.., 342..) => 0.89,
            (16.., 57..) => 0.80,
            _ => 0.0,
        };
        assert!(fill_mean >= least, "{visits} visits of {rows} rows: {fill_mean}");
        if visits >= 2 && rows >= 114 {
            let random = fill(all, "minute-random", visits, rows);
            assert!(fill_mean >= random, "{visits} visits of {rows} rows: {fill_mean}, random tail {random}");
        }
    }
}

#[test]
fn the_model_keeps_the_targets() {
    let all = on_the_model(
        r#"
        id = "targets"
        question = "?"
        analysis = ""
        strategies = ["minute-ascending", "minute-offset", "minute-random"]
        payload_bytes = 100
        [scale.ci]
        cache_mib = 16
        statement_rows = 100
        cells = [
            { visits = 2, rows = 114, buckets = 32 },
            { visits = 16, rows = 57, buckets = 8 },
            { visits = 4, rows = 342, buckets = 8 },
            { visits = 16, rows = 342, buckets = 2 },
            { visits = 4, rows = 1140, buckets = 4 },
        ]"#,
    );
    assert_eq!(all.len(), 15);
    judge(&all);
    // The comparator shows that the test can fail: the tail that starts over is worse than a random one.
    for (visits, rows) in [(2, 114), (4, 342), (4, 1_140)] {
        let [offset, random] =
            ["minute-offset", "minute-random"].map(|strategy| fill(&all, strategy, visits, rows));
        assert!(offset < random - 0.1, "{visits} visits of {rows} rows: {offset}, random tail {random}");
    }
}

/// The record of each server: the targets, and the earlier measurement within two points.
#[test]
fn the_recorded_runs_keep_the_targets() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results/2026-11-22");
    for server in ["mysql", "mariadb"] {
        let text =
            std::fs::read_to_string(recorded.join(server).join("prefix-revisits/results.json")).unwrap();
        let results = report::read(&text).unwrap();
        let all: Vec<_> = results.cases.into_iter().filter_map(|case| case.visits).collect();
        judge(&all);
        let compared: Vec<_> = all.iter().filter_map(|found| Some((found, found.earlier_fill?))).collect();
        assert_eq!(compared.len(), 9, "{server}");
        for (found, earlier) in compared {
            let off = (found.fill_mean - earlier).abs();
            assert!(off <= 0.02, "{server}, {}: {} against {earlier}", found.strategy, found.fill_mean);
        }
    }
}
