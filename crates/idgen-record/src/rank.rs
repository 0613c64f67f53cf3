//! Exact rank tests: the probability that samples differ this much if both come from the same distribution.

/// The most values in a group of two samples. Larger groups are not tested: the lab repeats a run at most 50 times.
const MOST_VALUES: usize = 128;

/// The exact two-sided rank-sum test (Wilcoxon, Mann and Whitney): the share of all ways to divide the ranks among the
/// two samples that are as far from the expected sum as this one, or further. Equal values share the mean of their
/// ranks, so the test is also exact with ties, which are frequent among counts of pages.
///
/// The smallest possible value is 0.1 for three runs against three, 0.029 for four, and 0.0079 for five: see
/// [`smallest_p`]. An empty sample gives 1.
///
/// ```
/// assert_eq!(idgen_record::rank_test(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 0.1);
/// ```
pub fn rank_test(a: &[f64], b: &[f64]) -> f64 {
    stratified_rank_test([(a, b)])
}

/// Returns the p of a rank test over groups of two samples each, whose values are compared only within their
/// group: ranks are those in the group, and their sums are added (the test of van Elteren, with equal
/// weights). Groups with an empty sample are left out.
pub fn stratified_rank_test<'a>(groups: impl IntoIterator<Item = (&'a [f64], &'a [f64])>) -> f64 {
    // The number of ways to reach each sum. Sums are of twice the ranks, which are whole numbers.
    let mut ways = vec![1.0];
    let (mut sum, mut expected) = (0, 0);
    for (a, b) in groups {
        if a.is_empty() || b.is_empty() {
            continue;
        }
        if a.len() + b.len() > MOST_VALUES {
            return 1.0;
        }
        let ranks = ranks(a, b);
        sum += ranks[..a.len()].iter().sum::<usize>();
        expected += a.len() * (ranks.len() + 1);
        ways = product(&ways, &sums(&ranks, a.len()));
    }
    let distance = sum.abs_diff(expected);
    let as_far = |found: &(usize, &f64)| found.0.abs_diff(expected) >= distance;
    let as_far: f64 = ways.iter().enumerate().filter(as_far).map(|(_, ways)| ways).sum();
    as_far / ways.iter().sum::<f64>()
}

/// The smallest value that [`rank_test`] can give for samples of these sizes: all values of one are above all of the
/// other.
///
/// ```
/// assert_eq!(idgen_record::smallest_p(3, 3), 0.1);
/// assert_eq!(idgen_record::smallest_p(1, 1), 1.0);
/// ```
pub fn smallest_p(a: usize, b: usize) -> f64 {
    let ways: f64 = (0..a).map(|taken| (a + b - taken) as f64 / (a - taken) as f64).product();
    if a == 0 || b == 0 { 1.0 } else { 2.0 / ways }
}

/// Twice the rank of each value of both samples, beginning with the first sample. Equal values share the mean.
fn ranks(a: &[f64], b: &[f64]) -> Vec<usize> {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let rank = |value: &f64| {
        let below = all.iter().filter(|other| *other < value).count();
        let equal = all.iter().filter(|other| *other == value).count();
        2 * below + equal + 1
    };
    all.iter().map(rank).collect()
}

/// The number of choices of `count` of these numbers, by their sum.
fn sums(numbers: &[usize], choose: usize) -> Vec<f64> {
    let most: usize = numbers.iter().sum();
    // By the number of chosen values, then by their sum.
    let mut ways = vec![vec![0.0; most + 1]; choose + 1];
    ways[0][0] = 1.0;
    for number in numbers {
        for chosen in (0..choose).rev() {
            let (fewer, more) = ways.split_at_mut(chosen + 1);
            for (sum, ways) in fewer[chosen].iter().enumerate().filter(|(_, ways)| **ways > 0.0) {
                more[0][sum + number] += ways;
            }
        }
    }
    ways.swap_remove(choose)
}

/// The number of ways to reach each sum of one sum of each group.
fn product(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut ways = vec![0.0; one.len() + other.len() - 1];
    for (a, some) in one.iter().enumerate().filter(|(_, ways)| **ways > 0.0) {
        for (b, more) in other.iter().enumerate() {
            ways[a + b] += some * more;
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let many: Vec<f64> = (0..50).map(f64::from).collect();
        let above: Vec<f64> = (50..100).map(f64::from).collect();
        assert!((rank_test(&many, &many) - 1.0).abs() < 1e-9);
        let (found, least) = (rank_test(&many, &above), smallest_p(50, 50));
        assert!((found / least - 1.0).abs() < 1e-9, "{found} {least}");
        assert_eq!(rank_test(&[many.clone(), many].concat(), &above), 1.0, "larger than what is tested");
    }

    #[test]
    fn values_are_compared_within_their_group() {
        // Two groups whose values are far apart. Each group has two orders, so one of four combinations is this one, and one
        // is its opposite.
        let groups: [(&[f64], &[f64]); 2] = [(&[1.0], &[2.0]), (&[100.0], &[200.0])];
        assert_eq!(stratified_rank_test(groups), 0.5);
        assert_eq!(rank_test(&[1.0, 100.0], &[2.0, 200.0]), 2.0 / 3.0);
        let ten: Vec<(&[f64], &[f64])> = vec![(&[1.0], &[2.0]); 10];
        assert_eq!(stratified_rank_test(ten.clone()), 2.0 / 1024.0);
        // A group with an empty sample does not count; without groups the result is 1.
        assert_eq!(stratified_rank_test(ten.into_iter().chain([(&[][..], &[7.0][..])])), 2.0 / 1024.0);
        assert_eq!(stratified_rank_test([]), 1.0);
    }
}
