//! Decides which client sends the next statement, and when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use idgen::Timestamp;

use crate::Result;
use crate::workload::Arrivals;

/// Requests of statements arrive at random, for the clients of one service or for each client by itself. A client that has
/// taken a request is busy until it says when it is free again. Times are in ticks of 100 ns since 1970.
pub(crate) struct Turns {
    requests: Requests,
    /// Clients, by the time from which on each can make a statement.
    free: BinaryHeap<Reverse<(i64, usize)>>,
}

enum Requests {
    /// The client that has been free for the longest time takes the next request, whose time is known if it was drawn.
    Shared { arrivals: Box<Arrivals>, next: Option<i64> },
    /// Each client has its own, which wait for it.
    Own(Vec<Arrivals>),
}

impl Turns {
    /// `clients` idle clients, whose requests come at this rate in total: those of one service, or, if the clients are on hosts
    /// that do not know of each other, of each by itself.
    pub(crate) fn new(start: Timestamp, rate: f64, seed: u64, clients: u64, apart: bool) -> Result<Turns> {
        let all = 0..clients as usize;
        if !apart {
            let arrivals = Box::new(Arrivals::new(start, rate, seed));
            let free = all.map(|client| Reverse((i64::MIN, client))).collect();
            return Ok(Turns { requests: Requests::Shared { arrivals, next: None }, free });
        }
        let mut turns = Turns {
            requests: Requests::Own(Arrivals::of_each(start, rate, seed, clients)),
            free: BinaryHeap::new(),
        };
        for client in all {
            turns.free(client, i64::MIN)?;
        }
        Ok(turns)
    }

    /// Takes the next statement: returns the time at which it is made, and the client. `None` if no client is
    /// free, or if this time is not before `arrives`, the time at which a statement that was sent arrives.
    pub(crate) fn take(&mut self, arrives: Option<i64>) -> Result<Option<(i64, usize)>> {
        let request = match &mut self.requests {
            Requests::Own(_) => i64::MIN,
            Requests::Shared { next: Some(next), .. } => *next,
            Requests::Shared { arrivals, next } => *next.insert(arrivals.next_moment()?.unix_ticks()),
        };
        let Some(&Reverse((free, client))) = self.free.peek() else { return Ok(None) };
        let made = request.max(free);
        if arrives.is_some_and(|arrives| arrives <= made) {
            return Ok(None);
        }
        self.free.pop();
        if let Requests::Shared { next, .. } = &mut self.requests {
            *next = None;
        }
        Ok(Some((made, client)))
    }

    /// The client is free again at this time.
    pub(crate) fn free(&mut self, client: usize, at: i64) -> Result<()> {
        let at = match &mut self.requests {
            Requests::Own(requests) => at.max(requests[client].next_moment()?.unix_ticks()),
            Requests::Shared { .. } => at,
        };
        self.free.push(Reverse((at, client)));
        Ok(())
    }
}
