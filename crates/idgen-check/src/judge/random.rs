//! Randomness, and whether an id can be guessed from others.

use crate::analysis::Analysis;
use crate::claim::Claim;
use crate::counter::Method;
use crate::numbers::{grouped, plural};
use crate::random::ENOUGH;
use crate::report::{IMPOSSIBLE, KindReport, RandomReport, Verdict};
use crate::rules::{NO_HOST, RANDOM, Status, UNGUESSABLE};

/// The fewest new random bits that make an id hard to guess (RFC 9562 section 6.2).
const ENOUGH_BITS: u32 = 32;

pub(super) fn kind(analysis: &mut Analysis, seen: &KindReport) -> Vec<Verdict> {
    let name = Some(analysis.claim.name());
    let mut verdicts = match analysis.claim {
        Claim::Version(4) => vec![of_v4(analysis, seen), unguessable(analysis, seen)],
        Claim::Version(7) | Claim::Ulid => vec![of_tail(analysis, seen), unguessable(analysis, seen)],
        Claim::Version(1 | 6) => {
            let found = "time, clock sequence and node of the next id can be guessed";
            vec![Verdict::new(&UNGUESSABLE, name, Status::Warns, found)]
        }
        _ => Vec::new(),
    };
    if let Some(nodes) = analysis.timed.as_ref().and_then(|timed| timed.nodes.as_ref()) {
        verdicts.push(match analysis.bits.ids - nodes.multicast {
            0 => Verdict::new(
                &NO_HOST,
                name,
                Status::Holds,
                "the nodes have the multicast bit set: they are random",
            ),
            count => {
                let found = format!(
                    "{} with the address of a network card, or what looks like one",
                    plural(count, "id")
                );
                Verdict::new(&NO_HOST, name, Status::Warns, found)
            }
        });
    }
    verdicts
}

fn too_few(name: Option<&'static str>) -> Verdict {
    let found = format!("there are fewer than {} ids", grouped(ENOUGH));
    Verdict::new(&RANDOM, name, Status::Unseen, found)
}

fn of_v4(analysis: &mut Analysis, seen: &KindReport) -> Verdict {
    let name = Some("v4");
    if analysis.bits.ids < ENOUGH {
        return too_few(name);
    }
    let constant = analysis.bits.constant(analysis.claim.free_bits());
    let verdict = match (constant.count_ones(), &seen.random) {
        (bits @ 33.., _) => {
            let found = format!("{bits} of 122 bits do not change");
            Verdict::new(&RANDOM, name, Status::Fails, found)
        }
        (0, Some(tests)) => judged(name, tests),
        (bits, Some(tests)) => {
            let verdict = judged(name, tests);
            let prefix = if constant.leading_ones() == bits { ", the first ones: a prefix" } else { "" };
            let found = format!("{bits} of 122 bits do not change{prefix}; of the others, {}", verdict.found);
            Verdict { status: verdict.status.max(Status::Warns), found, ..verdict }
        }
        (_, None) => too_few(name),
    };
    Verdict { section: "5.4, 6.9".into(), ..verdict }
}

fn of_tail(analysis: &Analysis, seen: &KindReport) -> Verdict {
    let name = Some(analysis.claim.name());
    match &seen.random {
        Some(tests) => judged(name, tests),
        None if analysis.bits.ids < ENOUGH => too_few(name),
        None => Verdict::new(&RANDOM, name, Status::Warns, "no bit is drawn anew for each id"),
    }
}

fn judged(name: Option<&'static str>, tests: &RandomReport) -> Verdict {
    if tests.p < IMPOSSIBLE {
        let found = format!(
            "{} bits fail: {} (p = {:.0e}, corrected for {} tests)",
            tests.bits, tests.least_likely, tests.p, tests.tests
        );
        return Verdict::new(&RANDOM, name, Status::Fails, found);
    }
    let found =
        format!("{} bits pass {} tests (smallest corrected p = {:.2})", tests.bits, tests.tests, tests.p);
    if let Some(before) = &tests.failed_before {
        let found = format!(
            "the last {found}, but not those before: {before}, as in a counter behind a fraction of a millisecond, or in \
             those of several generators in one stream"
        );
        return Verdict::new(&RANDOM, name, Status::Warns, found);
    }
    Verdict::new(&RANDOM, name, Status::Holds, found)
}

fn unguessable(analysis: &Analysis, seen: &KindReport) -> Verdict {
    let name = Some(analysis.claim.name());
    if analysis.bits.ids < ENOUGH {
        return Verdict::new(
            &UNGUESSABLE,
            name,
            Status::Unseen,
            format!("there are fewer than {} ids", grouped(ENOUGH)),
        );
    }
    let method = analysis.timed.as_ref().map(|timed| timed.counter.method());
    let bits = seen.random.as_ref().map_or(0, |random| random.bits);
    match (bits, method) {
        (_, Some(Method::PlusOne)) => {
            let found = "the next id of the same time is the last one plus one";
            Verdict::new(&UNGUESSABLE, name, Status::Warns, found)
        }
        (ENOUGH_BITS.., _) => {
            let found = format!("{bits} bits are drawn anew for each id, if their source is secure");
            Verdict::new(&UNGUESSABLE, name, Status::Holds, found)
        }
        (bits, _) => {
            let found = format!(
                "only {} drawn anew for each id",
                if bits == 1 { "1 bit is".into() } else { format!("{bits} bits are") }
            );
            Verdict::new(&UNGUESSABLE, name, Status::Warns, found)
        }
    }
}
