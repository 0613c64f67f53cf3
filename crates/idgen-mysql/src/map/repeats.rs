//! Tracks whether callers mostly pass new UUIDs or known ones, which decides which statement is tried first.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::claim::pair::Guess;

#[derive(Debug, Default)]
pub(crate) struct Repeats {
    // One bit for each of the last 16 calls, set if the UUID was known.
    history: AtomicU32,
}

impl Repeats {
    pub(crate) fn guess(&self) -> Guess {
        let known = (self.history.load(Ordering::Relaxed) & 0xffff).count_ones();
        if known > 8 { Guess::Known } else { Guess::New }
    }

    pub(crate) fn learn(&self, new: bool) {
        let history = self.history.load(Ordering::Relaxed);
        // Two calls at the same time may lose a bit, which is acceptable because the bits are only a hint.
        self.history.store(history << 1 | u32::from(!new), Ordering::Relaxed);
    }
}
