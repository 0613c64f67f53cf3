//! A figure over the repeated runs of one load, and whether two of them differ.
//!
//! One rule decides everywhere. Two samples differ where their ranges do not overlap and their medians are further
//! apart than the noise: the larger of the two ranges, and no less than what the [`Metric`](crate::Metric) itself calls
//! noise. Otherwise there is no difference, whatever the medians are.

use crate::metrics::Noise;

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

    /// The largest less the smallest value: 0 of a single run, which says nothing about the spread.
    pub fn range(&self) -> f64 {
        self.max() - self.min()
    }

    /// What two samples have to be further apart than, to differ.
    ///
    /// Of a single run the spread is not known: the share of its value stands for it that runs of one load were recorded
    /// to differ by.
    fn noise(&self, noise: Noise) -> f64 {
        let spread = if self.runs() == 1 { self.median().abs() * noise.share } else { self.range() };
        spread.max(noise.floor)
    }

    /// How this sample differs from another one; `None` where it does not.
    ///
    /// ```
    /// use idgen_record::{Noise, Sample};
    ///
    /// let of = |values: &[f64]| Sample::of(values.to_vec()).unwrap();
    /// let pages = Noise { floor: 2.0, share: 0.35 };
    /// // 0.6 pages against none is less than a server reads at rest.
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
    /// What they would have to be closer than, to be called the same.
    pub noise: f64,
    /// The probability of ranks as far apart as these, or further, if the runs of both were alike.
    pub p: f64,
}

impl Difference {
    /// How many times as large the larger is; `None` where the smaller is nothing.
    pub fn factor(&self) -> Option<f64> {
        let (small, large) = (self.from.abs().min(self.to.abs()), self.from.abs().max(self.to.abs()));
        (small > 0.0).then_some(large / small)
    }
}

/// The exact two-sided rank-sum test (Wilcoxon, Mann and Whitney): the share of all ways to divide the ranks among the
/// two samples that are as far from the expected sum as this one, or further. Equal values share the mean of their
/// ranks, which makes it exact with ties too; counts of pages often tie.
///
/// Three runs against three can give no less than 0.1, four against four 0.029, five against five 0.0079. Beyond
/// 2^24 ways the test is not made, and 1 returned: no lab has so many runs.
pub fn rank_test(a: &[f64], b: &[f64]) -> f64 {
    const MOST_WAYS: f64 = 16_777_216.0;
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let ways =
        (0..a.len()).map(|taken| (all.len() - taken) as f64 / (a.len() - taken) as f64).product::<f64>();
    if a.is_empty() || b.is_empty() || ways > MOST_WAYS {
        return 1.0;
    }
    // Twice the mean rank, a whole number.
    let rank = |value: f64| -> i64 {
        let below = all.iter().filter(|other| **other < value).count() as i64;
        let equal = all.iter().filter(|other| **other == value).count() as i64;
        2 * below + equal + 1
    };
    let ranks: Vec<i64> = all.iter().map(|value| rank(*value)).collect();
    let expected = a.len() as i64 * (all.len() as i64 + 1);
    let distance = (ranks[..a.len()].iter().sum::<i64>() - expected).abs();
    let (mut as_far, mut counted) = (0_u64, 0_u64);
    each_sum(&ranks, a.len(), 0, &mut |sum| {
        counted += 1;
        as_far += u64::from((sum - expected).abs() >= distance);
    });
    as_far as f64 / counted as f64
}

/// Calls `visit` with the sum of each choice of so many of these numbers.
fn each_sum(numbers: &[i64], choose: usize, sum: i64, visit: &mut dyn FnMut(i64)) {
    if choose == 0 {
        return visit(sum);
    }
    for (index, number) in numbers.iter().enumerate().take(numbers.len() + 1 - choose) {
        each_sum(&numbers[index + 1..], choose - 1, sum + number, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: Noise = Noise { floor: 2.0, share: 0.35 };

    fn sample(values: &[f64]) -> Sample {
        Sample::of(values.to_vec()).unwrap()
    }

    /// `wilcox.test(a, b, exact = TRUE)` of R where there are no ties, and `coin::wilcox_test(distribution = "exact")`,
    /// or a count by hand, where there are.
    #[test]
    fn exact_probabilities() {
        for (a, b, p) in [
            (&[1.0, 2.0, 3.0][..], &[4.0, 5.0, 6.0][..], 0.1),
            (&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0], 0.1),
            (&[1.0, 2.0, 4.0], &[3.0, 5.0, 6.0], 0.2),
            (&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0], 2.0 / 70.0),
            (&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0], 2.0 / 252.0),
            (
                &[0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46],
                &[1.15, 0.88, 0.90, 0.74, 1.21],
                0.2544,
            ),
            (&[0.0, 0.0, 0.0], &[0.0, 0.0, 0.0], 1.0),
            (&[1.0, 1.0], &[1.0, 2.0], 1.0),
            (&[1.0], &[2.0], 1.0),
        ] {
            let found = rank_test(a, b);
            assert!((found - p).abs() < 5e-5, "{a:?} {b:?}: {found}, not {p}");
        }
        assert_eq!(rank_test(&[], &[1.0]), 1.0);
        let many: Vec<f64> = (0..40).map(f64::from).collect();
        assert_eq!(rank_test(&many, &many), 1.0);
    }

    #[test]
    fn what_lies_within_the_noise_is_no_difference() {
        for (a, b) in [
            // Less than a server reads at rest.
            (&[0.6][..], &[0.0][..]),
            (&[0.6, 0.6, 0.6], &[0.0, 0.0, 0.0]),
            // Single runs of one load were recorded as far apart.
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
    fn what_lies_beyond_it_is_one_in_both_directions() {
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
