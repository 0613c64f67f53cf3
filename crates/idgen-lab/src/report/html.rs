//! `report.html`: the question, the answer, the charts, the table, the settings; no script, no network.

use askama::Template;

use super::answer::answer;
use super::cases::{CaseTable, case_statements, case_tables};
use super::charts::{Bar, Scale, bars, course};
use super::numbers::{bytes, grouped, percent, rate};
use super::published::{Comparison, comparisons};
use crate::measure::{Results, RunRecord};
use crate::{Error, Result, Workload};

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    results: &'a Results,
    rows: String,
    answer: String,
    leaves_chart: String,
    reads_chart: String,
    writes_chart: String,
    fill_chart: String,
    size_chart: String,
    courses: Vec<Course<'a>>,
    lines: Vec<Line<'a>>,
    comparisons: Vec<Comparison>,
    cases: Vec<CaseTable>,
    statements: Vec<(&'a str, &'a str)>,
    latencies: Vec<ServerLine<'a>>,
    facts: Vec<(&'static str, String)>,
    settings: Vec<(&'a str, &'a str)>,
    tables: Vec<(&'a str, &'a str)>,
}

struct Course<'a> {
    title: &'a str,
    family: &'static str,
    chart: String,
}

struct Line<'a> {
    title: &'a str,
    explains: &'a str,
    cells: [String; 8],
}

/// What only servers tell.
struct ServerLine<'a> {
    title: &'a str,
    cells: [String; 6],
}

/// The page as one HTML file with everything in it.
///
/// # Errors
/// Where a chart cannot be drawn.
pub fn html(results: &Results) -> Result<String> {
    let chart = |title: &str, scale, value: fn(&RunRecord) -> f64, written: fn(f64) -> String| {
        let rows: Vec<_> =
            results.runs.iter().map(|run| bar(run, value(run), written(value(run)), None)).collect();
        bars(title, &spoken(&rows), &rows, scale)
    };
    let fill: Vec<_> = results
        .runs
        .iter()
        .map(|run| {
            let totals = &run.totals;
            bar(run, totals.fill_mean * 100.0, percent(totals.fill_mean), Some(totals.fill_p10 * 100.0))
        })
        .collect();
    let page = Page {
        results,
        rows: grouped(results.workload.rows as f64),
        answer: answer(results).unwrap_or_else(|| match results.cases.as_slice() {
            [] => "One run alone compares nothing.".into(),
            _ => results.analysis.clone(),
        }),
        leaves_chart: chart(
            "Different leaf pages per 1,000 inserts",
            Scale::Log,
            |run| run.totals.distinct_leaves_per_1k,
            rate,
        )?,
        reads_chart: chart("Pages read per 1,000 inserts", Scale::Log, |run| run.totals.reads_per_1k, rate)?,
        writes_chart: chart(
            "Pages written per 1,000 inserts",
            Scale::Log,
            |run| run.totals.writes_per_1k,
            rate,
        )?,
        fill_chart: bars("Fill of the leaf pages in percent", &spoken(&fill), &fill, Scale::UpTo(100.0))?,
        size_chart: chart(
            "Bytes per row",
            Scale::Linear,
            |run| run.totals.bytes_per_row,
            |value| format!("{value:.0}"),
        )?,
        courses: results
            .runs
            .iter()
            .map(|run| {
                Ok(Course {
                    title: &run.strategy.title,
                    family: run.strategy.family.title(),
                    chart: course(results, run)?,
                })
            })
            .collect::<Result<_>>()?,
        lines: results.runs.iter().map(line).collect(),
        comparisons: comparisons(results),
        cases: case_tables(results),
        statements: case_statements(results),
        latencies: results.runs.iter().filter_map(server_line).collect(),
        facts: facts(results),
        settings: results
            .runs
            .first()
            .map(|run| run.settings.iter().filter(|(name, _)| *name != "table"))
            .into_iter()
            .flatten()
            .chain(&results.settings)
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect(),
        tables: results
            .runs
            .iter()
            .filter_map(|run| Some((run.strategy.title.as_str(), run.settings.get("table")?.as_str())))
            .collect(),
    };
    page.render().map_err(|error| Error::output("cannot write the report", error))
}

fn bar(run: &RunRecord, value: f64, written: String, mark: Option<f64>) -> Bar {
    Bar { label: run.strategy.title.clone(), family: run.strategy.family, value, written, mark }
}

/// The chart in words.
fn spoken(rows: &[Bar]) -> String {
    rows.iter().map(|row| format!("{}: {}", row.label, row.written)).collect::<Vec<_>>().join("; ")
}

fn line(run: &RunRecord) -> Line<'_> {
    let totals = &run.totals;
    Line {
        title: &run.strategy.title,
        explains: &run.strategy.explains,
        cells: [
            grouped(totals.rows_per_sec),
            grouped(totals.last_rows_per_sec),
            rate(totals.reads_per_1k),
            rate(totals.writes_per_1k),
            rate(totals.distinct_leaves_per_1k),
            percent(totals.fill_mean),
            percent(totals.fill_p10),
            format!("{:.1}", totals.bytes_per_row),
        ],
    }
}

fn server_line(run: &RunRecord) -> Option<ServerLine<'_>> {
    let latency = run.latency?;
    let micros = |count: u64| grouped(count as f64);
    Some(ServerLine {
        title: &run.strategy.title,
        cells: [
            micros(latency.p50_micros),
            micros(latency.p95_micros),
            micros(latency.p99_micros),
            micros(latency.max_micros),
            run.totals.splits_per_1k.map(|splits| format!("{splits:.2}")).unwrap_or_default(),
            run.totals.redo_bytes_per_row.map(grouped).unwrap_or_default(),
        ],
    })
}

fn facts(results: &Results) -> Vec<(&'static str, String)> {
    let machine = &results.machine;
    let mut facts = vec![(
        "Database",
        format!("{} {}: {}", results.engine.name, results.engine.version, results.engine.setup),
    )];
    if results.cases.is_empty() {
        facts.extend(load_facts(&results.workload));
    }
    facts.extend([
        (
            "Machine",
            format!(
                "{}, {} x {}, {} of memory",
                machine.system,
                machine.processors,
                machine.processor,
                bytes(machine.memory_bytes)
            ),
        ),
        ("Began", results.started.clone()),
        ("idgen", results.idgen_version.clone()),
    ]);
    facts
}

fn load_facts(load: &Workload) -> Vec<(&'static str, String)> {
    vec![
        (
            "Rows",
            format!(
                "{} per strategy, each with {} random bytes beside its key; {} per transaction",
                grouped(load.rows as f64),
                load.payload_bytes,
                grouped(f64::from(load.commit_rows))
            ),
        ),
        (
            "Cache",
            format!(
                "1/{} of the expected table of {}, the same for every strategy",
                load.cache_divisor,
                bytes(load.expected_bytes())
            ),
        ),
        (
            "Simulated time",
            format!(
                "the ids of a run span {0} minutes, for the week prefix {0} weeks, so that each prefix holds {1} rows",
                load.intervals,
                grouped(load.rows as f64 / f64::from(load.intervals))
            ),
        ),
        ("Devices", format!("{} for the device ids, in random turns", grouped(f64::from(load.devices)))),
        ("Seed", format!("{}: the same seed gives the same keys", load.seed)),
    ]
}
