//! Pages of loads: figures over the number of clients.

use std::fs;

use super::super::{CHARTS, save};
use super::timed::{load, published, timed};
use idgen_record::{Results, Run};

/// Loads of two tables by one and by eight clients, with published figures of the second.
pub(super) fn loads() -> Results {
    let runs = of_size(50);
    let published = vec![published(&runs[3].strategy.name, "times_first", 0.5, None)];
    Results { published, ..timed(runs) }
}

fn of_size(statement_rows: u32) -> Vec<Run> {
    let runs =
        [("one cache", 1, 2.0), ("a cache each", 1, 1.0), ("one cache", 8, 4.0), ("a cache each", 8, 3.0)];
    runs.map(|(title, clients, secs)| load(title, &[secs], clients, statement_rows)).into()
}

#[test]
fn loads_are_drawn_over_their_clients_with_what_was_published() {
    let directory = tempfile::tempdir().unwrap();
    save(&loads(), directory.path()).unwrap();
    let chart = |name: &str| fs::read_to_string(directory.path().join(CHARTS).join(name)).unwrap();
    let told = "one cache: 50 at 1, 25 at 8. a cache each: 100 at 1, 33 at 8.";
    assert!(chart("rates.svg").contains(told), "{}", chart("rates.svg"));
    let told = "one cache: 1.00 at 1, 1.00 at 8. a cache each: 0.50 at 1, 0.75 at 8; published 0.50 at 8.";
    assert!(chart("times.svg").contains(told), "{}", chart("times.svg"));
    assert!(!chart("rates.svg").contains("as published"));
    let text = fs::read_to_string(directory.path().join("report.md")).unwrap();
    assert!(text.contains("(charts/rates.svg)") && text.contains("(charts/times.svg)"), "{text}");

    // Statements of several sizes have a pair of charts each.
    let mut both = loads();
    both.runs.extend(of_size(1));
    save(&both, directory.path()).unwrap();
    assert!(!directory.path().join(CHARTS).join("rates.svg").exists());
    assert!(
        chart("times-1.svg").contains("one row per statement") && chart("times-50.svg").contains("50 rows")
    );
}
