//! What has the name of a table of the map, and is not that table.

use std::fmt;

use crate::error::failure::Attempt;
use crate::statement::values::Values;

/// What has the name of a table of the map, and is not that table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shadow {
    View,
    TemporaryTable,
}

impl Shadow {
    /// What a statement of `SHOW CREATE TABLE` answered, if it is not a table that everybody sees.
    pub(crate) fn of_definition(row: &impl Values) -> Attempt<Option<Shadow>> {
        if row.has("View") {
            return Ok(Some(Shadow::View));
        }
        let definition = row.text(1)?.unwrap_or_default();
        Ok(definition.starts_with("CREATE TEMPORARY").then_some(Shadow::TemporaryTable))
    }

    /// Whether only this session sees it.
    pub(crate) fn is_of_session(self) -> bool {
        self == Shadow::TemporaryTable
    }
}

impl fmt::Display for Shadow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shadow::View => "a view",
            Shadow::TemporaryTable => "a temporary table of this session, perhaps made by init_connect,",
        })
    }
}
