//! When the ids of a load are made, in simulated time.

use idgen::Timestamp;
use idgen_record::Workload;

/// The simulated moment of the row with this number, where an interval lasts `interval_secs`.
pub fn moment(load: &Workload, row: u64, interval_secs: u64) -> Timestamp {
    const TICKS_PER_SEC: u128 = 10_000_000;
    let span = u128::from(interval_secs) * u128::from(load.intervals) * TICKS_PER_SEC;
    let offset = span * u128::from(row) / u128::from(load.rows);
    let start = Timestamp::from_unix_secs(load.start_unix_secs).unix_ticks();
    Timestamp::from_unix_ticks(start.saturating_add(i64::try_from(offset).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_spans_its_intervals() {
        let load = Workload::of_rows(4_000).unwrap();
        assert_eq!(moment(&load, 0, 60).to_string(), "2026-01-04T00:00:00Z");
        assert_eq!(moment(&load, 4_000, 60).to_string(), "2026-01-04T00:40:00Z");
        assert_eq!(moment(&load, 2_000, 604_800).mysql_week(), (2026, 21));
        assert_eq!(moment(&load, 1, 60).since(moment(&load, 0, 60)).as_millis(), 600);
    }
}
