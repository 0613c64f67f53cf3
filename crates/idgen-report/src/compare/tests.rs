use std::collections::BTreeMap;

use super::*;
use crate::open;
use crate::tests::timed::{load, timed};
use crate::tests::{MANY, results};
use crate::{WIDTH, json};
use idgen_record::{Latency, Results, Totals};

fn both(a: &Results, b: &Results) -> Compared {
    compare(("one", a), ("two", b)).unwrap()
}

#[test]
fn figures_stand_beside_each_other_with_their_ratio() {
    let (mut a, mut b) = (results(3), results(2));
    a.runs[1].totals.reads_per_1k = 400.0;
    b.runs[1].totals.reads_per_1k = 100.0;
    b.runs[0].totals.reads_per_1k = 7.0;
    b.started = a.started.clone();
    let compared = both(&a, &b);
    assert_eq!(compared.differences, []);
    let reads = |number: usize| {
        let figures = &compared.strategies[number].figures;
        figures.iter().find(|found| found.name == "reads_per_1k").unwrap()
    };
    assert_eq!((reads(1).a, reads(1).b, reads(1).ratio), (400.0, 100.0, Some(0.25)));
    assert_eq!((reads(0).a, reads(0).ratio), (0.0, None), "nothing is a multiple of zero");
    assert_eq!((compared.only_in_a.len(), compared.only_in_b.len()), (1, 0));

    let text = comparison(&compared);
    assert!(text.contains("0.25") && text.contains("Both have the same engine"), "{text}");
    assert!(text.contains(&format!("Only in A: {}.", a.runs[2].strategy.title)), "{text}");
    let page = comparison_page(&compared).unwrap().html().unwrap();
    assert!(page.contains("<svg") && page.contains("B divided by A"));
}

/// The figures by which published runs are compared, and the counts that only a server has.
#[test]
fn the_end_of_a_run_and_the_counts_of_servers_are_compared() {
    let mut a = results(2);
    set_server_figures(&mut a, 1.0);
    let mut b = results(2);
    set_server_figures(&mut b, 2.0);
    let compared = both(&a, &b);
    let text = comparison(&compared);
    let page = comparison_page(&compared).unwrap().html().unwrap();
    for (name, written, title) in [
        ("last_reads_per_1k", "610", "pages read per 1k, at the end"),
        ("last_writes_per_1k", "730", "pages written per 1k, at the end"),
        ("disk_reads_per_1k", "32", "waits for the disk"),
        ("created_per_1k", "17.2", "pages created"),
        ("redo_bytes_per_row", "455", "log bytes per row"),
        ("hit_rate", "41.25", "by the cache"),
        ("p50_micros", "1.23", "milliseconds a statement, median"),
        ("p99_micros", "99", "milliseconds a statement, 99th"),
    ] {
        let found = compared.strategies[1].figures.iter().find(|found| found.name == name).unwrap();
        assert_eq!(found.ratio, Some(2.0), "{name}");
        assert!(text.contains(written) && page.contains(written), "{name}: {text}");
        assert!(page.contains(title), "{title}");
    }
    // A figure that only one of them has gets no ratio.
    b.runs.iter_mut().for_each(|run| run.latency = None);
    assert!(!comparison(&both(&a, &b)).contains("p99"));
}

/// Sets the figures that only a server has to this multiple of sample values.
fn set_server_figures(results: &mut Results, times: f64) {
    for run in &mut results.runs {
        run.totals.last_reads_per_1k = 614.0 * times;
        run.totals.last_writes_per_1k = 732.0 * times;
        run.totals.disk_reads_per_1k = Some(31.5 * times);
        run.totals.created_per_1k = Some(17.2 * times);
        run.totals.redo_bytes_per_row = Some(455.0 * times);
        run.totals.hit_rate = Some(0.4125 * times);
        let micros = |one: u64| one * times as u64;
        run.latency = Some(Latency {
            p50_micros: micros(1_230),
            p95_micros: micros(9_870),
            p99_micros: micros(98_700),
            max_micros: micros(99_999),
        });
    }
}

#[test]
fn tables_fit_the_terminal_with_all_strategies() {
    let mut all = results(MANY);
    set_server_figures(&mut all, 100.0);
    let mut other = all.clone();
    other.workload.rows += 1;
    other.engine.setup = "a long sentence of how it was set up, ".repeat(5);
    for line in comparison(&both(&all, &other)).lines() {
        assert!(line.chars().count() <= usize::from(WIDTH), "{line}");
    }
}

#[test]
fn what_was_made_differently_is_said() {
    let mut a = results(2);
    let mut b = a.clone();
    // These two texts are the same value, as two servers write it.
    a.runs[0].settings.insert("flushing_lwm".into(), "70".into());
    b.runs[0].settings.insert("flushing_lwm".into(), "70.000000".into());
    b.engine.version = "1.3".into();
    b.workload.statement_rows = 77;
    b.machine.processor = "another <one>".into();
    b.runs[0].settings.insert("page_size".into(), "4096".into());
    b.runs[1].settings.insert("page_size".into(), "4096".into());
    b.runs[0].settings.insert("table".into(), "CREATE rows_9 AUTO_INCREMENT=5".into());
    b.interrupted = true;
    let compared = both(&a, &b);
    let found: Vec<_> =
        compared.differences.iter().map(|found| (found.area.title(), found.what.as_str())).collect();
    let title = a.runs[0].strategy.title.as_str();
    assert_eq!(
        found,
        [
            ("engine", "version"),
            ("workload", "statement rows"),
            ("machine", "processor"),
            ("setting", "page_size"),
            ("table", title)
        ]
    );
    assert_eq!(compared.cautions.len(), 5, "{:#?}", compared.cautions);
    assert!(comparison(&compared).contains("77"));
    assert!(comparison_page(&compared).unwrap().html().unwrap().contains("another &#60;one&#62;"));

    let mut same = a.clone();
    for (number, run) in same.runs.iter_mut().enumerate() {
        run.settings.insert("table".into(), format!("CREATE rows_{number} AUTO_INCREMENT=1{number}"));
    }
    let mut again = same.clone();
    again.runs[0].settings.insert("table".into(), "CREATE rows_12 AUTO_INCREMENT=7".into());
    assert_eq!(both(&same, &again).differences, [], "the number of a run is no difference");
}

#[test]
fn timed_statements_are_found_by_name_and_clients() {
    let counted = |name: &str, clients, secs| {
        let counts = BTreeMap::from([("row_lock_waits".into(), 0.5)]);
        Run { counts, ..load(name, &[secs], clients, 1) }
    };
    let a = timed(vec![counted("with", 1, 2.0), counted("with", 25, 5.0), counted("without", 1, 1.0)]);
    let b = timed(vec![counted("with", 25, 2.5), counted("with", 1, 3.0)]);
    let compared = both(&a, &b);
    let secs: Vec<_> = compared.strategies.iter().map(|pair| pair.figure("secs").unwrap().ratio).collect();
    assert_eq!(secs, [Some(1.5), Some(0.5)]);
    assert!(compared.strategies.iter().all(|pair| pair.figure("row_lock_waits").is_some()));
    assert_eq!(compared.only_in_a, ["without, 1 clients, 1 rows a statement"]);
    let text = comparison(&compared);
    assert!(
        text.contains(" 5.0 ")
            && text.contains("no diff.")
            && text.lines().all(|line| line.chars().count() <= usize::from(WIDTH)),
        "{text}"
    );
    let page = comparison_page(&compared).unwrap().html().unwrap();
    assert!(
        page.contains("<th scope=\"row\">with, 25 clients") && page.contains(">row lock waits</h2>"),
        "{page}"
    );
}

/// The rule of all conclusions: ranges apart, and medians further apart than the noise.
#[test]
fn figures_within_the_noise_do_not_differ() {
    let with = |reads: [f64; 3]| {
        let mut made = results(1);
        let run = made.runs.remove(0);
        let each = reads.into_iter().enumerate().map(|(number, reads)| {
            let totals = Totals { last_reads_per_1k: reads, ..run.totals };
            (number as u64, Run { totals, ..run.clone() })
        });
        made.runs.push(Run::of_repeats(each.collect()).unwrap());
        made
    };
    let shown = |a, b| {
        let compared = both(&with(a), &with(b));
        let reads = compared.strategies[0].figure("last_reads_per_1k").unwrap().clone();
        (reads, comparison(&compared), comparison_page(&compared).unwrap().html().unwrap())
    };
    let (reads, text, page) = shown([100.0, 110.0, 90.0], [200.0, 205.0, 210.0]);
    assert_eq!(
        (reads.a, reads.b, reads.ratio, reads.differs, reads.p),
        (100.0, 205.0, Some(2.05), true, Some(0.1))
    );
    assert!(text.contains("2.05") && text.contains("cannot give a p below 0.10"), "{text}");
    assert!(
        page.contains("<td>100 (90\u{2013}110)</td>") && page.contains("<td>2.05</td><td>0.10</td>"),
        "{page}"
    );
    // The medians are twice apart, and a run of A lies beyond one of B.
    let (reads, text, page) = shown([100.0, 240.0, 90.0], [200.0, 205.0, 210.0]);
    assert!(!reads.differs && reads.ratio == Some(2.05), "{reads:?}");
    assert!(text.contains("no diff.") && !text.contains("2.05"), "{text}");
    assert!(page.contains("<td>no difference</td>") && !page.contains("2.05"), "{page}");
    assert!(text.contains("1 of ") || text.contains("0 of "), "{text}");
    // Less than a server reads at rest.
    assert!(!shown([0.0; 3], [0.6; 3]).0.differs);
}

#[test]
fn records_without_anything_in_common_are_refused() {
    let (a, mut b) = (results(2), results(1));
    b.runs[0].strategy.name = "other".into();
    let error = compare(("one", &a), ("two", &b)).unwrap_err().to_string();
    assert!(error.contains("two has other") && error.contains("same strategies"), "{error}");
    let none = compare(("one", &a), ("two", &results(0))).unwrap_err().to_string();
    assert!(none.contains("no finished run"), "{none}");
}

#[test]
fn what_cannot_be_read_says_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let below = directory.path().join("uuid-order");
    std::fs::create_dir(&below).unwrap();
    let file = below.join("results.json");
    let good = json(&results(2)).unwrap();
    std::fs::write(&file, &good).unwrap();
    assert_eq!(open(&file).unwrap(), open(&below).unwrap());

    let told = |path: &std::path::Path| {
        let error = open(path).unwrap_err();
        let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        format!("{error}: {cause}")
    };
    assert!(told(directory.path()).contains("such as"), "{}", told(directory.path()));
    assert!(told(&directory.path().join("no")).contains("name a results.json"));
    for (content, says) in [
        (good[..good.len() / 2].to_owned(), "not a results.json"),
        (good.replacen("\"format\": 1", "\"format\": 9", 1), "format 9"),
        ("PK\u{1}".into(), "not a results.json"),
    ] {
        std::fs::write(&file, content).unwrap();
        assert!(told(&file).contains(says) && told(&file).contains("uuid-order"), "{}", told(&file));
    }
}
