//! The server refuses a statement of more bytes than `max_allowed_packet`, so changes with larger values are refused before.

use std::collections::HashMap;

use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::statement::sql::ALL;
use crate::statement::values::number_at;
use crate::sync::change::{Change, Outcome};
use crate::sync::prepare::Prepared;

/// Servers accept a statement of this many bytes, unless `max_allowed_packet` is set to less than its default.
const SMALL: usize = 256 << 10;

/// Allowance for the bytes that are sent in addition to the statements of a row.
pub(super) const BESIDE: usize = 1024;

/// The changes whose values do not fit into a statement. Their texts are not even made.
pub(super) fn too_large(prepared: &[Prepared<'_>], packet: usize) -> HashMap<usize, Outcome> {
    let refused = prepared.iter().filter_map(|prepared| {
        let bytes = bytes(prepared.change);
        (bytes > packet).then(|| {
            let reason = format!(
                "its values take {bytes} bytes in a statement, and the server takes at most {packet} (max_allowed_packet)"
            );
            (prepared.at, Outcome::Refused(reason))
        })
    });
    refused.collect()
}

/// About how many bytes the values take in a statement: a literal has two digits for each byte.
fn bytes(change: &Change) -> usize {
    change.values.values().map(|value| value.bytes().saturating_mul(2)).sum()
}

/// The most bytes that the server takes in a statement, which matters only for large values.
pub(super) async fn packet<C: Connection>(transaction: &mut C, batch: &[Change]) -> Attempt<usize> {
    if batch.iter().map(bytes).sum::<usize>() < SMALL {
        return Ok(usize::MAX);
    }
    let read = format!("SELECT CAST(@@SESSION.max_allowed_packet AS UNSIGNED){ALL}");
    let rows = transaction.read(read).await?;
    let most = rows.first().map(|row| number_at(row, 0)).transpose()?.unwrap_or(0);
    Ok(usize::try_from(most).unwrap_or(usize::MAX))
}
