//! Finds out whether ids come from a source that was not made for security, and which ids come next.
//!
//! Each source and each form is a hypothesis: the bits of the ids are equations over the state of the source, which are
//! solved. A hypothesis is only reported if at least [`SPARE`] bits agree with it beyond those that determine the state.
//! Bits of a secure source do so with a probability of at most 2^-[`SPARE`] for each hypothesis.

mod congruence;
mod echelon;
mod follow;
mod form;
mod lagged;
mod lattice;
mod linear;
mod mersenne;
mod pcg;
mod scrambled;
mod seed;
mod source;
mod stream;
mod sums;
mod weyl;

use std::collections::HashSet;

use idgen::Timestamp;
use serde::Serialize;

use follow::{FAR, Followed, Lead};

/// Bits that must agree beyond those that determine the state.
pub(crate) const SPARE: u32 = 80;

/// Ids that are looked at in each stream.
pub(crate) const MOST: usize = 1 << 14;

/// Sources that are looked for one after the other, in ids of several processes.
const MOST_SOURCES: usize = 8;

/// Windows of ids that are tried.
const MOST_WINDOWS: usize = 256;

/// A source of ids that was found, and the ids that come next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Prediction {
    /// The source: "Math.random() of V8 (Node, Chrome, Edge)".
    pub source: String,
    /// The part of each number that an id takes: "4 bits of each of 31 numbers".
    pub form: String,
    /// The fewest ids from which the state of the source follows. The others confirm it.
    pub needed: usize,
    /// Ids that come from the source in this state.
    pub found: usize,
    /// The number of different ids that were compared with the source. A repeated id counts once.
    pub of: usize,
    /// Numbers that were drawn between these ids, and are in none of them.
    pub skipped: usize,
    /// True if the ids were given in another order than the one in which they were made.
    pub is_reordered: bool,
    /// Other states of the source that fit these ids as well. Further ids decide between them.
    pub others: usize,
    /// A secure source for the same language, to use instead of this one.
    pub instead: &'static str,
    /// The next ids, as 32 hexadecimal digits with hyphens. A digit that is not known is `?`.
    pub next: Vec<String>,
}

/// Looks for the sources of these ids: 16 bytes each as a number, in the order in which they were made. Two ids are enough for
/// some sources, and one of a source that was seeded with a time in the day before `now`, or with a small number; without `now`, only seeds that follow
/// from the id are found. `count` is the number of ids to predict.
///
/// An empty answer does not say that the ids are secure.
pub fn predict(ids: &[u128], is_ulid: bool, now: Option<Timestamp>, count: usize) -> Vec<Prediction> {
    // An id that was given twice would be another one of the source.
    let mut seen = HashSet::new();
    let mut rest: Vec<u128> = ids.iter().copied().take(MOST).filter(|id| seen.insert(*id)).collect();
    let all = rest.len();
    let mut found = Vec::new();
    while !rest.is_empty() && found.len() < MOST_SOURCES {
        let leads = leads(&rest, is_ulid, now);
        let leads = best(leads, |lead| lead.follow(&rest, 0, 0));
        let leads = best(leads, |lead| lead.follow(&rest, FAR, 0));
        let others = leads.len().saturating_sub(1);
        let Some(lead) = leads.into_iter().next() else { break };
        let followed = lead.follow(&rest, FAR, count);
        if followed.matched.len() < lead.needed {
            break;
        }
        found.push(Prediction {
            source: lead.source,
            form: lead.form.name,
            needed: lead.needed,
            found: followed.matched.len(),
            of: all,
            skipped: followed.skipped,
            is_reordered: !followed.matched.is_sorted(),
            others,
            instead: lead.instead,
            next: followed.next.into_iter().map(|(id, known)| text(id, known)).collect(),
        });
        let mut is_left = vec![true; rest.len()];
        followed.matched.iter().for_each(|&place| is_left[place] = false);
        rest = rest.into_iter().zip(is_left).filter_map(|(id, left)| left.then_some(id)).collect();
    }
    found
}

/// The leads that explain the most ids, with the fewest numbers between them.
fn best(leads: Vec<Lead>, follow: impl Fn(&Lead) -> Followed) -> Vec<Lead> {
    if leads.len() < 2 {
        return leads;
    }
    let rank = |lead: &Lead| {
        let followed = follow(lead);
        (followed.matched.len(), std::cmp::Reverse(followed.skipped))
    };
    let ranks: Vec<_> = leads.iter().map(rank).collect();
    let most = ranks.iter().max().copied();
    leads.into_iter().zip(ranks).filter(|(_, rank)| Some(*rank) == most).map(|(lead, _)| lead).collect()
}

/// The states of a source that may have made some of the ids, the most likely one first.
fn leads(ids: &[u128], is_ulid: bool, now: Option<Timestamp>) -> Vec<Lead> {
    let seeds = || match congruence::seeded::find(ids, now) {
        leads if leads.is_empty() => now.map_or_else(Vec::new, |now| seed::find(ids, now)),
        leads => leads,
    };
    if ids.len() == 1 {
        let leads = if is_ulid { Vec::new() } else { congruence::find(ids) };
        return if is_ulid || !leads.is_empty() { leads } else { seeds() };
    }
    let linear = linear::find(ids, is_ulid);
    if is_ulid || !linear.is_empty() {
        return linear;
    }
    for find in
        [weyl::find, scrambled::find, lagged::find, mersenne::find, congruence::find, pcg::find, sums::find]
    {
        let leads = find(ids);
        if !leads.is_empty() {
            return leads;
        }
    }
    seeds()
}

/// Digits with hyphens, and `?` for a digit of which a bit is not known.
fn text(id: u128, known: u128) -> String {
    let mut text = String::with_capacity(36);
    for digit in 0..32 {
        let shift = 124 - 4 * digit;
        if [8, 12, 16, 20].contains(&digit) {
            text.push('-');
        }
        text.push(match known >> shift & 0xF {
            0xF => char::from_digit((id >> shift) as u32 & 0xF, 16).unwrap_or('?'),
            _ => '?',
        });
    }
    text
}

/// Places of `size` ids that may come one after the other from one source: neighbors first, then every second to eighth
/// id as of processes in turn, then in other orders.
fn windows(ids: usize, size: usize) -> Vec<Vec<usize>> {
    let mut windows = Vec::new();
    if size == 0 || ids < size {
        return windows;
    }
    for stride in 1..=8 {
        let starts = ids.saturating_sub((size - 1) * stride);
        let most = if stride == 1 { MOST_WINDOWS } else { MOST_WINDOWS / 16 };
        windows.extend((0..starts).take(most).map(|start| (0..size).map(|n| start + n * stride).collect()));
    }
    if size == 2 {
        let few = ids.min(32);
        windows.extend(
            (0..few)
                .flat_map(|a| (0..few).map(move |b| vec![a, b]))
                .filter(|w| w[0] != w[1] && w[1].wrapping_sub(w[0]) > 8),
        );
    }
    windows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documentation says how unlikely a false report is: 2^-80 for each hypothesis, and fewer than 2^34 of them.
    #[test]
    fn few_hypotheses_are_tried() {
        for ids in [2, 12, 99, 100, MOST] {
            let all = linear::hypotheses(ids)
                + weyl::hypotheses(ids)
                + scrambled::hypotheses(ids)
                + lagged::hypotheses(ids)
                + congruence::hypotheses()
                + mersenne::hypotheses()
                + pcg::hypotheses()
                + sums::hypotheses()
                + seed::hypotheses();
            let all = MOST_SOURCES * all;
            println!("{ids} ids: {all} hypotheses");
            assert!(all < 1 << 34, "{ids} ids: {all} hypotheses");
        }
    }
}
