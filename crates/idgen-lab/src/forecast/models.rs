//! The models: a row of a table for each database, and the trait that each model's settings implement.

use btree_model::{Server, Table};
use idgen_record::{Column, Database};
use serde::Serialize;

use super::load::key_bytes;
use super::{Load, PostgresSettings, SqliteSettings};
use crate::Result;
use crate::strategy::Strategy;

/// Settings of a server or a table as a command line gives them; `None` for those that are left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Bytes of the buffer pool or page cache.
    pub pool_bytes: Option<u64>,
    /// Bytes of a page.
    pub page_bytes: Option<u32>,
    /// Seconds between two checkpoints.
    pub checkpoint_secs: Option<u32>,
    /// Page reads and writes per second that the device can do.
    pub device_iops: Option<u32>,
}

/// A database that can be predicted, and what can be asked of its model.
#[derive(Debug)]
pub struct Model {
    /// The database.
    pub database: Database,
    /// The versions and the kind of table whose default settings the model has.
    pub about: &'static str,
    /// The speed of its device can be limited.
    pub has_device: bool,
    /// Pages can have several sizes.
    pub has_page_sizes: bool,
    /// It has a log, and checkpoints decide how much is logged.
    pub has_checkpoints: bool,
    /// The rows of a transaction change what it predicts.
    pub has_transactions: bool,
    /// Several clients can insert at the same time.
    pub has_clients: bool,
    /// Returns the settings of a server, with the defaults of the database for those that are left out.
    pub settings: fn(Options) -> Settings,
}

/// Every database that can be predicted. A new one is a row here, and its model.
pub static MODELS: [Model; 4] = [
    Model {
        database: Database::Sqlite,
        about: "SQLite 3: a table WITHOUT ROWID, one connection and a rollback journal",
        has_device: false,
        has_page_sizes: true,
        has_checkpoints: false,
        has_transactions: true,
        has_clients: false,
        settings: |options| {
            let SqliteSettings { pool_bytes, page_bytes } = SqliteSettings::default();
            Settings::Sqlite(SqliteSettings {
                pool_bytes: options.pool_bytes.unwrap_or(pool_bytes),
                page_bytes: options.page_bytes.unwrap_or(page_bytes),
            })
        },
    },
    Model {
        database: Database::MySql,
        about: "MySQL 8.4 to 9.7",
        settings: |options| innodb(Server::mysql, options),
        ..INNODB
    },
    Model {
        database: Database::MariaDb,
        about: "MariaDB 10.11, but with `innodb_flush_neighbors` off: with it on, random keys write twice the pages",
        settings: |options| innodb(Server::mariadb, options),
        ..INNODB
    },
    Model {
        database: Database::Postgres,
        about: "PostgreSQL 16 to 18: a heap with the index of its primary key, shared buffers, and the write-ahead log",
        has_device: true,
        has_page_sizes: false,
        has_checkpoints: true,
        has_transactions: false,
        has_clients: true,
        settings: |options| {
            let usual = PostgresSettings::default();
            Settings::Postgres(PostgresSettings {
                pool_bytes: options.pool_bytes.unwrap_or(usual.pool_bytes),
                checkpoint_secs: options.checkpoint_secs.unwrap_or(usual.checkpoint_secs),
                device_iops: options.device_iops,
                ..usual
            })
        },
    },
];

/// The properties that the models of MySQL and MariaDB share.
const INNODB: Model = Model {
    database: Database::MySql,
    about: "",
    has_device: true,
    has_page_sizes: false,
    has_checkpoints: false,
    has_transactions: true,
    has_clients: true,
    settings: |options| innodb(Server::mysql, options),
};

/// The pool of InnoDB if none is given: its own default.
const POOL_BYTES: u64 = 128 << 20;

fn innodb(server: fn(u64) -> Server, options: Options) -> Settings {
    let server = server(options.pool_bytes.unwrap_or(POOL_BYTES));
    Settings::InnoDb(Server { device_iops: options.device_iops, ..server })
}

impl Model {
    /// The model of a database; `None` if it has none.
    ///
    /// ```
    /// use idgen_lab::forecast::Model;
    /// use idgen_record::Database;
    ///
    /// let postgres = Model::of(Database::Postgres).unwrap();
    /// assert!(postgres.has_checkpoints && !postgres.has_transactions);
    /// ```
    pub fn of(database: Database) -> Option<&'static Model> {
        MODELS.iter().find(|model| model.database == database)
    }
}

/// The settings of the server or table of a load.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "engine", rename_all = "lowercase")]
pub enum Settings {
    /// MySQL or MariaDB.
    InnoDb(Server),
    /// SQLite.
    Sqlite(SqliteSettings),
    /// PostgreSQL.
    Postgres(PostgresSettings),
}

impl From<Server> for Settings {
    fn from(server: Server) -> Settings {
        Settings::InnoDb(server)
    }
}

impl From<SqliteSettings> for Settings {
    fn from(settings: SqliteSettings) -> Settings {
        Settings::Sqlite(settings)
    }
}

impl From<PostgresSettings> for Settings {
    fn from(settings: PostgresSettings) -> Settings {
        Settings::Postgres(settings)
    }
}

impl Settings {
    pub(super) fn modeled(&self) -> &dyn Modeled {
        match self {
            Settings::InnoDb(server) => server,
            Settings::Sqlite(settings) => settings,
            Settings::Postgres(settings) => settings,
        }
    }

    /// Bytes of the buffer pool, page cache or shared buffers.
    pub fn pool_bytes(&self) -> u64 {
        match self {
            Settings::InnoDb(server) => server.pool_bytes,
            Settings::Sqlite(settings) => settings.pool_bytes,
            Settings::Postgres(settings) => settings.pool_bytes,
        }
    }
}

/// The model of a database, as forecasts use it.
pub(super) trait Modeled {
    /// The name of the database, or of the engine of several.
    fn name(&self) -> &'static str;

    /// Refuses a strategy that the database cannot run.
    fn check(&self, strategy: &Strategy) -> Result<()>;

    /// The largest number of rows, with those that are there before, that the model takes for such a load.
    fn most_rows(&self, load: &Load) -> u64;

    /// Returns whether a key may begin with the number of a tenant.
    fn has_tenants(&self) -> bool {
        true
    }

    /// Bytes of a key as the tree stores it.
    fn key_bytes(&self, column: Column) -> u32 {
        key_bytes(column)
    }

    /// Returns whether new keys of one column can follow old keys of another in one table.
    fn shares_a_table(&self, old: Column, new: Column) -> bool {
        self.key_bytes(old) == self.key_bytes(new)
    }

    /// An empty table for the keys of this strategy, and the number of parts of which it follows one.
    ///
    /// # Errors
    /// The database cannot have such a table, or this machine has too little memory for it.
    fn table(&self, strategy: &Strategy, load: &Load) -> Result<(Box<dyn Table>, u32)>;

    /// Rows between two checkpoints, if the model has any.
    fn checkpoint_rows(&self, _: &Load) -> Option<u64> {
        None
    }

    /// Rows of a transaction, if none are given.
    fn commit_rows(&self) -> u64 {
        1
    }

    /// The settings in words, as part of the sentence that describes the load.
    fn describe(&self, load: &Load) -> String;
}
