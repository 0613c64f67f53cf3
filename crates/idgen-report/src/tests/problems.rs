//! Pages of runs that failed, in part or all of them.

use std::collections::BTreeMap;

use super::timed::{statement, timed};
use super::{html, markdown, results};
use idgen_record::{Failure, Results};

/// Tests records in which every run failed, of keys and of statements: the page says why there is nothing,
/// and claims no figures and no checks.
#[test]
fn where_all_failed_only_that_is_shown() {
    let keys = Results { notes: "It is so.".into(), ..results(0) };
    let settings = BTreeMap::from([("innodb_page_size".into(), "16384".into())]);
    let statements = Results { settings, ..keys.clone() };
    for (mut results, load) in [(keys, true), (statements, false)] {
        let error = "the server refused".into();
        results.failures.push(Failure { strategy: "rebuild".into(), error });
        for page in [html(&results).unwrap(), markdown(&results).unwrap()] {
            for said in
                ["No run was finished", "rebuild failed and is not shown: the server refused", "Settings"]
            {
                assert!(page.contains(said), "{said} is not in {page}");
            }
            for untrue in [
                "key strategies",
                "checked",
                "cannot be compared",
                "Pages changed, read and written",
                "All figures",
            ] {
                assert!(!page.contains(untrue), "{untrue} is in {page}");
            }
            for untrue in ["It is so.", "Throughput", "The strategies", "The tables"] {
                assert!(!page.contains(untrue), "{untrue} is in {page}");
            }
            assert_eq!(page.contains("4,000 per strategy"), load, "{page}");
        }
        assert!(html(&results).unwrap().contains("href=\"#settings\""));
    }
}

/// Cases that were finished are shown; only what came after them is not.
#[test]
fn what_broke_off_says_where() {
    let mut results = timed(["before", "after"].map(|name| statement(name, &[1.0])).into());
    results.failures.push(Failure { strategy: "rebuild".into(), error: "the disk is full".into() });
    let said = "rebuild broke off after 2 cases: the disk is full.";
    for page in [html(&results).unwrap(), markdown(&results).unwrap()] {
        assert!(page.contains(said) && !page.contains("is not shown"), "{page}");
    }
}

#[test]
fn the_number_of_strategies_is_in_words_that_fit_it() {
    let one = markdown(&results(1)).unwrap();
    assert!(one.contains("\nOne key strategy with ") && !one.contains("1 key strategies"), "{one}");
    assert!(markdown(&results(2)).unwrap().contains("\n2 key strategies with "));
}
