//! Creating the tables of a map, and reading what a map is.

use uuid::Uuid;

use crate::call::retry::Retries;
use crate::connection::nodes::{PooledConnection, Take};
use crate::connection::server::ServerReport;
use crate::error::failure::{Attempt, Kind};
use crate::error::{Error, Result};
use crate::installed::{IdWidth, Index, Installed};
use crate::map::uuid_map::UuidMap;
use crate::table::{install, sharded};

impl UuidMap {
    /// Creates the tables, or checks existing ones. It is safe to call at every start, and by many clients at the same
    /// time.
    ///
    /// # Errors
    /// The server's settings may lose pairs, the user may not create tables, or existing tables have another layout, index
    /// or width than requested.
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn install(&self) -> Result<()> {
        if self.choices().read_only {
            let problem = "nothing can be installed: this client was opened with read_only".to_owned();
            return Err(Error::new(Kind::Config { problem }));
        }
        let (deadline, nodes) = self.begin();
        let make = async |connection: &mut PooledConnection| self.install_on(connection).await;
        // Creating tables may take long, especially on a cluster.
        let attempt = || nodes.long_attempt(Take::Queued, make);
        Retries::run(deadline, "install the map", attempt).await?;
        self.context().await.map(drop)
    }

    async fn install_on(&self, connection: &mut PooledConnection) -> Attempt<()> {
        let choices = self.choices();
        let wanted = Installed {
            index: choices.index.unwrap_or(Index::Unique),
            width: choices.width.unwrap_or(IdWidth::Bits64),
        };
        let tables = self.tables_on(connection).await?;
        if wanted.index == Index::Dedup {
            let instead = "its claims and pairs would be on different shards; use the index unique";
            sharded::refuse(&tables, "the index dedup", instead)?;
        }
        match &tables.places {
            Some(places) => sharded::install(connection, &tables, places, wanted).await,
            None => install::install(connection, &tables, wanted).await,
        }
    }

    /// The kind of the server, and which of its settings may lose pairs; for a cluster, those of the node in use. Each
    /// connection reads them when it is made, and once a second while it is used.
    ///
    /// # Errors
    /// The server cannot be asked, or endangers the promise and [`Builder::accept_unsafe_server`](crate::Builder::accept_unsafe_server) was not
    /// chosen; of several nodes, none that can be reached keeps it.
    pub async fn server_report(&self) -> Result<ServerReport> {
        let (deadline, nodes) = self.begin();
        let connection = Retries::run(deadline, "read the server's settings", || nodes.acquire()).await?;
        Ok(connection.report().clone())
    }

    /// The id of this map: chosen at random when it was installed, and the same on every server that holds it. Compare it to
    /// check that two addresses lead to the same map.
    ///
    /// # Errors
    /// The map is not installed or not readable.
    pub async fn map_id(&self) -> Result<Uuid> {
        let context = self.context().await?;
        context
            .pool
            .identity()
            .map_id()
            .ok_or_else(|| Error::new(Kind::NotInstalled { table: context.tables.state.clone() }))
    }

    /// Returns the index with which the installed map keeps pairs unique.
    ///
    /// # Errors
    /// The map is not installed or not readable.
    pub async fn index(&self) -> Result<Index> {
        Ok(self.context().await?.installed.index)
    }

    /// Returns the width of the ids of the installed map.
    ///
    /// # Errors
    /// The map is not installed or not readable.
    pub async fn id_width(&self) -> Result<IdWidth> {
        Ok(self.context().await?.installed.width)
    }
}
