//! The tables that a strategy needs, and their columns.

use idgen_server::reference;

use super::made;
use crate::own::Own;
use crate::strategy::Strategy;
use crate::{Error, Result};
use idgen_record::{Column, Database, IdKind, Role, Workload};

/// The tables of a strategy.
pub struct Plan {
    pub column: Column,
    pub ids: IdKind,
    pub database: Database,
    pub payload_bytes: u32,
    pub statement_rows: usize,
    /// The table of the rows.
    pub rows: String,
    /// The table that maps UUIDs to integers, and how, if there is one.
    pub map: Option<(MapBy, String)>,
    /// The user's own tables and statements, if they replace the lab's.
    pub own: Option<Own>,
    /// The way in which clients that insert at the same time learn the time of each insert on the server;
    /// `None` if they do not.
    pub clock: Option<RowClock>,
}

/// The way in which the time on the server's clock at each row gets to the client. No column holds it, so
/// tables are the same without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowClock {
    /// MariaDB returns it with the rows of a statement.
    Returned,
    /// MySQL appends it to a variable of the session, which the client reads after many rows.
    Kept,
}

/// The variable of a session with the times at which it inserted rows.
pub const TIMES: &str = "@idgen_times";

/// The type of a key column.
fn type_of(column: Column) -> &'static str {
    match column {
        Column::CountedInteger => "BIGINT UNSIGNED NOT NULL AUTO_INCREMENT",
        Column::Binary16 | Column::Swapped16 | Column::Unkeyed16 => "BINARY(16) NOT NULL",
        Column::Uuid => "UUID NOT NULL",
        // With a collation that ignores case, different base64 texts would be equal.
        Column::Text36 => "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL",
        Column::VarText36 => "VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL",
        Column::VarBinary36 => "VARBINARY(36) NOT NULL",
        Column::Base64 => "CHAR(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL",
        Column::Base32 => "CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NOT NULL",
        _ => "BIGINT UNSIGNED NOT NULL",
    }
}

/// The code that maps a UUID to an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapBy {
    /// The lab itself: the simplest table for this purpose, with the UUID as its primary key.
    Clustered,
    /// `idgen-mysql`.
    Library(idgen_mysql::Index),
    /// A published stored function, by its name.
    Reference(&'static str),
}

/// The place of a tree: its table, and its index in the table.
pub struct Place<'a> {
    pub role: Role,
    pub table: &'a str,
    /// The position of the index in its table, counted from 0 in the order in which the indexes were made.
    pub index: usize,
}

impl Plan {
    /// # Errors
    /// The user's tables cannot be parsed.
    pub fn of(strategy: &Strategy, workload: &Workload, database: Database, number: u32) -> Result<Self> {
        let [lock, dedup] = reference::FUNCTIONS;
        let map = match strategy.column {
            Column::MappedInteger => Some(MapBy::Clustered),
            Column::MappedUnique => Some(MapBy::Library(idgen_mysql::Index::Unique)),
            Column::MappedDedup => Some(MapBy::Library(idgen_mysql::Index::Dedup)),
            Column::MappedReferenceLock => Some(MapBy::Reference(lock)),
            Column::MappedReferenceDedup => Some(MapBy::Reference(dedup)),
            _ => None,
        };
        let named = |by| match by {
            MapBy::Reference(_) => reference::TABLE.to_owned(),
            _ => format!("map_{number}"),
        };
        let own = Own::of(workload.own.as_ref(), database)?;
        Ok(Plan {
            column: strategy.column,
            ids: strategy.ids,
            database,
            payload_bytes: workload.payload_bytes,
            statement_rows: workload.statement_rows.max(1) as usize,
            rows: own.as_ref().map_or_else(|| format!("rows_{number}"), |own| own.table().to_owned()),
            map: map.map(|by| (by, named(by))),
            clock: clock(strategy, workload, database).filter(|_| own.is_none()),
            own,
        })
    }

    /// The statements that make the tables, each with its line number if the user wrote it. The tables of `idgen-mysql`
    /// are missing, because the library makes them itself. The table of the rows has this engine; that of a map is in InnoDB.
    pub fn create(&self, engine: &str) -> Vec<(Option<usize>, String)> {
        match &self.own {
            Some(own) => {
                let key = type_of(self.column);
                let reference = key.trim_end_matches(" AUTO_INCREMENT").trim_end_matches(" NOT NULL");
                let schema = own.schema(key, reference).into_iter();
                schema.map(|(line, sql)| (Some(line), sql)).collect()
            }
            None => self.create_rows(engine).into_iter().map(|sql| (None, sql)).collect(),
        }
    }

    fn create_rows(&self, engine: &str) -> Vec<String> {
        let key = type_of(self.column);
        let payload = match self.payload_bytes {
            0 => String::new(),
            width => format!(", payload VARBINARY({width}) NOT NULL"),
        };
        let primary = if self.column == Column::Unkeyed16 { "" } else { ", PRIMARY KEY (id)" };
        let rows = &self.rows;
        let mut statements =
            vec![format!("CREATE TABLE {rows} (id {key}{payload}{primary}) ENGINE={engine}")];
        match &self.map {
            Some((MapBy::Clustered, map)) => statements.push(format!(
                "CREATE TABLE {map} (uuid BINARY(16) NOT NULL, id BIGINT UNSIGNED NOT NULL, PRIMARY KEY (uuid)) \
                 ENGINE=InnoDB"
            )),
            Some((MapBy::Reference(_), _)) => statements.extend(reference::statements().map(str::to_owned)),
            Some((MapBy::Library(_), _)) | None => {}
        }
        statements
    }

    /// The statements that drop everything.
    pub fn remove(&self) -> Vec<String> {
        if let Some(own) = &self.own {
            // Tables that refer to each other cannot be dropped in any order, unless the checks are off.
            return vec![
                "SET SESSION foreign_key_checks = 0".to_owned(),
                format!("DROP TABLE IF EXISTS {}", own.tables().join(", ")),
                "SET SESSION foreign_key_checks = 1".to_owned(),
            ];
        }
        let mut tables = self.rows.clone();
        let mut statements = Vec::new();
        match &self.map {
            Some((MapBy::Reference(_), map)) => {
                tables += &format!(", {map}, {}", reference::RECENT);
                statements.extend(reference::FUNCTIONS.map(|name| format!("DROP FUNCTION IF EXISTS {name}")));
            }
            Some((_, map)) => tables += &format!(", {map}, {map}_state, {map}_claim"),
            None => {}
        }
        statements.push(format!("DROP TABLE IF EXISTS {tables}"));
        statements
    }

    /// The tables that a report shows.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        let others = self.own.iter().flat_map(Own::tables).filter(|table| **table != self.rows);
        [Some(&self.rows), self.map.as_ref().map(|(_, map)| map)]
            .into_iter()
            .flatten()
            .chain(others)
            .map(String::as_str)
    }

    /// The trees that are measured, the tree with the rows first. Tables of claims are not among them, because their
    /// rows are deleted again.
    pub fn trees(&self) -> Vec<Place<'_>> {
        let mut trees = vec![Place { role: Role::Rows, table: &self.rows, index: 0 }];
        match &self.map {
            Some((MapBy::Clustered, table)) => trees.push(Place { role: Role::Map, table, index: 0 }),
            Some((_, table)) => {
                trees.push(Place { role: Role::Pairs, table, index: 0 });
                trees.push(Place { role: Role::Map, table, index: 1 });
            }
            None => {}
        }
        trees
    }

    /// The statement that returns the keys of a tree in its order, and the column that holds them.
    pub fn keys(&self, role: Role) -> Result<(String, Column)> {
        let rows = &self.rows;
        let sql = match (role, &self.map) {
            // Without a key to sort by, the scan of the only index returns the rows in the order in which they lie.
            (Role::Rows, _) if self.column == Column::Unkeyed16 => format!("SELECT id FROM {rows}"),
            (Role::Rows, _) => {
                let id = self.own.as_ref().map_or("id", Own::key_column);
                let order = self.own.as_ref().map_or_else(|| id.to_owned(), Own::sorted_by);
                return Ok((format!("SELECT {id} FROM {rows} ORDER BY {order}"), self.column));
            }
            (Role::Pairs, Some((MapBy::Reference(_), map))) => {
                format!("SELECT UNHEX(REPLACE(uuid, '-', '')) FROM {map} ORDER BY id")
            }
            (Role::Pairs, Some((_, map))) => format!("SELECT uuid FROM {map} ORDER BY id"),
            (Role::Map, Some((by, map))) => match by {
                MapBy::Clustered => format!("SELECT uuid FROM {map} ORDER BY uuid"),
                MapBy::Library(idgen_mysql::Index::Dedup) => {
                    let sql = format!("SELECT id FROM {map} FORCE INDEX (hash) ORDER BY hash, id");
                    return Ok((sql, Column::Integer));
                }
                MapBy::Library(_) => format!("SELECT uuid FROM {map} FORCE INDEX (uuid) ORDER BY uuid"),
                MapBy::Reference(_) => {
                    let index = "FORCE INDEX (idx_hash) ORDER BY uuid_hash, id";
                    let sql = format!("SELECT CAST(id AS UNSIGNED) FROM {map} {index}");
                    return Ok((sql, Column::Integer));
                }
            },
            (Role::Pairs | Role::Map, None) | (Role::Secondary, _) => {
                return Err(Error::unverified(format!("a strategy without a map has no tree \"{role:?}\"")));
            }
        };
        Ok((sql, Column::Binary16))
    }

    /// The statement that counts rows, bytes of payload, and pairs whose row is missing.
    pub fn contents(&self) -> String {
        let rows = &self.rows;
        let bytes = if self.payload_bytes > 0 { "COALESCE(SUM(LENGTH(payload)), 0)" } else { "0" };
        let unmapped = self.map.as_ref().map_or("0".to_owned(), |(_, map)| {
            format!("(SELECT COUNT(*) FROM {map} m LEFT JOIN {rows} r ON r.id = m.id WHERE r.id IS NULL)")
        });
        format!(
            "SELECT CAST(COUNT(*) AS UNSIGNED), CAST({bytes} AS UNSIGNED), CAST({unmapped} AS UNSIGNED) FROM {rows}"
        )
    }

    /// The statements that insert this many rows into the user's own tables.
    pub fn own_inserts(&self, rows: usize) -> Vec<String> {
        self.own.iter().flat_map(Own::inserts).map(|insert| insert.sql(rows, |_| "?".to_owned())).collect()
    }

    /// An `INSERT` of this many rows. What the server generates is an expression in the text, the rest is bound.
    pub fn insert(&self, rows: usize) -> String {
        self.insert_with(made::expression(self.ids, self.database).unwrap_or("?"), rows, "")
    }

    /// An `INSERT` of this many rows whose keys clients make, which records the time on the server's clock at
    /// each row.
    pub fn insert_timed(&self, rows: usize, clock: RowClock) -> String {
        match clock {
            RowClock::Returned => {
                self.insert_with("?", rows, " RETURNING CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)")
            }
            RowClock::Kept => {
                let kept = format!("{TIMES} := CONCAT({TIMES}, UNIX_TIMESTAMP(SYSDATE(6)), ',')");
                self.insert_with(&format!("IF(({kept}) IS NULL, NULL, ?)"), rows, "")
            }
        }
    }

    fn insert_with(&self, id: &str, rows: usize, end: &str) -> String {
        let (columns, values) = match self.payload_bytes {
            0 => ("id", format!("({id})")),
            _ => ("id, payload", format!("({id}, ?)")),
        };
        format!("INSERT INTO {} ({columns}) VALUES {}{end}", self.rows, vec![values; rows].join(", "))
    }
}

/// The way in which clients learn when their rows were inserted: where several of them, or one that keeps a
/// pace, insert keys that they made into the lab's own table. `None` otherwise.
fn clock(strategy: &Strategy, workload: &Workload, database: Database) -> Option<RowClock> {
    let made_by_client = !strategy.ids.is_server_made()
        && strategy.column != Column::CountedInteger
        && !strategy.column.is_mapped();
    (made_by_client && workload.has_clients()).then_some(match database {
        Database::MariaDb => RowClock::Returned,
        _ => RowClock::Kept,
    })
}
