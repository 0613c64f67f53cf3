//! A test judges some of many recorded runs or loads.

/// Chooses one of `of` cases, beginning with number `first`; all of them with `IDGEN_FORECASTS=all`, as in
/// `make soak`.
pub fn sample<T>(of: usize, first: usize, cases: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let all = std::env::var_os("IDGEN_FORECASTS").is_some_and(|which| which == "all");
    let (first, of) = if all { (0, 1) } else { (first, of) };
    cases.into_iter().skip(first).step_by(of)
}
