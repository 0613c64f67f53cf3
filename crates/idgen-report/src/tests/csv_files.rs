//! The files that spreadsheets read.

use super::*;

#[test]
fn csv_has_a_line_per_run() {
    let text = csv(&results(3)).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("engine,engine_version,strategy,title,rows,"));
    assert!(
        lines.next().unwrap().starts_with("Base<1>,1.2,auto-increment,auto-increment,4000,0.004,1000000.0,")
    );
    assert!(lines.next().unwrap().contains("v4-text36,\"v4, text 36\",4000"));
    assert_eq!(lines.count(), 1);
}

#[test]
fn csv_has_a_line_per_window() {
    let mut results = results(2);
    results.runs[1].windows[1].latency =
        Some(Latency { p50_micros: 1, p95_micros: 2, p99_micros: 3, max_micros: 4 });
    let text = crate::formats::csv::windows(&results).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("strategy,rows_end,rows,secs,rows_per_sec,reads_per_1k,"));
    assert_eq!(lines.next().unwrap(), "auto-increment,2000,2000,0.002,1000000.0,0.0,,0.0,,,,,,,,0.5,,,,,1");
    assert_eq!(lines.nth(1).unwrap(), "v4-text36,2000,2000,0.004,500000.0,1.0,,10.0,,,,,,,,0.5,,,,,1");
    assert_eq!(lines.next().unwrap(), "v4-text36,4000,2000,0.004,500000.0,1.0,,10.0,,,,,,,,0.5,1,2,3,4,1");
    assert_eq!(lines.next(), None);
}

#[test]
fn csv_has_a_line_for_each_run_and_tables_have_the_spread() {
    let run = results(1).runs.remove(0);
    let runs = [(7, 30.0), (8, 50.0), (9, 41.0)].map(|(seed, reads)| {
        let totals = Totals { reads_per_1k: reads, last_reads_per_1k: reads, ..run.totals };
        (seed, Run { totals, ..run.clone() })
    });
    let results = Results { runs: vec![Run::of_repeats(runs.into()).unwrap()], ..results(0) };
    assert_eq!(results.runs[0].totals.reads_per_1k, 41.0);
    let text = csv(&results).unwrap();
    assert_eq!(text.lines().count(), 4);
    assert!(text.lines().nth(2).unwrap().ends_with(",2,8"), "{text}");
    assert_eq!(crate::formats::csv::windows(&results).unwrap().lines().count(), 1 + 3 * 2);
    assert!(markdown(&results).unwrap().contains("| 41 (30\u{2013}50) |"));
    let shown = table_of(&results, WIDTH);
    assert!(shown.contains("41 ") && shown.contains("Medians of 3 runs"), "{shown}");
    assert_eq!(read(&json(&results).unwrap()).unwrap(), results);
}

#[test]
fn csv_has_the_histogram_and_the_ages_of_files() {
    let text = csv(&with_files(1)).unwrap();
    let (head, line) = text.split_once('\n').unwrap();
    assert!(head.ends_with(",recent_leaves,age_p10,age_median,age_p90,fill_histogram,run,seed"), "{head}");
    assert!(
        line.trim_end().ends_with(",0.25,0.1,0.5,0.875,0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0,1,2026"),
        "{line}"
    );
    // An engine whose files are not read still shows how full the pages are.
    let text = csv(&results(1)).unwrap();
    assert!(text.trim_end().contains(",,,,,0;0;") && text.trim_end().ends_with(";0;0,1,2026"), "{text}");
}
