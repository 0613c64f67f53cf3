//! The map on Vitess: pairs are sharded by a hash of the UUID, ids come from a sequence, and a lookup table leads from an
//! id to its pair.
//!
//! ```text
//! keyspace that is not sharded    uuid_map_state, and the sequence uuid_map_seq
//! sharded keyspace                uuid_map, by xxhash(uuid): all claims of one UUID meet on one shard,
//!                                 whose unique index decides
//!                                 uuid_map_by_id, by xxhash(id): where the pair of an id is
//! ```
//!
//! `uuid_map_by_id` is a `consistent_lookup_unique` vindex, which Vitess keeps: it commits the row of the id
//! before the pair, so a pair that is there can be found by its id, and no id goes to two UUIDs. Manual:
//! vitess.io/docs/reference/features/vindexes and vitess-sequences.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use crate::error::failure::{Attempt, Kind};
use crate::error::{Error, Result};
use crate::installed::{Index, Installed};
use crate::table::install;
use crate::table::tables::Places;
use crate::table::tables::{Tables, unquoted};

/// Ids that the server of the sequence holds in memory.
const SEQUENCE_CACHE: u32 = 1000;

/// The tables' names on Vitess: the state is in the one keyspace that is not sharded.
pub(crate) async fn place(connection: &mut MySqlConnection, tables: &Tables) -> Attempt<Tables> {
    let keyspace: String = connection.fetch_one("SELECT DATABASE()").await?.try_get(0)?;
    let rows = connection.fetch_all(sqlx::raw_sql("SHOW VSCHEMA KEYSPACES")).await?;
    let read = |row: &sqlx::mysql::MySqlRow| {
        Ok::<_, sqlx::Error>((row.try_get_unchecked(0)?, row.try_get_unchecked(1)?))
    };
    let keyspaces: Vec<(String, String)> =
        rows.iter().map(read).collect::<std::result::Result<_, sqlx::Error>>()?;
    Ok(placed(tables, keyspace, &keyspaces)?)
}

fn placed(tables: &Tables, keyspace: String, keyspaces: &[(String, String)]) -> Result<Tables> {
    let config = |problem| Err(Error::new(Kind::Config { problem }));
    let sharded = |name: &str| keyspaces.iter().any(|(found, sharded)| found == name && sharded == "true");
    if !sharded(&keyspace) {
        return config(format!(
            "the URL names {keyspace:?}, which is no sharded keyspace of this Vitess: name one that is"
        ));
    }
    let plain: Vec<&str> =
        keyspaces.iter().filter(|(_, sharded)| sharded == "false").map(|(name, _)| name.as_str()).collect();
    let [home] = plain[..] else {
        return config(format!(
            "the map keeps its sequence in the keyspace that is not sharded, and there are {}: {plain:?}; make one",
            plain.len()
        ));
    };
    let (map, claim, sync) = (unquoted(&tables.map).to_owned(), tables.claim.clone(), tables.sync.clone());
    let state = format!("{home}.{}", tables.state);
    let places = Some(Places { keyspace, sequence: format!("{home}.{map}_seq") });
    Ok(Tables { map, state, claim, sync, places, ..tables.clone() })
}

/// Refuses what this layout cannot do.
pub(crate) fn refuse(tables: &Tables, what: &str, instead: &str) -> Result<()> {
    if tables.places.is_none() {
        return Ok(());
    }
    Err(Error::new(Kind::Config { problem: format!("{what} is not possible on Vitess: {instead}") }))
}

/// Creates what is missing, beginning with the vindexes, because Vitess refuses a sharded table without one.
pub(crate) async fn install(
    connection: &mut MySqlConnection,
    tables: &Tables,
    places: &Places,
    wanted: Installed,
) -> Attempt<()> {
    let Some((found, _)) = install::install_state(connection, tables, wanted).await? else { return Ok(()) };
    if found.index != Index::Unique {
        return Ok(());
    }
    let (map, sequence, keyspace) = (&tables.map, &places.sequence, &places.keyspace);
    let id = found.width.column();
    let by_id = format!("{keyspace}.{map}_by_id");
    for statement in [
        format!(
            "CREATE TABLE IF NOT EXISTS {sequence} (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, next_id BIGINT, \
             cache BIGINT) COMMENT 'vitess_sequence'"
        ),
        format!("INSERT IGNORE INTO {sequence} (id, next_id, cache) VALUES (0, 1, {SEQUENCE_CACHE})"),
        format!("ALTER VSCHEMA ADD SEQUENCE {sequence}"),
        format!("ALTER VSCHEMA ON {by_id} ADD VINDEX xxhash(id) USING xxhash"),
        format!(
            "CREATE TABLE IF NOT EXISTS {by_id} (id {id} NOT NULL PRIMARY KEY, keyspace_id VARBINARY(8) NOT NULL)"
        ),
        format!("ALTER VSCHEMA ON {keyspace}.{map} ADD VINDEX xxhash(uuid) USING xxhash"),
        format!(
            "ALTER VSCHEMA ON {keyspace}.{map} ADD VINDEX {map}_by_id(id) USING consistent_lookup_unique \
             WITH owner=`{map}`, `table`=`{by_id}`, `from`=`id`, `to`=`keyspace_id`"
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS {map} (id {id} NOT NULL PRIMARY KEY, uuid BINARY(16) NOT NULL, \
             UNIQUE KEY uuid (uuid)) ENGINE=InnoDB"
        ),
    ] {
        if let Err(error) = connection.execute(sqlx::raw_sql(AssertSqlSafe(statement))).await {
            // There is no IF NOT EXISTS for vindexes and sequences.
            let there = error.as_database_error().is_some_and(|error| error.message().contains("already"));
            if !there {
                return Err(error.into());
            }
        }
    }
    Ok(())
}
