//! The times in ids: their range, steps, and how far they are from the clock (RFC 9562 section 6.1).

use crate::place::{Place, Places, Point, pairs};

/// The times of one kind, in the units of its layout.
#[derive(Debug, PartialEq)]
pub(crate) struct Time {
    /// The earliest credible time.
    earliest: i64,
    /// Units in a millisecond.
    per_ms: u64,
    pub(crate) ids: u64,
    pub(crate) first: Option<u64>,
    pub(crate) last: u64,
    pub(crate) min: u64,
    pub(crate) max: u64,
    /// Ids with a time before what is credible, and after it.
    pub(crate) early: Places,
    pub(crate) late: Places,
    /// The number of times that differ from the one before.
    pub(crate) steps: u64,
    /// The largest step back and forward.
    pub(crate) back: u64,
    pub(crate) forward: u64,
    /// Runs of ids of which each has the millisecond after that of the one before: the longest, and its end.
    pub(crate) climb: (u64, Option<Place>),
    /// Ids that have the same time as the one before: the longest run.
    pub(crate) most_in_one: u64,
    /// The largest distances of ids ahead of the clock while reading, and behind it, in units.
    pub(crate) ahead: Option<(i64, Place)>,
    pub(crate) behind: Option<i64>,
    /// The runs of each stream, by its number: the ids of another stream do not continue them.
    runs: Vec<Run>,
}

/// The current runs of one stream.
#[derive(Clone, Debug, Default, PartialEq)]
struct Run {
    climbing: u64,
    /// Ids that have the same time as the one before.
    equal: u64,
    /// The distances of the first and of the last id ahead of the clock.
    leads: Option<(i64, i64)>,
}

impl Time {
    pub(crate) fn new(earliest: i64, per_ms: u64) -> Self {
        Time {
            earliest,
            per_ms,
            ids: 0,
            first: None,
            last: 0,
            min: u64::MAX,
            max: 0,
            early: Places::default(),
            late: Places::default(),
            steps: 0,
            back: 0,
            forward: 0,
            climb: (0, None),
            most_in_one: 0,
            ahead: None,
            behind: None,
            runs: Vec::new(),
        }
    }

    /// Adds ids; `latest` is the latest credible time, and `arrived` that of the clock after they were read: in units.
    pub(crate) fn push(
        &mut self,
        before: Option<Point>,
        points: &[Point],
        first: Place,
        latest: i64,
        arrived: Option<i64>,
    ) {
        let Some(&last) = points.last() else { return };
        self.ids += points.len() as u64;
        self.first.get_or_insert(points[0].time);
        self.last = last.time;
        let (mut min, mut max) = (u64::MAX, 0);
        for point in points {
            min = min.min(point.time);
            max = max.max(point.time);
        }
        self.min = self.min.min(min);
        self.max = self.max.max(max);
        if (min as i64) < self.earliest || max as i64 > latest {
            self.count_incredible(points, first, latest);
        }
        let stream = usize::from(first.stream);
        if self.runs.len() <= stream {
            self.runs.resize(stream + 1, Run::default());
        }
        let run = &mut self.runs[stream];
        for (index, a, b) in pairs(before, points) {
            if a.time == b.time {
                run.equal += 1;
                run.climbing = 0;
                continue;
            }
            self.most_in_one = self.most_in_one.max(run.equal + 1);
            run.equal = 0;
            self.steps += 1;
            if b.time < a.time {
                self.back = self.back.max(a.time - b.time);
            } else {
                self.forward = self.forward.max(b.time - a.time);
            }
            run.climbing = if b.time.wrapping_sub(a.time) == self.per_ms { run.climbing + 1 } else { 0 };
            if run.climbing > self.climb.0 {
                self.climb = (run.climbing, Some(first.after(index)));
            }
        }
        self.most_in_one = self.most_in_one.max(run.equal + 1);
        if let Some(now) = arrived {
            self.compare(points, first, now);
        }
    }

    #[cold]
    fn count_incredible(&mut self, points: &[Point], first: Place, latest: i64) {
        for (index, point) in points.iter().enumerate() {
            if (point.time as i64) < self.earliest {
                self.early.add(first.after(index));
            } else if point.time as i64 > latest {
                self.late.add(first.after(index));
            }
        }
    }

    /// Compares ids with the clock. An id that was read already was made earlier, so it cannot be ahead.
    fn compare(&mut self, points: &[Point], first: Place, now: i64) {
        let lead = |point: &Point| point.time as i64 - now;
        for (index, point) in points.iter().enumerate() {
            let lead = lead(point);
            if self.ahead.is_none_or(|(most, _)| lead > most) {
                self.ahead = Some((lead, first.after(index)));
            }
            self.behind = Some(self.behind.map_or(-lead, |most| most.max(-lead)));
        }
        let leads = &mut self.runs[usize::from(first.stream)].leads;
        let since = leads.map_or_else(|| lead(&points[0]), |(since, _)| since);
        *leads = points.last().map(|last| (since, lead(last)));
    }

    /// The distance by which the ids of one stream moved ahead of the clock: the largest one of all streams, in units.
    pub(crate) fn drift(&self) -> Option<i64> {
        let drifts = self.runs.iter().filter_map(|run| run.leads).map(|(first, last)| last - first);
        drifts.max_by_key(|drift| drift.abs())
    }

    /// From the earliest time to the latest, in units.
    pub(crate) fn span(&self) -> u64 {
        self.max.saturating_sub(self.min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Place = Place { stream: 0, line: 1 };

    fn points(times: &[u64]) -> Vec<Point> {
        times.iter().map(|&time| Point { time, tail: 0 }).collect()
    }

    fn of(times: &[u64]) -> Time {
        let mut time = Time::new(10, 1);
        let points = points(times);
        // In pieces of two, so that pairs over their ends count too.
        let mut before = None;
        for (index, piece) in points.chunks(2).enumerate() {
            time.push(before, piece, START.after(2 * index), 1_000, None);
            before = piece.last().copied();
        }
        time
    }

    #[test]
    fn steps_and_ranges_are_those_of_the_sequence() {
        let time = of(&[100, 100, 100, 130, 90, 91, 92, 93, 5, 2_000]);
        assert_eq!((time.first, time.last, time.min, time.max), (Some(100), 2_000, 5, 2_000));
        assert_eq!((time.back, time.forward, time.steps), (88, 1_995, 7));
        assert_eq!(time.climb, (3, Some(START.after(7))));
        assert_eq!(time.most_in_one, 3);
        assert_eq!((time.early.count, time.late.count), (1, 1));
        assert_eq!(time.early.first, [START.after(8)]);
        assert_eq!(time.span(), 1_995);
    }

    #[test]
    fn a_run_that_ends_the_input_counts() {
        assert_eq!(of(&[20, 30, 30, 30, 30]).most_in_one, 4);
        assert_eq!(of(&[20]).most_in_one, 1);
    }

    #[test]
    fn ids_are_compared_with_the_clock() {
        let mut time = Time::new(0, 1);
        time.push(None, &points(&[100, 104]), START, i64::MAX, Some(100));
        time.push(None, &points(&[103, 90]), START.after(2), i64::MAX, Some(105));
        assert_eq!((time.ahead, time.behind), (Some((4, START.after(1))), Some(15)));
        assert_eq!(time.drift(), Some(-15));
    }

    /// Pieces of several streams take turns, as those of generators that run at the same time.
    #[test]
    fn runs_are_those_of_one_stream() {
        let mut time = Time::new(0, 1);
        for round in 0..3 {
            for stream in 0..8 {
                let before = (round > 0).then(|| Point { time: 2 * round + 1, tail: 0 });
                let now = 1_000 * i64::from(stream) + 2 * round as i64;
                let first = Place { stream, line: 1 + 2 * round };
                time.push(before, &points(&[2 * round + 2, 2 * round + 3]), first, i64::MAX, Some(now));
            }
        }
        assert_eq!(time.climb, (5, Some(Place { stream: 0, line: 6 })));
        assert_eq!((time.most_in_one, time.drift()), (1, Some(1)));
        for stream in 8..10 {
            time.push(None, &points(&[9, 9, 9]), Place { stream, line: 1 }, i64::MAX, None);
        }
        assert_eq!(time.most_in_one, 3);
    }
}
