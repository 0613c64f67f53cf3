//! A connection of a pool, and when it was last judged and used.

use std::time::Duration;

use sqlx::mysql::MySqlConnection;
use tokio::time::Instant;

use crate::connection::session::Seen;
use crate::table::identity::FRESH;

/// A result is acknowledged without another reading of the settings if the last one began at most this long ago: a call
/// begins with a reading that is fresh, and may then wait for other transactions.
const TRUSTED: Duration = FRESH.saturating_mul(2);

/// A connection that has been set up.
#[derive(Debug)]
pub(crate) struct Session {
    pub(super) connection: MySqlConnection,
    pub(super) seen: Seen,
    /// When the accepted reading of the settings began that its call rests on, by this connection or by another one.
    pub(super) judged: Instant,
    pub(super) used: Instant,
    /// The time of the last commit of a transaction.
    pub(super) committed: Option<Instant>,
}

impl Session {
    /// Returns true if the settings were read too long ago to acknowledge what a call has learned now.
    pub(crate) fn is_outdated(&self) -> bool {
        self.judged.elapsed() > TRUSTED
    }
}
