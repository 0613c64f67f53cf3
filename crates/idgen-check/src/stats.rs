//! The p-values of the tests: how often chance alone gives a result at least as extreme.

/// The p-value of a number of ones among `n` fair bits: two-sided, by the normal approximation. It is used for `n` of
/// 1,000 and more.
pub(crate) fn fair_bits(ones: u64, n: u64) -> f64 {
    let (ones, n) = (ones as f64, n as f64);
    let z = (2.0 * ones - n).abs() / n.sqrt();
    libm::erfc(z / std::f64::consts::SQRT_2)
}

/// The p-value of a chi-squared statistic: the upper tail of the incomplete gamma function.
pub(crate) fn chi_squared(statistic: f64, degrees: u32) -> f64 {
    upper_gamma(f64::from(degrees) / 2.0, statistic / 2.0)
}

/// The p-value of `seen` events or more where `expected` are expected: the upper tail of the Poisson distribution.
pub(crate) fn at_least(seen: u64, expected: f64) -> f64 {
    match seen {
        0 => 1.0,
        _ if expected <= 0.0 => 0.0,
        _ => 1.0 - upper_gamma(seen as f64, expected),
    }
}

/// Q(a, x), the regularized upper incomplete gamma function (NIST Digital Library of Mathematical Functions, 8.2.4).
fn upper_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let front = (a * x.ln() - x - libm::lgamma(a)).exp();
    if x < a + 1.0 {
        // The power series of the lower function (8.7.1).
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-17 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return (1.0 - front * sum).clamp(0.0, 1.0);
    }
    // The continued fraction (8.9.2), from its end: its terms settle after a few times the square root of x.
    let terms = 100 + 10 * x.sqrt() as u32;
    let mut fraction = 0.0;
    for k in (1..=terms).rev() {
        let k = f64::from(k);
        fraction = k * (k - a) / (x + 2.0 * k + 1.0 - a - fraction);
    }
    (front / (x + 1.0 - a - fraction)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-9 + 1e-6 * expected.abs(), "{found} instead of {expected}");
    }

    /// The sums of the definitions, term by term.
    #[test]
    fn p_values_are_those_of_the_definitions() {
        for (seen, expected) in [(0_u64, 3.0), (1, 0.25), (5, 3.0), (30, 12.5), (700, 512.0)] {
            let mut term = f64::exp(-expected);
            let mut below = 0.0;
            for k in 0..seen {
                below += term;
                term *= expected / (k + 1) as f64;
            }
            assert_near(at_least(seen, expected), 1.0 - below);
        }
        // With two degrees of freedom, the tail is exp(-x / 2).
        for x in [0.1, 1.0, 5.0, 30.0] {
            assert_near(chi_squared(x, 2), f64::exp(-x / 2.0));
        }
        // Quantiles from tables: 5 % and 0.1 %.
        assert!((chi_squared(18.307, 10) - 0.05).abs() < 1e-5);
        assert!((chi_squared(330.5197, 255) - 0.001).abs() < 1e-5);
        assert!((fair_bits(500 + 31, 1_000) - 0.0499).abs() < 1e-3);
        assert_near(fair_bits(500, 1_000), 1.0);
        assert_eq!(at_least(1, 0.0), 0.0);
    }
}
