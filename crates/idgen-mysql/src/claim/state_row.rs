//! Changes the state row: one transaction that locks the row, changes it from what it read, reads it back, and commits.
//!
//! Nothing here depends on the last insert id that the server reports, which is 0 if the statement fires any trigger.

use crate::connection::nodes::{Nodes, PooledConnection, Take};
use crate::error::damaged;
use crate::error::failure::{Attempt, Failure};
use crate::statement::caller::Connection;
use crate::statement::sql::literal;
use crate::statement::values::Values;
use crate::table::schema::{State, VERSION};
use crate::table::tables::unquoted;

/// The settings that keep a commit in a crash.
const SAFE: &str = " AND @@GLOBAL.innodb_flush_log_at_trx_commit = 1 \
    AND (@@GLOBAL.log_bin = 0 OR @@GLOBAL.sync_binlog = 1)";

/// The result of a transaction that may change the row.
enum Outcome {
    Changed(State),
    /// Nothing was to be changed.
    Kept,
    /// The row is not of the map and the epoch that this client knows, or the server's settings have become unsafe.
    Unknown,
}

/// The row as it is to be, for the row as it is; `None` if it is to be kept.
type Decide<'a> = &'a (dyn Fn(&State) -> Attempt<Option<State>> + Send + Sync);

/// Changes the row's next id and epoch to those that `decide` returns for the row as it is, and returns the row as it was.
/// `None` if `decide` returns none. If the table of the pairs is named, it must hold the id that the row says it holds.
pub(crate) async fn exchange(
    pool: &Nodes,
    table: &str,
    map: Option<&str>,
    decide: Decide<'_>,
) -> Attempt<Option<State>> {
    let exchange =
        async |connection: &mut PooledConnection| exchange_on(pool, connection, table, map, decide).await;
    pool.attempt(Take::AtOnce, exchange).await
}

async fn exchange_on(
    pool: &Nodes,
    connection: &mut PooledConnection,
    table: &str,
    map: Option<&str>,
    decide: Decide<'_>,
) -> Attempt<Option<State>> {
    let mut transaction = connection.begin().await?;
    let outcome = exchange_in(pool, &mut pool.one_by_one(&mut *transaction), table, map, decide).await;
    if let Ok(Outcome::Changed(before)) = outcome {
        transaction.commit().await.map_err(Failure::of_commit)?;
        connection.note_end();
        return Ok(Some(before));
    }
    // An error of the rollback would only hide the cause.
    if transaction.rollback().await.is_ok() {
        connection.note_end();
    }
    match outcome? {
        Outcome::Changed(_) | Outcome::Kept => Ok(None),
        Outcome::Unknown => {
            // Reads the state again. This fails if the change makes the map unusable; otherwise the next attempt uses
            // the new state.
            connection.look_again().await?;
            Err(Failure::Contradicted("the state row was not the one that this client knew"))
        }
    }
}

async fn exchange_in<C: Connection>(
    pool: &Nodes,
    transaction: &mut C,
    table: &str,
    map: Option<&str>,
    decide: Decide<'_>,
) -> Attempt<Outcome> {
    let epoch = pool.identity().epoch();
    // A locking read sees the latest committed row, and no other client changes it before this commit.
    let read = format!("SELECT * FROM {table} WHERE one = 1 FOR UPDATE");
    let rows = transaction.read(read.clone()).await?;
    let Some(before) = only(table, &rows)? else { return Ok(Outcome::Unknown) };
    if !matches!(pool.identity().epoch_of(Some(&before)), Ok(Some(found)) if found == epoch) {
        return Ok(Outcome::Unknown);
    }
    if let Some(map) = map
        && let Some(problem) = lost(transaction, map, &before, "").await?
    {
        return Err(damaged(problem));
    }
    let Some(mut after) = decide(&before)? else { return Ok(Outcome::Kept) };
    if after.epoch == epoch {
        after.stored_id = after.stored_id.max(pool.identity().largest_stored());
    }
    let update = format!(
        "UPDATE {table} SET next_id = {}, epoch = {}, stored_id = {}, fence = {} WHERE one = 1 AND next_id = {}{}{}",
        after.next_id,
        after.epoch,
        after.stored_id,
        after.fence,
        before.next_id,
        same_map(pool, epoch),
        if pool.accept_unsafe() { "" } else { SAFE }
    );
    let (changed, rows) = transaction.read_after(&[update], read).await?;
    if changed != 1 {
        return Ok(Outcome::Unknown);
    }
    let stored = only(table, &rows)?;
    if stored.as_ref() == Some(&after) {
        return Ok(Outcome::Changed(before));
    }
    let (next, epoch) = (after.next_id, after.epoch);
    let found = stored.map_or("was missing".to_owned(), |state| {
        format!("had next_id = {} and epoch = {}", state.next_id, state.epoch)
    });
    Err(damaged(format!(
        "the map set next_id = {next} and epoch = {epoch} in {table}, and then the row {found}: a trigger or a view \
         changes what is stored there; remove it"
    )))
}

/// The problem of a map that does not hold the id that the state row says it holds; `None` if it does.
pub(crate) async fn lost<C: Connection>(
    connection: &mut C,
    map: &str,
    state: &State,
    lock: &str,
) -> Attempt<Option<String>> {
    let id = state.stored_id;
    if id == 0 {
        return Ok(None);
    }
    let rows = connection.read(format!("SELECT id FROM {map} WHERE id = {id}{lock}")).await?;
    Ok(rows.is_empty().then(|| lost_id(map, id)))
}

/// The words for a map that does not hold this id.
fn lost_id(map: &str, id: u64) -> String {
    let map = unquoted(map);
    format!(
        "{map} does not hold the id {id}, which was stored there: it was restored or replaced by an older copy; put the \
         right table back, or call fence (idgen map fence) with an id above every id that was ever assigned"
    )
}

/// The conditions under which the state row is changed, so that a statement does nothing on another map, such as one that an
/// operator put in its place, and nothing in another epoch.
pub(crate) fn same_map(pool: &Nodes, epoch: u64) -> String {
    let mut conditions = format!(" AND version = {VERSION} AND epoch = {epoch}");
    if let Some(map_id) = pool.identity().map_id() {
        conditions.push_str(&format!(" AND map_id = {}", literal(map_id)));
    }
    conditions
}

/// The state row among these rows, if there is one.
fn only(table: &str, rows: &[impl Values]) -> Attempt<Option<State>> {
    match rows {
        [] => Ok(None),
        [row] => State::of_row(row).map(Some),
        more => Err(damaged(format!("{table} has {} rows with one = 1: keep the right one", more.len()))),
    }
}
