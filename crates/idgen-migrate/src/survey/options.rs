//! The options of a survey.

use std::time::Duration;

/// Ids that are to be made from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewIds {
    /// UUID version 7.
    V7,
}

/// The limits of a survey, and what it may show.
#[derive(Clone, Debug)]
pub struct Options {
    /// The longest time that a statement may take, and the twelfth part of what one about the catalog may take. The server ends a statement that takes longer, and the survey names the
    /// table in [`Survey::unseen`](crate::survey::Survey::unseen).
    pub statement_time: Duration,
    /// The time for the samples of all tables. Large tables come first; [`Survey::unseen`](crate::survey::Survey::unseen) says how many
    /// tables there was no time for.
    pub sample_time: Duration,
    /// Rows that are read from each table, at most.
    pub rows: u32,
    /// Ranges of the primary key from which the rows of a table are taken.
    pub starts: u32,
    /// True if values of rows may appear, as examples of findings and in messages of the server.
    pub show_values: bool,
    /// Only tables with one of these names; if empty, all.
    pub tables: Vec<String>,
    /// The time until a second reading of the tables; `None` for a single reading.
    pub watch: Option<Duration>,
    /// The ids that the caller wants to make from now on: adds what that would break; `None` for the keys as they are.
    pub to: Option<NewIds>,
    /// The time with which the times in ids are compared, in milliseconds since 1970; `None` reads the clock.
    pub now: Option<i64>,
}

impl Default for Options {
    /// Five seconds for a statement, 40 seconds for all samples, 1,000 rows from five ranges of each table, and no values.
    ///
    /// ```
    /// let options = idgen_migrate::survey::Options::default();
    /// assert_eq!((options.rows, options.starts, options.show_values), (1_000, 5, false));
    /// ```
    fn default() -> Self {
        Options {
            statement_time: Duration::from_secs(5),
            sample_time: Duration::from_secs(40),
            rows: 1_000,
            starts: 5,
            show_values: false,
            tables: Vec::new(),
            watch: None,
            to: None,
            now: None,
        }
    }
}
