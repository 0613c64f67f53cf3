//! No buffer codec allocates: counted by the allocator of this test program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use idgen::Uuid;
use idgen::codec::{Format, base32, base64, hyphenated, simple, swapped};

thread_local!(static ALLOCATIONS: Cell<usize> = const { Cell::new(0) });

struct Counting;

// SAFETY: everything is passed on to the system's allocator; counting touches no memory but a
// thread-local without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(run: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    run();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn the_allocator_counts() {
    assert_eq!(allocations(|| drop(black_box(Box::new(1)))), 1);
}

#[test]
fn single_forms_do_not_allocate() {
    let id = Uuid::from_u128(0x6ccd780c_baba_1026_9564_5b8c656024db);
    for format in Format::ALL {
        let count = allocations(|| {
            let mut buf = [0; Format::MAX_LEN];
            let text = format.encode(black_box(&id), &mut buf);
            assert_eq!(format.decode(black_box(text)), Ok(id));
        });
        assert_eq!(count, 0, "{format}");
    }
}

#[test]
fn batches_do_not_allocate() {
    let ids = [Uuid::from_u128(0x6ccd780c_baba_1026_9564_5b8c656024db); 100];
    let (mut text, mut read, mut bytes) = ([0; 3700], [Uuid::nil(); 100], [[7; 16]; 100]);
    let count = allocations(|| {
        hyphenated::encode_lines(&ids, &mut text).expect("there is room");
        let text_of = hyphenated::encode_batch(&ids, &mut text).expect("there is room");
        hyphenated::decode_batch(&*text_of, &mut read).expect("canonical");
        let text_of = simple::encode_batch(&ids, &mut text).expect("there is room");
        simple::decode_batch(&*text_of, &mut read).expect("canonical");
        let text_of = base64::encode_batch(&ids, &mut text).expect("there is room");
        base64::decode_batch(&*text_of, &mut read).expect("canonical");
        let text_of = base32::encode_batch(&ids, &mut text).expect("there is room");
        base32::decode_batch(&*text_of, &mut read).expect("canonical");
        swapped::encode_in_place(&mut bytes);
        swapped::decode_in_place(&mut bytes);
    });
    assert_eq!(count, 0);
    assert_eq!(read, ids);
}
