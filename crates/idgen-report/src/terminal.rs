//! Tables for the terminal, as wide as it is and at most [`WIDTH`] columns.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

use super::case_table::CaseTable;
use super::cases::case_tables;
use super::grids::{self, medians};
use idgen_record::{Group, Metric, Results, RunRecord};

/// The widest line, in columns: longer ones are hard to read. Where there is no terminal, all are so wide.
pub const WIDTH: u16 = 100;
/// The least that tables are laid out for; on a narrower terminal they run over.
const LEAST_WIDTH: u16 = 72;

/// Columns for text and tables on this terminal.
pub fn width() -> u16 {
    Table::new().width().map_or(WIDTH, |columns| columns.clamp(LEAST_WIDTH, WIDTH))
}

/// The results, one line per run, and below them why a cell is empty.
pub fn table(results: &Results) -> String {
    table_of(results, width())
}

pub(super) fn table_of(results: &Results, width: u16) -> String {
    let mut table = plain();
    table.set_width(width);
    let heads = Metric::of_group(Group::Figures).map(|metric| metric.head);
    table.set_header(std::iter::once("strategy").chain(heads));
    for (title, cells) in medians(results) {
        table.add_row(std::iter::once(title).chain(cells));
    }
    let mut text = whole_numbers(table, 1);
    let runs = results.runs.iter().map(RunRecord::run_count);
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
    for line in repeated.iter().chain(&results.engine.missing) {
        text += "\n";
        text += &textwrap::fill(line, usize::from(width));
    }
    text
}

/// The published figures beside the measured ones; `None` where nothing was published.
pub fn published(results: &Results) -> Option<String> {
    let grid = grids::published(results)?;
    let mut table = plain();
    table.set_header(grid.head);
    for (name, cells) in grid.rows {
        table.add_row(std::iter::once(name).chain(cells));
    }
    for column in table.column_iter_mut().skip(1 + grid.texts) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    Some(whole_names(table))
}

/// The statements that were run: one table under another.
pub fn cases(results: &Results) -> String {
    let tables: Vec<_> = case_tables(results).into_iter().map(case_table).collect();
    tables.join("\n")
}

fn case_table(shown: CaseTable) -> String {
    let mut table = plain();
    // No narrower than the longest word of its head.
    let words: Vec<_> = shown.head.iter().map(|head| head.split(' ').map(str::len).max()).collect();
    // Many columns stand closer.
    let left = u16::from(shown.head.len() <= 6);
    table.set_header(shown.head);
    table.add_rows(shown.lines);
    for (column, longest) in table.column_iter_mut().zip(words).skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
        column.set_padding((left, 1));
        let width = left + 1 + longest.and_then(|longest| u16::try_from(longest).ok()).unwrap_or(0);
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
    }
    format!("{}\n{}", shown.title, whole_names(table))
}

/// Names and a line for each, under these two headings.
pub fn list<'a>(head: [&str; 2], lines: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut table = plain();
    table.set_header(head);
    for (name, line) in lines {
        table.add_row([Cell::new(name), Cell::new(line)]);
    }
    whole_names(table)
}

/// An empty table as wide as the terminal, and at most [`WIDTH`] columns.
pub(super) fn plain() -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width());
    table
}

/// Lays the table out; from this column on there are numbers, which stand close. On a screen of full width the names
/// stay on one line too, on a narrower one they give way, so that no number is broken.
pub(super) fn whole_numbers(mut table: Table, first: usize) -> String {
    let narrow = table.width().is_some_and(|width| width < WIDTH);
    for column in table.column_iter_mut().skip(first) {
        column.set_cell_alignment(CellAlignment::Right);
        column.set_padding((0, 1));
        if narrow {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    if narrow { table.trim_fmt() } else { whole_names(table) }
}

/// Lays the table out; the first column stays on one line and the others give way.
pub(super) fn whole_names(mut table: Table) -> String {
    if let Some(names) = table.column_mut(0) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
    table.trim_fmt()
}
