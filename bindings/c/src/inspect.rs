//! What an id shows.

use std::ffi::{CStr, c_char};

use idgen::{AnyId, Inspection, Interval, Nature, Timestamp};

use crate::codec::number_of;
use crate::error::{Failure, IDGEN_BUFFER, IdgenError};
use crate::{boundary, input};

/// `short_id` is the id, and `id` is zero.
pub const IDGEN_HAS_SHORT_ID: u32 = 1;
/// `format` is known.
pub const IDGEN_HAS_FORMAT: u32 = 2;
/// The id has a version.
pub const IDGEN_HAS_VERSION: u32 = 4;
/// The id has a time.
pub const IDGEN_HAS_TIME: u32 = 8;
/// The id has a clock sequence.
pub const IDGEN_HAS_CLOCK_SEQUENCE: u32 = 16;
/// The id has a node.
pub const IDGEN_HAS_NODE: u32 = 32;
/// The id has a counter.
pub const IDGEN_HAS_COUNTER: u32 = 64;
/// The first 16 bits may be a prefix.
pub const IDGEN_HAS_PREFIX: u32 = 128;
/// An ascending tail would have this time.
pub const IDGEN_HAS_TAIL_TIME: u32 = 256;
/// The id has a round.
pub const IDGEN_HAS_ROUND: u32 = 512;
/// The id has an offset in its interval.
pub const IDGEN_HAS_OFFSET: u32 = 1024;
/// The id has the tag of a writer.
pub const IDGEN_HAS_WRITER_TAG: u32 = 2048;

/// The id has a fraction of the millisecond, if it is of the present layout.
pub const IDGEN_HAS_FRACTION: u32 = 4096;

/// The size of a buffer for idgen_time_text in bytes.
pub const IDGEN_TIME_SIZE: usize = 40;

/// The fields of an id. You provide the memory, which need not be initialized.
#[repr(C)]
pub struct IdgenInspection {
    /// The 16 bytes of a 128-bit id.
    pub id: [u8; 16],
    /// A 64-bit id.
    pub short_id: u64,
    /// The time in units of 100 ns since 1970.
    pub time: i64,
    /// The time of the tail in units of 100 ns since 1970, if the id has an ascending tail after a prefix that does not hide the time.
    pub tail_time: i64,
    /// The offset in the interval in milliseconds, of an ascending tail after a keyed prefix.
    pub offset_ms: u64,
    /// Which of the fields the id has: the sum of IDGEN_HAS_ flags. The others are zero.
    pub fields: u32,
    /// The number of the format of the text, or -1.
    pub format: i32,
    /// What kind of id it is: see idgen_nature_name.
    pub nature: i32,
    /// The counter.
    pub counter: u32,
    /// The round of 65,536 intervals, of an ascending tail after a keyed prefix.
    pub round: u32,
    /// The clock sequence.
    pub clock_sequence: u16,
    /// The first 16 bits.
    pub prefix: u16,
    /// The tag of the writer, of an ascending tail after a keyed prefix with a named writer.
    pub writer_tag: u16,
    /// The node.
    pub node: [u8; 6],
    /// The version of the UUID.
    pub version: u8,
    /// How many nanoseconds after the whole millisecond of its time an id of version 7 or 8 was made, if its generator is one of this
    /// library's present layout, or one of version 7 with the method 3 of RFC 9562 section 6.2.
    pub fraction_ns: u32,
}

const NATURES: [(Nature, &CStr); 11] = [
    (Nature::Nil, c"nil"),
    (Nature::Max, c"max"),
    (Nature::V1, c"v1"),
    (Nature::V4, c"v4"),
    (Nature::V6, c"v6"),
    (Nature::V7, c"v7"),
    (Nature::V8, c"v8"),
    (Nature::OtherVersion, c"other-version"),
    (Nature::Ulid, c"ulid"),
    (Nature::OtherVariant, c"other-variant"),
    (Nature::Short, c"short"),
];

fn fields(seen: &Inspection) -> IdgenInspection {
    let (id, short_id) = match seen.id {
        AnyId::Uuid(id) => (id.into_bytes(), None),
        AnyId::Short(id) => ([0; 16], Some(id.get())),
    };
    let nature = NATURES.iter().position(|(nature, _)| *nature == seen.nature);
    let mut fields = 0;
    let mut flag = |flag: u32, is_there: bool| fields |= if is_there { flag } else { 0 };
    flag(IDGEN_HAS_SHORT_ID, short_id.is_some());
    flag(IDGEN_HAS_FORMAT, seen.format.is_some());
    flag(IDGEN_HAS_VERSION, seen.version.is_some());
    flag(IDGEN_HAS_TIME, seen.timestamp.is_some());
    flag(IDGEN_HAS_CLOCK_SEQUENCE, seen.clock_sequence.is_some());
    flag(IDGEN_HAS_NODE, seen.node.is_some());
    flag(IDGEN_HAS_COUNTER, seen.counter.is_some());
    flag(IDGEN_HAS_PREFIX, seen.prefix.is_some());
    flag(IDGEN_HAS_TAIL_TIME, seen.tail_time.is_some());
    flag(IDGEN_HAS_ROUND, seen.round.is_some());
    flag(IDGEN_HAS_OFFSET, seen.offset.is_some());
    flag(IDGEN_HAS_WRITER_TAG, seen.writer_tag.is_some());
    flag(IDGEN_HAS_FRACTION, seen.fraction.is_some());
    let ticks = |time: Option<Timestamp>| time.map_or(0, Timestamp::unix_ticks);
    IdgenInspection {
        id,
        short_id: short_id.unwrap_or(0),
        time: ticks(seen.timestamp),
        tail_time: ticks(seen.tail_time),
        offset_ms: seen.offset.map_or(0, |offset| offset.as_millis() as u64),
        fields,
        format: seen.format.map_or(-1, number_of),
        nature: nature.map_or(-1, |number| number as i32),
        counter: seen.counter.unwrap_or(0),
        round: seen.round.unwrap_or(0),
        clock_sequence: seen.clock_sequence.unwrap_or(0),
        prefix: seen.prefix.unwrap_or(0),
        writer_tag: seen.writer_tag.unwrap_or(0),
        node: seen.node.map_or([0; 6], idgen::Node::bytes),
        version: seen.version.unwrap_or(0),
        fraction_ns: seen.fraction.map_or(0, |fraction| fraction.subsec_nanos()),
    }
}

/// Reads the fields of an id of any format: `length` bytes of `text`, which need no NUL at their end. Returns IDGEN_PARSE if it is not
/// the text of an id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_inspect(
    text: *const c_char,
    length: usize,
    inspection: *mut IdgenInspection,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        // SAFETY: the caller promises `length` bytes, and memory for the fields.
        unsafe {
            let text = input::slice("text", text.cast::<u8>(), length)?;
            input::put("inspection", inspection, fields(&idgen::inspect(text)?))
        }
    })
}

/// The same for an id with an ascending tail after a keyed prefix that changes once every `interval`, such as "day". `is_named` says
/// whether its writer had a name. Returns IDGEN_CONFIG if no keyed prefix can have the interval.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_inspect_keyed(
    text: *const c_char,
    length: usize,
    interval: *const c_char,
    is_named: bool,
    inspection: *mut IdgenInspection,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        // SAFETY: the caller promises both texts, and memory for the fields.
        unsafe {
            let text = input::slice("text", text.cast::<u8>(), length)?;
            let interval: Interval = input::required("interval", interval)?.parse()?;
            let seen = idgen::inspect(text)?;
            let seen = if is_named { seen.keyed_named(interval) } else { seen.keyed(interval) }?;
            input::put("inspection", inspection, fields(&seen))
        }
    })
}

/// Returns the name of a nature: "nil", "max", "v1", "v4", "v6", "v7", "v8", "other-version", "ulid", "other-variant" or "short", for 0 to
/// 10; else NULL. The text is static: do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn idgen_nature_name(nature: i32) -> *const c_char {
    let name = usize::try_from(nature).ok().and_then(|number| NATURES.get(number));
    name.map_or(std::ptr::null(), |(_, name)| name.as_ptr())
}

/// Writes a time of `ticks` units of 100 ns since 1970 as RFC 3339 in UTC, with a NUL at its end: "2022-02-22T19:22:22.5Z". `capacity` is
/// the size of `text` in bytes; IDGEN_TIME_SIZE is always enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_time_text(
    ticks: i64,
    text: *mut c_char,
    capacity: usize,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        let time = Timestamp::from_unix_ticks(ticks).to_string();
        if capacity <= time.len() {
            let needed = time.len() + 1;
            let problem = format!("the buffer has {capacity} bytes, but {needed} are needed");
            return Err(Failure::Own(IDGEN_BUFFER, problem));
        }
        // SAFETY: the caller promises `capacity` bytes.
        let out = unsafe { input::slice_mut("text", text.cast::<u8>(), time.len() + 1) }?;
        out[..time.len()].copy_from_slice(time.as_bytes());
        out[time.len()] = 0;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_lengths_are_those_of_the_library() {
        for (nature, name) in NATURES {
            assert_eq!(name.to_str(), Ok(nature.name()));
        }
        for ticks in [i64::MIN, i64::MAX, 0, 1] {
            assert!(Timestamp::from_unix_ticks(ticks).to_string().len() < IDGEN_TIME_SIZE);
        }
        assert!(idgen_nature_name(11).is_null() && idgen_nature_name(-1).is_null());
    }
}
