//! SQLite: a clustered B-tree (`WITHOUT ROWID`) with pages of 16 KiB, and a cache that holds a part of the table.

mod layout;
mod operate;
mod own;
mod status;

use std::collections::BTreeMap;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Row, Statement, ToSql, params};

use super::{Answer, Batch, Contents, Counters, Engine, Inserted, MakeKey, Step, Table, Tree};
use crate::key::Key;
use crate::own::Own;
use crate::strategy::Strategy;
use crate::{Error, Result};
use idgen_record::{Column, Database, EngineInfo, Role, Workload};

/// The page size, the same as InnoDB's.
const PAGE_BYTES: u32 = 16_384;

/// The bundled SQLite. Each run uses a new file.
///
/// Make only one run at a time: this build of SQLite shares its page cache among all connections of the process, so two
/// runs at the same time change each other's counts.
#[derive(Debug)]
pub struct Sqlite {
    directory: tempfile::TempDir,
    runs: u32,
}

impl Sqlite {
    /// Keeps its files in a new directory within the system's temporary directory.
    ///
    /// # Errors
    /// The directory cannot be made.
    pub fn new() -> Result<Self> {
        let directory = tempfile::Builder::new()
            .prefix("idgen-lab-")
            .tempdir()
            .map_err(|error| Error::engine("cannot make a temporary directory", error))?;
        Ok(Sqlite { directory, runs: 0 })
    }
}

impl Engine for Sqlite {
    fn info(&self) -> EngineInfo {
        EngineInfo {
            name: Database::Sqlite.name().into(),
            version: rusqlite::version().into(),
            setup: "embedded, one connection, one prepared INSERT per row; the rollback journal stays in \
                    memory and nothing is synced, so the pages counted are those of the tables alone"
                .into(),
            missing: Vec::new(),
        }
    }

    fn check(&self, strategy: &Strategy, workload: &Workload) -> Result<()> {
        if workload.writers > 1 {
            return Err(Error::config(format!(
                "SQLite has one writer at a time, not {}: choose a server for several",
                workload.writers
            )));
        }
        if workload.own.is_some() {
            Own::check(strategy)?;
        }
        strategy.check(Database::Sqlite)
    }

    fn cache_bytes(&self, workload: &Workload) -> Result<u64> {
        Ok(workload.cache_pages(u64::from(PAGE_BYTES)) * u64::from(PAGE_BYTES))
    }

    fn isolation(&self) -> &'static str {
        "each run with a new database file and connection"
    }

    fn create(&mut self, strategy: &Strategy, workload: &Workload) -> Result<Box<dyn Table>> {
        if let Some(own) = Own::of(workload.own.as_ref(), Database::Sqlite)? {
            let (db, file) = self.empty(strategy, workload)?;
            return Ok(Box::new(own::OwnTables::create(db, file, own, strategy)?));
        }
        Ok(Box::new(self.open(strategy, workload)?))
    }
}

impl Sqlite {
    fn open(&mut self, strategy: &Strategy, workload: &Workload) -> Result<SqliteTable> {
        let (db, file) = self.empty(strategy, workload)?;
        let shape = Shape::of(strategy)?;
        db.execute_batch(shape.schema()).map_err(doing("create the tables"))?;
        status::reset(&db)?;
        Ok(SqliteTable { db, shape, _file: file })
    }

    /// An empty database in a file of its own.
    fn empty(
        &mut self,
        strategy: &Strategy,
        workload: &Workload,
    ) -> Result<(Connection, tempfile::TempPath)> {
        self.runs += 1;
        let path = self.directory.path().join(format!("{}-{}.db", self.runs, strategy.name));
        let db = Connection::open(&path).map_err(doing("open a new database"))?;
        let file = tempfile::TempPath::try_from_path(path)
            .map_err(|error| Error::engine("cannot name the database file", error))?;
        db.execute_batch(&format!(
            "PRAGMA page_size = {PAGE_BYTES};
             PRAGMA cache_size = {};
             PRAGMA journal_mode = MEMORY;
             PRAGMA synchronous = OFF;
             PRAGMA locking_mode = EXCLUSIVE;",
            workload.cache_pages(u64::from(PAGE_BYTES))
        ))
        .map_err(doing("set up the database"))?;
        Ok((db, file))
    }
}

/// The tables of one run. The fields are dropped in order, so the connection closes before its file is removed.
struct SqliteTable {
    db: Connection,
    shape: Shape,
    _file: tempfile::TempPath,
}

/// The kinds of table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// SQLite assigns the integer key; such a table is a B+tree sorted by that integer.
    Counted,
    /// The client's key is the clustered key.
    Integer,
    Blob,
    /// There is no key: SQLite numbers the rows.
    Unkeyed,
    Text,
    /// Rows sorted by a number, and a table that maps UUIDs to these numbers.
    Mapped,
}

impl Shape {
    fn of(strategy: &Strategy) -> Result<Self> {
        Ok(match strategy.column {
            Column::CountedInteger => Shape::Counted,
            Column::Integer => Shape::Integer,
            Column::Binary16 | Column::Swapped16 => Shape::Blob,
            Column::Unkeyed16 => Shape::Unkeyed,
            Column::Text36 | Column::Base64 | Column::Base32 => Shape::Text,
            Column::MappedInteger => Shape::Mapped,
            _ => return Err(Error::config(format!("SQLite has no column for {}", strategy.name))),
        })
    }

    const fn schema(self) -> &'static str {
        match self {
            Shape::Counted => "CREATE TABLE lab_rows (id INTEGER PRIMARY KEY, payload BLOB NOT NULL)",
            Shape::Integer => {
                "CREATE TABLE lab_rows (id INTEGER NOT NULL PRIMARY KEY, payload BLOB NOT NULL) WITHOUT ROWID"
            }
            Shape::Blob => {
                "CREATE TABLE lab_rows (id BLOB NOT NULL PRIMARY KEY, payload BLOB NOT NULL) WITHOUT ROWID"
            }
            Shape::Unkeyed => "CREATE TABLE lab_rows (id BLOB NOT NULL, payload BLOB NOT NULL)",
            Shape::Text => {
                "CREATE TABLE lab_rows (id TEXT NOT NULL PRIMARY KEY, payload BLOB NOT NULL) WITHOUT ROWID"
            }
            Shape::Mapped => {
                "CREATE TABLE lab_rows (id INTEGER PRIMARY KEY, payload BLOB NOT NULL);
                 CREATE TABLE lab_map (uuid BLOB NOT NULL PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;"
            }
        }
    }
}

impl Table for SqliteTable {
    fn settings(&mut self) -> Result<BTreeMap<String, String>> {
        settings(&self.db, self.shape.schema())
    }

    fn insert(&mut self, _: usize, batch: &Batch<'_>) -> Result<Vec<Inserted>> {
        let failed = doing("insert");
        let mut inserted = Vec::with_capacity(batch.keys.len());
        let transaction = self.db.transaction().map_err(&failed)?;
        {
            let mut rows = transaction
                .prepare_cached("INSERT INTO lab_rows (id, payload) VALUES (?, ?)")
                .map_err(&failed)?;
            if self.shape == Shape::Mapped {
                let mut find =
                    transaction.prepare_cached("SELECT id FROM lab_map WHERE uuid = ?").map_err(&failed)?;
                let mut pair = transaction
                    .prepare_cached("INSERT INTO lab_map (uuid, id) VALUES (?, ?)")
                    .map_err(&failed)?;
                for (number, key, payload) in batch.rows() {
                    let id = map_uuid(&mut find, &mut pair, key, number + 1).map_err(&failed)?;
                    rows.execute(params![id, payload]).map_err(&failed)?;
                    inserted.push(Inserted { key, number: Some(id) });
                }
            } else {
                for (_, key, payload) in batch.rows() {
                    rows.execute(params![key, payload]).map_err(&failed)?;
                    let number = match self.shape {
                        Shape::Counted => u64::try_from(transaction.last_insert_rowid()).ok(),
                        _ => None,
                    };
                    inserted.push(Inserted { key, number });
                }
            }
        }
        transaction.commit().map_err(doing("commit"))?;
        Ok(inserted)
    }

    fn operate(&mut self, clients: &[Vec<Step<'_>>], make: &mut MakeKey<'_>) -> Result<Vec<Vec<Answer>>> {
        let is_counted = self.shape == Shape::Counted;
        let clients = clients.iter().enumerate();
        clients
            .map(|(client, steps)| operate::all(&mut self.db, is_counted, steps, || make(client)))
            .collect()
    }

    fn counters(&mut self) -> Result<Counters> {
        status::counters(&self.db)
    }

    fn trees(&mut self) -> Result<Vec<Tree>> {
        // A table whose key is a number is a B+tree; a `WITHOUT ROWID` table is a B-tree.
        let by_number = matches!(self.shape, Shape::Counted | Shape::Mapped | Shape::Unkeyed);
        let mut trees = vec![layout::tree(&self.db, "lab_rows", Role::Rows, !by_number)?];
        if self.shape == Shape::Mapped {
            trees.push(layout::tree(&self.db, "lab_map", Role::Map, true)?);
        }
        Ok(trees)
    }

    fn keys(&mut self, role: Role, visit: &mut dyn FnMut(Key) -> Result<()>) -> Result<()> {
        let sql = match role {
            Role::Rows if self.shape == Shape::Unkeyed => "SELECT id FROM lab_rows ORDER BY rowid",
            Role::Rows => "SELECT id FROM lab_rows ORDER BY id",
            Role::Map => "SELECT uuid FROM lab_map ORDER BY uuid",
            Role::Pairs => "SELECT uuid FROM lab_map ORDER BY id",
            Role::Secondary => return Err(Error::unverified("this strategy has no secondary index")),
        };
        let failed = doing("read the keys back");
        let mut statement = self.db.prepare(sql).map_err(&failed)?;
        let mut rows = statement.query([]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            visit(read_key(row)?)?;
        }
        Ok(())
    }

    fn contents(&mut self) -> Result<Contents> {
        let unmapped = match self.shape {
            Shape::Mapped => {
                "(SELECT count(*) FROM lab_map LEFT JOIN lab_rows USING (id) WHERE lab_rows.id IS NULL)"
            }
            _ => "0",
        };
        let sql = format!("SELECT count(*), coalesce(sum(length(payload)), 0), {unmapped} FROM lab_rows");
        self.db
            .query_row(&sql, [], |row| {
                Ok(Contents { rows: row.get(0)?, payload_bytes: row.get(1)?, unmapped: row.get(2)? })
            })
            .map_err(doing("count the rows"))
    }
}

/// The settings of the connection, and the definition of the tables.
fn settings(db: &Connection, schema: &str) -> Result<BTreeMap<String, String>> {
    let mut settings = BTreeMap::new();
    for name in ["page_size", "cache_size", "journal_mode", "synchronous", "locking_mode", "encoding"] {
        let value: Value =
            db.pragma_query_value(None, name, |row| row.get(0)).map_err(doing("read the settings back"))?;
        let text = match value {
            Value::Integer(number) => number.to_string(),
            Value::Text(text) => text,
            other => format!("{other:?}"),
        };
        settings.insert(name.to_owned(), text);
    }
    settings.insert("table".into(), schema.split_whitespace().collect::<Vec<_>>().join(" "));
    Ok(settings)
}

/// The integer of a UUID: the existing one, or `next`.
fn map_uuid(
    find: &mut Statement<'_>,
    pair: &mut Statement<'_>,
    uuid: Key,
    next: u64,
) -> rusqlite::Result<u64> {
    let mut found = find.query(params![uuid])?;
    if let Some(row) = found.next()? {
        return row.get(0);
    }
    drop(found);
    pair.execute(params![uuid, next])?;
    Ok(next)
}

impl ToSql for Key {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Key::Assigned => ToSqlOutput::Owned(Value::Null),
            // Fails for numbers beyond a signed 64-bit integer, which SQLite cannot store.
            Key::Uint(number) => return number.to_sql(),
            Key::Binary(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            Key::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

fn read_key(row: &Row<'_>) -> Result<Key> {
    let value = row.get_ref(0).map_err(doing("read a key back"))?;
    let key = match value {
        ValueRef::Integer(number) => u64::try_from(number).ok().map(Key::Uint),
        ValueRef::Blob(bytes) => bytes.try_into().ok().map(Key::Binary),
        ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(Key::text),
        ValueRef::Null | ValueRef::Real(_) => None,
    };
    key.ok_or_else(|| Error::unverified(format!("the table holds a key that nobody inserted: {value:?}")))
}

fn doing(what: &'static str) -> impl Fn(rusqlite::Error) -> Error {
    move |error| Error::engine(format!("SQLite could not {what}"), error)
}

#[cfg(test)]
mod tests;
