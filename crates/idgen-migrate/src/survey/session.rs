//! The session of a survey.

pub(crate) use idgen_database::{Cell, Refused, Rows, Session};
pub use idgen_database::{Database as Engine, Statement};
use idgen_database::{Limits, Result};

use crate::survey::options::Options;

/// Statements about the catalog may take this many times the limit of other statements: there are a dozen of them, and on a server with
/// many tables they take seconds.
const CATALOG_TIMES: u32 = 12;

/// Samples are ranges of an index, also where statistics are old.
const PLANNER: &[(&str, &str)] =
    &[("enable_seqscan", "off"), ("enable_bitmapscan", "off"), ("enable_sort", "off")];

/// Connects, with the limits of statements about the catalog.
pub(crate) async fn open(url: &str, options: &Options) -> Result<Session> {
    let limits = Limits {
        statement_time: options.statement_time.saturating_mul(CATALOG_TIMES),
        show_values: options.show_values,
        program: "idgen survey",
        settings: PLANNER,
    };
    Session::open(url, &limits).await
}
