//! A check: a query for the rows that are wrong, and what the step says if there are any.

use serde::Serialize;

/// A query that must give no rows. If it gives rows, they are shown, and the step ends with the message.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Check {
    pub(super) purpose: String,
    pub(super) rows: String,
    pub(super) message: String,
    /// The query to ask if a statement of another session has bytes that the first one cannot show (error 3854 of MySQL).
    pub(super) instead: Option<String>,
    /// The query reads `INNODB_TRX`. The server repeats a list that others have just read, so the check first waits for a new one.
    pub(super) new_list: bool,
}

pub(super) fn check(
    purpose: impl Into<String>,
    rows: impl Into<String>,
    message: impl Into<String>,
) -> Check {
    Check {
        purpose: purpose.into(),
        rows: rows.into(),
        message: message.into(),
        instead: None,
        new_list: false,
    }
}
