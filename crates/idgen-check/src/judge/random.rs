//! Randomness, and whether an id can be guessed from others.

use crate::analysis::Analysis;
use crate::claim::Claim;
use crate::counter::Method;
use crate::numbers::{grouped, plural};
use crate::order::Sorting;
use crate::random::ENOUGH;
use crate::report::{IMPOSSIBLE, KindReport, RandomReport, Verdict, random_bits};
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
    let free = analysis.claim.free_bits();
    let sorting = analysis.sorting();
    let constant = match sorting {
        None => analysis.bits.constant(free),
        Some(_) => analysis.bits.same(free),
    };
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
    let verdict = match sorting {
        None => verdict,
        Some(sorting) => {
            let sorted = match sorting {
                Sorting::Ascending => "the ids are sorted",
                Sorting::Descending => "the ids are sorted, the greatest first",
                Sorting::InPart => "parts of the ids are sorted",
            };
            let found = format!("{sorted}: order and independence cannot be tested; {}", verdict.found);
            Verdict { status: verdict.status.max(Status::Unseen), found, ..verdict }
        }
    };
    Verdict { section: "5.4, 6.9".into(), ..verdict }
}

fn of_tail(analysis: &mut Analysis, seen: &KindReport) -> Verdict {
    let name = Some(analysis.claim.name());
    match &seen.random {
        Some(tests) => {
            let verdict = judged(name, tests);
            let (stuck, of) = stuck_bits(analysis, tests);
            match stuck.count_ones() {
                0 => verdict,
                bits => {
                    let found =
                        format!("{bits} of {of} bits do not change; of the others, {}", verdict.found);
                    Verdict { status: verdict.status.max(Status::Warns), found, ..verdict }
                }
            }
        }
        None if analysis.bits.ids < ENOUGH => too_few(name),
        None => Verdict::new(&RANDOM, name, Status::Warns, "no bit is drawn anew for each id"),
    }
}

/// The bits that should be drawn anew for each id and do not change, and the number of bits that should be. Zeros at the
/// beginning of the bits of a field may belong to a counter: one bit that guards it against an overflow (RFC 9562
/// section 6.2), or more if few ids share a time, or if the bits after them are not random either.
fn stuck_bits(analysis: &mut Analysis, tests: &RandomReport) -> (u128, u32) {
    let expected = random_bits(analysis);
    let Some(timed) = &analysis.timed else { return (0, 0) };
    let is_ulid = analysis.claim == Claim::Ulid;
    let is_seldom = timed.counter.method() == Method::Unseen;
    let constant = analysis.bits.constant(expected);
    let zeros = analysis.bits.zeros(constant);
    let mut stuck = constant;
    // The last bits of a version 7 are 12 and 62, those of a ULID 80.
    for (top, width) in if is_ulid { [(79, 80), (79, 80)] } else { [(75, 12), (61, 62)] } {
        let field = zeros << (127 - top);
        let may_count = tests.failed_before.is_some() || is_seldom && !is_ulid;
        let guards = match field.leading_ones().min(width) {
            1 => 1,
            zeros if may_count => zeros,
            _ => 0,
        };
        let guarded = u128::MAX.unbounded_shl(128 - guards) >> (127 - top);
        stuck &= !guarded;
    }
    (stuck, expected.count_ones())
}

/// Writes a probability for a comparison with chance.
fn probability(p: f64) -> String {
    if p < 1e-300 { "p < 1e-300".into() } else { format!("p = {p:.0e}") }
}

fn judged(name: Option<&'static str>, tests: &RandomReport) -> Verdict {
    if tests.p < IMPOSSIBLE {
        let found = format!(
            "{} bits fail: {} ({}, corrected for {} tests)",
            tests.bits,
            tests.least_likely,
            probability(tests.p),
            tests.tests
        );
        return Verdict::new(&RANDOM, name, Status::Fails, found);
    }
    let found =
        format!("{} bits pass {} tests (smallest corrected p = {:.2})", tests.bits, tests.tests, tests.p);
    if let (Some(before), Some(firsts)) = (&tests.failed_before, tests.first_of_runs) {
        let result = match tests.tests {
            0 => "which are too few to test".into(),
            _ => format!("whose {found}"),
        };
        let found = format!(
            "ids follow others of the same time by small increments, but for {}, {result}; not all ids pass: {before}, as in \
             a counter of all these bits, or in those of several generators in one stream",
            grouped(firsts)
        );
        return Verdict::new(&RANDOM, name, Status::Warns, found);
    }
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
        _ if seen.random.as_ref().is_some_and(|random| random.first_of_runs.is_some()) => {
            let found =
                "an id can be guessed from others of the same time, which it follows by a small increment";
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
