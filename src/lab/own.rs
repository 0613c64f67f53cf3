//! A table and a statement of the user's own, from two files, and the lab's row with secondary indexes.

use std::path::PathBuf;

use idgen_lab::own::{Own, with_secondary_indexes};
use idgen_record::{Database, OwnTable, Workload};

use crate::failure;
use crate::number;
use crate::text_file;

/// Indexes that the lab's row may have.
const MAX_INDEXES: u64 = 16;
/// Values that MySQL and PostgreSQL take in one statement.
const MAX_BOUND: usize = 65_535;

// No documentation comment: it would become that of the command that takes these.
#[derive(clap::Args)]
pub struct OwnArgs {
    /// Your own tables in place of the lab's: CREATE TABLE and CREATE INDEX statements. {key_type} stands for the type
    /// of the key, which must be the primary key or a column of it, and {reference_type} for the type of a column that refers to it.
    #[arg(long, value_name = "FILE", requires = "insert", conflicts_with_all = ["payload", "serializable"])]
    schema: Option<PathBuf>,
    /// The INSERT statement of a row, with {key}, {row} (from 1), {number}, {text:N} and {bytes:N} for values. Further
    /// statements insert into other tables, in the same transaction.
    #[arg(long, value_name = "FILE", requires = "schema")]
    insert: Option<PathBuf>,
    /// Add N columns of random numbers to the lab's table, each with an index.
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>(1..=MAX_INDEXES), conflicts_with_all = ["schema", "serializable"], allow_negative_numbers = true)]
    secondary_indexes: Option<u32>,
}

impl OwnArgs {
    /// Returns whether the user gave a statement, which is run as it is unless more rows are asked for.
    pub fn has_statement(&self) -> bool {
        self.insert.is_some()
    }

    /// Returns whether the table is another than the lab's plain one.
    pub fn is_given(&self) -> bool {
        self.schema.is_some() || self.secondary_indexes.is_some()
    }

    /// The load on these tables.
    pub fn apply(&self, load: Workload, database: Database) -> anyhow::Result<Workload> {
        let own = match (&self.schema, &self.insert, self.secondary_indexes) {
            (Some(schema), Some(insert), _) => {
                OwnTable { schema: text_file::read(schema)?, insert: text_file::read(insert)? }
            }
            (_, _, Some(indexes)) => with_secondary_indexes(indexes, load.payload_bytes, database),
            _ => return Ok(load),
        };
        let read = Own::read(&own, database).map_err(failure::usage)?;
        let rows = load.statement_rows as usize;
        if read.bound(rows) > MAX_BOUND {
            return Err(failure::usage(format_args!(
                "a statement of {rows} rows has {} values, and a server takes at most {MAX_BOUND}: lower --statement-rows",
                read.bound(rows)
            )));
        }
        Ok(Workload { payload_bytes: read.payload_bytes(), own: Some(own), ..load })
    }

    /// Returns whether the table is the lab's with secondary indexes.
    pub fn is_indexed(&self) -> bool {
        self.secondary_indexes.is_some()
    }

    /// The given options as a part of the command.
    pub fn given(&self) -> String {
        let file = |name: &str, path: &Option<PathBuf>| {
            path.as_ref().map(|path| format!(" --{name} {}", path.display())).unwrap_or_default()
        };
        let indexes = self.secondary_indexes.map(|count| format!(" --secondary-indexes {count}"));
        [file("schema", &self.schema), file("insert", &self.insert), indexes.unwrap_or_default()].concat()
    }
}
