//! Threads that generate ids at the same time.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/one_line.rs"]
mod one_line;

use std::collections::HashSet;
use std::thread;

use idgen::{ShortId, Uuid};
use one_line::KINDS;

const THREADS: usize = 8;

fn from_threads<T: Send + Eq + std::hash::Hash>(make: impl Fn() -> Vec<T> + Sync) -> Vec<Vec<T>> {
    thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS).map(|_| scope.spawn(&make)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    })
}

fn assert_all_differ<T: Eq + std::hash::Hash>(name: &str, lists: &[Vec<T>]) {
    let count: usize = lists.iter().map(Vec::len).sum();
    assert_eq!(lists.iter().flatten().collect::<HashSet<_>>().len(), count, "{name} repeats");
}

#[test]
fn threads_repeat_no_id_and_each_has_ascending_ids() {
    for (name, ascending, one, fill) in KINDS {
        let lists = from_threads(|| {
            let mut all = Vec::new();
            for _ in 0..50 {
                all.extend((0..200).map(|_| one()));
                let mut batch = [Uuid::nil(); 200];
                fill(&mut batch);
                all.extend(batch);
            }
            all
        });
        for list in &lists {
            assert!(!ascending || list.is_sorted_by(|a, b| a < b), "{name} is out of order");
        }
        assert_all_differ(name, &lists);
    }
}

#[test]
fn threads_share_the_counter_of_64_bit_kinds() {
    let lists = from_threads(|| {
        let mut all: Vec<ShortId> = (0..3_000).map(|_| idgen::short()).collect();
        let mut batch = [ShortId::default(); 3_000];
        idgen::fill_short(&mut batch);
        all.extend(batch);
        all
    });
    assert_all_differ("short", &lists);
    let nodes: HashSet<u16> = lists.iter().flatten().map(|id| id.device().node).collect();
    assert_eq!(nodes.len(), 1);

    let lists = from_threads(|| {
        let mut all: Vec<ShortId> = (0..30_000).map(|_| idgen::mysql_short(9)).collect();
        let mut batch = [ShortId::default(); 3_000];
        idgen::fill_mysql_short(9, &mut batch);
        all.extend(batch);
        all
    });
    assert_all_differ("mysql_short", &lists);
    for list in &lists {
        assert!(list.is_sorted_by(|a, b| a < b));
    }
}

/// Thread-local values are destroyed in an unspecified order; ids must be available until the end.
#[test]
fn ids_are_generated_while_a_thread_ends() {
    struct AtTheEnd(std::sync::mpsc::Sender<(Uuid, Uuid)>);
    impl Drop for AtTheEnd {
        fn drop(&mut self) {
            let _ = self.0.send((idgen::v7(), idgen::v4()));
        }
    }
    thread_local!(static LAST: std::cell::RefCell<Option<AtTheEnd>> = const { std::cell::RefCell::new(None) });
    let (sender, receiver) = std::sync::mpsc::channel();
    for first_the_ids in [true, false] {
        let sender = sender.clone();
        let made = thread::spawn(move || {
            let make = || (idgen::v7(), idgen::v4());
            let early = first_the_ids.then(make);
            LAST.with(|last| *last.borrow_mut() = Some(AtTheEnd(sender)));
            early.unwrap_or_else(make)
        })
        .join()
        .unwrap();
        let late = receiver.recv().unwrap();
        assert!(made.0 != late.0 && made.1 != late.1);
    }
}
