//! Creates missing tables, but never in place of tables that were lost.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use crate::error::Error;
use crate::error::failure::{Attempt, Failure, Kind};
use crate::installed::{Index, Installed};
use crate::statement::sql::literal;
use crate::table::schema::{self, EPOCHS, State, VERSION};
use crate::table::tables::{Tables, unquoted};

/// Creates what is missing. Several clients may do this at the same time: each statement is safe to repeat, and the state
/// row, which is written once, decides between clients with different choices.
///
/// After ids were assigned, neither the state nor the pairs are created again: an empty table in their place would give
/// known UUIDs other ids, or give ids out again.
pub(crate) async fn install(
    connection: &mut MySqlConnection,
    tables: &Tables,
    wanted: Installed,
) -> Attempt<()> {
    let Tables { map, claim, sync, .. } = tables;
    let name = unquoted(map);
    // The pairs are checked before the state, because clients that install at the same time write the state first.
    let pairs = holds_rows(connection, map).await?;
    if pairs == Some(true) && schema::state(connection, tables).await?.is_none() {
        return Err(lost(format!(
            "{name} holds pairs, but {} does not say which ids were assigned: restore it from a backup, with a \
             next_id above every id that was ever assigned",
            tables.state
        )));
    }
    let Some((found, state)) = install_state(connection, tables, wanted).await? else { return Ok(()) };
    if pairs.is_none() {
        if state.next_id > 1 && holds_rows(connection, map).await?.is_none() {
            return Err(lost(format!(
                "{name} is missing, although ids below {} were assigned: restore it from a backup",
                state.next_id
            )));
        }
        let id = found.width.column();
        let index = match found.index {
            Index::Unique => "UNIQUE KEY uuid (uuid)".to_owned(),
            Index::Dedup => "hash INT UNSIGNED AS (CRC32(uuid)) VIRTUAL, KEY hash (hash)".to_owned(),
        };
        let columns = format!("id {id} NOT NULL PRIMARY KEY, uuid BINARY(16) NOT NULL, {index}");
        create(connection, map, &columns).await?;
    }
    let above = format!(
        "SELECT MAX(id) FROM {map} HAVING MAX(id) >= (SELECT next_id FROM {} WHERE one = 1)",
        tables.state
    );
    if let Some(row) = connection.fetch_optional(sqlx::raw_sql(AssertSqlSafe(above))).await? {
        let id: u64 = row.try_get_unchecked(0)?;
        return Err(lost(format!(
            "{name} holds the id {id}, which is not below next_id in {}: call repair (idgen map repair), or, if the map was \
             restored from a backup, fence (idgen map fence) with an id above every id that was ever assigned",
            tables.state
        )));
    }
    if !found.width.can_be_next(state.next_id) {
        let (next, max) = (state.next_id, found.width.max_id());
        return Err(lost(format!(
            "the next id in {} is {next}, but ids of this map are 1 to {max}: call fence (idgen map fence) with an id above \
             every id that was ever assigned",
            tables.state
        )));
    }
    if state.epoch == 0 {
        return Err(lost(format!("the epoch in {} is 0: {EPOCHS}", tables.state)));
    }
    // The tables of claims and pushes hold nothing that must be kept.
    if found.index == Index::Dedup && holds_rows(connection, claim).await?.is_none() {
        create(connection, claim, CLAIM).await?;
    }
    if holds_rows(connection, sync).await?.is_none() {
        create(connection, sync, SYNC).await?;
    }
    Ok(())
}

const STATE: &str = "one TINYINT UNSIGNED NOT NULL PRIMARY KEY, version SMALLINT UNSIGNED NOT NULL, \
    strategy VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, id_bits TINYINT UNSIGNED NOT NULL, \
    next_id BIGINT UNSIGNED NOT NULL, map_id BINARY(16) NOT NULL, epoch BIGINT UNSIGNED NOT NULL, \
    stored_id BIGINT UNSIGNED NOT NULL DEFAULT 0, fence BIGINT UNSIGNED NOT NULL DEFAULT 0";
const CLAIM: &str = "uuid BINARY(16) NOT NULL PRIMARY KEY, turn TINYINT UNSIGNED NOT NULL DEFAULT 0";
const SYNC: &str = "slot TINYINT UNSIGNED NOT NULL PRIMARY KEY, pushes BIGINT UNSIGNED NOT NULL";

/// Creates the state row if it is missing, and returns it. `None` if it is of another version, which reading it reports.
pub(crate) async fn install_state(
    connection: &mut MySqlConnection,
    tables: &Tables,
    wanted: Installed,
) -> Attempt<Option<(Installed, State)>> {
    let found = match schema::state(connection, tables).await? {
        Some(state) => state,
        None => {
            let table = &tables.state;
            create(connection, table, STATE).await?;
            let (bits, index) = (wanted.width.bits(), wanted.index);
            let map_id = literal(idgen::v4());
            let row = format!(
                "INSERT INTO {table} (one, version, strategy, id_bits, next_id, map_id, epoch) \
                 VALUES (1, {VERSION}, '{index}', {bits}, 1, {map_id}, 1) ON DUPLICATE KEY UPDATE one = one"
            );
            execute(connection, row).await?;
            match schema::state(connection, tables).await? {
                Some(state) => state,
                None => return Ok(None),
            }
        }
    };
    Ok(found.understand().ok().map(|installed| (installed, found)))
}

/// `None` where there is no such table.
async fn holds_rows(connection: &mut MySqlConnection, table: &str) -> Attempt<Option<bool>> {
    let look = format!("SELECT 1 FROM {table} LIMIT 1");
    match connection.fetch_optional(sqlx::raw_sql(AssertSqlSafe(look))).await.map_err(Failure::Sql) {
        Ok(row) => Ok(Some(row.is_some())),
        Err(failure) if failure.is_no_table() => Ok(None),
        Err(failure) => Err(failure),
    }
}

async fn create(connection: &mut MySqlConnection, table: &str, columns: &str) -> Attempt<()> {
    execute(connection, format!("CREATE TABLE IF NOT EXISTS {table} ({columns}) ENGINE=InnoDB")).await
}

async fn execute(connection: &mut MySqlConnection, statement: String) -> Attempt<()> {
    Ok(connection.execute(sqlx::raw_sql(AssertSqlSafe(statement))).await.map(drop)?)
}

fn lost(problem: String) -> Failure {
    Error::new(Kind::Damaged { problem }).into()
}
