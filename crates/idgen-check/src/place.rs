//! The place at which an id was read, and an id as its time and the rest.

use serde::Serialize;

/// The position of an id in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// The number of the stream, in the order of [`Checker::stream`](crate::Checker::stream); from 0.
    pub stream: u16,
    /// The number of the line or record in the stream; from 1.
    pub line: u64,
}

impl Place {
    /// The place of the id that is `ids` later in the same stream.
    pub(crate) fn after(self, ids: usize) -> Self {
        Place { line: self.line + ids as u64, ..self }
    }
}

/// The first few places where something was found, and how often it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) count: u64,
    pub(crate) first: Vec<Place>,
}

impl Places {
    /// More examples than these help nobody.
    const MOST: usize = 5;

    #[cold]
    pub(crate) fn add(&mut self, place: Place) {
        self.count += 1;
        if self.first.len() < Places::MOST {
            self.first.push(place);
        }
    }
}

/// An id as its time and the bits after it; without a time, all bits are in the tail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub(crate) time: u64,
    pub(crate) tail: u128,
}

/// Each point with the one before it: the first with that of the batch before, if there was one.
pub(crate) fn pairs(before: Option<Point>, points: &[Point]) -> impl Iterator<Item = (usize, Point, Point)> {
    let from = usize::from(before.is_none());
    let mut last = before.or(points.first().copied()).unwrap_or_default();
    points
        .iter()
        .enumerate()
        .skip(from)
        .map(move |(index, &point)| (index, std::mem::replace(&mut last, point), point))
}
