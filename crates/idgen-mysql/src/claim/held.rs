//! The ids that a client has reserved and not used yet.

use std::ops::Range;
use std::time::Instant;

use crate::call::observe;

#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) returned: Vec<u64>,
    pub(crate) block: Range<u64>,
    // The first id of the latest reservation.
    pub(crate) latest: u64,
    pub(crate) size: u64,
    pub(crate) since: Option<Instant>,
    // The epoch in which the ids were reserved.
    pub(crate) epoch: u64,
    // No reservation of this epoch can begin below this id.
    pub(crate) above: u64,
}

impl Held {
    pub(crate) fn new(size: u64) -> Held {
        Held { returned: Vec::new(), block: 0..0, latest: 0, size, since: None, epoch: 0, above: 0 }
    }

    pub(crate) fn available(&self) -> u64 {
        self.returned.len() as u64 + (self.block.end - self.block.start)
    }

    /// Drops what was reserved in another epoch: the map may have been restored since.
    pub(crate) fn keep_only(&mut self, epoch: u64) {
        if self.epoch != epoch {
            observe::burned(self.available());
            self.returned.clear();
            self.block = 0..0;
            self.epoch = epoch;
            self.above = 0;
        }
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<Vec<u64>> {
        if self.available() < count as u64 {
            return None;
        }
        let mut ids = Vec::with_capacity(count);
        while ids.len() < count {
            match self.returned.pop().or_else(|| self.block.next()) {
                Some(id) => ids.push(id),
                None => break,
            }
        }
        Some(ids)
    }

    pub(crate) fn put(&mut self, block: Range<u64>) {
        self.latest = block.start;
        self.above = block.end;
        if self.block.end == block.start {
            // No other client reserved ids in between.
            self.block.end = block.end;
        } else {
            let rest = std::mem::replace(&mut self.block, block);
            self.returned.extend(rest.rev());
            self.returned.sort_unstable_by(|a, b| b.cmp(a));
        }
        self.since = Some(Instant::now());
    }

    pub(crate) fn take_rest(&mut self) -> Option<(u64, Range<u64>)> {
        let mut rest = std::mem::replace(&mut self.block, 0..0);
        // Largest first.
        for id in std::mem::take(&mut self.returned) {
            if id + 1 == rest.start {
                rest.start = id;
            }
        }
        if rest.is_empty() {
            return None;
        }
        if rest.end == self.above {
            self.above = rest.start;
        }
        Some((self.epoch, rest))
    }

    pub(crate) fn discard(&mut self, taken: u64) {
        let before = self.available();
        // Another call of this client may have discarded the same ids, and reserved others.
        let keep = if taken < self.latest { self.latest } else { u64::MAX };
        self.returned.retain(|id| *id >= keep);
        self.block.start = self.block.start.max(keep).min(self.block.end);
        observe::burned(before - self.available());
        // The block was discarded and not used up, so the next block need not be larger.
        self.since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_ids_are_taken_once_and_in_ascending_order() {
        let mut held = Held::new(4);
        assert_eq!(held.take(1), None);
        held.put(10..14);
        assert_eq!(held.take(3), Some(vec![10, 11, 12]));
        held.put(14..16);
        assert_eq!(held.take(2), Some(vec![13, 14]));
        held.put(30..33);
        assert_eq!(held.take(4), Some(vec![15, 30, 31, 32]));
        assert_eq!(held.take(1), None);
    }

    #[test]
    fn the_rest_is_the_unused_ids_at_the_end_of_the_block() {
        let mut held = Held::new(4);
        assert_eq!(held.take_rest(), None);
        held.put(10..20);
        assert_eq!(held.take(5), Some(vec![10, 11, 12, 13, 14]));
        held.returned = vec![14, 13, 11];
        assert_eq!(held.take_rest(), Some((0, 13..20)));
        assert_eq!(held.above, 13);
        assert_eq!((held.take(1), held.take_rest()), (None, None));
        held.put(20..21);
        assert_eq!(held.take(1), Some(vec![20]));
        assert_eq!(held.take_rest(), None);
    }

    #[test]
    fn discarded_ids_are_not_taken_and_later_ones_are() {
        let mut held = Held::new(4);
        held.put(10..14);
        held.put(30..34);
        held.discard(11);
        assert_eq!(held.take(1), Some(vec![30]));
        held.discard(11);
        assert_eq!(held.take(1), Some(vec![31]));
        held.discard(31);
        assert_eq!(held.available(), 0);
        held.put(40..42);
        assert_eq!(held.take(2), Some(vec![40, 41]));
    }
}
