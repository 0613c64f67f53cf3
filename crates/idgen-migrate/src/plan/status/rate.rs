//! The rate of a copy and its time left, from two readings of its progress.

use std::collections::HashMap;
use std::time::Instant;

use super::data::Status;

/// The first reading of each copy that was not finished.
#[derive(Default)]
pub(super) struct Rates(HashMap<(String, String), First>);

struct First {
    at: Instant,
    rows: u64,
    part: f64,
}

impl Rates {
    /// Adds rates and times left to a reading of this moment.
    pub(super) fn add_to(&mut self, plan: &mut Status, now: Instant) {
        for copy in &mut plan.tables {
            let key = (plan.id.clone(), copy.table.clone());
            let part = copy.part.unwrap_or_default();
            if copy.is_finished {
                self.0.remove(&key);
                continue;
            }
            let first = self.0.entry(key).or_insert(First { at: now, rows: copy.rows, part });
            if copy.rows < first.rows || part < first.part {
                // It began again.
                *first = First { at: now, rows: copy.rows, part };
            }
            let seconds = now.duration_since(first.at).as_secs_f64();
            let (rows, parts) = (copy.rows - first.rows, part - first.part);
            if seconds > 0.0 && rows > 0 {
                copy.rows_per_second = Some(rows as f64 / seconds);
            }
            if seconds > 0.0 && parts > 0.0 {
                copy.seconds_left = Some(((1.0 - part).max(0.0) * seconds / parts).ceil() as u64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::plan::data::Engine;
    use crate::plan::status::data::Copied;

    fn reading(rows: u64, is_finished: bool) -> Status {
        let copy = Copied {
            table: "orders".into(),
            rows,
            of_rows: Some(1_000),
            part: Some(rows as f64 / 1_000.0),
            is_finished,
            rows_per_second: None,
            seconds_left: None,
        };
        Status {
            id: "k3f9x2ab".into(),
            engine: Engine::MySql,
            schema: "shop".into(),
            target: "binary16".into(),
            tables: vec![copy],
            steps: Vec::new(),
            session: None,
            next: None,
            blocked: Vec::new(),
            unread: Vec::new(),
        }
    }

    #[test]
    fn a_rate_needs_two_readings_of_the_same_copy() {
        let (mut rates, begin) = (Rates::default(), Instant::now());
        let mut at = |seconds, rows, is_finished| {
            let mut plan = reading(rows, is_finished);
            rates.add_to(&mut plan, begin + Duration::from_secs(seconds));
            (plan.tables[0].rows_per_second, plan.tables[0].seconds_left)
        };
        assert_eq!(at(0, 200, false), (None, None));
        assert_eq!(at(2, 400, false), (Some(100.0), Some(6)));
        assert_eq!(at(3, 400, false).1, Some(9));
        // The copy began again.
        assert_eq!(at(4, 0, false), (None, None));
        assert_eq!(at(5, 500, false), (Some(500.0), Some(1)));
        assert_eq!(at(6, 1_000, true), (None, None));
    }
}
