//! The tables: made once, recognised ever after.
//!
//! ```sql
//! -- one row: the version of the layout, how it was installed, and the first id that no client holds
//! uuid_map_state(one, version, strategy, id_bits, next_id)
//! -- strategy `unique`
//! uuid_map(id PRIMARY KEY, uuid BINARY(16) NOT NULL, UNIQUE (uuid))
//! -- strategy `dedup`: an index on a 32-bit hash, and a small table of claims
//! uuid_map(id PRIMARY KEY, uuid BINARY(16) NOT NULL, hash AS (CRC32(uuid)), KEY (hash))
//! uuid_map_claim(uuid BINARY(16) PRIMARY KEY)
//! ```

use std::fmt;

use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{AssertSqlSafe, Executor, Row};

use crate::error::{Error, Kind, Result};
use crate::retry;
use crate::sharded::{self, Places};

/// The layout that this version makes and reads.
const VERSION: u16 = 1;

/// How a pair is kept unique. Chosen at install, recorded in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// A unique index on the UUID. The default: one statement for each new pair, and the table itself
    /// enforces the promise.
    Unique,
    /// An index on a 32-bit hash, about half as large, and a small table of claims. More round trips for a
    /// new pair, fewer pages to keep in memory.
    Dedup,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::Unique => "unique",
            Strategy::Dedup => "dedup",
        })
    }
}

impl std::str::FromStr for Strategy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Strategy> {
        match text {
            "unique" => Ok(Strategy::Unique),
            "dedup" => Ok(Strategy::Dedup),
            _ => Err(Error::new(Kind::Config {
                problem: format!("there is no strategy {text:?}: choose unique or dedup"),
            })),
        }
    }
}

/// How wide the ids are. Chosen at install, recorded in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdWidth {
    /// `INT UNSIGNED`: 4.29 billion ids, 4 bytes each.
    Bits32,
    /// `BIGINT UNSIGNED`, used up to 2^63 - 1 so that languages without unsigned integers can hold them.
    Bits64,
}

impl IdWidth {
    /// The largest id.
    pub const fn max_id(self) -> u64 {
        match self {
            IdWidth::Bits32 => u32::MAX as u64,
            IdWidth::Bits64 => i64::MAX as u64,
        }
    }

    const fn bits(self) -> u8 {
        match self {
            IdWidth::Bits32 => 32,
            IdWidth::Bits64 => 64,
        }
    }

    pub(crate) const fn column(self) -> &'static str {
        match self {
            IdWidth::Bits32 => "INT UNSIGNED",
            IdWidth::Bits64 => "BIGINT UNSIGNED",
        }
    }
}

impl fmt::Display for IdWidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-bit", self.bits())
    }
}

/// The names of the tables.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub(crate) map: String,
    pub(crate) state: String,
    pub(crate) claim: String,
    /// Set on Vitess.
    pub(crate) places: Option<Places>,
}

impl Tables {
    /// Names go into statements unquoted, so only plain ones are let through.
    pub(crate) fn named(name: &str) -> Result<Tables> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !starts || !name.chars().all(plain) || name.len() > 48 {
            return Err(Error::new(Kind::Config {
                problem: format!(
                    "{name:?} is no name for the map's table: use up to 48 of a-z, A-Z, 0-9 and _, not a digit first"
                ),
            }));
        }
        Ok(Tables {
            map: name.to_owned(),
            state: format!("{name}_state"),
            claim: format!("{name}_claim"),
            places: None,
        })
    }
}

/// What the schema records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Installed {
    pub(crate) strategy: Strategy,
    pub(crate) width: IdWidth,
}

/// Makes what is missing. Several clients may do so at once: each statement is safe to repeat, and the
/// state row, written first and once, decides between clients that ask for different things.
pub(crate) async fn install(
    connection: &mut MySqlConnection,
    tables: &Tables,
    wanted: Installed,
) -> std::result::Result<(), sqlx::Error> {
    if let Some(places) = &tables.places {
        return sharded::install(connection, tables, places, wanted).await;
    }
    let Some(found) = install_state(connection, tables, wanted).await? else { return Ok(()) };
    let Tables { map, claim, .. } = tables;
    let id = found.width.column();
    let index = match found.strategy {
        Strategy::Unique => "UNIQUE KEY uuid (uuid)".to_owned(),
        Strategy::Dedup => "hash INT UNSIGNED AS (CRC32(uuid)) VIRTUAL, KEY hash (hash)".to_owned(),
    };
    execute(
        connection,
        format!(
            "CREATE TABLE IF NOT EXISTS {map} (\
             id {id} NOT NULL PRIMARY KEY, uuid BINARY(16) NOT NULL, {index}) ENGINE=InnoDB"
        ),
    )
    .await?;
    if found.strategy == Strategy::Dedup {
        let claims = format!(
            "CREATE TABLE IF NOT EXISTS {claim} (uuid BINARY(16) NOT NULL PRIMARY KEY) ENGINE=InnoDB"
        );
        execute(connection, claims).await?;
    }
    Ok(())
}

/// The state row, and what it says then.
pub(crate) async fn install_state(
    connection: &mut MySqlConnection,
    tables: &Tables,
    wanted: Installed,
) -> std::result::Result<Option<Installed>, sqlx::Error> {
    let state = &tables.state;
    execute(
        connection,
        format!(
            "CREATE TABLE IF NOT EXISTS {state} (\
             one TINYINT UNSIGNED NOT NULL PRIMARY KEY, \
             version SMALLINT UNSIGNED NOT NULL, \
             strategy VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, \
             id_bits TINYINT UNSIGNED NOT NULL, \
             next_id BIGINT UNSIGNED NOT NULL) ENGINE=InnoDB"
        ),
    )
    .await?;
    let bits = wanted.width.bits();
    let strategy = wanted.strategy;
    execute(
        connection,
        format!(
            "INSERT INTO {state} (one, version, strategy, id_bits, next_id) \
             VALUES (1, {VERSION}, '{strategy}', {bits}, 1) ON DUPLICATE KEY UPDATE one = one"
        ),
    )
    .await?;
    // From here on the row's word counts, not ours.
    Ok(row(connection, tables).await?.ok().flatten())
}

/// Reads how the map was installed, and checks that the tables are as this version makes them.
pub(crate) async fn read(
    connection: &mut MySqlConnection,
    tables: &Tables,
) -> std::result::Result<Result<Installed>, sqlx::Error> {
    let not_there = |table: &String| Ok(Err(Error::new(Kind::NotInstalled { table: table.clone() })));
    let installed = match row(connection, tables).await {
        Ok(Ok(Some(installed))) => installed,
        Ok(Err(error)) => return Ok(Err(error)),
        Ok(Ok(None)) => return not_there(&tables.state),
        Err(error) if retry::is_no_table(&error) => return not_there(&tables.state),
        Err(error) => return Err(error),
    };

    let mut expected = vec![
        (&tables.map, "id", format!("{} PRI", installed.width.column().to_lowercase())),
        (&tables.state, "next_id", "bigint unsigned".to_owned()),
    ];
    match installed.strategy {
        Strategy::Unique => expected.push((&tables.map, "uuid", "binary(16) UNI".to_owned())),
        Strategy::Dedup => {
            expected.push((&tables.map, "uuid", "binary(16)".to_owned()));
            expected.push((&tables.map, "hash", "int unsigned MUL".to_owned()));
            expected.push((&tables.claim, "uuid", "binary(16) PRI".to_owned()));
        }
    }
    for (table, column, wanted) in expected {
        let Some(found) = column_type(connection, table, column).await? else { return not_there(table) };
        if found != wanted {
            let problem = format!("its column {column} is {found}, not {wanted}");
            return Ok(Err(Error::new(Kind::Schema { table: table.clone(), problem })));
        }
    }
    Ok(Ok(installed))
}

/// Type and key of a column, as in `binary(16) UNI`.
async fn column_type(
    connection: &mut MySqlConnection,
    table: &str,
    column: &str,
) -> std::result::Result<Option<String>, sqlx::Error> {
    let statement = format!("SHOW COLUMNS FROM {table} LIKE '{column}'");
    let row = match connection.fetch_optional(sqlx::raw_sql(AssertSqlSafe(statement))).await {
        Err(error) if retry::is_no_table(&error) => None,
        other => other?,
    };
    let Some(row) = row else { return Ok(None) };
    // Some servers give metadata as text, some as bytes.
    let text = |at: usize| -> std::result::Result<String, sqlx::Error> {
        Ok(String::from_utf8_lossy(&row.try_get_unchecked::<Vec<u8>, _>(at)?).into_owned())
    };
    // MariaDB, and MySQL before 8.0.19, print a display width: int(10) unsigned.
    let kind = text(1)?.replace("int(10)", "int").replace("bigint(20)", "bigint");
    Ok(Some(format!("{kind} {}", text(3)?).trim_end().to_owned()))
}

async fn row(
    connection: &mut MySqlConnection,
    tables: &Tables,
) -> std::result::Result<Result<Option<Installed>>, sqlx::Error> {
    let statement = format!("SELECT version, strategy, id_bits FROM {} WHERE one = 1", tables.state);
    let row = connection.fetch_optional(sqlx::raw_sql(AssertSqlSafe(statement))).await?;
    row.map(|row| understand(&row, tables)).transpose().map(|understood| understood.transpose())
}

fn understand(row: &MySqlRow, tables: &Tables) -> std::result::Result<Result<Installed>, sqlx::Error> {
    let (version, strategy, bits): (u16, String, u8) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let wrong = |problem| Err(Error::new(Kind::Schema { table: tables.state.clone(), problem }));
    if version != VERSION {
        return Ok(wrong(format!(
            "its layout is version {version}, this program knows {VERSION}: use the newer program"
        )));
    }
    let width = match bits {
        32 => IdWidth::Bits32,
        64 => IdWidth::Bits64,
        other => return Ok(wrong(format!("its ids have {other} bits"))),
    };
    Ok(strategy.parse().map(|strategy| Installed { strategy, width }))
}

async fn execute(
    connection: &mut MySqlConnection,
    statement: String,
) -> std::result::Result<(), sqlx::Error> {
    connection.execute(sqlx::raw_sql(AssertSqlSafe(statement))).await.map(drop)
}
