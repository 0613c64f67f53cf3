//! Checkpoints write the pages that are dirty when they begin (`BufferSync` in `bufmgr.c`; PostgreSQL manual, "WAL Configuration").
//!
//! The pages are written in the order of files and pages. A checkpoint spreads these writes over
//! `checkpoint_completion_target` (0.9) of the time until the next one; those that `CHECKPOINT` starts do not wait. A page that
//! leaves before its turn was written by who took its buffer, and the checkpoint does not write it again.

use super::clock::Buffers;

/// The checkpoint that is being written.
#[derive(Debug)]
pub(super) struct Checkpoint {
    /// Inserts over which it spreads its writes; 0 for all at once.
    spread: u64,
    /// The insert at which it began.
    from: u64,
    due: Vec<u32>,
    done: usize,
}

impl Checkpoint {
    /// No checkpoint yet.
    pub(super) fn none() -> Self {
        Checkpoint { spread: 0, from: 0, due: Vec::new(), done: 0 }
    }

    /// Begins a checkpoint after this many inserts, which spreads its writes over the next `spread`. What the one before has left
    /// is written at once.
    pub(super) fn begin(&mut self, buffers: &mut Buffers, inserts: u64, spread: u64) {
        self.write_to(buffers, self.due.len());
        (self.spread, self.from, self.done) = (spread, inserts, 0);
        self.due = buffers.make_due();
        self.work(buffers, inserts);
    }

    /// Writes the pages that are due after this many inserts.
    pub(super) fn work(&mut self, buffers: &mut Buffers, inserts: u64) {
        let all = self.due.len();
        if self.done == all {
            return;
        }
        let passed = inserts - self.from;
        let to = if passed >= self.spread {
            all
        } else {
            (all as f64 * passed as f64 / self.spread as f64) as usize
        };
        self.write_to(buffers, to);
    }

    fn write_to(&mut self, buffers: &mut Buffers, to: usize) {
        while self.done < to {
            buffers.write_due(self.due[self.done]);
            self.done += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Trace as _;

    #[test]
    fn writes_are_spread_and_each_page_is_written_once() {
        let mut buffers = Buffers::new(100);
        (0..10).for_each(|page| buffers.create(page));
        let mut checkpoint = Checkpoint::none();
        checkpoint.begin(&mut buffers, 1_000, 100);
        assert_eq!(buffers.counters.written, 0);
        checkpoint.work(&mut buffers, 1_050);
        assert_eq!(buffers.counters.written, 5);
        // Dirty again: the next checkpoint writes it.
        buffers.change(0);
        // Dirty since the checkpoint began, and changed again: written once.
        buffers.change(9);
        checkpoint.work(&mut buffers, 1_200);
        assert_eq!(buffers.counters.written, 10);
        checkpoint.begin(&mut buffers, 2_000, 100);
        checkpoint.begin(&mut buffers, 2_001, 100);
        assert_eq!(buffers.counters.written, 11);
    }

    #[test]
    fn without_a_spread_all_is_written_at_once() {
        let mut buffers = Buffers::new(100);
        (0..10).for_each(|page| buffers.create(page));
        Checkpoint::none().begin(&mut buffers, 1, 0);
        assert_eq!(buffers.counters.written, 10);
    }

    /// Buffers that were taken for other pages are not written for the checkpoint.
    #[test]
    fn a_page_that_left_is_not_written_again() {
        let mut buffers = Buffers::new(4);
        (0..4).for_each(|page| buffers.create(page));
        let mut checkpoint = Checkpoint::none();
        checkpoint.begin(&mut buffers, 0, 10);
        (4..8).for_each(|page| buffers.create(page));
        assert_eq!(buffers.counters.written, 4);
        checkpoint.work(&mut buffers, 10);
        assert_eq!(buffers.counters.written, 4);
    }
}
