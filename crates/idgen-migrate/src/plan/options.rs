//! The options of a plan.

use std::time::Duration;

use crate::plan::data::{Target, Tool};

/// The reason why `--to bigint` keeps no text.
pub(crate) const KEEPS_VALUES: &str =
    "--keep-text does not apply to --to bigint: the values stay as they are. Plan without --keep-text";

/// The change to plan, and how to plan it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The table whose key changes. All tables whose foreign keys connect them with it change too.
    pub table: String,
    /// The new form of the key.
    pub to: Target,
    /// The table of the map of idgen-mysql from which [`Target::Integer`] takes the integers.
    pub map: String,
    /// True if a column with the old text stays, for readers that are not changed yet.
    pub keep_text: bool,
    /// Write the arguments of this tool in place of steps, where it is enough for one table.
    pub tool: Option<Tool>,
    /// Copy some rows of each table into a temporary table, and say how long the copies of all rows would take by that.
    pub measure: bool,
    /// The longest time that a statement of the planning itself may take.
    pub statement_time: Duration,
}

impl Options {
    /// A table and what its key becomes, the map `uuid_map`, without a column of text and without a tool, five seconds for a statement.
    ///
    /// ```
    /// use idgen_migrate::plan::{Options, Target};
    ///
    /// let options = Options::new("orders", Target::Binary16);
    /// assert_eq!((options.table.as_str(), options.keep_text), ("orders", false));
    /// ```
    pub fn new(table: impl Into<String>, to: Target) -> Self {
        Options {
            table: table.into(),
            to,
            map: "uuid_map".to_owned(),
            keep_text: false,
            tool: None,
            measure: false,
            statement_time: Duration::from_secs(5),
        }
    }
}
