//! Surveys the indexes of a table in a copy of its file.

use std::collections::BTreeMap;

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::{Host, doing, files, number};
use crate::engine::timed::{Surveyed, filled};
use crate::experiment::File;
use crate::{Error, Result};
use idgen_record::{Database, Role, TreeFigures};
use innodb_pages::{IndexTree, Survey};

/// Surveys the file of a table of the scratch schema, and compares its rows with the number that the server counts.
pub async fn survey(host: &Host, connection: &mut MySqlConnection, file: &File) -> Result<Surveyed> {
    let table = &file.table;
    let counted = number(connection, &format!("SELECT CAST(COUNT(*) AS CHAR) FROM {table}")).await?;
    let names = names(host, connection, table).await?;

    let survey = Survey::of(&files::of(host, connection, table).await?);
    let clustered = survey.clustered().ok_or_else(|| Error::unverified("the table's file holds no index"))?;
    if clustered.records.to_string() != counted {
        return Err(Error::unverified(format!(
            "the file of {table} holds {} rows, but the server counts {counted}",
            clustered.records
        )));
    }
    let page_bytes = u64::from(survey.format.page_size);
    let figures = |tree: &IndexTree| {
        let name = names.get(&tree.id).cloned().unwrap_or_else(|| format!("index {}", tree.id));
        let role = if tree.clustered { Role::Rows } else { Role::Secondary };
        let leaf = tree.leaf();
        let pages = [leaf.pages, tree.pages.saturating_sub(leaf.pages)];
        filled(TreeFigures::index(&name, role, tree.records, pages, tree.pages * page_bytes), &leaf.fill)
    };
    Ok(Surveyed {
        rows: clustered.records,
        bytes: survey.pages * page_bytes,
        heap_bytes: None,
        indexes: survey.indexes.iter().map(figures).collect(),
    })
}

/// The names of the indexes by their numbers, asked from the server because MariaDB's files do not contain them.
async fn names(host: &Host, connection: &mut MySqlConnection, table: &str) -> Result<BTreeMap<u64, String>> {
    let failed = doing("read the names of the indexes");
    let prefix = if host.server.database() == Database::MariaDb { "INNODB_SYS" } else { "INNODB" };
    let sql = format!(
        "SELECT CAST(i.INDEX_ID AS CHAR), CAST(i.NAME AS CHAR) FROM information_schema.{prefix}_INDEXES i \
         JOIN information_schema.{prefix}_TABLES t ON t.TABLE_ID = i.TABLE_ID WHERE t.NAME = '{}/{table}'",
        host.scratch.name()
    );
    let mut names = BTreeMap::new();
    for row in connection.fetch_all(AssertSqlSafe(sql)).await.map_err(&failed)? {
        let id: String = row.try_get_unchecked(0).map_err(&failed)?;
        let name: String = row.try_get_unchecked(1).map_err(&failed)?;
        let id = id.parse().map_err(|error| Error::engine(format!("an index has the number {id}"), error))?;
        names.insert(id, name);
    }
    Ok(names)
}
