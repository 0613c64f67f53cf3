//! Reads numbers that have names, such as status variables.

use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{Executor, Row};

use super::doing;
use crate::{Error, Result};

/// The numbers of a statement that returns a name and a number in each row.
pub(super) struct Status(Vec<(String, u64)>);

impl Status {
    pub(super) async fn read(connection: &mut MySqlConnection, sql: &'static str) -> Result<Status> {
        let failed = doing("read the server's counters");
        let rows = connection.fetch_all(sql).await.map_err(&failed)?;
        let one = |row: MySqlRow| {
            let text = |place: usize| row.try_get_unchecked::<String, _>(place).map_err(&failed);
            Ok((text(0)?, number(&text(1)?)?))
        };
        rows.into_iter().map(one).collect::<Result<_>>().map(Status)
    }

    pub(super) fn get(&self, wanted: &str) -> Result<u64> {
        let found = self.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| *value).ok_or_else(|| {
            Error::engine("the server's counters are incomplete", format!("no status variable {wanted}"))
        })
    }
}

pub(super) fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|error| Error::engine(format!("the server counts \"{text}\", not a number"), error))
}
