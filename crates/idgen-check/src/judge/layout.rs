//! Texts, variant, version, and the layout of version 7.

use crate::analysis::Analysis;
use crate::claim::Claim;
use crate::drafts::other_layout;
use crate::numbers::{grouped, plural};
use crate::options::Options;
use crate::report::Verdict;
use crate::rules::{CANONICAL, LAYOUT, ONE_KIND, READABLE, Status, VARIANT};
use crate::seen::Seen;

pub(super) fn input(seen: &Seen, analyses: &[Box<Analysis>]) -> Vec<Verdict> {
    let mut verdicts = vec![readable(seen)];
    let texts = &seen.texts;
    if texts.capitals + texts.small > 0 {
        let places: Vec<_> = texts.first_capital.into_iter().collect();
        verdicts.push(match (texts.capitals, texts.small) {
            (0, _) => Verdict::new(&CANONICAL, None, Status::Holds, "all digits are lowercase"),
            (_, 0) => Verdict::new(&CANONICAL, None, Status::Holds, "all digits are uppercase"),
            (capitals, _) => {
                let found = format!(
                    "{} of {} have uppercase digits",
                    grouped(capitals),
                    grouped(capitals + texts.small)
                );
                Verdict::new(&CANONICAL, None, Status::Warns, found).at(&places)
            }
        });
    }
    if let [first, others @ ..] = analyses {
        let verdict = match others.is_empty() {
            true => Verdict::new(&ONE_KIND, None, Status::Holds, format!("all are {}", first.claim.name())),
            false => {
                let names: Vec<_> =
                    analyses.iter().map(|a| format!("{} {}", grouped(a.bits.ids), a.claim.name())).collect();
                let changes = plural(seen.changes.count, "time");
                let found = format!("{}; the kind changes {changes}", names.join(", "));
                Verdict::new(&ONE_KIND, None, Status::Warns, found).at(&seen.changes.first)
            }
        };
        verdicts.push(verdict);
    }
    verdicts
}

fn readable(seen: &Seen) -> Verdict {
    let texts = &seen.texts;
    let unit = match seen.streams.iter().all(|stream| stream.is_raw) {
        true if !seen.streams.is_empty() => "record",
        _ => "line",
    };
    let Some((_, why)) = texts.first_bad.first() else {
        return match seen.streams.iter().all(|stream| stream.ids == 0) {
            true => Verdict::new(&READABLE, None, Status::Unseen, "the input is empty"),
            false => Verdict::new(&READABLE, None, Status::Holds, format!("every {unit} is an id")),
        };
    };
    let mut found = format!(
        "{}: {why}",
        if texts.bad == 1 {
            format!("1 {unit} is no id")
        } else {
            format!("{} {unit}s are no ids", grouped(texts.bad))
        }
    );
    if texts.substitutes > 0 {
        found += &format!(
            "; {} a ULID with I, L or O, which only readers accept that read several texts as one id",
            if texts.substitutes == 1 {
                "1 is".into()
            } else {
                format!("{} are", grouped(texts.substitutes))
            }
        );
    }
    let places: Vec<_> = texts.first_bad.iter().map(|(place, _)| *place).collect();
    Verdict::new(&READABLE, None, Status::Fails, found).at(&places)
}

pub(super) fn kind(analysis: &Analysis, options: &Options) -> Vec<Verdict> {
    let name = Some(analysis.claim.name());
    match analysis.claim {
        Claim::Version(7) => vec![of_rfc(name), layout(analysis, options)],
        Claim::Version(1..=8) | Claim::Nil | Claim::Max => vec![of_rfc(name)],
        Claim::Version(version) => {
            let found = format!("the RFC defines no version {version}");
            vec![Verdict::new(&VARIANT, name, Status::Fails, found)]
        }
        Claim::OtherVariant => {
            let found = format!("{} without the variant of the RFC", plural(analysis.bits.ids, "id"));
            vec![Verdict::new(&VARIANT, name, Status::Fails, found)]
        }
        Claim::Ulid if are_seconds(analysis) => vec![seconds(name)],
        Claim::Ulid | Claim::Short => Vec::new(),
    }
}

/// Returns whether the times are whole seconds, which are one of 1,000 by chance.
fn are_seconds(analysis: &Analysis) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    let are_whole = analysis.bits.sample().iter().all(|id| {
        let ms = (id >> 80) as u64;
        if seen.len() < FEWEST_SECONDS {
            seen.insert(ms);
        }
        ms.is_multiple_of(1_000)
    });
    are_whole && seen.len() == FEWEST_SECONDS
}

/// Chance makes so many different times whole seconds with a probability of 10^-9.
const FEWEST_SECONDS: usize = 3;

fn seconds(name: Option<&'static str>) -> Verdict {
    let found = "all times are whole seconds: the clock of the generator shows no milliseconds, so ids of one second share a \
                 time";
    Verdict::new(&LAYOUT, name, Status::Warns, found)
}

fn of_rfc(name: Option<&'static str>) -> Verdict {
    Verdict::new(&VARIANT, name, Status::Holds, "variant and version are of the RFC")
}

fn layout(analysis: &Analysis, options: &Options) -> Verdict {
    let credible = (options.not_before.unix_millis(), options.latest().unix_millis());
    let verdict = match other_layout(analysis.bits.sample(), credible) {
        Some(draft) => {
            let found = format!("this is not the layout of version 7: the time is {}", draft.name);
            Verdict::new(&LAYOUT, Some("v7"), Status::Fails, found)
        }
        None if are_seconds(analysis) => seconds(Some("v7")),
        None => Verdict::new(&LAYOUT, Some("v7"), Status::Holds, "milliseconds since 1970 come first"),
    };
    Verdict { section: "5.7".into(), ..verdict }
}
