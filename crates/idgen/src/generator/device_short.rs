//! 64-bit device ids.

use crate::error::{Error, Kind as ErrorKind, Result};
use crate::generator::reserve::Reserve;
use crate::generator::{DeviceLease, Generate, all_or_nothing};
use crate::kind::Kind;
use crate::node::Node;
use crate::shared::device::{LAST_OF_SECOND, Shared, Step, Word};
use crate::short_id::{DeviceFields, ShortId};
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State, Waits, WhenBehind};
#[cfg(feature = "std")]
use crate::source::{Csprng, SystemClock};
use crate::timestamp::Timestamp;

/// Makes 64-bit device ids: `unix_secs << 32 | node << 16 | counter`.
///
/// The counter starts at a random value and wraps within its 16 bits. At most 65,536 ids are generated per second:
/// after those, the generator waits for the next second, unless the [policy](ClockPolicy) says
/// [`WhenBehind::Error`]. If the clock is behind by more than the tolerance, a generator with a random node restarts
/// with the next node: up to 65,535 times, then it returns a permanent error.
///
/// Two devices repeat each other's id only if second, node and counter all coincide. Threads may share one generator
/// without a state: beside [`Generate`], whose methods take `&mut self` because a state is saved in order, it has one pair
/// of methods that take `&self`, [`make`](Self::make) and [`make_many`](Self::make_many). Forked children continue to count in the same shared memory; where
/// there is none (without the feature `fast`), they get an error for which
/// [`is_forked`](crate::Error::is_forked) is true.
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
    lease: Option<DeviceLease>,
    reserve: Reserve<S>,
}

/// Ids that a state reserves at a time.
const BLOCK: u64 = 4_096;
/// Ids that were taken together: they follow `before` in the second of `last`.
struct Taken {
    last: Word,
    count: u64,
    /// The 16 bits of the node in these ids.
    node: u16,
}

#[cfg(feature = "std")]
impl DeviceShort<SystemClock> {
    /// A generator with the system's clock and randomness.
    ///
    /// # Errors
    /// If the system provides no randomness.
    pub fn system() -> Result<Self> {
        Self::new(SystemClock, Csprng::new()?)
    }
}

impl<C: Clock> DeviceShort<C> {
    /// A generator with this clock, and with randomness for the node (16 of its bits are used) and the first counter.
    ///
    /// # Errors
    /// Those of the entropy; also if the system refuses a page of memory.
    pub fn new(clock: C, mut entropy: impl Entropy) -> Result<Self> {
        let node = Node::random(&mut entropy)?;
        // The counter of the first second starts at random.
        let start = Word::start(entropy.next_u64()?.to_le() as u16);
        let reserve = Reserve::restore(Kind::Short, NoState, start.0)?;
        Ok(DeviceShort {
            clock,
            policy: ClockPolicy::DEFAULT,
            node,
            node_is_random: true,
            lease: None,
            reserve,
        })
    }

    /// Continues where an earlier run stopped, also within the same second. A random node is kept over
    /// the restarts.
    ///
    /// # Errors
    /// If the state cannot be read, or belongs to another kind. `is_forked` in a child of the process that drew the random node, unless the
    /// state has a node: make the generator in the child.
    pub fn with_state<T: State>(self, state: T) -> Result<DeviceShort<C, T>> {
        let (restarts, last) = self.shared().settle();
        let mut reserve = Reserve::restore(Kind::Short, state, last.0)?;
        let node = match reserve.node() {
            Some(node) if self.node_is_random => node,
            _ => {
                if self.node_is_random {
                    // The parent continues with this node, and counts for itself.
                    self.reserve.mark().check("the random node of a device id generator")?;
                }
                // The new count of restarts begins at 0.
                self.node_after(restarts)
            }
        };
        reserve.set_node(node);
        let DeviceShort { clock, policy, node_is_random, lease, .. } = self;
        Ok(DeviceShort { clock, policy, node, node_is_random, lease, reserve })
    }

    /// The next id, for a generator that threads share.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// let ids = idgen::generator::DeviceShort::system()?;
    /// let (a, b) = std::thread::scope(|scope| {
    ///     let (a, b) = (scope.spawn(|| ids.make()), scope.spawn(|| ids.make()));
    ///     (a.join().unwrap(), b.join().unwrap())
    /// });
    /// assert_ne!(a?, b?);
    /// # }
    /// # Ok::<(), idgen::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Generate::next_id`].
    #[inline]
    pub fn make(&self) -> Result<ShortId> {
        Ok(id(&self.take(1)?))
    }

    /// Fills a slice, for a generator that threads share.
    ///
    /// # Errors
    /// As [`Generate::fill`].
    pub fn make_many(&self, ids: &mut [ShortId]) -> Result<()> {
        fill(ids, |want| self.take(want))
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

    /// Uses the number of a lease as the node, and makes no id of a second outside of the lease.
    ///
    /// [`set_lease`](Self::set_lease) takes the renewed lease. Keep a [state](Self::with_state) beside the lease, and call `with_state` first: without a
    /// state, a restart after the clock was set back may repeat ids of this device itself. With a lease, a clock that steps
    /// back further than the policy tolerates is an error also under [`WhenBehind::Restart`], because a restart takes
    /// another node.
    #[must_use]
    pub fn with_lease(mut self, lease: DeviceLease) -> Self {
        self.set_lease(lease);
        self
    }

    /// Replaces the lease: with the same number for a longer time, or with another number.
    ///
    /// ```
    /// use idgen::{Timestamp, generator::{DeviceLease, DeviceShort, Generate}, source::{FixedClock, FixedEntropy}};
    ///
    /// let day = |number: i64| Timestamp::from_unix_secs(number * 86_400);
    /// let mut ids = DeviceShort::new(FixedClock::new(day(3)), FixedEntropy::new(1))?;
    /// ids.set_lease(DeviceLease::new(7, day(1), day(4))?);
    /// assert_eq!(ids.next_id()?.device().node, 7);
    /// # Ok::<(), idgen::Error>(())
    /// ```
    pub fn set_lease(&mut self, lease: DeviceLease) {
        let mut node = self.node.bytes();
        [node[4], node[5]] = lease.number().to_be_bytes();
        self.node = Node::new(node);
        self.node_is_random = false;
        self.reserve.set_node(self.node);
        self.lease = Some(lease);
    }

    /// Replaces the default policy for a clock that is behind.
    #[must_use]
    pub fn with_policy(mut self, policy: ClockPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// The node after this many restarts.
    #[inline]
    fn node_after(&self, restarts: u16) -> Node {
        if !self.node_is_random {
            return self.node;
        }
        let mut bytes = self.node.bytes();
        let low = self.node.low16().wrapping_add(restarts);
        [bytes[4], bytes[5]] = low.to_be_bytes();
        Node::new(bytes)
    }

    /// Takes up to `want` ids of one second.
    #[inline]
    fn take(&self, want: u64) -> Result<Taken> {
        self.reserve.check_fork()?;
        self.reserve.mark().check_words("a device id generator")?;
        let shared = self.shared();
        loop {
            let (line, old) = shared.read();
            let now = self.clock.coarse();
            let secs = self.seconds(now)?;
            let (new, count) = match old.follow(line, secs, want, self.policy.tolerance.as_secs()) {
                Step::Take(new, count) => (new, count),
                Step::Begin(mark) => {
                    shared.begin(line, mark);
                    continue;
                }
                Step::Behind => {
                    self.catch_up(now, old)?;
                    continue;
                }
                Step::Full => {
                    self.wait_for_next_second(now, old)?;
                    continue;
                }
            };
            if let Some(lease) = self.lease {
                lease.check(new.secs())?;
            }
            if shared.commit(old, new, line) {
                return Ok(Taken { last: new, count, node: self.node_after(line.restarts()).low16() });
            }
        }
    }

    #[inline]
    fn shared(&self) -> Shared<'_> {
        let [word, line, marks] = self.reserve.words();
        Shared { word, line, marks }
    }

    #[inline]
    fn seconds(&self, now: Timestamp) -> Result<u64> {
        let secs = u32::try_from(now.unix_secs()).ok().filter(|secs| *secs > 0);
        secs.map(u64::from).ok_or_else(|| {
            // Second 0 counts as full in a new generator.
            let (first, last) = (Timestamp::from_unix_secs(1), Timestamp::from_unix_secs(u32::MAX.into()));
            Error::out_of_range("short", now, first, last)
        })
    }

    /// The clock is too far behind: restarts, waits or fails.
    #[cold]
    fn catch_up(&self, now: Timestamp, last: Word) -> Result<()> {
        let tolerance = self.policy.tolerance.as_secs();
        match self.policy.when_behind {
            WhenBehind::Restart if self.node_is_random && !self.reserve.is_kept() => self.restart(last),
            WhenBehind::Restart | WhenBehind::Error => Err(self.clock_behind(now, last)),
            WhenBehind::Wait => {
                let enough = |secs: u64| last.secs() <= secs.saturating_add(tolerance);
                self.wait_until(now, enough, |now| self.clock_behind(now, last))
            }
        }
    }

    /// All ids of the second are used: waits for the next one, or fails.
    #[cold]
    fn wait_for_next_second(&self, now: Timestamp, last: Word) -> Result<()> {
        let full = |advice| {
            Error::new(ErrorKind::Exhausted { kind: "short", capacity: "65,536 ids of this second", advice })
        };
        if self.policy.when_behind == WhenBehind::Error {
            return Err(full("wait, or choose a policy that waits"));
        }
        let stopped = "the clock did not reach the next one in the longest wait: correct the clock";
        self.wait_until(now, |secs| secs > last.secs(), |_| full(stopped))
    }

    fn wait_until(
        &self,
        mut now: Timestamp,
        enough: impl Fn(u64) -> bool,
        too_late: impl Fn(Timestamp) -> Error,
    ) -> Result<()> {
        let mut waits = Waits::new(&self.policy);
        loop {
            let secs = self.seconds(now)?;
            if enough(secs) {
                return Ok(());
            }
            // To the beginning of the next second.
            let next = Timestamp::from_unix_secs(secs as i64 + 1);
            if !waits.sleep(&self.clock, next.since(now)) {
                return Err(too_late(now));
            }
            now = self.clock.coarse();
        }
    }

    /// Continues at the clock's time with another node, in all processes that share the words.
    fn restart(&self, last: Word) -> Result<()> {
        if self.shared().restart(last) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Exhausted {
            kind: "this device",
            capacity: "65,536 nodes",
            advice: "each restart after the clock stepped back uses one; start the program again",
        }))
    }

    fn clock_behind(&self, now: Timestamp, last: Word) -> Error {
        Error::new(ErrorKind::ClockBehind {
            now,
            last: Timestamp::from_unix_secs(last.secs() as i64),
            tolerance_ms: self.policy.tolerance_ms(),
            has_state: self.reserve.is_kept(),
        })
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
fn id(taken: &Taken) -> ShortId {
    let &Taken { last, node, .. } = taken;
    DeviceFields { unix_secs: last.secs() as u32, node, counter: last.counter() }.into()
}

impl<C: Clock, S: State> Generate for DeviceShort<C, S> {
    type Id = ShortId;

    #[inline]
    fn next_id(&mut self) -> Result<ShortId> {
        Ok(id(&self.take_covered(1)?))
    }

    fn fill(&mut self, ids: &mut [ShortId]) -> Result<()> {
        fill(ids, |want| self.take_covered(want))
    }
}

/// Fills a slice from the stretches that `take` gives.
fn fill(ids: &mut [ShortId], mut take: impl FnMut(u64) -> Result<Taken>) -> Result<()> {
    all_or_nothing(ids, |mut ids| {
        while !ids.is_empty() {
            let Taken { last, count, node } = take(ids.len() as u64)?;
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
