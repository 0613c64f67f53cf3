//! Prints tables in the texts of forecasts and advice.

use std::fmt::Write;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

/// The width of tables where there is no terminal.
const WIDTH: u16 = 100;

/// A table of figures, at most as wide as the terminal. The first `texts` columns are text, the others numbers. No word is
/// broken: columns at the right that do not fit are left out and named below the table.
pub(crate) fn table<const COLUMNS: usize>(
    head: [&str; COLUMNS],
    texts: usize,
    rows: impl IntoIterator<Item = [String; COLUMNS]>,
) -> String {
    let width = Table::new().width().unwrap_or(WIDTH);
    table_of(head, texts, &rows.into_iter().collect::<Vec<_>>(), width)
}

fn table_of<const COLUMNS: usize>(
    head: [&str; COLUMNS],
    texts: usize,
    rows: &[[String; COLUMNS]],
    width: u16,
) -> String {
    let mut used = 1;
    let widths: Vec<u16> = (0..COLUMNS)
        .map(|place| {
            let cells = rows.iter().map(|row| row[place].as_str()).chain([head[place]]);
            let words = cells.flat_map(str::split_whitespace).map(|word| word.chars().count());
            u16::try_from(words.max().unwrap_or(0)).unwrap_or(u16::MAX).saturating_add(2)
        })
        .take_while(|column| {
            used += usize::from(*column) + 1;
            used <= usize::from(width)
        })
        .collect();
    // The names are shown on any terminal.
    let shown = widths.len().max(1);
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width).set_header(&head[..shown]);
    table.add_rows(rows.iter().map(|row| &row[..shown]));
    for (column, least) in table.column_iter_mut().zip(widths) {
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
    }
    for column in table.column_iter_mut().skip(texts) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = table.to_string();
    if shown < COLUMNS {
        let hidden = head[shown..].join("; ").replace('\n', " ");
        let _ =
            write!(text, "\nLeft out for lack of width: {hidden}. A wider terminal and --json show them.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_broken_and_what_does_not_fit_is_named() {
        let head = ["strategy", "pages read\nper 1k", "pages written\nper 1k", "device pages\nper second"];
        let rows =
            ["minute-ascending", "v7-binary"].map(|name| [name, "9,340.1", "1034.0", "1968"].map(Into::into));
        for width in [20, 30, 40, 50, 60, 80] {
            let text = table_of(head, 1, &rows, width);
            let (table, line) = text.split_once("\nLeft out").unwrap_or((&text, ""));
            assert!(table.lines().all(|line| line.chars().count() <= usize::from(width)), "{width}: {text}");
            assert!(table.contains("minute-ascending") && table.contains("v7-binary"), "{width}: {text}");
            for (figure, named) in
                [("9,340.1", "read"), ("1034.0", "written"), ("1968", "device pages per second")]
            {
                assert_ne!(table.contains(figure), line.contains(named), "{width} {named}: {text}");
            }
        }
        let wide = table_of(head, 1, &rows, 80);
        assert!(!wide.contains("Left out"), "{wide}");
        assert!(table_of(head, 1, &rows, 40).contains("Left out"));
    }
}
