//! No generator allocates, nor does a codec that writes into the caller's memory.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use idgen::codec::{base32, base64url, hyphenated};
use idgen::{ShortId, Uuid};

/// Counts what this thread allocates.
struct Counting;

thread_local!(static COUNT: Cell<usize> = const { Cell::new(0) });

// SAFETY: every call goes on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller keeps the promises of this method, which are those of the other.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNT.get();
    work();
    COUNT.get() - before
}

#[test]
fn the_count_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
}

#[test]
fn generators_do_not_allocate() {
    type Kind = (&'static str, fn() -> Uuid, fn(&mut [Uuid]));
    let kinds: [Kind; 7] = [
        ("v1", idgen::v1, idgen::fill_v1),
        ("v4", idgen::v4, idgen::fill_v4),
        ("v6", idgen::v6, idgen::fill_v6),
        ("v7", idgen::v7, idgen::fill_v7),
        ("ulid", idgen::ulid, idgen::fill_ulid),
        ("week", idgen::week, idgen::fill_week),
        ("prefixed", idgen::prefixed, idgen::fill_prefixed),
    ];
    let mut batch = vec![Uuid::nil(); 5_000];
    for (name, one, fill) in kinds {
        // The first use may: the C library keeps lists of what to do at a fork and at a thread's end.
        one();
        let count = allocations(|| {
            for _ in 0..5_000 {
                std::hint::black_box(one());
            }
            fill(&mut batch);
        });
        assert_eq!(count, 0, "{name}");
    }
    let mut batch = vec![ShortId::default(); 1_000];
    idgen::short();
    idgen::mysql_short(1);
    let count = allocations(|| {
        for _ in 0..1_000 {
            std::hint::black_box((idgen::short(), idgen::mysql_short(1)));
        }
        idgen::fill_short(&mut batch);
        idgen::fill_mysql_short(1, &mut batch);
    });
    assert_eq!(count, 0, "the 64-bit kinds");
}

#[test]
fn buffer_codecs_do_not_allocate() {
    let id = idgen::v4();
    let count = allocations(|| {
        let (mut text36, mut text22, mut text26) = ([0; 36], [0; 22], [0; 26]);
        hyphenated::encode(&id, &mut text36);
        base64url::encode(&id, &mut text22);
        base32::encode(&id, &mut text26);
        assert_eq!(hyphenated::decode(text36), Ok(id));
        assert_eq!(base64url::decode(text22), Ok(id));
        assert_eq!(base32::decode(text26), Ok(id));
    });
    assert_eq!(count, 0);
}
