//! Facts that somebody learns who sees the ids (RFC 9562 sections 6.12 and 8).

use crate::analysis::{Analysis, are_drawn};
use crate::claim::Claim;
use crate::numbers::{duration, grouped};
use crate::report::KindReport;

pub(crate) fn outsider(analysis: &Analysis, seen: &KindReport, is_predicted: bool) -> Vec<String> {
    let kind = seen.kind;
    let constant = u128::from_str_radix(&seen.constant_bits, 16).unwrap_or(0);
    // Random ids and hashes are in order only if they were sorted.
    let is_counted = !are_drawn(analysis.claim, constant);
    let mut learned = Vec::new();
    if let (Some(timed), Some(time)) = (&analysis.timed, &seen.time) {
        let unit = duration(1.0 / timed.layout.per_ms as f64);
        learned.push(format!(
            "{kind}: when each id was made, to {unit}: from {} to {}",
            time.earliest, time.latest
        ));
        if let Some(rate) = time.per_second {
            learned.push(format!(
                "{kind}: how many ids are made: {} a second here",
                grouped(rate.round() as u64)
            ));
        }
        learned.push(format!("{kind}: which of two ids was made first"));
    } else if seen.order.pairs > 1 && seen.order.strict && is_counted {
        learned.push(format!(
            "{kind}: which of two ids was made first, because each is greater than the one before, if they are in the \
             order in which they were made"
        ));
    }
    if let Some(counter) = &seen.counter
        && let (Some(zero), Some(width)) = (counter.zero_starts, counter.width)
        && zero * 2 > counter.starts
        && counter.starts > 0
    {
        learned.push(format!("{kind}: how many ids were made in a time unit before it, from a counter of {width} bits that starts at zero"));
    }
    if let Some(nodes) = analysis.timed.as_ref().and_then(|timed| timed.nodes.as_ref()) {
        let more = if nodes.are_many { " and others" } else { "" };
        let first: Vec<_> = seen.nodes.iter().take(3).map(String::as_str).collect();
        let more = if seen.nodes.len() > first.len() { " and others" } else { more };
        let which = if nodes.multicast < analysis.bits.ids {
            "which computer made it"
        } else {
            "which ids have the same generator"
        };
        learned.push(format!("{kind}: {which}: node {}{more}", first.join(", ")));
    }
    if is_predicted {
        learned.push(format!("{kind}: the ids that come next, because their source was recognized"));
    } else if analysis.claim == Claim::Version(4) && seen.ids > 1 {
        match constant.leading_ones() {
            prefix @ 8.. => learned.push(format!("{kind}: which ids have the same prefix of {prefix} bits")),
            _ => learned.push(format!("{kind}: nothing, if the bits are random")),
        }
    }
    learned
}
