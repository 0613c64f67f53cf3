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
    pub(crate) fn connection(&self) -> &MySqlConnection {
        &self.connection
    }

    pub(crate) fn connection_mut(&mut self) -> &mut MySqlConnection {
        &mut self.connection
    }

    pub(crate) fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Returns true if the settings were read too long ago to acknowledge what a call has learned now.
    pub(crate) fn is_outdated(&self) -> bool {
        self.judged.elapsed() > TRUSTED
    }

    /// Records that a transaction was committed.
    pub(crate) fn note_commit(&mut self) {
        self.committed = Some(Instant::now());
    }

    /// When a transaction was last committed, if one was.
    pub(crate) fn committed(&self) -> Option<Instant> {
        self.committed
    }

    /// Records that the connection was used until now.
    pub(crate) fn put_down(&mut self) {
        self.used = Instant::now();
    }
}
