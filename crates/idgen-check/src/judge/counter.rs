//! Counters: wraps and starts.

use crate::analysis::Analysis;
use crate::counter::{Counter, Method};
use crate::numbers::{grouped, plural};
use crate::report::{KindReport, Verdict};
use crate::rules::{COUNTER_START, COUNTER_WRAP, Status};

/// Fewer starts say nothing about where counters start.
const ENOUGH: u64 = 32;

pub(super) fn kind(analysis: &Analysis, seen: &KindReport) -> Vec<Verdict> {
    let Some(timed) = &analysis.timed else { return Vec::new() };
    let name = Some(analysis.claim.name());
    let counter = &timed.counter;
    let method = counter.method();
    let width = match method {
        Method::Counter(width) => width,
        Method::PlusOne | Method::Increments(_) => timed.layout.tail_bits,
        Method::Unseen => {
            return vec![Verdict::new(&COUNTER_WRAP, name, Status::Unseen, "too few ids share a time")];
        }
        // A counter behind a fraction starts again with each fraction.
        Method::Fraction { counter: Some(width), .. } if counter.up == counter.pairs => {
            let found = format!("no counter of {width} bits returns to zero within one fraction");
            return vec![Verdict::new(&COUNTER_WRAP, name, Status::Holds, found)];
        }
        Method::Unordered | Method::Fraction { .. } | Method::Unclear => return Vec::new(),
    };
    let wrap = match counter.wraps(width) {
        (0, _) => {
            Verdict::new(&COUNTER_WRAP, name, Status::Holds, "no counter returns to zero within one time")
        }
        (count, places) => {
            let found = format!(
                "a counter of {width} bits returns to zero {} within one time",
                plural(count, "time")
            );
            Verdict::new(&COUNTER_WRAP, name, Status::Fails, found).at(places)
        }
    };
    // Clock sequences need not start low, because the next tick follows after 100 ns.
    if timed.nodes.is_some() {
        return vec![wrap];
    }
    vec![wrap, start(counter, seen, name)]
}

fn start(counter: &Counter, seen: &KindReport, name: Option<&'static str>) -> Verdict {
    let starts = counter.started;
    if starts < ENOUGH {
        return Verdict::new(&COUNTER_START, name, Status::Unseen, "there are too few time units");
    }
    let (upper, last) = counter.high_starts();
    if last > 20 && last > starts / 4 {
        let found = format!(
            "{} of {} counters start in the last sixteenth of their range, and soon overflow",
            grouped(last),
            grouped(starts)
        );
        return Verdict::new(&COUNTER_START, name, Status::Fails, found);
    }
    if upper > starts / 16 {
        let found = format!(
            "{} of {} counters start with their highest bit set: one that starts near its end overflows at once, and the \
             RFC advises to keep that bit for this",
            grouped(upper),
            grouped(starts)
        );
        return Verdict::new(&COUNTER_START, name, Status::Warns, found);
    }
    let zero = seen.counter.as_ref().and_then(|counter| counter.zero_starts).unwrap_or(0);
    let found = match zero * 2 > starts {
        true => "counters start at zero, and so show how many ids each time had",
        false => "counters start in the lower half of their range",
    };
    Verdict::new(&COUNTER_START, name, Status::Holds, found)
}
