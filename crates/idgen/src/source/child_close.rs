//! Files that forked children close at once.
//!
//! A lock belongs to the open file, which a fork shares: a child would keep its parent's lock after the parent has ended. The
//! child cannot use the lock, so a `pthread_atfork` handler closes the file there. Children that execute another
//! program never have it, because the standard library opens files with `O_CLOEXEC`. Without the feature `fast`, children
//! keep the file open until they end.

use std::fs::File;

/// An open file that no forked child has.
#[derive(Debug)]
pub(super) struct OwnFile {
    /// `Some` until it is dropped.
    file: Option<File>,
    place: imp::Place,
}

impl OwnFile {
    pub(super) fn new(file: File) -> Self {
        OwnFile { place: imp::Place::of(&file), file: Some(file) }
    }

    pub(super) fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }
}

impl Drop for OwnFile {
    fn drop(&mut self) {
        // In a child the file is closed already, and its number may be that of another one.
        if !self.place.leave() {
            std::mem::forget(self.file.take());
        }
    }
}

#[cfg(idgen_shared_words)]
mod imp {
    use core::sync::atomic::{AtomicI32, Ordering};
    use std::boxed::Box;
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::sync::{Once, OnceLock};

    const FREE: i32 = -1;

    /// The places are never freed, but used again.
    #[derive(Debug)]
    pub(super) struct Slot {
        descriptor: AtomicI32,
        next: OnceLock<&'static Slot>,
    }

    impl Slot {
        const fn new() -> Self {
            Slot { descriptor: AtomicI32::new(FREE), next: OnceLock::new() }
        }
    }

    static FIRST: Slot = Slot::new();

    #[derive(Debug)]
    pub(super) struct Place(&'static Slot);

    impl Place {
        pub(super) fn of(file: &File) -> Self {
            static ONCE: Once = Once::new();
            ONCE.call_once(|| {
                // SAFETY: the handler only does atomic operations and closes files, and so is safe to run in a child
                // of a threaded process.
                let refused = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
                assert_eq!(refused, 0, "pthread_atfork: out of memory");
            });
            let mut slot = &FIRST;
            loop {
                let taken = slot.descriptor.compare_exchange(
                    FREE,
                    file.as_raw_fd(),
                    Ordering::AcqRel,
                    Ordering::Relaxed,
                );
                if taken.is_ok() {
                    return Place(slot);
                }
                slot = slot.next.get_or_init(|| Box::leak(Box::new(Slot::new())));
            }
        }

        /// False if a handler has closed the file in this process.
        pub(super) fn leave(&self) -> bool {
            self.0.descriptor.swap(FREE, Ordering::AcqRel) != FREE
        }
    }

    extern "C" fn in_child() {
        let mut slot = Some(&FIRST);
        while let Some(found) = slot {
            let descriptor = found.descriptor.swap(FREE, Ordering::AcqRel);
            if descriptor != FREE {
                // SAFETY: the number is that of a file that its owner does not close any more, because the place is free.
                unsafe { libc::close(descriptor) };
            }
            slot = found.next.get().copied();
        }
    }
}

#[cfg(not(idgen_shared_words))]
mod imp {
    use std::fs::File;

    #[derive(Debug)]
    pub(super) struct Place;

    impl Place {
        pub(super) fn of(_: &File) -> Self {
            Place
        }

        pub(super) fn leave(&self) -> bool {
            true
        }
    }
}
