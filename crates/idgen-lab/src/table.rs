//! Prints tables in the texts of forecasts and advice.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// A table of figures, at most as wide as the terminal. The first `texts` columns are text, the others numbers.
pub(crate) fn table<const COLUMNS: usize>(
    head: [&str; COLUMNS],
    texts: usize,
    rows: impl IntoIterator<Item = [String; COLUMNS]>,
) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(head);
    table.add_rows(rows);
    for column in table.column_iter_mut().skip(texts) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
