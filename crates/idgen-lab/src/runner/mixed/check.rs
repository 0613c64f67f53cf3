//! Which strategies and loads allow a mix of operations.

use idgen_record::{Column, Mix, Workload};

use crate::strategy::Strategy;
use crate::{Error, Result};

/// Refuses a mix of operations that cannot be run with this strategy or load.
///
/// # Errors
/// The error says why, and what to choose instead.
pub fn check(strategy: &Strategy, workload: &Workload) -> Result<()> {
    let Some(mix) = workload.mix else { return Ok(()) };
    mix.check().map_err(|error| Error::config(error.to_string()))?;
    let refused = |why: String| Err(Error::config(format!("the operations {mix} cannot be run: {why}")));
    let existing = workload.existing_rows();
    let deleted = mix.rounds(workload.rows) * u64::from(mix.delete);
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
    if workload.writers > 1 {
        return refused(format!(
            "one client carries them out, not {}: leave out --writers",
            workload.writers
        ));
    }
    let apart = [
        (workload.own.is_some(), "--schema"),
        (workload.visits.is_some(), "visits"),
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
        let few = Some(Existing { ids: None, rows: 999 });
        for (strategy, load, says) in [
            ("v4-binary", Workload { existing: few, ..load([40, 25, 15, 15, 5]) }, "999 rows before"),
            ("v4-binary", load([10, 25, 15, 15, 35]), "delete 14000 rows"),
            ("v4-binary", Workload { payload_bytes: 0, ..load([40, 25, 15, 15, 5]) }, "--payload 1"),
            ("v4-binary", Workload { writers: 2, ..load([40, 25, 15, 15, 5]) }, "leave out --writers"),
            ("v4-binary", Workload { serializable: true, ..load([40, 25, 15, 15, 5]) }, "--serializable"),
            ("mapped", load([40, 25, 15, 15, 5]), "no primary key of one column"),
        ] {
            let error = check(find(strategy).unwrap(), &load).unwrap_err();
            assert!(error.is_config() && error.to_string().contains(says), "{error}");
        }
    }
}
