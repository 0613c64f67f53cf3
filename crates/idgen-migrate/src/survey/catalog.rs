//! Reads the schema of a database from its catalog.

mod mysql;
mod postgres;
mod rows;
mod sequence;
mod sqlite;

use std::collections::HashMap;

use crate::survey::options::Options;
use crate::survey::schema::{Catalog, Table};
use crate::survey::session::{Engine, Session};
use idgen_database::{Error, Result};

/// Reads the catalog with a fixed number of statements, however many tables there are.
pub(crate) async fn read(session: &mut Session, options: &Options) -> Result<Catalog> {
    let mut catalog = match session.engine {
        Engine::MySql | Engine::MariaDb => mysql::read(session).await?,
        Engine::Postgres => postgres::read(session, options).await?,
        Engine::Sqlite => sqlite::read(session).await?,
    };
    catalog.retain(&options.tables)?;
    catalog.index_foreign();
    Ok(catalog)
}

impl Catalog {
    /// Keeps the tables with these names. Foreign keys to or from others are dropped.
    fn retain(&mut self, names: &[String]) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let is_named = |table: &Table, name: &String| *name == table.name || *name == table.shown();
        if let Some(missing) =
            names.iter().find(|name| !self.tables.iter().any(|table| is_named(table, name)))
        {
            return Err(Error::new(format!(
                "there is no table {missing}, or this user may not see it: check its name, and the schema of the URL"
            )));
        }
        let mut kept = HashMap::new();
        let mut tables = Vec::new();
        for (at, table) in std::mem::take(&mut self.tables).into_iter().enumerate() {
            if names.iter().any(|name| is_named(&table, name)) {
                kept.insert(at, tables.len());
                tables.push(table);
            }
        }
        self.tables = tables;
        self.foreign.retain_mut(|foreign| match (kept.get(&foreign.table), kept.get(&foreign.parent)) {
            (Some(&table), Some(&parent)) => {
                (foreign.table, foreign.parent) = (table, parent);
                true
            }
            _ => false,
        });
        Ok(())
    }
}
