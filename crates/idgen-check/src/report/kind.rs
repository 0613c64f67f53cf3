//! The measurements of the ids of one kind.

use serde::Serialize;

use crate::analysis::{Analysis, Timed};
use crate::claim::Claim;
use crate::counter::Method;
use crate::order::Sorting;
use crate::place::Point;
use crate::random::{Bits, ENOUGH, Outcome};

/// The ids of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindReport {
    /// Its name: `v1` to `v8`, `ulid`, `short`, or another one.
    pub kind: &'static str,
    /// Ids of this kind.
    pub ids: u64,
    /// Their order.
    pub order: OrderReport,
    /// Their times, where the kind has one.
    pub time: Option<TimeReport>,
    /// The method by which ids of one time differ, where the kind has a time.
    pub counter: Option<CounterReport>,
    /// The nodes of versions 1 and 6 as hexadecimal digits; the first 16.
    pub nodes: Vec<String>,
    /// Bits that never change, as a mask of 32 hexadecimal digits.
    pub constant_bits: String,
    /// The tests of randomness, if there are enough ids and bits that should be random.
    pub random: Option<RandomReport>,
}

/// Order in the streams of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrderReport {
    /// True if each id is greater than the one before it, so that sorting the ids keeps the order of the file.
    pub strict: bool,
    /// Pairs of successive ids that were compared.
    pub pairs: u64,
    /// Smaller ids with the same time.
    pub breaks_within: u64,
    /// Ids with an earlier time.
    pub breaks_across: u64,
    /// Ids equal to the one before.
    pub equal: u64,
    /// `ascending`, `descending` or `in part` if random ids seem to have been sorted: then their order says nothing
    /// about the generator, and that each id is independent of the one before is not tested.
    pub sorted: Option<&'static str>,
}

/// Times in the ids of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeReport {
    /// The times of the first and the last id.
    pub first: String,
    /// See `first`.
    pub last: String,
    /// The earliest and the latest time.
    pub earliest: String,
    /// See `earliest`.
    pub latest: String,
    /// The largest step back and forward between two ids, in milliseconds.
    pub back_ms: f64,
    /// See `back_ms`.
    pub forward_ms: f64,
    /// The most successive ids with one time.
    pub most_in_one: u64,
    /// Ids per second between the earliest and the latest time.
    pub per_second: Option<f64>,
    /// The largest distance of an id's time ahead of the clock, in milliseconds; negative if all were made before. This
    /// value and the next two exist only if the ids were read while the generator ran.
    pub ahead_ms: Option<f64>,
    /// The largest distance of an id's time behind the clock, in milliseconds.
    pub behind_ms: Option<f64>,
    /// The distance by which the ids moved ahead of the clock from the first batch that was read to the last, in
    /// milliseconds: that of the stream that moved most.
    pub drift_ms: Option<f64>,
}

/// The method by which ids of one time differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CounterReport {
    /// The method of RFC 9562 section 6.2 that the ids look like, 1 to 3; none if they are in no order, or if too few
    /// share a time. Method 4 is an order among several generators that the ids of one do not show.
    pub method: Option<u8>,
    /// A sentence about the method, such as "method 1: a counter of 26 bits, which increments by one".
    pub looks_like: String,
    /// The bits of the counter.
    pub width: Option<u32>,
    /// Counters that began with zero.
    pub zero_starts: Option<u64>,
    /// Time units whose first id was seen.
    pub starts: u64,
    /// Times that a counter returned to zero within one time unit.
    pub wraps: u64,
    /// Values of the fraction of a millisecond, for method 3.
    pub fraction_values: Option<u32>,
}

/// The tests of randomness.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RandomReport {
    /// Bits of each id that should be random.
    pub bits: u32,
    /// These bits, as a mask of 32 hexadecimal digits.
    pub mask: String,
    /// Tests that were made.
    pub tests: u32,
    /// The smallest p-value, multiplied by the number of tests (Bonferroni), and at most 1.
    pub p: f64,
    /// The finding of the test with this p-value.
    pub least_likely: String,
    /// The finding about the bits before these, if they failed and these were tested alone. With `first_of_runs`, the
    /// finding about all ids.
    pub failed_before: Option<String>,
    /// The number of ids that were tested, if only those were that do not follow another one of the same time by a
    /// small increment.
    pub first_of_runs: Option<u64>,
}

impl KindReport {
    pub(crate) fn of(analysis: &mut Analysis) -> Self {
        let sorting = analysis.sorting();
        let constant = match sorting {
            None => analysis.bits.constant(u128::MAX),
            Some(_) => analysis.bits.same(u128::MAX),
        };
        let random = tested(analysis, constant);
        let order = &analysis.order;
        let timed = analysis.timed.as_ref();
        KindReport {
            kind: analysis.claim.name(),
            ids: analysis.bits.ids,
            order: OrderReport {
                strict: order.is_strict(),
                pairs: order.pairs,
                breaks_within: order.within.count,
                breaks_across: order.across.count,
                equal: order.equal.count,
                sorted: sorting.map(|sorting| match sorting {
                    Sorting::Ascending => "ascending",
                    Sorting::Descending => "descending",
                    Sorting::InPart => "in part",
                }),
            },
            time: timed.map(time),
            counter: timed.map(counter),
            nodes: timed
                .and_then(|timed| timed.nodes.as_ref())
                .map(|nodes| nodes.names())
                .unwrap_or_default(),
            constant_bits: format!("{constant:032x}"),
            random,
        }
    }
}

/// Below this p-value, corrected for the number of tests, chance is no explanation: not even if the check runs every minute
/// for a year.
pub(crate) const IMPOSSIBLE: f64 = 1e-6;

/// Tests the bits that should be random. Unless the method says where the counter ends, they may include one: of a
/// generator that makes few ids at a time, of several generators in one stream, of one that threads share, or behind a
/// fraction of a millisecond. If they fail, the last bits are tested alone; then the ids that do not follow another one
/// of the same time by a small increment, as those of several generators do whose counters are all of the bits.
fn tested(analysis: &mut Analysis, constant: u128) -> Option<RandomReport> {
    let mut mask = random_bits(analysis) & !constant;
    let method = analysis.timed.as_ref().map(|timed| timed.counter.method());
    if method == Some(Method::Unseen) {
        mask &= !analysis.bits.rare(mask, 4);
    }
    let report = |outcome: Outcome, mask: u128, failed_before: Option<String>| RandomReport {
        bits: mask.count_ones(),
        mask: format!("{mask:032x}"),
        tests: outcome.tests,
        p: outcome.p,
        least_likely: outcome.what,
        failed_before,
        first_of_runs: None,
    };
    if analysis.sorting().is_some() {
        return Some(report(analysis.bits.test_sorted(mask)?, mask, None));
    }
    let outcome = analysis.bits.test(mask)?;
    // A counter of few bits may be the beginning of those of several generators.
    let is_guess = match method {
        Some(Method::Counter(width)) => width < 8,
        None | Some(Method::PlusOne | Method::Fraction { counter: Some(_), .. }) => false,
        Some(_) => true,
    };
    if outcome.p >= IMPOSSIBLE || !is_guess {
        return Some(report(outcome, mask, None));
    }
    let last = mask & u128::from(u32::MAX);
    match analysis.bits.test(last) {
        Some(passed) if passed.p >= IMPOSSIBLE => return Some(report(passed, last, Some(outcome.what))),
        _ => {}
    }
    let (mut firsts, followers) = first_of_runs(analysis);
    if followers == 0 {
        return Some(report(outcome, mask, None));
    }
    let first_of_runs = Some(firsts.ids);
    let free = mask & !firsts.constant(mask);
    match firsts.test(free) {
        Some(passed) if passed.p >= IMPOSSIBLE => {
            Some(RandomReport { first_of_runs, ..report(passed, free, Some(outcome.what)) })
        }
        // Too few to be tested, and each of the others follows one of them.
        None if firsts.ids < ENOUGH && firsts.ids < followers => {
            let untested = Outcome { tests: 0, p: 1.0, what: String::new() };
            Some(RandomReport { first_of_runs, ..report(untested, free, Some(outcome.what)) })
        }
        _ => Some(report(outcome, mask, None)),
    }
}

/// The ids that do not follow another one of the same time by a small increment, in their order, and the number of those
/// that do. Chance makes fewer than one of 2^23 pairs of ids of one time follow each other.
fn first_of_runs(analysis: &Analysis) -> (Bits, u64) {
    let mut firsts = Bits::default();
    let Some(Timed { layout, .. }) = &analysis.timed else { return (firsts, 0) };
    let sample = analysis.bits.sample();
    let point = |id: u128| Point { time: (layout.time)(id), tail: (layout.tail)(id) };
    let mut sorted: Vec<Point> = sample.iter().map(|&id| point(id)).collect();
    sorted.sort_unstable();
    let small = 1_u128 << (128 - 24);
    let follows = |one: Point, next: Point| {
        // Equal ids stay, because they are a defect.
        one.time == next.time && (1..small).contains(&(next.tail - one.tail))
    };
    let mut following: Vec<Point> =
        sorted.windows(2).filter(|two| follows(two[0], two[1])).map(|two| two[1]).collect();
    following.dedup();
    let is_first = |id: &u128| following.binary_search(&point(*id)).is_err();
    firsts.push(None, sample.iter().copied().filter(is_first));
    let followers = sample.len() as u64 - firsts.ids;
    (firsts, followers)
}

/// The bits that the generator should have drawn again for each id.
pub(crate) fn random_bits(analysis: &Analysis) -> u128 {
    let low = |bits: u32| (1_u128 << bits) - 1;
    let free = analysis.claim.free_bits();
    let Some(timed) = &analysis.timed else { return free };
    let tail = timed.layout.tail_bits;
    let fresh = match timed.counter.method() {
        Method::Counter(width) => tail - width.min(tail),
        Method::PlusOne => 0,
        // The upper bits of the sum of random increments depend on those before.
        Method::Increments(bits) => bits.saturating_sub(8),
        Method::Fraction { counter, .. } => tail - 12 - counter.unwrap_or(0),
        Method::Unseen | Method::Unordered | Method::Unclear => tail,
    };
    // The variant is between `rand_b` and `rand_a` of version 7.
    let variant = if analysis.claim == Claim::Version(7) && fresh > 62 { 2 } else { 0 };
    free & low(fresh + variant)
}

fn time(timed: &Timed) -> TimeReport {
    let (layout, time) = (timed.layout, &timed.time);
    let signed = |units: i64| units as f64 / layout.per_ms as f64;
    let moment = |units| layout.moment(units).to_string();
    let span = layout.ms(time.span());
    TimeReport {
        first: moment(time.first.unwrap_or_default()),
        last: moment(time.last),
        earliest: moment(time.min),
        latest: moment(time.max),
        back_ms: layout.ms(time.back),
        forward_ms: layout.ms(time.forward),
        most_in_one: time.most_in_one,
        per_second: (span > 0.0).then(|| time.ids as f64 / span * 1e3),
        ahead_ms: time.ahead.map(|(lead, _)| signed(lead)),
        behind_ms: time.behind.map(signed),
        drift_ms: time.drift().map(signed),
    }
}

fn counter(timed: &Timed) -> CounterReport {
    let counter = &timed.counter;
    let method = counter.method();
    let is_node = timed.nodes.is_some();
    let (number, looks_like) = match method {
        Method::Unseen => (None, "too few ids share a time to tell".into()),
        Method::Unordered => (None, "ids of one time are in no order".into()),
        Method::Counter(14) if is_node => {
            (Some(1), "the clock sequence counts within one tick of 100 ns".into())
        }
        Method::Counter(width) => {
            (Some(1), format!("method 1: a counter of {width} bits, which increments by one"))
        }
        Method::PlusOne => {
            (Some(2), "method 2 with increments of one: the whole rest of the id is a counter".into())
        }
        Method::Increments(bits) => {
            (Some(2), format!("method 2: the rest of the id grows by random increments of up to {bits} bits"))
        }
        Method::Fraction { values, counter } => {
            let fraction = format!(
                "method 3: the first 12 bits are a fraction of the millisecond, with {values} values"
            );
            let after = counter
                .map(|width| format!(", and a counter of {width} bits follows, which increments by one"));
            (Some(3), fraction + &after.unwrap_or_default())
        }
        Method::Unclear => {
            (None, "most ids of one time ascend, but by none of the methods of the RFC".into())
        }
    };
    let width = match method {
        Method::Counter(width) => Some(width),
        Method::PlusOne => Some(timed.layout.tail_bits),
        _ => None,
    };
    CounterReport {
        method: number,
        looks_like,
        width,
        zero_starts: width.map(|width| counter.zero_starts(width)),
        starts: counter.started,
        wraps: width.map_or(0, |width| counter.wraps(width).0),
        fraction_values: if let Method::Fraction { values, .. } = method { Some(values) } else { None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Clock;
    use crate::options::Options;
    use crate::place::Place;

    fn masks(claim: Claim, ids: &[idgen::Uuid]) -> u128 {
        let mut analysis = Analysis::new(claim, &Options::default());
        let clock = Clock { latest: Options::default().latest(), arrived: None };
        analysis.push(None, ids, Place { stream: 0, line: 1 }, clock);
        random_bits(&analysis)
    }

    #[test]
    fn the_random_bits_are_those_behind_the_counter() {
        let mut v7 = vec![idgen::Uuid::nil(); 1_000];
        idgen::fill_v7(&mut v7);
        assert_eq!(masks(Claim::Version(7), &v7), (1 << 48) - 1);
        let mut ulid = vec![idgen::Uuid::nil(); 1_000];
        idgen::fill_ulid(&mut ulid);
        assert_eq!(masks(Claim::Ulid, &ulid), (1 << 54) - 1);
        let one_each: Vec<_> =
            (0..1_000).map(|ms| idgen::Uuid::from_u128(ms << 80 | 0x7 << 76 | 0b10 << 62)).collect();
        assert_eq!(masks(Claim::Version(7), &one_each), Claim::Version(7).free_bits());
        assert_eq!(masks(Claim::Version(7), &one_each).count_ones(), 74);
        assert_eq!(masks(Claim::Version(4), &[idgen::v4()]).count_ones(), 122);
    }
}
