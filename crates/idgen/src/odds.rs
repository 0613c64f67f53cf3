//! The probability that two ids ever coincide.
//!
//! Each kind is reduced to a count of *pairs* that could coincide and the probability that one such
//! pair does; the number of coincidences is then close to a Poisson variable, so that
//! `p = 1 - exp(-expected)`. This is the birthday bound; see RFC 9562 section 6.7 on collisions, and
//! W. Feller, "An Introduction to Probability Theory and Its Applications", II.3.
//!
//! The devices are independent of each other: each has generators of its own, an exact clock (the
//! worst case) and makes ids at random moments at the same mean rate. Ids of one generator never
//! coincide by construction where the kind has a counter.

use crate::error::{Error, Result};
use crate::interval::Interval;
use crate::kind::Kind;

/// How many devices make ids, how fast and for how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fleet {
    /// Devices, each with generators of its own.
    pub devices: u64,
    /// Ids a second, on each device.
    pub rate_per_sec: f64,
    /// How long they make ids, in years of 365.25 days.
    pub years: f64,
}

/// What [`odds`] answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// Ids that the fleet makes in all.
    pub ids: f64,
    /// Pairs of ids that coincide, on average. (For kinds whose node is fixed for a device: pairs of
    /// devices that ever repeat each other.)
    pub expected_collisions: f64,
    /// The probability that at least one pair coincides.
    pub probability: f64,
    /// The formula, in words and symbols.
    pub formula: &'static str,
}

/// More ids a second, or years, than this would overflow the formulas on their way.
const MOST: f64 = 1e30;
const SECS_PER_YEAR: f64 = 365.25 * 86_400.0;

/// The probability that a fleet ever makes an id twice.
///
/// With `N` ids in all, `D` devices at `r` ids a second each over `T` seconds:
///
/// | kind | expected collisions |
/// |---|---|
/// | v4 | `N²/2 · 2^-122` |
/// | week, prefixed (random tail) | `(same bucket + other buckets / 2^16) · 2^-106`, in pairs |
/// | v7, ulid | `D²/2 · (r·u)² · T/u · 2^-b`, `u` = 1 ms; `b` = 73 (25 + 48), 79 (25 + 54) |
/// | prefixed, ascending | the same with `b` = 73 (27 + 6 + 40), prefix alike |
/// | v1, v6 | `D²/2 · 2^-47 · (1 - exp(-(r·u)² · T/u · 2^-13))`, `u` = 100 ns |
/// | short | `D²/2 · 2^-16 · (1 - exp(-T · overlap))`, `overlap` of two runs of `r` in 65,536 |
/// | mysql-short | as many servers as ids: 0 up to 256, then pairs that share id and second |
///
/// `prefixed` is reckoned with the day as interval; [`odds_prefixed`] takes another.
///
/// ```
/// use idgen::{Fleet, Kind, odds};
///
/// // A thousand million random ids a second for a year: about one chance in ten thousand.
/// let fleet = Fleet { devices: 1, rate_per_sec: 1e9, years: 1.0 };
/// let p = odds(Kind::V4, fleet)?.probability;
/// assert!((0.9e-4..1.0e-4).contains(&p), "{p}");
/// # Ok::<(), idgen::Error>(())
/// ```
///
/// # Errors
/// Where a number is negative, not finite or above 10^30, or the fleet has no device.
pub fn odds(kind: Kind, fleet: Fleet) -> Result<Odds> {
    odds_prefixed(kind, fleet, Interval::Day, true)
}

/// As [`odds`], for prefixed ids of this interval, with an ascending tail or a random one.
///
/// # Errors
/// As [`odds`].
pub fn odds_prefixed(kind: Kind, fleet: Fleet, interval: Interval, ascending: bool) -> Result<Odds> {
    let Fleet { devices, rate_per_sec, years } = fleet;
    for (value, problem) in
        [(rate_per_sec, "no fleet makes ids at the rate"), (years, "no fleet runs for the years")]
    {
        if !value.is_finite() || value < 0.0 {
            return Err(Error::config(problem, value, "give a finite number, 0 or more"));
        }
    }
    if devices == 0 {
        return Err(Error::config("no fleet has so few devices:", devices, "give at least 1"));
    }
    let secs = years * SECS_PER_YEAR;
    let d = devices as f64;
    let ids = d * rate_per_sec * secs;
    if rate_per_sec > MOST || years > MOST {
        let value = rate_per_sec.max(years);
        return Err(Error::config("no fleet needs the number", value, "give rates and years up to 10^30"));
    }
    let device_pairs = d * (d - 1.0) / 2.0;
    let same_unit = |unit: f64| (rate_per_sec * unit).powi(2) * (secs / unit);
    let (expected_collisions, formula) = match kind {
        Kind::V4 => (pairs(ids) * bits(122), "N(N-1)/2 · 2^-122"),
        Kind::Week => (bucketed(ids, secs, Interval::Week), RANDOM_TAIL),
        Kind::Prefixed if !ascending => (bucketed(ids, secs, interval), RANDOM_TAIL),
        Kind::V7 => (device_pairs * same_unit(1e-3) * bits(73), "D(D-1)/2 · (r·1ms)² · T/1ms · 2^-73"),
        Kind::Ulid => (device_pairs * same_unit(1e-3) * bits(79), "D(D-1)/2 · (r·1ms)² · T/1ms · 2^-79"),
        Kind::Prefixed => (device_pairs * same_unit(1e-3) * bits(73), "D(D-1)/2 · (r·1ms)² · T/1ms · 2^-73"),
        Kind::V1 | Kind::V6 => (
            device_pairs * bits(47) * at_least_one(same_unit(1e-7) * bits(13)),
            "D(D-1)/2 · 2^-47 · (1 - exp(-(r·100ns)² · T/100ns · 2^-13))",
        ),
        Kind::Short => (
            device_pairs * bits(16) * at_least_one(secs * overlap(rate_per_sec)),
            "D(D-1)/2 · 2^-16 · (1 - exp(-T · overlap of two runs of r in 65,536))",
        ),
        Kind::MysqlShort => (
            servers(devices) * (2.0 * (rate_per_sec * secs / 16_777_216.0).max(1.0) / secs.max(1.0)).min(1.0),
            "0 up to 256 servers; beyond, pairs with one server id · min(1, 2·max(1, rT/2^24)/T)",
        ),
    };
    Ok(Odds { ids, expected_collisions, probability: at_least_one(expected_collisions), formula })
}

const RANDOM_TAIL: &str = "(pairs in one bucket + pairs in two / 65,536) · 2^-106";

fn bits(count: i32) -> f64 {
    2f64.powi(-count)
}

fn pairs(count: f64) -> f64 {
    (count * (count - 1.0) / 2.0).max(0.0)
}

/// `1 - exp(-x)`, exact for small `x` too.
fn at_least_one(expected: f64) -> f64 {
    -(-expected).exp_m1()
}

/// Random tails of 106 bits behind a hashed prefix of 16.
fn bucketed(ids: f64, secs: f64, interval: Interval) -> f64 {
    let buckets = (secs / interval.longest().as_secs_f64()).max(1.0);
    let same = (buckets * pairs(ids / buckets)).max(0.0);
    let other = (pairs(ids) - same).max(0.0);
    (same + other * bits(16)) * bits(106)
}

/// The probability that within one second two devices with one node use one counter value.
///
/// A device that makes `r` ids in the second covers `r` consecutive of 65,536 values; two such runs
/// meet for `2r - 1` of the 65,536 distances. Below one id a second, both must make one at all.
fn overlap(rate: f64) -> f64 {
    let run = rate.clamp(1.0, 65_536.0);
    let active = rate.min(1.0);
    active * active * ((2.0 * run - 1.0) / 65_536.0).min(1.0)
}

/// Pairs of servers that share the low byte of their id, where they are numbered one after the other.
fn servers(devices: u64) -> f64 {
    let (each, more) = ((devices / 256) as f64, (devices % 256) as f64);
    more * pairs(each + 1.0) + (256.0 - more) * pairs(each)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Entropy, FixedEntropy};
    use std::collections::HashSet;

    fn p(kind: Kind, devices: u64, rate_per_sec: f64, years: f64) -> f64 {
        odds(kind, Fleet { devices, rate_per_sec, years }).unwrap().probability
    }

    #[test]
    fn known_values() {
        // 2.71e18 random ids: one chance in two (RFC 9562's 122 bits; sqrt(2 ln 2) · 2^61).
        let half = p(Kind::V4, 1, 2.715e18 / SECS_PER_YEAR, 1.0);
        assert!((half - 0.5).abs() < 0.001, "{half}");
        for kind in [Kind::V1, Kind::V6, Kind::V7, Kind::Ulid, Kind::Prefixed, Kind::Short, Kind::MysqlShort]
        {
            assert_eq!(p(kind, 1, 1e6, 10.0), 0.0, "{kind}: one generator never repeats");
        }
        assert_eq!(p(Kind::MysqlShort, 256, 10.0, 1.0), 0.0);
        assert!(p(Kind::MysqlShort, 257, 10.0, 1.0) > 0.0);
        assert!(p(Kind::Week, 100, 100.0, 1.0) > p(Kind::V4, 100, 100.0, 1.0));
    }

    #[test]
    fn odds_rise_with_everything() {
        for kind in Kind::ALL {
            let base = p(kind, 1_000, 100.0, 1.0);
            for more in [p(kind, 2_000, 100.0, 1.0), p(kind, 1_000, 200.0, 1.0)] {
                assert!(more >= base && (0.0..=1.0).contains(&more), "{kind}: {base} {more}");
            }
        }
    }

    #[test]
    fn bad_fleets_are_refused() {
        for (devices, rate_per_sec, years) in
            [(0, 1.0, 1.0), (1, -1.0, 1.0), (1, 1.0, f64::NAN), (1, f64::INFINITY, 1.0), (1, 1e31, 0.0)]
        {
            let error = odds(Kind::V4, Fleet { devices, rate_per_sec, years }).unwrap_err();
            assert!(error.is_config(), "{error}");
        }
    }

    #[test]
    fn the_largest_fleets_have_finite_odds() {
        for kind in Kind::ALL {
            for (devices, rate_per_sec, years) in
                [(u64::MAX, MOST, MOST), (1, MOST, MOST), (u64::MAX, MOST, 0.0), (u64::MAX, 0.0, MOST)]
            {
                let o = odds(kind, Fleet { devices, rate_per_sec, years }).unwrap();
                assert!(o.ids.is_finite() && o.expected_collisions.is_finite(), "{kind}: {o:?}");
                assert!((0.0..=1.0).contains(&o.probability), "{kind}: {o:?}");
            }
        }
    }

    /// Random ids of 20 bits, drawn many times, collide as often as the formula says.
    #[test]
    fn simulation_of_random_ids() {
        let (trials, count) = (2_000, 1_024);
        let mut entropy = FixedEntropy::new(1);
        let hits = (0..trials)
            .filter(|_| {
                let mut seen = HashSet::new();
                (0..count).any(|_| !seen.insert(entropy.next_u64().unwrap() as u32 >> 12))
            })
            .count();
        let foretold = at_least_one(pairs(count as f64) * bits(20));
        let found = hits as f64 / trials as f64;
        // Four standard deviations.
        assert!((found - foretold).abs() < 4.0 * (foretold * (1.0 - foretold) / trials as f64).sqrt());
    }

    /// Two devices, counters of 8 bits from a random start in the lower half and a tail of 4 bits in
    /// each unit of time: the model behind version 7, at a size that can be counted.
    #[test]
    fn simulation_of_counters_with_tails() {
        let (units, per_unit) = (200_000u32, 3u64);
        let mut entropy = FixedEntropy::new(2);
        let mut hits = 0u32;
        for _ in 0..units {
            let mut device = || -> HashSet<(u64, u64)> {
                let start = entropy.next_u64().unwrap() & 0x7F;
                (0..per_unit).map(|i| (start + i, entropy.next_u64().unwrap() & 0xF)).collect()
            };
            let (a, b) = (device(), device());
            hits += a.intersection(&b).count() as u32;
        }
        let foretold = f64::from(units) * (per_unit * per_unit) as f64 * bits(7 + 4);
        assert!((f64::from(hits) - foretold).abs() < 5.0 * foretold.sqrt(), "{hits} {foretold}");
    }

    /// Runs of consecutive counters in a ring, as device ids use them within a second.
    #[test]
    fn simulation_of_overlapping_runs() {
        let (trials, rate) = (200_000u32, 1_000u64);
        let mut entropy = FixedEntropy::new(3);
        let hits = (0..trials)
            .filter(|_| {
                let distance = entropy.next_u64().unwrap() % 65_536;
                distance < rate || distance > 65_536 - rate
            })
            .count();
        let foretold = f64::from(trials) * overlap(rate as f64);
        assert!((hits as f64 - foretold).abs() < 5.0 * foretold.sqrt(), "{hits} {foretold}");
    }
}
