//! Reserves numbers of the 64-bit kinds in a state: blocks of the 64-bit word that they count in.

use core::sync::atomic::Ordering;

use crate::atomic::AtomicU64;
use crate::error::Result;
use crate::generator::line::load;
use crate::kind::Kind;
use crate::node::Node;
use crate::source::fork::{ForkMark, SharedWords};
use crate::source::{Saved, State};

/// A word in memory shared with forked children, and a state that stays ahead of it. With a state, the word only rises.
pub(super) struct Reserve<S: State> {
    kind: Kind,
    node: Option<Node>,
    state: S,
    /// The word, and two more that belong to its owner.
    words: SharedWords<3>,
    /// Words up to this one are saved as taken.
    covered: u64,
    mark: ForkMark,
}

impl<S: State> Reserve<S> {
    /// At the word that the state holds, and not before `floor`.
    ///
    /// # Errors
    /// If the state cannot be read or belongs to another kind, or if the system refuses the memory.
    pub(super) fn restore(kind: Kind, mut state: S, floor: u64) -> Result<Self> {
        let saved = load(kind, &mut state)?;
        let covered = saved.map_or(0, |saved| saved.position as u64);
        let words = SharedWords::zeros()?;
        let [word, _, _] = words.all();
        word.store(covered.max(floor), Ordering::SeqCst);
        let covered = if state.is_kept() { covered } else { u64::MAX };
        let node = saved.and_then(|saved| saved.node);
        Ok(Reserve { kind, node, state, words, covered, mark: ForkMark::now() })
    }

    #[inline]
    pub(super) fn word(&self) -> &AtomicU64 {
        &self.words.all()[0]
    }

    /// The word, and two more, which are 0 in the beginning and are not saved.
    #[inline]
    pub(super) fn words(&self) -> &[AtomicU64; 3] {
        self.words.all()
    }

    pub(super) fn is_kept(&self) -> bool {
        self.state.is_kept()
    }

    /// The current word.
    pub(super) fn last(&self) -> u64 {
        self.word().load(Ordering::SeqCst)
    }

    pub(super) fn mark(&self) -> ForkMark {
        self.mark
    }

    pub(super) fn node(&self) -> Option<Node> {
        self.node
    }

    /// The node to save with the words; saved with the next block.
    pub(super) fn set_node(&mut self, node: Node) {
        self.node = Some(node);
        if self.state.is_kept() {
            self.covered = 0;
        }
    }

    /// Makes sure that the words up to `last` are saved as taken; `block_end` gives the word up to
    /// which to reserve, at or beyond `last`.
    #[inline]
    pub(super) fn cover(&mut self, last: u64, block_end: impl FnOnce() -> u64) -> Result<()> {
        if last <= self.covered {
            return Ok(());
        }
        let end = block_end();
        let saved = self.saved(end);
        self.state.save(&saved)?;
        self.covered = end;
        Ok(())
    }

    /// Returns an error in a forked child, which must not use its parent's state.
    #[inline]
    pub(super) fn check_fork(&self) -> Result<()> {
        if self.state.is_kept() { self.mark.check("a generator with a state") } else { Ok(()) }
    }

    fn saved(&self, word: u64) -> Saved {
        Saved { kind: self.kind, position: word.into(), node: self.node }
    }
}

impl<S: State> Drop for Reserve<S> {
    fn drop(&mut self) {
        let last = self.last();
        if self.state.is_kept() && !self.mark.is_stale() {
            // If this fails, the block that was saved before is still valid.
            let _ = self.state.save(&self.saved(last));
        }
    }
}
