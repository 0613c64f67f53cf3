//! Any text as a map of pages: an error that names a character, or a map that writes the same text.
#![no_main]

use innodb_pages::{Measure, PageMap};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for measure in [Measure::Fill, Measure::Recency] {
        match PageMap::from_text(measure, text) {
            Ok(map) => assert_eq!(map.to_text(), text),
            Err(refused) => assert!(text.contains(refused)),
        }
    }
});
