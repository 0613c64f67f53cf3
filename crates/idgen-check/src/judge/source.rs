//! The sources from which ids come, and the ids that come next.

use crate::claim::{Claim, Reading};
use crate::numbers::{grouped, plural};
use crate::predict::{Prediction, predict};
use crate::report::{SourceReport, Verdict};
use crate::rules::{Status, UNGUESSABLE};
use crate::seen::{Seen, Stream};

/// The sources of all streams.
pub(super) fn predicted(seen: &Seen) -> Vec<SourceReport> {
    let count = seen.options.predict;
    let now = Some(seen.options.latest());
    let mut all = Vec::new();
    for (number, stream) in seen.streams.iter().enumerate() {
        let mut add = |kind, predictions: Vec<Prediction>| {
            let report = |prediction| SourceReport { stream: number as u16, kind, prediction };
            all.extend(predictions.into_iter().map(report));
        };
        if let Some((kind, uuids)) = random_uuids(stream) {
            add(kind, predict(&uuids, false, now, count));
        }
        add(Some("ulid"), predict(&stream.ulids, true, now, count));
    }
    all
}

/// The UUIDs of version 4; or all, if version and variant look random too.
fn random_uuids(stream: &Stream) -> Option<(Option<&'static str>, Vec<u128>)> {
    let claims = |wanted: fn(Claim) -> bool| {
        let is_wanted = move |id: &u128| wanted(Claim::of(Reading::Uuid, *id));
        stream.uuids.iter().copied().filter(is_wanted).collect::<Vec<_>>()
    };
    let v4 = claims(|claim| claim == Claim::Version(4));
    let named =
        claims(|claim| matches!(claim, Claim::Version(1 | 3 | 5..=8) | Claim::Nil | Claim::Max)).len();
    match stream.uuids.len() - v4.len() - named {
        0 if v4.is_empty() => None,
        others if others > v4.len() && others > named => Some((None, stream.uuids.clone())),
        _ if v4.is_empty() => None,
        _ => Some((Some(Claim::Version(4).name()), v4)),
    }
}

/// One verdict for each kind whose source was recognized.
pub(super) fn verdicts(predicted: &[SourceReport]) -> Vec<Verdict> {
    let verdict = |part: &[SourceReport]| {
        let first = &part[0].prediction;
        let mut found = format!("these ids come from {}", first.source);
        if let Some(next) = first.next.first() {
            found += &format!("; the next id is {next}");
        }
        if first.others > 0 {
            found += &format!(", or one of {} others", grouped(first.others as u64));
        }
        if first.found < first.of {
            found += &format!(
                "; {} of {} come from one state of it",
                grouped(first.found as u64),
                plural(first.of as u64, "id")
            );
        }
        Verdict::new(&UNGUESSABLE, part[0].kind, Status::Fails, found)
    };
    let mut sorted = predicted.to_vec();
    sorted.sort_by_key(|source| source.kind);
    sorted.chunk_by(|a, b| a.kind == b.kind).map(verdict).collect()
}
