//! The tables that change together: those whose foreign keys connect them with the named table.

use std::collections::{BTreeMap, BTreeSet};

use super::catalog::{Catalog, Foreign, Table};
use super::form::Form;
use super::session::Session;
use crate::error::{Error, Result};

/// The tables, parents first, and the columns whose type changes.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) order: Vec<String>,
    pub(super) keys: BTreeMap<(String, String), Form>,
    /// What the person must know: primary keys that stay as they are.
    pub(super) notes: Vec<String>,
}

impl Graph {
    pub(super) async fn find(session: &mut Session, catalog: &Catalog, start: &str) -> Result<Graph> {
        let table = catalog.table(start)?;
        let mut graph = Graph::default();
        if graph.take_primary_key(session, table).await?.is_none() {
            if table.primary.len() > 1 {
                return Err(Error::new(format!(
                    "the primary key of {start} has {} columns ({}): the plan changes primary keys of one column. If one of them \
                     refers to another table, name that table",
                    table.primary.len(),
                    table.primary.join(", ")
                )));
            }
            return Err(Error::new(format!(
                "the primary key of {start} cannot be changed: it must be one column of text (CHAR or VARCHAR of 32 to 64 \
                 characters) or BINARY(16), and most of its values must be ids of 32 hexadecimal digits"
            )));
        }
        let mut members = BTreeSet::from([start.to_owned()]);
        graph.take_parents(session, catalog, &members).await?;
        while let Some(added) = graph.next_member(catalog, &members) {
            if let Some(table) = catalog.tables.get(&added) {
                graph.take_primary_key(session, table).await?;
            }
            members.insert(added);
            graph.take_parents(session, catalog, &members).await?;
        }
        graph.order(catalog, &members)?;
        graph.notes = graph.order.iter().filter_map(|name| graph.note(catalog.tables.get(name)?)).collect();
        Ok(graph)
    }

    /// What the primary key of a table means for the plan, if it is not one changed column.
    fn note(&self, table: &Table) -> Option<String> {
        let (name, first) = (&table.name, table.primary.first()?);
        if table.primary.len() > 1 {
            return Some(format!(
                "The primary key of {name} has several columns: all rows with the same {first} are copied in one transaction."
            ));
        }
        let changes = self.keys.contains_key(&(name.clone(), first.clone()));
        (!changes).then(|| format!("The primary key of {name} keeps its type: it is no id of 128 bits."))
    }

    async fn take_primary_key(&mut self, session: &mut Session, table: &Table) -> Result<Option<Form>> {
        let [name] = &table.primary[..] else { return Ok(None) };
        let Some(column) = table.column(name) else { return Ok(None) };
        let form = Form::of(session, &table.name, column).await?;
        if let Some(form) = form {
            self.keys.insert((table.name.clone(), name.clone()), form);
        }
        Ok(form)
    }

    /// Takes the columns that members refer to, if they hold ids too. Other parents stay as they are.
    async fn take_parents(
        &mut self,
        session: &mut Session,
        catalog: &Catalog,
        members: &BTreeSet<String>,
    ) -> Result<()> {
        for key in catalog.foreign.iter().filter(|key| members.contains(&key.table)) {
            let ([column], Some(parent)) = (&key.to_columns[..], catalog.tables.get(&key.to_table)) else {
                continue;
            };
            let place = (key.to_table.clone(), column.clone());
            if self.keys.contains_key(&place) {
                continue;
            }
            if let Some(column) = parent.column(column)
                && let Some(form) = Form::of(session, &parent.name, column).await?
            {
                self.keys.insert(place, form);
            }
        }
        Ok(())
    }

    /// Gives both sides of each foreign key between changed columns their form, and returns a table that has to be a member
    /// and is not yet. A table that refers to a member must be one in any case: its foreign key would follow the old table.
    fn next_member(&mut self, catalog: &Catalog, members: &BTreeSet<String>) -> Option<String> {
        let mut changed = true;
        while changed {
            changed = false;
            for key in &catalog.foreign {
                for (from, to) in key.columns.iter().zip(&key.to_columns) {
                    let child = (key.table.clone(), from.clone());
                    let parent = (key.to_table.clone(), to.clone());
                    match (self.keys.get(&child).copied(), self.keys.get(&parent).copied()) {
                        (Some(form), None) => changed |= self.keys.insert(parent, form).is_none(),
                        (None, Some(form)) => changed |= self.keys.insert(child, form).is_none(),
                        _ => {}
                    }
                }
            }
        }
        let refers =
            catalog.foreign.iter().filter(|key| members.contains(&key.to_table)).map(|key| &key.table);
        self.keys
            .keys()
            .map(|(table, _)| table)
            .chain(refers)
            .find(|table| !members.contains(*table))
            .cloned()
    }

    /// Parents before children; a table may refer to itself, but not through another.
    fn order(&mut self, catalog: &Catalog, members: &BTreeSet<String>) -> Result<()> {
        let mut left = members.clone();
        while !left.is_empty() {
            let waits = |table: &&String| {
                let parents =
                    catalog.foreign.iter().filter(|key| key.table == **table && key.to_table != **table);
                parents.into_iter().any(|key| left.contains(&key.to_table))
            };
            let Some(next) = left.iter().find(|table| !waits(table)).cloned() else {
                let names: Vec<_> = left.into_iter().collect();
                return Err(Error::new(format!(
                    "the foreign keys of {} form a circle, so no order of copying keeps them valid: drop one of them for \
                     the time of the change",
                    names.join(", ")
                )));
            };
            left.remove(&next);
            self.order.push(next);
        }
        Ok(())
    }

    /// Refuses what the plan cannot do, with the reason.
    pub(super) fn refuse(&self, catalog: &Catalog) -> Result<()> {
        for name in &self.order {
            let Some(table) = catalog.tables.get(name) else {
                return Err(Error::new(format!(
                    "the table {name} is not visible for this user: grant SELECT on it"
                )));
            };
            let why = if table.is_view {
                "is not a base table"
            } else if !table.engine.eq_ignore_ascii_case("InnoDB") {
                "is not in InnoDB, so a change and its copy are not one transaction: change its engine first"
            } else if table.is_partitioned {
                "is partitioned; MySQL and MariaDB have no foreign keys there, and the plan does not cover it"
            } else if table.primary.is_empty() {
                "has no primary key, so the copy cannot find rows again: add one first"
            } else {
                continue;
            };
            return Err(Error::new(format!("the table {name} {why}")));
        }
        if let Some((table, trigger)) = catalog.triggers.iter().find(|(table, _)| self.order.contains(table))
        {
            return Err(Error::new(format!(
                "the table {table} has the trigger {trigger}: after the renaming it would belong to the old table. Drop it, \
                 and create it for the new table after the last step"
            )));
        }
        for key in catalog.foreign.iter().filter(|key| self.concerns(key)) {
            self.refuse_foreign_key(catalog, key)?;
        }
        for (table, column) in self.keys.keys() {
            let of = catalog.tables.get(table).and_then(|table| table.column(column));
            if of.is_some_and(|column| column.is_generated) {
                return Err(Error::new(format!(
                    "{table}.{column} is a generated column: its expression must be changed by hand"
                )));
            }
        }
        Ok(())
    }

    pub(super) fn concerns(&self, key: &Foreign) -> bool {
        self.order.contains(&key.table) || self.order.contains(&key.to_table)
    }

    fn refuse_foreign_key(&self, catalog: &Catalog, key: &Foreign) -> Result<()> {
        let name = format!("the foreign key {} of {}.{}", key.name, key.schema, key.table);
        let of_other = [&key.schema, &key.to_schema].into_iter().find(|schema| **schema != catalog.schema);
        if let Some(other) = of_other {
            return Err(Error::new(format!(
                "{name} connects this schema with the schema {other}: the plan changes one schema. Drop it for the time of the \
                 change"
            )));
        }
        let changes = |column: &&String| self.keys.contains_key(&(key.table.clone(), (*column).clone()));
        if let Some(changed) = key.columns.iter().find(changes).filter(|_| key.columns.len() > 1) {
            return Err(Error::new(format!(
                "{name} has {} columns ({}), and {changed} changes: the plan changes foreign keys of one column. Drop it for the \
                 time of the change",
                key.columns.len(),
                key.columns.join(", ")
            )));
        }
        if key.table == key.to_table && key.on_delete == "CASCADE" {
            return Err(Error::new(format!(
                "{name} refers to its own table with ON DELETE CASCADE. InnoDB deletes these rows without triggers, at all \
                 depths, so the copy cannot be kept current: replace it by RESTRICT or SET NULL for the time of the change"
            )));
        }
        Ok(())
    }
}
