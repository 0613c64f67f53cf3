mod csv_files;
mod end;
mod loads;
mod narrow;
mod page;
mod problems;
mod published;
pub(crate) mod timed;
mod writes;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;
use crate::formats::terminal::table_of;
use idgen_record::{
    Column, EngineInfo, Failure, Family, FileMaps, IdKind, Key, Latency, Machine, Published, Results, Role,
    Run, StrategyRecord, Tolerance, Totals, TreeFigures, Window, Workload,
};

/// The most strategies that tests put into a report.
pub(super) const MANY: usize = 40;

pub(super) fn html(results: &Results) -> Result<String> {
    report(results)?.html()
}

pub(super) fn markdown(results: &Results) -> Result<String> {
    Ok(report(results)?.markdown())
}

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
        key: Some(Key {
            ids: IdKind::V4,
            column: Column::Binary16,
            family: families[number % families.len()],
        }),
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
        let totals = Totals {
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
            ..Totals::of(4_000, 4_000.0 / rate)
        };
        let tree = TreeFigures {
            name: None,
            fill_mean: 0.9,
            fill_p10: 0.8,
            fill_histogram: vec![0; 20],
            distinct_leaves_per_1k: 8.0,
            ..TreeFigures::index("", Role::Rows, 4_000, [30, 1], 31 * 16_384)
        };
        results.runs.push(Run {
            settings: BTreeMap::from([
                ("page_size".into(), "16384".into()),
                ("table".into(), "CREATE".into()),
            ]),
            windows: vec![window(2_000), window(4_000)],
            trees: vec![tree],
            ..Run::of(strategy(number), totals)
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

/// A float that was read must be written with the same digits, or drawing a report again changes the record.
#[test]
fn a_record_is_written_again_as_it_was() {
    let recorded =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results/2026-11-23/mysql/mixed/results.json.gz");
    let text = crate::formats::records::text_of(recorded.as_ref()).unwrap();
    assert!(text.contains("1493.2333333333333"));
    assert!(json(&read(&text).unwrap()).unwrap() == text);
}

/// Tests the first sentence with one run of each key: figures that are less far apart than two runs of one
/// load may be are no reason to take a key. The findings below the sentence say that no difference shows.
#[test]
fn the_first_sentence_names_no_difference_that_does_not_show() {
    let with = |pages: f64| {
        let mut results = results(2);
        for (run, pages) in results.runs.iter_mut().zip([1_000.0, pages]) {
            run.totals = Totals { last_reads_per_1k: pages, last_writes_per_1k: pages, ..run.totals };
        }
        answer(&results).unwrap().to_string()
    };
    let (near, far) = (with(1_500.0), with(9_000.0));
    let take = "Take \u{201c}auto-increment\u{201d}";
    assert!(near.starts_with(&format!("{take}: no key that clients make is clearly cheaper")), "{near}");
    assert!(far.starts_with(&format!("{take}, because it reads and writes 2,000 pages")), "{far}");
}

/// Tests keys of which one seems to have less work, which may be chance, and clearly more space: the space decides, and
/// the work is no reason.
#[test]
fn the_first_sentence_gives_no_reason_that_may_be_chance() {
    let with = |[own_pages, pages]: [f64; 2], [own_bytes, bytes]: [f64; 2]| {
        let mut results = results(2);
        for (run, (pages, bytes)) in results.runs.iter_mut().zip([(own_pages, own_bytes), (pages, bytes)]) {
            run.totals = Totals {
                last_reads_per_1k: 0.0,
                last_writes_per_1k: pages,
                bytes_per_row: bytes,
                ..run.totals
            };
        }
        answer(&results).unwrap().to_string()
    };
    let text = with([860.0, 460.0], [8_210.0, 15_604.0]);
    let take = "Take \u{201c}auto-increment\u{201d}, because it takes 8,210 bytes per row, and";
    assert!(text.starts_with(take) && !text.contains("because it reads"), "{text}");
    // A difference that shows is named, also if it speaks against the key.
    let text = with([460.0, 9_000.0], [120.0, 112.0]);
    assert!(
        text.starts_with("Take \u{201c}auto-increment\u{201d}, because it reads and writes 460"),
        "{text}"
    );
    let first = text.split('.').next().unwrap();
    assert!(first.contains("although it takes 120 bytes per row"), "{text}");
}

#[test]
fn the_answer_compares_the_extremes() {
    assert_eq!(answer(&results(1)), None);
    let text = answer(&results(3)).unwrap().to_string();
    let compared = "\u{201c}v4, base64 22\u{201d} compared with \u{201c}auto-increment\u{201d}: leaf pages per 1k: 28.9 against 8.0, a factor of 3.6;";
    // The first sentence answers the title.
    assert!(text.starts_with("Take \u{201c}auto-increment\u{201d}") && text.contains(compared), "{text}");
    assert!(text.contains("pages read per 1k, at the end: 2.0 against 0.0, no difference shows"), "{text}");
    assert!(
        text.contains("rows per second, at the end: 250,000 against 1,000,000, a factor of 4.0"),
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
    let text = answer(&results).unwrap().to_string();
    assert!(text.contains("pages read per 1k, at the end: 2.0 against 0.0, no difference shows"), "{text}");
    for text in [json(&results).unwrap(), csv(&results).unwrap(), html(&results).unwrap()] {
        assert!(!text.contains("NaN"), "{text}");
    }
    for text in [json(&results).unwrap(), html(&results).unwrap(), markdown(&results).unwrap()] {
        assert!(text.contains("out of reach; --engine mysql shows them."), "{text}");
    }
    // The terminal shows no notes, because it showed them before the run.
    let shown = table(&results);
    assert!(shown.contains("Some figures are missing") && !shown.contains("out of reach"), "{shown}");
    // A chart of nothing would look like a chart of zeros.
    let page = html(&results).unwrap();
    assert!(page.contains("href=\"#missing\"") && page.contains("<title>Pages read per"), "{page}");
    for absent in ["<title>Different leaf pages", "<title>Fill of"] {
        assert!(!page.contains(absent), "{absent}");
    }
    let again = read(&json(&results).unwrap()).unwrap();
    assert!(again.runs.iter().all(|run| run.totals.fill_mean.is_nan()));
}

/// Adds the files of its tables, as a server gives them.
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
fn the_markdown_has_the_tables_and_links_each_chart() {
    let mut results = with_files(2);
    let published = timed::published("auto-increment", "bytes_per_row", 241.0, None);
    results.published.push(Published { setting: "an older machine".into(), ..published });
    results.failures.push(Failure { strategy: "v9".into(), error: "<b>|".into() });
    let text = markdown(&results).unwrap();
    for wanted in [
        "# Which key?",
        "| strategy | leaf pages per 1k | pages read per 1k, at the end |",
        "| auto-increment | bytes per row, pages in use | 241.0 | 120.5 | -50 % | an older machine |",
        "(charts/leaves.svg)",
        "**Different leaf pages per 1,000 inserts**",
        "(charts/pages-v4-text36.svg)",
        "(charts/course-auto-increment.svg)",
        "(charts/io-auto-increment.svg)",
        "## Means over the whole run",
        "&lt;b&gt;\\|",
        "| `page_size` | `16384` |",
        "    idgen lab run --rows 4000",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in:\n{text}");
    }
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
