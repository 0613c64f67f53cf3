//! The core of versions 1 and 6: a Gregorian tick, a clock sequence and a node for each id.
//!
//! A random node belongs to this generator alone, so the 14 bits of the clock sequence serve as a counter within the
//! tick of 100 ns. After 16,384 ids in one tick, the next tick is used. A fixed node (the hardware address) may be
//! shared with other generators, from which only the clock sequence distinguishes this one. So the clock sequence stays
//! the same, and each id has a tick of its own.

use crate::error::{Error, Kind as ErrorKind, Result};
use crate::fields::sequence_and_node;
use crate::generator::monotonic::{Begin, Counters, Monotonic, Shape};
use crate::generator::unit::Ticks;
use crate::kind::Kind;
use crate::node::Node;
use crate::source::fork::{ForkMark, WORDS_ARE_SHARED, last_number, next_number};
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State};
use crate::timestamp::GREGORIAN_TO_UNIX_TICKS;

const SEQUENCES: u32 = 1 << 14;

const fn shape(kind: Kind) -> Shape {
    Shape { kind, first: -GREGORIAN_TO_UNIX_TICKS, last: (1 << 60) - 1 - GREGORIAN_TO_UNIX_TICKS }
}

pub(crate) struct Gregorian<C, E, S: State> {
    monotonic: Monotonic<Ticks, C, S>,
    entropy: E,
    identity: Option<Identity>,
    fixed_node: Option<Node>,
}

/// Node and clock sequence: chosen at the first id, and again when they would no longer be unique.
#[derive(Clone, Copy)]
struct Identity {
    /// The lower half of an id, except the clock sequence.
    node_half: u64,
    /// The first clock sequence of each tick.
    sequence: u16,
    /// The clock sequence with which this node began, and the last number that the family had by then.
    origin: (u16, u64),
    mark: ForkMark,
}

impl<C: Clock, E: Entropy> Gregorian<C, E, NoState> {
    pub(crate) fn new(kind: Kind, clock: C, entropy: E) -> Self {
        let monotonic =
            Monotonic::new(shape(kind), clock, NoState).expect("without a state there is nothing to load");
        Gregorian { monotonic, entropy, identity: None, fixed_node: None }
    }

    pub(crate) fn with_state<T: State>(self, state: T) -> Result<Gregorian<C, E, T>> {
        let monotonic = self.monotonic.with_state(state)?;
        Ok(Gregorian { monotonic, entropy: self.entropy, identity: None, fixed_node: self.fixed_node })
    }
}

impl<C: Clock, E: Entropy, S: State> Gregorian<C, E, S> {
    pub(crate) fn set_node(&mut self, node: Node) {
        self.fixed_node = Some(node);
        self.identity = None;
    }

    pub(crate) fn set_policy(&mut self, policy: ClockPolicy) {
        self.monotonic.set_policy(policy);
    }

    /// Calls `emit` with the Gregorian tick of each of the next `want` ids, and with its lower half: clock
    /// sequence and node.
    #[inline(always)]
    pub(crate) fn next(&mut self, mut want: usize, mut emit: impl FnMut(u64, u64)) -> Result<()> {
        if self.identity.is_none_or(|identity| identity.mark.is_stale()) {
            self.new_identity()?;
        }
        let Gregorian { monotonic, entropy, identity: Some(identity), fixed_node } = self else {
            unreachable!("an identity was just made")
        };
        // With a fixed node there is one counter for a tick: the clock sequence.
        let limit = |first| if fixed_node.is_some() { first + 1 } else { SEQUENCES };
        while want > 0 {
            let run = monotonic.next_run(want, |begin| {
                if begin == Begin::Restart {
                    *identity = identity.restarted(*fixed_node, entropy)?;
                }
                let first = u32::from(identity.sequence);
                Ok(Counters { first, limit: limit(first), within: 0 })
            })?;
            let ticks = (run.time + GREGORIAN_TO_UNIX_TICKS) as u64;
            for counter in run.counter..run.counter + run.count as u32 {
                emit(ticks, u64::from(counter) << 48 | identity.node_half);
            }
            want -= run.count;
        }
        Ok(())
    }

    #[cold]
    fn new_identity(&mut self) -> Result<()> {
        self.monotonic.line().check_fork()?;
        let mark = ForkMark::now();
        let identity = match (self.identity, self.fixed_node) {
            // A child has the parent's fixed node; the numbers shared with the parent distinguish them.
            (Some(old), Some(_)) if WORDS_ARE_SHARED => Identity { mark, ..old }.apart_by(mark.number())?,
            (Some(old), Some(_)) => return old.mark.check("a generator with a fixed node"),
            (old, fixed) => {
                // The state's node is this generator's; in a child it is the parent's.
                let saved = if old.is_none() { self.monotonic.line().node() } else { None };
                let node = match fixed.or(saved) {
                    Some(node) => node,
                    None => Node::random(&mut self.entropy)?,
                };
                self.monotonic.line().set_node(node);
                let sequence = first_sequence(&mut self.entropy)?;
                let node_half = sequence_and_node(0, node);
                Identity { node_half, sequence, origin: (sequence, last_number()), mark }
            }
        };
        self.identity = Some(identity);
        Ok(())
    }
}

impl Identity {
    /// After the clock was set back: another random node, or another clock sequence of a fixed one
    /// (RFC 9562 section 6.1 and 5.1).
    fn restarted(self, fixed_node: Option<Node>, entropy: &mut impl Entropy) -> Result<Self> {
        match fixed_node {
            Some(_) => self.apart_by(next_number()),
            None => {
                let node_half = sequence_and_node(0, Node::random(entropy)?);
                Ok(Identity { node_half, sequence: first_sequence(entropy)?, ..self })
            }
        }
    }

    /// The clock sequence of a number that all forked children and all restarts take from one counter, so that none of
    /// them has a clock sequence that another one had before. It is unknown which ones are still in use, so each
    /// is used once, and the numbers end.
    fn apart_by(self, number: u64) -> Result<Self> {
        let (first, born) = self.origin;
        let distance = number.wrapping_sub(born);
        if distance >= u64::from(SEQUENCES) {
            return Err(Error::new(ErrorKind::Exhausted {
                kind: "this node",
                capacity: "16,384 clock sequences",
                advice: "each fork and each restart after the clock stepped back uses one; start the \
                         program again, or let idgen choose the node",
            }));
        }
        Ok(Identity { sequence: (first + distance as u16) & (SEQUENCES - 1) as u16, ..self })
    }
}

/// A random start in the lower half, which leaves at least 8,192 ids for each tick.
fn first_sequence(entropy: &mut impl Entropy) -> Result<u16> {
    Ok(entropy.next_u64()?.to_le() as u16 & (SEQUENCES / 2 - 1) as u16)
}
