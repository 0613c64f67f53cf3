//! Any bytes as a tablespace file: an error or figures, never a panic.
#![no_main]

use std::io::Cursor;

use innodb_pages::{Cell, Checksum, Measure, Options, PageMap, Survey, Tablespace};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read(bytes, Options { verify: true });
    read(bytes, Options { verify: false });
    // A fuzzer does not find valid checksums. With these, the damaged pages reach the code that reads the trees.
    if let Some(sealed) = sealed(bytes) {
        read(&sealed, Options { verify: true });
    }
});

fn read(bytes: &[u8], options: Options) {
    let Ok(pages) = Tablespace::new(Cursor::new(bytes), options).and_then(Tablespace::scan) else { return };
    let survey = Survey::of(&pages);
    assert_eq!(survey.pages, pages.pages.len() as u64);
    assert_eq!(survey.kinds.values().sum::<u64>() + survey.free_pages, survey.pages);
    for measure in [Measure::Fill, Measure::Recency] {
        let map = PageMap::of(&pages, measure);
        assert_eq!(map.cells.len(), pages.pages.len());
        // The drawing of a map relies only on this.
        assert!(map.cells.iter().all(|cell| match cell {
            Cell::Leaf { shade } | Cell::Inner { shade } => (0.0..=1.0).contains(shade),
            Cell::Free | Cell::Other => true,
        }));
    }
}

/// The same pages, each with the checksum and the second LSN that match its bytes.
fn sealed(bytes: &[u8]) -> Option<Vec<u8>> {
    let format = *Tablespace::new(Cursor::new(bytes), Options::default()).ok()?.format();
    let mut sealed = bytes.to_vec();
    for page in sealed.chunks_exact_mut(format.page_size as usize) {
        let end = page.len();
        let (lsn, _) = page[20..].split_first_chunk::<4>()?;
        let lsn = *lsn;
        match format.checksum {
            Checksum::Crc32 => {
                page[end - 4..].copy_from_slice(&lsn);
                let sum = crc32c::crc32c(&page[4..26]) ^ crc32c::crc32c(&page[38..end - 8]);
                page[..4].copy_from_slice(&sum.to_be_bytes());
                page[end - 8..end - 4].copy_from_slice(&sum.to_be_bytes());
            }
            Checksum::FullCrc32 => {
                page[end - 8..end - 4].copy_from_slice(&lsn);
                let sum = crc32c::crc32c(&page[..end - 4]);
                page[end - 4..].copy_from_slice(&sum.to_be_bytes());
            }
        }
    }
    Some(sealed)
}
