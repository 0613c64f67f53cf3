//! The last point of an ascending line of ids, and how much of the line a state has reserved.

use crate::error::{Error, Result};
use crate::generator::unit::Unit;
use crate::kind::Kind;
use crate::node::Node;
use crate::source::fork::ForkMark;
use crate::source::{Saved, State};

/// The position of a generator on its line: a time in units of its kind, and a counter within the unit.
///
/// With a state that is kept, ids are only handed out up to `covered`, the end of the stretch that was
/// saved. A clean end saves the exact point, so that quick restarts do not run ahead of the clock. If the unit is a fraction
/// of a millisecond, the point is saved as the whole millisecond, whatever layout divides it.
pub(crate) struct Line<S: State> {
    kind: Kind,
    unit: Unit,
    state: S,
    node: Option<Node>,
    time: i64,
    counter: u32,
    covered: i64,
    /// The distance that the next save reserves ahead, in parts of the whole horizon: 1, 2, 4 … 128.
    share: i64,
    mark: ForkMark,
}

/// Before the first id, and before all times; half the range, so that differences do not overflow.
const NEVER: i64 = i64::MIN / 2;

impl<S: State> Line<S> {
    /// Continues where the state says; `node` is saved with each point.
    ///
    /// # Errors
    /// If the state cannot be read or belongs to another kind.
    pub(crate) fn restore(kind: Kind, unit: Unit, mut state: S) -> Result<Self> {
        let saved = load(kind, &mut state)?;
        let (time, counter) = match saved {
            None => (NEVER, 0),
            Some(saved) => (unit.last_of_saved((saved.position >> 32) as i64), saved.position as u32),
        };
        // Ids up to the saved point may exist; a step to it or beyond is saved first.
        let covered = if state.is_kept() { NEVER } else { i64::MAX };
        let node = saved.and_then(|saved| saved.node);
        Ok(Line { kind, unit, state, node, time, counter, covered, share: 1, mark: ForkMark::now() })
    }

    /// Continues after the last point of another line too, if that is later.
    pub(crate) fn follow<T: State>(mut self, other: &Line<T>) -> Self {
        (self.time, self.counter) = (self.time, self.counter).max((other.time, other.counter));
        self
    }

    pub(crate) fn node(&self) -> Option<Node> {
        self.node
    }

    /// The node to save with each later point; saved at the next point.
    pub(crate) fn set_node(&mut self, node: Node) {
        self.node = Some(node);
        if self.state.is_kept() {
            self.covered = NEVER;
        }
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.state.is_kept()
    }

    #[inline]
    pub(crate) fn time(&self) -> i64 {
        self.time
    }

    #[inline]
    pub(crate) fn counter(&self) -> u32 {
        self.counter
    }

    /// Returns an error in a forked child, which must not use its parent's state.
    #[inline]
    pub(crate) fn check_fork(&self) -> Result<()> {
        if self.state.is_kept() { self.mark.check("a generator with a state") } else { Ok(()) }
    }

    /// Steps to a point, once the state covers it; `horizon` units more are reserved with it.
    #[inline]
    pub(crate) fn step_to(&mut self, time: i64, counter: u32, horizon: i64) -> Result<()> {
        if self.state.is_kept() && (time > self.covered || self.covered == NEVER) {
            self.cover(time, horizon)?;
        }
        self.time = time;
        self.counter = counter;
        Ok(())
    }

    /// Reserves little at first, so that a program that crashes at once, again and again, does not run ahead of the clock
    /// by a whole horizon each time.
    #[cold]
    fn cover(&mut self, time: i64, horizon: i64) -> Result<()> {
        let end = time.saturating_add(horizon * self.share / 128);
        let saved = self.saved(end, u32::MAX);
        self.state.save(&saved)?;
        self.covered = end;
        self.share = (self.share * 2).min(128);
        Ok(())
    }

    fn saved(&self, time: i64, counter: u32) -> Saved {
        let counter = if self.unit.is_fraction() { u32::MAX } else { counter };
        let position = (self.unit.saved(time) as u128) << 32 | u128::from(counter);
        Saved { kind: self.kind, position, node: self.node }
    }
}

impl<S: State> Drop for Line<S> {
    fn drop(&mut self) {
        if self.state.is_kept() && self.time != NEVER && !self.mark.is_stale() {
            // If this fails, the range that was saved before is still valid.
            let _ = self.state.save(&self.saved(self.time, self.counter));
        }
    }
}

/// Loads what a state holds, and refuses that of another kind.
pub(crate) fn load(kind: Kind, state: &mut impl State) -> Result<Option<Saved>> {
    let saved = state.load()?;
    match saved {
        Some(Saved { kind: other, .. }) if other != kind => Err(Error::state(
            state.place().unwrap_or(other.name()),
            "belongs to another kind of id",
            format_args!("this generator is of the kind {kind}; give each kind a state of its own"),
        )),
        _ => Ok(saved),
    }
}
