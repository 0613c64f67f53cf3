//! The survey as a page that one can send to somebody.

use idgen_migrate::survey::{Change, Finding, Level, Order, Prediction, Survey};
use idgen_record::{Family, thousands};
use idgen_report::{BarChart, Document, DocumentFinding, DocumentPart, DocumentRows};

/// Tables with a chart.
const MOST_CHARTS: usize = 6;

/// The page.
pub fn of(survey: &Survey) -> anyhow::Result<String> {
    let mut parts = Vec::new();
    if !survey.findings.is_empty() {
        parts.push(DocumentPart::Heading("Dangers and warnings".to_owned()));
        parts.extend(survey.findings.iter().map(finding));
    }
    for (at, section) in survey.sections().into_iter().enumerate() {
        parts.push(DocumentPart::Heading(section.heading.clone()));
        parts.extend(section.notes.into_iter().map(DocumentPart::Text));
        if at == 0 && !survey.predictions.is_empty() {
            parts
                .push(DocumentPart::Charts(survey.predictions.iter().take(MOST_CHARTS).map(chart).collect()));
        }
        parts.push(DocumentPart::Table(DocumentRows {
            name: section.heading,
            head: section.head.into_iter().map(str::to_owned).collect(),
            rows: filled(section.rows),
            texts: section.texts,
        }));
    }
    for (heading, lines) in survey.lists().into_iter().filter(|(_, lines)| !lines.is_empty()) {
        parts.push(DocumentPart::Heading(heading.to_owned()));
        parts.push(DocumentPart::List(lines.to_vec()));
    }
    let statements =
        survey.statements.iter().map(|one| format!("-- {}\n{};", one.purpose, one.sql)).collect();
    parts.push(DocumentPart::Heading("Statements".to_owned()));
    parts.push(DocumentPart::Text("The survey only read. It executed these statements:".to_owned()));
    parts.push(DocumentPart::Folded(format!("{} statements", survey.statements.len()), statements));
    let page = Document {
        title: format!("Keys of a database on {} {}", survey.engine.name(), survey.server),
        lead: survey.summary() + ".",
        answer: answer(survey),
        parts,
    };
    Ok(idgen_report::document(&page)?)
}

/// The same rows with the cells that a row leaves out because they are those of the row above: a reader may sort them.
fn filled(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    for at in 1..rows.len() {
        let (above, rest) = rows.split_at_mut(at);
        for (cell, same) in rest[0].iter_mut().zip(&above[at - 1]).filter(|(cell, _)| cell.is_empty()) {
            cell.clone_from(same);
        }
    }
    rows
}

/// The number of findings, and the change that saves most.
fn answer(survey: &Survey) -> Vec<String> {
    let count = |level| survey.findings.iter().filter(|finding| finding.level == level).count();
    let counted = |level: Level| {
        let count = count(level);
        format!("{count} {}{}", level.name(), if count == 1 { "" } else { "s" })
    };
    let mut lines = vec![format!("{}, {}.", counted(Level::Danger), counted(Level::Warning))];
    if let Some((first, best, saved)) = survey.predictions.first().and_then(gain) {
        let column = format!("{}.{}", first.question.table, first.question.column);
        let saved = thousands(saved.round() as u64);
        lines.push(format!(
            "The most pages are to be gained in {column}. With {}, 1,000 inserts would read, write, or log {saved} fewer pages.",
            best.title()
        ));
    }
    lines
}

fn gain(prediction: &Prediction) -> Option<(&Prediction, Change, f64)> {
    let best = prediction.best()?;
    let saved = prediction.saved_per_1k(best).filter(|&saved| saved >= 1.0)?;
    Some((prediction, best.change, saved))
}

fn finding(finding: &Finding) -> DocumentPart {
    let column = finding.column.as_ref().map_or(String::new(), |column| format!(".{column}"));
    let mut facts = vec![("remedy".to_owned(), finding.remedy.clone())];
    if !finding.examples.is_empty() {
        facts.push(("such as".to_owned(), finding.examples.join(", ")));
    }
    DocumentPart::Finding(DocumentFinding {
        title: format!("{}: {} in {}{column}", finding.level.name(), finding.code.name(), finding.table),
        is_problem: finding.level == Level::Danger,
        what: finding.what.clone(),
        facts,
        code: vec![("rows".to_owned(), format!("{};", finding.statement))],
    })
}

/// Pages per 1,000 inserts with each change.
fn chart(prediction: &Prediction) -> BarChart {
    let family = |change| match change {
        Change::Stay | Change::Bytes16 if prediction.question.order == Order::TimeFirst => Family::Time,
        Change::Stay | Change::Bytes16 => Family::Random,
        Change::Prefix => Family::Prefixed,
        Change::Integers => Family::Integer,
        _ => Family::Time,
    };
    let bars = prediction.changes.iter().map(|one| {
        let pages = one.pages_per_1k();
        (one.change.short().to_owned(), family(one.change), pages, thousands(pages.round() as u64))
    });
    BarChart {
        heading: format!("{}.{}", prediction.question.table, prediction.question.column),
        caption: "Pages that 1,000 inserts read, write, or log as a whole, with each kind of new key. Fewer are better.",
        bars: bars.collect(),
    }
}
