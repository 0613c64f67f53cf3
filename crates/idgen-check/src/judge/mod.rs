//! The verdicts: what was counted, against the rules; and the report of them.

mod counter;
mod layout;
mod order;
mod outsider;
mod random;
mod source;
mod time;

use crate::analysis::Analysis;
use crate::duplicates::Duplicates;
use crate::options::Options;
use crate::report::{KindReport, Report, StreamReport, Verdict};
use crate::rules::{RULES, UNGUESSABLE};
use crate::seen::Seen;

const CAUTION: &str = "Passing the tests of randomness proves nothing: a counter that was encrypted with a known key passes \
                       them all.";

/// The report of all that was seen.
pub(crate) fn report(mut seen: Seen, duplicates: Option<Duplicates>) -> Report {
    let mut analyses: Vec<_> = seen.analyses.iter_mut().filter_map(Option::take).collect();
    analyses.sort_by_key(|analysis| std::cmp::Reverse(analysis.bits.ids));
    let predicted = source::predicted(&seen);
    let mut verdicts = of_input(&seen, &analyses, duplicates.as_ref());
    verdicts.extend(source::verdicts(&predicted));
    let (mut kinds, mut outsider) = (Vec::new(), Vec::new());
    for analysis in &mut analyses {
        let kind = KindReport::of(analysis);
        let is_predicted = predicted.iter().any(|source| source.kind == Some(kind.kind));
        let mut of_kind = of_kind(analysis, &kind, &seen.options);
        // The source decides, whatever the bits look like.
        of_kind.retain(|verdict| !is_predicted || verdict.rule != UNGUESSABLE.name);
        verdicts.extend(of_kind);
        outsider.extend(outsider::outsider(analysis, &kind, is_predicted));
        kinds.push(kind);
    }
    let order = |verdict: &Verdict| RULES.iter().position(|rule| rule.name == verdict.rule);
    verdicts.sort_by_key(order);
    Report {
        ids: seen.streams.iter().map(|stream| stream.ids).sum(),
        bad: seen.texts.bad,
        streams: seen
            .streams
            .iter()
            .map(|s| StreamReport { name: s.name.clone(), ids: s.ids, raw: s.is_raw })
            .collect(),
        formats: seen.texts.formats(),
        kinds,
        changes: seen.changes.first,
        duplicates,
        predicted,
        verdicts,
        outsider,
        caution: CAUTION,
    }
}

/// Verdicts about the whole input.
fn of_input(seen: &Seen, analyses: &[Box<Analysis>], found: Option<&Duplicates>) -> Vec<Verdict> {
    let mut verdicts = layout::input(seen, analyses);
    verdicts.extend(found.map(|found| order::duplicates(found, seen)));
    verdicts
}

/// Verdicts about the ids of one kind.
fn of_kind(analysis: &mut Analysis, seen: &KindReport, options: &Options) -> Vec<Verdict> {
    let mut verdicts = layout::kind(analysis, options);
    verdicts.extend(order::kind(analysis, seen));
    verdicts.extend(time::kind(analysis, options));
    verdicts.extend(counter::kind(analysis, seen));
    verdicts.extend(random::kind(analysis, seen));
    verdicts
}
