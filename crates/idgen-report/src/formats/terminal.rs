//! Tables for the terminal, as wide as it is and at most [`WIDTH`] columns.

use comfy_table::{Cell, ColumnConstraint, Table};

use crate::figures::grid::Grid;
use crate::figures::load::of_commits;
use crate::figures::published::uncompared;
use crate::figures::{grids, timed};
use crate::formats::fitted::{Column, Fitted, fitted, plain};
use idgen_record::{Results, Run};

/// The widest line of text, in columns: longer ones are hard to read. Where there is no terminal, all have
/// this width.
pub const WIDTH: u16 = 100;
/// The widest table.
const TABLE_WIDTH: u16 = 140;
/// The least that tables are laid out for; on a narrower terminal they run over.
const LEAST_WIDTH: u16 = 40;

/// Columns for text on this terminal.
pub fn width() -> u16 {
    table_width().min(WIDTH)
}

/// Columns for tables on this terminal.
pub(crate) fn table_width() -> u16 {
    Table::new().width().map_or(WIDTH, |columns| columns.clamp(LEAST_WIDTH, TABLE_WIDTH))
}

/// The results, one line per run, and below them why a cell is empty; of timed statements, one table under another.
pub fn table(results: &Results) -> String {
    table_of(results, table_width())
}

pub(crate) fn table_of(results: &Results, width: u16) -> String {
    if results.times_statements() {
        let tables = timed::tables(results);
        let tables =
            tables.iter().map(|(title, _, grid)| format!("{title}\n{}", fitted(&columns_of(grid), width)));
        return tables.collect::<Vec<_>>().join("\n");
    }
    let (metrics, rows) = grids::medians(results);
    let columns = metrics.iter().enumerate().map(|(place, metric)| Column {
        head: metric.head.into(),
        name: metric.title.into(),
        cells: rows.iter().map(|(_, cells)| cells[place].clone()).collect(),
    });
    let names = rows.iter().map(|(title, _)| title.clone()).collect();
    let mut text = fitted(&Fitted { head: "strategy", names, columns: columns.collect() }, width);
    let runs = results.runs.iter().map(Run::run_count);
    let repeated = match (runs.clone().min(), runs.max()) {
        (Some(1), Some(1)) if results.protocol.is_some() => {
            Some("One run of each: the spread is not known. --repeat N shows it.".to_owned())
        }
        (Some(least), Some(most)) if least == most && most > 1 => {
            Some(format!("Medians of {most} runs; the report shows the spread."))
        }
        (Some(least), Some(most)) if most > 1 => {
            Some(format!("Medians of {least} to {most} runs; the report shows the spread."))
        }
        _ => None,
    };
    let end = metrics.iter().any(|metric| metric.instead.is_some() && metric.name.starts_with("last_"));
    let end = end.then(|| {
        "At end: in the last tenth of the inserts. The report, --json and results.csv also have the means of the whole run."
            .to_owned()
    });
    let paced: Vec<_> =
        grids::of_pace(results).into_iter().chain(grids::of_rounds(results)).map(str::to_owned).collect();
    let commits = of_commits(results);
    // The notes themselves came before the run, when it was time to do something about them.
    let missing = (!results.engine.missing.is_empty()).then(|| {
        "Some figures are missing: the notes at the beginning and the report say which, why, and what to do.".to_owned()
    });
    let (missed, foreign) = (grids::missed_pace(results), grids::foreign_writes(results));
    for line in end
        .iter()
        .chain(&paced)
        .chain(&commits)
        .chain(&missed)
        .chain(&foreign)
        .chain(&repeated)
        .chain(&missing)
    {
        text += "\n";
        text += &textwrap::fill(line, usize::from(width.min(WIDTH)));
    }
    text
}

/// The published figures beside the measured ones; `None` where nothing was published.
pub fn published(results: &Results) -> Option<String> {
    published_of(results, table_width())
}

pub(crate) fn published_of(results: &Results, width: u16) -> Option<String> {
    let grid = grids::published(results)?;
    let mut text = fitted(&columns_of(&grid), width);
    if let Some(why) = uncompared(results) {
        text += "\n";
        text += &textwrap::fill(why, usize::from(width.min(WIDTH)));
    }
    Some(text)
}

/// A table of the report, for a terminal.
fn columns_of(grid: &Grid) -> Fitted<'_> {
    let columns = grid.head.iter().enumerate().skip(1).map(|(place, head)| Column {
        head: head.clone(),
        name: head.clone(),
        cells: grid.rows.iter().map(|(_, cells)| cells[place - 1].clone()).collect(),
    });
    let names = grid.rows.iter().map(|(name, _)| name.clone()).collect();
    Fitted { head: &grid.head[0], names, columns: columns.collect() }
}

/// Names and a line for each, under these two headings.
pub fn list<'a>(head: [&str; 2], lines: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut table = plain(width());
    table.set_header(head);
    for (name, line) in lines {
        table.add_row([Cell::new(name), Cell::new(line)]);
    }
    whole_names(table)
}

/// Lays the table out; the first column stays on one line and the others give way.
pub(crate) fn whole_names(mut table: Table) -> String {
    if let Some(names) = table.column_mut(0) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
    table.trim_fmt()
}
