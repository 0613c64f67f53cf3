//! The simulated times at which the ids of a load are made.

use idgen::Timestamp;
use idgen::source::{Entropy, FixedEntropy};
use idgen_record::Workload;

use crate::Result;

const TICKS_PER_SEC: u32 = 10_000_000;

/// The simulated time of the row with this number, if an interval lasts `interval_secs`.
pub fn moment(load: &Workload, row: u64, interval_secs: u64) -> Timestamp {
    let span = u128::from(interval_secs) * u128::from(load.intervals) * u128::from(TICKS_PER_SEC);
    let offset = span * u128::from(row) / u128::from(load.rows);
    let start = Timestamp::from_unix_secs(load.start_unix_secs).unix_ticks();
    Timestamp::from_unix_ticks(start.saturating_add(i64::try_from(offset).unwrap_or(i64::MAX)))
}

/// A random number above 0 and at most 1, from 53 random bits.
pub(crate) fn share(random: &mut FixedEntropy) -> Result<f64> {
    Ok(((random.next_u64()? >> 11) + 1) as f64 / (1_u64 << 53) as f64)
}

/// The times of rows that arrive at random, independently of each other: a Poisson process.
///
/// Evenly spaced arrivals resonate with the interval. At one row per second, each visit of a prefix has its rows at the
/// same offsets in the minute, so they always go to the same places between the rows of earlier visits. A model of the
/// offset tail had a page fill of 47.8 % at 1 row per second, and of 59.0 % at 1.0000002.
pub(crate) struct Arrivals {
    start_ticks: i64,
    secs: f64,
    next: Next,
    random: FixedEntropy,
}

/// The rule by which the next time follows from the previous one.
enum Next {
    /// After this many seconds on average.
    After(f64),
    /// This many more rows arrive before this time is over.
    Before { end_secs: f64, left: u64 },
}

impl Arrivals {
    /// This many arrivals per second from this moment on. The same seed gives the same times.
    pub(crate) fn new(start: Timestamp, rate: f64, seed: u64) -> Self {
        Self::of(start, Next::After(rate.recip()), seed)
    }

    /// Arrivals of each of this many clients by itself: all of them together have this many per second.
    pub(crate) fn of_each(start: Timestamp, rate: f64, seed: u64, clients: u64) -> Vec<Self> {
        let of = |client: u64| Self::new(start, rate / clients as f64, seed ^ client.rotate_left(48));
        (0..clients).map(of).collect()
    }

    /// This many arrivals within this many seconds from this moment on: a Poisson process with a known number of rows.
    /// The same seed gives the same times.
    pub(crate) fn within(start: Timestamp, secs: f64, rows: u64, seed: u64) -> Self {
        Self::of(start, Next::Before { end_secs: secs, left: rows }, seed)
    }

    fn of(start: Timestamp, next: Next, seed: u64) -> Self {
        // Gives another random stream than the seed of the ids.
        let random = FixedEntropy::new(seed.rotate_left(32) ^ 0xa551_b415);
        Arrivals { start_ticks: start.unix_ticks(), secs: 0.0, next, random }
    }

    /// The time at which the next row arrives.
    pub(crate) fn next_moment(&mut self) -> Result<Timestamp> {
        let share = share(&mut self.random)?;
        match &mut self.next {
            Next::After(mean_secs) => self.secs -= *mean_secs * share.ln(),
            // The first of the remaining independent arrivals in the remaining time. After the last row, time stands
            // still at the end.
            Next::Before { end_secs, left } => {
                let rest = *end_secs - self.secs;
                let kept = if *left == 0 { 0.0 } else { share.powf((*left as f64).recip()) };
                self.secs = *end_secs - rest * kept;
                *left = left.saturating_sub(1);
            }
        }
        let ticks = (self.secs * f64::from(TICKS_PER_SEC)) as i64;
        Ok(Timestamp::from_unix_ticks(self.start_ticks.saturating_add(ticks)))
    }

    /// Seconds from the start to the last row.
    pub(crate) fn elapsed_secs(&self) -> f64 {
        self.secs
    }
}

/// The arrivals of a load without visits; `None` if they are evenly spaced.
pub(crate) fn arrivals(load: &Workload, interval_secs: u64) -> Option<Arrivals> {
    (load.rate.is_some() || load.random_arrivals).then(|| random_arrivals(load, interval_secs))
}

/// Random arrivals at the rate of a load, or within its intervals.
pub(crate) fn random_arrivals(load: &Workload, interval_secs: u64) -> Arrivals {
    let start = Timestamp::from_unix_secs(load.start_unix_secs);
    match load.rate {
        Some(rate) => Arrivals::new(start, rate, load.seed),
        None => {
            let secs = interval_secs as f64 * f64::from(load.intervals);
            Arrivals::within(start, secs, load.rows, load.seed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btree_model::{Model, Server, Setup, Shape};

    /// Checks the properties of a Poisson process: the rate is as requested, a share of 1/e of the gaps is longer than
    /// the mean, and the variance of counts in equal intervals equals their mean.
    #[test]
    fn arrivals_are_random_and_the_same_for_a_seed() {
        let moments = |seed| -> Vec<i64> {
            let mut arrivals = Arrivals::new(Timestamp::from_unix_secs(0), 20.0, seed);
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

    /// Exactly this many rows arrive in the time. Each part of it has its share of them, with the variance of
    /// independent rows.
    #[test]
    fn the_requested_number_of_rows_arrives_in_the_time() {
        let mut arrivals = Arrivals::within(Timestamp::from_unix_secs(1_000), 400.0, 100_000, 7);
        let offsets: Vec<f64> = (0..100_000)
            .map(|_| (arrivals.next_moment().unwrap().unix_ticks() - 10_000_000_000) as f64 / 1e7)
            .collect();
        assert!(offsets.is_sorted() && offsets[0] >= 0.0 && offsets[99_999] <= 400.0);
        assert!(offsets[0] < 0.1 && offsets[99_999] > 399.9, "{} {}", offsets[0], offsets[99_999]);
        let mut counts = [0_u32; 400];
        offsets.iter().for_each(|secs| counts[(*secs as usize).min(399)] += 1);
        let variance = counts.iter().map(|&count| (f64::from(count) - 250.0).powi(2)).sum::<f64>() / 400.0;
        assert!((190.0..320.0).contains(&variance), "{variance}");
        // After the last row, time stands still.
        assert_eq!(arrivals.next_moment().unwrap().unix_millis(), 1_400_000);
    }

    /// The page fill of 64 prefixes that come again every 64 minutes, followed by the millisecond of the minute and
    /// random bits.
    fn fill_of(moments: impl Iterator<Item = Timestamp>) -> f64 {
        let shape = Shape::clustered(16_384, 16, 100).unwrap();
        let mut model =
            Model::new(&Setup { shape, server: Server::mysql(1 << 30), rate: 1_000.0, commit_rows: 1 })
                .unwrap();
        let mut random = FixedEntropy::new(3);
        for moment in moments {
            let millis = moment.unix_millis();
            let mut key = [0; 16];
            key[..2].copy_from_slice(&((millis / 60_000 % 64) as u16).to_be_bytes());
            key[2..4].copy_from_slice(&((millis % 60_000) as u16).to_be_bytes());
            key[4..12].copy_from_slice(&random.next_u64().unwrap().to_be_bytes());
            model.insert(&key).unwrap();
        }
        100.0 * model.tree().fill.mean
    }

    /// With evenly spaced rows, a rate that divides the minute gives another page fill than one close to it;
    /// with random arrivals it does not.
    #[test]
    fn random_arrivals_do_not_resonate_with_the_interval() {
        const ROWS: u64 = 64 * 60 * 80;
        let even = |rate: f64| {
            fill_of((0..ROWS).map(|row| Timestamp::from_unix_ticks((row as f64 / rate * 1e7) as i64)))
        };
        let random = |rate: f64| {
            let mut arrivals = Arrivals::new(Timestamp::from_unix_secs(0), rate, 7);
            fill_of((0..ROWS).map(|_| arrivals.next_moment().unwrap()))
        };
        let (one, other) = (random(1.0), random(1.000_000_2));
        assert!((one - other).abs() < 0.5, "{one} {other}");
        let (one, other) = (even(1.0), even(1.000_000_2));
        assert!((one - other).abs() > 1.5, "{one} {other}");
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
