//! The next point of a line is after the last one, for any clock.
//!
//! **By exhaustion:** for each unit, each place of the last time at a boundary, each last counter, each step of the clock, each
//! policy, with and without a state, with a fine and a coarse clock, the next run begins after the last id, or there is the documented error or
//! restart. **The induction** is over the ids: the last id of a run is the last point of the next case, and every case leaves the line at the last
//! id that it gave. Times are compared and increased, and nothing else is done with them, so one boundary stands for all times
//! between the boundaries; and counters are below a limit that is 1 to 3 here and up to 2^26 in the kinds. That ids are in the
//! order of time and counter is tested in `generator/order.rs`.

use std::vec::Vec;

use super::*;
use crate::generator::unit::{Fractions, HighFractions, Millis, Ticks};
use crate::source::{FixedClock, MemoryState, NoState};

/// 2026-11-21T12:00:00.123Z.
const MS: i64 = 1_795_262_400_123;
const SHAPE_MS: (i64, i64) = (MS - 100_000, MS + 100_000);
/// The tolerance of all cases.
const TOLERANCE: Duration = Duration::from_millis(2);

/// A fixed clock that reports this step between its readings.
struct Coarse(FixedClock, Duration);

impl Clock for Coarse {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn step(&self) -> Duration {
        self.1
    }

    fn sleep(&self, span: Duration) {
        self.0.sleep(span);
    }
}

/// Times of the clock around the last time, the tolerance and the end of the range, in the unit.
fn steps<U: CountsIn>(last: i64, shape: Shape) -> Vec<i64> {
    let tolerance = U::UNIT.count(TOLERANCE);
    let steps = [0, 1, 2, 64, 4_032, 4_095, 4_096, 4_097, tolerance, 10 * tolerance];
    let mut times: Vec<i64> = steps.iter().flat_map(|step| [last - step, last + step]).collect();
    // Around the tolerance and the end of the range.
    times.extend([
        last - tolerance - 1,
        last - tolerance + 1,
        shape.last - 1,
        shape.last,
        shape.last + 4_096,
    ]);
    times.retain(|time| *time >= shape.first);
    // Not every number is a unit that a clock can show.
    times.iter().map(|time| U::UNIT.of(U::UNIT.at(*time))).collect()
}

struct Case {
    last: i64,
    counter: u32,
    limit: u32,
    now: i64,
    when_behind: WhenBehind,
    step: Duration,
    within: u32,
    want: usize,
}

fn check<U: CountsIn>(shape: Shape, case: &Case, state: impl State) {
    let Case { last, counter, limit, now, when_behind, step, within, want } = *case;
    let clock = Coarse(FixedClock::new(U::UNIT.at(now)), step);
    let mut line = Monotonic::<U, _, _>::new(shape, clock, state).unwrap();
    line.set_policy(ClockPolicy::DEFAULT.with_tolerance(TOLERANCE).with_when_behind(when_behind));
    line.take(last, counter, counter + 1, 1).unwrap();
    line.limit = limit;
    let (tolerance, has_state) = (U::UNIT.count(TOLERANCE), line.line.is_kept());
    let mut begun = None;
    let run = line.next_run(want, |begin| {
        begun = Some(begin);
        Ok(Counters { first: 1, limit: 3, within })
    });
    let (is_behind, is_restart) = (last - now > tolerance, begun == Some(Begin::Restart));
    match run {
        Ok(run) => {
            let end = run.counter + run.count as u32;
            assert!((1..=want).contains(&run.count) && end <= line.limit);
            assert_eq!((line.line.time(), line.line.counter()), (run.time, end - 1));
            assert!((shape.first..=shape.last).contains(&run.time));
            assert_eq!(is_restart, is_behind && when_behind == WhenBehind::Restart && !has_state);
            if is_restart {
                assert!(run.time >= now && run.time < last);
            } else {
                assert!((run.time, run.counter) > (last, counter));
                assert!(!is_behind || when_behind == WhenBehind::Wait);
                // The id is as early as possible: at the clock's time, or directly after the last id.
                let next = if counter + 1 < limit { last } else { U::UNIT.after(last) };
                assert!(run.time >= now && run.time <= next.max(U::UNIT.within(now, line.step.into())));
            }
        }
        Err(error) => {
            assert_eq!((line.line.time(), line.line.counter(), line.limit), (last, counter, limit));
            if error.is_clock_behind() {
                assert!(is_behind && when_behind != WhenBehind::Wait && (has_state || !is_restart));
            } else {
                assert!(error.is_time_out_of_range(), "{error}");
                let full = counter + 1 >= limit && U::UNIT.after(last) > shape.last;
                assert!(now > shape.last || full, "{now} {last}");
            }
        }
    }
}

fn check_all<U: CountsIn>(kind: Kind) {
    let last_of = |ms| U::UNIT.last_of(ms);
    let shape =
        Shape { kind, first: U::UNIT.of(Timestamp::from_unix_millis(SHAPE_MS.0)), last: last_of(SHAPE_MS.1) };
    let mut cases = 0_u32;
    // The end of a millisecond, the unit before, the one after; the ends of the range.
    let middle = [last_of(MS) - 1, last_of(MS), U::UNIT.after(last_of(MS))];
    for last in middle.into_iter().chain([shape.first, shape.last - 1, shape.last]) {
        for now in steps::<U>(last, shape) {
            for (limit, counter) in [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)] {
                for when_behind in [WhenBehind::Error, WhenBehind::Wait, WhenBehind::Restart] {
                    for (step, within) in [(100, 0), (100, u32::MAX), (1_000_000, 0), (1_000_000, u32::MAX)] {
                        for want in [1, 2, 9] {
                            let step = Duration::from_nanos(step);
                            let case = Case { last, counter, limit, now, when_behind, step, within, want };
                            check::<U>(shape, &case, NoState);
                            check::<U>(shape, &case, &MemoryState::default());
                            cases += 2;
                        }
                    }
                }
            }
        }
    }
    assert!(cases > 40_000, "{cases}");
}

#[test]
fn the_next_point_is_after_the_last_one_or_an_error_or_a_restart() {
    check_all::<Ticks>(Kind::V6);
    check_all::<Millis>(Kind::Ulid);
    check_all::<Fractions>(Kind::V7);
    check_all::<HighFractions>(Kind::FixedPrefix);
}
