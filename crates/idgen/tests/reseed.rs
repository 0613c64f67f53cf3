//! A generator is restored twice from one memory image, as a snapshot does: the ids repeat, unless the restore hook
//! calls `reseed`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashSet;
use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};

use idgen::generator::{Generate, Ulid, V1, V4, V6, V7};
use idgen::source::{Csprng, FixedClock};
use idgen::{Timestamp, Uuid};

const IDS: usize = 1_000;

/// The hook concerns every generator of the process, so only one test at a time may call it.
static HOOK: Mutex<()> = Mutex::new(());

/// Generates ids in a first copy of the generator's memory, and then in a second one. The copies share what the
/// original points to, and are never dropped.
fn restore_twice<G: Generate<Id = Uuid>>(mut generator: G, hook: fn()) -> Vec<Uuid> {
    generator.next_id().unwrap();
    let mut ids = Vec::new();
    for _ in 0..2 {
        let mut copy = MaybeUninit::<G>::uninit();
        // SAFETY: the source is a valid value of the type, and the target has its size and alignment. The copy is
        // used while the original is not, and is not dropped.
        let copy = unsafe {
            std::ptr::copy_nonoverlapping(&raw const generator, copy.as_mut_ptr(), 1);
            copy.assume_init_mut()
        };
        hook();
        ids.extend((0..IDS / 2).map(|_| copy.next_id().unwrap()));
        let mut batch = [Uuid::nil(); IDS / 2];
        copy.fill(&mut batch).unwrap();
        ids.extend(batch);
    }
    ids
}

/// Counts the ids of the second copy that the first one has generated too.
fn repeats(generator: impl Generate<Id = Uuid>, hook: fn()) -> usize {
    let ids = restore_twice(generator, hook);
    2 * IDS - ids.iter().collect::<HashSet<_>>().len()
}

#[test]
fn ids_repeat_only_after_a_restore_without_the_hook() {
    let _alone = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let clock = FixedClock::new(Timestamp::from_unix_secs(1_795_262_400));
    let random = || Csprng::new().unwrap();
    let repeats_of = |hook: fn()| {
        [
            repeats(V1::new(&clock, random()), hook),
            repeats(V4::new(random()), hook),
            repeats(V6::new(&clock, random()), hook),
            repeats(V7::new(&clock, random()), hook),
            repeats(Ulid::new(&clock, random()), hook),
        ]
    };
    assert_eq!(repeats_of(|| ()), [IDS; 5], "the copies are true copies");
    assert_eq!(repeats_of(idgen::reseed), [0; 5]);
}

#[test]
fn one_line_functions_work_after_the_hook() {
    let _alone = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let functions: [fn() -> Uuid; 5] = [idgen::v1, idgen::v4, idgen::v6, idgen::v7, idgen::ulid];
    let mut ids = HashSet::new();
    for _ in 0..3 {
        assert!(functions.iter().all(|make| ids.insert(make())));
        idgen::reseed();
    }
}
