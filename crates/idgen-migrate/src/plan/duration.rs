//! Durations of steps, for people.

use std::time::Duration;

/// Bytes of a table that are copied on trial at the most, about.
const MOST_BYTES: u64 = 64 << 20;

/// Returns the rows of a table that a trial copies: `most`, or as many as have [`MOST_BYTES`] if rows are large. `rows` and `bytes`
/// are the server's estimates of the whole table.
pub(crate) fn rows_of_trial(most: u64, rows: u64, bytes: u64) -> u64 {
    let each = bytes / rows.max(1);
    (MOST_BYTES / each.max(1)).clamp(1, most)
}

/// Returns the seconds that all `known` rows of a table take, if `copied` of them took `took`.
pub(crate) fn seconds_of_all(took: Duration, copied: u64, known: u64) -> f64 {
    took.as_secs_f64() * known.max(copied) as f64 / copied.max(1) as f64
}

/// Says that all rows take `seconds`, and that this follows from a trial in which `rows` of them took `took`.
///
/// The duration of the trial is multiplied, so it leaves out what grows faster than the table, such as pages that do not fit into memory.
pub(crate) fn of_trial(rows: u64, took: Duration, seconds: f64) -> String {
    format!("about {} alone: {rows} rows took {:.0} ms", in_words(seconds), took.as_secs_f64() * 1e3)
}

/// Explains to readers of a plan why the times of trials are too short for a server that others use.
pub(crate) const TRIALS: &str = "Rows were copied on trial into temporary tables, which no log records and nobody else uses: the \
    times are those of a server that does nothing else. Beside eight busy clients, copies took 7 to 14 times as long in our tests, and a table that \
    does not fit into memory takes longer.";

/// Seconds in the unit that a person would use.
pub(crate) fn in_words(seconds: f64) -> String {
    match seconds {
        ..1.5 => "a second".to_owned(),
        ..120.0 => format!("{seconds:.0} seconds"),
        ..7200.0 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.0} hours", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_rows_are_copied_in_small_numbers() {
        assert_eq!(rows_of_trial(5_000, 1_000_000, 100_000_000), 5_000);
        assert_eq!(rows_of_trial(5_000, 1_000, 1_000 << 20), 64);
        assert_eq!(rows_of_trial(5_000, 1, u64::MAX), 1);
        // Statistics of before the first row.
        assert_eq!(rows_of_trial(5_000, 0, 0), 5_000);
    }

    #[test]
    fn a_duration_has_the_unit_of_a_person() {
        let shown: Vec<String> = [0.0, 1.4, 1.6, 119.4, 600.0, 7200.0, 86_400.0].map(in_words).into();
        assert_eq!(
            shown,
            ["a second", "a second", "2 seconds", "119 seconds", "10 minutes", "2 hours", "24 hours"]
        );
    }
}
