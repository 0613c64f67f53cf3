//! Decides whether chance explains that a number of values fit a pattern.
//!
//! Every pattern fits some random values: one hexadecimal text in 64 has the bits of version 7. So a kind needs more values than
//! random ones of the same alphabet would give. The test is the upper tail of a binomial distribution, by its Chernoff bound,
//! which is never smaller than the tail.

/// A pattern counts if random values would fit it as often in fewer than one of a million columns.
pub(crate) const LEVEL: f64 = 1e-6;
/// The level for fewer than five values that are written as only ids are, such as with four hyphens.
pub(crate) const LEVEL_OF_FEW: f64 = 1e-4;
/// From this number of values on, the form is no evidence any more.
pub(crate) const FEW: usize = 5;

/// The natural logarithm of a bound of the probability that of `all` random values, each of which fits with probability
/// `each`, `fitting` or more fit.
pub(crate) fn ln_tail(fitting: usize, all: usize, each: f64) -> f64 {
    let share = fitting as f64 / all.max(1) as f64;
    if share <= each {
        return 0.0;
    }
    let rest = if share < 1.0 { (1.0 - share) * ((1.0 - share) / (1.0 - each)).ln() } else { 0.0 };
    -(all as f64) * (share * (share / each).ln() + rest)
}

/// Returns true if chance does not explain that `fitting` of `all` values fit, at [`LEVEL`].
pub(crate) fn is_certain(fitting: usize, all: usize, each: f64) -> bool {
    ln_tail(fitting, all, each) < LEVEL.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tail itself, term by term.
    fn exact(fitting: usize, all: usize, each: f64) -> f64 {
        let ln_factorial = |n: usize| (1..=n).map(|n| (n as f64).ln()).sum::<f64>();
        let term = |k: usize| {
            let ways = ln_factorial(all) - ln_factorial(k) - ln_factorial(all - k);
            (ways + k as f64 * each.ln() + (all - k) as f64 * (1.0 - each).ln()).exp()
        };
        (fitting..=all).map(term).sum()
    }

    #[test]
    fn the_bound_is_never_below_the_tail_and_close_to_it() {
        for each in [1.0 / 64.0, 0.1, 0.5, 0.72] {
            for all in [1, 2, 7, 40, 300] {
                for fitting in 0..=all {
                    let (bound, exact) =
                        (ln_tail(fitting, all, each).exp(), exact(fitting, all, each).min(1.0));
                    assert!(bound >= exact * 0.999_999, "{fitting} of {all} at {each}: {bound} {exact}");
                    assert!(
                        bound <= (exact * 100.0).max(1e-9),
                        "{fitting} of {all} at {each}: {bound} {exact}"
                    );
                }
            }
        }
    }
}
