//! A figure over the repeated runs of one load, and whether two of them differ.
//!
//! All conclusions use one rule. Two samples differ if their ranges do not overlap, their medians are further apart than the
//! noise of the [`Metric`](crate::Metric), and the ratio of their medians is larger than that of the largest to the smallest
//! value of either sample. Ratios, because the spread of a rate, a time or a count grows with its size: the spread of the
//! larger of two samples says nothing of the smaller one. Otherwise there is no difference, whatever the medians are.

use crate::rank::rank_test;

/// The noise of a metric: two samples that are closer than this do not differ; see [`Sample`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// The largest difference that is noise at any size and for any number of runs, in the unit of the
    /// metric: what an idle server does, or a difference without practical meaning.
    pub floor: f64,
    /// The largest difference that is noise between single runs, as a share of the value: of the recorded
    /// pairs of runs of one load, about one in twenty differed by more.
    pub share: f64,
}

/// The values of one figure, one for each run; at least one, and all finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// The sample of these values; `None` where there are none, or one of them is not finite.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        (!values.is_empty() && values.iter().all(|value| value.is_finite())).then_some(Sample(values))
    }

    /// The values, in the order of the runs.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.0.len()
    }

    /// The median; of an even number of runs the mean of the middle two.
    ///
    /// ```
    /// use idgen_record::Sample;
    ///
    /// assert_eq!(Sample::of(vec![3.0, 1.0, 2.0]).unwrap().median(), 2.0);
    /// assert_eq!(Sample::of(vec![4.0, 1.0, 2.0, 3.0]).unwrap().median(), 2.5);
    /// assert_eq!(Sample::of(vec![]), None);
    /// ```
    pub fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
    }

    /// The smallest value.
    pub fn min(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The largest value.
    pub fn max(&self) -> f64 {
        self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The largest minus the smallest value. It is 0 for a single run, whose spread is unknown.
    pub fn range(&self) -> f64 {
        self.max() - self.min()
    }

    /// The distance between the largest and the smallest value. The spread of a single run is unknown: in its
    /// place stands a share of the run's value, by which recorded runs of one load differed.
    ///
    /// ```
    /// use idgen_record::{Noise, Sample};
    ///
    /// let pages = Noise { floor: 2.0, share: 0.35 };
    /// assert_eq!(Sample::of(vec![164.0, 171.0]).unwrap().spread(pages), 7.0);
    /// assert_eq!(Sample::of(vec![100.0]).unwrap().spread(pages), 35.0);
    /// ```
    pub fn spread(&self, noise: Noise) -> f64 {
        if self.runs() == 1 { self.median().abs() * noise.share } else { self.range() }
    }

    /// The difference of this sample from another one; `None` if they do not differ.
    ///
    /// ```
    /// use idgen_record::{Noise, Sample};
    ///
    /// let of = |values: &[f64]| Sample::of(values.to_vec()).unwrap();
    /// let pages = Noise { floor: 2.0, share: 0.35 };
    /// // 0.6 pages against none is less than an idle server reads.
    /// assert!(of(&[0.6, 0.6, 0.6]).differs(&of(&[0.0, 0.0, 0.0]), pages).is_none());
    /// let difference = of(&[164.0, 171.0, 160.0]).differs(&of(&[0.1, 0.0, 0.1]), pages).unwrap();
    /// assert_eq!((difference.from, difference.to, difference.p), (0.1, 164.0, 0.1));
    /// ```
    pub fn differs(&self, from: &Sample, noise: Noise) -> Option<Difference> {
        let (from_median, to) = (from.median(), self.median());
        let apart = self.min() > from.max() || self.max() < from.min();
        let beyond = match (self.log_spread(noise), from.log_spread(noise)) {
            (Some(own), Some(others)) => {
                let distance = ((to + noise.floor) / (from_median + noise.floor)).ln().abs();
                distance > own.max(others)
            }
            // Ratios of numbers that are not positive have no meaning.
            _ => (to - from_median).abs() > self.spread(noise).max(from.spread(noise)),
        };
        let beyond = beyond && (to - from_median).abs() > noise.floor;
        (beyond && apart).then(|| Difference {
            from: from_median,
            to,
            p: rank_test(self.values(), from.values()),
        })
    }

    /// The spread of the values as the logarithm of the ratio of the largest to the smallest. The floor of
    /// the noise is added to each value, so that ratios of values close to zero have a meaning. `None` if a
    /// value is not positive even so.
    fn log_spread(&self, noise: Noise) -> Option<f64> {
        let (least, most) = (self.min() + noise.floor, self.max() + noise.floor);
        let spread = match self.runs() {
            // Two values whose difference is this share of the larger one have this ratio.
            1 => -(1.0 - noise.share).ln(),
            _ => (most / least).ln(),
        };
        (least > 0.0).then_some(spread)
    }
}

/// Two samples that differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The median of the one compared with.
    pub from: f64,
    /// The median of the other.
    pub to: f64,
    /// The probability of ranks this far apart, or further, if both samples came from the same distribution.
    pub p: f64,
}

impl Difference {
    /// The larger divided by the smaller; `None` where the smaller is 0.
    pub fn factor(&self) -> Option<f64> {
        let (small, large) = (self.from.abs().min(self.to.abs()), self.from.abs().max(self.to.abs()));
        (small > 0.0).then_some(large / small)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: Noise = Noise { floor: 2.0, share: 0.35 };

    fn sample(values: &[f64]) -> Sample {
        Sample::of(values.to_vec()).unwrap()
    }

    #[test]
    fn medians_within_the_noise_do_not_differ() {
        for (a, b) in [
            // Less than an idle server reads.
            (&[0.6][..], &[0.0][..]),
            (&[0.6, 0.6, 0.6], &[0.0, 0.0, 0.0]),
            // Recorded single runs of one load differed as much.
            (&[179.0], &[213.0]),
            (&[143.0], &[108.0]),
            // The ranges overlap, or are as wide as the gap.
            (&[100.0, 120.0, 140.0], &[139.0, 160.0, 180.0]),
            (&[100.0, 101.0, 130.0], &[131.0, 132.0, 133.0, 125.0]),
            (&[100.0, 90.0, 130.0], &[131.0, 132.0, 133.0]),
        ] {
            let (a, b) = (sample(a), sample(b));
            assert_eq!((a.differs(&b, PAGES), b.differs(&a, PAGES)), (None, None), "{a:?} {b:?}");
        }
    }

    #[test]
    fn medians_beyond_the_noise_differ_in_both_directions() {
        let (few, many) = (sample(&[10.0, 12.0, 11.0]), sample(&[20.0, 22.0, 24.0]));
        let down = few.differs(&many, PAGES).unwrap();
        assert_eq!((down.from, down.to, down.factor()), (22.0, 11.0, Some(2.0)));
        let up = many.differs(&few, PAGES).unwrap();
        assert_eq!((up.from, up.to, up.factor(), up.p), (11.0, 22.0, Some(2.0), 0.1));
        assert_eq!(many.differs(&sample(&[0.0, 0.0, 0.0]), PAGES).unwrap().factor(), None);
        let single = sample(&[300.0]).differs(&sample(&[100.0]), PAGES).unwrap();
        assert_eq!(single.p, 1.0);
    }

    /// Cases in which a reader sees the answer at once.
    #[test]
    fn ratios_decide_and_not_the_width_of_the_larger_range() {
        const RATES: Noise = Noise { floor: 0.0, share: 0.5 };
        const LEAVES: Noise = Noise { floor: 1.0, share: 0.05 };
        for (few, many, noise) in [
            // Rows per second of random and of ascending keys.
            (&[13_600.0, 13_100.0, 18_600.0][..], &[930_000.0, 450_000.0, 1_430_000.0][..], RATES),
            (&[0.01, 0.011, 0.014], &[5.0, 2.0, 9.0], RATES),
            (&[1.0], &[3.0], RATES),
            (&[0.0, 0.1, 3.0], &[500.0, 300.0, 900.0], PAGES),
            (&[2.5, 2.5, 2.6], &[854.0, 500.0, 1_200.0], LEAVES),
        ] {
            let (few, many) = (sample(few), sample(many));
            assert!(
                few.differs(&many, noise).is_some() && many.differs(&few, noise).is_some(),
                "{few:?} {many:?}"
            );
        }
        for (a, b, noise) in [
            (&[13_600.0, 13_100.0, 18_600.0][..], &[19_000.0, 18_700.0, 24_000.0][..], RATES),
            (&[5.0, 2.0, 9.0], &[14.0, 10.0, 40.0], RATES),
            (&[1.0], &[1.9], RATES),
            (&[0.0, 0.0, 0.0], &[0.0, 0.0, 0.0], RATES),
            // These values are not all positive, so they are compared by their distance.
            (&[0.0, 1.0, 0.5], &[1.2, 1.3, 1.4], RATES),
        ] {
            let (a, b) = (sample(a), sample(b));
            assert_eq!((a.differs(&b, noise), b.differs(&a, noise)), (None, None), "{a:?} {b:?}");
        }
        assert!(sample(&[0.0, 1.0, 0.5]).differs(&sample(&[7.0, 7.1, 7.2]), RATES).is_some());
        // Any difference of a figure without noise.
        let exact = Noise { floor: 0.0, share: 0.0 };
        assert!(sample(&[7.0]).differs(&sample(&[7.5]), exact).is_some());
    }

    #[test]
    fn samples_are_finite() {
        assert_eq!(Sample::of(vec![1.0, f64::NAN]), None);
        let one = sample(&[7.0]);
        assert_eq!((one.median(), one.min(), one.max(), one.range(), one.runs()), (7.0, 7.0, 7.0, 0.0, 1));
    }
}
