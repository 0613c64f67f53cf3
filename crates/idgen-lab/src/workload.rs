//! When the ids of a load are made, in simulated time.

use idgen::Timestamp;
use idgen::source::{Entropy, FixedEntropy};
use idgen_record::Workload;

use crate::Result;

const TICKS_PER_SEC: u32 = 10_000_000;

/// The simulated moment of the row with this number, where an interval lasts `interval_secs`.
pub fn moment(load: &Workload, row: u64, interval_secs: u64) -> Timestamp {
    let span = u128::from(interval_secs) * u128::from(load.intervals) * u128::from(TICKS_PER_SEC);
    let offset = span * u128::from(row) / u128::from(load.rows);
    let start = Timestamp::from_unix_secs(load.start_unix_secs).unix_ticks();
    Timestamp::from_unix_ticks(start.saturating_add(i64::try_from(offset).unwrap_or(i64::MAX)))
}

/// The moments of rows that arrive at random, independently of each other: a Poisson process.
///
/// Evenly spaced arrivals resonate. At one row a second each visit of a prefix has its rows at the same offsets of the
/// minute, and they meet the same places between the rows of earlier visits: a model of the offset tail had a page
/// fill of 47.8 % at 1 row a second, and of 59.0 % at 1.0000002.
pub(crate) struct Arrivals {
    start_ticks: i64,
    mean_gap_secs: f64,
    secs: f64,
    random: FixedEntropy,
}

impl Arrivals {
    /// So many a second from this moment on. The same seed gives the same moments.
    pub(crate) fn new(start_unix_secs: i64, rate: f64, seed: u64) -> Self {
        let start_ticks = Timestamp::from_unix_secs(start_unix_secs).unix_ticks();
        // Another stream than that of the ids.
        let random = FixedEntropy::new(seed.rotate_left(32) ^ 0xa551_b415);
        Arrivals { start_ticks, mean_gap_secs: rate.recip(), secs: 0.0, random }
    }

    /// When the next row arrives.
    pub(crate) fn next_moment(&mut self) -> Result<Timestamp> {
        // From 53 random bits, above 0 and at most 1.
        let share = ((self.random.next_u64()? >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        self.secs -= self.mean_gap_secs * share.ln();
        let ticks = (self.secs * f64::from(TICKS_PER_SEC)) as i64;
        Ok(Timestamp::from_unix_ticks(self.start_ticks.saturating_add(ticks)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a Poisson process: as many as the rate says, gaps of which 1 in e is longer than the mean, and counts in
    /// equal intervals whose variance is their mean.
    #[test]
    fn arrivals_are_random_and_the_same_for_a_seed() {
        let moments = |seed| -> Vec<i64> {
            let mut arrivals = Arrivals::new(0, 20.0, seed);
            (0..100_000).map(|_| arrivals.next_moment().unwrap().unix_ticks()).collect()
        };
        let first = moments(7);
        assert_eq!(first, moments(7));
        assert_ne!(first, moments(8));
        assert!(first.is_sorted());
        let secs = first[99_999] as f64 / 1e7;
        assert!((4_940.0..5_060.0).contains(&secs), "{secs}");
        let long = first.windows(2).filter(|pair| pair[1] - pair[0] > 500_000).count();
        assert!((36_000..37_600).contains(&long), "{long}");
        let mut counts = [0_u32; 4_900];
        for second in first.iter().map(|ticks| (ticks / 10_000_000) as usize).filter(|at| *at < 4_900) {
            counts[second] += 1;
        }
        let variance = counts.iter().map(|&count| (f64::from(count) - 20.0).powi(2)).sum::<f64>() / 4_900.0;
        assert!((18.0..22.0).contains(&variance), "{variance}");
    }

    #[test]
    fn the_run_spans_its_intervals() {
        let load = Workload::of_rows(4_000).unwrap();
        assert_eq!(moment(&load, 0, 60).to_string(), "2026-01-04T00:00:00Z");
        assert_eq!(moment(&load, 4_000, 60).to_string(), "2026-01-04T00:40:00Z");
        assert_eq!(moment(&load, 2_000, 604_800).mysql_week(), (2026, 21));
        assert_eq!(moment(&load, 1, 60).since(moment(&load, 0, 60)).as_millis(), 600);
    }
}
