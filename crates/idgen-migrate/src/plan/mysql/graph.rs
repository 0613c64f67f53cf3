//! The tables that change together: those whose foreign keys connect them with the named table.

use std::collections::{BTreeMap, BTreeSet};

use super::catalog::{Catalog, Table};
use super::form::Form;
use super::session::Session;
use idgen_database::catalog::ForeignKey;
use idgen_database::{Error, Result};

/// The tables, parents first, and the columns whose type changes.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) order: Vec<String>,
    pub(super) keys: BTreeMap<(String, String), Form>,
    /// Tables whose foreign keys form a circle.
    pub(super) circle: BTreeSet<String>,
    /// Notes for the person who executes the plan: primary keys that stay as they are.
    pub(super) notes: Vec<String>,
}

impl Graph {
    pub(super) async fn find(session: &mut Session, catalog: &Catalog, start: &str) -> Result<Graph> {
        let table = in_innodb(catalog, start)?;
        let mut graph = Graph::default();
        if graph.take_primary_key(session, table).await?.is_none() {
            if table.primary.len() > 1 {
                return Err(several_columns(table));
            }
            return Err(Error::new(format!(
                "the primary key of {start} cannot be changed: it must be one column of text (CHAR or VARCHAR of 32 or \
                 more characters) or BINARY(16), and most of its values must be ids of 32 hexadecimal digits"
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
        graph.order(catalog, members);
        graph.notes = graph.notes(catalog, "they are no ids of 128 bits");
        Ok(graph)
    }

    /// Finds the columns for `--to bigint`: the key of a table, and the columns that foreign keys connect with it. All
    /// other integers stay as they are.
    pub(super) fn of_integers(catalog: &Catalog, start: &str) -> Result<Graph> {
        let table = in_innodb(catalog, start)?;
        if table.primary.len() > 1 {
            return Err(several_columns(table));
        }
        let Some(column) = table.primary.first().and_then(|name| table.column(name)) else {
            return Err(Error::new(format!(
                "the table {start} has no primary key: there is no key to change"
            )));
        };
        let shown = format!("{start}.{}", column.name);
        if column.data_type == "bigint" {
            return Err(Error::new(format!("{shown} is {} already", column.type_text.to_uppercase())));
        }
        if !matches!(column.data_type.as_str(), "tinyint" | "smallint" | "mediumint" | "int") {
            return Err(Error::new(format!(
                "{shown} is {}: --to bigint changes keys of TINYINT, SMALLINT, MEDIUMINT or INT",
                column.type_text.to_uppercase()
            )));
        }
        let mut graph = Graph::default();
        graph.keys.insert((start.to_owned(), column.name.clone()), Form::Integer);
        let mut members = BTreeSet::from([start.to_owned()]);
        while let Some(added) = graph.next_member(catalog, &members) {
            members.insert(added);
        }
        graph.order(catalog, members);
        graph.notes = graph.notes(catalog, &format!("no foreign key connects them with {shown}"));
        Ok(graph)
    }

    /// Describes what the keys that identify rows mean for the plan, if they are not one changed primary key.
    fn notes(&self, catalog: &Catalog, why_some_stay: &str) -> Vec<String> {
        let tables = || self.order.iter().filter_map(|name| catalog.tables.get(name));
        let of_tables = |which: &dyn Fn(&Table) -> Option<String>, before: &str, after: &str| {
            let found: Vec<_> = tables().filter_map(which).collect();
            (!found.is_empty()).then(|| format!("{before} {}{after}", found.join(", ")))
        };
        let others =
            |table: &Table| (!table.has_primary_key()).then(|| format!("{} ({})", table.name, table.key));
        let several = |table: &Table| {
            let [first, _, ..] = &table.primary[..] else { return None };
            Some(format!("{} ({first})", table.name))
        };
        let stays = |table: &Table| {
            let [only] = &table.primary[..] else { return None };
            (!self.keys.contains_key(&(table.name.clone(), only.clone()))).then(|| table.name.clone())
        };
        let notes = [
            of_tables(
                &others,
                "These tables have no primary key of columns that are written; the unique key in parentheses tells their rows apart:",
                ".",
            ),
            of_tables(
                &several,
                "These tables have a key of several columns; all rows with the same value in the column in parentheses are copied in one \
                 transaction:",
                ".",
            ),
            of_tables(
                &stays,
                &format!("The keys of these tables keep their type, since {why_some_stay}:"),
                ".",
            ),
        ];
        notes.into_iter().flatten().collect()
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
            let Some(parent) = catalog.tables.get(&key.to_table) else { continue };
            for column in key.to_columns.iter().filter_map(|column| parent.column(column)) {
                let place = (key.to_table.clone(), column.name.clone());
                if self.keys.contains_key(&place) {
                    continue;
                }
                if let Some(form) = Form::of(session, &parent.name, column).await? {
                    self.keys.insert(place, form);
                }
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
    fn order(&mut self, catalog: &Catalog, mut left: BTreeSet<String>) {
        while !left.is_empty() {
            let waits = |table: &&String| {
                let parents =
                    catalog.foreign.iter().filter(|key| key.table == **table && key.to_table != **table);
                parents.into_iter().any(|key| left.contains(&key.to_table))
            };
            let Some(next) = left.iter().find(|table| !waits(table)).cloned() else { break };
            left.remove(&next);
            self.order.push(next);
        }
        self.circle = self.without_children(catalog, left.clone());
        self.order.extend(left);
    }

    /// Returns those of these tables that are in a circle or between two circles. Tables that only refer to a circle
    /// are left out.
    fn without_children(&self, catalog: &Catalog, mut left: BTreeSet<String>) -> BTreeSet<String> {
        let is_parent = |table: &String, left: &BTreeSet<String>| {
            let mut children =
                catalog.foreign.iter().filter(|key| key.to_table == *table && key.table != *table);
            children.any(|key| left.contains(&key.table))
        };
        while let Some(child) = left.iter().find(|table| !is_parent(table, &left)).cloned() {
            left.remove(&child);
        }
        left
    }

    pub(super) fn concerns(&self, key: &ForeignKey) -> bool {
        self.order.contains(&key.table) || self.order.contains(&key.to_table)
    }
}

/// The table that a plan begins with. If it is not in InnoDB, nothing else is read: its catalog may look different.
fn in_innodb<'a>(catalog: &'a Catalog, start: &str) -> Result<&'a Table> {
    let table = catalog.table(start)?;
    not_innodb(table).map_or(Ok(table), |why| Err(Error::new(why)))
}

fn several_columns(table: &Table) -> Error {
    Error::new(format!(
        "the primary key of {} has {} columns ({}): the plan changes primary keys of one column. If one of them refers to another \
         table, name that table",
        table.name,
        table.primary.len(),
        table.primary.join(", ")
    ))
}

/// Describes the problem of a table of another engine than InnoDB. Views have no engine.
pub(super) fn not_innodb(table: &Table) -> Option<String> {
    let Table { name, engine, .. } = table;
    (table.is_base() && !engine.eq_ignore_ascii_case("InnoDB")).then(|| {
        format!("the table {name} is in {engine}, not in InnoDB, the only engine that plans are for: change its engine first")
    })
}
