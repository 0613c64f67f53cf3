//! This repository's reader of pages and `inno` on the committed files.
#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

use idgen_readers::inno::{agree, health, same_indexes};
use innodb_pages::{PageKind, Survey};

use files::{READABLE, bytes, scan};

#[path = "../../../crates/innodb-pages/tests/reader/files.rs"]
mod files;

#[test]
fn both_read_the_same_pages_records_and_indexes() {
    for name in READABLE {
        let bytes = bytes(name);
        let ours = agree(name, &bytes);
        same_indexes(name, &bytes, &ours);
    }
}

/// `inno` does not read the extent descriptors, so it counts pages that were given back: three quarters of
/// this table were deleted. The descriptors of page 0 say so, and the server, which knows 3 leaves. (MariaDB
/// clears such pages.)
#[test]
fn inno_counts_pages_that_were_given_back() {
    /// Behind the FIL and the space header: the descriptors, 40 bytes each; the bitmap begins at 24.
    const DESCRIPTORS: usize = 150;
    let bytes = bytes("mysql-9.7-16k-shrunk");
    let ours = scan(&bytes).unwrap();
    let clustered = Survey::of(&ours).clustered().unwrap().clone();
    let all = health(&bytes, |_| true);
    let theirs = all.indexes.iter().find(|index| index.index_id == clustered.id).unwrap();
    let left_over: Vec<usize> = (0..ours.pages.len())
        .filter(|number| ours.pages[*number].free && ours.pages[*number].kind == PageKind::Index)
        .collect();
    assert_eq!(clustered.leaf().pages, 3);
    assert_eq!(theirs.leaf_pages, 3 + left_over.len() as u64);
    assert!(!left_over.is_empty());
    for number in left_over {
        // Two bits a page, of which the first says: free.
        let byte = bytes[DESCRIPTORS + number / 64 * 40 + 24 + number % 64 / 4];
        assert_eq!(byte >> (2 * (number % 4)) & 1, 1, "page {number}");
    }
}
