//! The shared buffers: which pages are in memory, and which of them leave (`StrategyGetBuffer` in `freelist.c`,
//! `GetVictimBuffer` and `PinBuffer` in `bufmgr.c`).
//!
//! Each buffer has a usage count. Reading or creating a page sets it to 1, and each later use adds 1, up to 5
//! (`BM_MAX_USAGE_COUNT`). If a page needs a buffer and none is free, a clock hand sweeps over the buffers: it subtracts 1 from
//! each count, and takes the first buffer whose count is 0 already. If the page in it is dirty, the client writes it first. A page
//! of the heap is used once for each of its rows, so it survives five sweeps after its last row, and a leaf of random keys one or
//! two.
//!
//! A buffer that is in use is pinned and never taken. The model does without pins: an insert uses a few pages, whose counts are
//! above 0 until the hand has passed each of them again.

use crate::pool::Counters;
use crate::tree::Trace;

/// `BM_MAX_USAGE_COUNT`.
const MOST_USES: u8 = 5;
/// The number of the first page of the heap. Those of the index are below.
const FIRST_OF_HEAP: u32 = 1 << 31;
/// The place of a page that is not in memory.
const NOWHERE: u32 = u32::MAX;

/// A page of the heap, as the buffers number it.
pub(super) fn of_heap(page: u32) -> u32 {
    FIRST_OF_HEAP + page
}

/// A buffer, and the page in it.
#[derive(Clone, Copy, Debug)]
struct Frame {
    page: u32,
    uses: u8,
    is_dirty: bool,
    /// A checkpoint has to write the page (`BM_CHECKPOINT_NEEDED`).
    is_due: bool,
}

/// The buffers, and what was read into them and written from them.
#[derive(Debug)]
pub(super) struct Buffers {
    /// The buffers that were ever used. The others are free and are used in their order.
    frames: Vec<Frame>,
    most: usize,
    of_index: Vec<u32>,
    of_heap: Vec<u32>,
    /// The buffer that the clock hand looks at next.
    hand: usize,
    /// The number of times that the hand began again at the first buffer.
    passes: u64,
    /// Buffers that were taken since the background writer asked.
    taken: u64,
    pub(super) counters: Counters,
}

impl Buffers {
    /// Makes `most` buffers, all of them free.
    pub(super) fn new(most: u32) -> Self {
        Buffers {
            frames: Vec::new(),
            most: most as usize,
            of_index: Vec::new(),
            of_heap: Vec::new(),
            hand: 0,
            passes: 0,
            taken: 0,
            counters: Counters::default(),
        }
    }

    /// The number of buffers, with the free ones.
    pub(super) fn len(&self) -> usize {
        self.most
    }

    /// The place of the clock hand, how often it was at the first buffer, and the buffers that were taken since the last call
    /// (`StrategySyncStart`).
    pub(super) fn sweep(&mut self) -> (usize, u64, u64) {
        (self.hand, self.passes, std::mem::take(&mut self.taken))
    }

    /// Returns true if a buffer was taken since the last call of [`Buffers::sweep`].
    pub(super) fn is_asked(&self) -> bool {
        self.taken > 0
    }

    /// Returns true if the hand would take this buffer, also if it is free (`SyncOneBuffer`).
    pub(super) fn is_reusable(&self, frame: usize) -> bool {
        self.frames.get(frame).is_none_or(|frame| frame.uses == 0)
    }

    /// Writes the page in a buffer if it is dirty, and returns whether it was.
    pub(super) fn write(&mut self, frame: usize) -> bool {
        let Some(frame) = self.frames.get_mut(frame) else { return false };
        let was_dirty = std::mem::replace(&mut frame.is_dirty, false);
        frame.is_due = false;
        self.counters.written += u64::from(was_dirty);
        was_dirty
    }

    /// Writes the page in a buffer if the checkpoint still has to.
    pub(super) fn write_due(&mut self, frame: u32) {
        let frame = frame as usize;
        if self.frames[frame].is_due {
            self.write(frame);
        }
    }

    /// The buffers with dirty pages, which a checkpoint has to write from now on, in the order of files and pages: the heap is the
    /// older file.
    pub(super) fn make_due(&mut self) -> Vec<u32> {
        let mut due = Vec::new();
        for (number, frame) in (0..).zip(&mut self.frames) {
            frame.is_due = frame.is_dirty;
            if frame.is_dirty {
                due.push(number);
            }
        }
        due.sort_by_key(|&number| self.frames[number as usize].page ^ FIRST_OF_HEAP);
        due
    }

    /// The buffer of a page, if it is in memory.
    fn frame_of(&self, page: u32) -> Option<usize> {
        let (places, page) = match page.checked_sub(FIRST_OF_HEAP) {
            None => (&self.of_index, page),
            Some(page) => (&self.of_heap, page),
        };
        places.get(page as usize).filter(|&&frame| frame != NOWHERE).map(|&frame| frame as usize)
    }

    fn set_frame_of(&mut self, page: u32, frame: u32) {
        let (places, page) = match page.checked_sub(FIRST_OF_HEAP) {
            None => (&mut self.of_index, page as usize),
            Some(page) => (&mut self.of_heap, page as usize),
        };
        if places.len() <= page {
            places.resize(page + 1, NOWHERE);
        }
        places[page] = frame;
    }

    /// Puts a page into a buffer.
    fn place(&mut self, page: u32, is_dirty: bool) {
        self.taken += 1;
        let new = Frame { page, uses: 1, is_dirty, is_due: false };
        let frame = if self.frames.len() < self.most {
            self.frames.push(new);
            self.frames.len() - 1
        } else {
            let frame = self.victim();
            self.write(frame);
            self.set_frame_of(self.frames[frame].page, NOWHERE);
            self.frames[frame] = new;
            frame
        };
        self.set_frame_of(page, frame as u32);
    }

    /// Moves the clock hand to the next buffer whose count is 0, and behind it.
    fn victim(&mut self) -> usize {
        loop {
            let at = self.hand;
            self.hand += 1;
            if self.hand == self.frames.len() {
                self.hand = 0;
                self.passes += 1;
            }
            match &mut self.frames[at].uses {
                0 => return at,
                uses => *uses -= 1,
            }
        }
    }
}

impl Trace for Buffers {
    /// Uses a page, and reads it first if it is not in memory.
    fn touch(&mut self, page: u32) {
        match self.frame_of(page) {
            Some(frame) => {
                let uses = &mut self.frames[frame].uses;
                *uses = (*uses + 1).min(MOST_USES);
            }
            None => {
                self.counters.read += 1;
                self.place(page, false);
            }
        }
    }

    /// Changes a page that was used before.
    fn change(&mut self, page: u32) {
        match self.frame_of(page) {
            Some(frame) => self.frames[frame].is_dirty = true,
            // Among very few buffers, the pages that a split uses may have taken its buffer.
            None => {
                self.counters.read += 1;
                self.place(page, true);
            }
        }
    }

    /// Adds a page to its file, which is written when it leaves.
    fn create(&mut self, page: u32) {
        self.counters.created += 1;
        self.place(page, true);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A clock sweep that searches for every page and every buffer, as simple as possible: the fast one is compared with it.
    struct Naive {
        frames: Vec<Option<Frame>>,
        hand: usize,
        counters: Counters,
    }

    impl Naive {
        fn find(&mut self, page: u32) -> Option<&mut Frame> {
            self.frames.iter_mut().flatten().find(|frame| frame.page == page)
        }

        fn place(&mut self, page: u32, is_dirty: bool) {
            let free = self.frames.iter().position(Option::is_none);
            let at = free.unwrap_or_else(|| {
                loop {
                    let at = self.hand;
                    self.hand = (at + 1) % self.frames.len();
                    let frame = self.frames[at].as_mut().unwrap();
                    if frame.uses == 0 {
                        self.counters.written += u64::from(frame.is_dirty);
                        return at;
                    }
                    frame.uses -= 1;
                }
            });
            self.frames[at] = Some(Frame { page, uses: 1, is_dirty, is_due: false });
        }

        fn touch(&mut self, page: u32) {
            if let Some(frame) = self.find(page) {
                frame.uses = if frame.uses == MOST_USES { MOST_USES } else { frame.uses + 1 };
                return;
            }
            self.counters.read += 1;
            self.place(page, false);
        }

        fn change(&mut self, page: u32) {
            if let Some(frame) = self.find(page) {
                frame.is_dirty = true;
                return;
            }
            self.counters.read += 1;
            self.place(page, true);
        }

        fn write(&mut self, page: u32) {
            let Some(frame) = self.find(page) else { return };
            let was_dirty = std::mem::replace(&mut frame.is_dirty, false);
            self.counters.written += u64::from(was_dirty);
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Touch(u32),
        Change(u32),
        Create(bool),
        /// Writes this many pages of a checkpoint, of which the rest is forgotten.
        Checkpoint(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => any::<u32>().prop_map(Step::Touch),
            6 => any::<u32>().prop_map(Step::Change),
            3 => any::<bool>().prop_map(Step::Create),
            1 => (0_usize..20).prop_map(Step::Checkpoint),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn the_buffers_do_what_the_naive_ones_do(most in 3_u32..20, steps in prop::collection::vec(step(), 1..400)) {
            let mut fast = Buffers::new(most);
            let mut naive = Naive { frames: vec![None; most as usize], hand: 0, counters: Counters::default() };
            // Pages of both files, the newest of which is used most.
            let mut pages = vec![0, of_heap(0)];
            pages.iter().for_each(|&page| {
                fast.create(page);
                naive.counters.created += 1;
                naive.place(page, true);
            });
            let mut made = [1, 1];
            for step in steps {
                let of = |pages: &[u32], number: u32| pages[pages.len() - 1 - number as usize % pages.len()];
                match step {
                    Step::Touch(number) => {
                        fast.touch(of(&pages, number));
                        naive.touch(of(&pages, number));
                    }
                    Step::Change(number) => {
                        fast.change(of(&pages, number));
                        naive.change(of(&pages, number));
                    }
                    Step::Create(heap) => {
                        let next = &mut made[usize::from(heap)];
                        let page = if heap { of_heap(*next) } else { *next };
                        *next += 1;
                        pages.push(page);
                        fast.create(page);
                        naive.counters.created += 1;
                        naive.place(page, true);
                    }
                    Step::Checkpoint(count) => {
                        let due = fast.make_due();
                        due.iter().take(count).for_each(|&frame| fast.write_due(frame));
                        let mut dirty: Vec<u32> =
                            naive.frames.iter().flatten().filter(|frame| frame.is_dirty).map(|frame| frame.page).collect();
                        dirty.sort_by_key(|&page| (page < FIRST_OF_HEAP, page));
                        dirty.into_iter().take(count).for_each(|page| naive.write(page));
                    }
                }
                prop_assert_eq!(fast.counters, naive.counters);
            }
        }
    }

    #[test]
    fn the_hand_passes_a_page_that_is_used_often_five_times() {
        let mut buffers = Buffers::new(2);
        buffers.create(0);
        (0..9).for_each(|_| buffers.touch(0));
        buffers.create(1);
        // For each new page, the hand passes page 0 twice: the count of the other buffer is 1 at first.
        buffers.create(2);
        buffers.create(3);
        assert!(buffers.frame_of(0).is_some());
        buffers.create(4);
        assert!(buffers.frame_of(0).is_none());
        assert_eq!(buffers.counters, Counters { read: 0, written: 3, created: 5 });
    }
}
