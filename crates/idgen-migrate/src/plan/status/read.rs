//! Reads the ledgers of a server.

use std::time::{Duration, Instant};

use super::data::Status;
use super::rate::Rates;
use crate::plan::{mysql, postgres};
use idgen_database::{Database, Error, Limits, Result, Session};

/// The longest time that a statement may take.
const STATEMENT_LIMIT: Duration = Duration::from_secs(30);

/// A session that only reads, and shows the plans of a server: of the schema or database that the URL names, or of all schemas of
/// MySQL and MariaDB if it names none.
pub struct Reader {
    session: Session,
    /// Only the plans of this schema.
    schema: Option<String>,
    rates: Rates,
}

impl Reader {
    /// Connects.
    ///
    /// # Errors
    ///
    /// The URL is of no server, or the server is not reached or refuses the connection.
    pub async fn open(url: &str) -> Result<Reader> {
        let limits = Limits {
            statement_time: STATEMENT_LIMIT,
            show_values: true,
            program: "idgen plan status",
            settings: &[],
        };
        if Database::of_scheme(&url.to_ascii_lowercase()).is_none() {
            return Err(Error::new("the URL must begin with mysql://, mariadb:// or postgres://"));
        }
        let mut session = Session::open(url, &limits).await?;
        let schema = match session.engine {
            Database::MySql | Database::MariaDb => mysql::status::schema(&mut session).await?,
            Database::Postgres | Database::Sqlite => None,
        };
        Ok(Reader { session, schema, rates: Rates::default() })
    }

    /// Reads the ledgers, in the order of the identities of their plans. From the second reading on, copies that are being made have a
    /// rate and a time left.
    ///
    /// # Errors
    ///
    /// A statement about the catalog was refused or took too long, or the connection was lost.
    pub async fn read(&mut self) -> Result<Vec<Status>> {
        // They are kept for reports, and a reader may read for days.
        self.session.statements.clear();
        let mut plans = match self.session.engine {
            Database::Postgres | Database::Sqlite => postgres::status::read(&mut self.session).await?,
            Database::MySql | Database::MariaDb => {
                mysql::status::read(&mut self.session, self.schema.as_deref()).await?
            }
        };
        let now = Instant::now();
        plans.iter_mut().for_each(|plan| self.rates.add_to(plan, now));
        Ok(plans)
    }

    /// Reads the ledger of one plan; `None` if it has none, because it has not begun, was undone or is finished.
    ///
    /// # Errors
    ///
    /// As for [`read`](Reader::read).
    pub async fn read_one(&mut self, id: &str) -> Result<Option<Status>> {
        Ok(self.read().await?.into_iter().find(|plan| plan.id == id))
    }

    /// Ends the connection.
    pub async fn close(self) {
        self.session.close().await;
    }
}
