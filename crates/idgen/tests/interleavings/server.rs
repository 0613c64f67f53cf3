//! The numbers of one MySQL server.

use loom::sync::Arc;

use crate::atomic::{AtomicU64, Fault};
use crate::explore::{Broken, all_differ, explore, explore_many, together};
use crate::shared::server::{attempt, end_of, take};
use crate::shared::server_start::{is_unstarted, start, unstarted};

/// The first number of another server follows the last one of this server.
const SERVER: u8 = 7;

const DIFFER: &str = "no number is taken twice";
const WITHIN: &str = "no number is beyond the end";
const FINAL: &str = "after the end there is no number any more";
const AT_END: &str = "a line that has ended stands at its end";
const STARTED_ONCE: &str = "the numbers follow one start";

/// The numbers of a call: `count` from the first one on.
fn numbers(first: Option<u64>, count: u64) -> Vec<u64> {
    first.map_or(Vec::new(), |first| (first..first + count).collect())
}

/// Two threads take numbers one by one and several at once, until none is left.
fn until_the_end(broken: &Broken) {
    let word = Arc::new(AtomicU64::new(end_of(SERVER) - 4));
    let caller = |counts: [u64; 2]| {
        let word = word.clone();
        move || counts.map(|count| (count, take(&word, SERVER, count)))
    };
    let made = together(caller([1, 2]), caller([3, 1]));
    let after = take(&word, SERVER, 1);
    let all: Vec<u64> = made.iter().flatten().flat_map(|(count, first)| numbers(*first, *count)).collect();
    broken.unless(all_differ(&all), DIFFER);
    broken.unless(all.iter().all(|number| *number < end_of(SERVER)), WITHIN);
    // Seven numbers are wanted of four, so at least one call has failed.
    broken.unless(after.is_none(), FINAL);
    broken.unless(word.load(std::sync::atomic::Ordering::Acquire) == end_of(SERVER), AT_END);
}

/// Starts the line if it has not started, as the function of one line does: with the start of the first caller.
fn take_slowly(
    word: &AtomicU64,
    count: u64,
    secs: u64,
    start: fn(&AtomicU64, u8, u64),
) -> (u64, Option<u64>) {
    let first = attempt(word, SERVER, count).or_else(|| {
        if is_unstarted(word, SERVER) {
            start(word, SERVER, u64::from(SERVER) << 56 | secs << 24);
        }
        take(word, SERVER, count)
    });
    (count, first)
}

/// Two threads whose clocks differ start the line at the same time.
fn from_the_start(start: fn(&AtomicU64, u8, u64)) -> impl Fn(&Broken) {
    move |broken| {
        let word = Arc::new(AtomicU64::new(unstarted(SERVER)));
        let caller = |counts: [u64; 2], secs| {
            let word = word.clone();
            move || counts.map(|count| take_slowly(&word, count, secs, start))
        };
        let made = together(caller([1, 2], 1_000), caller([2, 1], 1_000));
        let all: Vec<u64> =
            made.iter().flatten().flat_map(|(count, first)| numbers(*first, *count)).collect();
        broken.unless(all_differ(&all), DIFFER);
        let first = u64::from(SERVER) << 56 | 1_000 << 24;
        broken.unless(
            all.len() == 6 && all.iter().all(|number| (first..first + 6).contains(number)),
            STARTED_ONCE,
        );
    }
}

#[test]
fn threads_take_each_number_once_up_to_the_end() {
    assert_eq!(explore(until_the_end), [""; 0]);
}

#[test]
fn a_server_starts_once() {
    assert_eq!(explore(from_the_start(start)), [""; 0]);
}

#[test]
fn a_number_taken_in_two_steps_comes_twice() {
    assert!(explore_many(Some(Fault::TwoSteps), until_the_end).contains(&DIFFER));
}

#[test]
fn a_line_that_is_not_set_back_passes_its_end() {
    assert_eq!(explore_many(Some(Fault::NoStores), until_the_end), [AT_END]);
}

/// The word is not compared with what was read before.
#[test]
fn a_start_that_overwrites_repeats_numbers() {
    let overwrite = |word: &AtomicU64, _: u8, first| word.store(first, std::sync::atomic::Ordering::Release);
    assert!(explore_many(None, from_the_start(overwrite)).contains(&DIFFER));
}
