//! Tables and statements of the user's own.

use std::collections::BTreeMap;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};

use super::{doing, layout, read_key, settings, status};
use crate::engine::{Batch, Contents, Counters, Inserted, Table, Tree};
use crate::key::Key;
use crate::own::{Own, PrimaryColumn, Value};
use crate::strategy::Strategy;
use crate::{Error, Result};
use idgen_record::{Column, Role};

/// The tables of one run. The fields are dropped in order, so the connection closes before its file is removed.
pub struct OwnTables {
    db: Connection,
    own: Own,
    is_counted: bool,
    schema: String,
    /// The tree that is sorted by the key (the table itself, or the index of its key), and whether it is a B-tree.
    tree: (String, bool),
    /// Rows that the table of each statement holds before the run.
    at_start: Vec<u64>,
    _file: tempfile::TempPath,
}

/// The type of a key, and of a reference to it.
fn types_of(column: Column) -> (&'static str, &'static str) {
    match column {
        Column::CountedInteger => ("INTEGER", "INTEGER"),
        Column::Integer => ("INTEGER NOT NULL", "INTEGER"),
        Column::Text36 | Column::Base64 | Column::Base32 => ("TEXT NOT NULL", "TEXT"),
        _ => ("BLOB NOT NULL", "BLOB"),
    }
}

impl OwnTables {
    pub fn create(
        db: Connection,
        file: tempfile::TempPath,
        mut own: Own,
        strategy: &Strategy,
    ) -> Result<Self> {
        db.pragma_update(None, "foreign_keys", "ON").map_err(doing("check foreign keys"))?;
        let (key_type, reference_type) = types_of(strategy.column);
        let mut schema = Vec::new();
        for (line, sql) in own.schema(key_type, reference_type) {
            db.execute_batch(&sql).map_err(|error| Own::refused(line, doing("create the tables")(error)))?;
            schema.push(sql);
        }
        let tree = tree_of(&db, &mut own)?;
        let is_counted = strategy.column == Column::CountedInteger;
        if is_counted && !own.sorted_by_key() {
            return Err(Error::config(format!(
                "SQLite does not count the keys of {}, whose primary key has several columns: choose device",
                own.table()
            )));
        }
        let at_start = counts(&db, &own)?;
        status::reset(&db)?;
        Ok(OwnTables { is_counted, schema: schema.join("; "), db, own, tree, at_start, _file: file })
    }
}

/// The tree that is sorted by the key: the index of the key if the table is sorted by a hidden row id, otherwise the
/// table.
fn tree_of(db: &Connection, own: &mut Own) -> Result<(String, bool)> {
    let failed = doing("read the schema back");
    let table = own.table().trim_matches(['"', '`']).to_owned();
    let mut primary =
        db.prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk").map_err(&failed)?;
    let names = primary.query_map([&table], |row| row.get(0)).map_err(&failed)?;
    let names = names.collect::<rusqlite::Result<Vec<String>>>().map_err(&failed)?;
    let columns = names.into_iter().map(|name| PrimaryColumn::quoted(name, own.key_column(), '"'));
    own.set_primary(columns.collect())?;
    let is_btree: bool = db
        .query_row("SELECT wr FROM pragma_table_list WHERE name = ? COLLATE NOCASE", [&table], |row| {
            row.get(0)
        })
        .map_err(&failed)?;
    let index: Option<String> = db
        .query_row("SELECT min(name) FROM pragma_index_list(?) WHERE origin = 'pk'", [&table], |row| {
            row.get(0)
        })
        .map_err(&failed)?;
    Ok(match index {
        Some(index) if !is_btree => (index, true),
        _ => (table, is_btree),
    })
}

/// Counts the rows of the table of each statement.
fn counts(db: &Connection, own: &Own) -> Result<Vec<u64>> {
    let count = |table: &str| db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0));
    own.inserts().iter().map(|insert| count(&insert.table).map_err(doing("count the rows"))).collect()
}

impl Table for OwnTables {
    fn settings(&mut self) -> Result<BTreeMap<String, String>> {
        settings(&self.db, &self.schema)
    }

    fn insert(&mut self, _: usize, batch: &Batch<'_>) -> Result<Vec<Inserted>> {
        let failed = doing("insert");
        let mut inserted = Vec::with_capacity(batch.keys.len());
        let transaction = self.db.transaction().map_err(&failed)?;
        {
            let mut statements = self
                .own
                .inserts()
                .iter()
                .map(|insert| transaction.prepare(&insert.sql(1, |_| "?".to_owned())).map_err(&failed))
                .collect::<Result<Vec<_>>>()?;
            for (row, key, payload) in batch.rows() {
                let mut number = None;
                for (insert, statement) in self.own.inserts().iter().zip(&mut statements) {
                    let key = number.map_or(key, Key::Uint);
                    let values = insert.values(row, key, payload).map(|(_, value)| bound(value));
                    statement.execute(params_from_iter(values)).map_err(&failed)?;
                    if self.is_counted && number.is_none() {
                        number = u64::try_from(transaction.last_insert_rowid()).ok();
                    }
                }
                inserted.push(Inserted { key, number });
            }
        }
        transaction.commit().map_err(doing("commit"))?;
        Ok(inserted)
    }

    fn sorted_by_key(&self) -> bool {
        self.own.sorted_by_key()
    }

    fn counters(&mut self) -> Result<Counters> {
        status::counters(&self.db)
    }

    fn other_bytes(&mut self) -> Result<Option<u64>> {
        let sql = "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name NOT IN (?, 'sqlite_schema')";
        self.db.query_row(sql, [&self.tree.0], |row| row.get(0)).map(Some).map_err(doing("read the pages"))
    }

    fn trees(&mut self) -> Result<Vec<Tree>> {
        let (name, is_btree) = &self.tree;
        Ok(vec![layout::tree(&self.db, name, Role::Rows, *is_btree)?])
    }

    fn keys(&mut self, _: Role, visit: &mut dyn FnMut(Key) -> Result<()>) -> Result<()> {
        let (column, table, order) = (self.own.key_column(), self.own.table(), self.own.sorted_by());
        let failed = doing("read the keys back");
        let mut statement =
            self.db.prepare(&format!("SELECT {column} FROM {table} ORDER BY {order}")).map_err(&failed)?;
        let mut rows = statement.query([]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            visit(read_key(row)?)?;
        }
        Ok(())
    }

    fn contents(&mut self) -> Result<Contents> {
        Contents::of_own(&self.own, &self.at_start, &counts(&self.db, &self.own)?)
    }
}

fn bound(value: Value<'_>) -> Sql {
    match value {
        Value::Key(Key::Assigned) => Sql::Null,
        // Numbers made by clients have 63 bits.
        Value::Key(Key::Uint(number)) => Sql::Integer(number.cast_signed()),
        Value::Key(Key::Binary(bytes)) => Sql::Blob(bytes.to_vec()),
        Value::Key(Key::Text(text)) => Sql::Text(text.to_string()),
        Value::Integer(number) => Sql::Integer(number),
        Value::Text(text) => Sql::Text(text),
        Value::Bytes(bytes) => Sql::Blob(bytes.to_vec()),
    }
}
