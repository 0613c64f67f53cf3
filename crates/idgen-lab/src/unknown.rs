//! The error about a name that nothing has.

use crate::Error;

/// Refuses a name, with the names that look like it, and all of them.
pub fn unknown(what: &str, name: &str, known: &[&str]) -> Error {
    let all = known.join(", ");
    let message = match similar(name, known).as_slice() {
        [] => format!("no {what} \"{name}\": choose from {all}"),
        similar => format!("no {what} \"{name}\": did you mean {}? All names: {all}", similar.join(" or ")),
    };
    Error::config(message)
}

/// Finds at most three names that look like this one, the most similar first.
fn similar<'a>(name: &str, known: &[&'a str]) -> Vec<&'a str> {
    const MOST: usize = 3;
    /// The Jaro-Winkler similarity of names that differ by a typing error.
    const ALIKE: f64 = 0.9;
    // `v4` is short for its plainest form, as in `--existing`.
    let plain = format!("{name}-binary");
    if let Some(plain) = known.iter().find(|known| **known == plain) {
        return vec![plain];
    }
    let mut found: Vec<_> = known
        .iter()
        .map(|known| (strsim::jaro_winkler(name, known), *known))
        .filter(|(alike, _)| *alike >= ALIKE)
        .collect();
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    found.into_iter().map(|(_, known)| known).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_gets_a_suggestion() {
        let known = ["auto-increment", "v4-text36", "v4-binary", "v7-binary", "minute-random"];
        let said = |name| unknown("strategy", name, &known).to_string();
        assert!(said("v4-binry").starts_with("no strategy \"v4-binry\": did you mean v4-binary"));
        assert!(said("v7").contains("did you mean v7-binary? All names: auto-increment, "));
        assert!(said("minute_random").contains("did you mean minute-random?"));
        for name in ["", "nope", "\u{1f600}"] {
            assert!(said(name).ends_with(&format!("choose from {}", known.join(", "))), "{}", said(name));
        }
    }
}
