//! The ids of one device.

use loom::sync::Arc;

use crate::atomic::{AtomicU64, Fault};
use crate::explore::{Broken, explore, explore_many, together};
use crate::shared::device::{Line, Shared, Step, Word};

const DIFFER: &str = "no id is taken twice";

/// The second of the last id that the scenarios begin with, and two others: one within the tolerance, one behind it.
const LAST: u64 = 20;
const NEAR: u64 = 19;
const FAR: u64 = 3;
const TOLERANCE: u64 = 2;
const SECOND: u64 = 1 << 16;

/// The steps, so that a fault can change one of them.
#[derive(Clone, Copy)]
struct Steps {
    commit: fn(&Shared<'_>, Word, Word, Line) -> bool,
    begin: fn(&Shared<'_>, Line, u64),
    restart: fn(&Shared<'_>, Word) -> bool,
}

/// The steps of the library.
const STEPS: Steps = Steps {
    commit: |shared, old, new, line| shared.commit(old, new, line),
    begin: |shared, line, mark| shared.begin(line, mark),
    restart: |shared, last| shared.restart(last),
};

struct Device {
    word: AtomicU64,
    line: AtomicU64,
    marks: AtomicU64,
    steps: Steps,
    /// The node before the first restart.
    node: u16,
}

/// Ids of one second and one node, with `count` counters up to the last one.
#[derive(Clone, Copy)]
struct Ids {
    secs: u64,
    node: u16,
    last: u16,
    count: u64,
}

impl Ids {
    fn overlap(&self, other: &Ids) -> bool {
        let ahead = |one: &Ids, other: &Ids| u64::from(one.last.wrapping_sub(other.last)) < one.count;
        (self.secs, self.node) == (other.secs, other.node) && (ahead(self, other) || ahead(other, self))
    }
}

impl Device {
    fn new(node: u16, word: Word, steps: Steps) -> Device {
        let [word, line, marks] = [word.0, 0, 0].map(AtomicU64::new);
        Device { word, line, marks, steps, node }
    }

    /// All ids of this second are taken.
    fn full(secs: u64, steps: Steps) -> Arc<Device> {
        let device = Device::new(0, Word::start(7), steps);
        assert_eq!(device.take(SECOND, &[secs]).len(), 1);
        Arc::new(device)
    }

    fn shared(&self) -> Shared<'_> {
        Shared { word: &self.word, line: &self.line, marks: &self.marks }
    }

    /// Continues with words of its own, as `DeviceShort::with_state` does.
    fn settled(&self) -> Device {
        let (restarts, word) = self.shared().settle();
        Device::new(self.node + restarts, word, self.steps)
    }

    /// Takes up to `want` ids, as `DeviceShort` does. The clock shows one of these seconds at each attempt, and after the last
    /// one the call ends: threads whose clocks differ may disturb each other for ever.
    fn take(&self, want: u64, clock: &[u64]) -> Vec<Ids> {
        let shared = self.shared();
        for secs in clock {
            let (line, old) = shared.read();
            match old.follow(line, *secs, want, TOLERANCE) {
                Step::Begin(mark) => (self.steps.begin)(&shared, line, mark),
                Step::Behind => assert!((self.steps.restart)(&shared, old), "there are marks left"),
                Step::Full => {}
                Step::Take(new, count) if (self.steps.commit)(&shared, old, new, line) => {
                    return vec![Ids {
                        secs: new.secs(),
                        node: self.node + line.restarts(),
                        last: new.counter(),
                        count,
                    }];
                }
                Step::Take(..) => {}
            }
        }
        Vec::new()
    }
}

/// A call: how many ids it wants, and what the clock shows at each attempt.
type Call = (u64, &'static [u64]);

/// Two threads make these calls at the same time. After both have ended, the device continues, with the same words or with words of
/// its own.
fn calls(broken: &Broken, device: &Arc<Device>, one: &'static [Call], two: &'static [Call]) {
    let thread = |calls: &'static [Call]| {
        let device = device.clone();
        move || calls.iter().flat_map(|(want, clock)| device.take(*want, clock)).collect::<Vec<_>>()
    };
    let ids = together(thread(one), thread(two)).concat();
    for next in [&device.settled(), &**device] {
        let later = [next.take(2, &[LAST; 3]), next.take(2, &[LAST; 3])].concat();
        let all = [&ids[..], &later].concat();
        let differ =
            all.iter().enumerate().all(|(at, one)| all[at + 1..].iter().all(|two| !one.overlap(two)));
        broken.unless(differ, DIFFER);
    }
}

/// Two threads find the clock behind. Then one of them takes a whole second of ids, after which the word is as it was before.
fn late_restart(steps: Steps) -> impl Fn(&Broken) {
    move |broken| {
        let device = Device::full(LAST, steps);
        calls(broken, &device, &[(1, &[FAR; 3])], &[(SECOND, &[FAR, LAST, LAST])]);
    }
}

/// A thread takes one id, while another one takes all ids of that second, restarts, and takes ids up to the word of the beginning.
fn recurring_word(steps: Steps) -> impl Fn(&Broken) {
    move |broken| {
        let device = Device::full(NEAR, steps);
        let other: &[Call] = &[(SECOND, &[LAST]), (SECOND, &[FAR, NEAR, NEAR])];
        calls(broken, &device, &[(1, &[LAST; 2])], other);
    }
}

/// Two threads restart, and both take ids of the time before and after.
fn restarts(steps: Steps) -> impl Fn(&Broken) {
    move |broken| {
        let device = Device::full(LAST, steps);
        let both: &[Call] = &[(2, &[FAR, FAR, FAR, LAST])];
        calls(broken, &device, both, both);
    }
}

/// A thread finds a mark, while another one begins the line of this mark, takes a second of ids, and restarts once more.
fn late_line(steps: Steps) -> impl Fn(&Broken) {
    move |broken| {
        let device = Device::full(LAST, steps);
        let other: &[Call] = &[(SECOND, &[FAR, LAST, LAST]), (2, &[FAR, FAR, FAR])];
        calls(broken, &device, &[(1, &[FAR])], other);
    }
}

#[test]
fn no_id_comes_twice_whatever_restarts() {
    assert_eq!(explore(late_restart(STEPS)), [""; 0]);
    assert_eq!(explore(recurring_word(STEPS)), [""; 0]);
    assert_eq!(explore(restarts(STEPS)), [""; 0]);
    assert_eq!(explore(late_line(STEPS)), [""; 0]);
}

fn assert_found(fault: Option<Fault>, steps: Steps) {
    let is_found = explore_many(fault, recurring_word(steps)).contains(&DIFFER)
        || explore_many(fault, late_restart(steps)).contains(&DIFFER)
        || explore_many(fault, late_line(steps)).contains(&DIFFER);
    assert!(is_found);
}

#[test]
fn words_exchanged_in_two_steps_repeat_ids() {
    assert_found(Some(Fault::TwoSteps), STEPS);
}

#[test]
fn words_without_an_order_repeat_ids() {
    assert_found(Some(Fault::Relaxed), STEPS);
}

/// Ids of a line that has ended keep its node.
#[test]
fn a_line_that_is_read_once_repeats_ids() {
    let commit = |shared: &Shared<'_>, old: Word, new: Word, _: Line| {
        let order = std::sync::atomic::Ordering::SeqCst;
        shared.word.compare_exchange_weak(old.0, new.0, order, order).is_ok()
    };
    assert_found(None, Steps { commit, ..STEPS });
}

/// A thread that found a mark takes ids after another mark.
#[test]
fn marks_that_are_all_alike_repeat_ids() {
    let restart = |shared: &Shared<'_>, last: Word| {
        let order = std::sync::atomic::Ordering::SeqCst;
        let _ = shared.word.compare_exchange(last.0, Word::mark(0, last.counter()).0, order, order);
        true
    };
    assert_found(None, Steps { restart, ..STEPS });
}

/// The line begins before its mark is set, as it did until loom found these ids: a thread that is late with its mark sets back a
/// line that has begun since.
#[test]
fn lines_that_begin_before_their_mark_repeat_ids() {
    let restart = |shared: &Shared<'_>, last: Word| {
        let order = std::sync::atomic::Ordering::SeqCst;
        let line = shared.line.load(order);
        if shared.line.compare_exchange(line, line + 1, order, order).is_ok() {
            let full = Word::start(last.counter());
            let _ = shared.word.compare_exchange(last.0, full.0, order, order);
        }
        true
    };
    assert_found(None, Steps { restart, ..STEPS });
}

/// A thread that is late with the line of a mark brings back an earlier line.
#[test]
fn a_line_that_overwrites_another_one_repeats_ids() {
    let begin = |shared: &Shared<'_>, line: Line, mark: u64| {
        shared.line.store(line.next(mark).0, std::sync::atomic::Ordering::SeqCst);
    };
    assert_found(None, Steps { begin, ..STEPS });
}
