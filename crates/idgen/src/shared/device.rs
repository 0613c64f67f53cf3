//! The ids of one device. Each is taken by an exchange of one word, which holds the last id.
//!
//! A restart sets this word back, so the word may hold the same value twice, and an exchange cannot tell the two apart. Three
//! rules keep the ids unique nevertheless:
//!
//! 1. A restart replaces the word by a mark with a number of its own, so no mark is in the word twice.
//! 2. Whoever finds a mark begins its line first: the number of nodes is increased once for each mark, after the mark was set
//!    and before an id follows it.
//! 3. Whoever takes ids reads the line before the word and again after the exchange, and drops the ids if the line has changed.
//!
//! So if a mark lies between two ids, its line has begun after the first one was taken, and the second one has a later line,
//! which has another node. Between marks, the word only rises.

use core::sync::atomic::Ordering::{Acquire, SeqCst};

use crate::atomic::AtomicU64;

/// The word's middle field is the number of an id within its second, from 0 to this.
pub(crate) const LAST_OF_SECOND: u64 = 0xFFFF;

/// The last id given: its second (32 bits), its number within that second (16), its counter (16). No id is of second 0: there,
/// the middle field is the number of a mark, or [`LAST_OF_SECOND`] before the first id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word(pub(crate) u64);

/// The node in use: how many nodes were used before it (16 bits), above the mark with which it began, plus 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line(pub(crate) u64);

/// The ids that follow a word at some time of the clock.
pub(crate) enum Step {
    /// Ids up to this word, and their number.
    Take(Word, u64),
    /// Nothing, until the line of this mark has begun.
    Begin(u64),
    /// Nothing: the clock is too far behind.
    Behind,
    /// Nothing: all ids of the second are used.
    Full,
}

impl Word {
    /// The word before the first id.
    pub(crate) fn start(counter: u16) -> Self {
        Word::new(0, LAST_OF_SECOND, counter)
    }

    /// The word after a restart; the number is less than [`LAST_OF_SECOND`].
    pub(crate) fn mark(number: u64, counter: u16) -> Self {
        Word::new(0, number, counter)
    }

    fn new(secs: u64, number: u64, counter: u16) -> Self {
        Word(secs << 32 | number << 16 | u64::from(counter))
    }

    pub(crate) fn secs(self) -> u64 {
        self.0 >> 32
    }

    pub(crate) fn number(self) -> u64 {
        self.0 >> 16 & 0xFFFF
    }

    pub(crate) fn counter(self) -> u16 {
        self.0 as u16
    }

    /// The number of the mark, if the word is one.
    fn as_mark(self) -> Option<u64> {
        (self.secs() == 0 && self.number() != LAST_OF_SECOND).then_some(self.number())
    }

    /// The word `ids` ids later, within the same second.
    pub(crate) fn later(self, ids: u64) -> Self {
        Word::new(self.secs(), self.number() + ids, self.counter().wrapping_add(ids as u16))
    }

    /// Returns the ids that follow this word on a line: up to `want` ids of one second, when the clock shows `secs`,
    /// which is not 0.
    #[inline]
    pub(crate) fn follow(self, line: Line, secs: u64, want: u64, tolerance: u64) -> Step {
        if secs > self.secs() {
            match self.as_mark() {
                Some(mark) if !line.began_with(mark) => return Step::Begin(mark),
                _ => {}
            }
            let count = want.min(LAST_OF_SECOND + 1);
            Step::Take(Word::new(secs, 0, self.counter().wrapping_add(1)).later(count - 1), count)
        } else if self.secs() - secs > tolerance {
            Step::Behind
        } else if self.number() == LAST_OF_SECOND {
            Step::Full
        } else {
            let count = want.min(LAST_OF_SECOND - self.number());
            Step::Take(self.later(count), count)
        }
    }
}

impl Line {
    /// The number of nodes that were used before this one.
    pub(crate) fn restarts(self) -> u16 {
        self.0 as u16
    }

    /// The line of a mark. There is one for each mark, and fewer marks than 2^16, so the number of nodes does not overflow.
    pub(crate) fn next(self, mark: u64) -> Self {
        Line((mark + 1) << 16 | (u64::from(self.restarts()) + 1))
    }

    fn began_with(self, mark: u64) -> bool {
        self.0 >> 16 == mark + 1
    }
}

/// The words that the threads and processes of one device share.
pub(crate) struct Shared<'a> {
    pub(crate) word: &'a AtomicU64,
    pub(crate) line: &'a AtomicU64,
    /// The number of marks so far.
    pub(crate) marks: &'a AtomicU64,
}

impl Shared<'_> {
    /// Reads the line and the last id given.
    #[inline]
    pub(crate) fn read(&self) -> (Line, Word) {
        let line = self.line.load(SeqCst);
        (Line(line), Word(self.word.load(SeqCst)))
    }

    /// Takes the ids between the two words. Returns false if another one took them, or if another line has begun.
    #[inline]
    pub(crate) fn commit(&self, old: Word, new: Word, line: Line) -> bool {
        let taken = self.word.compare_exchange_weak(old.0, new.0, SeqCst, Acquire).is_ok();
        taken && self.line.load(SeqCst) == line.0
    }

    /// Begins the line of a mark, unless another one does.
    pub(crate) fn begin(&self, line: Line, mark: u64) {
        let _ = self.line.compare_exchange(line.0, line.next(mark).0, SeqCst, Acquire);
    }

    /// Replaces the last id by a mark, unless another one takes an id or sets a mark. Returns false if no number is
    /// left for a mark.
    pub(crate) fn restart(&self, last: Word) -> bool {
        // A thread that comes too late would use up a number.
        if self.word.load(SeqCst) != last.0 {
            return true;
        }
        let number = self.marks.fetch_add(1, SeqCst);
        if number >= LAST_OF_SECOND {
            return false;
        }
        let mark = Word::mark(number, last.counter());
        let _ = self.word.compare_exchange(last.0, mark.0, SeqCst, Acquire);
        true
    }

    /// Returns the number of nodes that were used, and the word from which a generator with words of its own continues.
    pub(crate) fn settle(&self) -> (u16, Word) {
        let (line, word) = self.read();
        match word.as_mark() {
            Some(mark) if line.began_with(mark) => (line.restarts(), Word::start(word.counter())),
            Some(mark) => (line.next(mark).restarts(), Word::start(word.counter())),
            None => (line.restarts(), word),
        }
    }
}
