//! The session of the planning, which only reads and leaves nothing behind.

use std::time::Duration;

use crate::plan::data::Engine;
use idgen_database::{Cell, Database, Error, Limits, Result};

/// Values as text; NULL is the empty text.
pub(super) type Rows = Vec<Vec<String>>;

pub(super) struct Session {
    session: idgen_database::Session,
    pub(super) engine: Engine,
    /// Major, minor, patch.
    pub(super) version: [u32; 3],
}

impl Session {
    pub(super) async fn open(url: &str, limit: Duration) -> Result<Session> {
        let limits =
            Limits { statement_time: limit, show_values: true, program: "idgen plan", settings: &[] };
        let session = idgen_database::Session::open(url, &limits).await?;
        let engine = if session.engine == Database::MariaDb { Engine::MariaDb } else { Engine::MySql };
        let version = numbers(&session.version);
        Ok(Session { session, engine, version })
    }

    pub(super) async fn rows(&mut self, sql: &str) -> Result<Rows> {
        self.session.read_fresh_statistics();
        match self.session.rows("the planning", sql, &[]).await {
            Ok(rows) => Ok(rows.iter().map(|row| Cell::texts(row)).collect()),
            Err(refused) => Err(Error::new(format!("the server refused \"{sql}\": {}", refused.why))),
        }
    }

    /// The first value of the first row; the empty text if there is none.
    pub(super) async fn text(&mut self, sql: &str) -> Result<String> {
        let rows = self.rows(sql).await?;
        Ok(rows.into_iter().next().and_then(|row| row.into_iter().next()).unwrap_or_default())
    }

    pub(super) async fn close(self) {
        self.session.close().await;
    }
}

fn numbers(version: &str) -> [u32; 3] {
    let mut parts = version.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    #[test]
    fn versions_are_read() {
        assert_eq!(super::numbers("9.7.4-2"), [9, 7, 4]);
        assert_eq!(super::numbers("10.11.18-MariaDB-0+deb12u1"), [10, 11, 18]);
    }
}
