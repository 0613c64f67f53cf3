//! Tests what reports show of the end of a run, and of records that do not contain it.

use super::super::{answer, json, read, table};
use super::{html, markdown, results};
use crate::figures::grids::{facts, figures, of_the_end, whole};
use idgen_record::{Protocol, Results, Run, Totals, Window};

/// Three strategies that read nothing at first, and ten, twenty and so on at the end.
fn growing() -> Results {
    let mut results = results(3);
    for (number, run) in results.runs.iter_mut().enumerate() {
        let end = 100.0 * number as f64;
        let window = |place: u64, reads_per_1k| Window {
            rows_end: place * 400,
            rows: 400,
            reads_per_1k,
            writes_per_1k: 2.0 * reads_per_1k,
            ..run.windows[0]
        };
        run.windows = (1..=10).map(|place| window(place, if place == 10 { end } else { 0.0 })).collect();
        run.totals = Totals {
            reads_per_1k: end / 10.0,
            writes_per_1k: end / 5.0,
            last_reads_per_1k: end,
            last_writes_per_1k: 2.0 * end,
            flushed_per_1k: Some(33.3),
            ..run.totals
        };
    }
    results
}

#[test]
fn tables_and_charts_show_the_end_and_say_so() {
    let results = growing();
    let text = table(&results);
    assert!(text.contains("200.0") || text.contains(" 200 "), "{text}");
    assert!(text.contains("at end") && text.contains("in the last tenth of the inserts"), "{text}");
    let grid = figures(&results).unwrap();
    let of = |head: &str| {
        let place = grid.head.iter().position(|found| *found == head).unwrap();
        grid.rows.iter().map(|(_, cells)| cells[place - 1].as_str()).collect::<Vec<_>>()
    };
    assert_eq!(of("pages read per 1k, at the end"), ["0.0", "100", "200"]);
    assert_eq!(of("pages written after the last insert per 1k"), ["33"; 3]);
    let means = whole(&results).unwrap();
    assert_eq!(means.head[2], "pages read per 1k, whole run");
    assert_eq!(means.rows[2].1[1], "20.0");
    let page = html(&results).unwrap();
    assert!(
        page.contains("<title>Pages read per 1,000 inserts, at the end: the last tenth of the inserts"),
        "{page}"
    );
    assert!(page.contains("v4, base64 22: 200") && page.contains("Means over the whole run"), "{page}");
    assert!(
        markdown(&results).unwrap().contains("| 0.0 | 0.0 |")
            && answer(&results).unwrap().to_string().contains("200")
    );
}

/// The course of a run is drawn from its windows, on one scale for all.
#[test]
fn the_course_of_reads_and_writes_is_drawn() {
    let page = html(&growing()).unwrap();
    assert!(
        page.contains("<title>v4, base64 22: pages read and written per 1,000 inserts over the run</title>")
    );
    let words =
        "From 0.0 pages read and 0.0 written per 1,000 inserts at the start to 200 and 400 at 4,000 rows.";
    assert!(page.contains(words), "{page}");
    // The axis of the writes of all three ends at 400, which is also written beside a bar.
    assert_eq!(page.matches(">\n400\n</text>").count(), 4, "{page}");
}

#[test]
fn a_record_without_the_figures_of_the_end_is_refused() {
    for field in ["last_reads_per_1k", "last_writes_per_1k"] {
        let mut value: serde_json::Value = serde_json::from_str(&json(&growing()).unwrap()).unwrap();
        value["runs"][2]["totals"].as_object_mut().unwrap().remove(field).unwrap();
        let error = read(&value.to_string()).unwrap_err();
        let why = std::error::Error::source(&error).unwrap().to_string();
        assert!(why.contains(field), "{error}: {why}");
    }
}

/// An axis for them would have no end.
#[test]
fn figures_that_no_run_can_have_are_refused() {
    let mut damaged = growing();
    damaged.runs[1].windows[3].reads_per_1k = 1e300;
    let mut total = growing();
    total.runs[2].totals.bytes_per_row = -1e18;
    for (results, name) in
        [(damaged, "reads_per_1k of v4-text36 is 1e300"), (total, "bytes_per_row of v4-base64")]
    {
        let error = read(&json(&results).unwrap()).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("damaged"), "{error}");
    }
}

/// A server given by URL reports what it has allocated, which is not the number of pages in use.
#[test]
fn allocated_bytes_are_not_called_pages_in_use() {
    let mut given = growing();
    for run in &mut given.runs {
        run.trees.clear();
        run.totals = Totals { bytes_per_row: f64::NAN, allocated_bytes_per_row: Some(120.5), ..run.totals };
    }
    let heads = figures(&given).unwrap().head;
    assert!(heads.iter().any(|head| head == "bytes per row, allocated by the server"), "{heads:?}");
    assert!(heads.iter().all(|head| head != "bytes per row, pages in use"), "{heads:?}");
    let compared = crate::compare(("own", &growing()), ("given", &given)).unwrap();
    let named = |name: &str| compared.strategies[0].figures.iter().any(|figure| figure.name.contains(name));
    assert!(named("fill_mean") && !named("bytes_per_row"), "unequal quantities have no ratio");
    let again = crate::compare(("given", &given), ("given", &given)).unwrap();
    assert!(again.strategies[0].figures.iter().any(|figure| figure.name == "allocated_bytes_per_row"));
}

/// Eight rounds of three strategies, whose reads grow with each place in the round by `by_place`.
fn in_rounds(by_place: f64) -> Results {
    let mut made = results(3);
    let orders = [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]].repeat(2);
    let name = |number: usize| made.runs[number].strategy.name.clone();
    let order = orders.iter().flatten().map(|number| name(*number)).collect();
    let protocol = Protocol { repeats: 8, order_seed: 1, order, isolation: "a new file".into() };
    for (number, run) in made.runs.iter_mut().enumerate() {
        let repeats = orders.iter().enumerate().map(|(round, order)| {
            let place = order.iter().position(|found| *found == number).unwrap();
            // Without an effect of the place, reads depend on the number of the round alone.
            let reads = 1_000.0 * number as f64 + by_place * place as f64 + 0.5 * ((round * 7) % 4) as f64;
            let totals = Totals { last_reads_per_1k: reads, ..run.totals };
            (round as u64, Run { totals, ..run.clone() })
        });
        *run = Run::of_repeats(repeats.collect()).unwrap();
    }
    Results { protocol: Some(protocol), ..made }
}

#[test]
fn the_order_of_runs_is_tested() {
    let said = |results: &Results| {
        let facts = facts(results);
        facts.into_iter().find(|(name, _)| *name == "Order of the runs").map(|(_, said)| said)
    };
    let effect = said(&in_rounds(10.0)).unwrap();
    assert!(effect.contains("8 runs in the first half of their round and 8 in the second half"), "{effect}");
    assert!(effect.contains("pages read per 1k, at the end: an effect (p = 0.0015)"), "{effect}");
    assert!(effect.contains("pages written per 1k, at the end: no effect shows (p = 1.00)"), "{effect}");
    let none = said(&in_rounds(0.0)).unwrap();
    assert!(none.contains("pages read per 1k, at the end: no effect shows"), "{none}");
    assert_eq!(said(&results(3)), None, "a record without the order does not tell");
    // In two rounds of three, only one strategy has a run in each half.
    let mut few = in_rounds(10.0);
    few.protocol.as_mut().unwrap().order.truncate(6);
    for run in &mut few.runs {
        run.repeats.truncate(2);
    }
    let untested = said(&few).unwrap();
    assert!(
        untested.starts_with("not tested: 1 run in the first half of their round and 1 in the second"),
        "{untested}"
    );
    assert!(untested.contains("cannot give a p below 1.00"), "{untested}");
}

/// Three runs of a strategy with these pages written in each fifth of the inserts, and a little more in each run.
fn in_fifths(writes: [f64; 5]) -> Results {
    let mut made = results(1);
    let run = made.runs.remove(0);
    let repeats = (0..3_u64).map(|number| {
        let windows = (0..50).map(|place| {
            // Pages are written in bursts, one in each tenth; every second one is twice as large.
            let burst = if place % 5 == 4 { if place % 10 == 9 { 7.5 } else { 2.5 } } else { 0.0 };
            let writes_per_1k = burst * writes[place / 10] + number as f64;
            Window { rows_end: 40 * (place as u64 + 1), rows: 40, writes_per_1k, ..run.windows[0] }
        });
        (number, Run { windows: windows.collect(), ..run.clone() })
    });
    made.runs.push(Run::of_repeats(repeats.collect()).unwrap());
    made
}

/// The last tenth of a steady load has three times the pages of the tenth before, because a burst falls into it. A load whose
/// pages grow by a tenth in each fifth has fewer in its last tenth than in others, but is not steady.
#[test]
fn bursts_of_writes_are_not_taken_for_growth() {
    let steady = of_the_end(&in_fifths([100.0; 5]));
    assert!(!steady.contains("not yet steady"), "{steady}");
    let growing = of_the_end(&in_fifths([100.0, 110.0, 121.0, 133.0, 146.0]));
    assert!(growing.contains("not yet steady for \u{201c}auto-increment\u{201d}"), "{growing}");
    let falling = of_the_end(&in_fifths([146.0, 133.0, 121.0, 110.0, 100.0]));
    assert!(!falling.contains("not yet steady"), "{falling}");
}

/// A run that waits for the time of each row inserts fewer rows in a second than its figure says.
#[test]
fn a_paced_run_says_what_its_rows_per_second_are() {
    let mut paced = growing();
    assert!(!of_the_end(&paced).contains("--paced") && !table(&paced).contains("--paced"));
    paced.workload.paced = true;
    assert!(of_the_end(&paced).contains("statements alone") && table(&paced).contains("--paced"));
}
