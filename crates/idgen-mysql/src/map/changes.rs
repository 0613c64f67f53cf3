//! Following a map that is in use: each pair once, whatever the order in which ids are committed.
//!
//! Ids are reserved in blocks, so a low id may be committed long after a higher one. A position "above id N" would
//! miss it. The position here is the set of ids that were not seen yet, as ranges: whatever is committed later is
//! in one of them.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use uuid::Uuid;

use crate::claim::pair::CHUNK;
use crate::error::failure::Kind;
use crate::error::{Error, Result};
use crate::map::uuid_map::UuidMap;
use crate::table::marker::is_marker;

const ACTION: &str = "read the map's changes";

/// Ranges in one statement: the server's optimizer takes memory for each.
const RANGES_AT_ONCE: usize = 200;

/// The position of a reader of [`changes`](UuidMap::changes): the ids that it has not seen. The default is the
/// beginning.
///
/// Its text form, for a file or a table, is a list of ranges separated by commas. The last range has no end.
///
/// ```
/// use idgen_mysql::Position;
///
/// let position: Position = "7,129-256,300-".parse()?;
/// assert_eq!(position.to_string(), "7,129-256,300-");
/// assert_eq!(Position::default().to_string(), "1-");
/// # Ok::<(), idgen_mysql::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Ascending, with gaps between them; the last ends at `u64::MAX`.
    unseen: Vec<RangeInclusive<u64>>,
}

impl Default for Position {
    fn default() -> Position {
        Position { unseen: vec![1..=u64::MAX] }
    }
}

impl Position {
    /// The ranges without the ids in `seen`, which are in ascending order.
    fn without(&self, seen: impl IntoIterator<Item = u64>) -> Position {
        let mut unseen = Vec::with_capacity(self.unseen.len());
        let mut seen = seen.into_iter().peekable();
        for range in &self.unseen {
            let mut start = *range.start();
            while let Some(id) = seen.next_if(|id| id <= range.end()) {
                if id > start {
                    unseen.push(start..=id - 1);
                }
                start = id + 1;
            }
            if start <= *range.end() {
                unseen.push(start..=*range.end());
            }
        }
        Position { unseen }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, range) in self.unseen.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            match (*range.start(), *range.end()) {
                (start, u64::MAX) => write!(f, "{comma}{start}-")?,
                (start, end) if start == end => write!(f, "{comma}{start}")?,
                (start, end) => write!(f, "{comma}{start}-{end}")?,
            }
        }
        Ok(())
    }
}

impl FromStr for Position {
    type Err = Error;

    fn from_str(text: &str) -> Result<Position> {
        let wrong = || {
            let problem = format!(
                "{text:?} is not a position: write ranges of ids in ascending order, the last without an end, as in 7,129-256,300-"
            );
            Error::new(Kind::Config { problem })
        };
        let mut unseen: Vec<RangeInclusive<u64>> = Vec::new();
        for part in text.trim().split(',') {
            let number = |digits: &str| digits.parse::<u64>().map_err(|_| wrong());
            let range = match part.split_once('-') {
                None => number(part)?..=number(part)?,
                Some((start, "")) => number(start)?..=u64::MAX,
                Some((start, end)) => number(start)?..=number(end)?,
            };
            let above = unseen.last().is_none_or(|last| last.end() < range.start());
            if range.is_empty() || *range.start() == 0 || !above {
                return Err(wrong());
            }
            unseen.push(range);
        }
        match unseen.last() {
            Some(last) if *last.end() == u64::MAX => Ok(Position { unseen }),
            _ => Err(wrong()),
        }
    }
}

impl UuidMap {
    /// The pairs that were committed since a position, at most about `most` of them, and the position after them.
    /// An empty list means that there are no further pairs at the moment.
    ///
    /// Each pair is returned exactly once, even if its id is lower than ids that were returned before: see [`Position`].
    /// Store the position together with the result of processing the pairs. Pairs whose UUIDs were
    /// [forgotten](UuidMap::forget) before they were read are not returned, and a later call does not report that a UUID
    /// was forgotten. A position has a range for each run of ids that are reserved and not used. Clients that
    /// [close](UuidMap::close) leave fewer of these.
    ///
    /// ```no_run
    /// # async fn example(map: idgen_mysql::UuidMap) -> idgen_mysql::Result<()> {
    /// let mut position = idgen_mysql::Position::default();
    /// loop {
    ///     let (pairs, next) = map.changes(&position, 10_000).await?;
    ///     if pairs.is_empty() {
    ///         break;
    ///     }
    ///     for (id, uuid) in pairs {
    ///         println!("{id} {uuid}");
    ///     }
    ///     position = next;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The map is not installed, or the server fails for longer than the [timeout](crate::Builder::timeout).
    pub async fn changes(&self, since: &Position, most: usize) -> Result<(Vec<(u64, Uuid)>, Position)> {
        let mut position = since.clone();
        let mut pairs = Vec::new();
        for ranges in since.unseen.chunks(RANGES_AT_ONCE) {
            let mut from = *ranges[0].start();
            while pairs.len() < most {
                let page = self.unseen_page(ranges, from).await?;
                position = position.without(page.iter().map(|(id, _)| *id));
                let full = page.len() == CHUNK;
                from = page.last().map_or(from, |(id, _)| id + 1);
                pairs.extend(page.into_iter().filter(|(_, uuid)| !is_marker(*uuid)));
                if !full {
                    break;
                }
            }
        }
        Ok((pairs, position))
    }

    async fn unseen_page(&self, ranges: &[RangeInclusive<u64>], from: u64) -> Result<Vec<(u64, Uuid)>> {
        let context = self.context().await?;
        let conditions: Vec<String> = ranges
            .iter()
            .filter(|range| *range.end() >= from)
            .map(|range| match (*range.start().max(&from), *range.end()) {
                (start, u64::MAX) => format!("id >= {start}"),
                (start, end) => format!("id BETWEEN {start} AND {end}"),
            })
            .collect();
        if conditions.is_empty() {
            return Ok(Vec::new());
        }
        let statement = format!(
            "SELECT id, uuid FROM {} WHERE {} ORDER BY id LIMIT {CHUNK}",
            context.tables.map,
            conditions.join(" OR ")
        );
        context.read_all(ACTION, &statement).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seen_ids_are_removed_from_the_ranges() {
        let position = Position::default().without([1, 2, 5]);
        assert_eq!(position.to_string(), "3-4,6-");
        assert_eq!(position.without([4, 6, 7, 1000]).to_string(), "3,8-999,1001-");
        assert_eq!(position.without([]), position);
        assert_eq!(position.without([3, 4]).to_string(), "6-");
    }

    #[test]
    fn text_that_is_not_a_position_is_refused() {
        for text in ["1-", "7,129-256,300-", "2-3,5,9-\n"] {
            assert_eq!(text.parse::<Position>().unwrap().to_string(), text.trim());
        }
        for text in ["", "-", "7", "1-5", "5-1,9-", "0-", "3-,9-", "9-10,10-", "x-", "1-2-", "1,,5-"] {
            let error = text.parse::<Position>().unwrap_err();
            assert!(error.to_string().contains("is not a position"), "{error}");
        }
    }
}
