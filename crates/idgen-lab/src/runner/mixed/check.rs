//! Checks which strategies and loads allow a mix of operations.

use idgen_record::{Column, Mix, Workload};

use crate::strategy::Strategy;
use crate::{Error, Result};

/// A tenth of fewer rounds is none.
const LEAST_ROUNDS: u64 = 10;
/// The rows that each operation of a round needs. Deletes leave at least half of the rows, so at least half
/// of those are not chosen by another client in a round.
const ROWS_PER_OPERATION: u64 = 4;

/// Refuses a mix of operations that cannot be run with this strategy or load.
///
/// # Errors
/// The error says why, and what to choose instead.
pub fn check(strategy: &Strategy, workload: &Workload) -> Result<()> {
    let Some(mix) = workload.mix else { return Ok(()) };
    mix.check().map_err(|error| Error::config(error.to_string()))?;
    let refused = |why: String| Err(Error::config(format!("the operations {mix} cannot be run: {why}")));
    let existing = workload.existing_rows();
    let clients = workload.writers;
    let rounds = mix.rounds(workload.rows, clients);
    let deleted = rounds * u64::from(mix.delete) * u64::from(clients);
    if existing < Mix::RECENT_ROWS {
        return refused(format!(
            "the table holds {existing} rows before them, and recent rows are the last {}: choose more with --existing",
            Mix::RECENT_ROWS
        ));
    }
    if deleted > existing / 2 {
        return refused(format!(
            "they would delete {deleted} rows, more than half of the {existing} that the table holds before them: choose fewer \
             deletes, or more rows with --existing"
        ));
    }
    if workload.payload_bytes == 0 {
        return refused("rows without a payload have nothing to update: choose --payload 1 or more".into());
    }
    if rounds < LEAST_ROUNDS {
        return refused(format!(
            "each of {clients} clients would have {rounds} rounds of {} operations, and the first tenth is not measured: \
             choose {} rows or more, or fewer clients with --writers",
            Mix::ROUND,
            (LEAST_ROUNDS - 1) * u64::from(mix.insert) * u64::from(clients) + 1
        ));
    }
    let apart = ROWS_PER_OPERATION * u64::from(clients) * u64::from(Mix::ROUND);
    if existing < apart {
        return refused(format!(
            "the table holds {existing} rows before them, too few for {clients} clients that choose different rows at the same \
             time: choose {apart} or more with --existing, or fewer clients with --writers"
        ));
    }
    let apart = [
        (workload.own.is_some(), "--schema"),
        (workload.serializable, "--serializable"),
        (workload.paced, "--paced"),
    ];
    if let Some((_, other)) = apart.iter().find(|(given, _)| *given) {
        return refused(format!("they exclude {other}: leave out one of the two"));
    }
    let is_apart = matches!(strategy.column, Column::Unkeyed16 | Column::TwoIntegers);
    if is_apart || strategy.column.is_mapped() || strategy.ids.is_server_made() {
        return refused(format!(
            "{} has no primary key of one column whose value the client knows; choose strategies whose ids the client makes, or auto-increment",
            strategy.name
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::mixed::mixed_load as load;
    use crate::strategy::find;
    use idgen_record::Existing;

    #[test]
    fn loads_that_cannot_be_run_are_refused_with_what_to_choose() {
        let v4 = find("v4-binary").unwrap();
        check(v4, &load([40, 25, 15, 15, 5])).unwrap();
        check(v4, &Workload { writers: 10, ..load([40, 25, 15, 15, 5]) }).unwrap();
        let few = Some(Existing { ids: None, rows: 999 });
        for (strategy, load, says) in [
            ("v4-binary", Workload { existing: few, ..load([40, 25, 15, 15, 5]) }, "999 rows before"),
            ("v4-binary", load([10, 25, 15, 15, 35]), "delete 14000 rows"),
            ("v4-binary", Workload { payload_bytes: 0, ..load([40, 25, 15, 15, 5]) }, "--payload 1"),
            ("v4-binary", Workload { writers: 12, ..load([40, 25, 15, 15, 5]) }, "choose 4321 rows or more"),
            (
                "v4-binary",
                Workload { writers: 32, rows: 40_000, ..load([90, 0, 0, 9, 1]) },
                "choose 12800 or more",
            ),
            ("v4-binary", Workload { serializable: true, ..load([40, 25, 15, 15, 5]) }, "--serializable"),
            ("mapped", load([40, 25, 15, 15, 5]), "no primary key of one column"),
        ] {
            let error = check(find(strategy).unwrap(), &load).unwrap_err();
            assert!(error.is_config() && error.to_string().contains(says), "{error}");
        }
    }
}
