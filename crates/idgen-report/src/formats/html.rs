//! `report.html`: the question, the answer, the charts, the tables, the settings; no network, and a script that sorts tables.

use askama::Template;

use crate::charts::drawings::Drawings;
use crate::error::{Error, Result};
use crate::figures::answer::{answer, problems};
use crate::figures::asked::checked;
use crate::figures::case_table::CaseTable;
use crate::figures::cases::{case_statements, case_tables};
use crate::figures::finding::Answer;
use crate::figures::grid::Grid;
use crate::figures::grids::{facts, published, settings};
use crate::figures::load::by_clients;
use crate::figures::numbers::count;
use crate::figures::published::{met, uncompared};
use crate::formats::sections::{Section, sections};
use idgen_record::Results;

/// The hash of `page.js`. It is the only script that a browser runs in the page, so text from a record never runs.
pub(crate) const SCRIPT_HASH: &str = "sha256-LvTmP7rtVStllCCqqA7Lg02zNGd+RRBUKNudOUgGEtw=";

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    results: &'a Results,
    rows: String,
    answer: Option<Answer>,
    /// Why there is no answer.
    unanswered: &'static str,
    clients: String,
    checked: &'static str,
    problems: Vec<String>,
    drawings: &'a Drawings,
    published: Option<Grid>,
    uncompared: Option<&'static str>,
    met: Option<String>,
    sections: Vec<Section<'a>>,
    cases: Vec<CaseTable>,
    statements: Vec<(&'a str, &'a str)>,
    facts: Vec<(&'static str, String)>,
    settings: Vec<(&'a str, &'a str)>,
    tables: Vec<(&'a str, &'a str)>,
}

/// The page as one self-contained HTML file.
///
/// # Errors
/// Where a chart cannot be drawn.
pub fn html(results: &Results) -> Result<String> {
    page(results, &Drawings::of(results)?)
}

/// The same with given charts.
pub fn page(results: &Results, drawings: &Drawings) -> Result<String> {
    let page = Page {
        results,
        rows: count(results.workload.rows),
        answer: answer(results),
        unanswered: match (results.has_any(), results.cases.as_slice()) {
            (false, _) => "No run was finished, so there are no measurements.",
            (true, []) => "A single run cannot be compared.",
            (true, _) => "A single case cannot be compared.",
        },
        clients: by_clients(&results.workload),
        checked: checked(results),
        problems: problems(results),
        drawings,
        published: published(results),
        uncompared: uncompared(results),
        met: met(results),
        sections: sections(results, drawings),
        cases: case_tables(results),
        statements: case_statements(results),
        facts: facts(results),
        settings: settings(results).collect(),
        tables: results
            .runs
            .iter()
            .filter_map(|run| Some((run.strategy.title.as_str(), run.settings.get("table")?.as_str())))
            .collect(),
    };
    page.render().map_err(|error| Error::caused("cannot write the report", error))
}
