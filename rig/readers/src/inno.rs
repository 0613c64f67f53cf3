//! Compares the page reader with the library of the tool `inno` (the crate innodb-utils), an independent reader of the same
//! files.
//!
//! Where the two differ, the server decides. Where `inno` is wrong, a test says so and shows the bytes that prove it.

use std::collections::BTreeMap;

use idb::innodb::checksum::validate_checksum;
use idb::innodb::constants::FIL_NULL;
use idb::innodb::health::{HealthReport, analyze_health, extract_index_page_snapshot};
use idb::innodb::index::IndexHeader;
use idb::innodb::page::FilHeader;
use idb::innodb::page_types::PageType;
use idb::innodb::record::{walk_compact_records, walk_redundant_records};
use idb::innodb::sdi::{build_index_name_map, extract_sdi_from_pages, find_sdi_pages};
use idb::innodb::tablespace::Tablespace;
use innodb_pages::{Options, Page, PageKind, Pages, Survey, Writer};

/// The name that `inno` has for this kind of page.
fn kind(theirs: PageType) -> PageKind {
    match theirs {
        PageType::Allocated => PageKind::Allocated,
        PageType::FspHdr => PageKind::SpaceHeader,
        PageType::Xdes => PageKind::ExtentDescriptors,
        PageType::Inode => PageKind::Inode,
        PageType::IbufBitmap => PageKind::ChangeBufferBitmap,
        PageType::Index | PageType::Instant => PageKind::Index,
        PageType::Sdi | PageType::SdiBlob => PageKind::Sdi,
        PageType::Blob | PageType::LobFirst | PageType::LobData | PageType::LobIndex => PageKind::Blob,
        other => panic!("a page of type {other}"),
    }
}

/// Compares every page of a file, and gives its pages as we read them.
pub fn agree(name: &str, bytes: &[u8]) -> Pages {
    let ours = innodb_pages::Tablespace::new(std::io::Cursor::new(bytes), Options::default())
        .unwrap()
        .scan()
        .unwrap();
    let mut theirs = Tablespace::from_bytes(bytes.to_vec()).unwrap();
    assert_eq!(theirs.page_size(), ours.format.page_size, "{name}");
    assert_eq!(theirs.page_count(), ours.pages.len() as u64, "{name}");
    let space = theirs.fsp_header().unwrap();
    assert_eq!(
        (space.space_id, space.size, space.free_limit),
        (ours.format.space_id, ours.format.pages, ours.format.free_limit),
        "{name}"
    );
    // It takes MariaDB's older format for MySQL's: the flags of the two are the same.
    let vendor = theirs.vendor_info().clone();
    assert_eq!(vendor.is_full_crc32(), ours.format.writer == Writer::Mariadb, "{name}");

    let mut kinds = BTreeMap::new();
    theirs
        .for_each_page(|number, page| {
            let our = &ours.pages[number as usize];
            let what = format!("{name} page {number}");
            assert!(validate_checksum(page, ours.format.page_size, Some(&vendor)).valid, "{what}");
            let header = FilHeader::parse(page).unwrap();
            assert_eq!(header.lsn, our.lsn, "{what}");
            let found = kind(PageType::from_u16_with_vendor(header.page_type.as_u16(), &vendor));
            assert_eq!(found, our.kind, "{what}");
            if !our.free {
                *kinds.entry(found.name()).or_insert(0) += 1;
            }
            if our.index.is_some() {
                same_index_page(&what, our, &header, page);
            }
            Ok(())
        })
        .unwrap();
    let survey = Survey::of(&ours);
    assert_eq!(survey.kinds, kinds, "{name}");
    if ours.format.writer == Writer::Mysql {
        let named: BTreeMap<u64, String> =
            survey.indexes.iter().filter_map(|index| Some((index.id, index.name.clone()?))).collect();
        assert_eq!(named.len(), survey.indexes.len(), "{name}");
        assert_eq!(named, names(&mut theirs), "{name}");
    }
    ours
}

fn same_index_page(what: &str, page: &Page, header: &FilHeader, bytes: &[u8]) {
    let ours = page.index.as_ref().unwrap();
    let theirs = IndexHeader::parse(bytes).unwrap();
    assert_eq!((theirs.index_id, theirs.level), (ours.index_id, ours.level), "{what}");
    assert_eq!(theirs.n_recs, ours.records + u16::from(ours.metadata), "{what}");
    assert_eq!(u32::from(theirs.garbage), ours.garbage_bytes, "{what}");
    let heap = if theirs.is_compact() { 120 } else { 125 };
    assert_eq!(u32::from(theirs.heap_top - heap - theirs.garbage), ours.data_bytes, "{what}");
    let neighbors = [header.prev_page, header.next_page].map(|page| Some(page).filter(|at| *at != FIL_NULL));
    assert_eq!(neighbors, [ours.previous, ours.next], "{what}");
    // It follows the records themselves, from the first to the last; we read how many the header says.
    let mut walked =
        if theirs.is_compact() { walk_compact_records(bytes) } else { walk_redundant_records(bytes) };
    if !theirs.is_compact() {
        // In the oldest row format it takes the record that ends every page for one of the user's.
        let last = walked.pop().unwrap().offset;
        assert_eq!(&bytes[last..last + 8], b"supremum", "{what}");
    }
    assert_eq!(walked.len(), usize::from(ours.records) + usize::from(ours.metadata), "{what}");
}

fn names(file: &mut Tablespace) -> BTreeMap<u64, String> {
    let pages = find_sdi_pages(file).unwrap();
    let records = extract_sdi_from_pages(file, &pages).unwrap();
    let table = records.iter().find(|record| record.sdi_type == 1).unwrap();
    build_index_name_map(&table.data).into_iter().collect()
}

/// Its summary of the pages that `wanted` takes.
pub fn health(bytes: &[u8], wanted: impl Fn(u64) -> bool) -> HealthReport {
    let mut file = Tablespace::from_bytes(bytes.to_vec()).unwrap();
    let (page_size, pages) = (file.page_size(), file.page_count());
    let mut found = Vec::new();
    file.for_each_page(|number, page| {
        found.extend(extract_index_page_snapshot(page, number).filter(|_| wanted(number)));
        Ok(())
    })
    .unwrap();
    analyze_health(found, page_size, pages, 0, "")
}

/// Compares the indexes as wholes. It counts every page that looks like an index page, so it is given those
/// in use; its fill mixes the levels, counts the records that begin and end a page, and leaves the headers
/// out of the page.
pub fn same_indexes(name: &str, bytes: &[u8], ours: &Pages) {
    let survey = Survey::of(ours);
    let theirs = health(bytes, |number| !ours.pages[number as usize].free);
    let ids = |health: &HealthReport| health.indexes.iter().map(|index| index.index_id).collect::<Vec<_>>();
    assert_eq!(survey.indexes.iter().map(|index| index.id).collect::<Vec<_>>(), ids(&theirs), "{name}");
    for (index, health) in survey.indexes.iter().zip(&theirs.indexes) {
        let what = format!("{name} index {}", index.id);
        assert_eq!(health.leaf_pages, index.leaf().pages, "{what}");
        assert_eq!(health.non_leaf_pages, index.pages - index.leaf().pages, "{what}");
        assert_eq!(usize::from(health.tree_depth), index.levels.len(), "{what}");
        assert_eq!(
            health.total_records,
            index.levels.iter().map(|level| level.records).sum::<u64>(),
            "{what}"
        );
        let page_bytes = f64::from(ours.format.page_size);
        let filled = |page: &Page| {
            let header = page.index.as_ref().filter(|header| header.index_id == index.id)?;
            Some((f64::from(header.data_bytes) + BORDERS) / (page_bytes - HEADERS))
        };
        let fills: Vec<f64> = ours.pages.iter().filter_map(filled).collect();
        let mean = fills.iter().sum::<f64>() / fills.len() as f64;
        // It gives two decimals; in the oldest row format the borders take five bytes more.
        assert!((health.avg_fill_factor - mean).abs() < 0.006, "{what}: {} {mean}", health.avg_fill_factor);
    }
}

/// The records before the first and after the last.
const BORDERS: f64 = 26.0;
/// The headers and the trailer of a page.
const HEADERS: f64 = 102.0;
