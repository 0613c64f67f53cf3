//! The report of a record as a page.

use super::blocks::{Block, Page, Span};
use crate::charts::{Course, drawings};
use crate::error::Result;
use crate::figures::answer::{answer, problems};
use crate::figures::asked::checked;
use crate::figures::grid::Grid;
use crate::figures::grids::{
    clients, counts, facts, figures, files, has_end_figures, latencies, of_the_end, operations, published,
    settings, whole,
};
use crate::figures::load::by_clients;
use crate::figures::numbers::count;
use crate::figures::published::{met, uncompared};
use crate::figures::verdict::in_lsm;
use crate::figures::{staying, timed};
use idgen_record::Results;

/// The report of these results: the question, the answer, the charts, the tables, the settings.
///
/// # Errors
/// A chart cannot be drawn, or a map of pages in the record is damaged.
pub fn report(results: &Results) -> Result<Page> {
    let mut body = beside_published(results);
    let mut shown = sections(results)?;
    if let Some(Block::Text(_, guide)) = shown.get_mut(1).filter(|_| !results.engine.missing.is_empty()) {
        guide.extend([
            " Some figures are missing: ".into(),
            Span::Link("#missing".into(), "which ones, and what would show them".into()),
            ".".into(),
        ]);
    }
    body.extend(shown);
    if results.has_any() && !results.notes.is_empty() {
        body.extend([Block::heading("notes", "Notes"), Block::text(results.notes.as_str())]);
    }
    body.extend(explained(results));
    body.push(Block::heading("settings", "Settings"));
    body.push(set(results));
    body.extend(tables(results));
    body.extend([Block::heading("again", "Run it again"), Block::Code(results.command.clone())]);
    let skip = match results.times_statements() {
        _ if results.runs.is_empty() => "settings",
        true => "times",
        false => "table",
    };
    Ok(Page {
        title: format!("{} {}, {}", results.question, results.engine.name, results.started),
        heading: results.question.clone(),
        skip: skip.into(),
        head: head(results),
        body,
    })
}

/// The published figures beside the measured ones; nothing where none were published.
pub(crate) fn beside_published(results: &Results) -> Vec<Block> {
    let Some(grid) = published(results) else { return Vec::new() };
    let mut blocks = vec![
        Block::heading("published", "Published, and measured here"),
        Block::text(uncompared(results).unwrap_or(CARRIES_OVER)),
    ];
    blocks.extend(met(results).map(Block::text));
    blocks.push(Block::Table(grid));
    blocks
}

/// Returns the answer, what ran, and problems: what a reader has to know first.
pub(crate) fn head(results: &Results) -> Vec<Block> {
    let unanswered = match results.has_any() {
        false => "No run was finished, so there are no measurements.",
        true => "A single run cannot be compared.",
    };
    let answer = answer(results).map_or_else(|| Block::Quote(vec![Block::text(unanswered)]), Block::answer);
    let engine = format!("{} {}", results.engine.name, results.engine.version);
    let ran = if !results.has_any() {
        format!("Run on {engine}.")
    } else if results.times_statements() {
        format!("Run on {engine}; a time is the median of its runs, and what each run left was checked.")
    } else {
        let strategies = match results.runs.len() {
            1 => "One key strategy".to_owned(),
            several => format!("{several} key strategies"),
        };
        format!(
            "{strategies} with {} rows each, on {engine}{}. Every run was checked afterwards: {}.",
            count(results.workload.rows),
            by_clients(&results.workload),
            checked(results)
        )
    };
    let mut blocks = vec![answer, Block::soft(ran)];
    let interrupted = "The runs were interrupted: the report shows the finished ones.";
    blocks.extend(results.interrupted.then(|| Block::problem(interrupted)));
    blocks.extend(problems(results).into_iter().map(Block::problem));
    blocks
}

const CARRIES_OVER: &str = "The difference is that of the figure here to the published one. Counts carry over to another \
                            machine; they depend on the rows in the table and on the cache, which are below.";

/// Each strategy or statement with what explains it; a case that was measured with several sizes once for each text.
pub(crate) fn explained(results: &Results) -> Vec<Block> {
    let mut lines: Vec<(&str, Span)> = Vec::new();
    for run in results.runs.iter().filter(|run| !run.strategy.explains.is_empty()) {
        let text = run.strategy.explains.clone();
        let text = if results.times_statements() { Span::Code(text) } else { Span::Text(text) };
        let line = (run.strategy.title.as_str(), text);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let heading = if results.times_statements() { "The statements" } else { "The strategies" };
    match lines.is_empty() {
        true => Vec::new(),
        false => vec![Block::heading("strategies", heading), Block::words(lines)],
    }
}

/// Lists where and how it ran, and the settings of the server.
pub(crate) fn set(results: &Results) -> Block {
    let facts = facts(results).into_iter().map(|(name, value)| (name.into(), value.into()));
    let settings =
        settings(results).map(|(name, value)| (Span::Code(name.to_owned()), Span::Code(value.to_owned())));
    Block::words(facts.chain(settings).collect::<Vec<(Span, Span)>>())
}

/// The statements that made the tables.
pub(crate) fn tables(results: &Results) -> Option<Block> {
    let of_run =
        results.runs.iter().filter_map(|run| Some((&run.strategy.title, run.settings.get("table")?)));
    let rows: Vec<_> = of_run.map(|(title, sql)| (title.as_str(), Span::Code(sql.clone()))).collect();
    (!rows.is_empty()).then(|| Block::folded("The tables", vec![Block::words(rows)]))
}

/// A heading and what is below it; nothing without a chart or a table.
fn section(id: &'static str, heading: &str, below: impl IntoIterator<Item = Option<Block>>) -> Vec<Block> {
    let below: Vec<Block> = below.into_iter().flatten().collect();
    match below.iter().any(Block::shows) {
        true => std::iter::once(Block::heading(id, heading)).chain(below).collect(),
        false => Vec::new(),
    }
}

fn table(id: &'static str, heading: &str, grid: Option<Grid>) -> Vec<Block> {
    section(id, heading, [grid.map(Block::Table)])
}

/// The sections that have a chart or a table.
fn sections(results: &Results) -> Result<Vec<Block>> {
    if results.runs.is_empty() {
        return Ok(Vec::new());
    }
    if results.times_statements() {
        let charts = section("charts", "In pictures", [Block::charts(drawings::timed(results)?)]);
        return Ok(charts.into_iter().chain(all_figures(results)).collect());
    }
    let words = Headings::of(results);
    let text = |text: String| Some(Block::text(text));
    let [touched, space] = drawings::of_metrics(results)?;
    let (pages_per_square, maps) = drawings::maps(results)?;
    let files = files(results);
    let log = files.is_some() || !maps.is_empty();
    let kinds = kinds(results).into_iter().map(Some);
    let latency = [text(TIMES.to_owned()), Block::charts(drawings::latencies(results)?)];
    let payload =
        format!("{} bytes of each row are the payload beside the key.", results.workload.payload_bytes);
    let all = [
        section("pages", words.pages, [text(of_pages(results)), Block::charts(touched)]),
        section("operations", "Latency of each kind of operation", latency.into_iter().chain(kinds)),
        section(
            "io",
            words.courses,
            [text(of_courses(results)), Block::charts(drawings::courses(results, Course::Pages)?)],
        ),
        section(
            "files",
            "The pages of the tables",
            [
                text(of_maps(pages_per_square)),
                Block::charts(maps),
                log.then(|| Block::soft(LOG)),
                files.map(Block::Table),
            ],
        ),
        section(
            "space",
            words.space,
            [Block::charts(space), Some(Block::soft(payload)), staying::grid(results).map(Block::Table)],
        ),
        section(
            "throughput",
            "Throughput and latency over the run",
            [text(of_speed(results)), Block::charts(drawings::courses(results, Course::Throughput)?)],
        ),
    ];
    Ok(all.into_iter().flatten().chain(all_figures(results)).collect())
}

/// A table for each kind of operation, with its heading.
fn kinds(results: &Results) -> Vec<Block> {
    let kinds = operations(results).into_iter().flat_map(|(kind, grid)| {
        [Block::Heading(3, grid.id.clone(), format!("Milliseconds, {kind}")), Block::Table(grid)]
    });
    kinds.collect()
}

/// All tables of figures, without the charts and their explanations.
pub(crate) fn all_tables(results: &Results) -> Vec<Block> {
    let mut blocks = kinds(results);
    blocks.extend(table("files", "The pages of the tables", files(results)));
    blocks.extend(table("space", Headings::of(results).space, staying::grid(results)));
    blocks.extend(all_figures(results));
    blocks
}

/// The tables below all charts.
fn all_figures(results: &Results) -> Vec<Block> {
    if results.times_statements() {
        let tables = timed::tables(results).into_iter();
        let blocks = tables.flat_map(|(heading, lead, grid)| {
            [Block::heading(grid.id.clone(), heading), Block::text(lead), Block::Table(grid)]
        });
        return blocks.collect();
    }
    let end = if has_end_figures(results) { "The figures at the end of the runs" } else { "The figures" };
    let missing = results.engine.missing.iter();
    let missing = missing.enumerate().flat_map(|(at, line)| {
        let heading = || Block::Heading(3, "missing".into(), "Missing figures".into());
        [(at == 0).then(heading), Some(Block::text(line.as_str()))]
    });
    let end_figures = [Some(Block::text(of_the_end(results))), figures(results).map(Block::Table)];
    [
        section("table", end, end_figures.into_iter().chain(missing)),
        table("whole", "Means over the whole run", whole(results)),
        table("latency", "Latency of a statement", latencies(results)),
        table("clients", "From making an id to its insert", clients(results)),
        table("counts", "What the server counted", counts(results)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The headings of sections that are about pages in a B-tree, and about files in an LSM tree.
struct Headings {
    pages: &'static str,
    courses: &'static str,
    space: &'static str,
}

impl Headings {
    fn of(results: &Results) -> Headings {
        match in_lsm(results) {
            true => Headings {
                pages: "Blocks read",
                courses: "Blocks read over the run",
                space: "Bytes written, and size",
            },
            false => Headings {
                pages: "Pages changed, read and written",
                courses: "Pages read and written over the run",
                space: "Fill and size",
            },
        }
    }
}

fn of_pages(results: &Results) -> String {
    if in_lsm(results) {
        return "An LSM tree changes no page: it writes new files, and compactions merge files. An insert reads only to find out \
                whether its key is there already. It asks the filter of each file whose range of keys contains the key, and reads \
                a block where the filter does not exclude it. A page is such a block here. The costs of a key are mostly \
                further below: the bytes that compactions write again."
            .into();
    }
    format!(
        "A database reads, changes and writes whole pages. The fewer pages a stretch of inserts goes to, the less memory it \
         needs and the less it reads and writes. The leaf pages do not depend on the speed of the machine{}.",
        if results.engine.is_embedded() { ", nor do the other counts" } else { "" }
    )
}

const TIMES: &str = "In milliseconds, as the client saw them. They depend on the machine and on its other work; compare them \
                     within one report only.";

fn of_courses(results: &Results) -> String {
    let runs =
        "; the thin ones of the same color are the single runs, and the strong one is the run in the middle";
    let counted = if in_lsm(results) { "Blocks read" } else { "Pages read and written" };
    format!(
        "{counted} per 1,000 inserts, over the rows in the table. The scales are linear and the same in all \
         charts. The faint curves are the other strategies{}. A table that still fits the cache reads nothing: what holds for \
         a large table is the right end.",
        if results.has_repeats() { runs } else { "" }
    )
}

fn of_maps(pages_per_square: usize) -> String {
    let square = match pages_per_square {
        1 => "a page".to_owned(),
        several => format!("{several} pages"),
    };
    format!(
        "Each square is {square} of the table's file, in the order of the file. Orange squares are above the leaves, gray ones \
         belong to no index, squares without color are free; free pages at the end are left out."
    )
}

const LOG: &str = "The log sequence number of a page shows when it was changed: the log that was written from the first page \
                   of the file to the last is the measure of time.";

fn of_speed(results: &Results) -> String {
    let runs = "; the thin ones of the same color are the single runs";
    format!(
        "The upper charts show rows inserted per second. The lower ones show, if statements were timed, the 99th percentile in \
         milliseconds. Both scales are logarithmic, over the rows in the table. The faint curves are the other strategies{}. \
         Seconds depend on the machine and on its other work; compare them within one report only.",
        if results.has_repeats() { runs } else { "" }
    )
}
