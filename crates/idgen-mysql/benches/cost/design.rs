//! What is compared: the map, the published functions, common repairs of them, and the insert of a schema
//! that has no UUIDs to map.

use std::sync::atomic::{AtomicU64, Ordering};

use idgen_mysql::{Index, UuidMap};
use sqlx::mysql::{MySqlConnection, MySqlPool, MySqlPoolOptions};
use sqlx::{AssertSqlSafe, Connection, Executor};
use uuid::Uuid;

use crate::Failure;

/// Which UUIDs come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Random,
    /// A prefix for each client, ascending within: what prefixed ids with an ascending tail are.
    Bucket,
}

impl Order {
    pub fn name(self) -> &'static str {
        match self {
            Order::Random => "random",
            Order::Bucket => "bucket-ordered",
        }
    }
}

/// A way to store what came.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Design {
    /// An AUTO_INCREMENT key and a payload of 16 bytes: what everything is measured by.
    Plain,
    /// A table with nothing but a BINARY(16) key: how many pages such keys touch at least.
    Key,
    Map(Index),
    /// The rows that the map stores, in the tables that it makes, by the plainest SQL: what the server itself takes.
    Floor(Index),
    /// A published stored function, by its name in [`idgen_server::reference`].
    Function(&'static str),
    /// `ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id)`, the best of the common repairs.
    OnDuplicate,
    /// An experiment: unique on 64 bits of a hash instead of the UUID, ids from the client, no way out of a
    /// collision. What an index of this kind could reach at most.
    Compact,
}

const PLAIN: &str = "CREATE TABLE plain (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, \
    payload BINARY(16) NOT NULL) ENGINE=InnoDB";
const KEYED: &str = "CREATE TABLE keyed (uuid BINARY(16) NOT NULL PRIMARY KEY) ENGINE=InnoDB";
const REPAIRED: &str = "CREATE TABLE repaired (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, \
    uuid BINARY(16) NOT NULL, UNIQUE KEY uuid (uuid)) ENGINE=InnoDB";
// The hash is kept in the index alone, as the 32 bits of the index `dedup` are.
const COMPACT: &str = "CREATE TABLE compact (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, \
    uuid BINARY(16) NOT NULL, hash BINARY(8) AS (LEFT(UNHEX(SHA2(uuid, 256)), 8)) VIRTUAL, \
    UNIQUE KEY hash (hash)) ENGINE=InnoDB";

const PAIRS: &str = "INSERT INTO uuid_map (id, uuid) VALUES ";

impl Design {
    pub fn name(self) -> String {
        match self {
            Design::Plain => "plain insert".to_owned(),
            Design::Key => "the key alone".to_owned(),
            Design::Map(index) => format!("map, {index}"),
            Design::Floor(index) => format!("plain SQL, {index}"),
            Design::Function(function) => function.replace("reference_", "published function, "),
            Design::OnDuplicate => "ON DUPLICATE KEY UPDATE".to_owned(),
            Design::Compact => "64-bit hash (experiment)".to_owned(),
        }
    }

    /// Its tables, the one with the pairs first.
    pub fn tables(self) -> &'static [&'static str] {
        match self {
            Design::Plain => &["plain"],
            Design::Key => &["keyed"],
            Design::Map(Index::Dedup) | Design::Floor(Index::Dedup) => {
                &["uuid_map", "uuid_map_claim", "uuid_map_state"]
            }
            Design::Map(_) | Design::Floor(_) => &["uuid_map", "uuid_map_state"],
            Design::Function("reference_dedup") => &["uuid_to_id", "dedup"],
            Design::Function(_) => &["uuid_to_id"],
            Design::OnDuplicate => &["repaired"],
            Design::Compact => &["compact"],
        }
    }
}

/// A design at work in a schema.
pub struct Store {
    design: Design,
    pub pool: MySqlPool,
    map: Option<UuidMap>,
    /// The same map for [`load`](Store::load), while the server is not durable.
    loader: Option<UuidMap>,
    next: AtomicU64,
}

impl Store {
    /// Makes its tables.
    pub async fn open(design: Design, url: &str, clients: u64) -> Result<Store, Failure> {
        // A map's claim and the clearing of its claims may each need a connection.
        let most = u32::try_from(clients)? + 1;
        let mut options = MySqlPoolOptions::new().max_connections(most).test_before_acquire(false);
        if let Design::Function(_) = design {
            options = options.after_connect(|connection, _| {
                Box::pin(async { connection.execute(sqlx::raw_sql(LIMIT_CALLS)).await.map(drop) })
            });
        }
        let pool = options.connect(url).await?;
        let (mut map, mut loader) = (None, None);
        match design {
            Design::Plain => {
                pool.execute(PLAIN).await?;
            }
            Design::Key => {
                pool.execute(KEYED).await?;
            }
            Design::OnDuplicate => {
                pool.execute(REPAIRED).await?;
            }
            Design::Compact => {
                pool.execute(COMPACT).await?;
            }
            Design::Function(_) => {
                for statement in idgen_server::reference::statements() {
                    pool.execute(sqlx::raw_sql(statement)).await?;
                }
            }
            Design::Map(index) => {
                // Without a front cache: a repeat asks the server, as after a restart of the client.
                let builder = || UuidMap::builder().cache(0).index(index);
                let made = builder().with_pool(&pool)?;
                made.install().await?;
                map = Some(made);
                loader = Some(builder().accept_unsafe_server(true).with_pool(&pool)?);
            }
            Design::Floor(index) => {
                let made = UuidMap::builder().index(index).with_pool(&pool)?;
                made.install().await?;
                made.close().await?;
            }
        }
        Ok(Store { design, pool, map, loader, next: AtomicU64::new(1) })
    }

    /// Stores UUIDs: a single one by a call or a statement prepared before, several by one of many rows.
    /// Gives how many the server took.
    pub async fn put(&self, uuids: &[Uuid]) -> Result<u64, Failure> {
        let mut connection = self.pool.acquire().await?;
        self.put_on(&mut connection, uuids).await
    }

    /// The same on a connection of the caller's. The map has its own connections. A pool of sqlx would test a
    /// connection after each statement.
    pub async fn put_on(&self, connection: &mut MySqlConnection, uuids: &[Uuid]) -> Result<u64, Failure> {
        if let Some(map) = &self.map {
            match uuids {
                [uuid] => drop(map.id_of(*uuid).await?),
                many => drop(map.ids_of(many).await?),
            }
            return Ok(uuids.len() as u64);
        }
        if let Design::Function(function) = self.design {
            let mut taken = 0;
            for uuid in uuids {
                taken += u64::from(call(connection, function, *uuid).await?);
            }
            return Ok(taken);
        }
        // The order of the index, in which the map stores them too.
        let mut sorted;
        let mut uuids = uuids;
        if let Design::Floor(_) = self.design {
            sorted = uuids.to_vec();
            sorted.sort_unstable();
            uuids = &sorted;
        }
        if self.design == Design::Floor(Index::Dedup) {
            let mut transaction = connection.begin().await?;
            insert(&mut transaction, "INSERT INTO uuid_map_claim (uuid) VALUES ", "", None, uuids).await?;
            insert(&mut transaction, PAIRS, "", Some(self.ids(uuids)), uuids).await?;
            transaction.commit().await?;
            return Ok(uuids.len() as u64);
        }
        let (head, tail) = match self.design {
            Design::OnDuplicate => {
                ("INSERT INTO repaired (uuid) VALUES ", " ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id)")
            }
            Design::Key => ("INSERT INTO keyed (uuid) VALUES ", ""),
            Design::Compact => ("INSERT INTO compact (id, uuid) VALUES ", ""),
            Design::Floor(_) => (PAIRS, ""),
            _ => ("INSERT INTO plain (payload) VALUES ", ""),
        };
        let first = match self.design {
            Design::Compact | Design::Floor(_) => Some(self.ids(uuids)),
            _ => None,
        };
        insert(connection, head, tail, first, uuids).await?;
        Ok(uuids.len() as u64)
    }

    /// The first of as many ids as there are UUIDs, which follow it.
    fn ids(&self, uuids: &[Uuid]) -> u64 {
        self.next.fetch_add(uuids.len() as u64, Ordering::Relaxed)
    }

    /// Stores many UUIDs with the result that [`put`](Store::put) has, in a quicker way where there is one.
    pub async fn load(&self, uuids: &[Uuid]) -> Result<(), Failure> {
        if let Design::Function(_) = self.design {
            let rows: Vec<String> = uuids.iter().map(|uuid| format!("('{uuid}')")).collect();
            let insert = format!("INSERT INTO uuid_to_id (uuid) VALUES {}", rows.join(","));
            self.pool.execute(sqlx::raw_sql(AssertSqlSafe(insert))).await?;
            return Ok(());
        }
        if let Some(loader) = &self.loader {
            return Ok(loader.ids_of(uuids).await.map(drop)?);
        }
        self.put(uuids).await.map(drop)
    }

    /// Ends the loading: the map continues with the ids that the loader did not use.
    pub async fn loaded(&self) -> Result<(), Failure> {
        if let Some(loader) = &self.loader {
            loader.close().await?;
        }
        Ok(())
    }

    /// Stores UUIDs that are stored already. The published functions refuse them, by their design.
    pub async fn repeat(&self, uuids: &[Uuid]) -> Result<(), Failure> {
        if let Design::Function(function) = self.design {
            for uuid in uuids {
                let call = sqlx::query(AssertSqlSafe(format!("SELECT {function}(?)")));
                match self.pool.execute(call.bind(uuid.to_string())).await {
                    Err(error) if has_state(&error, DUPLICATE) => {}
                    Err(error) => return Err(error.into()),
                    Ok(_) => return Err(format!("{function} took {uuid} twice").into()),
                }
            }
            return Ok(());
        }
        self.put(uuids).await.map(drop)
    }
}

/// Stores UUIDs by one statement, with ids from `first` on where the client chooses them.
async fn insert(
    connection: &mut MySqlConnection,
    head: &str,
    tail: &str,
    first: Option<u64>,
    uuids: &[Uuid],
) -> Result<(), Failure> {
    if let [uuid] = uuids {
        let row = if first.is_some() { "(?, ?)" } else { "(?)" };
        let mut insert = sqlx::query(AssertSqlSafe(format!("{head}{row}{tail}")));
        if let Some(id) = first {
            insert = insert.bind(id);
        }
        connection.execute(insert.bind(&uuid.as_bytes()[..])).await?;
        return Ok(());
    }
    let row = |(at, uuid): (usize, &Uuid)| match first {
        Some(first) => format!("({},x'{}')", first + at as u64, uuid.simple()),
        None => format!("(x'{}')", uuid.simple()),
    };
    let rows: Vec<String> = uuids.iter().enumerate().map(row).collect();
    let insert = format!("{head}{}{tail}", rows.join(","));
    connection.execute(sqlx::raw_sql(AssertSqlSafe(insert))).await?;
    Ok(())
}

/// Calls a published function as a client has to call it to store its pair; returns whether the pair was stored.
async fn call(connection: &mut MySqlConnection, function: &str, uuid: Uuid) -> Result<bool, Failure> {
    loop {
        let call = sqlx::query(AssertSqlSafe(format!("SELECT {function}(?)")));
        match connection.execute(call.bind(uuid.to_string())).await {
            // The purges of two callers lock each other out.
            Err(error) if has_state(&error, DEADLOCK) => {}
            // A new UUID whose 32-bit hash another one had a moment ago: refused, by its design.
            Err(error) if has_state(&error, DUPLICATE) && function == "reference_dedup" => {
                return Ok(false);
            }
            Err(error) if has_state(&error, TIMEOUT) => return Ok(false),
            done => return Ok(done.map(|_| true)?),
        }
    }
}

/// SQLSTATE of a duplicate key, of a deadlock, and of a call that [`LIMIT_CALLS`] has ended.
const DUPLICATE: &str = "23000";
const DEADLOCK: &str = "40001";
const TIMEOUT: &str = "70100";

/// On MariaDB one call of the published dedup function took minutes. MySQL, which
/// cannot end a statement that writes, reads the second half as a comment.
const LIMIT_CALLS: &str = "SET SESSION lock_wait_timeout = 60 /*M! , SESSION max_statement_time = 2 */";

fn has_state(error: &sqlx::Error, state: &str) -> bool {
    error.as_database_error().is_some_and(|error| error.code().as_deref() == Some(state))
}

/// The UUIDs of one client.
pub struct Source {
    order: Order,
    next: u128,
}

impl Source {
    pub fn new(order: Order, client: u64) -> Source {
        // The client's number keeps two prefixes apart that happen to begin alike.
        let prefix = u128::from(fastrand::u16(..)) << 112 | u128::from(client) << 96;
        Source { order, next: prefix }
    }

    pub fn take(&mut self, count: usize) -> Vec<Uuid> {
        let one = || match self.order {
            Order::Random => Uuid::from_u128(fastrand::u128(..)),
            Order::Bucket => {
                self.next += 1;
                Uuid::from_u128(self.next)
            }
        };
        std::iter::repeat_with(one).take(count).collect()
    }
}
