//! The tables, columns, keys and foreign keys of a database.

use std::collections::HashMap;

/// The type in which a column stores an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// An integer of this many bits.
    Int { bits: u32, unsigned: bool },
    /// A type for UUIDs.
    Uuid,
    /// Bytes; `fixed` are padded to their length.
    Bytes { fixed: bool },
    /// Text. `fixed` is `CHAR(n)`, from whose end spaces are cut.
    Text { fixed: bool },
    /// SQLite: each value has its own type.
    Any,
    /// Types that hold no ids.
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// The type as the catalog writes it.
    pub(crate) type_text: String,
    pub(crate) class: Class,
    /// False for a type that somebody made in the database: casts to it and comparisons with it may call functions that others wrote, with the
    /// rights of the survey's user.
    pub(crate) is_builtin: bool,
    pub(crate) nullable: bool,
    /// Characters or bytes that a value may have; SQLite does not enforce it.
    pub(crate) length: Option<u64>,
    pub(crate) charset: Option<String>,
    pub(crate) collation: Option<String>,
    /// True if the collation treats two letters that differ in case as equal.
    pub(crate) ignores_case: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) unique: bool,
    pub(crate) primary: bool,
    /// Positions in the table's columns.
    pub(crate) columns: Vec<usize>,
    /// Characters or bytes of a column that its entries hold, if they hold the beginning only.
    pub(crate) prefixes: HashMap<usize, u64>,
    /// Rows that have an entry, if it is a partial index and statistics count them.
    pub(crate) entries: Option<u64>,
    /// Positions of columns that its entries hold without being ordered by them.
    pub(crate) included: Vec<usize>,
    /// True if its entries hold values of columns: those of full-text indexes are words.
    pub(crate) holds_values: bool,
    /// True if it covers all rows, and whole values of columns: no partial index, no prefix, no expression.
    pub(crate) whole: bool,
    /// Pages of all levels, where the catalog says so.
    pub(crate) pages: Option<u64>,
    /// Leaf pages, where the catalog says so.
    pub(crate) leaf_pages: Option<u64>,
    /// The mean page fill of the leaves, where they were counted.
    pub(crate) fill: Option<f64>,
}

/// A counter of the server: `AUTO_INCREMENT`, or a sequence.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    pub(crate) column: usize,
    pub(crate) name: String,
    /// The share of its values that is used, or what is missing to know it. What is missing is said in the plural, of all such counters.
    pub(crate) used: Result<f64, String>,
    /// The schema and the name of the partitioned table that the counter belongs to, and with it all its partitions.
    pub(crate) parent: Option<(String, String)>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) schema: String,
    pub(crate) name: String,
    /// Rows, as the server's statistics estimate them.
    pub(crate) rows: Option<u64>,
    pub(crate) columns: Vec<Column>,
    pub(crate) keys: Vec<Key>,
    pub(crate) counters: Vec<Counter>,
    /// True if rows are stored in the order of the primary key.
    pub(crate) clustered: bool,
    /// The storage engine, where a server has several.
    pub(crate) storage: Option<String>,
    /// Bytes that the table takes for each row, where the catalog says so.
    pub(crate) bytes_per_row: Option<f64>,
    /// Why this session cannot read its rows, if it cannot.
    pub(crate) unreadable: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub(crate) struct ForeignKey {
    pub(crate) name: String,
    pub(crate) table: usize,
    pub(crate) columns: Vec<usize>,
    pub(crate) parent: usize,
    pub(crate) parent_columns: Vec<usize>,
    /// The action of the server on the rows that refer to a row, such as `ON DELETE CASCADE`, if the server does not
    /// report its errors.
    pub(crate) unreported: Option<String>,
}

/// The tables, keys and foreign keys of a database, as its catalog describes them.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) tables: Vec<Table>,
    pub(crate) foreign: Vec<ForeignKey>,
    /// The places in `foreign` of the keys that a table has.
    of_table: HashMap<usize, Vec<usize>>,
    /// The places in `foreign` of the keys that refer to a table.
    to_table: HashMap<usize, Vec<usize>>,
    /// Bytes of a page.
    pub(crate) page_bytes: u32,
    /// Bytes of the buffer pool, or of the cache that the database has instead.
    pub(crate) pool_bytes: Option<u64>,
    /// Privileges that were used.
    pub(crate) used: Vec<String>,
    /// The facts that could not be read, each with what is needed to read it.
    pub(crate) unseen: Vec<String>,
}

impl Column {
    /// Returns true if the name and the type are those of the time at which a row was made.
    pub(crate) fn is_creation_time(&self) -> bool {
        let kind = self.type_text.to_ascii_lowercase();
        let name = self.name.to_ascii_lowercase();
        let is_time = ["timestamp", "datetime"].iter().any(|part| kind.starts_with(part))
            || (self.class == Class::Any && !kind.contains("blob"));
        let parts =
            ["creat", "insert", "added", "joined", "regist", "received", "submitted", "placed", "logged"];
        let is_exact =
            matches!(name.as_str(), "at" | "time" | "timestamp" | "ts" | "made" | "made_at" | "ctime");
        let is_person = ["creator", "_by", "user", "author"].iter().any(|part| name.contains(part));
        is_time && !is_person && (is_exact || parts.iter().any(|part| name.contains(part)))
    }
}

impl Key {
    pub(crate) fn new(name: &str, unique: bool, primary: bool, whole: bool) -> Key {
        Key { name: name.to_owned(), unique, primary, holds_values: true, whole, ..Key::default() }
    }
}

impl Table {
    /// Its name, with the schema where the database has several.
    pub(crate) fn shown(&self) -> String {
        match self.schema.as_str() {
            "" | "public" => self.name.clone(),
            schema => format!("{schema}.{}", self.name),
        }
    }

    pub(crate) fn primary(&self) -> Option<&Key> {
        self.keys.iter().find(|key| key.primary)
    }

    /// The key that identifies rows: the primary key, or a unique one without nulls.
    pub(crate) fn identity(&self) -> Option<&Key> {
        let complete =
            |key: &&Key| key.unique && key.whole && key.columns.iter().all(|&at| !self.columns[at].nullable);
        self.primary().or_else(|| self.keys.iter().find(complete))
    }

    /// Returns true if a key guarantees that values of this column alone are never repeated.
    pub(crate) fn is_unique(&self, column: usize) -> bool {
        self.keys.iter().any(|key| (key.unique || key.primary) && key.whole && key.columns == [column])
    }

    /// Returns true if a counter fills this column with integers. A text that a sequence is a part of is not in its order.
    pub(crate) fn is_counted(&self, column: usize) -> bool {
        let is_integer = matches!(self.columns[column].class, Class::Int { .. } | Class::Any);
        is_integer && self.counters.iter().any(|counter| counter.column == column)
    }

    /// Returns true if an index begins with this column, so that a look-up reads few pages.
    pub(crate) fn is_led(&self, column: usize) -> bool {
        self.keys.iter().any(|key| key.whole && key.columns.first() == Some(&column))
    }
}

impl Catalog {
    /// One without tables, of a server with pages of this size.
    pub(crate) fn new(page_bytes: u32) -> Catalog {
        Catalog { page_bytes, ..Catalog::default() }
    }

    /// Indexes the foreign keys by their tables, once all are there.
    pub(crate) fn index_foreign(&mut self) {
        for (at, foreign) in self.foreign.iter().enumerate() {
            self.of_table.entry(foreign.table).or_default().push(at);
            self.to_table.entry(foreign.parent).or_default().push(at);
        }
    }

    /// The foreign keys that a table has.
    pub(crate) fn foreign_of(&self, table: usize) -> impl Iterator<Item = &ForeignKey> {
        self.of_table.get(&table).into_iter().flatten().map(|&at| &self.foreign[at])
    }

    /// The foreign keys that refer to a table.
    pub(crate) fn foreign_to(&self, table: usize) -> impl Iterator<Item = &ForeignKey> {
        self.to_table.get(&table).into_iter().flatten().map(|&at| &self.foreign[at])
    }
}
