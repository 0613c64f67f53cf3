//! The sections of a report, in their order: the page and Markdown render the same list.

use std::borrow::Cow;

use crate::charts::drawings::{Drawing, Drawings};
use crate::figures::grid::Grid;
use crate::figures::grids::{
    clients, counts, figures, files, has_end_figures, latencies, of_the_end, operations, whole,
};
use crate::figures::{staying, timed};
use idgen_record::Results;

/// A heading, and what is below it.
pub struct Section<'a> {
    /// Of its heading in a page.
    pub id: Cow<'static, str>,
    pub heading: &'static str,
    /// What a page adds to the heading.
    pub qualifier: &'static str,
    /// How to read what follows, for a page.
    pub guide: String,
    /// What is said of the figures.
    pub lead: String,
    pub charts: &'a [Drawing],
    /// What a page says between charts and tables.
    pub note: String,
    /// Tables, with the kind of operation that a table is about.
    pub tables: Vec<(Option<&'static str>, Grid)>,
    /// Which figures are missing, and what would show them.
    pub missing: &'a [String],
}

/// The sections that have a chart or a table.
pub fn sections<'a>(results: &'a Results, drawings: &'a Drawings) -> Vec<Section<'a>> {
    let section = |id: &'static str, heading| Section {
        id: id.into(),
        heading,
        qualifier: "",
        guide: String::new(),
        lead: String::new(),
        charts: &[],
        note: String::new(),
        tables: Vec::new(),
        missing: &[],
    };
    let table = |id, heading, grid: Option<Grid>| Section {
        tables: grid.map(|grid| (None, grid)).into_iter().collect(),
        ..section(id, heading)
    };
    let charts = |id, heading, charts, guide| Section { charts, guide, ..section(id, heading) };
    if results.times_statements() {
        let tables = timed::tables(results).into_iter();
        let tables = tables.map(|(heading, lead, grid)| Section {
            id: grid.id.clone(),
            lead: lead.into(),
            ..table("", heading, Some(grid))
        });
        let pictures = charts("charts", "In pictures", &drawings.timed, String::new());
        return with_contents(std::iter::once(pictures).chain(tables));
    }
    let operations = operations(results).into_iter().map(|(kind, grid)| (Some(kind), grid)).collect();
    let all = [
        charts("pages", "Pages changed, read and written", &drawings.touched, of_pages(results)),
        Section {
            tables: operations,
            ..charts(
                "operations",
                "Latency of each kind of operation",
                &drawings.operations,
                TIMES.to_owned(),
            )
        },
        charts("io", "Pages read and written over the run", &drawings.page_courses, of_courses(results)),
        Section {
            charts: &drawings.maps,
            guide: of_maps(drawings),
            note: LOG.to_owned(),
            ..table("files", "The pages of the tables", files(results))
        },
        Section {
            charts: &drawings.space,
            note: format!(
                "{} bytes of each row are the payload beside the key.",
                results.workload.payload_bytes
            ),
            ..table("space", "Fill and size", staying::grid(results))
        },
        charts("throughput", "Throughput and latency over the run", &drawings.courses, of_speed(results)),
        Section {
            qualifier: if has_end_figures(results) { " at the end of the runs" } else { "" },
            lead: of_the_end(results),
            missing: &results.engine.missing,
            ..table("table", "The figures", figures(results))
        },
        table("whole", "Means over the whole run", whole(results)),
        table("latency", "Latency of a statement", latencies(results)),
        table("clients", "From making an id to its insert", clients(results)),
        table("counts", "What the server counted", counts(results)),
    ];
    with_contents(all.into_iter())
}

fn with_contents<'a>(sections: impl Iterator<Item = Section<'a>>) -> Vec<Section<'a>> {
    sections.filter(|section| !section.charts.is_empty() || !section.tables.is_empty()).collect()
}

fn of_pages(results: &Results) -> String {
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
    format!(
        "Pages read and written per 1,000 inserts, over the rows in the table. The scales are linear and the same in all \
         charts. The faint curves are the other strategies{}. A table that still fits the cache reads nothing: what holds for \
         a large table is the right end.",
        if results.has_repeats() { runs } else { "" }
    )
}

fn of_maps(drawings: &Drawings) -> String {
    let square = match drawings.pages_per_square {
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
