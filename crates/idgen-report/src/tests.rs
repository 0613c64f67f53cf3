mod end;
mod loads;
mod narrow;
mod problems;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::terminal::table_of;
use super::*;
use idgen_record::{
    Column, EngineInfo, Failure, Family, FileMaps, IdKind, Latency, Machine, Published, Results, Role,
    RunRecord, StrategyRecord, Tolerance, Totals, TreeFigures, Window, Workload,
};

/// As many strategies as a report may show.
pub(super) const MANY: usize = 40;

/// Results without runs.
pub(super) fn begun(question: &str, command: &str, engine: EngineInfo, workload: Workload) -> Results {
    let machine = Machine {
        system: "Linux, x86_64".into(),
        processor: "a processor".into(),
        processors: 2,
        memory_bytes: 8 << 30,
    };
    Results::new(question, command, engine, workload, machine, "2026-11-21T10:00:00Z".into())
}

/// The first three are strategies of the lab; the others have titles and names as long as any.
fn strategy(number: usize) -> StrategyRecord {
    let (name, title) = match number {
        0 => ("auto-increment".into(), "auto-increment".into()),
        1 => ("v4-text36".into(), "v4, text 36".into()),
        2 => ("v4-base64".into(), "v4, base64 22".into()),
        _ => (format!("the-long-name-{number:02}"), format!("the widest title no {number:02}")),
    };
    let families = [Family::Integer, Family::Random, Family::Time, Family::Prefixed];
    StrategyRecord {
        name,
        title,
        explains: EXPLAINS.into(),
        ids: IdKind::V4,
        column: Column::Binary16,
        family: families[number % families.len()],
    }
}

/// A line as long as any that explains a strategy.
const EXPLAINS: &str = "a line of seventy-seven characters, as many as the longest of a strategy has.";

/// Records with figures that no machine made: each strategy half as fast as the one before.
pub(super) fn results(strategies: usize) -> Results {
    let engine = EngineInfo {
        name: "Base<1>".into(),
        version: "1.2".into(),
        setup: "as it is".into(),
        missing: Vec::new(),
    };
    let mut results =
        begun("Which key?", "idgen lab run --rows 4000", engine, Workload::of_rows(4_000).unwrap());
    for number in 0..strategies {
        let rate = 1_000_000.0 / f64::powi(2.0, number as i32);
        let window = |rows_end| Window {
            rows_end,
            rows: 2_000,
            secs: 2_000.0 / rate,
            rows_per_sec: rate,
            reads_per_1k: number as f64,
            writes_per_1k: 10.0 * number as f64,
            hit_rate: Some(0.5),
            ..Window::default()
        };
        results.runs.push(RunRecord {
            strategy: strategy(number),
            settings: BTreeMap::from([
                ("page_size".into(), "16384".into()),
                ("table".into(), "CREATE".into()),
            ]),
            windows: vec![window(2_000), window(4_000)],
            totals: Totals {
                rows: 4_000,
                secs: 4_000.0 / rate,
                rows_per_sec: rate,
                last_rows_per_sec: rate,
                reads_per_1k: number as f64,
                last_reads_per_1k: number as f64,
                writes_per_1k: 10.0 * number as f64,
                last_writes_per_1k: 10.0 * number as f64,
                hit_rate: Some(0.5),
                distinct_leaves_per_1k: 8.0 * f64::powi(1.9, number as i32),
                fill_mean: 0.9,
                fill_p10: 0.8,
                bytes_per_row: 120.5,
                ..Totals::default()
            },
            latency: None,
            operations: None,
            trees: vec![TreeFigures {
                role: Role::Rows,
                rows: 4_000,
                leaf_pages: 30,
                inner_pages: 1,
                bytes: 31 * 16_384,
                fill_mean: 0.9,
                fill_p10: 0.8,
                fill_histogram: vec![0; 20],
                distinct_leaves_per_1k: 8.0,
                fill_of_old_rows: None,
                fill_of_new_rows: None,
                file: None,
            }],
            repeats: Vec::new(),
        });
    }
    results
}

#[test]
fn json_reads_back_and_other_formats_are_refused() {
    let results = results(3);
    let text = json(&results).unwrap();
    assert_eq!(read(&text).unwrap(), results);
    let newer = text.replacen("\"format\": 1", "\"format\": 2", 1);
    assert!(read(&newer).unwrap_err().to_string().contains("format 2"));
    for broken in ["", "{}", "[1]", &text[..text.len() / 2]] {
        assert!(read(broken).is_err());
    }
}

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
    let text = csv::windows(&results).unwrap();
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
        (seed, RunRecord { totals, ..run.clone() })
    });
    let results = Results { runs: vec![RunRecord::of_repeats(runs.into()).unwrap()], ..results(0) };
    assert_eq!(results.runs[0].totals.reads_per_1k, 41.0);
    let text = csv(&results).unwrap();
    assert_eq!(text.lines().count(), 4);
    assert!(text.lines().nth(2).unwrap().ends_with(",2,8"), "{text}");
    assert_eq!(csv::windows(&results).unwrap().lines().count(), 1 + 3 * 2);
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
    // An engine whose files are not read still tells how full the pages are.
    let text = csv(&results(1)).unwrap();
    assert!(text.trim_end().contains(",,,,,0;0;") && text.trim_end().ends_with(";0;0,1,2026"), "{text}");
}

#[test]
fn the_answer_compares_the_extremes() {
    assert_eq!(answer(&results(1)), None);
    let text = answer(&results(3)).unwrap();
    let compared = "\u{201c}v4, base64 22\u{201d} compared with \u{201c}auto-increment\u{201d}: leaf pages per 1k 28.9 against 8.0, 3.61";
    assert!(text.starts_with(compared), "{text}");
    assert!(text.contains("pages read per 1k, at the end: no difference (2.0 against 0.0)"), "{text}");
    assert!(
        text.contains("rows per second, at the end 250,000 against 1,000,000, 4.00 times lower"),
        "{text}"
    );
    assert!(text.contains("One run of each: the spread is not known"), "{text}");
}

#[test]
fn what_a_server_does_not_tell_is_shown_as_absent() {
    let mut results = results(3);
    results.engine.missing.push("No leaf pages: out of reach; --engine mysql shows them.".into());
    for run in &mut results.runs {
        run.totals = Totals {
            distinct_leaves_per_1k: f64::NAN,
            fill_mean: f64::NAN,
            fill_p10: f64::NAN,
            ..run.totals
        };
        run.trees.clear();
    }
    assert!(!table(&results).contains("leaves") && !table(&results).contains("NaN"));
    let mut partly = results.clone();
    partly.runs[1].totals.fill_mean = 0.7;
    assert!(table(&partly).contains("70.0") && table(&partly).contains("\u{2013}"));
    let text = answer(&results).unwrap();
    assert!(text.contains("pages read per 1k, at the end: no difference (2.0 against 0.0)"), "{text}");
    for text in [json(&results).unwrap(), csv(&results).unwrap(), html(&results).unwrap()] {
        assert!(!text.contains("NaN"), "{text}");
    }
    for text in
        [table(&results), json(&results).unwrap(), html(&results).unwrap(), markdown(&results).unwrap()]
    {
        assert!(text.contains("out of reach; --engine mysql shows them."), "{text}");
    }
    // A chart of nothing would look like a chart of zeros.
    let page = html(&results).unwrap();
    assert!(page.contains("href=\"#missing\"") && page.contains("<title>Pages read per"), "{page}");
    for absent in ["<title>Different leaf pages", "<title>Fill of"] {
        assert!(!page.contains(absent), "{absent}");
    }
    let again = read(&json(&results).unwrap()).unwrap();
    assert!(again.runs.iter().all(|run| run.totals.fill_mean.is_nan()));
}

#[test]
fn the_page_stands_alone_and_escapes_what_it_shows() {
    let mut results = results(MANY);
    results.interrupted = true;
    results.failures.push(Failure { strategy: "v9".into(), error: "<script>".into() });
    let page = html(&results).unwrap();
    for (wanted, times) in [
        ("<svg", 6 + 2 * MANY),
        ("role=\"img\"", 6 + 2 * MANY),
        ("<title>", 1 + 6 + 2 * MANY),
        ("idgen lab run --rows 4000", 1),
        ("were interrupted", 1),
    ] {
        assert_eq!(page.matches(wanted).count(), times, "{wanted}");
    }
    // A browser runs the script with this hash and no other: a message is shown as it is.
    let (_, script) = page.split_once("<script>").unwrap();
    let (script, rest) = script.split_once("</script>").unwrap();
    let hash = base64::Engine::encode(
        &base64::engine::general_purpose::STANDARD,
        <sha2::Sha256 as sha2::Digest>::digest(script),
    );
    assert_eq!(super::html::SCRIPT_HASH, format!("sha256-{hash}"), "page.js was changed: this is its hash");
    assert!(page.contains(&format!("script-src '{}'", super::html::SCRIPT_HASH)));
    assert!(!rest.contains("<script") && page.matches("<script").count() == 1, "a message is shown as it is");
    // Names of XML's own are no requests.
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!without_names.contains(outside), "{outside}");
    }
}

#[test]
fn one_run_compares_nothing() {
    assert!(html(&results(1)).unwrap().contains("cannot be compared"));
}

/// As a server gives them: with the files of its tables.
fn with_files(strategies: usize) -> Results {
    let mut results = results(strategies);
    for run in &mut results.runs {
        run.trees[0].file = Some(FileMaps {
            pages: 40,
            pages_per_cell: 1,
            fill: "--^999900001111......".into(),
            recency: "--^012345678999......".into(),
            log_bytes: 1_000_000,
            recent_leaves: 0.25,
            median_age: 0.5,
            p10_age: Some(0.1),
            p90_age: Some(0.875),
        });
    }
    results
}

#[test]
fn maps_of_pages_are_drawn_where_there_are_files() {
    let results = with_files(3);
    let page = html(&results).unwrap();
    assert_eq!(page.matches("How full each page is").count(), 3);
    assert!(page.contains("25 % changed in the last tenth of the run"), "for those who do not see it");
    assert!(page.contains("Each square is a page of"));
    assert_eq!(read(&json(&results).unwrap()).unwrap(), results);

    let mut damaged = with_files(1);
    damaged.runs[0].trees[0].file.as_mut().unwrap().recency = "012?".into();
    let error = read(&json(&damaged).unwrap()).unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
}

/// A map's two indexes lie in one file: its pages are shown once, both indexes in words.
#[test]
fn a_file_of_two_trees_is_drawn_once() {
    let mut results = with_files(1);
    let rows = results.runs[0].trees[0].clone();
    for (role, leaf_pages) in [(Role::Pairs, 21), (Role::Map, 47)] {
        results.runs[0].trees.push(TreeFigures { role, leaf_pages, ..rows.clone() });
    }
    let page = html(&results).unwrap();
    assert_eq!(page.matches("How full each page is").count(), 2);
    assert_eq!(page.matches(": the map and its pairs: fill, and time of the last change").count(), 1);
    assert!(page.contains("; 21 leaves of its pairs: ") && page.contains("; 47 leaves of the map: "));
}

#[test]
fn the_markdown_has_the_tables_and_links_each_chart() {
    let mut results = with_files(2);
    results.published.push(Published {
        rows: None,
        writers: 1,
        strategy: "auto-increment".into(),
        setting: "an older machine".into(),
        figures: BTreeMap::from([("bytes_per_row".into(), 241.0)]),
        tolerances: BTreeMap::new(),
    });
    results.failures.push(Failure { strategy: "v9".into(), error: "<b>|".into() });
    let text = markdown(&results).unwrap();
    for wanted in [
        "# Which key?",
        "| strategy | leaf pages per 1k | pages read per 1k, at the end |",
        "| auto-increment | an older machine | bytes per row, pages in use | 241.0 | 120.5 | -50 % |",
        "(charts/leaves.svg)",
        "**Different leaf pages per 1,000 inserts**",
        "(charts/pages-v4-text36.svg)",
        "(charts/course-auto-increment.svg)",
        "(charts/io-auto-increment.svg)",
        "## Means over the whole run",
        "&lt;b&gt;\\|",
        "| page\\_size | 16384 |",
        "    idgen lab run --rows 4000",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in:\n{text}");
    }
}

/// With a tolerance, each report says whether a published figure was met.
#[test]
fn published_figures_with_a_tolerance_are_met_or_missed() {
    let mut results = results(1);
    let figures = BTreeMap::from([("bytes_per_row".into(), 110.0), ("fill_mean".into(), 0.5)]);
    results.published.push(Published {
        rows: None,
        writers: 1,
        strategy: "auto-increment".into(),
        setting: "elsewhere".into(),
        figures,
        tolerances: BTreeMap::new(),
    });
    let shown = |results: &Results| {
        [super::published(results).unwrap(), markdown(results).unwrap(), html(results).unwrap()]
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
fn saving_writes_whole_files_and_the_charts_of_this_run() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("new").join("deeper");
    let names = |place: &Path| {
        let entries = fs::read_dir(place).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    save(&results(3), &place).unwrap();
    let charts = place.join(CHARTS);
    fs::write(charts.join("mine.svg"), "<svg/>").unwrap();
    save(&with_files(2), &place).unwrap();
    let files = ["charts", "report.html", "report.md", "results.csv", "results.json", "windows.csv"];
    assert_eq!(names(&place), files);
    assert_eq!(
        names(&charts),
        [
            "course-auto-increment.svg",
            "course-v4-text36.svg",
            "fill.svg",
            "io-auto-increment.svg",
            "io-v4-text36.svg",
            "leaves.svg",
            "mine.svg",
            "pages-auto-increment.svg",
            "pages-v4-text36.svg",
            "reads.svg",
            "size.svg",
            "trade-off.svg",
            "writes.svg"
        ],
        "that of the third strategy is gone, a file that is not ours stays"
    );
    assert_eq!(read(&fs::read_to_string(place.join("results.json")).unwrap()).unwrap().runs.len(), 2);
    let chart = fs::read_to_string(charts.join("pages-v4-text36.svg")).unwrap();
    assert!(chart.contains("prefers-color-scheme:dark") && chart.contains(" width=\"256\""), "{chart}");

    save(&loads::loads(), &place).unwrap();
    assert_eq!(names(&place), files[..5], "loads have no windows");

    let error = save(&results(1), &place.join("results.csv")).unwrap_err();
    assert!(error.to_string().contains("results.csv"), "{error}");
}

#[test]
fn the_end_of_a_longer_run_is_where_the_published_one_ended() {
    let mut results = results(1);
    results.runs[0].windows[0].reads_per_1k = 7.0;
    let reads = |rows| {
        let figures = BTreeMap::from([("last_reads_per_1k".into(), 5.0)]);
        let name = results.runs[0].strategy.name.clone();
        let published = Published {
            strategy: name,
            setting: String::new(),
            rows,
            writers: 1,
            figures,
            tolerances: BTreeMap::new(),
        };
        let compared = comparisons(&Results { published: vec![published], ..results.clone() });
        (compared[0].measured.clone(), compared[0].difference.clone())
    };
    assert_eq!(reads(Some(1_500)), ("7.0".into(), "+40 %".into()));
    assert_eq!(reads(Some(2_001)), ("0.0".into(), "-100 %".into()));
    // A shorter run, or no such number: the end of the run.
    assert_eq!((reads(Some(9_000)), reads(None)), (reads(Some(2_001)), reads(Some(2_001))));
}
