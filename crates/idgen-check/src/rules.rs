//! The rules: what is judged, by which section, and what programs can require.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::claim::Claim;

/// A property that ids can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, as `--require` takes it.
    pub name: &'static str,
    /// The section of RFC 9562.
    pub section: &'static str,
    /// The property in a few words.
    pub about: &'static str,
}

macro_rules! rules {
    ($($constant:ident $name:literal $section:literal $about:literal;)+) => {
        $(pub(crate) static $constant: Rule = Rule { name: $name, section: $section, about: $about };)+

        /// All rules, in the order of a report.
        pub static RULES: &[&Rule] = &[$(&$constant),+];
    };
}

rules! {
    READABLE "readable" "4" "each line is an id in a known format, written as its encoder writes it";
    CANONICAL "one-case" "4" "hexadecimal digits are either lowercase or uppercase in all ids";
    VARIANT "variant" "4.1" "the variant bits are those of the RFC";
    ONE_KIND "one-kind" "4.2" "all ids have the same version";
    LAYOUT "layout" "5" "the time is where the version has it";
    NO_DUPLICATES "no-duplicates" "6.7" "no id is equal to an earlier one, in any stream";
    TIME_ORDERED "time-ordered" "6.11" "no id has an earlier time than the one before it";
    MONOTONIC "monotonic" "6.2" "each id is greater than the one before it";
    COUNTER_WRAP "counter-no-wrap" "6.2" "counters do not return to zero within one time unit";
    COUNTER_START "counter-start" "6.2" "counters start far enough from their end";
    NOT_AHEAD "not-ahead" "6.1" "times do not run ahead of the clock";
    NOT_FUTURE "not-future" "6.1" "no time is after the check";
    NOT_BEFORE "not-before" "6.1" "no time is before the first credible one";
    CLOCK_SEQUENCE "clock-sequence" "5.1" "node or clock sequence change where the time goes back";
    RANDOM "random" "6.9" "bits that should be random pass statistical tests";
    UNGUESSABLE "unguessable" "6.9" "each id has at least 32 new random bits";
    NO_HOST "no-host" "6.10" "ids do not contain the address of a network card";
}

/// The status of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It holds for all ids.
    Holds,
    /// The input does not show whether it holds.
    Unseen,
    /// It does not hold, which the RFC allows, or only advises against.
    Warns,
    /// It does not hold: the ids are wrong, or will collide or sort wrongly.
    Fails,
}

impl Status {
    /// The name, in lowercase.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Holds => "holds",
            Status::Unseen => "unseen",
            Status::Warns => "warns",
            Status::Fails => "fails",
        }
    }
}

/// A rule that ids have to pass, or a kind that all of them have to be.
///
/// ```
/// use idgen_check::Requirement;
///
/// assert_eq!("monotonic".parse::<Requirement>()?.to_string(), "monotonic");
/// assert_eq!("v7".parse::<Requirement>()?.to_string(), "v7");
/// assert!("sorted".parse::<Requirement>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement(pub(crate) Required);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Required {
    Rule(&'static Rule),
    Kind(Claim),
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self.0 {
            Required::Rule(rule) => rule.name,
            Required::Kind(claim) => claim.name(),
        })
    }
}

impl FromStr for Requirement {
    type Err = String;

    /// # Errors
    /// The message lists the rules.
    fn from_str(name: &str) -> Result<Self, String> {
        let rule = RULES.iter().find(|rule| rule.name == name).map(|rule| Required::Rule(rule));
        rule.or_else(|| Claim::named(name).map(Required::Kind)).map(Requirement).ok_or_else(|| {
            let names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
            format!(
                "there is no rule '{name}'; choose a kind (v1 to v8, ulid, short, nil or max) or one of: {}",
                names.join(", ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_and_kind_is_read_back() {
        for rule in RULES {
            assert_eq!(rule.name.parse(), Ok(Requirement(Required::Rule(rule))));
            assert!(Claim::named(rule.name).is_none());
        }
        let error = "V7".parse::<Requirement>().unwrap_err();
        assert!(error.contains("'V7'") && error.contains("no-duplicates"), "{error}");
    }
}
