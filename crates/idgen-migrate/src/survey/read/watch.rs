//! A second reading of the tables: how many rows were inserted meanwhile, and where.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::survey::judge::arrival::Arrival;
use crate::survey::read::sample::{Sample, Value, bound};
use crate::survey::schema::{Catalog, Table};
use crate::survey::session::{Cell, Engine, Session};
use crate::survey::sql;

/// New rows are at the right edge if this share of them is.
const MOST: f64 = 0.9;

/// The inserts into a table between two readings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Watched {
    /// Seconds between them.
    pub seconds: f64,
    /// Rows that were inserted, as the server counts them.
    pub inserted: Option<u64>,
    /// Rows behind the last key of the first look: those at the right edge.
    pub at_right_edge: u64,
    /// True if there may be more than these.
    pub or_more: bool,
    /// Rows that came to the ranges of the first sample, less those that were deleted there.
    pub in_sample: u64,
    /// Rows that the sample had.
    pub sampled: u64,
}

impl Watched {
    /// Inserts per second: as the server counts them, or at the right edge.
    pub fn inserts_per_second(&self) -> Option<f64> {
        let at_right_edge = (!self.or_more && self.in_sample == 0).then_some(self.at_right_edge);
        let rows = self.inserted.or(at_right_edge.filter(|&rows| rows > 0))?;
        Some(rows as f64 / self.seconds)
    }

    /// Returns the place at which new rows arrive, if the two readings show it.
    pub(crate) fn arrival(&self) -> Option<Arrival> {
        let edge = self.at_right_edge as f64;
        match self.inserted {
            Some(inserted) if !self.or_more && inserted >= 10 => {
                let share = edge / inserted as f64;
                match share {
                    _ if share >= MOST => Some(Arrival::RightEdge),
                    _ if self.in_sample > 0 && share <= 1.0 - MOST => Some(Arrival::Scattered),
                    _ => None,
                }
            }
            _ if edge >= 10.0 && self.in_sample == 0 => Some(Arrival::RightEdge),
            _ if self.in_sample > 0 && edge < self.in_sample as f64 => Some(Arrival::Scattered),
            _ => None,
        }
    }
}

/// The data of the first reading that the second one needs.
pub(crate) struct Watch {
    begin: Instant,
    counted: Counts,
}

/// Inserts by schema and table.
type Counts = HashMap<(String, String), u64>;

impl Watch {
    pub(crate) async fn begin(session: &mut Session, unseen: &mut Vec<String>) -> Watch {
        let (begin, counted) = (Instant::now(), counts(session).await);
        if counted.is_none() {
            unseen.push(match session.engine {
                Engine::MySql | Engine::MariaDb => {
                    "the server's count of inserts: it needs performance_schema, and SELECT on \
                     performance_schema.table_io_waits_summary_by_table"
                        .to_owned()
                }
                Engine::Postgres => {
                    "the server's count of inserts: a standby counts none, so watch the primary; nor does a server with \
                     track_counts = off"
                        .to_owned()
                }
                Engine::Sqlite => "a count of inserts: SQLite has none".to_owned(),
            });
        }
        Watch { begin, counted: counted.unwrap_or_default() }
    }

    /// Waits, and looks again. One statement for each table with a sample and a key of one column.
    pub(crate) async fn end(
        self,
        session: &mut Session,
        catalog: &Catalog,
        samples: &[Option<&Sample>],
        wait: Duration,
    ) -> Vec<Option<Watched>> {
        tokio::time::sleep_until((self.begin + wait).into()).await;
        let inserted = inserted(&self.counted, &counts(session).await.unwrap_or_default());
        let mut watched = Vec::new();
        for (table, sample) in catalog.tables.iter().zip(samples) {
            let seconds = self.begin.elapsed().as_secs_f64();
            let inserted = inserted.get(&(table.schema.clone(), table.name.clone())).copied();
            watched.push(match sample {
                Some(sample) => look(session, table, sample, (seconds, inserted)).await,
                None => None,
            });
        }
        watched
    }
}

/// Inserts of each table between two counts. There are none if a count is smaller than before: the server started again, or
/// somebody reset its counters.
fn inserted(before: &Counts, after: &Counts) -> Counts {
    let is_reset = before.iter().any(|(name, rows)| after.get(name).is_some_and(|now| now < rows));
    if before.is_empty() || is_reset {
        return Counts::new();
    }
    let since = |(name, now): (&(String, String), &u64)| (name.clone(), now - before.get(name).unwrap_or(&0));
    after.iter().map(since).collect()
}

/// Inserts of each table since the server started, where it counts them.
async fn counts(session: &mut Session) -> Option<Counts> {
    let sql = match session.engine {
        Engine::MySql | Engine::MariaDb => {
            "SELECT OBJECT_SCHEMA, OBJECT_NAME, CAST(COUNT_INSERT AS CHAR) \
             FROM performance_schema.table_io_waits_summary_by_table WHERE @@performance_schema = 1 \
             AND OBJECT_SCHEMA IS NOT NULL AND (DATABASE() IS NULL OR OBJECT_SCHEMA = DATABASE())"
        }
        Engine::Postgres => {
            // A standby, which does not count what it gets from its primary, shows zeros, and so does a server that counts nothing.
            "SELECT schemaname::text, relname::text, n_tup_ins::text FROM pg_stat_user_tables \
             WHERE NOT pg_is_in_recovery() AND current_setting('track_counts') = 'on'"
        }
        Engine::Sqlite => return None,
    };
    let rows = session.rows("inserts of each table", sql, &[]).await.ok()?;
    let count = |row: &Vec<Cell>| {
        let [schema, table, count] = &row[..] else { return None };
        Some(((schema.text()?, table.text()?), count.text()?.parse().ok()?))
    };
    let counts: Counts = rows.iter().filter_map(count).collect();
    (!counts.is_empty()).then_some(counts)
}

/// Counts the rows behind the last key, up to as many as the sample has, and those in the ranges of the sample.
async fn look(
    session: &mut Session,
    table: &Table,
    sample: &Sample,
    (seconds, inserted): (f64, Option<u64>),
) -> Option<Watched> {
    let engine = session.engine;
    let [column] = table.identity()?.columns[..] else { return None };
    let key = Some(&table.columns[column]).filter(|key| key.is_builtin)?;
    let name = sql::name(engine, &key.name);
    let from = sql::rows_of(engine, table);
    let mut binds: Vec<Value> = Vec::new();
    let mut parameter = |value: &Value| {
        binds.push(value.clone());
        sql::parameter(engine, key, binds.len())
    };
    let last = &sample.bounds.last()?.last;
    let most = sample.rows.len().max(1_000);
    let behind = format!("SELECT 1 FROM {from} WHERE {name} > {} LIMIT {most}", parameter(last));
    let ranges: Vec<String> = sample
        .bounds
        .iter()
        .map(|range| {
            let (first, last) = (parameter(&range.first), parameter(&range.last));
            format!("(SELECT COUNT(*) FROM {from} WHERE {name} BETWEEN {first} AND {last})")
        })
        .collect();
    let text = |count: &str| match engine {
        Engine::MySql | Engine::MariaDb => format!("CAST({count} AS CHAR)"),
        Engine::Postgres => format!("({count})::text"),
        Engine::Sqlite => count.to_owned(),
    };
    let sql = format!(
        "SELECT {}, {}",
        text(&format!("(SELECT COUNT(*) FROM ({behind}) AS behind)")),
        text(&ranges.join(" + "))
    );
    let binds: Vec<Cell> = binds.into_iter().map(|value| bound(engine, value)).collect();
    let rows = session.rows(&format!("new rows of {}", table.shown()), &sql, &binds).await.ok()?;
    let number = |at: usize| rows.first()?.get(at)?.text()?.parse::<u64>().ok();
    let (at_right_edge, now) = (number(0)?, number(1)?);
    let sampled = sample.bounds.iter().map(|range| range.rows).sum();
    Some(Watched {
        seconds,
        inserted,
        at_right_edge,
        or_more: at_right_edge >= most as u64,
        in_sample: now.saturating_sub(sampled),
        sampled,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(inserted: Option<u64>, at_right_edge: u64, in_sample: u64) -> Watched {
        Watched {
            seconds: 2.0,
            inserted,
            at_right_edge,
            or_more: at_right_edge >= 1_000,
            in_sample,
            sampled: 1_000,
        }
    }

    #[test]
    fn inserts_are_unknown_if_the_counters_were_reset() {
        let counts = |of: &[(&str, u64)]| -> Counts {
            of.iter().map(|&(table, rows)| (("shop".to_owned(), table.to_owned()), rows)).collect()
        };
        let before = counts(&[("orders", 20), ("users", 5)]);
        let after = counts(&[("orders", 30), ("users", 5), ("new", 3)]);
        assert_eq!(inserted(&before, &after), counts(&[("orders", 10), ("users", 0), ("new", 3)]));
        assert_eq!(inserted(&before, &counts(&[("orders", 30), ("users", 4)])), counts(&[]));
        assert_eq!(inserted(&before, &counts(&[("orders", 30)])), counts(&[("orders", 10)]));
        assert_eq!(inserted(&counts(&[]), &after), counts(&[]));
    }

    #[test]
    fn two_looks_show_where_rows_arrive_or_nothing() {
        let arrival = |inserted, edge, inside| watched(inserted, edge, inside).arrival();
        assert_eq!(arrival(Some(100), 95, 0), Some(Arrival::RightEdge));
        assert_eq!(arrival(Some(100), 2, 5), Some(Arrival::Scattered));
        assert_eq!(arrival(Some(100), 50, 5), None);
        assert_eq!(arrival(Some(5), 5, 0), None);
        assert_eq!(arrival(None, 40, 0), Some(Arrival::RightEdge));
        assert_eq!(arrival(None, 0, 7), Some(Arrival::Scattered));
        assert_eq!(arrival(None, 0, 0), None);
        assert_eq!(
            arrival(Some(5_000), 1_000, 0),
            Some(Arrival::RightEdge),
            "more than were counted at the edge"
        );
    }

    #[test]
    fn a_rate_is_counted_and_never_guessed() {
        assert_eq!(watched(Some(100), 3, 2).inserts_per_second(), Some(50.0));
        assert_eq!(watched(None, 40, 0).inserts_per_second(), Some(20.0));
        assert_eq!(watched(None, 1_000, 0).inserts_per_second(), None);
        assert_eq!(watched(None, 0, 7).inserts_per_second(), None);
    }
}
