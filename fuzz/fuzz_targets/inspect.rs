//! Any text and any bits as an id to inspect: an error or a description, never a panic.
#![no_main]

use idgen::{Inspection, Interval, ShortId, Timestamp, Uuid, md5_week_prefix, weeks_between};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(seen) = idgen::inspect(bytes) {
        show(seen, bytes);
    }
    if let Some((id, rest)) = bytes.split_first_chunk() {
        let id = Uuid::from_bytes(*id);
        show(idgen::inspect_uuid(id), rest);
        show(idgen::inspect_ulid(id), rest);
        for format in idgen::codec::Format::ALL {
            show(idgen::inspect_decoded(*format, id), rest);
        }
    }
    if let Some((id, rest)) = bytes.split_first_chunk() {
        show(idgen::inspect_short(ShortId::new(u64::from_le_bytes(*id))), rest);
    }
});

fn show(seen: Inspection, rest: &[u8]) {
    assert!(!format!("{seen:?}").is_empty());
    for time in [seen.timestamp, seen.tail_time].into_iter().flatten() {
        shown(time);
    }
    if let Some(prefix) = seen.prefix {
        let secs = rest.split_first_chunk().map_or(0, |(secs, _)| i64::from_le_bytes(*secs));
        // A year and a half.
        let [from, to] = [secs, secs.saturating_add(1 << 25)].map(Timestamp::from_unix_secs);
        let has_prefix = |&(year, week): &(i32, u8)| md5_week_prefix(year, week) == prefix;
        assert!(weeks_between(from, to).filter(has_prefix).count() <= 58, "of at most 58 weeks");
    }
    let text = String::from_utf8_lossy(rest);
    let interval = text.parse().unwrap_or(Interval::Day);
    for keyed in [seen.clone().keyed(interval), seen.keyed_named(interval)] {
        if let Ok(keyed) = keyed {
            assert!(keyed.round.is_some() || keyed.tail_time.is_some() || !format!("{keyed:?}").is_empty());
        }
    }
}

fn shown(time: Timestamp) {
    assert!(!time.to_string().is_empty());
}
