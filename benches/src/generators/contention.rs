//! Two threads at the same time: during the turn of a case, a second thread generates the same kind of ids.

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt::Debug;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use idgen::Uuid;

use super::one;
use crate::case::{Case, Group, Target, touch};

/// The name of the group.
pub(super) const GROUP: &str = "two threads";

type Work = Box<dyn Fn() + Send>;

/// A thread that does the work of the case whose turn it is. It never sleeps, because waking up takes a third
/// of a turn; while cases run alone, it spins with the processor's pause instruction.
struct Rival {
    /// The index of the work, or [`PAUSE`], or [`END`].
    job: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

const PAUSE: usize = usize::MAX;
const END: usize = usize::MAX - 1;

impl Rival {
    fn start(works: Vec<Work>) -> Self {
        let job = Arc::new(AtomicUsize::new(PAUSE));
        let seen = job.clone();
        let thread = std::thread::spawn(move || {
            loop {
                match seen.load(Ordering::Relaxed) {
                    END => break,
                    PAUSE => std::hint::spin_loop(),
                    index => works[index](),
                }
            }
        });
        Rival { job, thread: Some(thread) }
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        self.job.store(END, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The cases, and the work of the second thread, which starts with the first pass of any of them.
#[derive(Default)]
struct Cases {
    cases: Vec<Case>,
    works: Vec<Work>,
    rival: Rc<OnceCell<Rival>>,
    later: Rc<RefCell<Vec<Work>>>,
}

impl Cases {
    fn add<T: Copy + Debug + Eq + Hash + 'static>(
        &mut self,
        name: &'static str,
        with_rival: bool,
        make: impl Fn() -> T + Clone + Send + 'static,
    ) {
        let job = if with_rival { self.works.len() } else { PAUSE };
        let mut case = one(name, make.clone(), |_| true);
        let (rival, works) = (self.rival.clone(), self.later.clone());
        let mut pass = case.pass;
        case.pass = Box::new(move || {
            rival.get_or_init(|| Rival::start(works.take())).job.store(job, Ordering::Relaxed);
            pass();
        });
        self.cases.push(case);
        if with_rival {
            self.works.push(Box::new(move || (0..64).for_each(|_| touch(&mut make()))));
        }
    }

    fn finish(self) -> Vec<Case> {
        self.later.replace(self.works);
        self.cases
    }
}

std::thread_local! {
    /// Ids that follow each other, and so do their counters in memory.
    static SERVER_ID: Cell<u8> = {
        static NEXT: AtomicU8 = AtomicU8::new(20);
        Cell::new(NEXT.fetch_add(1, Ordering::Relaxed))
    };
}

pub(super) fn groups() -> Vec<Group> {
    let word = Arc::new(AtomicU64::new(1));
    let fetch_add = move || word.fetch_add(1, Ordering::Relaxed);
    let mut cases = Cases::default();
    let mut targets = Vec::new();
    type Kind = (&'static str, &'static str, fn() -> Uuid);
    let kinds: [Kind; 4] = [
        ("idgen v4, one thread", "idgen v4, two threads", idgen::v4),
        ("idgen v7, one thread", "idgen v7, two threads", idgen::v7),
        ("idgen v6, one thread", "idgen v6, two threads", idgen::v6),
        ("idgen v1, one thread", "idgen v1, two threads", idgen::v1),
    ];
    for (one_thread, two_threads, make) in kinds {
        cases.add(one_thread, false, make);
        cases.add(two_threads, true, make);
        targets.push(Target { ours: two_threads, peer: one_thread, times: 1.0 / 1.05 });
    }
    cases.add("uuid v4, fast-rng, one thread", false, Uuid::new_v4);
    cases.add("uuid v4, fast-rng, two threads", true, Uuid::new_v4);
    cases.add("uuid v7, fast-rng, two threads", true, Uuid::now_v7);
    cases.add("idgen mysql_short, one thread", false, || idgen::mysql_short(9));
    cases.add("idgen mysql_short, two threads", true, || idgen::mysql_short(9));
    cases.add("idgen mysql_short, a server id for each thread", true, || idgen::mysql_short(SERVER_ID.get()));
    cases.add("a bare fetch_add, one thread", false, fetch_add.clone());
    cases.add("a bare fetch_add, two threads", true, fetch_add);
    vec![Group { name: GROUP, cases: cases.finish(), targets }]
}
