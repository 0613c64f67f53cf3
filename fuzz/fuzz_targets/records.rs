//! Any bytes as a file of results: an error, or results that are written and read again as the same text.
#![no_main]

use idgen_record::Results;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(results) = serde_json::from_slice::<Results>(bytes) else { return };
    let text = serde_json::to_string(&results).unwrap();
    let again: Results = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), text);
});
