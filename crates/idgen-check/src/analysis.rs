//! All that is collected about the ids of one kind.

use idgen::Timestamp;

use crate::claim::{Claim, Layout};
use crate::counter::Counter;
use crate::nodes::Nodes;
use crate::options::Options;
use crate::order::{Order, Sorting};
use crate::place::{Place, Point};
use crate::random::Bits;
use crate::time::Time;

/// Random ids have at most this many bits that do not change: 6 of version and variant, and a prefix.
const MOST_SAME: u32 = 6 + 32;

/// Returns whether ids of this claim are random or hashes, of which these bits do not change. Ids of which most bits do not change are
/// those of a counter.
pub(crate) fn are_drawn(claim: Claim, same: u128) -> bool {
    matches!(claim, Claim::Version(3..=5)) && same.count_ones() <= MOST_SAME
}

/// The ids of one kind, over all streams.
#[derive(Debug)]
pub(crate) struct Analysis {
    pub(crate) claim: Claim,
    pub(crate) bits: Bits,
    pub(crate) order: Order,
    /// The results from the times in the ids; `None` for kinds without a time.
    pub(crate) timed: Option<Timed>,
    points: Vec<Point>,
}

/// The times with which ids are compared when they are added.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    /// The latest credible time.
    pub(crate) latest: Timestamp,
    /// When the ids had been read, if their generator runs.
    pub(crate) arrived: Option<Timestamp>,
}

/// The results from the times in the ids of one kind.
pub(crate) struct Timed {
    pub(crate) layout: Layout,
    pub(crate) time: Time,
    pub(crate) counter: Counter,
    /// The nodes, for versions 1 and 6.
    pub(crate) nodes: Option<Nodes>,
}

impl std::fmt::Debug for Timed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Timed").field("time", &self.time).finish_non_exhaustive()
    }
}

impl Analysis {
    pub(crate) fn new(claim: Claim, options: &Options) -> Self {
        let timed = claim.layout().map(|layout| {
            let is_unix = layout.per_ms == 1;
            Timed {
                layout,
                time: Time::new(layout.units(options.not_before), layout.per_ms),
                counter: Counter::new(layout.tail_bits, is_unix),
                nodes: (!is_unix).then(Nodes::default),
            }
        });
        Analysis { claim, bits: Bits::default(), order: Order::default(), timed, points: Vec::new() }
    }

    /// Returns the order in which random ids without a time were sorted, if they were.
    pub(crate) fn sorting(&mut self) -> Option<Sorting> {
        self.order.sorting().filter(|_| are_drawn(self.claim, self.bits.same(u128::MAX)))
    }

    /// Adds successive ids of this kind; `before` is the last one of the same stream.
    pub(crate) fn push(&mut self, before: Option<u128>, ids: &[idgen::Uuid], first: Place, clock: Clock) {
        self.bits.push(before, ids.iter().map(idgen::Uuid::as_u128));
        let points = &mut self.points;
        points.clear();
        let Some(timed) = &mut self.timed else {
            let point = |id| Point { time: 0, tail: id };
            points.extend(ids.iter().map(|id| point(id.as_u128())));
            self.order.push(before.map(point), points, first);
            return;
        };
        let Layout { time, tail, .. } = timed.layout;
        let point = |id| Point { time: time(id), tail: tail(id) };
        points.extend(ids.iter().map(|id| point(id.as_u128())));
        let before = before.map(point);
        self.order.push(before, points, first);
        let latest = timed.layout.units(clock.latest);
        timed.time.push(
            before,
            points,
            first,
            latest,
            clock.arrived.map(|moment| timed.layout.units(moment)),
        );
        timed.counter.push(before, points, first);
        if let Some(nodes) = &mut timed.nodes {
            nodes.push(before, points, first);
        }
    }
}
