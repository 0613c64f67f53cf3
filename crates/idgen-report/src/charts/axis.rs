//! The axes of charts, with the numbers that are written at them.

use crate::figures::numbers::{figure_text, short};

/// The values between two ends, and those that are written.
pub(super) struct Axis {
    ends: (f64, f64),
    is_log: bool,
    ticks: Vec<f64>,
    write: fn(f64) -> String,
}

impl Axis {
    /// Makes a linear axis from zero to a round number that is at least `most`.
    pub fn from_zero(most: f64, write: fn(f64) -> String) -> Axis {
        // Without a value there is still an axis.
        let step = round_step(if most > 0.0 { most / 4.0 } else { 0.25 });
        Axis::between(0.0, step * (most / step).ceil().max(1.0), step, write)
    }

    /// Makes a linear axis between these ends, with a number at each multiple of the step.
    pub fn between(from: f64, to: f64, step: f64, write: fn(f64) -> String) -> Axis {
        let ticks = (from / step).ceil() as i64..=(to / step + 1e-9).floor() as i64;
        let ticks = ticks.map(|number| number as f64 * step).collect();
        Axis { ends: (from, to), is_log: false, ticks, write }
    }

    /// Makes a linear axis from zero, with a number at each of these places.
    pub fn at(places: Vec<f64>, write: fn(f64) -> String) -> Axis {
        let last = places.last().copied().unwrap_or(1.0).max(1e-9);
        Axis { ends: (0.0, last), is_log: false, ticks: places, write }
    }

    /// Makes a logarithmic axis of whole factors of ten around these values, at least one.
    pub fn of_factors(least: f64, most: f64, write: fn(f64) -> String) -> Axis {
        let low = least.log10().floor();
        let high = most.log10().ceil().max(low + 1.0);
        let within: &[f64] = if high - low > 1.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let powers = (low as i32..high as i32).map(|power| 10_f64.powi(power));
        let ticks = powers.flat_map(|power| within.iter().map(move |factor| factor * power));
        let ends = (10_f64.powf(low), 10_f64.powf(high));
        Axis { ends, is_log: true, ticks: ticks.chain([ends.1]).collect(), write }
    }

    /// Makes the axis of a metric whose largest value is `most`.
    pub fn of(metric: idgen_record::Axis, most: f64) -> Axis {
        let small = |value: f64| figure_text(value);
        match metric {
            idgen_record::Axis::Log => Axis::of_factors(1.0, most.max(1.0), short),
            idgen_record::Axis::Percent => Axis::between(0.0, 1.0, 0.25, |share| short(share * 100.0)),
            idgen_record::Axis::Linear => Axis::from_zero(most, if most <= 3.0 { small } else { short }),
        }
    }

    /// Each number with how it is written.
    pub fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        self.ticks.iter().map(|tick| (*tick, (self.write)(*tick)))
    }

    /// The place of a value on the axis, from 0 at the first end to 1 at the other.
    pub fn share(&self, value: f64) -> f64 {
        let (from, to) = self.ends;
        match self.is_log {
            true => (value.max(from) / from).ln() / (to / from).ln(),
            false => (value - from) / (to - from).max(1e-9),
        }
    }
}

/// The next of 1, 2, 2.5 and 5 times a power of ten: a step between the lines of a grid.
pub(super) fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0].into_iter().find(|factor| factor * power >= least).unwrap_or(10.0);
    factor * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        for (least, step) in
            [(40.2, 50.0), (1.0, 1.0), (19.0, 20.0), (0.3, 0.5), (70.0, 100.0), (210.0, 250.0)]
        {
            assert!((round_step(least) - step).abs() < 1e-9, "{least}");
        }
    }

    #[test]
    fn axes_have_round_numbers() {
        let write = |value: f64| value.to_string();
        let axis = Axis::from_zero(161.0, write);
        assert_eq!((axis.ticks, axis.ends), (vec![0.0, 50.0, 100.0, 150.0, 200.0], (0.0, 200.0)));
        assert_eq!(Axis::between(3_000.0, 7_000.0, 2_000.0, write).ticks, [4_000.0, 6_000.0]);
        assert_eq!(Axis::of_factors(0.2, 30.0, write).ticks, [0.1, 1.0, 10.0, 100.0]);
        let axis = Axis::of_factors(2.0, 3.0, write);
        assert_eq!((axis.share(1.0), axis.share(10.0), axis.ticks.len()), (0.0, 1.0, 4));
        assert!(Axis::from_zero(0.0, write).share(0.0).abs() < 1e-9);
    }
}
