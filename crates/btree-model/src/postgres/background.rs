//! The background writer: it writes pages before the clock hand takes their buffers (`BgBufferSync` in `bufmgr.c`; PostgreSQL
//! manual, "Background Writer").
//!
//! Every `bgwriter_delay` (200 ms) it estimates how many buffers will be taken until its next round: the most of the last rounds,
//! which it forgets slowly, times `bgwriter_lru_multiplier` (2). It looks at the buffers ahead of the hand, from the one at which
//! it stopped, until this many of them could be taken without a write, and writes the dirty ones among those whose usage count is 0.
//! It writes at most `bgwriter_lru_maxpages` (100) in a round, and passes over all buffers within two minutes even if none is
//! taken. When it has looked at all of them and none is taken, it sleeps.

use super::clock::Buffers;

/// `bgwriter_lru_multiplier`.
const MULTIPLIER: f64 = 2.0;
/// Rounds over which estimates are averaged (`smoothing_samples`).
const AVERAGED: f64 = 16.0;
/// Rounds in which all buffers are looked at: 120 s (`scan_whole_pool_milliseconds`) in rounds of 200 ms.
const ROUNDS_OF_ALL: usize = 600;

/// The writer between two rounds: its place among the buffers, and the averages from which it estimates.
#[derive(Debug)]
pub(super) struct Background {
    /// `bgwriter_lru_maxpages`.
    most: u32,
    /// Inserts between two rounds.
    every: f64,
    /// The insert at which the next round is due.
    next: f64,
    is_asleep: bool,
    /// The hand in the last round, and its passes.
    hand: Option<(usize, u64)>,
    /// The buffer to look at next, and the passes of this place.
    at: usize,
    passes: u64,
    /// Buffers that the hand looks at for each one that it takes.
    density: f64,
    /// Buffers taken in a round.
    taken: f64,
}

impl Background {
    /// Makes a background writer that writes at most this many pages in a round, and has a round after this
    /// many inserts.
    pub(super) fn new(most: u32, every: f64) -> Self {
        Background {
            most,
            every,
            next: every,
            is_asleep: false,
            hand: None,
            at: 0,
            passes: 0,
            density: 10.0,
            taken: 0.0,
        }
    }

    /// Does the rounds that are due after this many inserts.
    pub(super) fn work(&mut self, buffers: &mut Buffers, inserts: u64) {
        if self.most == 0 {
            return;
        }
        while self.next <= inserts as f64 {
            if self.is_asleep && !buffers.is_asked() {
                // Rounds change nothing until a buffer is taken.
                let skipped = ((inserts as f64 - self.next) / self.every).floor() + 1.0;
                self.next += skipped * self.every;
                return;
            }
            self.next += self.every;
            self.is_asleep = self.round(buffers);
        }
    }

    /// Does one round, and returns whether another one would do nothing until a buffer is taken.
    fn round(&mut self, buffers: &mut Buffers) -> bool {
        let all = buffers.len();
        let (hand, passes, taken) = buffers.sweep();
        let before = self.hand.replace((hand, passes));
        let ahead = match before {
            Some(_) => self.ahead(all, hand, passes),
            None => None,
        };
        let ahead = ahead.unwrap_or_else(|| {
            // The hand has passed it, or this is the first round.
            (self.at, self.passes) = (hand, passes);
            0
        });
        if let Some((hand_before, passes_before)) = before {
            let moved = (hand + all * (passes - passes_before) as usize) - hand_before;
            self.learn(moved, taken as usize);
        }
        let free_ahead = ahead as f64 / self.density;
        let taken = taken as f64;
        self.taken = if self.taken <= taken { taken } else { self.taken + (taken - self.taken) / AVERAGED };
        let mut wanted = (self.taken * MULTIPLIER) as usize;
        if wanted == 0 {
            self.taken = 0.0;
        }
        let free_ahead = free_ahead as usize;
        wanted = wanted.max(all / ROUNDS_OF_ALL + free_ahead);

        let (mut reusable, mut written, mut looked) = (free_ahead, 0, 0);
        while looked < all - ahead && reusable < wanted {
            let at = self.at;
            self.at += 1;
            if self.at == all {
                self.at = 0;
                self.passes += 1;
            }
            looked += 1;
            if !buffers.is_reusable(at) {
                continue;
            }
            reusable += 1;
            if buffers.write(at) {
                written += 1;
                if written >= self.most {
                    break;
                }
            }
        }
        self.learn(looked, reusable - free_ahead);
        looked == 0 && taken == 0.0 && self.taken == 0.0
    }

    /// The buffers between the hand and the place to look at next; `None` if the hand has passed that place.
    fn ahead(&self, all: usize, hand: usize, passes: u64) -> Option<usize> {
        if self.passes > passes {
            // A pass ahead.
            Some(all - (hand - self.at.min(hand)))
        } else if self.passes == passes && self.at >= hand {
            Some(self.at - hand)
        } else {
            None
        }
    }

    /// Averages the buffers that were looked at for each that was found.
    fn learn(&mut self, looked: usize, found: usize) {
        if looked > 0 && found > 0 {
            self.density += (looked as f64 / found as f64 - self.density) / AVERAGED;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Trace as _;

    /// Full buffers: the pages are dirty, and the hand has been at each buffer.
    fn full(frames: u32) -> Buffers {
        let mut buffers = Buffers::new(frames);
        (0..frames).for_each(|page| buffers.create(page));
        // The hand passes over all buffers to find the first one with a count of 0.
        buffers.create(frames);
        buffers
    }

    #[test]
    fn it_writes_ahead_of_the_hand_up_to_its_limit() {
        let mut buffers = full(3_000);
        let mut background = Background::new(100, 10.0);
        background.work(&mut buffers, 9);
        assert_eq!(buffers.counters.written, 1, "only the client has written a page");
        background.work(&mut buffers, 10);
        assert_eq!(buffers.counters.written, 101);
        background.work(&mut buffers, 20);
        assert_eq!(buffers.counters.written, 201);
        // A page that the background writer has written costs clients no write.
        (3_001..3_101).for_each(|page| buffers.create(page));
        assert_eq!(buffers.counters.written, 201);
    }

    #[test]
    fn it_does_nothing_where_it_is_off_and_sleeps_where_nothing_happens() {
        let mut buffers = full(100);
        Background::new(0, 1.0).work(&mut buffers, 1_000_000);
        assert_eq!(buffers.counters.written, 1);
        let mut background = Background::new(100, 0.001);
        background.work(&mut buffers, 1_000);
        assert!(background.is_asleep);
        let before = buffers.counters.written;
        background.work(&mut buffers, 1_000_000_000);
        assert_eq!(buffers.counters.written, before);
    }

    #[test]
    fn pages_in_use_are_not_written() {
        let mut buffers = Buffers::new(600);
        for page in 0..600 {
            buffers.create(page);
            buffers.touch(page);
        }
        Background::new(100, 1.0).work(&mut buffers, 1_000);
        assert_eq!(buffers.counters.written, 0);
    }

    /// Rounds while it is asleep would change nothing.
    #[test]
    fn a_sleeping_writer_misses_nothing() {
        let mut counted = Vec::new();
        for sleeps in [true, false] {
            let mut buffers = Buffers::new(700);
            let mut background = Background::new(7, 0.01);
            let mut page = 0;
            for insert in 0..3_000_u64 {
                if insert % 3 == 0 {
                    buffers.create(page);
                    page += 1;
                }
                let old = (insert * 7_919 % u64::from(page)) as u32;
                buffers.touch(old);
                buffers.change(old);
                background.work(&mut buffers, insert);
                if !sleeps {
                    background.is_asleep = false;
                }
            }
            counted.push(buffers.counters);
        }
        assert_eq!(counted[0], counted[1]);
    }
}
