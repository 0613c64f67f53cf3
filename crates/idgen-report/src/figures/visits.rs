//! The tables of an experiment whose buckets are visited again and again: a line for each number of visits and rows, and a
//! column for each strategy.

use crate::figures::case_table::{CaseTable, column, table};
use crate::figures::numbers::{count, percent, rate};
use idgen_record::{Metric, Results, Sample, VisitFigures};

/// Rows of a payload of 100 bytes on a page, by which the pages of a visit are counted. A page of InnoDB holds 120 of them,
/// and 111 if keys ascend.
const ROWS_A_PAGE: f64 = 114.0;

/// The figures of each case.
pub(crate) fn visits(results: &Results) -> Vec<&VisitFigures> {
    results.cases.iter().filter_map(|case| case.visits.as_ref()).collect()
}

/// The first figures of each strategy, in the order of the record.
pub(crate) fn strategies<'a>(all: &[&'a VisitFigures]) -> Vec<&'a VisitFigures> {
    let mut strategies: Vec<&VisitFigures> = Vec::new();
    for figures in all {
        if strategies.iter().all(|first| first.strategy != figures.strategy) {
            strategies.push(figures);
        }
    }
    strategies
}

/// Pages that the rows of a visit fill, in words: `0.5`, `10`.
pub(crate) fn pages(figures: &VisitFigures) -> String {
    let pages = figures.rows_per_visit as f64 / ROWS_A_PAGE;
    if pages < 9.95 && pages.fract() > 0.05 { format!("{pages:.1}") } else { format!("{pages:.0}") }
}

/// The tables of an experiment of visits.
pub(crate) fn tables(results: &Results) -> Vec<CaseTable> {
    let all = visits(results);
    let figure =
        |title, note, write: &dyn Fn(&VisitFigures) -> Option<String>| of_figure(&all, title, note, write);
    [
        figure(
            "Page fill, %",
            "The mean over the leaf pages, and in brackets the tenth percentile. A page stands for 114 rows.",
            &|of| Some(format!("{} ({:.0})", percent(of.fill_mean), 100.0 * of.fill_p10)),
        ),
        figure("Leaf pages", "Of the table after the last visit.", &|of| Some(count(of.leaf_pages))),
        figure("Pages read per 1,000 inserts", "Over the whole run.", &|of| Some(rate(of.reads_per_1k))),
        figure("Pages written per 1,000 inserts", "Over the whole run.", &|of| Some(rate(of.writes_per_1k))),
        earlier(&all),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn of_figure(
    all: &[&VisitFigures],
    heading: &'static str,
    note: &'static str,
    write: &dyn Fn(&VisitFigures) -> Option<String>,
) -> Option<CaseTable> {
    let same = |a: &VisitFigures, b: &VisitFigures| {
        (a.writers, a.visits, a.rows_per_visit, a.buckets)
            == (b.writers, b.visits, b.rows_per_visit, b.buckets)
    };
    let mut cells: Vec<&VisitFigures> = Vec::new();
    for figures in all {
        if !cells.iter().any(|cell| same(cell, figures)) {
            cells.push(figures);
        }
    }
    let mut columns = vec![
        column("writers", &cells, |cell| (cell.writers > 1).then(|| count(u64::from(cell.writers)))),
        column("visits", &cells, |cell| Some(count(u64::from(cell.visits)))),
        column("pages a visit", &cells, |cell| Some(pages(cell))),
        column("rows a visit", &cells, |cell| Some(count(cell.rows_per_visit))),
        column("buckets", &cells, |cell| Some(count(u64::from(cell.buckets)))),
    ];
    for first in strategies(all) {
        columns.push(column(&first.title, &cells, |cell| {
            all.iter()
                .find(|found| found.strategy == first.strategy && same(found, cell))
                .and_then(|found| write(found))
        }));
    }
    table(heading, note, columns)
}

/// The page fill that was measured before, beside the one measured here.
fn earlier(all: &[&VisitFigures]) -> Option<CaseTable> {
    let lines: Vec<_> = all.iter().filter_map(|found| Some((*found, found.earlier_fill?))).collect();
    table(
        "Page fill measured before and here, %",
        "The earlier measurement used prefixes in a random order that a script made.",
        vec![
            column("strategy", &lines, |(found, _)| Some(found.title.clone())),
            column("visits", &lines, |(found, _)| Some(count(u64::from(found.visits)))),
            column("rows a visit", &lines, |(found, _)| Some(count(found.rows_per_visit))),
            column("before", &lines, |(_, before)| Some(percent(*before))),
            column("here", &lines, |(found, _)| Some(percent(found.fill_mean))),
            column("difference, points", &lines, |(found, before)| {
                Some(format!("{:+.1}", 100.0 * (found.fill_mean - before)))
            }),
        ],
    )
}

/// The answer in a sentence: the page fill of the last strategy against that of the first.
pub(crate) fn answer(results: &Results) -> Option<String> {
    let all = visits(results);
    let many = all.iter().max_by_key(|found| {
        (found.visits > 1, found.rows_per_visit * u64::from(found.visits), found.writers)
    })?;
    let of = |first: &VisitFigures| {
        all.iter().find(|found| {
            found.strategy == first.strategy
                && (found.writers, found.visits, found.rows_per_visit)
                    == (many.writers, many.visits, many.rows_per_visit)
        })
    };
    let found: Vec<_> = strategies(&all).into_iter().filter_map(|first| of(first).copied()).collect();
    let said: Vec<_> = found
        .iter()
        .map(|found| format!("{} % of a page with \u{201c}{}\u{201d}", percent(found.fill_mean), found.title))
        .collect();
    let by_fill = |a: &&&VisitFigures, b: &&&VisitFigures| a.fill_mean.total_cmp(&b.fill_mean);
    let (least, most) = (found.iter().min_by(by_fill)?, found.iter().max_by(by_fill)?);
    let sample = |found: &VisitFigures| Sample::of(vec![found.fill_mean]);
    // There is one table of each, so a difference must exceed how far recorded tables of one load differed.
    let verdict = match sample(most)?.differs(&sample(least)?, Metric::named("fill_mean")?.noise) {
        Some(_) => format!(
            "\u{201c}{}\u{201d} fills pages {:.1} points more than \u{201c}{}\u{201d}, which is beyond the noise of a \
             single table",
            most.title,
            100.0 * (most.fill_mean - least.fill_mean),
            least.title
        ),
        None => "There is no difference beyond the noise of a single table".to_owned(),
    };
    (said.len() > 1).then(|| {
        format!(
            "After {} visits of {} rows{}, the rows of a bucket fill {}. {verdict}.",
            count(u64::from(many.visits)),
            count(many.rows_per_visit),
            if many.writers > 1 { format!(" by each of {} writers", many.writers) } else { String::new() },
            said.join(", ")
        )
    })
}
