//! Detects whether the process was forked.
//!
//! A fork copies every generator. A copy that continues with the same key, node or counter would repeat its
//! parent's ids, so each generator keeps a [`ForkMark`] and compares it before each id.
//!
//! With the feature `fast` on Unix, the comparison takes one atomic load: a `pthread_atfork` handler gives each
//! child a number that no related process has, from a counter in memory that parent and children share. Without
//! the feature, the mark is the process id, which takes a system call. Without `std` there are no processes.

#[cfg(not(idgen_shared_words))]
use crate::atomic::AtomicU64;
use crate::error::{Error, Kind, Result};

/// The process in which something was created: the only detection of forks in this library.
///
/// Use it in an [`Entropy`](crate::source::Entropy) of your own, and for whatever else must not continue in a forked
/// child. A call of `reseed` makes earlier marks stale, too. Without `std` there are no processes, and no mark but
/// [`NEVER`](Self::NEVER) is stale.
///
/// ```
/// let mark = idgen::source::ForkMark::now();
/// assert!(!mark.is_stale());
/// idgen::reseed();
/// assert!(mark.is_stale());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForkMark(u64);

impl ForkMark {
    /// A mark of no process, which is stale in every process.
    pub const NEVER: ForkMark = ForkMark(u64::MAX);

    /// This process.
    pub fn now() -> Self {
        imp::watch();
        ForkMark(imp::member())
    }

    /// True in a child that was forked after the mark was taken.
    #[inline]
    pub fn is_stale(self) -> bool {
        self.0 != imp::member()
    }

    /// A number that distinguishes this process from all related ones; 0 in the first.
    pub fn number(self) -> u64 {
        self.0
    }

    /// Returns an error in a forked child, because its parent continues to use `what`.
    ///
    /// # Errors
    /// `is_forked` in a child.
    #[inline]
    pub(crate) fn check(self, what: &'static str) -> Result<()> {
        if self.is_stale() { Err(Error::new(Kind::Forked { what })) } else { Ok(()) }
    }

    /// Like `check`, for generators that count in [`SharedWords`]: a child may use them if it shares the words.
    ///
    /// # Errors
    /// `is_forked` in a child that counts for itself.
    #[inline]
    pub(crate) fn check_words(self, what: &'static str) -> Result<()> {
        if WORDS_ARE_SHARED { Ok(()) } else { self.check(what) }
    }
}

/// Makes this process count as another one from now on: all marks that were taken so far are stale.
///
/// A process that a snapshot restores is a copy that no fork handler saw. Restored from a virtual machine's or a
/// process's image, its generators continue with the keys in the image, and so does every other copy.
///
/// Call it in the hook that runs after the restore, before any thread generates ids. Every random generator of the
/// library then takes a new key from the operating system, and versions 1 and 6 take a new random node, before they
/// return another id. A restored virtual machine must have mixed new entropy into its kernel by then, as Linux does
/// with VMGENID.
///
/// Three things do not follow from new randomness, so they need more than this call. A generator with a state file
/// returns an error for which `is_forked()` is true: open another state file. 64-bit ids ([`short`](crate::short)
/// and [`mysql_short`](crate::mysql_short)) have no room for randomness that would tell two copies apart: give each
/// copy its own node or server id. The same holds for versions 1 and 6 with a fixed node.
///
/// ```
/// let before = idgen::v4();
/// idgen::reseed();
/// assert_ne!(idgen::v4(), before);
/// ```
#[cfg(feature = "std")]
pub fn reseed() {
    imp::watch();
    imp::leave();
}

/// An increasing number that no related process has or will get, and that no later call returns.
pub(crate) fn next_number() -> u64 {
    imp::watch();
    imp::next_number()
}

/// The last number that was returned so far: all later ones are greater.
pub(crate) fn last_number() -> u64 {
    imp::watch();
    imp::last_number()
}

#[cfg(idgen_shared_words)]
mod imp {
    use core::sync::atomic::{AtomicPtr, Ordering};
    use std::sync::Once;

    use crate::atomic::AtomicU64;
    use crate::shared::numbers;

    static MEMBER: AtomicU64 = AtomicU64::new(0);
    static NUMBERS: AtomicPtr<AtomicU64> = AtomicPtr::new(core::ptr::null_mut());

    #[inline]
    pub(super) fn member() -> u64 {
        MEMBER.load(Ordering::Relaxed)
    }

    pub(super) fn watch() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            if let Some(word) = super::map_shared::<AtomicU64>() {
                NUMBERS.store(word.as_ptr(), Ordering::Release);
            }
            // SAFETY: the handler only does atomic operations, on a static and on memory that is
            // never unmapped, and so is safe to run in a child of a threaded process.
            let refused = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
            assert_eq!(refused, 0, "pthread_atfork: out of memory");
        });
    }

    pub(super) fn leave() {
        if NUMBERS.load(Ordering::Acquire).is_null() {
            // The process id stays the same, and so it is no new number.
            MEMBER.fetch_add(1 << 32, Ordering::Relaxed);
        } else {
            in_child();
        }
    }

    extern "C" fn in_child() {
        MEMBER.store(next_number(), Ordering::Relaxed);
    }

    pub(super) fn next_number() -> u64 {
        let numbers = NUMBERS.load(Ordering::Acquire);
        if numbers.is_null() {
            // There is no shared memory: the process id distinguishes living processes.
            return u64::from(std::process::id());
        }
        // SAFETY: not null, so it points at the mapping made in `watch`, which is never unmapped.
        numbers::next(unsafe { &*numbers })
    }

    pub(super) fn last_number() -> u64 {
        let numbers = NUMBERS.load(Ordering::Acquire);
        if numbers.is_null() {
            return member();
        }
        // SAFETY: as in `next_number`.
        numbers::last(unsafe { &*numbers })
    }
}

#[cfg(all(feature = "std", not(idgen_shared_words)))]
mod imp {
    use core::sync::atomic::Ordering;

    use crate::atomic::AtomicU64;
    use crate::shared::numbers;

    /// Only for this process: copies in children do not use it.
    static NUMBERS: AtomicU64 = AtomicU64::new(0);

    /// Counts how often this process was restored from a snapshot.
    static RESTORED: AtomicU64 = AtomicU64::new(0);

    /// Returns the process id, which never changes on systems without fork, with the number of restorations.
    pub(super) fn member() -> u64 {
        process() | RESTORED.load(Ordering::Relaxed) << 32
    }

    /// WebAssembly has no processes, and panics when the number of one is read.
    fn process() -> u64 {
        if cfg!(target_family = "wasm") { 0 } else { u64::from(std::process::id()) }
    }

    pub(super) fn leave() {
        RESTORED.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn watch() {}

    pub(super) fn next_number() -> u64 {
        member() + numbers::next(&NUMBERS)
    }

    pub(super) fn last_number() -> u64 {
        member() + numbers::last(&NUMBERS)
    }
}

#[cfg(not(feature = "std"))]
mod imp {
    use crate::atomic::AtomicU64;
    use crate::shared::numbers;

    static NUMBERS: AtomicU64 = AtomicU64::new(0);

    pub(super) fn member() -> u64 {
        0
    }

    pub(super) fn watch() {}

    pub(super) fn next_number() -> u64 {
        numbers::next(&NUMBERS)
    }

    pub(super) fn last_number() -> u64 {
        numbers::last(&NUMBERS)
    }
}

#[cfg(idgen_shared_words)]
pub(crate) use shared::SharedWords;
#[cfg(idgen_shared_words)]
use shared::map_shared;

#[cfg(idgen_shared_words)]
mod shared {
    use core::ptr::NonNull;

    use crate::atomic::AtomicU64;
    use crate::error::{Error, Result};

    /// Zeroed memory for a `T`, shared with the children of later forks.
    pub(super) fn map_shared<T>() -> Option<NonNull<T>> {
        // SAFETY: a new anonymous mapping, of which the kernel chooses the place.
        let place = unsafe {
            libc::mmap(
                core::ptr::null_mut(),
                size_of::<T>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if place == libc::MAP_FAILED { None } else { NonNull::new(place.cast()) }
    }

    /// 64-bit atomics that parent and forked children share, so that no two of them count the same number. They
    /// occupy separate memory pages.
    pub(crate) struct SharedWords<const N: usize> {
        words: NonNull<[AtomicU64; N]>,
    }

    impl<const N: usize> SharedWords<N> {
        /// Atomics with the value zero.
        ///
        /// # Errors
        /// If the system refuses the memory.
        pub(crate) fn zeros() -> Result<Self> {
            let words = map_shared().ok_or_else(|| {
                Error::config("the system refused a page of", "4096 bytes", "free some memory")
            })?;
            Ok(SharedWords { words })
        }

        /// The words.
        #[inline]
        pub(crate) fn all(&self) -> &[AtomicU64; N] {
            // SAFETY: mapped readable and writable, page-aligned, and unmapped only in `drop`; zeros are
            // atomics.
            unsafe { self.words.as_ref() }
        }
    }

    // SAFETY: the mapping holds atomics, belongs to no thread, and is freed once.
    unsafe impl<const N: usize> Send for SharedWords<N> {}
    // SAFETY: shared access gives only `&AtomicU64`.
    unsafe impl<const N: usize> Sync for SharedWords<N> {}

    impl<const N: usize> Drop for SharedWords<N> {
        fn drop(&mut self) {
            // SAFETY: the mapping that `map_shared` made, and nothing borrows it any more.
            unsafe { libc::munmap(self.words.as_ptr().cast(), size_of::<[AtomicU64; N]>()) };
        }
    }
}

/// Without shared memory: atomics of this process. Their owner checks its [`ForkMark`] before each use.
#[cfg(not(idgen_shared_words))]
pub(crate) struct SharedWords<const N: usize> {
    words: [AtomicU64; N],
}

#[cfg(not(idgen_shared_words))]
impl<const N: usize> SharedWords<N> {
    /// Atomics with the value zero.
    ///
    /// # Errors
    /// Never: this memory does not come from the system.
    pub(crate) fn zeros() -> Result<Self> {
        Ok(SharedWords { words: [const { AtomicU64::new(0) }; N] })
    }

    /// The words.
    #[inline]
    pub(crate) fn all(&self) -> &[AtomicU64; N] {
        &self.words
    }
}

/// True if forked children continue to count in the same [`SharedWords`].
pub(crate) const WORDS_ARE_SHARED: bool = cfg!(idgen_shared_words);
