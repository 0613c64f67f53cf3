//! Loads rows with another kind of id into the table before the run.

use idgen::source::{Entropy, FixedEntropy};

use super::check::Rows;
use crate::cancel::Cancel;
use crate::engine::{Batch, LOAD_ROWS, Table};
use crate::key::Key;
use crate::strategy::{Ids, Strategy};
use crate::{Error, Result};
use idgen_record::{Column, Existing, IdKind, Workload};

/// Rows that are loaded between two checks for cancellation.
const BATCH_ROWS: usize = 10 * LOAD_ROWS;

/// Refuses existing rows whose ids do not fit the column of the strategy that follows them.
///
/// # Errors
/// The error says which ids do not fit, and what to choose.
pub fn check(strategy: &Strategy, workload: &Workload) -> Result<()> {
    let Some(existing) = workload.existing else { return Ok(()) };
    let refused =
        |why: String| Err(Error::config(format!("{} cannot follow existing rows: {why}", strategy.name)));
    if strategy.ids.is_server_made() {
        return refused("the server makes every key of its table, those of the old rows too".into());
    }
    let is_number = |column: Column| matches!(column, Column::CountedInteger | Column::Integer);
    let ids = existing.ids.unwrap_or(strategy.ids);
    let are_numbers = matches!(ids, IdKind::AutoIncrement | IdKind::Device);
    if are_numbers != is_number(strategy.column) {
        let (of_rows, of_column) = match are_numbers {
            true => ("64-bit integers", "128-bit ids"),
            false => ("128-bit ids", "64-bit integers"),
        };
        return refused(format!("they have {of_rows}, and its column takes {of_column}"));
    }
    match (ids, strategy.column) {
        (IdKind::Device, Column::CountedInteger) => {
            refused("its numbers are counted, and would follow those of devices".into())
        }
        _ => Ok(()),
    }
}

/// Inserts the existing rows in the order in which their ids were made, as in a table that grew, and passes the payload
/// of each row to `taken` if rows have a payload.
pub(super) fn load(
    table: &mut dyn Table,
    strategy: &Strategy,
    workload: &Workload,
    cancel: &Cancel,
    inserted: &mut Rows,
    taken: &mut dyn FnMut(&[u8]),
) -> Result<()> {
    let Some(existing) = workload.existing else { return Ok(()) };
    let keys = keys(strategy, workload, existing)?;
    let mut payloads = Vec::new();
    let mut payload_source = FixedEntropy::new(workload.seed.rotate_left(16));
    let mut first = 0;
    for keys in keys.chunks(BATCH_ROWS) {
        cancel.check()?;
        payloads.resize(keys.len() * workload.payload_bytes as usize, 0);
        payload_source.fill(&mut payloads)?;
        let width = workload.payload_bytes.max(1) as usize;
        payloads.chunks_exact(width).for_each(&mut *taken);
        inserted.extend(&table.load(&Batch { first, keys, payloads: &payloads })?);
        first += keys.len() as u64;
    }
    table.begin()
}

/// Generates the keys before the run begins.
fn keys(strategy: &Strategy, workload: &Workload, existing: Existing) -> Result<Vec<Key>> {
    /// Gives another random stream than the seed of the run.
    const SEED: u64 = 0x01d_5eed;
    let count = existing.rows;
    Ok(match (existing.ids.unwrap_or(strategy.ids), strategy.column) {
        (IdKind::AutoIncrement, Column::CountedInteger) => (0..count).map(|_| Key::Assigned).collect(),
        (IdKind::AutoIncrement, _) => (1..=count).map(Key::Uint).collect(),
        (ids, column) => {
            let Strategy { name, title, explains, .. } = *strategy;
            let old = Strategy { name, title, ids, column, explains };
            let interval =
                if ids == IdKind::Week { 7 * 86_400 } else { workload.interval_secs.unwrap_or(60) };
            let intervals = match existing.ids {
                Some(_) => u64::from(workload.intervals),
                // Rows of the same strategy came at the same rate as those of the run.
                None => (u64::from(workload.intervals) * count).div_ceil(workload.rows),
            };
            let intervals = u32::try_from(intervals).unwrap_or(u32::MAX);
            let before = Workload {
                rows: count,
                intervals,
                seed: workload.seed ^ SEED,
                start_unix_secs: workload.start_unix_secs - i64::from(interval) * i64::from(intervals),
                rate: None,
                existing: None,
                ..workload.clone()
            };
            let mut ids = Ids::new(&old, &before)?;
            (0..count).map(|_| ids.next_key()).collect::<Result<_>>()?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::find;

    fn load(ids: IdKind) -> Workload {
        Workload {
            existing: Some(Existing { ids: Some(ids), rows: 2_000 }),
            ..Workload::of_rows(1_000).unwrap()
        }
    }

    #[test]
    fn ids_of_another_width_are_refused() {
        for (strategy, ids, says) in [
            ("v7-binary", IdKind::AutoIncrement, "its column takes 128-bit ids"),
            ("auto-increment", IdKind::V4, "its column takes 64-bit integers"),
            ("auto-increment", IdKind::Device, "are counted"),
            ("v7-server", IdKind::V4, "the server makes every key"),
        ] {
            let error = check(find(strategy).unwrap(), &load(ids)).unwrap_err();
            assert!(error.is_config() && error.to_string().contains(says), "{error}");
        }
        for (strategy, ids) in
            [("v4-text36", IdKind::V4), ("device", IdKind::AutoIncrement), ("mapped", IdKind::V4)]
        {
            check(find(strategy).unwrap(), &load(ids)).unwrap();
        }
    }

    /// Each old id exists once, none of them is an id of the run, and they ascend in time and precede the run.
    #[test]
    fn existing_ids_are_in_order_and_older_than_those_of_the_run() {
        let strategy = find("v7-binary").unwrap();
        for ids in [Some(IdKind::V7), None] {
            old_ids_of(
                strategy,
                &Workload { existing: Some(Existing { ids, rows: 2_000 }), ..load(IdKind::V7) },
            );
        }
    }

    fn old_ids_of(strategy: &Strategy, load: &Workload) {
        let mut old = keys(strategy, load, load.existing.unwrap()).unwrap();
        assert!(old.is_sorted());
        old.dedup();
        assert_eq!(old.len(), 2_000);
        let first = Ids::new(strategy, load).unwrap().next_key().unwrap();
        assert!(old.last().unwrap() < &first);
    }
}
