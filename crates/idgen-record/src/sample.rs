//! A figure over the repeated runs of one load, and whether two of them differ.
//!
//! All conclusions use one rule. Two samples differ if their ranges do not overlap and their medians are further apart
//! than the noise. The noise is the larger of the two ranges, and at least the noise of the
//! [`Metric`](crate::Metric) itself. Otherwise there is no difference, whatever the medians are.

use crate::metrics::Noise;
use crate::rank::rank_test;

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

    /// How many runs there were.
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

    /// The distance that two medians must exceed to differ.
    ///
    fn noise(&self, noise: Noise) -> f64 {
        self.spread(noise).max(noise.floor)
    }

    /// How far apart its runs are. The spread of a single run is unknown: in its place stands a share of the run's value, by
    /// which recorded runs of one load differed.
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

    /// How this sample differs from another one; `None` where it does not.
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
        let noise = self.noise(noise).max(from.noise(noise));
        ((to - from_median).abs() > noise && apart).then(|| Difference {
            from: from_median,
            to,
            noise,
            p: rank_test(self.values(), from.values()),
        })
    }
}

/// Two samples that differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The median of the one compared with.
    pub from: f64,
    /// The median of the other.
    pub to: f64,
    /// The noise: closer medians do not differ.
    pub noise: f64,
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
        assert_eq!((down.from, down.to, down.noise, down.factor()), (22.0, 11.0, 4.0, Some(2.0)));
        let up = many.differs(&few, PAGES).unwrap();
        assert_eq!((up.from, up.to, up.factor(), up.p), (11.0, 22.0, Some(2.0), 0.1));
        assert_eq!(many.differs(&sample(&[0.0, 0.0, 0.0]), PAGES).unwrap().factor(), None);
        let single = sample(&[300.0]).differs(&sample(&[100.0]), PAGES).unwrap();
        assert_eq!((single.noise, single.p), (105.0, 1.0));
    }

    #[test]
    fn samples_are_finite() {
        assert_eq!(Sample::of(vec![1.0, f64::NAN]), None);
        let one = sample(&[7.0]);
        assert_eq!((one.median(), one.min(), one.max(), one.range(), one.runs()), (7.0, 7.0, 7.0, 0.0, 1));
    }
}
