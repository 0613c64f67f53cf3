//! Was this process forked since?
//!
//! A fork copies every generator. A copy that goes on with the same key, node or counter repeats
//! its parent's ids, so each of them keeps a [`ForkMark`] and compares it before each id.
//!
//! With the feature `fast` on Unix the mark is one atomic load: a `pthread_atfork` handler gives
//! each child a number that no other process of the family has, taken from a counter in memory
//! that parent and children share. Without it the mark is the process id, which costs a system
//! call. Without `std` there are no processes.

/// The process in which something was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ForkMark(u64);

impl ForkMark {
    /// No process: stale in every one.
    #[cfg(feature = "std")]
    pub(crate) const NEVER: ForkMark = ForkMark(u64::MAX);

    /// This process.
    pub(crate) fn now() -> Self {
        imp::watch();
        ForkMark(imp::member())
    }

    /// True in a child that was forked after the mark was taken.
    #[inline]
    pub(crate) fn is_stale(self) -> bool {
        self.0 != imp::member()
    }

    /// A number that tells this process from all others of its family; 0 in the first.
    pub(crate) fn member(self) -> u64 {
        self.0
    }
}

/// A number that rises, and that no process of the family has or gets, nor anyone who asks later.
pub(crate) fn next_number() -> u64 {
    imp::watch();
    imp::next_number()
}

/// The last number that was given so far: all that come are greater.
pub(crate) fn last_number() -> u64 {
    imp::watch();
    imp::last_number()
}

#[cfg(all(feature = "fast", feature = "std", unix))]
mod imp {
    use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
    use std::sync::Once;

    static MEMBER: AtomicU64 = AtomicU64::new(0);
    static NUMBERS: AtomicPtr<AtomicU64> = AtomicPtr::new(core::ptr::null_mut());

    #[inline]
    pub(super) fn member() -> u64 {
        MEMBER.load(Ordering::Relaxed)
    }

    pub(super) fn watch() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            if let Some(word) = super::map_shared_word() {
                NUMBERS.store(word.as_ptr(), Ordering::Release);
            }
            // SAFETY: the handler only does atomic operations, on a static and on memory that is
            // never unmapped, and is thus safe to run in a child of a threaded process.
            let refused = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
            assert_eq!(refused, 0, "pthread_atfork: out of memory");
        });
    }

    extern "C" fn in_child() {
        MEMBER.store(next_number(), Ordering::Relaxed);
    }

    pub(super) fn next_number() -> u64 {
        let numbers = NUMBERS.load(Ordering::Acquire);
        if numbers.is_null() {
            // No shared memory was to be had: the process id tells living processes apart.
            return u64::from(std::process::id());
        }
        // SAFETY: not null, so it points at the mapping made in `watch`, which is never unmapped.
        unsafe { &*numbers }.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(super) fn last_number() -> u64 {
        let numbers = NUMBERS.load(Ordering::Acquire);
        if numbers.is_null() {
            return member();
        }
        // SAFETY: as in `next_number`.
        unsafe { &*numbers }.load(Ordering::Relaxed)
    }
}

#[cfg(all(feature = "std", not(all(feature = "fast", unix))))]
mod imp {
    use core::sync::atomic::{AtomicU64, Ordering};

    /// Of this process alone: no copy in a child makes use of it.
    static NUMBERS: AtomicU64 = AtomicU64::new(0);

    /// On systems without fork the process id never changes.
    pub(super) fn member() -> u64 {
        u64::from(std::process::id())
    }

    pub(super) fn watch() {}

    pub(super) fn next_number() -> u64 {
        member() + 1 + NUMBERS.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn last_number() -> u64 {
        member() + NUMBERS.load(Ordering::Relaxed)
    }
}

#[cfg(not(feature = "std"))]
mod imp {
    use core::sync::atomic::{AtomicUsize, Ordering};

    static NUMBERS: AtomicUsize = AtomicUsize::new(0);

    pub(super) fn member() -> u64 {
        0
    }

    pub(super) fn watch() {}

    pub(super) fn next_number() -> u64 {
        1 + NUMBERS.fetch_add(1, Ordering::Relaxed) as u64
    }

    pub(super) fn last_number() -> u64 {
        NUMBERS.load(Ordering::Relaxed) as u64
    }
}

#[cfg(all(feature = "fast", feature = "std", unix))]
pub(crate) use shared::SharedWord;
#[cfg(all(feature = "fast", feature = "std", unix))]
use shared::map_shared_word;

#[cfg(all(feature = "fast", feature = "std", unix))]
mod shared {
    use core::ptr::NonNull;
    use core::sync::atomic::AtomicU64;

    const LEN: usize = core::mem::size_of::<AtomicU64>();

    /// A word of zeros in memory of its own, shared with the children of later forks.
    pub(super) fn map_shared_word() -> Option<NonNull<AtomicU64>> {
        // SAFETY: a new anonymous mapping, of which the kernel chooses the place.
        let place = unsafe {
            libc::mmap(
                core::ptr::null_mut(),
                LEN,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if place == libc::MAP_FAILED { None } else { NonNull::new(place.cast()) }
    }

    /// A 64-bit atomic that parent and forked children share, so that a counter in it repeats in none
    /// of them. Each takes a page of its own.
    pub(crate) struct SharedWord {
        word: NonNull<AtomicU64>,
    }

    impl SharedWord {
        /// A shared word with this value, where the system gives the memory.
        pub(crate) fn new(value: u64) -> Option<Self> {
            let shared = SharedWord { word: map_shared_word()? };
            shared.get().store(value, core::sync::atomic::Ordering::SeqCst);
            Some(shared)
        }

        #[inline]
        pub(crate) fn get(&self) -> &AtomicU64 {
            // SAFETY: mapped readable and writable, page-aligned, and unmapped only in `drop`.
            unsafe { self.word.as_ref() }
        }
    }

    // SAFETY: the mapping holds an atomic, belongs to no thread, and is freed once.
    unsafe impl Send for SharedWord {}
    // SAFETY: shared access gives only `&AtomicU64`.
    unsafe impl Sync for SharedWord {}

    impl Drop for SharedWord {
        fn drop(&mut self) {
            // SAFETY: the mapping that `map_shared_word` made, and nothing borrows it any more.
            unsafe { libc::munmap(self.word.as_ptr().cast(), LEN) };
        }
    }
}

/// Without shared memory: an atomic of this process. Its owner asks its [`ForkMark`] before each use.
#[cfg(not(all(feature = "fast", feature = "std", unix)))]
pub(crate) struct SharedWord {
    word: core::sync::atomic::AtomicU64,
}

#[cfg(not(all(feature = "fast", feature = "std", unix)))]
impl SharedWord {
    pub(crate) fn new(value: u64) -> Option<Self> {
        Some(SharedWord { word: core::sync::atomic::AtomicU64::new(value) })
    }

    #[inline]
    pub(crate) fn get(&self) -> &core::sync::atomic::AtomicU64 {
        &self.word
    }
}

/// Whether a [`SharedWord`] goes on counting in forked children.
pub(crate) const WORDS_ARE_SHARED: bool = cfg!(all(feature = "fast", feature = "std", unix));
