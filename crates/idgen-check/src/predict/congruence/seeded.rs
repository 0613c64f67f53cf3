//! Congruences whose state before an id follows from a seed. The numbers of one id determine the state, and so the seed: none has to be tried.

use idgen::Timestamp;

use super::super::follow::Lead;
use super::{DRAND, PLANS, Plan, SPARE};

/// Finds the seed from which a generator's state before the first number follows.
struct Seeding {
    /// The generator: modulus, factor and addend.
    of: (u128, u128, u128),
    /// The seed and where it comes from, if there is such a seed.
    seed: fn(u128, Option<Timestamp>) -> Option<String>,
    /// The logarithm of the number of seeds.
    bits: u32,
}

static SEEDINGS: [Seeding; 3] = [
    Seeding {
        of: DRAND,
        seed: |state, _| {
            let seed = state >> 16;
            (state & 0xFFFF == 0x330E).then(|| format!("the seed {seed} (srand48() of C, srand() of Perl)"))
        },
        bits: 32,
    },
    Seeding { of: DRAND, seed: |state, now| java((state ^ DRAND.1) as u64, now), bits: 38 },
    Seeding {
        of: (1 << 64, 6_364_136_223_846_793_005, 1),
        seed: |state, _| (state < 1 << 32).then(|| format!("the seed {}", (state as u32).wrapping_add(1))),
        bits: 32,
    },
];

const DAY_SECONDS: u64 = 86_400;
const DAY_MILLIS: u64 = 1_000 * DAY_SECONDS;
const DAY_MICROS: u64 = 1_000 * DAY_MILLIS;

/// A seed of `java.util.Random`, of which the state has the lowest 48 bits: a small number, such as microseconds from the start of the machine a day ago, or
/// a time in the day before `now`. There are fewer than 2^38 of them.
fn java(low: u64, now: Option<Timestamp>) -> Option<String> {
    let micros = now.map_or(0, |now| now.unix_millis().max(0) as u64 * 1_000 + 999);
    let near = |last: u64, count: u64| {
        let before = last.wrapping_sub(low) & ((1 << 48) - 1);
        (before <= count.min(last)).then(|| last - before)
    };
    let times = [
        (micros / 1_000_000, DAY_SECONDS, "a time in seconds"),
        (micros / 1_000, DAY_MILLIS, "a time in milliseconds"),
        (micros, DAY_MICROS, "a time in microseconds"),
    ];
    let time = times.into_iter().find_map(|(last, count, kind)| Some((near(last, count)?, kind)));
    let (seed, kind) =
        time.filter(|_| now.is_some()).or((low < DAY_MICROS).then_some((low, "a small number")))?;
    Some(format!("the seed {seed}, {kind}"))
}

impl Plan {
    /// Returns true if one id determines the state, and agrees with it in enough bits beyond those of the seed.
    fn is_of_one_id(&self, seeding: &Seeding) -> bool {
        let shown = (self.form.mask() & super::DRAWN).count_ones();
        let generator = (self.of.modulus, self.of.factor, self.of.addend);
        seeding.of == generator
            && self.modulus == self.of.modulus
            && self.used.iter().all(|(id, ..)| *id == 0)
            && shown >= seeding.bits + SPARE
    }
}

/// The generator with the seed from which the first or the last of these ids comes.
pub(in super::super) fn find(ids: &[u128], now: Option<Timestamp>) -> Vec<Lead> {
    for seeding in &SEEDINGS {
        for plan in PLANS.iter().filter(|plan| plan.is_of_one_id(seeding)) {
            for id in [ids.first(), ids.last()].into_iter().flatten() {
                let Some(source) = plan.solve(&[*id]) else { continue };
                if let Some(seed) = (seeding.seed)(source.state, now) {
                    return vec![plan.lead(source, format!("{}, with {seed}", plan.of.name), 1)];
                }
            }
        }
    }
    Vec::new()
}

#[cfg(test)]
pub(super) fn hypotheses() -> usize {
    2 * SEEDINGS.len() * PLANS.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_of_java_are_times_or_small() {
        let now = Some(Timestamp::from_unix_secs(1_795_849_835));
        for (seed, now, kind) in [
            (42, None, Some("a small number")),
            (DAY_MICROS - 1, None, Some("a small number")),
            (DAY_MICROS, None, None),
            (1_795_849_835, now, Some("a time in seconds")),
            (1_795_849_835_000, now, Some("a time in milliseconds")),
            (1_795_849_835_000, None, None),
            (1_795_849_835_000_999, now, Some("a time in microseconds")),
            (1_795_849_835_001_000, now, None),
            (1_795_849_835_000_998 - DAY_MICROS, now, None),
        ] {
            let found = java(seed & ((1 << 48) - 1), now);
            assert_eq!(found, kind.map(|kind| format!("the seed {seed}, {kind}")), "{seed}");
        }
        const { assert!(2 * DAY_MICROS + DAY_MILLIS + DAY_SECONDS < 1 << 38) };
    }
}
