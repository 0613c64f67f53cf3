//! Rows of a ledger as texts.

use idgen_database::{Cell, Rows};

/// Values as texts; `NULL` is the empty text.
pub(crate) fn texts(rows: &Rows) -> Vec<Vec<String>> {
    rows.iter().map(|row| Cell::texts(row)).collect()
}

/// A value of a row; empty if the row is shorter.
pub(crate) fn cell(row: &[String], at: usize) -> String {
    row.get(at).cloned().unwrap_or_default()
}
