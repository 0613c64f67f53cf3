//! Summarizes the pages of a file by index.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::{Error, Kind, Result};
use crate::format::Format;
use crate::page::{IndexPage, Page, PageKind};
use crate::pages::Pages;
use crate::space::SpaceKind;
use crate::stats::{Distribution, LsnAge};

/// The figures of a whole file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Survey {
    /// The writer, the size of pages and the checksum, from the first page.
    pub format: Format,
    /// The kind of tablespace, such as that of one table.
    pub kind: SpaceKind,
    /// Pages in the file.
    pub pages: u64,
    /// Pages that are free: freed, or never allocated.
    pub free_pages: u64,
    /// The newest log sequence number of any page.
    pub newest_lsn: u64,
    /// Pages in use, by kind.
    pub kinds: BTreeMap<String, u64>,
    /// The indexes by number. In the file of one table the first is the clustered one, the table itself.
    pub indexes: Vec<IndexTree>,
}

/// One index.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IndexTree {
    /// Its number, as in `INNODB_INDEXES.INDEX_ID`.
    pub id: u64,
    /// Its name, where the file has it (MySQL 8.0 and later).
    pub name: Option<String>,
    /// True for the clustered index, which holds the rows.
    pub clustered: bool,
    /// True for a spatial index, an R-tree.
    pub spatial: bool,
    /// The page number of its root.
    pub root: u32,
    /// Pages on all levels.
    pub pages: u64,
    /// Records in leaf pages, with those marked deleted, without the metadata record of an instant `ALTER TABLE`.
    pub records: u64,
    /// Bytes of records in leaf pages, per record.
    pub record_bytes: f64,
    /// Bytes of pages on all levels, per record in a leaf: what a row costs in the file.
    pub page_bytes_per_record: f64,
    /// The share of leaf pages whose next page in key order is also next in the file.
    pub in_file_order: f64,
    /// From the leaves, level 0, up to the root.
    pub levels: Vec<Level>,
}

/// One level of an index.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Level {
    /// 0 for leaves.
    pub level: u16,
    /// Pages on it.
    pub pages: u64,
    /// Records on it.
    pub records: u64,
    /// The share of each page that records take.
    pub fill: Distribution,
    /// The age of its pages, in bytes of redo log written since their last change.
    pub age: LsnAge,
}

impl IndexTree {
    /// The leaf level.
    pub fn leaf(&self) -> &Level {
        &self.levels[0]
    }
}

/// The pages of each level of each index, in file order.
type Trees<'a> = BTreeMap<u64, BTreeMap<u16, Vec<(&'a Page, &'a IndexPage)>>>;

fn trees(pages: &[Page]) -> Trees<'_> {
    let mut trees = Trees::new();
    for page in pages {
        if let Some(index) = &page.index {
            trees.entry(index.index_id).or_default().entry(index.level).or_default().push((page, index));
        }
    }
    trees
}

impl Survey {
    /// Summarises a scanned file.
    pub fn of(pages: &Pages) -> Survey {
        let newest_lsn = pages.pages.iter().map(|page| page.lsn).max().unwrap_or(0);
        let mut kinds = BTreeMap::new();
        for page in pages.pages.iter().filter(|page| !page.free) {
            *kinds.entry(page.kind.name()).or_insert(0) += 1;
        }
        let mut indexes: Vec<_> = trees(&pages.pages)
            .iter()
            .map(|(&id, levels)| IndexTree::of(id, levels, pages, newest_lsn))
            .collect();
        // A table's clustered index is created first, so it has the lowest number. The dictionary says more: which
        // index each of several tables begins with.
        let is_known = indexes.iter().any(|index| index.clustered);
        if let Some(first) = indexes.first_mut().filter(|_| !is_known) {
            first.clustered = pages.kind == SpaceKind::Tables;
        }
        Survey {
            format: pages.format,
            kind: pages.kind,
            pages: pages.pages.len() as u64,
            free_pages: pages.pages.iter().filter(|page| page.free).count() as u64,
            newest_lsn,
            kinds,
            indexes,
        }
    }

    /// The clustered index: the table itself. None in a file without one, such as an undo tablespace.
    pub fn clustered(&self) -> Option<&IndexTree> {
        self.indexes.iter().find(|index| index.clustered)
    }
}

impl IndexTree {
    fn of(
        id: u64,
        levels: &BTreeMap<u16, Vec<(&Page, &IndexPage)>>,
        file: &Pages,
        newest_lsn: u64,
    ) -> IndexTree {
        let page_size = file.format.page_size;
        let summary = |(&level, pages): (&u16, &Vec<(&Page, &IndexPage)>)| Level {
            level,
            pages: pages.len() as u64,
            records: pages.iter().map(|(_, index)| u64::from(index.records)).sum(),
            fill: Distribution::of(pages.iter().map(|(_, index)| index.fill(page_size)).collect()),
            age: LsnAge::of(pages.iter().map(|(page, _)| newest_lsn - page.lsn).collect()),
        };
        let leaves: &[(&Page, &IndexPage)] = levels.first_key_value().map_or(&[], |(_, pages)| pages);
        let records: u64 = leaves.iter().map(|(_, index)| u64::from(index.records)).sum();
        let data: u64 = leaves.iter().map(|(_, index)| u64::from(index.data_bytes)).sum();
        let pages: u64 = levels.values().map(|level| level.len() as u64).sum();
        let linked = leaves.iter().filter(|(_, index)| index.next.is_some()).count();
        let adjacent = leaves.iter().filter(|(page, index)| index.next == page.number.checked_add(1)).count();
        let root =
            levels.last_key_value().and_then(|(_, top)| top.first()).map_or(0, |(page, _)| page.number);
        let name = file.names.iter().find(|name| name.id == id);
        IndexTree {
            id,
            name: name.map(|name| name.name.clone()),
            clustered: name.is_some_and(|name| name.clustered),
            spatial: leaves.iter().any(|(page, _)| page.kind == PageKind::Spatial),
            root,
            pages,
            records,
            record_bytes: ratio(data, records),
            page_bytes_per_record: ratio(pages * u64::from(page_size), records),
            in_file_order: if linked == 0 { 1.0 } else { adjacent as f64 / linked as f64 },
            levels: levels.iter().map(summary).collect(),
        }
    }
}

fn ratio(bytes: u64, records: u64) -> f64 {
    if records == 0 { 0.0 } else { bytes as f64 / records as f64 }
}

/// Checks that each index has one root and all levels below it, and that the pages of a level form one chain.
pub(crate) fn check_trees(file: &Pages) -> Result<()> {
    for (index, levels) in trees(&file.pages) {
        let broken = |problem| Error::new(Kind::BrokenTree { index, problem });
        for (expected, (&level, pages)) in levels.iter().enumerate() {
            if usize::from(level) != expected {
                return Err(broken(format!(
                    "level {expected} has no page, level {level} has {}",
                    pages.len()
                )));
            }
            let reached = chain_len(&file.pages, pages).map_err(broken)?;
            if reached != pages.len() {
                return Err(broken(format!(
                    "level {level} has {} pages, its chain reaches {reached}",
                    pages.len()
                )));
            }
        }
        if let Some((level, roots)) = levels.last_key_value().filter(|(_, roots)| roots.len() != 1) {
            return Err(broken(format!("the top level {level} has {} pages", roots.len())));
        }
    }
    Ok(())
}

/// Follows a level from its first page. Each page must point back to the one before it.
fn chain_len(file: &[Page], level: &[(&Page, &IndexPage)]) -> std::result::Result<usize, String> {
    let Some(&(mut page, mut index)) = level.iter().find(|(_, index)| index.previous.is_none()) else {
        return Err("a level has no first page".into());
    };
    let mut reached = 1;
    while let Some(next) = index.next {
        let found = file.get(next as usize).and_then(|page| Some((page, page.index.as_ref()?)));
        let Some((next_page, next_index)) = found else {
            return Err(format!("page {} points to {next}, which is no index page", page.number));
        };
        let same = next_index.index_id == index.index_id && next_index.level == index.level;
        if !same || next_index.previous != Some(page.number) {
            return Err(format!("page {} points to {next}, which does not point back", page.number));
        }
        (page, index) = (next_page, next_index);
        reached += 1;
    }
    Ok(reached)
}
