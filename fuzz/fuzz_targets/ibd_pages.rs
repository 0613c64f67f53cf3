//! Any bytes as a tablespace file: an error or figures, never a panic.
//!
//! Unpack the files of `crates/idgen-lab/tests/ibd` into `corpus/ibd_pages` first: without a good first
//! page nothing else is reached.
#![no_main]

use std::io::Cursor;

use idgen_lab::innodb::{Measure, Options, PageMap, Survey, Tablespace, png, svg};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for verify in [true, false] {
        let pages = Tablespace::new(Cursor::new(bytes), Options { verify }).and_then(Tablespace::scan);
        if let Ok(pages) = pages {
            let _ = Survey::of(&pages).to_string();
            for measure in [Measure::Fill, Measure::Recency] {
                let map = PageMap::of(&pages, measure);
                let _ = (svg(&map, "fuzzed"), png(&map));
            }
        }
    }
});
