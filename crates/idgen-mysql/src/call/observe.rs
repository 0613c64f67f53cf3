//! Counters and gauges through the facade `metrics`, and events and spans through `tracing`. docs/mapping.md lists all of
//! them.
//!
//! Events of the level INFO and above contain no UUIDs and no passwords.

use crate::installed::IdWidth;

/// Counts a call of the public interface.
macro_rules! count_call {
    ($call:literal) => {
        metrics::counter!("idgen_map_calls_total", "call" => $call).increment(1)
    };
}
pub(crate) use count_call;

/// Counts UUIDs whose ids came from the cache.
pub(crate) fn cached(uuids: usize) {
    if uuids > 0 {
        metrics::counter!("idgen_map_cached_total").increment(uuids as u64);
    }
}

/// Counts UUIDs that had an id.
pub(crate) fn found(uuids: usize) {
    metrics::counter!("idgen_map_found_total").increment(uuids as u64);
}

/// Counts an attempt that is repeated.
pub(crate) fn retried() {
    metrics::counter!("idgen_map_retries_total").increment(1);
}

/// Counts a wait until the server's log is on disk.
pub(crate) fn waited_for_log() {
    metrics::counter!("idgen_map_log_waits_total").increment(1);
}

/// Counts ids that were reserved and are not used any more.
pub(crate) fn burned(ids: u64) {
    metrics::counter!("idgen_map_ids_burned_total").increment(ids);
}

/// Reports how many reserved ids a client holds.
pub(crate) fn block_left(table: &str, ids: u64) {
    metrics::gauge!("idgen_map_block_left", "table" => table.to_owned()).set(ids as f64);
}

/// Counts references to rows that have not arrived, and those whose rows have arrived.
pub(crate) fn references(opened: u64, resolved: u64) {
    metrics::counter!("idgen_sync_references_opened_total").increment(opened);
    metrics::counter!("idgen_sync_references_resolved_total").increment(resolved);
}

/// Counts a change that a device sent, by the name of its outcome.
pub(crate) fn change(outcome: &'static str) {
    metrics::counter!("idgen_sync_changes_total", "outcome" => outcome).increment(1);
}

/// Reports how many references are open, as they were last listed.
pub(crate) fn open_references(count: usize) {
    metrics::gauge!("idgen_sync_open_references").set(count as f64);
}

/// A connection that is in use, until this value is dropped.
#[derive(Debug)]
pub(crate) struct InUse(());

impl InUse {
    pub(crate) fn begin() -> InUse {
        metrics::gauge!("idgen_map_connections_in_use").increment(1);
        InUse(())
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        metrics::gauge!("idgen_map_connections_in_use").decrement(1);
    }
}

/// The shares of the ids, in percent, at which a client warns.
const SHARES: [u8; 2] = [95, 80];

/// The largest share at which to warn if all ids up to this one are reserved.
pub(crate) fn share_to_warn_at(largest: u64, width: IdWidth) -> Option<u8> {
    let used = u128::from(largest) * 100;
    SHARES.into_iter().find(|share| used >= u128::from(width.max_id()) * u128::from(*share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_begin_at_80_and_95_percent() {
        for width in [IdWidth::Bits32, IdWidth::Bits64] {
            let at = |permille: u128| (u128::from(width.max_id()) * permille / 1000) as u64;
            assert_eq!(share_to_warn_at(at(799), width), None);
            assert_eq!(share_to_warn_at(at(801), width), Some(80));
            assert_eq!(share_to_warn_at(at(949), width), Some(80));
            assert_eq!(share_to_warn_at(at(951), width), Some(95));
            assert_eq!(share_to_warn_at(width.max_id(), width), Some(95));
        }
    }
}
