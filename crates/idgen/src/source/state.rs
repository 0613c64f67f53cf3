//! States: everything that a generator must remember over a restart.

use crate::error::Result;
use crate::kind::{Kind, Position};
use crate::node::Node;
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;

/// A saved state: this node may have generated ids of this kind up to `position`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The kind of the ids.
    pub kind: Kind,
    /// A position in the kind's ascending order (time and counter).
    pub position: u128,
    /// The node that a new run continues with, if the kind has one.
    pub node: Option<Node>,
}

impl Saved {
    /// The time up to which ids may have been made. For [`Kind::MysqlShort`], it is the second that the numbers have reached.
    ///
    /// ```
    /// use idgen::generator::{Generate, V7};
    /// use idgen::source::{FixedClock, FixedEntropy, MemoryState};
    /// use idgen::Timestamp;
    ///
    /// let (wrong, right) = (Timestamp::from_unix_secs(4_000_000_000), Timestamp::from_unix_secs(1_800_000_000));
    /// let clock = FixedClock::new(wrong);
    /// let state = MemoryState::default();
    /// V7::new(&clock, FixedEntropy::new(1)).with_state(&state)?.next_id()?;
    /// let saved = state.saved().unwrap();
    /// assert_eq!(saved.time(), wrong);
    ///
    /// // No further id can be made until the year 2096, unless the state is set back.
    /// clock.set(right);
    /// assert!(V7::new(&clock, FixedEntropy::new(2)).with_state(&state)?.next_id().unwrap_err().is_clock_behind());
    /// let state = MemoryState::holding(saved.set_back_to(right));
    /// assert!(V7::new(&clock, FixedEntropy::new(3)).with_state(&state)?.next_id().is_ok());
    /// # Ok::<(), idgen::Error>(())
    /// ```
    pub fn time(&self) -> Timestamp {
        let units = (self.position >> 32) as i64;
        match self.kind.facts().position {
            Position::Ticks => Timestamp::from_unix_ticks(units),
            Position::Millis => Timestamp::from_unix_millis(units),
            Position::Secs => Timestamp::from_unix_secs(units),
            Position::MysqlId => ShortId::new(self.position as u64).mysql().startup(),
        }
    }

    /// The state as if the last ids had been made at this time, for a state that a run with a wrong clock left behind.
    ///
    /// The ids that this state forgets must not be in use, or they may be repeated when the time comes. To make that
    /// unlikely, the node is forgotten with them. A time that is later than that of the state changes nothing.
    #[must_use]
    pub fn set_back_to(&self, time: Timestamp) -> Self {
        if time >= self.time() {
            return *self;
        }
        let secs = time.unix_secs().clamp(0, u32::MAX.into()) as u64;
        let line = |units: i64| (units as u128) << 32 | u128::from(u32::MAX);
        let position = match self.kind.facts().position {
            Position::Ticks => line(time.unix_ticks()),
            Position::Millis => line(time.unix_millis()),
            // The second counts as full.
            Position::Secs => u128::from(secs << 32 | 0xFFFF << 16 | self.position as u64 & 0xFFFF),
            Position::MysqlId => u128::from(self.position as u64 >> 56 << 56 | secs << 24 | 0xFF_FFFF),
        };
        Saved { position, node: None, ..*self }
    }
}

/// A place to save a state, so that it survives a restart.
///
/// A generator reserves a range of ids: it saves the end of the range, and returns ids of the range only after
/// `save` has returned. After a crash, it continues after the range.
///
/// ```
/// use idgen::generator::{Generate, V7};
/// use idgen::source::{FixedClock, FixedEntropy, Saved, State};
/// use idgen::{Result, Timestamp};
///
/// /// A state in a variable: like a row of a database, it outlives the generator.
/// struct Row<'a>(&'a mut Option<Saved>);
///
/// impl State for Row<'_> {
///     fn load(&mut self) -> Result<Option<Saved>> {
///         Ok(*self.0)
///     }
///     fn save(&mut self, saved: &Saved) -> Result<()> {
///         *self.0 = Some(*saved);
///         Ok(())
///     }
/// }
///
/// let (mut saved, clock) = (None, FixedClock::new(Timestamp::from_unix_secs(1_800_000_000)));
/// let mut new = || V7::new(&clock, FixedEntropy::new(1)).with_state(Row(&mut saved))?.next_id();
/// assert!(new()? < new()?); // a second generator at the same time
/// # Ok::<(), idgen::Error>(())
/// ```
pub trait State {
    /// False only for [`NoState`], which saves nothing.
    #[inline]
    fn is_kept(&self) -> bool {
        true
    }

    /// The place of the state for errors, such as the path of a file; `None` if it has no name.
    fn place(&self) -> Option<&str> {
        None
    }

    /// The state that was saved last, or `None` if nothing was ever saved.
    fn load(&mut self) -> Result<Option<Saved>>;

    /// Saves the state. When it returns, the state survives a crash.
    fn save(&mut self, saved: &Saved) -> Result<()>;
}

/// Saves nothing: each start is like the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoState;

impl State for NoState {
    #[inline]
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
    #[inline]
    fn is_kept(&self) -> bool {
        (**self).is_kept()
    }

    fn place(&self) -> Option<&str> {
        (**self).place()
    }

    fn load(&mut self) -> Result<Option<Saved>> {
        (**self).load()
    }

    fn save(&mut self, saved: &Saved) -> Result<()> {
        (**self).save(saved)
    }
}

/// Keeps the state in memory, for tests of restarts.
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
    /// The state that was saved last.
    pub fn saved(&self) -> Option<Saved> {
        self.0.get()
    }

    /// A place that already contains this state, as after an earlier run.
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
