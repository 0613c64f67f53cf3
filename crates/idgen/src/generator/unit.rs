//! The units in which kinds count their time, as numbers since 1970.

use core::time::Duration;

use crate::timestamp::Timestamp;

/// A unit of time. The units are constants, because dividing by a variable takes as long as generating the rest of an id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// 100 ns.
    Tick,
    /// A millisecond.
    Milli,
    /// 1/4,096 of a millisecond (244 ns): milliseconds, then 12 bits from 0 to 4,095.
    Fraction,
    /// 1/4,032 of a millisecond (248 ns): milliseconds, then 12 bits from 64 to 4,095. The upper six of the 12 are never zero, so
    /// that they can follow the variant in byte 8: MariaDB's UUID column refuses version 8 with a byte 8 of 0x80.
    HighFraction,
}

/// A unit as a type. Code that reads the unit from a variable takes a third longer for an id.
pub(crate) trait CountsIn {
    const UNIT: Unit;
}

pub(crate) struct Ticks;
pub(crate) struct Millis;
pub(crate) struct Fractions;
pub(crate) struct HighFractions;

impl CountsIn for Ticks {
    const UNIT: Unit = Unit::Tick;
}

impl CountsIn for Millis {
    const UNIT: Unit = Unit::Milli;
}

impl CountsIn for Fractions {
    const UNIT: Unit = Unit::Fraction;
}

impl CountsIn for HighFractions {
    const UNIT: Unit = Unit::HighFraction;
}

const TICKS_PER_MS: i64 = 10_000;
/// The bits of a fraction.
pub(crate) const FRACTION_BITS: u32 = 12;
pub(crate) const FRACTION: i64 = (1 << FRACTION_BITS) - 1;
const PARTS: i64 = 4_096;
/// The least high fraction.
const HIGH: i64 = 64;
const HIGH_PARTS: i64 = PARTS - HIGH;
/// With more ticks, the product with the parts of a millisecond would overflow.
const LAST_SHORT: u64 = u64::MAX / (PARTS as u64 / 16);
/// No clock shows a later millisecond.
const LAST_MS: i64 = i64::MAX / TICKS_PER_MS;

impl Unit {
    /// True if the unit is a fraction of a millisecond.
    #[inline]
    pub(crate) const fn is_fraction(self) -> bool {
        matches!(self, Unit::Fraction | Unit::HighFraction)
    }

    /// The units since 1970, bounded so that no difference of two of them overflows.
    #[inline(always)]
    pub(crate) fn of(self, time: Timestamp) -> i64 {
        match self {
            Unit::Tick => time.unix_ticks().clamp(-i64::MAX / 2, i64::MAX / 2),
            Unit::Milli => time.unix_millis(),
            // Whole milliseconds are whole units, so that one division gives both. Until the year 2198, their product fits.
            Unit::Fraction if time.unix_ticks() as u64 <= LAST_SHORT => {
                (time.unix_ticks() as u64 * (PARTS as u64 / 16) / (TICKS_PER_MS as u64 / 16)) as i64
            }
            Unit::Fraction => {
                let (ms, ticks) = time.millis_and_ticks();
                ms << FRACTION_BITS | i64::from(ticks * PARTS as u32 / TICKS_PER_MS as u32)
            }
            Unit::HighFraction => {
                let (ms, ticks) = time.millis_and_ticks();
                ms << FRACTION_BITS | (i64::from(ticks * HIGH_PARTS as u32 / TICKS_PER_MS as u32) + HIGH)
            }
        }
    }

    /// The first moment of a unit.
    pub(crate) fn at(self, units: i64) -> Timestamp {
        let (parts, fraction) = match self {
            Unit::Tick => return Timestamp::from_unix_ticks(units),
            Unit::Milli => return Timestamp::from_unix_millis(units),
            Unit::Fraction => (PARTS, units & FRACTION),
            Unit::HighFraction => (HIGH_PARTS, ((units & FRACTION) - HIGH).max(0)),
        };
        let ticks = (fraction * TICKS_PER_MS + parts - 1) / parts;
        Timestamp::from_unix_ticks(
            (units >> FRACTION_BITS).saturating_mul(TICKS_PER_MS).saturating_add(ticks),
        )
    }

    /// The first moment of a unit, or of its millisecond.
    pub(crate) fn begin(self, units: i64) -> Timestamp {
        match self {
            Unit::Tick | Unit::Milli => self.at(units),
            Unit::Fraction | Unit::HighFraction => Timestamp::from_unix_millis(units >> FRACTION_BITS),
        }
    }

    /// Returns how long after its millisecond a unit with this fraction begins. `None` if no unit has it.
    pub(crate) fn after_ms(self, fraction: u16) -> Option<Duration> {
        let units = i64::from(fraction);
        (self.at(units) != self.begin(units) || self.of(self.begin(units)) == units)
            .then(|| self.at(units).since(self.begin(units)))
    }

    /// The last unit of a millisecond, or of the last one that a clock can show.
    pub(crate) const fn last_of(self, ms: i64) -> i64 {
        match self {
            Unit::Tick => ms.saturating_mul(TICKS_PER_MS).saturating_add(TICKS_PER_MS - 1),
            Unit::Milli => ms,
            Unit::Fraction | Unit::HighFraction => {
                let ms = if ms < -LAST_MS { -LAST_MS } else { ms };
                (if ms > LAST_MS { LAST_MS } else { ms }) << FRACTION_BITS | FRACTION
            }
        }
    }

    /// The unit after this one.
    #[inline]
    pub(crate) const fn after(self, units: i64) -> i64 {
        match self {
            Unit::HighFraction if units & FRACTION == FRACTION => units + 1 + HIGH,
            _ => units + 1,
        }
    }

    /// The time this many units later, in the same millisecond.
    #[inline(always)]
    pub(crate) fn within(self, units: i64, later: i64) -> i64 {
        (units + later).min(units | FRACTION)
    }

    /// The number of units in a time.
    #[inline(always)]
    pub(crate) const fn count(self, time: Duration) -> i64 {
        let ticks = time.as_nanos() / 100;
        let units = match self {
            Unit::Tick => ticks,
            Unit::Milli => ticks / TICKS_PER_MS as u128,
            Unit::Fraction | Unit::HighFraction => ticks * PARTS as u128 / TICKS_PER_MS as u128,
        };
        if units > i64::MAX as u128 { i64::MAX } else { units as i64 }
    }

    /// The units between two readings of a clock with this step, at least 1 and at most a millisecond.
    pub(crate) const fn step(self, step: Duration) -> u32 {
        let ticks = step.as_nanos() / 100;
        let ticks = if ticks > TICKS_PER_MS as u128 { TICKS_PER_MS } else { ticks as i64 };
        let units = match self {
            // Kinds of these units have a counter instead.
            Unit::Tick | Unit::Milli => 1,
            Unit::Fraction => ticks * PARTS / TICKS_PER_MS,
            Unit::HighFraction => ticks * HIGH_PARTS / TICKS_PER_MS,
        };
        if units < 1 { 1 } else { units as u32 }
    }

    /// The time that a state saves: a fraction is saved as its millisecond.
    pub(crate) const fn saved(self, units: i64) -> i64 {
        if self.is_fraction() { units >> FRACTION_BITS } else { units }
    }

    /// The last unit of a time that was saved.
    pub(crate) const fn last_of_saved(self, saved: i64) -> i64 {
        if self.is_fraction() { self.last_of(saved) } else { saved }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Unit; 4] = [Unit::Tick, Unit::Milli, Unit::Fraction, Unit::HighFraction];

    /// The example of RFC 9562 section 6.2, method 3: 12:34:56.1234567 has the fraction 1,870.
    #[test]
    fn the_example_of_the_rfc() {
        let time = Timestamp::from_unix_ticks(16_725_764_961_234_567);
        assert_eq!(Unit::Fraction.of(time), 1_672_576_496_123 << 12 | 1_870);
    }

    #[test]
    fn steps_of_clocks() {
        let micros = |micros| Unit::Fraction.step(Duration::from_micros(micros));
        assert_eq!(
            [micros(0), micros(1), micros(5), micros(100), micros(1_000), micros(16_000)],
            [1, 4, 20, 409, 4_096, 4_096]
        );
        assert_eq!(Unit::HighFraction.step(Duration::MAX), 4_032);
        assert_eq!((Unit::Tick.step(Duration::MAX), Unit::Milli.step(Duration::MAX)), (1, 1));
    }

    proptest! {
        #[test]
        fn units_are_in_the_order_of_time(a: i64, b in prop_oneof![any::<i64>(), -30_000i64..30_000]) {
            let (a, b) = (Timestamp::from_unix_ticks(a), Timestamp::from_unix_ticks(a.saturating_add(b)));
            let (a, b) = (a.min(b), a.max(b));
            for unit in ALL {
                prop_assert!(unit.of(a) <= unit.of(b));
                prop_assert!(unit.of(b).checked_sub(unit.of(a)).is_some());
            }
        }

        /// One division gives what the division into milliseconds and the rest gives.
        #[test]
        fn a_fraction_is_that_of_its_millisecond(
            ticks in prop_oneof![any::<i64>(), -30_000i64..30_000, (LAST_SHORT - 30_000..LAST_SHORT + 30_000).prop_map(|ticks| ticks as i64)]
        ) {
            let (ms, rest) = (ticks.div_euclid(TICKS_PER_MS), ticks.rem_euclid(TICKS_PER_MS));
            prop_assert_eq!(Unit::Fraction.of(Timestamp::from_unix_ticks(ticks)), (ms << 12) + rest * 4_096 / 10_000);
        }

        #[test]
        fn a_unit_begins_where_it_says(ticks in -1i64 << 61..1 << 61) {
            let time = Timestamp::from_unix_ticks(ticks);
            for unit in ALL {
                let units = unit.of(time);
                let first = unit.at(units);
                prop_assert!(first <= time && unit.of(first) == units);
                prop_assert_eq!(unit.of(unit.at(unit.after(units))), unit.after(units));
                prop_assert!(unit.begin(units) <= first);
                if unit.is_fraction() {
                    let ms = time.unix_millis();
                    prop_assert_eq!((unit.saved(units), unit.begin(units)), (ms, Timestamp::from_unix_millis(ms)));
                    prop_assert!(units <= unit.last_of_saved(ms) && unit.saved(unit.after(unit.last_of_saved(ms))) == ms + 1);
                }
            }
        }

        /// A coarse clock's random bits stay below its next reading.
        #[test]
        fn random_bits_stay_within_the_step(ms in 0i64..1 << 40, step in 1i64..=10_000, reading in 0i64..10_000, within: u32) {
            let reading = reading / step * step;
            for unit in [Unit::Fraction, Unit::HighFraction] {
                let now = unit.of(Timestamp::from_unix_ticks(ms * 10_000 + reading));
                let next = unit.of(Timestamp::from_unix_ticks(ms * 10_000 + reading + step));
                let units = unit.step(Duration::from_nanos(step as u64 * 100));
                let later = unit.within(now, ((u64::from(within) * u64::from(units)) >> 32) as i64);
                prop_assert!(now <= later && (later < next || units == 1), "{now} {later} {next}");
            }
        }
    }
}
