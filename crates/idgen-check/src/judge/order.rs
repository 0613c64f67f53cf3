//! Duplicates and order.

use crate::analysis::{Analysis, Timed};
use crate::claim::Claim;
use crate::counter::Method;
use crate::duplicates::Duplicates;
use crate::numbers::{grouped, plural};
use crate::place::Place;
use crate::report::{KindReport, Verdict};
use crate::rules::{MONOTONIC, NO_DUPLICATES, Status, TIME_ORDERED};
use crate::seen::Seen;

pub(super) fn duplicates(found: &Duplicates, seen: &Seen) -> Verdict {
    if found.repeated == 0 {
        return match seen.streams.iter().all(|stream| stream.ids == 0) {
            true => Verdict::new(&NO_DUPLICATES, None, Status::Unseen, "there is no id"),
            false => Verdict::new(&NO_DUPLICATES, None, Status::Holds, "no id is repeated"),
        };
    }
    let verb = if found.repeated == 1 { "is" } else { "are" };
    let mut text = format!("{} {verb} equal to an earlier one", plural(found.repeated, "id"));
    if seen.streams.len() > 1 {
        text += &format!(", {} of them to one of another stream", grouped(found.across_streams));
    }
    if let Some(pair) = found.first.first() {
        let name = |place: Place| &seen.streams[usize::from(place.stream)].name;
        let unit = |place: Place| seen.streams[usize::from(place.stream)].unit();
        text += &format!(
            "; first {} {} of {} as {} {} of {}",
            unit(pair.again),
            pair.again.line,
            name(pair.again),
            unit(pair.first),
            pair.first.line,
            name(pair.first)
        );
    }
    let places: Vec<_> = found.first.iter().map(|pair| pair.again).collect();
    Verdict::new(&NO_DUPLICATES, None, Status::Fails, text).at(&places)
}

pub(super) fn kind(analysis: &Analysis, seen: &KindReport) -> Vec<Verdict> {
    let (order, name) = (&analysis.order, Some(analysis.claim.name()));
    let Some(timed) = &analysis.timed else {
        return ordered_values(analysis, name).into_iter().collect();
    };
    if order.pairs == 0 {
        return vec![
            Verdict::new(&TIME_ORDERED, name, Status::Unseen, "there is only one id"),
            Verdict::new(&MONOTONIC, name, Status::Unseen, "there is only one id"),
        ];
    }
    let by_time = match order.is_by_time() {
        true => Verdict::new(&TIME_ORDERED, name, Status::Holds, "no time is earlier than the one before"),
        false => {
            let back = crate::numbers::duration(timed.layout.ms(timed.time.back));
            let found = format!(
                "{} an earlier time than the one before, by up to {back}: the clock was set back, or several \
                 generators wrote one stream",
                if order.across.count == 1 {
                    "1 id has".into()
                } else {
                    format!("{} ids have", grouped(order.across.count))
                }
            );
            Verdict::new(&TIME_ORDERED, name, Status::Warns, found).at(&order.across.first)
        }
    };
    vec![by_time, monotonic(analysis, seen, timed, name)]
}

/// Counts the ids at which the counter of one generator returned to zero within one time.
fn restarts(timed: &Timed, method: Method) -> u64 {
    match method {
        Method::Counter(width) => timed.counter.wraps(width).0,
        Method::PlusOne | Method::Increments(_) => timed.counter.wraps(timed.layout.tail_bits).0,
        _ => 0,
    }
}

fn monotonic(analysis: &Analysis, seen: &KindReport, timed: &Timed, name: Option<&'static str>) -> Verdict {
    let (order, method) = (&analysis.order, timed.counter.method());
    if order.is_strict() {
        let found = match method {
            Method::Unseen => "each id is greater than the one before, but few share a time".into(),
            _ => format!("each of {} is greater than the one before", plural(seen.ids, "id")),
        };
        return Verdict::new(&MONOTONIC, name, Status::Holds, found);
    }
    let found = format!(
        "{} of {} ids are not greater than the one before: {} within one time, {} with an earlier time, {} equal",
        grouped(order.breaks()),
        grouped(order.pairs),
        grouped(order.within.count),
        grouped(order.across.count),
        grouped(order.equal.count),
    );
    let (status, why) = match method {
        // The RFC allows this, and calls it out for what needs an order.
        Method::Unordered | Method::Unseen => {
            (Status::Warns, "; ids of one time are in no order, which the RFC allows")
        }
        // Only the clock went back: the verdict about times says so.
        _ if order.within.count + order.equal.count == 0 => (Status::Warns, ""),
        // No number of generators explains these.
        _ if order.equal.count > 0 || restarts(timed, method) > 0 => {
            (Status::Fails, "; most are in order, so an order was intended")
        }
        Method::Fraction { .. } => (
            Status::Warns,
            "; most are in order: several generators wrote one stream, or ids of one fraction of a millisecond are in \
             no order, which the RFC allows",
        ),
        _ => (
            Status::Warns,
            "; most are in order: several generators wrote one stream, or one generator does not keep the order of \
             ids of one time",
        ),
    };
    let mut places =
        [order.within.first.clone(), order.equal.first.clone(), order.across.first.clone()].concat();
    places.truncate(5);
    Verdict::new(&MONOTONIC, name, status, found + why).at(&places)
}

/// Kinds without a known time promise no order; the report still says whether they have one.
fn ordered_values(analysis: &Analysis, name: Option<&'static str>) -> Option<Verdict> {
    let order = &analysis.order;
    match analysis.claim {
        Claim::Version(8) | Claim::Short if order.pairs > 0 => Some(match order.is_strict() {
            true => Verdict::new(&MONOTONIC, name, Status::Holds, "each id is greater than the one before"),
            false => {
                let found = format!(
                    "{} of {} ids are not greater than the one before",
                    grouped(order.breaks()),
                    grouped(order.pairs)
                );
                Verdict::new(&MONOTONIC, name, Status::Warns, found).at(&order.within.first)
            }
        }),
        _ => None,
    }
}
