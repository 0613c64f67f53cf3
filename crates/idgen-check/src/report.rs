//! The result of a check, as data. [`Report`] is also displayed as text.

mod display;
mod kind;

use serde::Serialize;

use crate::duplicates::Duplicates;
use crate::place::Place;
use crate::predict::Prediction;
use crate::rules::{Required, Requirement, Rule, Status};

pub use kind::{CounterReport, KindReport, OrderReport, RandomReport, TimeReport};
pub(crate) use kind::{IMPOSSIBLE, random_bits};

/// The findings of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Ids that were read.
    pub ids: u64,
    /// Lines, or records of raw bytes, that are no ids.
    pub bad: u64,
    /// The inputs.
    pub streams: Vec<StreamReport>,
    /// The formats of the texts, and how often each was read.
    pub formats: Vec<(&'static str, u64)>,
    /// The kinds of ids, the most frequent one first.
    pub kinds: Vec<KindReport>,
    /// The first few places at which the kind changes.
    pub changes: Vec<Place>,
    /// Equal ids, if they were searched for.
    pub duplicates: Option<Duplicates>,
    /// The sources that were recognized, and the ids that come next.
    pub predicted: Vec<SourceReport>,
    /// A verdict for each rule that applies, for each kind.
    pub verdicts: Vec<Verdict>,
    /// Sentences about what somebody who sees the ids can learn from them, such as the time at which each was made.
    pub outsider: Vec<String>,
    /// A reminder that tests of randomness find bad sources, and cannot prove a good one.
    pub caution: &'static str,
}

/// One input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamReport {
    /// Its name.
    pub name: String,
    /// Ids that were read from it.
    pub ids: u64,
    /// Its ids are records of raw bytes, so that the numbers of places are those of records, not of lines.
    pub raw: bool,
}

/// A source that was recognized.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceReport {
    /// The number of the stream whose ids come from it.
    pub stream: u16,
    /// The kind of these ids; none if version and variant are random too.
    pub kind: Option<&'static str>,
    /// The state of the source, and the ids that follow from it.
    #[serde(flatten)]
    pub prediction: Prediction,
}

/// The judgment of one rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The name of the rule.
    pub rule: &'static str,
    /// The section of RFC 9562 that it is from; `ULID` for ULIDs, whose specification has no sections, and empty for
    /// 64-bit ids.
    pub section: String,
    /// The kind of ids that it is about; none if it is about all of them.
    pub kind: Option<&'static str>,
    /// The judgment.
    pub status: Status,
    /// The reason for the status, as a sentence or a part of one.
    pub found: String,
    /// The first few places where it was found.
    pub places: Vec<Place>,
}

impl Verdict {
    pub(crate) fn new(
        rule: &'static Rule,
        kind: Option<&'static str>,
        status: Status,
        found: impl Into<String>,
    ) -> Self {
        let section = match kind {
            Some("ulid") => "ULID".into(),
            Some("short") => String::new(),
            _ => rule.section.into(),
        };
        Verdict { rule: rule.name, section, kind, status, found: found.into(), places: Vec::new() }
    }

    pub(crate) fn at(self, places: &[Place]) -> Self {
        Verdict { places: places.to_vec(), ..self }
    }
}

impl Report {
    /// The worst status of a verdict, where [`Status::Unseen`] does not count.
    pub fn worst(&self) -> Status {
        let seen =
            self.verdicts.iter().map(|verdict| verdict.status).filter(|&status| status != Status::Unseen);
        seen.max().unwrap_or(Status::Holds)
    }

    /// The verdicts of a rule, one for each kind that it applies to.
    pub fn verdicts_of<'a>(&'a self, rule: &'a str) -> impl Iterator<Item = &'a Verdict> + 'a {
        self.verdicts.iter().filter(move |verdict| verdict.rule == rule)
    }

    /// Returns the reason why a requirement is not met; `None` if it is met. A rule must hold for all kinds to which it
    /// applies, and for at least one; that it was not seen is not enough.
    ///
    /// ```
    /// use idgen_check::{Checker, Options, Reading};
    ///
    /// let mut checker = Checker::new(Options::default());
    /// let stream = checker.stream("two");
    /// let id = idgen::v4();
    /// checker.push(stream, Reading::Uuid, &[id, id], None)?;
    /// let report = checker.finish()?;
    /// assert_eq!(report.unmet("v4".parse()?), None);
    /// assert!(report.unmet("no-duplicates".parse()?).unwrap().contains("1 id"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unmet(&self, requirement: Requirement) -> Option<String> {
        if self.ids == 0 {
            return Some("there is no id".into());
        }
        match requirement.0 {
            Required::Kind(claim) => {
                let other: Vec<_> = self.kinds.iter().filter(|kind| kind.kind != claim.name()).collect();
                let all =
                    || other.iter().map(|kind| format!("{} of {}", kind.ids, kind.kind)).collect::<Vec<_>>();
                (!other.is_empty()).then(|| format!("there are other ids: {}", all().join(", ")))
            }
            Required::Rule(rule) => {
                let mut applies = false;
                for verdict in self.verdicts_of(rule.name) {
                    applies = true;
                    if verdict.status != Status::Holds {
                        return Some(verdict.found.clone());
                    }
                }
                (!applies).then(|| "the rule does not apply to these ids".into())
            }
        }
    }
}
