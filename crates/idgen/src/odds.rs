//! The probability that two ids ever coincide.
//!
//! For each kind, the formula counts the *pairs* of ids that could coincide, and multiplies by the probability that one
//! such pair does. Where the pairs are nearly independent, the number of coincidences is close to a Poisson variable, so
//! that `p = 1 - exp(-expected)`. This is the birthday bound; see RFC 9562 section 6.7 on collisions, and W. Feller, "An
//! Introduction to Probability Theory and Its Applications", II.3. Where a device has a fixed node, `p` counts the pairs of
//! *devices* that ever repeat each other's ids instead: see the module `repeating`.
//!
//! The devices are independent of each other: each has generators of its own, an exact clock (the
//! worst case) and makes ids at random moments at the same mean rate. Ids of one generator never
//! coincide, by construction, if the kind has a counter.

mod repeating;

use crate::error::{Error, Result};
use crate::generator::Tail;
use crate::interval::Interval;
use crate::kind::{Collisions, IN_ONE_MS_61, IN_ONE_MS_73, Kind};
use crate::prefix::{Prefix, PrefixKind};
use repeating::Repeating;

/// A fleet: the number of devices that generate ids, their rate, and the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fleet {
    /// Devices, each with generators of its own.
    pub devices: u64,
    /// Ids per second, on each device.
    pub rate_per_sec: f64,
    /// The time for which they generate ids, in years of 365.25 days.
    pub years: f64,
}

/// The result of [`odds`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Odds {
    /// Ids that the fleet generates in all.
    pub ids: f64,
    /// Pairs of equal ids, on average.
    pub expected_collisions: f64,
    /// The probability that at least one pair of ids is equal.
    ///
    /// For random ids, it is `1 - exp(-expected)`. It is lower for kinds whose node is fixed for a device: there, two
    /// devices that repeat each other's ids do so again and again.
    pub probability: f64,
    /// The formula of the expected pairs, in words and symbols.
    pub formula: &'static str,
}

/// With more ids per second, or years, than this, the formulas could overflow.
const MOST: f64 = 1e30;
const SECS_PER_YEAR: f64 = 365.25 * 86_400.0;

/// The probability that a fleet ever generates an id twice.
///
/// With `N` ids in all, `D` devices at `r` ids a second each over `T` seconds:
///
/// | kind | expected collisions |
/// |---|---|
/// | v4 | `N²/2 · 2^-122` |
/// | week, prefixed with md5-week (random tail) | `(same interval + other intervals / 2^16) · 2^-106`, in pairs |
/// | prefixed with sequential or keyed (random tail) | `(same interval + other rounds / 2^16) · 2^-106`, in pairs |
/// | v7, ulid | `D²/2 · (r·u)² · T/u · 2^-b`, `u` = 1 ms; `b` = 73 (12 + 13 + 48), 79 (25 + 54) |
/// | prefixed, ascending | the same with `b` = 61 (12 + 17 + 32), or 73 (12 + 21 + 40) with a keyed prefix |
/// | prefixed, ascending, named writers | at most the same with `b` = 73 (12 + 12 + 17 + 32) |
/// | fixed-prefix | the same with `b` = 46 (12 + 10 + 24) behind 32 bits; 61 behind at most 16 |
/// | v1, v6 | `D²/2 · (r·u)² · T/u · 2^-60` (47 + 13), `u` = 100 ns |
/// | short | `D²/2 · T · r² · 2^-32` (16 + 16), `r` at most 65,536 |
/// | mysql-short | 0 up to 256 servers; beyond, the pairs with one server id, times the numbers that two starts share |
///
/// The first 12 of these bits are the fraction of the millisecond, except for ULIDs. Two ids of one millisecond have the same fraction
/// as often as two random numbers of 12 bits are equal, so it counts as random bits do, also where a clock is coarser and the bits are
/// random. The expected number is the same if devices generate their ids in batches.
///
/// All of these are pairs of ids. Two devices of the last three rows that repeat each other's ids do so many times: the
/// probability that it ever happens is that of such a pair of devices. With version 1, both have the same random node
/// (2^-47), and first clock sequences that are so close that the ids of a tick overlap (at least 2^-13). With `short`, both
/// have the same 16 bits of the node, and counters that overlap in some second. Two servers of `mysql-short` with one id
/// start so close together that the later one begins with a number that the earlier one has used: in the same second, or
/// within the `rT / 2^24` seconds of numbers that the earlier one uses up.
///
/// A hash may map two intervals to one prefix. Within a round of 65,536 intervals, a sequential or keyed prefix never
/// does so; in each other round, one interval has the prefix again. All devices have the same key.
///
/// Each named writer ([`PrefixKey::for_writer`](crate::PrefixKey::for_writer)) has a permutation of its own. Two writers
/// have one prefix in different intervals of a round. Their offsets in these intervals coincide as often as without
/// names, or less often if the fleet runs for less than a round. When they coincide, the two tags of 12 bits are the
/// same once in 4,096 times, which makes up for the 12 bits by which the tails are less random. Generators that share
/// one name share its tags too: for them `b` is 61. After a sequential prefix
/// ([`Prefix::SequentialOf`](crate::Prefix::SequentialOf)) the writers of an interval share prefix and offset, and two names have
/// one tag once in 4,096 times, so `b` is 73 there too, and 61 for two writers that do have one tag.
///
/// `prefixed` stands for what [`prefixed`](crate::prefixed) makes; [`odds_prefixed`] takes other choices.
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
/// If a number is negative, not finite or above 10^30, or the fleet has no device.
pub fn odds(kind: Kind, fleet: Fleet) -> Result<Odds> {
    let Totals { device_pairs, ids, secs } = fleet.totals()?;
    let Fleet { devices, rate_per_sec, .. } = fleet;
    Ok(match kind.collisions() {
        Collisions::Random => Odds::new(ids, pairs(ids) * bits(122), "N(N-1)/2 · 2^-122"),
        Collisions::Week => Odds::new(ids, hashed(ids, secs, Interval::Week), HASHED),
        Collisions::Counted(random, formula) => {
            Odds::new(ids, device_pairs * fleet.in_one_unit(1e-3) * bits(random), formula)
        }
        Collisions::Node => {
            let one = Repeating::nodes(rate_per_sec * 1e-7, secs / 1e-7, 1 << 13).with_chance(bits(47));
            one.odds(ids, device_pairs, "D(D-1)/2 · (r·100ns)² · T/100ns · 2^-60")
        }
        Collisions::Device => {
            let one = Repeating::counters(rate_per_sec, secs, 1 << 16).with_chance(bits(16));
            one.odds(ids, device_pairs, "D(D-1)/2 · T·r² · 2^-32")
        }
        Collisions::Servers => {
            let one = Repeating::starts(rate_per_sec * secs, secs, 1 << 24);
            one.odds(ids, servers(devices), SERVERS)
        }
    })
}

/// Like [`odds`], for prefixed ids with this kind of prefix, interval and tail.
///
/// ```
/// use idgen::{Fleet, Interval, PrefixKind, odds_prefixed, generator::Tail};
///
/// let fleet = Fleet { devices: 100, rate_per_sec: 1e4, years: 10.0 };
/// let of = |prefix| odds_prefixed(fleet, prefix, Interval::Week, Tail::RandomV4).map(|o| o.expected_collisions);
/// // No two weeks of these ten years have the same keyed prefix; some have the same MD5 prefix.
/// assert!(of(PrefixKind::Keyed)? < of(PrefixKind::Md5Week)?);
/// # Ok::<(), idgen::Error>(())
/// ```
///
/// # Errors
/// The errors of [`odds`]; also if `md5-week` has an interval other than the week.
pub fn odds_prefixed(fleet: Fleet, prefix: PrefixKind, interval: Interval, tail: Tail) -> Result<Odds> {
    let Totals { device_pairs, ids, secs } = fleet.totals()?;
    if prefix == PrefixKind::Md5Week {
        Prefix::MD5_WEEK_UTC.check(interval)?;
    }
    let (expected_collisions, formula) = match (tail, prefix) {
        (Tail::RandomV4 | Tail::RandomV8, PrefixKind::Md5Week) => (hashed(ids, secs, interval), HASHED),
        (Tail::RandomV4 | Tail::RandomV8, PrefixKind::Sequential | PrefixKind::Keyed) => {
            (permuted(ids, secs, interval), PERMUTED)
        }
        (Tail::Ascending, PrefixKind::Md5Week | PrefixKind::Sequential) => {
            (device_pairs * fleet.in_one_unit(1e-3) * bits(61), IN_ONE_MS_61)
        }
        (Tail::Ascending, PrefixKind::Keyed) => {
            (device_pairs * fleet.in_one_unit(1e-3) * bits(73), IN_ONE_MS_73)
        }
    };
    Ok(Odds::new(ids, expected_collisions, formula))
}

/// The figures that follow from a fleet.
struct Totals {
    device_pairs: f64,
    ids: f64,
    secs: f64,
}

impl Fleet {
    fn totals(self) -> Result<Totals> {
        let Fleet { devices, rate_per_sec, years } = self;
        for (value, problem) in
            [(rate_per_sec, "the rate cannot be"), (years, "the number of years cannot be")]
        {
            if !value.is_finite() || value < 0.0 {
                return Err(Error::config(problem, value, "give a finite number, 0 or more"));
            }
        }
        if devices == 0 {
            return Err(Error::config("the number of devices is too small:", devices, "give at least 1"));
        }
        let secs = years * SECS_PER_YEAR;
        let d = devices as f64;
        let ids = d * rate_per_sec * secs;
        if rate_per_sec > MOST || years > MOST {
            let value = rate_per_sec.max(years);
            return Err(Error::config(
                "this number is too large:",
                value,
                "give rates and years up to 10^30",
            ));
        }
        Ok(Totals { device_pairs: d * (d - 1.0) / 2.0, ids, secs })
    }

    /// The number of pairs of ids of two devices that fall into one unit of time.
    fn in_one_unit(self, unit: f64) -> f64 {
        (self.rate_per_sec * unit).powi(2) * (self.years * SECS_PER_YEAR / unit)
    }
}

impl Odds {
    fn new(ids: f64, expected_collisions: f64, formula: &'static str) -> Self {
        Odds { ids, expected_collisions, probability: at_least_one(expected_collisions), formula }
    }
}
const SERVERS: &str = "0 up to 256 servers; beyond, pairs with one server id · (rT/T + Σ 2(T-k)/T² · (rT - k·2^24)), k = 1, 2, … while positive";
const HASHED: &str = "(pairs in one interval + pairs in two / 65,536) · 2^-106";
const PERMUTED: &str = "(pairs in one interval + pairs in two rounds / 65,536) · 2^-106";

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

/// Random tails of 106 bits after a hashed prefix of 16.
fn hashed(ids: f64, secs: f64, interval: Interval) -> f64 {
    let same = within(ids, secs, interval.longest().as_secs_f64());
    let other = (pairs(ids) - same).max(0.0);
    (same + other * bits(16)) * bits(106)
}

/// The odds after a permutation of the intervals of each round: two intervals share a prefix only if they are of
/// different rounds.
fn permuted(ids: f64, secs: f64, interval: Interval) -> f64 {
    let interval_secs = interval.longest().as_secs_f64();
    let same = within(ids, secs, interval_secs);
    let other_rounds = (pairs(ids) - within(ids, secs, interval_secs * 65_536.0)).max(0.0);
    (same + other_rounds * bits(16)) * bits(106)
}

/// Pairs of ids that fall into one span of this length.
fn within(ids: f64, secs: f64, span_secs: f64) -> f64 {
    let spans = (secs / span_secs).max(1.0);
    spans * pairs(ids / spans)
}

/// Pairs of servers that share the low byte of their id, if their ids are consecutive numbers.
fn servers(devices: u64) -> f64 {
    let (each, more) = ((devices / 256) as f64, (devices % 256) as f64);
    more * pairs(each + 1.0) + (256.0 - more) * pairs(each)
}

#[cfg(test)]
mod tests;
