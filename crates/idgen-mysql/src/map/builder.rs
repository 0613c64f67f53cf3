//! Choices made before connecting.

use std::time::Duration;

use sqlx::MySqlPool;
use sqlx::mysql::MySqlConnectOptions;

use crate::connection::connector::Terms;
use crate::connection::node::Address;
use crate::connection::nodes::Nodes;
use crate::error::failure::Kind;
use crate::error::{Error, Result};
use crate::installed::{IdWidth, Index};
use crate::map::choices::Choices;
use crate::map::uuid_map::UuidMap;
use crate::table::identity::MapIdentity;
use crate::table::tables::Tables;

/// Builds a [`UuidMap`] with other choices than the defaults.
///
/// ```no_run
/// use idgen_mysql::{IdWidth, Index, UuidMap};
///
/// # async fn example() -> idgen_mysql::Result<()> {
/// let map = UuidMap::builder()
///     .table("order_ids")
///     .index(Index::Dedup)
///     .id_width(IdWidth::Bits32)
///     .cache(100_000)
///     .connect("mysql://app:secret@localhost/shop")
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder(Choices);

impl UuidMap {
    /// Connects to `mysql://user:password@host:port/schema`, with the defaults of [`Builder`].
    ///
    /// # Errors
    /// As for [`Builder::connect`].
    pub async fn connect(url: &str) -> Result<UuidMap> {
        UuidMap::builder().connect(url).await
    }

    /// Returns a builder for other choices than the defaults.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

impl std::str::FromStr for Index {
    type Err = Error;

    fn from_str(text: &str) -> Result<Index> {
        let problem = || format!("there is no index {text:?}: choose unique or dedup");
        Index::named(text).ok_or_else(|| Error::new(Kind::Config { problem: problem() }))
    }
}

impl Builder {
    /// The map's table; its companions are called `<table>_state`, `<table>_claim` and `<table>_sync`, and a map's name
    /// must not end like theirs. Reserved words are names too. Default: `uuid_map`.
    pub fn table(mut self, name: &str) -> Self {
        name.clone_into(&mut self.0.table);
        self
    }

    /// Sets the index that keeps pairs unique, when [installing](UuidMap::install): by default
    /// [`Index::Unique`]. On a map that is there, another index than this is an error.
    pub fn index(mut self, index: Index) -> Self {
        self.0.index = Some(index);
        self
    }

    /// Width of the ids, when [installing](UuidMap::install): by default [`IdWidth::Bits64`]. On a map that
    /// is there, another width than this is an error.
    pub fn id_width(mut self, width: IdWidth) -> Self {
        self.0.width = Some(width);
        self
    }

    /// Caches this many pairs, at about 60 bytes each; 0 for none. Default: 10,000.
    ///
    /// A pair is returned from the cache only if the client began to read the map's epoch at most a second ago; otherwise it
    /// reads the epoch first. So after a [fence](UuidMap::fence) no pair of before is returned, and a call for a cached
    /// UUID fails like any other if the server cannot be reached.
    pub fn cache(mut self, pairs: usize) -> Self {
        self.0.cache = pairs;
        self
    }

    /// The most ids reserved at once, and so the most that a crash of this client wastes. Default: 65,536.
    pub fn largest_block(mut self, ids: u64) -> Self {
        self.0.largest_block = ids.max(1);
        self
    }

    /// The time for which a call repeats attempts while the server fails temporarily, as in a failover, a restart or a deadlock. It
    /// limits all waits of the call together, including those for other calls. With less than a second, there is one
    /// attempt, which may take a second. A call with many UUIDs has this time for each group of up to 999. Default: 30
    /// seconds.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.0.timeout = limit;
        self
    }

    /// The most connections to each server. Default: 10.
    ///
    /// Calls may hold all of them while they wait for UUIDs that transactions have claimed. For statements that wait for no
    /// UUID, such as look-ups, the reservation of ids and the checks of
    /// [`id_of_within`](UuidMap::id_of_within), the map then makes up to two more.
    pub fn connections(mut self, most: u32) -> Self {
        self.0.connections = most.max(1);
        self
    }

    /// Uses a server even if it may lose acknowledged pairs in a crash. [`server_report`](UuidMap::server_report) lists the
    /// concerns.
    pub fn accept_unsafe_server(mut self, accept: bool) -> Self {
        self.0.accept_unsafe_server = accept;
        self
    }

    /// Writes nothing, so that the privilege SELECT is sufficient. Calls find ids, and fail for UUIDs that have none.
    ///
    /// The map then promises less on a server without a binary log, which is MariaDB's default. There a pair is visible a
    /// moment before it is on disk, and waiting for the disk needs a write. A pair that was found in that moment is lost if
    /// the server crashes then, and its UUID may get another id. With a binary log, every visible pair is on disk.
    ///
    /// ```no_run
    /// # async fn example() -> idgen_mysql::Result<()> {
    /// let map = idgen_mysql::UuidMap::builder().read_only(true).connect("mysql://reader@localhost/shop").await?;
    /// assert!(map.id_of(uuid::Uuid::max()).await.unwrap_err().is_config());
    /// # Ok(())
    /// # }
    /// ```
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.0.read_only = read_only;
        self
    }

    /// Lets an [import](UuidMap::import) use up the map's ids. New ids follow the largest one, so a single id near the
    /// end of the range leaves too few. Without this choice, an id in the last 5 % of the range is refused
    /// ([`is_exhausting`](Error::is_exhausting)), unless the map has come that far already.
    ///
    /// ```no_run
    /// # async fn example(url: &str, pairs: &[(u64, uuid::Uuid)]) -> idgen_mysql::Result<()> {
    /// let map = idgen_mysql::UuidMap::builder().allow_exhausting_import(true).connect(url).await?;
    /// map.import(pairs).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn allow_exhausting_import(mut self, allow: bool) -> Self {
        self.0.allow_exhausting_import = allow;
        self
    }

    /// Sets how long to wait for the answer to one statement. After this time the server counts as lost, and the statement is
    /// repeated, on the next node if there are several. A machine without power or network does not answer at all. A
    /// cluster answers late while it determines its members: see docs/clusters.md. Default: 10 seconds.
    pub fn answer_limit(mut self, limit: Duration) -> Self {
        self.0.answer_limit = limit;
        self
    }

    /// Connects to `mysql://user:password@host:port/schema`.
    ///
    /// # Errors
    /// The URL cannot be read, the server is not reached within the [timeout](Builder::timeout), nothing listens at its
    /// address for two seconds, or the table's name is not a plain name.
    pub async fn connect(self, url: &str) -> Result<UuidMap> {
        self.connect_any([url]).await
    }

    /// Connects to a cluster whose nodes hold the same data, such as Group Replication or Galera, by the URL
    /// of each. One node is in use at a time; calls move on to the next when it fails or takes no writes.
    ///
    /// ```no_run
    /// # async fn example() -> idgen_mysql::Result<()> {
    /// let nodes = ["mysql://app:secret@db1/shop", "mysql://app:secret@db2/shop"];
    /// let map = idgen_mysql::UuidMap::builder().connect_any(nodes).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// No URL is given or one cannot be read, no node is reached within the [timeout](Builder::timeout), nothing listens
    /// at any of the addresses for two seconds, or the table's name is not a plain name.
    pub async fn connect_any<U: AsRef<str>>(self, urls: impl IntoIterator<Item = U>) -> Result<UuidMap> {
        let addresses: Vec<Address> =
            urls.into_iter().map(|url| self.address(url.as_ref())).collect::<Result<_>>()?;
        if addresses.is_empty() {
            return Err(Error::new(Kind::Config { problem: "no connection URL is given".to_owned() }));
        }
        let map = self.with_addresses(addresses)?;
        map.reach().await?;
        Ok(map)
    }

    /// Connects to the server and schema of an existing pool, as the same user and with the same maximum number of
    /// [connections](Builder::connections). The map makes its own connections, because it sets them up and checks them. It does not use the
    /// pool's connections.
    ///
    /// # Errors
    /// The table's name is not a plain name.
    pub fn with_pool(self, pool: &MySqlPool) -> Result<UuidMap> {
        let options = plain(pool.connect_options().as_ref().clone());
        let address = Address { options, connections: pool.options().get_max_connections() };
        self.with_addresses(vec![address])
    }

    fn with_addresses(self, addresses: Vec<Address>) -> Result<UuidMap> {
        let tables = Tables::named(&self.0.table)?;
        let terms = Terms {
            identity: MapIdentity::new(tables.clone()),
            answer_limit: self.0.answer_limit,
            accept_unsafe: self.0.accept_unsafe_server,
            is_in_galera: true.into(),
        };
        Ok(UuidMap::new(Nodes::new(addresses, terms), tables, self.0))
    }

    fn address(&self, url: &str) -> Result<Address> {
        let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
        if !matches!(scheme, "mysql" | "mariadb") {
            let problem =
                format!("the connection URL begins with {scheme:?}: write mysql://user@host/schema");
            return Err(Error::new(Kind::Config { problem }));
        }
        // Otherwise the password would be cut off there, and its beginning taken for the host or port, which errors show.
        let authority = url.split_once("://").map_or("", |(_, rest)| rest);
        if authority.find(['/', '?', '#']).is_some_and(|end| authority[end..].contains('@')) {
            let problem =
                "the connection URL has an @ after its host: in a user name or password, write %40 for @, \
                           %2F for /, %3F for ? and %23 for #"
                    .to_owned();
            return Err(Error::new(Kind::Config { problem }));
        }
        let options: MySqlConnectOptions = url.parse().map_err(Error::once("read the connection URL"))?;
        Ok(Address { options: plain(options), connections: self.0.connections })
    }
}

/// The options without the settings that sqlx makes by default. The map does not need them, and Vitess does not parse
/// them.
fn plain(options: MySqlConnectOptions) -> MySqlConnectOptions {
    options.pipes_as_concat(false).no_engine_substitution(false).timezone(None)
}
