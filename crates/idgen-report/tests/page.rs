//! The report and the comparison as people get them: loaded in headless Chromium at the width of a desk
//! and of a phone, in light and dark, and printed.
#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

#[path = "page/site.rs"]
mod site;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use idgen_record::{
    EngineInfo, FileMaps, Latency, Load, Machine, Published, Results, Role, Run, StrategyRecord, Tolerance,
    Totals, TreeFigures, Workload,
};
use idgen_report as report;
use serde::Deserialize;

/// The measurements of the page that `look.html` made.
#[derive(Debug, Deserialize)]
struct Found {
    width: u32,
    ground: String,
    charts: usize,
    tables: usize,
    wrong: Vec<String>,
}

fn html(results: &Results) -> report::Result<String> {
    report::report(results)?.html()
}

/// A recorded run of a server, with what makes its labels longer.
fn results() -> Results {
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results/2026-11-21/mysql/uuid-order");
    let mut results = report::open(recorded.as_ref()).unwrap();
    results.published.clear();
    // A machine faster than any, and a disk slower: the longest labels that a chart can need.
    results.runs[0].windows[0].rows_per_sec = 12_345_678.9;
    for (number, run) in results.runs.iter_mut().enumerate() {
        let latency = Latency { p50_micros: 80, p95_micros: 95, p99_micros: 1_234, max_micros: 1_234_567 };
        run.latency = Some(latency);
        for (window, number) in run.windows.iter_mut().zip(1..) {
            window.latency = Some(Latency { p99_micros: 10_u64.pow(number.min(8)), ..latency });
        }
        let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        run.settings.extend([
            set("innodb_flush_log_at_trx_commit_and_more", "2"),
            set(
                "table",
                "CREATE TABLE `rows_1` (`id` bigint unsigned NOT NULL) COLLATE=utf8mb4_0900_ai_ci_and_more",
            ),
        ]);
        run.totals.splits_per_1k = Some(3.21);
        run.totals.redo_bytes_per_row = Some(123.0);
        run.trees[0].file = Some(FileMaps {
            pages: 900 + number as u64,
            pages_per_cell: 1,
            fill: format!("---^{}", "9550^31.7".repeat(99)),
            recency: format!("---^{}", "0123^56.9".repeat(99)),
            log_bytes: 1 << 20,
            recent_leaves: 0.25,
            median_age: 0.4,
            p10_age: Some(0.1),
            p90_age: Some(0.9),
        });
        results.published.push(Published {
            strategy: run.strategy.name.clone(),
            setting: "a long description of the published run, its rows and its minutes".into(),
            rows: None,
            writers: 1,
            figures: BTreeMap::from([("last_reads_per_1k".into(), 171.0), ("bytes_per_row".into(), 57.0)]),
            tolerances: BTreeMap::from([("bytes_per_row".into(), Tolerance { share: 0.1, least: 0.0 })]),
        });
    }
    results
}

/// Loads of three tables by up to 64 clients, two sizes of statements, with published figures beside some.
fn loads() -> Results {
    let names = ["without", "with AUTO_INCREMENT, and a name", "<i>, a third"];
    let (mut runs, mut published) = (Vec::new(), Vec::new());
    for statement_rows in [1, 100] {
        for clients in [1, 4, 16, 32, 64] {
            for (number, name) in names.into_iter().enumerate() {
                let secs = f64::from(clients) * (0.2 + 0.05 * number as f64);
                let load = Load { clients, statement_rows };
                let mut run = statement(name, secs);
                run.strategy.name = load.name_of(name);
                run.totals.rows = 500 * u64::from(clients);
                run.totals.rows_per_sec = 500.0 * f64::from(clients).sqrt() / (1.0 + number as f64);
                run.counts = BTreeMap::from([("Innodb_row_lock_waits".into(), 0.5)]);
                if number == 1 {
                    published.push(of_run(&run, "times_first", 1.0 + f64::from(clients) / 64.0));
                }
                runs.push(Run { load: Some(load), ..run });
            }
        }
    }
    Results { published, ..of_runs(runs) }
}

fn statements() -> Results {
    let runs = vec![
        statement("integers", 0.31),
        statement("36 characters, differ late", 2.6),
        statement("36 characters, differ early", 0.002),
    ];
    let published = vec![of_run(&runs[0], "secs", 0.96), of_run(&runs[1], "secs", 27.67)];
    Results { published, ..of_runs(runs) }
}

fn files() -> Results {
    let with_file = |name: &str, bytes: u64, fill_mean| {
        let mut run = statement(name, 1.5);
        run.totals = Totals {
            rows: 10_000,
            fill_mean,
            fill_p10: 0.5,
            bytes_per_row: bytes as f64 / 10_000.0,
            allocated_bytes_per_row: Some(bytes as f64 / 10_000.0),
            key_bytes_per_row: Some(36.0),
            ..run.totals
        };
        let index = TreeFigures::index("PRIMARY", Role::Rows, 10_000, [99, 1], bytes);
        run.trees.push(TreeFigures { fill_mean, fill_p10: 0.5, ..index });
        run
    };
    let runs = vec![
        with_file("inserted at random", 2_000_000, 0.68),
        with_file("rebuilt, fill factor 100", 1_000_000, 0.93),
    ];
    let published = vec![of_run(&runs[0], "key_share", 0.7), of_run(&runs[1], "fill_mean", 0.9375)];
    Results { published, ..of_runs(runs) }
}

fn statement(name: &str, secs: f64) -> Run {
    let explains = "SELECT BENCHMARK(100000000, 1 = 2)".into();
    let strategy = StrategyRecord { name: name.into(), title: name.into(), explains, key: None };
    Run::of(strategy, Totals::of(0, secs))
}

fn of_run(run: &Run, name: &str, value: f64) -> Published {
    Published::of(&run.strategy.name, [(name, Some(value), None)]).unwrap()
}

fn of_runs(runs: Vec<Run>) -> Results {
    let engine = EngineInfo {
        name: "MySQL".into(),
        version: "9.7.4".into(),
        setup: "InnoDB in a container".into(),
        missing: Vec::new(),
    };
    let workload = Workload::of_rows(1_000).unwrap();
    let machine = Machine {
        system: "Linux, x86_64".into(),
        processor: "a processor".into(),
        processors: 2,
        memory_bytes: 8 << 30,
    };
    let started = "2026-11-21T10:00:00Z".into();
    let question = "Does it limit concurrent inserts?";
    let empty = Results::new(question, "idgen lab run it", engine, workload, machine, started);
    Results { runs, notes: "What we make of it, in a sentence.".into(), ..empty }
}

/// Chromium with these arguments, and what it writes to standard output.
fn chromium(profile: &Path, arguments: &[String]) -> String {
    const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let named = std::env::var("IDGEN_CHROMIUM").ok();
    for name in named.as_deref().map_or(&NAMES[..], |_| &[]).iter().copied().chain(named.as_deref()) {
        let done = Command::new(name)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"])
            .args(["--disable-background-networking", "--allow-file-access-from-files"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("--enable-logging=stderr")
            .args(arguments)
            .output();
        if let Ok(done) = done {
            assert!(done.status.success(), "{name} {arguments:?}: {}", done.status);
            let said = String::from_utf8_lossy(&done.stderr);
            let errors: Vec<_> = said.lines().filter(|line| line.contains(":CONSOLE")).collect();
            assert!(errors.is_empty(), "the console of the browser has {errors:#?}");
            return String::from_utf8(done.stdout).unwrap();
        }
    }
    panic!(
        "no Chromium to look at the report with: run scripts/setup.sh, or install it (on Debian: apt-get install \
         chromium), or name one in IDGEN_CHROMIUM"
    );
}

/// Returns the text that a page wrote into its element `found`.
fn pre(dom: &str) -> String {
    let (_, rest) = dom.split_once("<pre id=\"found\">").unwrap();
    let (found, _) = rest.split_once("</pre>").unwrap();
    found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Loads a page in a frame of this width and checks what a reader needs.
fn look(profile: &Path, directory: &Path, page: &str, width: u32, dark: bool) -> Found {
    let url = format!("file://{}/look.html?page={page}&width={width}", directory.display());
    let scheme = format!("--blink-settings=preferredColorScheme={}", if dark { 0 } else { 1 });
    let size = "--window-size=1400,1000".to_owned();
    let dom =
        chromium(profile, &[scheme, size, "--virtual-time-budget=5000".into(), "--dump-dom".into(), url]);
    let found = pre(&dom);
    serde_json::from_str(&found).unwrap_or_else(|error| panic!("{page} at {width}: {error}: {found}"))
}

#[test]
fn pages_can_be_read_on_desk_and_phone_in_light_and_dark_and_printed() {
    let (home, profile) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let directory = home.path();
    let results = results();
    report::save(&results, directory).unwrap();
    let mut other = results.clone();
    other.machine.processor = "another processor".into();
    let compared = report::compare(("one", &results), ("two", &other)).unwrap();
    fs::write(directory.join("compare.html"), report::comparison_page(&compared).unwrap().html().unwrap())
        .unwrap();
    fs::write(directory.join("look.html"), include_str!("page/look.html")).unwrap();

    for (page, results) in [("loads", loads()), ("statements", statements()), ("files", files())] {
        let page = directory.join(page).with_extension("html");
        fs::write(page, html(&results).unwrap()).unwrap();
    }
    let mut partly = results.clone();
    partly
        .engine
        .missing
        .push("No leaf pages: the files are out of reach; --engine mysql shows them.".into());
    for run in &mut partly.runs {
        run.totals.distinct_leaves_per_1k = f64::NAN;
        run.trees.clear();
    }
    fs::write(directory.join("partly.html"), html(&partly).unwrap()).unwrap();

    for (page, charts, tables) in [
        ("report.html", 6 + 3 * 6, 6),
        ("compare.html", 7, 21),
        // Rates and times for each of two sizes.
        ("loads.html", 2 * 2, 3),
        ("statements.html", 1, 2),
        ("files.html", 3, 4),
        ("partly.html", 5 + 2 * 6, 5),
    ] {
        for (width, dark) in [(1_280, false), (390, true)] {
            let found = look(profile.path(), directory, page, width, dark);
            assert_eq!(found.wrong, Vec::<String>::new(), "{page} at {width}");
            assert_eq!((found.width, found.charts, found.tables), (width, charts, tables), "{page}");
            assert_eq!(found.ground, if dark { "rgb(16, 20, 24)" } else { "rgb(255, 255, 255)" });
        }
    }

    let paper = directory.join("report.pdf");
    let url = format!("file://{}/report.html", directory.display());
    chromium(
        profile.path(),
        &[format!("--print-to-pdf={}", paper.display()), "--no-pdf-header-footer".into(), url],
    );
    let printed = fs::read(&paper).unwrap();
    let pages = printed.windows(11).filter(|part| part == b"/Type /Page").count();
    assert!(printed.starts_with(b"%PDF") && (2..16).contains(&pages), "{pages} pages");
}
