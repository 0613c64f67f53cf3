//! Records the time at which the server inserted each row of each client, and computes the order of the rows.

use std::collections::VecDeque;

use idgen_record::Latency;

use crate::Result;
use crate::engine::Latencies;

/// The rows of a run in the order of their acknowledgments, with the times of their inserts as far as they are known.
pub(super) struct Arrived {
    /// The time at which the server inserted each row, on its own clock, in microseconds since 1970; `None`
    /// until it reports it.
    at: Vec<Option<i64>>,
    /// The statements of each client whose times are not known: the place of the first row in `at`, when its id was made,
    /// and the rows.
    waiting: Vec<VecDeque<Waiting>>,
    /// Microseconds by which the server's clock is ahead.
    ahead: i64,
    /// The times from making an id to its insert, and (`span`) from the first row of a statement to its last
    /// one.
    insert: Latencies,
    span: Latencies,
}

struct Waiting {
    place: usize,
    made: i64,
    rows: usize,
    /// Rows whose times are known, and the time of the first of them.
    known: usize,
    first: i64,
}

impl Arrived {
    pub(super) fn new(clients: u32, ahead: i64) -> Result<Arrived> {
        Ok(Arrived {
            at: Vec::new(),
            waiting: (0..clients).map(|_| VecDeque::new()).collect(),
            ahead,
            insert: Latencies::new()?,
            span: Latencies::new()?,
        })
    }

    /// The rows of a statement, whose first id was made at this time, were acknowledged.
    pub(super) fn acknowledged(&mut self, client: usize, made: i64, rows: usize) {
        let place = self.at.len();
        self.at.resize(place + rows, None);
        if let Some(waiting) = self.waiting.get_mut(client) {
            waiting.push_back(Waiting { place, made, rows, known: 0, first: 0 });
        }
    }

    /// The next rows of this client were inserted at these times.
    pub(super) fn inserted_at(&mut self, client: usize, micros: &[i64]) {
        let Some(waiting) = self.waiting.get_mut(client) else { return };
        for at in micros {
            let Some(statement) = waiting.front_mut() else { return };
            self.at[statement.place + statement.known] = Some(*at);
            if statement.known == 0 {
                statement.first = *at;
                self.insert.record_micros(since(statement.made + self.ahead, *at));
            }
            statement.known += 1;
            if statement.known == statement.rows {
                self.span.record_micros(since(statement.first, *at));
                waiting.pop_front();
            }
        }
    }

    /// Returns the times from id to insert, the times from the first to the last row of statements, and the
    /// places of the rows in the order of their inserts; `None` for each if any time is not known.
    pub(super) fn end(mut self) -> (Option<Latency>, Option<Latency>, Option<Vec<u32>>) {
        let known: Option<Vec<i64>> = self.at.into_iter().collect();
        let Some(known) = known.filter(|known| !known.is_empty()) else { return (None, None, None) };
        self.insert.lap();
        self.span.lap();
        let mut order: Vec<u32> = (0..known.len() as u32).collect();
        // Stable: rows of one microsecond keep the order of their acknowledgments.
        order.sort_by_key(|place| known[*place as usize]);
        (Some(self.insert.laps()), Some(self.span.laps()), Some(order))
    }
}

/// The microseconds from one time to another, at least one: two clocks may disagree by more than a fast insert takes.
fn since(earlier: i64, later: i64) -> u64 {
    u64::try_from(later.saturating_sub(earlier)).unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first client's statement was acknowledged first, but the second one's rows came between its own.
    #[test]
    fn rows_are_in_the_order_of_the_servers_clock() {
        let mut arrived = Arrived::new(2, 1_000).unwrap();
        arrived.acknowledged(0, 100, 3);
        arrived.acknowledged(1, 150, 2);
        arrived.inserted_at(1, &[1_210]);
        arrived.inserted_at(0, &[1_200, 1_220, 1_240]);
        arrived.inserted_at(1, &[1_230]);
        let (insert, span, order) = arrived.end();
        assert_eq!(order, Some(vec![0, 3, 1, 4, 2]));
        let (insert, span) = (insert.unwrap(), span.unwrap());
        assert_eq!((insert.p50_micros, insert.max_micros), (60, 100));
        assert_eq!((span.p50_micros, span.max_micros), (20, 40));
    }

    #[test]
    fn without_all_times_the_order_is_not_known() {
        let mut arrived = Arrived::new(1, 0).unwrap();
        arrived.acknowledged(0, 100, 2);
        arrived.inserted_at(0, &[120]);
        assert_eq!(arrived.end(), (None, None, None));
        assert_eq!(Arrived::new(1, 0).unwrap().end(), (None, None, None));
    }
}
