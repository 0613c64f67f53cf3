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
    /// The local time that the list `INNODB_TRX` must not be older than: the query waits until it is not.
    pub(super) list_after: Option<String>,
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
        list_after: None,
    }
}
