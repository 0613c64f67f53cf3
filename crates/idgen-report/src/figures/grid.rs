//! A table of a report.

use std::borrow::Cow;

use crate::charts::Strips;

/// A table: a name for each row, and its cells.
#[derive(Debug, Default)]
pub struct Grid {
    /// The id of its heading in a page.
    pub id: Cow<'static, str>,
    /// The headings of the columns, that of the names first.
    pub head: Vec<String>,
    pub rows: Vec<(String, Vec<String>)>,
    /// The places of the cells of a row that are text.
    pub texts: Vec<usize>,
    /// The values that the filters of a site compare, for each row.
    pub data: Vec<Data>,
    /// Drawings beside the names, on a page.
    pub strips: Option<Strips>,
}

/// Names of filters, each with the values that something has, separated by `|`.
pub type Data = Vec<(&'static str, String)>;

/// A column: its head, and the cell of each row.
pub(crate) type Column = (String, Vec<String>);

/// A row: the name, the cells, the drawing, and the values that filters compare.
type Row<'a> = (&'a str, &'a [String], Option<&'a str>, &'a [(&'static str, String)]);

impl Grid {
    /// Returns the rows, each with its drawing and its values for filters.
    pub(crate) fn body(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().enumerate().map(|(at, (name, cells))| {
            let strip = self.strips.as_ref().and_then(|strips| strips.rows.get(at));
            let data = self.data.get(at).map_or(&[][..], Vec::as_slice);
            (name.as_str(), cells.as_slice(), strip.map(String::as_str), data)
        })
    }

    /// A table of figures; `None` without rows.
    pub(crate) fn of<Head: Into<String>>(
        id: impl Into<Cow<'static, str>>,
        head: impl IntoIterator<Item = Head>,
        rows: impl IntoIterator<Item = (String, Vec<String>)>,
    ) -> Option<Grid> {
        let (head, rows) = (head.into_iter().map(Into::into).collect(), rows.into_iter().collect());
        let grid = Grid { id: id.into(), head, rows, ..Grid::default() };
        (!grid.rows.is_empty()).then_some(grid)
    }

    /// A table of columns, of which the first has the names of the rows. Columns without values are left out.
    pub(crate) fn of_columns(id: &'static str, columns: Vec<Column>) -> Option<Grid> {
        let mut columns = columns.into_iter().filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty()));
        let (first, names) = columns.next()?;
        let (heads, cells): (Vec<_>, Vec<_>) = columns.unzip();
        let row = |at: usize| cells.iter().map(|cells| cells[at].clone()).collect();
        let rows: Vec<_> = names.into_iter().enumerate().map(|(at, name)| (name, row(at))).collect();
        Grid::of(id, std::iter::once(first).chain(heads), rows)
    }
}

/// A column with a cell for each line; cells without a value are empty.
pub(crate) fn column<T>(head: &str, lines: &[T], cell: impl Fn(&T) -> Option<String>) -> Column {
    (head.to_owned(), lines.iter().map(|line| cell(line).unwrap_or_default()).collect())
}
