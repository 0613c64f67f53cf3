//! Queries for what blocks a plan.

use super::cells::{cell, texts};
use super::data::Status;
use idgen_database::Session;

/// Adds each row of a query, which is one sentence, to what blocks a plan. A query that is refused is named among what was not read.
pub(crate) async fn ask(session: &mut Session, status: &mut Status, what: &str, sql: &str) {
    match session.rows(what, sql, &[]).await {
        Ok(rows) => {
            let sentences = texts(&rows).into_iter().map(|row| cell(&row, 0));
            status.blocked.extend(sentences.filter(|sentence| !sentence.is_empty()));
        }
        Err(refused) => status.unread.push(format!("Not read: {what}: {}.", refused.why)),
    }
}
