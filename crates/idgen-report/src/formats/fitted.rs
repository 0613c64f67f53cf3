//! A table that fits the terminal: columns that do not fit are left out completely and named below it. No word is broken.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

/// A column beside the names.
pub struct Column {
    /// The head, in lines.
    pub head: String,
    /// The name that is written below the table if the column is left out.
    pub name: String,
    /// The cell of each line.
    pub cells: Vec<String>,
}

/// Names and columns, beginning with the most important.
pub struct Fitted<'a> {
    /// The head of the names.
    pub head: &'a str,
    /// The name of each line.
    pub names: Vec<String>,
    /// The columns in their order in the table.
    pub columns: Vec<Column>,
}

/// An empty table of at most this width.
pub(crate) fn plain(width: u16) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width);
    table
}

/// Formats the table to at most this many characters, with the names and as many columns as fit. The first column is
/// always included.
pub fn fitted(table: &Fitted<'_>, width: u16) -> String {
    let all: Vec<_> = (0..table.columns.len()).collect();
    laid_out(table, &all, width, CellAlignment::Right)
}

impl Fitted<'_> {
    /// Letters of the longest name's longest word, or of the longest name where that is short.
    fn names_width(&self) -> usize {
        const SHORT: usize = 14;
        let longest = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        longest_word(self.names.iter().map(String::as_str).chain([self.head])).max(longest.min(SHORT))
    }

    /// Spaces before a cell; fewer where there are many columns.
    fn before(&self) -> usize {
        usize::from(self.columns.len() <= 6)
    }

    /// The width of the names, with the line at the left and a space on both sides.
    fn room_of_names(&self) -> usize {
        1 + self.names_width() + 3
    }

    /// The width of a column, with its spaces and a line.
    fn room(&self, column: &Column) -> usize {
        column.width() + self.before() + 2
    }

    /// Returns whether all columns fit.
    pub fn fits(&self, width: u16) -> bool {
        let columns: usize = self.columns.iter().map(|column| self.room(column)).sum();
        self.room_of_names() + columns <= usize::from(width)
    }
}

impl Column {
    /// Letters of its longest word.
    fn width(&self) -> usize {
        longest_word(self.cells.iter().map(String::as_str).chain([self.head.as_str()]))
    }
}

/// Formats the table like [`fitted`]. `important` is the order in which columns are given space, and cells
/// are at this side of their columns.
pub fn laid_out(table: &Fitted<'_>, important: &[usize], width: u16, side: CellAlignment) -> String {
    let (names, before) = (table.names_width(), table.before());
    let mut used = table.room_of_names();
    let mut shown = Vec::new();
    for place in important {
        let needed = table.room(&table.columns[*place]);
        if used + needed <= usize::from(width) || shown.is_empty() {
            used += needed;
            shown.push(*place);
        }
    }
    let mut laid = plain(width);
    let columns = || table.columns.iter().enumerate().filter(|(place, _)| shown.contains(place));
    laid.set_header(std::iter::once(table.head).chain(columns().map(|(_, column)| column.head.as_str())));
    for (line, name) in table.names.iter().enumerate() {
        let cells = columns().map(|(_, column)| column.cells[line].as_str());
        laid.add_row(std::iter::once(name.as_str()).chain(cells));
    }
    let least = |words: usize| {
        ColumnConstraint::LowerBoundary(Width::Fixed(u16::try_from(words).unwrap_or(u16::MAX)))
    };
    let widths: Vec<_> = columns().map(|(_, column)| column.width() + before + 1).collect();
    for (column, needed) in laid.column_iter_mut().skip(1).zip(widths) {
        column.set_padding((before as u16, 1)).set_constraint(least(needed));
        column.set_cell_alignment(side);
    }
    if let Some(column) = laid.column_mut(0) {
        column.set_constraint(least(names + 2));
    }
    let hidden: Vec<_> =
        table.columns.iter().enumerate().filter(|(place, _)| !shown.contains(place)).collect();
    let mut text = laid.trim_fmt();
    if !hidden.is_empty() {
        let hidden: Vec<_> = hidden.into_iter().map(|(_, column)| column.name.as_str()).collect();
        let line = format!(
            "Left out for lack of width: {}. A wider terminal, the report and --json have them.",
            hidden.join("; ")
        );
        text += "\n";
        text += &textwrap::fill(&line, usize::from(width));
    }
    text
}

/// Letters of the longest word.
fn longest_word<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.flat_map(str::split_whitespace).map(|word| word.chars().count()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: usize, names: &[&str]) -> String {
        fitted_at(columns, names, 60)
    }

    fn fitted_at(columns: usize, names: &[&str], width: u16) -> String {
        let column = |number: usize| Column {
            head: format!("pages\nno {number:02}"),
            name: format!("all the pages {number:02}"),
            cells: vec![format!("{}", 1_234_567 + number); names.len()],
        };
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        fitted(&Fitted { head: "strategy", names, columns: (0..columns).map(column).collect() }, width)
    }

    #[test]
    fn columns_that_do_not_fit_are_left_out_and_named() {
        let names = ["short", "incomprehensibly long, of several words"];
        for width in [40, 60, 80, 120] {
            let text = fitted_at(12, &names, width);
            assert!(text.lines().all(|line| line.chars().count() <= usize::from(width)), "{width}: {text}");
            let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for number in 0..12 {
                let shown = text.contains(&format!("{}", 1_234_567 + number));
                assert_ne!(
                    shown,
                    flat.contains(&format!("all the pages {number:02}")),
                    "{width} {number}: {text}"
                );
            }
            for word in ["incomprehensibly", "several", "1234567", "no 00"] {
                assert!(text.contains(word), "{width} {word}: {text}");
            }
        }
        assert!(!table(2, &names).contains("Left out"));
        assert!(table(9, &names).contains("the report and --json have them"));
    }
}
