//! Surveys the indexes of a table in a copy of its file.

use std::collections::BTreeMap;

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::{Host, doing, files, number};
use crate::experiment::File;
use crate::{Error, Result};
use idgen_record::{Database, FileFigures, IndexFigures};
use innodb_pages::{IndexTree, Survey};

/// Surveys the file of a table of the scratch schema, and compares its rows with the number that the server counts.
pub async fn survey(host: &Host, connection: &mut MySqlConnection, file: &File) -> Result<FileFigures> {
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
    Ok(FileFigures {
        rows: clustered.records,
        heap_bytes: None,
        bytes: survey.pages * page_bytes,
        key_bytes: file.key_bytes,
        published_fill: file.published_fill,
        published_key_share: file.published_key_share,
        indexes: survey.indexes.iter().map(|index| figures(index, &names, page_bytes)).collect(),
    })
}

fn figures(index: &IndexTree, names: &BTreeMap<u64, String>, page_bytes: u64) -> IndexFigures {
    let leaf = index.leaf();
    IndexFigures {
        name: names.get(&index.id).cloned().unwrap_or_else(|| format!("index {}", index.id)),
        leaf_pages: leaf.pages,
        bytes: index.pages * page_bytes,
        fill_mean: leaf.fill.mean,
        fill_p10: leaf.fill.p10,
    }
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
