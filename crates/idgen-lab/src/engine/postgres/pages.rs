//! Reads the pages of an index with `pageinspect`.
//!
//! Source: PostgreSQL manual, section pageinspect; `src/include/access/nbtree.h`.

use std::collections::HashMap;

use innodb_pages::{Cell, Measure, PageMap};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::doing;
use super::reach::Reach;
use crate::engine::file::summed_up;
use crate::engine::{Leaf, Tree};
use crate::{Error, Result};
use idgen_record::{FileMaps, Role};

/// A page of an index.
struct Page {
    number: i64,
    /// `None` for a deleted page.
    level: Option<i64>,
    items: u64,
    used_bytes: u32,
    previous: i64,
    next: i64,
    lsn: u64,
}

/// Reads an index.
pub async fn tree(connection: &mut PgConnection, role: Role, index: &str, reach: &Reach) -> Result<Tree> {
    let page_bytes = reach.page_bytes;
    let pages = read(connection, index, reach).await?;
    let inner = |page: &&Page| page.level.is_some_and(|level| level > 0);
    Ok(Tree {
        role,
        page_bytes,
        leaves: leaves(&pages)?,
        inner_pages: pages.iter().filter(inner).count() as u64,
        rows_between_leaves: 0,
        file: Some(maps(&pages, page_bytes)),
    })
}

/// All pages except the first, which describes the index.
async fn read(connection: &mut PgConnection, index: &str, reach: &Reach) -> Result<Vec<Page>> {
    let failed = doing("read the pages of an index");
    let page_bytes = reach.page_bytes;
    let sql = statement(index, reach);
    let rows = connection.fetch_all(AssertSqlSafe(sql)).await.map_err(&failed)?;
    rows.iter()
        .map(|row| {
            let at = |column: usize| row.try_get::<i64, _>(column).map_err(&failed);
            let kind: String = row.try_get(1).map_err(&failed)?;
            Ok(Page {
                number: at(0)?,
                level: ["l", "i", "r"].contains(&kind.as_str()).then_some(at(6)?),
                items: u64::try_from(at(2)?).unwrap_or(0),
                used_bytes: page_bytes.saturating_sub(u32::try_from(at(3)?).unwrap_or(0)),
                previous: at(4)?,
                next: at(5)?,
                lsn: u64::try_from(at(7)?).unwrap_or(0),
            })
        })
        .collect()
}

fn statement(index: &str, reach: &Reach) -> String {
    let from = match reach.lists_pages() {
        true => format!("bt_multi_page_stats('{index}', 1, -1)"),
        false => format!(
            "generate_series(1, pg_relation_size('{index}') / {} - 1) AS page, bt_page_stats('{index}', page)",
            reach.page_bytes
        ),
    };
    format!(
        "SELECT blkno::int8, type::text, live_items::int8, free_size::int8, btpo_prev::int8, btpo_next::int8, \
         btpo_level::int8, ((page_header(get_raw_page('{index}', blkno::int8))).lsn - '0/0')::int8 FROM {from} ORDER BY blkno"
    )
}

/// Follows the leaf pages from the first to the last.
fn leaves(pages: &[Page]) -> Result<Vec<Leaf>> {
    let by_number: HashMap<i64, &Page> =
        pages.iter().filter(|page| page.level == Some(0)).map(|page| (page.number, page)).collect();
    let mut leaves = Vec::with_capacity(by_number.len());
    let mut next = by_number.values().find(|page| page.previous == 0).map_or(0, |page| page.number);
    while next != 0 {
        let page = by_number.get(&next).filter(|_| leaves.len() < by_number.len()).ok_or_else(|| {
            Error::unverified(format!("the chain of leaf pages of the index is broken at page {next}"))
        })?;
        // Every leaf page except the last one begins with a high key, which is not a row.
        let high_keys = u64::from(page.next != 0);
        leaves.push(Leaf { rows: page.items.saturating_sub(high_keys), used_bytes: page.used_bytes });
        next = page.next;
    }
    Ok(leaves)
}

fn maps(pages: &[Page], page_bytes: u32) -> FileMaps {
    let mut lsns: Vec<u64> = pages.iter().map(|page| page.lsn).filter(|lsn| *lsn > 0).collect();
    let leaf_lsns: Vec<u64> =
        pages.iter().filter(|page| page.level == Some(0)).map(|page| page.lsn).collect();
    lsns.sort_unstable();
    lsns.dedup();
    let oldest_to_newest = lsns.len().saturating_sub(1).max(1) as f64;
    let map = |measure| {
        let shade = |page: &Page| match measure {
            Measure::Fill => f64::from(page.used_bytes) / f64::from(page_bytes),
            Measure::Recency => lsns.partition_point(|lsn| *lsn < page.lsn) as f64 / oldest_to_newest,
        };
        let cell = |page: &Page| match page.level {
            None => Cell::Free,
            Some(0) => Cell::Leaf { shade: shade(page) },
            Some(_) => Cell::Inner { shade: shade(page) },
        };
        PageMap { measure, cells: std::iter::once(Cell::Other).chain(pages.iter().map(cell)).collect() }
    };
    summed_up(map, &lsns, &leaf_lsns)
}

/// The mean page fill of the leaf pages of an index, from 0 to 1.
pub async fn density(connection: &mut PgConnection, index: &str) -> Result<f64> {
    let failed = doing("ask how full an index is");
    let sql = AssertSqlSafe(format!("SELECT avg_leaf_density FROM pgstatindex('{index}')"));
    let row = connection.fetch_one(sql).await.map_err(&failed)?;
    Ok(row.try_get::<f64, _>(0).map_err(&failed)? / 100.0)
}

/// Bytes of a table's heap or of an index.
pub async fn bytes(connection: &mut PgConnection, relation: &str) -> Result<u64> {
    let failed = doing("ask for the size of a table");
    let sql = AssertSqlSafe(format!("SELECT pg_relation_size('{relation}')"));
    let row = connection.fetch_one(sql).await.map_err(&failed)?;
    Ok(u64::try_from(row.try_get::<i64, _>(0).map_err(&failed)?).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: i64, level: Option<i64>, items: u64, previous: i64, next: i64) -> Page {
        Page { number, level, items, used_bytes: 4_096, previous, next, lsn: number as u64 * 100 }
    }

    #[test]
    fn leaves_are_followed_in_the_order_of_the_keys() {
        let pages = [
            page(1, Some(0), 101, 0, 4),
            page(2, Some(0), 50, 4, 0),
            page(3, Some(1), 3, 0, 0),
            page(4, Some(0), 81, 1, 2),
            page(5, None, 0, 0, 0),
        ];
        let rows: Vec<u64> = leaves(&pages).unwrap().iter().map(|leaf| leaf.rows).collect();
        assert_eq!(rows, [100, 80, 50]);
        let maps = maps(&pages, 8_192);
        assert_eq!((maps.pages, maps.fill.as_str(), maps.recency.as_str()), (6, "-55^5.", "-02^7."));
        assert_eq!(maps.log_bytes, 400);
    }

    #[test]
    fn a_broken_chain_of_leaves_is_refused() {
        for pages in [
            [page(1, Some(0), 9, 0, 2), page(2, Some(0), 9, 1, 3)],
            [page(1, Some(0), 9, 0, 2), page(2, Some(0), 9, 1, 1)],
        ] {
            assert!(leaves(&pages).unwrap_err().is_unverified());
        }
    }
}
