//! What a generator must remember over a restart.

use crate::error::Result;
use crate::kind::Kind;
use crate::node::Node;

/// What is kept: ids of this kind up to `position` may have been made by this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The kind whose positions these are.
    pub kind: Kind,
    /// A point on the kind's own ascending line of ids (time and counter).
    pub position: u128,
    /// The node that a new run shall go on with, where the kind has one.
    pub node: Option<Node>,
}

/// A place that survives a restart.
///
/// A generator reserves a stretch ahead of the ids it gives: it saves the end of the stretch, and
/// gives ids only once `save` has returned. After a crash it goes on behind the stretch.
pub trait State {
    /// False for [`NoState`] alone: nothing is remembered, and nothing need be saved.
    fn is_kept(&self) -> bool {
        true
    }

    /// What was saved last, or `None` at the very first start.
    fn load(&mut self) -> Result<Option<Saved>>;

    /// Saves; on return the value survives a crash.
    fn save(&mut self, saved: &Saved) -> Result<()>;
}

/// Remembers nothing: each start is the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoState;

impl State for NoState {
    fn is_kept(&self) -> bool {
        false
    }

    fn load(&mut self) -> Result<Option<Saved>> {
        Ok(None)
    }

    fn save(&mut self, _: &Saved) -> Result<()> {
        Ok(())
    }
}

#[cfg(feature = "alloc")]
impl<T: State + ?Sized> State for alloc::boxed::Box<T> {
    fn is_kept(&self) -> bool {
        (**self).is_kept()
    }

    fn load(&mut self) -> Result<Option<Saved>> {
        (**self).load()
    }

    fn save(&mut self, saved: &Saved) -> Result<()> {
        (**self).save(saved)
    }
}

/// Remembers for as long as the program runs: the fixed twin for tests of restarts.
///
/// ```
/// use idgen::{Timestamp, generator::{Generate, V7}, source::{FixedClock, FixedEntropy, MemoryState}};
///
/// let clock = FixedClock::new(Timestamp::from_unix_secs(1_800_000_000));
/// let state = MemoryState::default();
/// let first = V7::new(&clock, FixedEntropy::new(1)).with_state(&state)?.next_id()?;
/// let after_restart = V7::new(&clock, FixedEntropy::new(1)).with_state(&state)?.next_id()?;
/// assert!(first < after_restart);
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryState(core::cell::Cell<Option<Saved>>);

impl MemoryState {
    /// What was saved last.
    pub fn saved(&self) -> Option<Saved> {
        self.0.get()
    }

    /// A place that holds this value, as after an earlier run.
    pub fn holding(saved: Saved) -> Self {
        MemoryState(core::cell::Cell::new(Some(saved)))
    }
}

impl State for &MemoryState {
    fn load(&mut self) -> Result<Option<Saved>> {
        Ok(self.saved())
    }

    fn save(&mut self, saved: &Saved) -> Result<()> {
        self.0.set(Some(*saved));
        Ok(())
    }
}
