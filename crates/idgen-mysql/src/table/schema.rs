//! The tables: their layout, and the state row.
//!
//! ```sql
//! -- one row: the version of the layout, how it was installed, which map it is, and the first id that no
//! -- client holds
//! uuid_map_state(one, version, strategy, id_bits, next_id, map_id, epoch, stored_id, fence)
//! -- index `unique`
//! uuid_map(id PRIMARY KEY, uuid BINARY(16) NOT NULL, UNIQUE (uuid))
//! -- index `dedup`: an index on a 32-bit hash, and a small table of claims
//! uuid_map(id PRIMARY KEY, uuid BINARY(16) NOT NULL, hash AS (CRC32(uuid)), KEY (hash))
//! uuid_map_claim(uuid BINARY(16) PRIMARY KEY, turn)
//! -- what clients write to push the server's log to disk, each its own row
//! uuid_map_sync(slot PRIMARY KEY, pushes)
//! ```
//!
//! `map_id` is chosen at random at install and never changes: a client that finds another one is connected to another map.
//! `epoch` is raised when clients must discard their state, as after a restored backup: each client then drops its cached
//! pairs and the ids that it holds. `stored_id` is an id whose row was in the map when the state row was last changed, or 0:
//! if the row is missing later, the map was replaced by an older copy. `fence` is the smallest id that may be assigned since the
//! last fence, or 0: a `next_id` below it was not written by a client. The column `strategy` has the name of the index.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor};
use uuid::Uuid;

use crate::error::Error;
use crate::error::failure::{Attempt, Failure, Kind};
use crate::installed::IdWidth;
use crate::installed::Index;
use crate::installed::Installed;
use crate::statement::caller::Connection;
use crate::statement::values::{Values, number_at};
use crate::table::table_kind;
use crate::table::tables::Tables;
use crate::table::tables::unquoted;
use crate::table::watch::{changing_trigger, definitions};

/// The version of the layout that this library creates and reads. A client refuses any other version, when it connects, once a second
/// and in each statement that reserves ids. So it is raised with every change after which a client of an older version could
/// break a promise. Version 1 was never released.
pub(crate) const VERSION: u16 = 2;

/// Advice about an epoch of 0.
pub(crate) const EPOCHS: &str =
    "epochs begin at 1; call fence (idgen map fence) with an id above every id that was ever assigned";

/// The state row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) version: u16,
    strategy: String,
    id_bits: u8,
    pub(crate) next_id: u64,
    pub(crate) map_id: Uuid,
    pub(crate) epoch: u64,
    /// An id that the map holds, or 0.
    pub(crate) stored_id: u64,
    /// The smallest id that may be assigned since the last fence, or 0.
    pub(crate) fence: u64,
}

impl State {
    /// The row with another next id and epoch. A restored map may lack what an earlier epoch had stored, and a new epoch
    /// assigns no id below its first one.
    pub(crate) fn with(&self, next_id: u64, epoch: u64) -> State {
        let (mut stored_id, mut fence) = (self.stored_id, self.fence);
        if epoch != self.epoch {
            stored_id = 0;
            fence = next_id;
        }
        State { next_id, epoch, stored_id, fence, ..self.clone() }
    }

    /// The smallest id that may be assigned since the last fence, if ids of this width can be so large.
    pub(crate) fn fenced_at(&self, width: IdWidth) -> u64 {
        if width.can_be_next(self.fence) { self.fence } else { 0 }
    }

    /// Describes the problem of a next id below the fence; `None` if it is not below.
    pub(crate) fn below_fence(&self) -> Option<String> {
        let (next, fence) = (self.next_id, self.fence);
        (next < fence).then(|| {
            format!(
                "the next id is {next}, although the map was fenced at {fence}: the row was changed by SQL, or by another program; \
                 call repair (idgen map repair)"
            )
        })
    }

    /// Reads a row. Of another version, only the version is known.
    pub(crate) fn of_row(row: &impl Values) -> Attempt<State> {
        let place = |name: &str| match row.has(name) {
            true => row.place(name),
            false => Err(Failure::Unreadable(format!(
                "the row of the map's state has no column {name}: restore its table from a backup, with a next_id above every id \
                 that was ever assigned"
            ))),
        };
        let number = |name: &str| number_at(row, place(name)?);
        // A number that is too large for this type is unknown to this version.
        let mut state = State {
            version: u16::try_from(number("version")?).unwrap_or(u16::MAX),
            strategy: String::new(),
            id_bits: 0,
            next_id: 0,
            map_id: Uuid::nil(),
            epoch: 0,
            stored_id: 0,
            fence: 0,
        };
        if state.version != VERSION {
            return Ok(state);
        }
        state.strategy = row.text(place("strategy")?)?.unwrap_or_default();
        state.id_bits = u8::try_from(number("id_bits")?).unwrap_or(u8::MAX);
        let bytes = row.bytes(place("map_id")?)?.unwrap_or_default();
        state.map_id = Uuid::from_slice(&bytes).unwrap_or_default();
        state.next_id = number("next_id")?;
        state.epoch = number("epoch")?;
        state.stored_id = number("stored_id")?;
        state.fence = number("fence")?;
        Ok(state)
    }

    /// Returns the parameters with which the map was installed, or a message about what is wrong with the row.
    pub(crate) fn understand(&self) -> std::result::Result<Installed, String> {
        let version = self.version;
        if version != VERSION {
            let advice =
                if version > VERSION { "use the newer program" } else { "use the program that made it" };
            return Err(format!("its layout is version {version}, this program knows {VERSION}: {advice}"));
        }
        let width = match self.id_bits {
            32 => IdWidth::Bits32,
            64 => IdWidth::Bits64,
            other => return Err(format!("its ids have {other} bits")),
        };
        let index = self.strategy.parse().map_err(|error: Error| error.to_string())?;
        Ok(Installed { index, width })
    }
}

/// The state row; `None` where there is none.
pub(crate) async fn state<C: Connection>(connection: &mut C, tables: &Tables) -> Attempt<Option<State>> {
    let statement = format!("SELECT * FROM {} WHERE one = 1", tables.state);
    match connection.read(statement).await {
        Ok(rows) => rows.first().map(State::of_row).transpose(),
        Err(failure) if failure.is_no_table() => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// A map whose tables are as this version creates them.
pub(crate) struct Sound {
    pub(crate) installed: Installed,
    pub(crate) state: State,
    /// The definitions of the tables, as they were before the tables were examined.
    pub(crate) definitions: Vec<String>,
}

/// Reads how the map was installed, and checks that the tables are as this version creates them.
pub(crate) async fn read(connection: &mut MySqlConnection, tables: &Tables) -> Attempt<Sound> {
    let not_there =
        |table: &String| Err(Error::new(Kind::NotInstalled { table: unquoted(table).to_owned() }).into());
    let Some(state) = state(connection, tables).await? else {
        if column_type(connection, &tables.state, "one").await?.is_none() {
            return not_there(&tables.state);
        }
        let problem = format!(
            "table {} has no row: restore it from a backup, with a next_id above every id that was ever assigned; if the map \
             has assigned none, call install (idgen map install)",
            tables.state
        );
        return Err(Error::new(Kind::Damaged { problem }).into());
    };
    let wrong =
        |table: &String, problem| Error::new(Kind::Schema { table: unquoted(table).to_owned(), problem });
    let installed = state.understand().map_err(|problem| wrong(&tables.state, problem))?;

    let definitions = definitions(connection, tables, installed.index).await?;
    let mut expected = vec![
        (&tables.map, "id", format!("{} PRI", installed.width.column().to_lowercase())),
        (&tables.state, "next_id", "bigint unsigned".to_owned()),
        (&tables.state, "map_id", "binary(16)".to_owned()),
        (&tables.state, "epoch", "bigint unsigned".to_owned()),
        (&tables.state, "stored_id", "bigint unsigned".to_owned()),
        (&tables.state, "fence", "bigint unsigned".to_owned()),
    ];
    match installed.index {
        Index::Unique => expected.push((&tables.map, "uuid", "binary(16) UNI".to_owned())),
        Index::Dedup => {
            expected.push((&tables.map, "uuid", "binary(16)".to_owned()));
            expected.push((&tables.map, "hash", "int unsigned MUL VIRTUAL GENERATED".to_owned()));
            expected.push((&tables.claim, "uuid", "binary(16) PRI".to_owned()));
            expected.push((&tables.claim, "turn", "tinyint unsigned".to_owned()));
        }
    }
    if tables.places.is_none() {
        expected.push((&tables.sync, "slot", "tinyint unsigned PRI".to_owned()));
        expected.push((&tables.sync, "pushes", "bigint unsigned".to_owned()));
    }
    if tables.places.is_none() {
        let mut names: Vec<&str> = expected.iter().map(|(table, ..)| unquoted(table)).collect();
        names.dedup();
        if let Some((table, problem)) = table_kind::problem(connection, &names).await? {
            return Err(wrong(&table, problem).into());
        }
    }
    for (table, column, wanted) in &expected {
        let Some(found) = column_type(connection, table, column).await? else { return not_there(table) };
        if found != *wanted {
            return Err(wrong(table, format!("its column {column} is {found}, not {wanted}")).into());
        }
    }
    if installed.index == Index::Dedup {
        let table = &tables.map;
        let hash = format!("{EXPRESSION} AND table_name = '{}' AND column_name = 'hash'", unquoted(table));
        let hash = one_text(connection, hash).await?.unwrap_or_default();
        if hash.to_lowercase().replace('`', "") != "crc32(uuid)" {
            return Err(wrong(table, format!("its column hash is {hash}, not CRC32(uuid)")).into());
        }
    }
    if tables.places.is_none()
        && let Some((table, problem)) = changing_trigger(connection, tables).await?
    {
        return Err(wrong(&table, problem).into());
    }
    Ok(Sound { installed, state, definitions })
}

const EXPRESSION: &str =
    "SELECT generation_expression FROM information_schema.columns WHERE table_schema = DATABASE()";

async fn one_text(connection: &mut MySqlConnection, statement: String) -> Attempt<Option<String>> {
    let row = connection.fetch_optional(sqlx::raw_sql(AssertSqlSafe(statement))).await?;
    Ok(row.map(|row| row.text(0)).transpose()?.flatten())
}

/// Type, key and extras of a column, as in `binary(16) UNI`; `missing` if there is no such column, and `None` if there is no such table.
async fn column_type(connection: &mut MySqlConnection, table: &str, column: &str) -> Attempt<Option<String>> {
    let statement = format!("SHOW COLUMNS FROM {table} LIKE '{column}'");
    let row = match connection.fetch_optional(sqlx::raw_sql(AssertSqlSafe(statement))).await {
        Ok(row) => row,
        Err(error) => {
            let failure = Failure::Sql(error);
            return if failure.is_no_table() { Ok(None) } else { Err(failure) };
        }
    };
    let Some(row) = row else { return Ok(Some("missing".to_owned())) };
    let [kind, key, extra] = [1, 3, 5].map(|at| row.text(at));
    // MariaDB, and MySQL before 8.0.19, print a display width: int(10) unsigned.
    let kind = kind?.unwrap_or_default();
    let kind =
        kind.replace("int(10)", "int").replace("bigint(20)", "bigint").replace("tinyint(3)", "tinyint");
    let parts = [kind, key?.unwrap_or_default(), extra?.unwrap_or_default()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Ok(Some(parts.join(" ")))
}
