//! Numbers of forked processes and of restarts.

use loom::sync::Arc;

use crate::atomic::{AtomicU64, Fault};
use crate::explore::{Broken, all_differ, explore, explore_many, together};
use crate::shared::numbers::{last, next};

const DIFFER: &str = "no number is taken twice";
const EXCEED: &str = "a number exceeds the last one before it";

/// Two processes that fork a child each, and one of the children forks, too. Before that, each reads the last number, as versions 1 and
/// 6 do with a fixed node.
fn forks(broken: &Broken) {
    let numbers = Arc::new(AtomicU64::new(0));
    let fork = |numbers: Arc<AtomicU64>, count: usize| {
        move || {
            let before = last(&numbers);
            (before, (0..count).map(|_| next(&numbers)).collect::<Vec<_>>())
        }
    };
    let made = together(fork(numbers.clone(), 2), fork(numbers.clone(), 1));
    for (before, numbers) in &made {
        broken.unless(numbers.iter().all(|number| number > before), EXCEED);
    }
    let all = [made[0].1.as_slice(), &made[1].1, &[next(&numbers)]].concat();
    broken.unless(all_differ(&all), DIFFER);
}

#[test]
fn each_child_and_each_restart_has_a_number_of_its_own() {
    assert_eq!(explore(forks), [""; 0]);
}

#[test]
fn a_number_taken_in_two_steps_comes_twice() {
    assert!(explore_many(Some(Fault::TwoSteps), forks).contains(&DIFFER));
}
