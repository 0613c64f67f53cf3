//! Pairs of devices that repeat each other's ids again and again, because what distinguishes them stays the same.

use super::{Odds, at_least_one};

/// The ids that two devices have in common, on average and at all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeating {
    /// The expected number of pairs of equal ids, one of each device.
    pub(super) expected: f64,
    /// The probability that there is at least one.
    pub(super) probability: f64,
}

impl Repeating {
    /// If the two must also share something that has this probability.
    pub(super) fn with_chance(self, chance: f64) -> Self {
        Repeating { expected: self.expected * chance, probability: self.probability * chance }
    }

    /// The odds of a fleet with this many pairs of devices. The devices are independent of each other.
    pub(super) fn odds(self, ids: f64, device_pairs: f64, formula: &'static str) -> Odds {
        Odds {
            ids,
            expected_collisions: device_pairs * self.expected,
            probability: at_least_one(device_pairs * self.probability),
            formula,
        }
    }

    /// Two generators of version 1 with one node. In each of `ticks` ticks, each makes ids for a Poisson number of mean
    /// `per_tick`, numbered from its clock sequence, which it drew once, from `sequences`.
    pub(super) fn nodes(per_tick: f64, ticks: f64, sequences: u32) -> Self {
        let count = f64::from(sequences);
        let expected = ticks * per_tick * per_tick / count;
        let active = at_least_one(per_tick);
        // The probability that a device makes more than `distance` ids in a tick, from the largest on.
        let mut more = active;
        let mut exactly = per_tick * (-per_tick).exp();
        let mut probability = 0.0;
        for distance in 0..sequences {
            let pairs_at = if distance == 0 { count } else { 2.0 * (count - f64::from(distance)) };
            probability += pairs_at / (count * count) * at_least_one(ticks * active * more);
            if exactly > 0.0 {
                more = (more - exactly).max(0.0);
                exactly *= per_tick / (f64::from(distance) + 2.0);
            }
        }
        Repeating { expected, probability: probability.min(1.0) }
    }

    /// Two generators of `short` with one node. In each of `secs` seconds, each takes `rate` successive numbers of a ring,
    /// at most all.
    pub(super) fn counters(rate: f64, secs: f64, ring: u32) -> Self {
        let ring = f64::from(ring);
        let rate = rate.min(ring);
        // Runs of `n` numbers meet for 2n - 1 of the distances. Below one id a second, both must make one at all.
        let active = rate.min(1.0);
        let meet = active * active * ((2.0 * rate.max(1.0) - 1.0) / ring).min(1.0);
        Repeating { expected: secs * rate * rate / ring, probability: at_least_one(secs * meet) }
    }

    /// Two servers with one id, each of which takes `count` successive numbers from `per_sec` times the second of its start
    /// on. Both start in one of `secs` seconds.
    pub(super) fn starts(count: f64, secs: f64, per_sec: u32) -> Self {
        let (secs, per_sec) = (secs.max(1.0), f64::from(per_sec));
        // Up to this many seconds apart, the runs of numbers share `count - k · per_sec` of them.
        let most = (count / per_sec).floor().min(secs - 1.0).max(0.0);
        let sum = most * (most + 1.0) / 2.0;
        let squares = sum * (2.0 * most + 1.0) / 3.0;
        let shared = secs * count * most - (count + secs * per_sec) * sum + per_sec * squares;
        let expected = count / secs + 2.0 * shared.max(0.0) / secs / secs;
        let apart = (count / per_sec).ceil().min(secs).max(1.0) - 1.0;
        let meet = (1.0 + 2.0 * apart - apart * (apart + 1.0) / secs) / secs;
        Repeating { expected, probability: meet.min(1.0) * count.min(1.0) }
    }
}
