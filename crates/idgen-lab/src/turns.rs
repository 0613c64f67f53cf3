//! Which client sends the next statement, and when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Result;
use crate::workload::Arrivals;

/// Requests of statements arrive at random. The client that has been free for the longest time takes the next one, and is
/// busy until it says when it is free again. Times are in ticks of 100 ns since 1970.
pub(crate) struct Turns {
    requests: Arrivals,
    /// The time of the next request, if it was drawn.
    next: Option<i64>,
    free: BinaryHeap<Reverse<(i64, usize)>>,
}

impl Turns {
    /// `clients` idle clients.
    pub(crate) fn new(requests: Arrivals, clients: u64) -> Turns {
        let free = (0..clients as usize).map(|client| Reverse((i64::MIN, client))).collect();
        Turns { requests, next: None, free }
    }

    /// When the next statement is made, and by which client. `None` if no client is free, or if this is not before the time
    /// at which a statement that was sent arrives.
    pub(crate) fn take(&mut self, arrives: Option<i64>) -> Result<Option<(i64, usize)>> {
        let request = match self.next {
            Some(request) => request,
            None => self.requests.next_moment()?.unix_ticks(),
        };
        self.next = Some(request);
        let Some(&Reverse((free, client))) = self.free.peek() else { return Ok(None) };
        let made = request.max(free);
        if arrives.is_some_and(|arrives| arrives <= made) {
            return Ok(None);
        }
        self.free.pop();
        self.next = None;
        Ok(Some((made, client)))
    }

    /// The client is free again at this time.
    pub(crate) fn free(&mut self, client: usize, at: i64) {
        self.free.push(Reverse((at, client)));
    }
}
