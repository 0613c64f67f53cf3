//! Ids that come from a source that was not made for security.

use idgen_check::predict;

use super::{Code, Context, Finding, Level};
use crate::survey::judge::columns::FoundBy;
use crate::survey::judge::kinds::Kind;
use crate::survey::judge::parsed::Parsed;

/// Ids of version 4 whose source is recognized. The column with the key is named, not those that refer to it.
pub(super) fn find(context: &Context<'_>) -> Option<Finding> {
    let ids = context.ids;
    let is_of_other = ids.found_by.contains(&FoundBy::ForeignKey);
    if is_of_other || ids.count(Kind::V4) * 10 < ids.parsed.len() * 9 {
        return None;
    }
    let in_order = ids.in_order.iter().filter_map(|&at| match ids.parsed[at] {
        Parsed::Wide { id, .. } => Some(id.as_u128()),
        _ => None,
    });
    // The next id is not predicted: it could be one that somebody trusts. The rows are not of today, so seeds from the
    // clock are not tried.
    let found = predict(&in_order.collect::<Vec<_>>(), false, None, 0);
    let first = found.iter().max_by_key(|one| one.found)?;
    let what = format!(
        "{} of {} ids of version 4 come from {}: whoever sees {} of them computes those that come next",
        first.found, first.of, first.source, first.needed
    );
    let finding = context.finding(Level::Danger, Code::Predictable, what);
    let remedy = format!(
        "{}; replace the ids that must be secret, such as those of invitations and sessions. idgen check --predict 3, with these ids \
         in the order in which they were made, prints the next ones",
        first.instead
    );
    Some(Finding { statement: context.statement("").trim_end().to_owned(), remedy, ..finding })
}
