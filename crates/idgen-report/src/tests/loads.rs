//! Pages of loads: figures over the number of clients.

use std::collections::BTreeMap;
use std::fs;

use super::super::{CHARTS, save};
use super::results;
use idgen_record::{CaseRecord, LoadFigures, Results};

/// Loads of two tables by one and by eight clients; published of the second.
pub(super) fn loads() -> Results {
    let case = |name: &str, clients: u32, secs: f64, published_times| CaseRecord {
        name: name.into(),
        secs,
        runs: vec![secs],
        published_times,
        load: Some(LoadFigures {
            clients,
            statement_rows: 50,
            rows: 100,
            rows_per_sec: 100.0 / secs,
            per_1k: BTreeMap::new(),
        }),
        ..CaseRecord::default()
    };
    Results {
        cases: vec![
            case("one cache", 1, 2.0, None),
            case("a cache each", 1, 1.0, None),
            case("one cache", 8, 4.0, None),
            case("a cache each", 8, 3.0, Some(0.5)),
        ],
        ..results(0)
    }
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

    // With statements of several sizes, a pair of charts for each.
    let mut both = loads();
    both.cases.extend(loads().cases.into_iter().map(|mut case| {
        case.load.as_mut().unwrap().statement_rows = 1;
        case
    }));
    save(&both, directory.path()).unwrap();
    assert!(!directory.path().join(CHARTS).join("rates.svg").exists());
    assert!(
        chart("times-1.svg").contains("one row per statement") && chart("times-50.svg").contains("50 rows")
    );
}
