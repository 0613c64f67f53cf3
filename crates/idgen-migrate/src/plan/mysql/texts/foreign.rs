//! The foreign keys of a new table.

use serde::Serialize;

use super::Texts;
use crate::plan::mysql::catalog::Table;
use crate::plan::mysql::quote::{name, with_ending};
use idgen_database::catalog::ForeignKey;

#[derive(Serialize)]
pub(in crate::plan::mysql) struct ForeignText {
    pub(in crate::plan::mysql) old_name: String,
    new_name: String,
    columns: Vec<String>,
    pub(in crate::plan::mysql) to: String,
    new_to: String,
    now_to: String,
    to_columns: Vec<String>,
    on_delete: String,
    on_update: String,
    join: String,
    orphan: String,
    /// It refers to its own table.
    pub(in crate::plan::mysql) is_own: bool,
}

impl ForeignText {
    pub(in crate::plan::mysql) fn name(&self) -> &str {
        &self.new_name
    }

    pub(in crate::plan::mysql) fn column_count(&self) -> usize {
        self.columns.len()
    }
}

impl Texts<'_> {
    pub(super) fn foreign(&self, table: &Table) -> Vec<ForeignText> {
        let of_table = self.catalog.foreign.iter().filter(|key| key.table == table.name);
        of_table.map(|key| self.foreign_key(key)).collect()
    }

    fn foreign_key(&self, key: &ForeignKey) -> ForeignText {
        let changes = self.graph.order.contains(&key.to_table);
        let new = |table: &str, columns: &[String]| -> Vec<String> {
            columns.iter().map(|column| self.key_name(table, column)).collect()
        };
        let (columns, to_columns) = (new(&key.table, &key.columns), new(&key.to_table, &key.to_columns));
        let pairs = columns.iter().zip(&to_columns);
        let join: Vec<_> = pairs.map(|(from, to)| format!("p.{} = s.{}", name(to), name(from))).collect();
        let mut orphan: Vec<_> = columns.iter().map(|from| format!("s.{} IS NOT NULL", name(from))).collect();
        orphan.extend(to_columns.first().map(|to| format!("p.{} IS NULL", name(to))));
        ForeignText {
            old_name: key.name.clone(),
            new_name: match key.name.strip_suffix("_plan") {
                // The key has the name that an earlier plan gave it. The new name must differ, because the old key
                // stays until the end.
                Some(name) => name.to_owned(),
                None => with_ending(&key.name, "_plan"),
            },
            columns,
            to: key.to_table.clone(),
            new_to: if changes { self.new_name(&key.to_table) } else { key.to_table.clone() },
            now_to: key.to_table.clone(),
            to_columns,
            on_delete: key.on_delete.clone(),
            on_update: key.on_update.clone(),
            join: join.join(" AND "),
            orphan: orphan.join(" AND "),
            is_own: key.table == key.to_table,
        }
    }
}
