//! Rows that devices made with UUIDs, written with the integers of the map: each change exactly once, in the caller's
//! transaction.
//!
//! ```no_run
//! use idgen_mysql::UuidMap;
//! use idgen_mysql::sync::{Change, Outcome, Table};
//! use uuid::Uuid;
//!
//! # async fn example(map: UuidMap, pool: sqlx::MySqlPool, list: Uuid, item: Uuid)
//! #     -> Result<(), Box<dyn std::error::Error>> {
//! map.install_sync().await?;
//! let sync = map.sync(&[Table::new("lists"), Table::new("items")]).await?;
//! let batch = [
//!     Change::put("items", item, 1, [("list_id", list.into()), ("title", "milk".into())]),
//!     Change::put("lists", list, 1, [("title", "shopping".into())]),
//! ];
//! let mut transaction = pool.begin().await?;
//! let answer = sync.apply(&mut transaction, &batch).await?;
//! transaction.commit().await?;
//! assert_eq!(answer.outcomes()[0], Outcome::Applied { repeated: false });
//! assert!(answer.ids().contains_key(&item));
//! # Ok(())
//! # }
//! ```

mod altered;
mod apply;
mod catalog;
mod change;
mod circle;
mod exchange;
mod expression;
mod fits;
mod holder;
mod intake;
mod known_changes;
mod log;
mod mode;
mod open;
mod packet;
mod park;
mod prepare;
mod proof;
mod round;
mod shape;
mod tables;
mod targets;
mod trouble;
mod write;
mod writer;

use std::sync::{Arc, PoisonError, RwLock};

use crate::call::retry::Retries;
use crate::connection::nodes::{PooledConnection, Take};
use crate::error::Result;
use crate::error::failure::Attempt;
use crate::installed::IdWidth;
use crate::map::uuid_map::UuidMap;
use crate::statement::caller::Connection;
use crate::table::definition;
use crate::table::sharded;
use altered::Definitions;
pub use change::{Answer, Change, Operation, Outcome, Value};
pub use intake::Intake;
pub use known_changes::KnownChanges;
use log::Names;
pub use open::OpenReference;
use shape::Shape;
pub use shape::Table;

/// Words that the definitions of the sync's own tables must have.
const KEYS: [[&str; 2]; 2] =
    [["PRIMARY KEY (`tbl`,`id`)", "ENGINE=InnoDB"], ["PRIMARY KEY (`tbl`,`id`,`col`)", "ENGINE=InnoDB"]];
const INSTALL: &str = "install_sync (idgen map sync install)";

/// The tables as they were read last.
#[derive(Clone, Debug)]
struct Known {
    shapes: Arc<[Shape]>,
    /// The definitions that the server showed before the shapes were read.
    definitions: Arc<Definitions>,
}

/// Applies the changes of devices to tables of one schema. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sync {
    map: UuidMap,
    wanted: Arc<[Table]>,
    width: IdWidth,
    known: Arc<RwLock<Known>>,
    names: Names,
    intake: Intake,
}

impl UuidMap {
    /// Creates the two tables of the sync, or checks the existing ones. It is safe to call at every start. The map must be
    /// installed.
    ///
    /// # Errors
    /// The map is not installed, the user may not create tables, or a table has other keys
    /// ([`is_schema`](crate::Error::is_schema)).
    pub async fn install_sync(&self) -> Result<()> {
        const ACTION: &str = "install the tables of the sync";
        let (deadline, nodes) = self.begin();
        let names = self.sync_names(ACTION).await?;
        Retries::run(deadline, ACTION, async || {
            nodes.long_attempt(Take::AtOnce, async |connection| create(connection, &names).await).await
        })
        .await
    }

    /// A sync of these tables. Their keys, and the columns that refer to other tables of the sync, are read from the schema
    /// and checked.
    ///
    /// # Errors
    /// The tables of the sync are not [installed](Self::install_sync), or a table cannot be synced: it does not exist, its
    /// primary key has several columns, is `AUTO_INCREMENT` or cannot hold the map's integers, its storage engine is not InnoDB,
    /// a column refers to something else than a key, or the table may be one that was [renamed](Self::rename_synced).
    pub async fn sync(&self, tables: &[Table]) -> Result<Sync> {
        const ACTION: &str = "read the tables of the sync";
        let names = self.sync_names(ACTION).await?;
        let width = self.id_width().await?;
        let (deadline, nodes) = self.begin();
        let read = async || {
            let read = async |connection: &mut PooledConnection| {
                check(connection, &names).await?;
                let read = read(&mut **connection, tables, width).await?;
                tables::refuse_renamed(&mut **connection, &names, tables).await?;
                Ok(read)
            };
            nodes.attempt(Take::AtOnce, read).await
        };
        let known = Arc::new(RwLock::new(Retries::run(deadline, ACTION, read).await?));
        Ok(Sync { map: self.clone(), wanted: tables.into(), width, known, names, intake: Intake::default() })
    }

    async fn sync_names(&self, action: &str) -> Result<Names> {
        let context = self.context().await?;
        sharded::refuse(&context.tables, "a sync", "keep the rows on a server of their own")?;
        context.writable(&format!("cannot {action}"))?;
        Ok(Names { rows: context.tables.row.clone(), open: context.tables.open.clone() })
    }
}

impl Sync {
    /// Other rules than those of [`Intake::default`].
    #[must_use]
    pub fn intake(mut self, intake: Intake) -> Sync {
        self.intake = intake;
        self
    }

    /// The tables in the order in which rows are written: their keys, which columns refer to which table, and the other
    /// columns, as text.
    pub fn describe(&self) -> String {
        self.shapes().iter().map(|shape| format!("{shape}\n")).collect()
    }

    fn shapes(&self) -> Arc<[Shape]> {
        self.known().shapes
    }

    fn known(&self) -> Known {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, known: Known) {
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
    }
}

/// Reads the tables, and their definitions before.
async fn read<C: Connection>(connection: &mut C, wanted: &[Table], width: IdWidth) -> Attempt<Known> {
    let names: Vec<&str> = wanted.iter().map(Table::name).filter(|name| shape::is_plain(name)).collect();
    let definitions = altered::definitions(connection, &names).await;
    // It says better what is wrong with a table that is not there.
    let shapes = shape::read(connection, wanted, width).await?.into();
    Ok(Known { shapes, definitions: definitions?.into() })
}

async fn create(connection: &mut PooledConnection, names: &Names) -> Attempt<()> {
    for statement in names.definitions() {
        definition::run(connection, statement).await?;
    }
    check(connection, names).await
}

async fn check(connection: &mut PooledConnection, names: &Names) -> Attempt<()> {
    for (table, keys) in [&names.rows, &names.open].into_iter().zip(KEYS) {
        definition::check(connection, table, &keys, INSTALL).await?;
    }
    Ok(())
}
