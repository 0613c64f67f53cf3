//! Tests what a report says about pages written.

use super::super::{json, read, table};
use super::{html, markdown, results};
use idgen_record::{Database, Results};

/// A program that commits each row writes far more pages than a run with many rows in a transaction.
#[test]
fn a_transaction_of_many_rows_says_what_a_commit_of_each_row_writes() {
    const SAID: &str = "A program that commits each row writes at least 1,000 pages per 1,000 inserts";
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let texts = |results: &Results| {
        [flat(table(results)), flat(markdown(results).unwrap()), flat(html(results).unwrap())]
    };
    let mut made = results(2);
    made.engine.name = Database::Sqlite.name().into();
    for text in texts(&made) {
        assert!(text.contains("A transaction has 1,000 rows") && text.contains(SAID), "{text}");
    }
    made.workload.commit_rows = 1;
    assert!(texts(&made).iter().all(|text| !text.contains(SAID)));
    // On a server, each statement commits.
    made.workload.commit_rows = 1_000;
    made.engine.name = Database::MySql.name().into();
    assert!(texts(&made).iter().all(|text| !text.contains(SAID)));
}

/// PostgreSQL 14 and 15 do not count pages written.
#[test]
fn pages_written_that_are_not_known_are_absent() {
    let mut made = results(2);
    for run in &mut made.runs {
        run.totals.writes_per_1k = f64::NAN;
        run.totals.last_writes_per_1k = f64::NAN;
        run.windows.iter_mut().for_each(|window| window.writes_per_1k = f64::NAN);
    }
    let again = read(&json(&made).unwrap()).unwrap();
    assert!(again.runs[0].windows[0].writes_per_1k.is_nan());
    let page = html(&again).unwrap();
    assert!(page.contains("pages read per 1,000 inserts") && !page.contains("NaN"), "{page}");
    assert!(!page.contains("pages written per 1,000 inserts"), "{page}");
    assert!(!table(&again).contains("written"), "{}", table(&again));
}
