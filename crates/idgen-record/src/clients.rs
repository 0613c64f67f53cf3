//! Figures of the clients of a run: the time from making an id to its insert, and the place of the insert in
//! the table.

use serde::{Deserialize, Serialize};

use crate::totals::Latency;

/// The figures of the clients of a run. A figure is `None` where the run did not measure it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clients {
    /// The time from making the first id of a statement until the server inserted the row of this id, on the server's clock;
    /// under a simulated clock, until the insert that was drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insert: Option<Latency>,
    /// The time from the insert of the first row of a statement until that of its last one, on the server's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Latency>,
    /// The time from making the first id of a statement until the statement was acknowledged, where clients make ids
    /// immediately before they insert them. The rows arrived within this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Latency>,
    /// The distance of inserted rows from the right edge of the table; `None` where the order of the keys is
    /// not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge: Option<Edge>,
    /// The writes to the server during the run by clients that are not the lab's; `None` where they were not
    /// counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others: Option<Others>,
    /// The share of the asked pace at which rows were inserted, from 0 to 1, where there was a pace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pace_kept: Option<f64>,
}

/// The work of clients that are not the lab's, which the counters of a server include.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Others {
    /// Statements that write, or on PostgreSQL rows that were written to other databases.
    pub writes: u64,
    /// Sessions that were running a statement at the end of the run.
    pub sessions: u64,
}

impl Clients {
    /// `None` where nothing is known.
    #[must_use]
    pub fn or_nothing(self) -> Option<Self> {
        (self != Clients::default()).then_some(self)
    }
}

/// The number of rows with a greater key in the table at each insert. Rows come in the order of the server's
/// clock at each row if the run has the time from id to insert, otherwise in the order of the
/// acknowledgments.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The share of the rows, from 0 to 1, that had the greatest key of the table.
    pub at_edge: f64,
    /// The median.
    pub p50_rows: u64,
    /// The 95th percentile.
    pub p95_rows: u64,
    /// The 99th percentile.
    pub p99_rows: u64,
}
