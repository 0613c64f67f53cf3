//! The tables of an experiment of cases.

/// One table. It has the columns in which at least one line has a value.
#[derive(Debug, PartialEq, Eq)]
pub struct CaseTable {
    /// Its title.
    pub title: &'static str,
    /// How to read it, or what it does not show; may be empty.
    pub note: &'static str,
    /// The heads of the columns, the names of the lines first.
    pub head: Vec<String>,
    /// The lines, each with as many cells as the head.
    pub lines: Vec<Vec<String>>,
}

/// A column: its head, and the cell of each line.
pub type Column = (String, Vec<String>);

/// Makes a table of columns. Columns without values are left out.
pub fn table(title: &'static str, note: &'static str, columns: Vec<Column>) -> Option<CaseTable> {
    let columns: Vec<_> =
        columns.into_iter().filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty())).collect();
    let lines = columns.first()?.1.len();
    Some(CaseTable {
        title,
        note,
        lines: (0..lines)
            .map(|line| columns.iter().map(|(_, cells)| cells[line].clone()).collect())
            .collect(),
        head: columns.into_iter().map(|(head, _)| head).collect(),
    })
}

pub fn column<T>(head: &str, lines: &[T], cell: impl Fn(&T) -> Option<String>) -> Column {
    (head.to_owned(), lines.iter().map(|line| cell(line).unwrap_or_default()).collect())
}
