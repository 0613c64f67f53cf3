//! A process is copied twice behind the back of its C library, as a snapshot that is restored twice does: do both copies
//! generate the same random bits? docs/library.md has the results in a table.
//!
//! Not under the test harness: a copy has only the thread that made it, and must not wait for a lock of another one.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashSet;
    use std::io::{Read, Write};

    use uuid::Uuid;

    const IDS: usize = 1_000;

    /// The end of an id, which consists of random bits in all these kinds.
    type End = [u8; 6];

    type Make = fn() -> Uuid;

    /// A name, what makes an id, the hook after a restore, and whether ids are repeated.
    type Row = (&'static str, Make, fn(), bool);

    pub(super) fn main() {
        let nothing: fn() = || ();
        let (v4, v7): (Make, Make) = (idgen::v4, idgen::v7);
        let ulid: Make = || Uuid::from_u128(ulid::Ulid::generate().0);
        let rows: [Row; 6] = [
            ("idgen v4, reseed()", v4, idgen::reseed, false),
            ("idgen v7, reseed()", v7, idgen::reseed, false),
            ("idgen v4", v4, nothing, true),
            ("idgen v7", v7, nothing, true),
            ("uuid v4, fast-rng", Uuid::new_v4, nothing, true),
            ("ulid", ulid, nothing, true),
        ];
        for (name, make, hook, expected) in rows {
            let repeats = repeats(make, hook);
            println!("{name}: {repeats} of {IDS} repeated");
            // A new millisecond can bring other draws: not all are repeated then.
            assert_eq!(repeats > 0, expected, "{name}");
        }
    }

    /// How many random ends of the second copy the first one has generated, too.
    fn repeats(make: Make, hook: fn()) -> usize {
        make();
        let [first, second] = [(); 2].map(|()| copy(make, hook));
        let first: HashSet<End> = first.into_iter().collect();
        second.iter().filter(|end| first.contains(*end)).count()
    }

    /// The ends of the ids that a copy of this process generates after the hook.
    fn copy(make: Make, hook: fn()) -> Vec<End> {
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        // SAFETY: the system call of `fork`, without the handlers of the C library. This process has one thread, so no
        // lock is held that the copy could wait for.
        let child = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
        assert!(child >= 0, "clone: {}", std::io::Error::last_os_error());
        if child == 0 {
            hook();
            let ends: Vec<End> = (0..IDS).map(|_| make().as_bytes()[10..].try_into().unwrap()).collect();
            let written = writer.write_all(ends.as_flattened());
            // SAFETY: it ends the copy, without what the original would do again.
            unsafe { libc::_exit(i32::from(written.is_err())) };
        }
        drop(writer);
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        let mut status = 0;
        // SAFETY: a child of this process, and a place for its status.
        let ended = unsafe { libc::waitpid(child as libc::pid_t, &raw mut status, 0) };
        assert_eq!((i64::from(ended), status), (child, 0), "the copy failed");
        assert_eq!(bytes.len(), IDS * size_of::<End>());
        bytes.as_chunks().0.to_vec()
    }
}
