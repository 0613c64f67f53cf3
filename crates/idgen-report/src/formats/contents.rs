//! What a report contains: the page and Markdown render the same contents.

use askama::Template;

use crate::charts::drawings::Drawings;
use crate::figures::answer::{answer, problems};
use crate::figures::asked::checked;
use crate::figures::finding::Answer;
use crate::figures::grid::Grid;
use crate::figures::grids::{facts, published, settings};
use crate::figures::load::by_clients;
use crate::figures::numbers::count;
use crate::figures::published::{met, uncompared};
use crate::formats::sections::{Section, sections};
use idgen_record::Results;

/// All parts of a report of a record.
#[derive(Template)]
#[template(path = "report.html")]
pub struct Contents<'a> {
    pub results: &'a Results,
    pub rows: String,
    pub answer: Option<Answer>,
    /// Why there is no answer.
    pub unanswered: &'static str,
    pub clients: String,
    pub checked: &'static str,
    pub problems: Vec<String>,
    pub published: Option<Grid>,
    pub uncompared: Option<&'static str>,
    pub met: Option<String>,
    pub sections: Vec<Section<'a>>,
    /// What the strategies are, or the statements.
    pub explained: Vec<(&'a str, &'a str)>,
    pub facts: Vec<(&'static str, String)>,
    pub settings: Vec<(&'a str, &'a str)>,
    pub tables: Vec<(&'a str, &'a str)>,
}

impl<'a> Contents<'a> {
    /// The parts of the report of these results, with charts that are drawn already.
    pub fn of(results: &'a Results, drawings: &'a Drawings) -> Self {
        Contents {
            results,
            rows: count(results.workload.rows),
            answer: answer(results),
            unanswered: match results.has_any() {
                false => "No run was finished, so there are no measurements.",
                true => "A single run cannot be compared.",
            },
            clients: by_clients(&results.workload),
            checked: checked(results),
            problems: problems(results),
            published: published(results),
            uncompared: uncompared(results),
            met: met(results),
            sections: sections(results, drawings),
            explained: explained(results),
            facts: facts(results),
            settings: settings(results).collect(),
            tables: results
                .runs
                .iter()
                .filter_map(|run| Some((run.strategy.title.as_str(), run.settings.get("table")?.as_str())))
                .collect(),
        }
    }
}

/// Each title with what explains it; a case that was measured with several sizes once for each text.
fn explained(results: &Results) -> Vec<(&str, &str)> {
    let mut lines = Vec::new();
    for run in &results.runs {
        let line = (run.strategy.title.as_str(), run.strategy.explains.as_str());
        if !line.1.is_empty() && !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}
