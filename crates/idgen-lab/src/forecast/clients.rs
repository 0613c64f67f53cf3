//! The way in which several clients insert: the rows of a statement, and the delay of ids.

use idgen_record::Latency;
use serde::Serialize;

use super::Load;
use crate::{Error, Result};

/// The statements and delays of writers, where rows do not arrive in the order in which their ids are made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Clients {
    /// Rows of a statement, whose ids a client makes at once.
    pub statement_rows: u64,
    /// The time from making the ids of a statement until the server inserts its first row.
    pub delay: Delay,
    /// The time from the insert of the first row of a statement until that of its last one; `None` for that of a server with
    /// nothing else to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Delay>,
}

/// The time that ids wait until they are inserted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delay {
    /// This many milliseconds on average, exponentially distributed.
    MeanMillis(f64),
    /// The distribution that a run of the lab recorded.
    Recorded(Latency),
}

impl Delay {
    /// About the delay of eight clients that inserted 1,000 rows per second one by one on MariaDB, on two busy cores: 65 % of the
    /// recorded time until the acknowledgment (docs/results/2026-11-25/mariadb/clients-paced), which is where the insert comes
    /// if the log is flushed once a second, as there.
    pub const RECORDED: Delay = Delay::Recorded(Latency {
        p50_micros: 314,
        p95_micros: 6_973,
        p99_micros: 17_919,
        max_micros: 81_411,
    });
    /// An hour: no client waits longer for a statement.
    const MOST_MICROS: f64 = 3.6e9;
    /// Percentiles do not say how short the shortest delay is. This many times shorter than the median.
    const SHORTEST: f64 = 3.0;

    /// Refuses what no server does.
    fn check(self, what: &str) -> Result<()> {
        match self {
            Delay::MeanMillis(mean) if !(0.0..=Self::MOST_MICROS / 1_000.0).contains(&mean) => {
                Err(Error::config(format!(
                    "the {what} is {mean} ms: give a number from 0 to {}",
                    Self::MOST_MICROS / 1_000.0
                )))
            }
            Delay::Recorded(Latency { p50_micros, p95_micros, p99_micros, max_micros })
                if !(p50_micros <= p95_micros && p95_micros <= p99_micros && p99_micros <= max_micros) =>
            {
                Err(Error::config(format!(
                    "the percentiles of the {what} do not ascend: {p50_micros}, {p95_micros}, {p99_micros} and {max_micros} µs"
                )))
            }
            _ => Ok(()),
        }
    }

    /// The delay that this share of all statements does not exceed, in microseconds. The share is above 0 and at most 1.
    pub(super) fn micros(self, share: f64) -> f64 {
        let micros = match self {
            Delay::MeanMillis(mean) => -1_000.0 * mean * (1.0 - share).max(f64::EPSILON).ln(),
            Delay::Recorded(latency) => recorded_micros(&latency, share),
        };
        micros.min(Self::MOST_MICROS)
    }

    /// The mean, in microseconds.
    pub(super) fn mean_micros(self) -> f64 {
        const POINTS: u32 = 1_000;
        match self {
            Delay::MeanMillis(mean) => 1_000.0 * mean,
            Delay::Recorded(_) => {
                let share = |point: u32| (f64::from(point) + 0.5) / f64::from(POINTS);
                (0..POINTS).map(|point| self.micros(share(point))).sum::<f64>() / f64::from(POINTS)
            }
        }
    }
}

/// Between two percentiles, the logarithm of the delay grows evenly.
fn recorded_micros(latency: &Latency, share: f64) -> f64 {
    let at = |micros: u64| (micros as f64).max(1.0);
    let median = at(latency.p50_micros);
    let points = [
        (0.0, median / Delay::SHORTEST),
        (0.5, median),
        (0.95, at(latency.p95_micros)),
        (0.99, at(latency.p99_micros)),
        (1.0, at(latency.max_micros)),
    ];
    let above = points.iter().position(|(point, _)| share <= *point).unwrap_or(points.len() - 1).max(1);
    let ((from, low), (to, high)) = (points[above - 1], points[above]);
    let part = ((share - from) / (to - from)).clamp(0.0, 1.0);
    (low.ln() + part * (high.ln() - low.ln())).exp()
}

impl Clients {
    /// The most rows of a statement.
    pub const MAX_STATEMENT_ROWS: u64 = 100_000;

    /// Refuses what no client does.
    pub(crate) fn check(&self) -> Result<()> {
        if !(1..=Self::MAX_STATEMENT_ROWS).contains(&self.statement_rows) {
            return Err(Error::config(format!(
                "a statement has {} rows: give a number from 1 to {}",
                self.statement_rows,
                Self::MAX_STATEMENT_ROWS
            )));
        }
        self.delay.check("delay")?;
        self.span.map_or(Ok(()), |span| span.check("span"))
    }

    /// The inserts per second that this many clients reach, if not at `rate` because each waits for its
    /// statement.
    pub(super) fn reached_rate(&self, writers: u64, rate: f64) -> f64 {
        let secs = self.delay.mean_micros() / 1e6;
        let most = writers as f64 * self.statement_rows as f64 / secs.max(1e-9);
        rate.min(most).max(Load::MIN_RATE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDED: Latency =
        Latency { p50_micros: 500, p95_micros: 4_000, p99_micros: 9_000, max_micros: 40_000 };

    #[test]
    fn delays_have_the_recorded_percentiles() {
        let delay = Delay::Recorded(RECORDED);
        for (share, micros) in [(0.5, 500.0), (0.95, 4_000.0), (0.99, 9_000.0), (1.0, 40_000.0)] {
            assert!((delay.micros(share) / micros - 1.0).abs() < 1e-9, "{share}");
        }
        let all: Vec<f64> = (1..=1_000).map(|step| delay.micros(f64::from(step) / 1_000.0)).collect();
        assert!(all.is_sorted() && all[0] > 166.0, "{all:?}");
        let mean = all.iter().sum::<f64>() / 1_000.0;
        assert!((delay.mean_micros() / mean - 1.0).abs() < 0.05, "{mean}");
        let exponential = Delay::MeanMillis(2.0);
        let mean =
            (0..100_000).map(|step| exponential.micros((f64::from(step) + 0.5) / 1e5)).sum::<f64>() / 1e5;
        assert!((mean / 2_000.0 - 1.0).abs() < 0.01, "{mean}");
    }

    #[test]
    fn clients_that_wait_limit_the_rate() {
        let clients = Clients { statement_rows: 10, delay: Delay::MeanMillis(5.0), span: None };
        assert_eq!(clients.reached_rate(4, 1_000.0), 1_000.0);
        assert!((clients.reached_rate(4, 1e6) - 8_000.0).abs() < 1e-6);
    }

    #[test]
    fn nonsense_is_refused() {
        let delay = Delay::Recorded(Latency { p95_micros: 400, ..RECORDED });
        for bad in [
            Clients { statement_rows: 0, delay: Delay::Recorded(RECORDED), span: None },
            Clients { statement_rows: u64::MAX, delay: Delay::Recorded(RECORDED), span: None },
            Clients { statement_rows: 1, delay: Delay::MeanMillis(-1.0), span: None },
            Clients { statement_rows: 1, delay: Delay::MeanMillis(f64::NAN), span: None },
            Clients { statement_rows: 1, delay, span: None },
            Clients { statement_rows: 1, delay: Delay::Recorded(RECORDED), span: Some(delay) },
        ] {
            assert!(bad.check().unwrap_err().is_config(), "{bad:?}");
        }
    }
}
