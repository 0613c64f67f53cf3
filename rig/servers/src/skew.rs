//! The difference between a server's clock and this machine's.

use std::time::{Duration, SystemTime};

use crate::error::Error;
use crate::sql::{self, Link, TIMEOUT};
use crate::url::redacted;
use idgen_database::Database;

/// The difference of two clocks, as a client of the network can measure it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skew {
    /// The seconds by which the server's clock is ahead of this machine's; negative if it is behind.
    pub ahead: f64,
    /// The actual difference is at most this far from `ahead`, in seconds, if neither clock was set during the measurement.
    pub within: f64,
    /// The shortest time between a question and its answer.
    pub round_trip: Duration,
}

/// A question to the server: this machine's clock before it and after the answer, and the server's clock in between, in
/// microseconds since 1970.
#[derive(Clone, Copy, Debug)]
struct Probe {
    asked: i64,
    server: i64,
    answered: i64,
}

/// Servers show whole microseconds, and so do the readings of this machine's clock here.
const ROUNDED: i64 = 1;

impl Skew {
    /// Asks the server for its clock this many times, at least once.
    ///
    /// The server read its clock after the question was sent and before the answer came. Each answer thus bounds the
    /// difference on both sides, as NTP does (RFC 5905 section 8), and the narrowest bounds of all answers are the result.
    ///
    /// # Errors
    /// The server cannot be reached, or its answer is not a time.
    pub fn measure(url: &str, probes: usize) -> Result<Skew, Error> {
        let failed =
            |reason: String| Error::new(format!("cannot read the clock of {}: {reason}", redacted(url)));
        let question = match Database::of_scheme(url) {
            None => return Err(failed("the URL begins with mysql:// or postgres://".into())),
            Some(Database::Postgres) => "SELECT (extract(epoch FROM clock_timestamp()))::text",
            Some(_) => "SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) AS CHAR)",
        };
        let work = async {
            let mut link = Link::open(url).await?;
            if Database::of_scheme(url) != Some(Database::Postgres) {
                // If the time zone of a session has a summer time, an hour of the year occurs twice.
                link.rows("SET time_zone = '+00:00'").await?;
            }
            let mut answers = Vec::new();
            // The first answer takes longest, because the server has not seen the statement before.
            for _ in 0..probes + 1 {
                let asked = micros();
                let rows = link.rows(question).await?;
                answers.push((asked, rows, micros()));
            }
            link.close().await?;
            Ok(answers)
        };
        let answers = sql::runtime().and_then(|runtime| sql::within(&runtime, TIMEOUT, work));
        let mut found = Vec::new();
        for (asked, rows, answered) in
            answers.map_err(|error| failed(crate::Plain::from(error).to_string()))?
        {
            let text = rows.first().and_then(|row| row.first()).map_or("", String::as_str);
            let server = micros_of(text).ok_or_else(|| failed(format!("it answered {text:?}")))?;
            found.push(Probe { asked, server, answered });
        }
        Ok(Skew::of(&found))
    }

    /// Computes the skew from at least one probe.
    fn of(probes: &[Probe]) -> Skew {
        let trip = |probe: &Probe| (probe.answered - probe.asked).max(0);
        let bounds =
            |probe: &Probe| (probe.server - probe.answered - ROUNDED, probe.server - probe.asked + ROUNDED);
        let shortest = probes.iter().min_by_key(|probe| trip(probe)).expect("there is a probe");
        let low = probes.iter().map(|probe| bounds(probe).0).max().unwrap_or_default();
        let high = probes.iter().map(|probe| bounds(probe).1).min().unwrap_or_default();
        // If a clock was set meanwhile, no difference fits all answers.
        let (low, high) = if low <= high { (low, high) } else { bounds(shortest) };
        Skew {
            ahead: (low + high) as f64 / 2e6,
            within: (high - low) as f64 / 2e6,
            round_trip: Duration::from_micros(trip(shortest) as u64),
        }
    }
}

/// This machine's clock.
fn micros() -> i64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_micros() as i64)
}

/// The microseconds of a decimal number of seconds.
fn micros_of(text: &str) -> Option<i64> {
    let (secs, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = fraction.chars().chain("000000".chars()).take(6).collect();
    Some(secs.parse::<i64>().ok()? * 1_000_000 + digits.parse::<u32>().ok().map(i64::from)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seconds_of_servers_are_read() {
        assert_eq!(micros_of("1795262400.123456"), Some(1_795_262_400_123_456));
        assert_eq!(micros_of("1795262400.5"), Some(1_795_262_400_500_000));
        assert_eq!(micros_of("1795262400"), Some(1_795_262_400_000_000));
        for wrong in ["", "NULL", "-", "1.x", "1795262400,5"] {
            assert_eq!(micros_of(wrong), None, "{wrong}");
        }
    }

    /// A server whose clock is 12.3 ms ahead, behind a network of which one way is slow: the bounds contain the difference,
    /// and they are narrower than those of any answer.
    #[test]
    fn answers_bound_the_difference() {
        let ahead = 12_300;
        let probe = |at: i64, there: i64, back: i64| Probe {
            asked: at,
            server: at + there + ahead,
            answered: at + there + back,
        };
        let probes =
            [probe(0, 900, 30), probe(10_000, 40, 800), probe(20_000, 300, 310), probe(30_000, 5_000, 5_000)];
        let skew = Skew::of(&probes);
        assert!((skew.ahead - 0.012_3).abs() <= skew.within, "{skew:?}");
        assert!(skew.within <= 0.000_037, "{skew:?}");
        assert_eq!(skew.round_trip, Duration::from_micros(610));
        let behind = Skew::of(&[Probe { asked: 1_000, server: 500, answered: 1_100 }]);
        assert!(
            (behind.ahead + 0.000_55).abs() < 1e-9 && (behind.within - 0.000_051).abs() < 1e-9,
            "{behind:?}"
        );
    }

    #[test]
    fn a_clock_that_was_set_leaves_the_bounds_of_the_shortest_answer() {
        let probes = [
            Probe { asked: 0, server: 50, answered: 100 },
            Probe { asked: 1_000, server: 9_000_020, answered: 1_040 },
        ];
        let skew = Skew::of(&probes);
        assert!((skew.ahead - 8.999).abs() < 1e-6 && skew.within < 0.000_03, "{skew:?}");
    }
}
