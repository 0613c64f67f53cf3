//! Operations for operators: a table was renamed or dropped, or a UUID is erased.

use std::collections::HashSet;

use sqlx::{AssertSqlSafe, Executor};
use uuid::Uuid;

use crate::call::retry::Retries;
use crate::connection::nodes::{PooledConnection, Take};
use crate::error::failure::{Attempt, Failure, Kind};
use crate::error::{Error, Result};
use crate::map::uuid_map::UuidMap;
use crate::statement::caller::Connection;
use crate::statement::values::Values;
use crate::sync::log::{self, Names};
use crate::sync::shape::{Table, is_plain};
use crate::sync::{Sync, check};

impl UuidMap {
    /// Tells the sync that a table was renamed, so that its old changes are not applied again under the new name. Call it after
    /// `RENAME TABLE`, before devices send changes. It may be called again.
    ///
    /// # Errors
    /// Changes were applied to a table of the new name already, or the server fails.
    pub async fn rename_synced(&self, from: &str, to: &str) -> Result<()> {
        const ACTION: &str = "rename a table of the sync";
        for name in [from, to] {
            if !is_plain(name) {
                let problem = format!("{name:?} is not the name of a table of a sync");
                return Err(Error::new(Kind::Config { problem }));
            }
        }
        let names = self.sync_names(ACTION).await?;
        let known = self.logged(ACTION, &names).await?;
        if known.contains(&from.to_owned()) && known.contains(&to.to_owned()) {
            let problem = format!(
                "changes of both {from} and {to} were applied: if {to} is a new table, and not the one that was {from}, drop \
                 {from} from the sync instead"
            );
            return Err(Error::new(Kind::Config { problem }));
        }
        self.change_log(ACTION, &log::rename(&names, from, to)).await
    }

    /// Removes what the sync knows about a table that was dropped: the numbers of its rows, and references to them. If devices
    /// still have its rows, and a table of this name is made again, the rows come back.
    ///
    /// # Errors
    /// The server fails.
    pub async fn drop_synced(&self, table: &str) -> Result<()> {
        const ACTION: &str = "drop a table of the sync";
        if !is_plain(table) {
            let problem = format!("{table:?} is not the name of a table of a sync");
            return Err(Error::new(Kind::Config { problem }));
        }
        let names = self.sync_names(ACTION).await?;
        self.change_log(ACTION, &log::remove(&names, table)).await
    }

    /// The tables of which changes were applied.
    async fn logged(&self, action: &'static str, names: &Names) -> Result<Vec<String>> {
        let (deadline, nodes) = self.begin();
        let read = async |connection: &mut PooledConnection| {
            check(connection, names).await?;
            log::tables(&mut **connection, names).await
        };
        Retries::run(deadline, action, async || nodes.attempt(Take::AtOnce, read).await).await
    }

    /// Runs statements in one transaction, which may be repeated.
    async fn change_log(&self, action: &'static str, statements: &[String]) -> Result<()> {
        let (deadline, nodes) = self.begin();
        let change = async |connection: &mut PooledConnection| {
            let mut transaction = connection.begin().await?;
            for statement in statements {
                transaction.execute(sqlx::raw_sql(AssertSqlSafe(statement.clone()))).await?;
            }
            transaction.commit().await.map_err(Failure::of_commit)?;
            connection.note_end();
            Ok(())
        };
        Retries::run(deadline, action, async || nodes.long_attempt(Take::AtOnce, change).await).await
    }
}

impl Sync {
    /// Erases a UUID as [`UuidMap::forget`] does, and remembers a digest of it, for [`Intake::refuse_forgotten`].
    /// Returns the integer that it had. Delete the row first, and its copies on devices: a device that sends the row
    /// again creates it again unless the rules refuse it.
    ///
    /// The digest does not reveal a UUID that has random bits. One of version 1 or 6 can be found by trying all times.
    ///
    /// # Errors
    /// As for [`UuidMap::forget`].
    ///
    /// [`Intake::refuse_forgotten`]: crate::sync::Intake::refuse_forgotten
    pub async fn forget(&self, uuid: Uuid) -> Result<Option<u64>> {
        // First, so that no device brings the row back in between.
        self.map.change_log("remember that a UUID is erased", &[log::erase(&self.names, uuid)]).await?;
        self.map.forget(uuid).await
    }
}

/// Fails if a table of the sync may be another one that was renamed: its old changes would be applied again.
pub(super) async fn refuse_renamed<C: Connection>(
    connection: &mut C,
    names: &Names,
    wanted: &[Table],
) -> Attempt<()> {
    let logged: HashSet<String> = log::tables(connection, names).await?.into_iter().collect();
    let new: Vec<&str> = wanted.iter().map(Table::name).filter(|name| !logged.contains(*name)).collect();
    if new.is_empty() || logged.is_empty() {
        return Ok(());
    }
    let mut gone: Vec<&String> = logged.iter().filter(|name| is_plain(name)).collect();
    gone.sort_unstable();
    let listed: Vec<String> = gone.iter().map(|name| format!("'{name}'")).collect();
    let there = format!(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name IN ({})",
        listed.join(",")
    );
    for row in &connection.read(there).await? {
        let name = row.text(0)?.unwrap_or_default();
        gone.retain(|gone| !gone.eq_ignore_ascii_case(&name));
    }
    let Some(from) = gone.first() else { return Ok(()) };
    let to = new.first().copied().unwrap_or_default();
    let problem = format!(
        "the sync has applied changes to {from}, which the schema does not have, and none to {}: if {from} was renamed, call \
         rename_synced (idgen map sync rename {from} {to}); otherwise its old changes would be applied again. If it was \
         dropped, call drop_synced (idgen map sync drop {from})",
        new.join(", ")
    );
    Err(Error::new(Kind::Config { problem }).into())
}
