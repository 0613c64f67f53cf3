//! Generators do not allocate, and neither do codecs that write into the caller's memory.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/one_line.rs"]
mod one_line;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use idgen::codec::{Format, swapped};
use idgen::{ShortId, Uuid};
use one_line::KINDS;

/// Counts what this thread allocates.
struct Counting;

thread_local!(static COUNT: Cell<usize> = const { Cell::new(0) });

// SAFETY: every call continues to the system's allocator as it came.
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
fn the_allocator_counts_allocations() {
    assert_eq!(allocations(|| drop(black_box(Box::new(1)))), 1);
}

#[test]
fn generators_do_not_allocate() {
    let mut batch = vec![Uuid::nil(); 5_000];
    for (name, _, one, fill) in KINDS {
        // The first use may allocate: the C library keeps lists of handlers for a fork and for a thread's end.
        one();
        let count = allocations(|| {
            for _ in 0..5_000 {
                black_box(one());
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
            black_box((idgen::short(), idgen::mysql_short(1)));
        }
        idgen::fill_short(&mut batch);
        idgen::fill_mysql_short(1, &mut batch);
    });
    assert_eq!(count, 0, "the 64-bit kinds");
}

#[test]
fn single_codecs_do_not_allocate() {
    let id = Uuid::from_u128(0x6ccd780c_baba_1026_9564_5b8c656024db);
    for &format in Format::ALL {
        let count = allocations(|| {
            let mut buf = [0; Format::MAX_LEN];
            let text = format.encode(black_box(&id), &mut buf);
            assert_eq!(format.decode(black_box(text)), Ok(id));
        });
        assert_eq!(count, 0, "{format}");
    }
}

#[test]
fn batch_codecs_do_not_allocate() {
    let ids = [Uuid::from_u128(0x6ccd780c_baba_1026_9564_5b8c656024db); 100];
    let (mut text, mut read, mut bytes) = ([0; 100 * Format::MAX_LINE], [Uuid::nil(); 100], [[7; 16]; 100]);
    let count = allocations(|| {
        for &format in Format::ALL {
            format.encode_lines(&ids, &mut text).expect("there is room");
            if format.fixed_len().is_some() {
                let text = format.encode_batch(&ids, &mut text).expect("there is room");
                format.decode_batch(text, &mut read).expect("canonical");
            }
        }
        swapped::encode_in_place(&mut bytes);
        swapped::decode_in_place(&mut bytes);
    });
    assert_eq!(count, 0);
    assert_eq!(read, ids);
}
