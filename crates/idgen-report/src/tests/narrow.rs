//! Tables on terminals of several widths: whole columns are left out and named, and no word is broken.

use super::super::compare::{compare, comparison_of};
use super::super::list;
use super::loads::loads;
use super::timed::timed;
use super::{MANY, results};
use crate::figures::numbers::write_median;
use crate::formats::terminal::{WIDTH, published_of, table_of};
use idgen_record::{Metric, Published};

const WIDTHS: [u16; 4] = [120, 100, 80, 60];

/// Every word of the text stands in `words`, or is a line of the table.
fn check(text: &str, width: u16, words: &[&str]) {
    for line in text.lines() {
        assert!(line.chars().count() <= usize::from(width), "{width}: {line}\n{text}");
    }
    let cells = |c: char| c.is_whitespace() || "\u{2502}\u{2506}|".contains(c);
    for word in words.iter().flat_map(|words| words.split_whitespace()) {
        assert!(text.split(cells).any(|found| found == word), "{width}: {word} is not whole in\n{text}");
    }
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_main_table_leaves_out_whole_columns() {
    let results = results(MANY);
    let mut shown = Vec::new();
    for width in WIDTHS {
        let text = table_of(&results, width);
        let titles: Vec<&str> = results.runs.iter().map(|run| run.strategy.title.as_str()).collect();
        check(&text, width, &titles);
        // The metrics of the answer come first, so they are always there.
        let reads = Metric::named("last_reads_per_1k").unwrap();
        let reads: Vec<String> =
            results.runs.iter().map(|run| write_median(reads, reads.sample(run).as_ref())).collect();
        check(&text, width, &reads.iter().map(String::as_str).collect::<Vec<_>>());
        check(&text, width, &["leaves", "read/1k"]);
        let hidden = |name: &str| flat(&text).contains(Metric::named(name).unwrap().title);
        for (name, head) in [("bytes_per_row", "used"), ("fill_p10", "p10"), ("last_rows_per_sec", "rows/s")]
        {
            assert_ne!(text.contains(head), hidden(name), "{width} {name}: {text}");
        }
        shown.push(text.lines().next().unwrap().matches('\u{252c}').count());
    }
    assert_eq!(shown[0], 7, "all columns at 120");
    assert!(shown[0] > shown[2] && shown[2] > shown[3], "{shown:?}");
    assert!(!table_of(&results, 120).contains("Left out") && table_of(&results, 60).contains("Left out"));
}

#[test]
fn other_tables_fit_too() {
    let mut published = results(4);
    let setting = "a long description of the published run, its rows and its minutes".into();
    let of_run = super::timed::published("v4-base64", "bytes_per_row", 241.0, None);
    published.published.push(Published { setting, ..of_run });
    let mut other = published.clone();
    other.engine.setup = "a long sentence of how it was set up, ".repeat(5);
    other.runs[0].settings.insert("innodb_change_buffering_of_a_long_name".into(), "all".into());
    other.engine.version = "10.11.18-MariaDB-0+deb12u1".into();
    other.runs[2].totals.last_reads_per_1k = 7_654_321.0;
    let compared = compare(("one", &published), ("two", &other)).unwrap();
    for width in WIDTHS {
        check(&published_of(&published, width).unwrap(), width, &["241.0", "120.5", "base64"]);
        check(&table_of(&loads(), width), width, &["seconds", "rows/s", "4.0", "cache"]);
        let text = comparison_of(&compared, width);
        check(&text, WIDTH.max(width), &["7,700,000 diff. read/1k base64"]);
        for long in ["10.11.18-MariaDB-0+deb12u1", "innodb_change_buffering_of_a_long_name"] {
            assert!(text.contains(long), "{width}: {text}");
        }
        assert!(!text.contains("Left out"), "{width}: {text}");
    }
    let strategies = results(MANY);
    let lines =
        strategies.runs.iter().map(|run| (run.strategy.name.as_str(), run.strategy.explains.as_str()));
    let text = list(["name", "what it is"], lines);
    assert!(text.lines().all(|line| line.chars().count() <= usize::from(WIDTH)), "{text}");
    assert!(strategies.runs.iter().all(|run| text.contains(&run.strategy.name)), "{text}");
    assert_eq!(table_of(&timed(vec![]), 60), "");
}
