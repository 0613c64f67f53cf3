//! Published figures beside the measured ones.

use super::*;

/// Tests that each report says whether a published figure with a tolerance was met.
#[test]
fn published_figures_with_a_tolerance_are_met_or_missed() {
    let mut results = results(1);
    let figures = [("bytes_per_row", Some(110.0), None), ("fill_mean", Some(0.5), None)];
    let published = Published::of("auto-increment", figures).unwrap();
    results.published.push(Published { setting: "elsewhere".into(), ..published });
    let shown = |results: &Results| {
        [crate::published(results).unwrap(), markdown(results).unwrap(), html(results).unwrap()]
    };
    assert_eq!(met(&results), None);
    assert!(shown(&results).iter().all(|text| !text.contains("verdict") && !text.contains("missed")));

    let tolerance = |share| Tolerance { share, least: 0.0 };
    results.published[0].tolerances =
        BTreeMap::from([("bytes_per_row".into(), tolerance(0.1)), ("fill_mean".into(), tolerance(0.1))]);
    assert_eq!(met(&results).unwrap(), "1 of 2 published figures are met within their tolerance.");
    for text in shown(&results) {
        assert!(text.contains("verdict") && text.contains("met") && text.contains("missed"), "{text}");
    }
    assert!(html(&results).unwrap().contains("<p>1 of 2 published"));
    assert_eq!(read(&json(&results).unwrap()).unwrap(), results);
}

#[test]
fn the_end_of_a_longer_run_is_where_the_published_one_ended() {
    let mut results = results(1);
    results.runs[0].windows[0].reads_per_1k = 7.0;
    let reads = |rows| {
        let name = &results.runs[0].strategy.name;
        let published = Published { rows, ..timed::published(name, "last_reads_per_1k", 5.0, None) };
        let compared = comparisons(&Results { published: vec![published], ..results.clone() });
        (compared[0].measured.clone(), compared[0].difference.clone())
    };
    assert_eq!(reads(Some(1_500)), ("7.0".into(), "+40 %".into()));
    assert_eq!(reads(Some(2_001)), ("0.0".into(), "-100 %".into()));
    // A shorter run, or no such number: the end of the run.
    assert_eq!((reads(Some(7_000)), reads(None)), (reads(Some(2_001)), reads(Some(2_001))));
}

/// The run that is shown is the one in the middle by its pages, whose size need not be the median.
#[test]
fn the_median_of_the_runs_is_compared() {
    let run = results(1).runs.remove(0);
    let runs = [(10.0, 130.0), (20.0, 100.0), (30.0, 120.0)].map(|(reads, bytes)| {
        let mut run = run.clone();
        run.totals = Totals { last_reads_per_1k: reads, bytes_per_row: bytes, ..run.totals };
        run.windows[0].reads_per_1k = 10.0 * reads;
        (0, run)
    });
    let shown = Run::of_repeats(runs.into()).unwrap();
    assert_eq!(shown.totals.bytes_per_row, 100.0);
    let published =
        |name: &str, rows| Published { rows, ..timed::published(&shown.strategy.name, name, 60.0, None) };
    let published = vec![published("bytes_per_row", None), published("last_reads_per_1k", Some(2_000))];
    let compared = comparisons(&Results { published, runs: vec![shown], ..results(0) });
    assert_eq!((compared[0].measured.as_str(), compared[0].difference.as_str()), ("120", "+100 %"));
    assert_eq!(compared[1].measured, "200");
}

/// A small table, or another kind of database, shows the order of the strategies, and no percentages.
#[test]
fn a_run_that_is_not_comparable_has_no_difference() {
    let mut results = results(1);
    let published = timed::published("auto-increment", "bytes_per_row", 241.0, None);
    results.published.push(Published { setting: "elsewhere".into(), ..published });
    let compared = |engine: &str, rows| {
        let mut results = results.clone();
        results.engine.name = engine.into();
        results.published[0].rows = rows;
        let shown =
            [crate::published(&results).unwrap(), markdown(&results).unwrap(), html(&results).unwrap()];
        let flat = shown.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        let said = flat.iter().filter(|text| text.contains("no difference is given")).count();
        (comparisons(&results)[0].difference.clone(), said)
    };
    assert_eq!(compared("MySQL", Some(8_000)), ("-50 %".into(), 0));
    assert_eq!(compared("MariaDB", None), ("-50 %".into(), 0));
    assert_eq!(compared("MySQL", Some(8_001)), (String::new(), 3));
    assert_eq!(compared("SQLite", Some(4_000)), (String::new(), 3));
    assert_eq!(compared("PostgreSQL", None), (String::new(), 3));
}

/// A narrow screen shows the first columns: the figures, and not how they were published.
#[test]
fn the_figures_come_before_the_words() {
    let mut results = results(1);
    let setting = "a long description of the published run".into();
    let published = timed::published("auto-increment", "bytes_per_row", 110.0, None);
    results.published.push(Published { setting, ..published });
    let grid = crate::figures::grids::published(&results).unwrap();
    assert_eq!(grid.head, ["strategy", "figure", "published", "here", "difference", "published run"]);
    assert_eq!((grid.rows[0].1[4].as_str(), grid.texts), (results.published[0].setting.as_str(), vec![0, 4]));
    let page = html(&results).unwrap();
    assert_eq!(page.matches("<th scope=\"col\" class=\"text\">published run</th>").count(), 1);
    assert!(page.contains("<td class=\"text\">a long description") && page.contains("<td>110.0</td>"));
}
