//! The content of the shared vectors, one file each.

pub mod bounds;
pub mod codecs;
pub mod generators;
pub mod inspections;
pub mod kinds;
pub mod leases;
pub mod replay;
pub mod seals;
pub mod states;

use idgen::Error;
use serde_json::{Value, json};

/// Returns the category of an error, by its predicates.
pub fn category(error: &Error) -> &'static str {
    let categories = [
        ("parse", error.is_parse()),
        ("clock-behind", error.is_clock_behind()),
        ("time-out-of-range", error.is_time_out_of_range()),
        ("exhausted", error.is_exhausted()),
        ("entropy", error.is_entropy()),
        ("state", error.is_state()),
        ("config", error.is_config()),
        ("outside-lease", error.is_outside_lease()),
    ];
    categories.into_iter().find(|(_, holds)| *holds).expect("each error has a category").0
}

/// An error as the vectors write it.
pub fn failure(error: &Error) -> Value {
    json!({ "error": category(error), "message": error.to_string() })
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn unhex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).expect("ASCII"));
    pairs.map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal")).collect()
}
