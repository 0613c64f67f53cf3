//! Reads the pages of a tree from the `dbstat` virtual table.
//!
//! `dbstat` identifies each page's place in the tree by a path that sorts in the order of the keys, and lists the
//! page's cells and unused bytes. Source: SQLite documentation, "The DBSTAT Virtual Table".

use rusqlite::Connection;

use super::{PAGE_BYTES, doing};
use crate::engine::{Leaf, Tree};
use crate::{Error, Result};
use idgen_record::Role;

/// The pages of this table. With `rows_on_inner_pages`, the tree is a B-tree and not a B+tree.
pub fn tree(db: &Connection, table: &str, role: Role, rows_on_inner_pages: bool) -> Result<Tree> {
    let failed = doing("read the pages");
    let mut statement = db
        .prepare("SELECT pagetype, ncell, pgsize - unused FROM dbstat WHERE name = ? ORDER BY path")
        .map_err(&failed)?;
    let mut tree = Tree {
        role,
        page_bytes: PAGE_BYTES,
        leaves: Vec::new(),
        inner_pages: 0,
        rows_between_leaves: u64::from(rows_on_inner_pages),
        file: None,
    };
    let mut pages = statement.query([table]).map_err(&failed)?;
    while let Some(page) = pages.next().map_err(&failed)? {
        let kind: String = page.get(0).map_err(&failed)?;
        match kind.as_str() {
            "leaf" => tree.leaves.push(Leaf {
                rows: page.get(1).map_err(&failed)?,
                used_bytes: page.get(2).map_err(&failed)?,
            }),
            "internal" => tree.inner_pages += 1,
            _ => {
                return Err(Error::unverified(format!(
                    "table {table} has a page of type {kind}: a row is wider than a page, choose a smaller payload"
                )));
            }
        }
    }
    Ok(tree)
}
