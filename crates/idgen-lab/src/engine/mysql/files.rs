//! Reads the pages of a table from a copy of its file.

use std::collections::BTreeSet;

use sqlx::mysql::MySqlConnection;

use super::{Host, run};
use crate::engine::file::maps;
use crate::engine::{Leaf, Tree};
use crate::{Error, Result};
use idgen_record::Role;
use innodb_pages::{Options, Page, Pages, Tablespace};

/// Copies the file of a table of the scratch schema while the server does not change it.
pub async fn of(host: &Host, connection: &mut MySqlConnection, table: &str) -> Result<Pages> {
    let directory =
        tempfile::tempdir().map_err(|error| Error::engine("cannot make a temporary directory", error))?;
    let copy = directory.path().join(format!("{table}.ibd"));
    run(connection, &format!("FLUSH TABLES {table} FOR EXPORT")).await?;
    let copied = host.server.copy_data_file(&format!("{}/{table}.ibd", host.scratch.name()), &copy);
    run(connection, "UNLOCK TABLES").await?;
    copied.map_err(|error| Error::engine("cannot copy the table's file", error))?;
    Tablespace::open(&copy, Options::default())
        .and_then(Tablespace::scan)
        .map_err(|error| Error::engine("cannot read the table's file", error))
}

/// Bytes of the indexes in a file, except for this many that were made first.
pub fn index_bytes(pages: &Pages, without: usize) -> u64 {
    let ids: Vec<u64> =
        pages.pages.iter().filter_map(|page| page.index.as_ref()).map(|index| index.index_id).collect();
    let all: BTreeSet<u64> = ids.iter().copied().collect();
    let counted: BTreeSet<u64> = all.into_iter().skip(without).collect();
    let pages_of = ids.iter().filter(|id| counted.contains(id)).count() as u64;
    pages_of * u64::from(pages.format.page_size)
}

/// The index with this number in a file, counted from 0 in the order in which the indexes were made: the clustered
/// index comes first.
pub fn index(pages: &Pages, role: Role, number: usize) -> Result<Tree> {
    let found: BTreeSet<u64> =
        pages.pages.iter().filter_map(|page| page.index.as_ref()).map(|index| index.index_id).collect();
    let index = *found.iter().nth(number).ok_or_else(|| {
        Error::unverified(format!(
            "the table's file holds {} indexes, none with number {number}",
            found.len()
        ))
    })?;
    let inner =
        |page: &&Page| page.index.as_ref().is_some_and(|found| found.index_id == index && found.level > 0);
    Ok(Tree {
        role,
        page_bytes: pages.format.page_size,
        leaves: leaves(pages, index)?,
        inner_pages: pages.pages.iter().filter(inner).count() as u64,
        rows_between_leaves: 0,
        file: Some(maps(pages, index)),
    })
}

/// Follows the leaf pages from the first to the last.
fn leaves(pages: &Pages, index_id: u64) -> Result<Vec<Leaf>> {
    let leaf = |number: usize| {
        let page = pages.pages.get(number)?;
        page.index.as_ref().filter(|index| index.index_id == index_id && index.level == 0)
    };
    let first =
        (0..pages.pages.len()).find(|number| leaf(*number).is_some_and(|index| index.previous.is_none()));
    let mut leaves = Vec::new();
    let mut next = first;
    while let Some(number) = next {
        let index = leaf(number).filter(|_| leaves.len() < pages.pages.len()).ok_or_else(|| {
            Error::unverified(format!(
                "the chain of leaf pages in the table's file is broken at page {number}"
            ))
        })?;
        leaves.push(Leaf { rows: u64::from(index.records), used_bytes: index.data_bytes });
        next = index.next.map(|number| number as usize);
    }
    Ok(leaves)
}
