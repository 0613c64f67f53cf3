//! A table of a report.

/// One table: a name for each row, and its cells.
pub struct Grid {
    /// Of its heading in a page.
    pub id: &'static str,
    /// Above the columns, the one with the names first.
    pub head: Vec<&'static str>,
    pub rows: Vec<(String, Vec<String>)>,
    /// The places of the cells of a row that are text.
    pub texts: Vec<usize>,
}

impl Grid {
    /// `None` for a table without rows.
    pub(crate) fn if_any(self) -> Option<Grid> {
        (!self.rows.is_empty()).then_some(self)
    }
}
