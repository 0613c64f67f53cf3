//! 64-bit device ids.

use core::sync::atomic::Ordering::{AcqRel, Acquire};

use crate::error::{Error, Kind as ErrorKind, Result};
use crate::generator::reserve::Reserve;
use crate::generator::{Generate, all_or_nothing};
use crate::kind::Kind;
use crate::node::Node;
use crate::short_id::{DeviceFields, ShortId};
use crate::source::fork::WORDS_ARE_SHARED;
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State, WhenBehind};
#[cfg(feature = "std")]
use crate::source::{Csprng, SystemClock};
use crate::timestamp::Timestamp;

/// Makes 64-bit device ids: `unix_secs << 32 | node << 16 | counter`.
///
/// The counter starts at random and wraps within its 16 bits; at most 65,536 ids are made for one
/// second. When they are used, or the clock stands behind by more than the tolerance, the generator
/// waits (the default here) or fails, as the policy says; [`WhenBehind::Restart`] waits too, as 64 bits
/// leave no room for a fresh start.
///
/// Two devices repeat each other's id only where second, node and counter all coincide. One generator
/// may be shared: [`make`](Self::make) takes `&self`. Forked children go on counting in the same word
/// of shared memory.
///
/// ```
/// use idgen::{Timestamp, generator::{DeviceShort, Generate}, source::{FixedClock, FixedEntropy}};
///
/// let clock = FixedClock::new(Timestamp::from_unix_secs(1_795_219_200));
/// let mut ids = DeviceShort::new(&clock, FixedEntropy::new(1))?.with_node("9f6bdeced846".parse()?);
/// let (a, b) = (ids.next_id()?.device(), ids.next_id()?.device());
/// assert_eq!((a.unix_secs, a.node), (1_795_219_200, 0xd846));
/// assert_eq!(b.counter, a.counter.wrapping_add(1));
/// # Ok::<(), idgen::Error>(())
/// ```
pub struct DeviceShort<C, S: State = NoState> {
    clock: C,
    policy: ClockPolicy,
    node: Node,
    node_is_random: bool,
    reserve: Reserve<S>,
}

/// Ids that a state reserves at a time.
const BLOCK: u64 = 4_096;
/// The number of an id within its second, from 0 on, is the word's middle field.
const LAST_OF_SECOND: u64 = 0xFFFF;

/// The last id given: its second (32 bits), its number within that second (16), its counter (16).
#[derive(Clone, Copy)]
struct Word(u64);

impl Word {
    fn new(secs: u64, number: u64, counter: u16) -> Self {
        Word(secs << 32 | number << 16 | u64::from(counter))
    }

    fn secs(self) -> u64 {
        self.0 >> 32
    }

    fn number(self) -> u64 {
        self.0 >> 16 & 0xFFFF
    }

    fn counter(self) -> u16 {
        self.0 as u16
    }

    /// As many ids later, within the same second.
    fn later(self, ids: u64) -> Self {
        Word::new(self.secs(), self.number() + ids, self.counter().wrapping_add(ids as u16))
    }
}

/// Ids that were taken together: they follow `before` in the second of `last`.
struct Taken {
    last: Word,
    count: u64,
}

#[cfg(feature = "std")]
impl DeviceShort<SystemClock> {
    /// From the system's clock and randomness.
    ///
    /// # Errors
    /// Where the system gives no randomness.
    pub fn system() -> Result<Self> {
        Self::new(SystemClock, Csprng::new()?)
    }
}

impl<C: Clock> DeviceShort<C> {
    /// From a clock, and randomness for the node (16 of its bits are used) and the first counter.
    ///
    /// # Errors
    /// Those of the entropy; or where the system refuses a page of memory.
    pub fn new(clock: C, mut entropy: impl Entropy) -> Result<Self> {
        let node = Node::random(&mut entropy)?;
        // Before the first id: the second 0 is full, and the next one's counter starts at random.
        let start = Word::new(0, LAST_OF_SECOND, entropy.next_u64()? as u16);
        let reserve = Reserve::restore(Kind::Short, NoState, start.0)?;
        let policy = ClockPolicy { when_behind: WhenBehind::Wait, ..ClockPolicy::DEFAULT };
        Ok(DeviceShort { clock, policy, node, node_is_random: true, reserve })
    }

    /// Goes on where an earlier run stopped, also within the same second. A random node is kept over
    /// the restarts.
    ///
    /// # Errors
    /// Where the state cannot be read, or belongs to another kind.
    pub fn with_state<T: State>(self, state: T) -> Result<DeviceShort<C, T>> {
        let mut reserve = Reserve::restore(Kind::Short, state, self.reserve.last())?;
        let node = match reserve.node() {
            Some(node) if self.node_is_random => node,
            _ => self.node,
        };
        reserve.set_node(node);
        let DeviceShort { clock, policy, node_is_random, .. } = self;
        Ok(DeviceShort { clock, policy, node, node_is_random, reserve })
    }

    /// The next id, for a generator that threads share.
    ///
    /// # Errors
    /// As [`Generate::next_id`].
    #[inline]
    pub fn make(&self) -> Result<ShortId> {
        let node = self.own_node()?;
        Ok(id(self.take(1)?.last, node))
    }

    /// Fills a slice, for a generator that threads share.
    ///
    /// # Errors
    /// As [`Generate::fill`].
    pub fn make_many(&self, ids: &mut [ShortId]) -> Result<()> {
        fill(ids, self.own_node()?, |want| self.take(want))
    }
}

impl<C: Clock, S: State> DeviceShort<C, S> {
    /// Uses the low two bytes of this node.
    #[must_use]
    pub fn with_node(mut self, node: Node) -> Self {
        self.node = node;
        self.node_is_random = false;
        self.reserve.set_node(node);
        self
    }

    /// Replaces the default policy: absorb ten seconds, then wait.
    #[must_use]
    pub fn with_policy(mut self, policy: ClockPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// The node's 16 bits, in this process.
    #[inline]
    fn own_node(&self) -> Result<u16> {
        self.reserve.check_fork()?;
        let mark = self.reserve.mark();
        if WORDS_ARE_SHARED || !mark.is_stale() {
            return Ok(self.node.low16());
        }
        // A child that counts for itself: only another node keeps it from repeating its parent.
        if !self.node_is_random {
            return Err(Error::new(ErrorKind::Forked { what: "a device id generator with a fixed node" }));
        }
        let apart = crate::source::fork::ForkMark::now().member() ^ mark.member();
        Ok(self.node.low16() ^ apart as u16)
    }

    /// Takes up to `want` ids of one second.
    #[inline]
    fn take(&self, want: u64) -> Result<Taken> {
        let shared = self.reserve.word().get();
        let mut old = Word(shared.load(Acquire));
        loop {
            let now = self.clock.coarse();
            let secs = self.seconds(now)?;
            let count;
            let new = if secs > old.secs() {
                count = want.min(LAST_OF_SECOND + 1);
                Word::new(secs, 0, old.counter().wrapping_add(1)).later(count - 1)
            } else if old.secs() - secs > self.policy.tolerance.as_secs() {
                self.wait_for(now, old, |behind| behind <= self.policy.tolerance.as_secs())?;
                old = Word(shared.load(Acquire));
                continue;
            } else if old.number() == LAST_OF_SECOND {
                self.wait_for(now, old, |_| false)?;
                old = Word(shared.load(Acquire));
                continue;
            } else {
                count = want.min(LAST_OF_SECOND - old.number());
                old.later(count)
            };
            match shared.compare_exchange_weak(old.0, new.0, AcqRel, Acquire) {
                Ok(_) => return Ok(Taken { last: new, count }),
                Err(other) => old = Word(other),
            }
        }
    }

    #[inline]
    fn seconds(&self, now: Timestamp) -> Result<u64> {
        u32::try_from(now.unix_secs()).map(u64::from).map_err(|_| {
            let last = Timestamp::from_unix_secs(u32::MAX.into());
            Error::out_of_range("short", now, Timestamp::UNIX_EPOCH, last)
        })
    }

    /// Waits until the clock has passed the second of `last`, or `enough` of the seconds behind it.
    #[cold]
    fn wait_for(&self, mut now: Timestamp, last: Word, enough: impl Fn(u64) -> bool) -> Result<()> {
        if self.policy.when_behind == WhenBehind::Error {
            let behind = last.secs() - self.seconds(now)?;
            return Err(Error::new(match behind <= self.policy.tolerance.as_secs() {
                true => ErrorKind::Exhausted {
                    kind: "short",
                    capacity: "65,536 ids of this second",
                    advice: "wait, or choose a policy that waits",
                },
                false => ErrorKind::ClockBehind {
                    now,
                    last: Timestamp::from_unix_secs(last.secs() as i64),
                    tolerance_ms: self.policy.tolerance.as_millis().min(u64::MAX.into()) as u64,
                },
            }));
        }
        loop {
            let secs = self.seconds(now)?;
            if secs > last.secs() || enough(last.secs() - secs) {
                return Ok(());
            }
            // One second at a time: someone may set the clock right meanwhile.
            let next = Timestamp::from_unix_secs(secs as i64 + 1);
            self.clock.sleep(next.since(now));
            now = self.clock.coarse();
        }
    }

    /// Takes up to `want` ids, once the state covers them.
    fn take_covered(&mut self, want: u64) -> Result<Taken> {
        let taken = self.take(want)?;
        self.reserve.cover(taken.last.0, || {
            let left = LAST_OF_SECOND - taken.last.number();
            taken.last.later(left.min(BLOCK)).0
        })?;
        Ok(taken)
    }
}

#[inline]
fn id(word: Word, node: u16) -> ShortId {
    DeviceFields { unix_secs: word.secs() as u32, node, counter: word.counter() }.into()
}

impl<C: Clock, S: State> Generate for DeviceShort<C, S> {
    type Id = ShortId;

    #[inline]
    fn next_id(&mut self) -> Result<ShortId> {
        let node = self.own_node()?;
        Ok(id(self.take_covered(1)?.last, node))
    }

    fn fill(&mut self, ids: &mut [ShortId]) -> Result<()> {
        fill(ids, self.own_node()?, |want| self.take_covered(want))
    }
}

/// Fills a slice from the stretches that `take` gives.
fn fill(ids: &mut [ShortId], node: u16, mut take: impl FnMut(u64) -> Result<Taken>) -> Result<()> {
    all_or_nothing(ids, |mut ids| {
        while !ids.is_empty() {
            let Taken { last, count } = take(ids.len() as u64)?;
            let (now, later) = ids.split_at_mut(count as usize);
            let mut counter = last.counter().wrapping_sub(count as u16);
            for slot in now {
                counter = counter.wrapping_add(1);
                *slot = DeviceFields { unix_secs: last.secs() as u32, node, counter }.into();
            }
            ids = later;
        }
        Ok(())
    })
}
