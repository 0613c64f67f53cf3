//! Measures how far a server's clock is from that of this machine, as NTP does.

use std::time::{Duration, Instant, SystemTime};

use crate::{Error, Result};

/// How far two clocks differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skew {
    /// By how many microseconds the server's clock is ahead of this machine's; negative if it is behind.
    pub ahead_micros: i64,
    /// The true difference is at most this many microseconds from `ahead_micros`: half of the fastest round trip.
    pub within_micros: i64,
}

/// The number of questions. The fastest answer counts.
const ROUNDS: u32 = 25;

/// Asks for the server's time, in microseconds since 1970. The server read its clock at some moment of the round trip, most
/// likely in the middle. The shortest round trip says it best.
pub(in crate::engine) async fn measure(mut now: impl AsyncFnMut() -> Result<i64>) -> Result<Skew> {
    let mut best = None;
    for _ in 0..ROUNDS {
        let (began, clock) = (micros(SystemTime::now())?, Instant::now());
        let server = now().await?;
        let skew = of_round(began, clock.elapsed(), server);
        if best.is_none_or(|best: Skew| skew.within_micros < best.within_micros) {
            best = Some(skew);
        }
    }
    best.ok_or_else(|| Error::mistake("the server's clock was never read"))
}

/// The difference that one round trip shows, which began at this time of this machine's clock.
fn of_round(began: i64, took: Duration, server: i64) -> Skew {
    let half = i64::try_from(took.as_micros() / 2).unwrap_or(i64::MAX / 4);
    Skew { ahead_micros: server - (began + half), within_micros: half + 1 }
}

/// Microseconds since 1970.
pub(crate) fn micros(time: SystemTime) -> Result<i64> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok();
    since.and_then(|since| i64::try_from(since.as_micros()).ok()).ok_or_else(|| {
        Error::config("the clock of this machine is before 1970: set it".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_round_trip_is_the_moment_of_the_answer() {
        let skew = of_round(1_000_000, Duration::from_micros(300), 1_005_150);
        assert_eq!(skew, Skew { ahead_micros: 5_000, within_micros: 151 });
    }

    #[test]
    fn the_fastest_answer_counts() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut round = 0;
        let skew = runtime
            .block_on(measure(async || {
                round += 1;
                // A slow way there, except once: the clock of such an answer is late by half of the way.
                let slow = if round == 7 { 0 } else { 4 };
                std::thread::sleep(Duration::from_millis(slow));
                Ok(micros(SystemTime::now())? - 250_000)
            }))
            .unwrap();
        assert!((skew.ahead_micros + 250_000).abs() <= skew.within_micros + 1, "{skew:?}");
        assert!(skew.within_micros < 2_000, "{skew:?}");
    }
}
