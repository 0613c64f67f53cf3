//! Any text as one of the small values that users write, and any bits as a sealed id.
#![no_main]

use std::fmt::{Debug, Display};
use std::str::FromStr;

use idgen::codec::Format;
use idgen::{Interval, Kind, Node, PrefixKind, SealKey, ShortId, Uuid};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        same::<ShortId>(text);
        same::<Node>(text);
        same::<Interval>(text);
        let _ = (text.parse::<Kind>(), text.parse::<PrefixKind>(), text.parse::<Format>());
    }
    if let Some((id, secret)) = bytes.split_first_chunk() {
        let key = SealKey::new(secret);
        if let Ok(key) = key {
            let id = Uuid::from_bytes(*id);
            if let Ok(opened) = key.open(id) {
                assert_eq!(key.seal(opened).unwrap(), id);
            }
            if let Ok(sealed) = key.seal(id) {
                assert_eq!(key.open(sealed).unwrap(), id);
            }
        }
    }
});

/// A value writes a text that reads as the same value.
fn same<T: FromStr + Display + PartialEq + Debug>(text: &str)
where
    T::Err: Debug,
{
    if let Ok(value) = text.parse::<T>() {
        assert_eq!(value.to_string().parse::<T>().unwrap(), value);
    }
}
