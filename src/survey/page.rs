//! The survey as a page that one can send to somebody.

use idgen_migrate::survey::{Change, Finding, Level, Order, Prediction, Survey};
use idgen_record::{Family, thousands};
use idgen_report::{BarChart, Block, Page, Span};

/// The most tables with a chart.
const MOST_CHARTS: usize = 6;

/// The caption of each chart.
const CAPTION: &str =
    "Pages that 1,000 inserts read, write, or log as a whole, with each kind of new key. Fewer are better.";

/// The page.
pub fn of(survey: &Survey) -> anyhow::Result<String> {
    let mut body = Vec::new();
    if !survey.findings.is_empty() {
        body.push(Block::heading("", "Dangers and warnings"));
        body.extend(survey.findings.iter().flat_map(finding));
    }
    for (at, section) in survey.sections().into_iter().enumerate() {
        let id = format!("section-{at}");
        body.push(Block::heading(id.clone(), section.heading));
        body.extend(section.notes.into_iter().map(Block::text));
        if at == 0 && !survey.predictions.is_empty() {
            let charts: Vec<_> = survey.predictions.iter().take(MOST_CHARTS).map(chart).collect();
            body.push(Block::bars(&charts, CAPTION)?);
        }
        let head = section.head.into_iter().map(str::to_owned).collect();
        body.push(Block::table(id, head, filled(section.rows), &section.texts));
    }
    for (heading, lines) in survey.lists().into_iter().filter(|(_, lines)| !lines.is_empty()) {
        body.extend([Block::heading("", heading), Block::list(lines.to_vec())]);
    }
    let statements = survey.statements.iter().map(|one| format!("-- {}\n{};\n", one.purpose, one.sql));
    body.extend([
        Block::heading("", "Statements"),
        Block::text("The survey only read. It executed these statements:"),
        Block::folded(
            format!("{} statements", survey.statements.len()),
            vec![Block::Code(statements.collect::<String>())],
        ),
    ]);
    let heading = format!("Keys of a database on {} {}", survey.engine.name(), survey.server);
    let answer = Block::Quote(answer(survey).into_iter().map(Block::text).collect());
    let head = vec![answer, Block::soft(survey.summary() + ".")];
    Ok(Page { title: heading.clone(), heading, skip: "".into(), head, body }.html()?)
}

/// Fills in the cells that a row leaves out because they are those of the row above: a reader may sort the
/// rows.
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

fn finding(finding: &Finding) -> [Block; 3] {
    let column = finding.column.as_ref().map_or(String::new(), |column| format!(".{column}"));
    let title = format!("{}: {} in {}{column}", finding.level.name(), finding.code.name(), finding.table);
    let what = finding.what.as_str();
    let such_as = (!finding.examples.is_empty()).then(|| ("such as", finding.examples.join(", ").into()));
    let facts = std::iter::once(("remedy", Span::from(finding.remedy.as_str())))
        .chain(such_as)
        .chain([("rows", Span::Code(format!("{};", finding.statement)))]);
    [
        Block::Heading(3, "".into(), title),
        if finding.level == Level::Danger { Block::problem(what) } else { Block::text(what) },
        Block::words(facts),
    ]
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
        bars: bars.collect(),
    }
}
