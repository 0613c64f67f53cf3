//! Views and temporary tables that have the name of a table of the map.

use std::fmt;

use crate::error::failure::Attempt;
use crate::statement::values::Values;

/// An object that has the name of a table of the map and is not that table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shadow {
    View,
    TemporaryTable,
}

impl Shadow {
    /// Reads an answer to `SHOW CREATE TABLE`; `None` if it defines a table that all sessions see.
    pub(crate) fn of_definition(row: &impl Values) -> Attempt<Option<Shadow>> {
        if row.has("View") {
            return Ok(Some(Shadow::View));
        }
        let definition = row.text(1)?.unwrap_or_default();
        Ok(definition.starts_with("CREATE TEMPORARY").then_some(Shadow::TemporaryTable))
    }

    /// Returns true if only this session sees it.
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
