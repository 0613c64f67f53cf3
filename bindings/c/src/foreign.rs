//! Recognizes ids of other generators, such as KSUIDs and Snowflakes, and reads their times.

use std::ffi::{CStr, c_char};

use idgen::{ForeignId, ForeignKind, Timestamp};

use crate::boundary::Checked;
use crate::error::{Failure, IDGEN_BUFFER, IdgenError};
use crate::{boundary, input};

/// The most readings that a text or a number has.
pub const IDGEN_FOREIGN_READINGS: usize = 5;
/// `time` is known.
pub const IDGEN_FOREIGN_HAS_TIME: u32 = 1;
/// `id` is known.
pub const IDGEN_FOREIGN_HAS_ID: u32 = 2;

/// One reading of a text or a number as the id of another generator. You provide the memory, which need not be initialized.
#[repr(C)]
pub struct IdgenForeign {
    /// The time in units of 100 ns since 1970, with IDGEN_FOREIGN_HAS_TIME in `fields`.
    pub time: i64,
    /// The UUID of a TypeID, with IDGEN_FOREIGN_HAS_ID in `fields`.
    pub id: [u8; 16],
    /// The kind: see idgen_foreign_name.
    pub kind: i32,
    /// Which of the fields the reading has: the sum of IDGEN_FOREIGN_HAS_ flags. The others are zero.
    pub fields: u32,
}

/// Kinds and their names, in the order of their numbers, which are part of the interface.
const KINDS: [(ForeignKind, &CStr); 13] = [
    (ForeignKind::TypeId, c"typeid"),
    (ForeignKind::Ksuid, c"ksuid"),
    (ForeignKind::ObjectId, c"objectid"),
    (ForeignKind::Xid, c"xid"),
    (ForeignKind::Cuid, c"cuid"),
    (ForeignKind::Cuid2, c"cuid2"),
    (ForeignKind::NanoId, c"nanoid"),
    (ForeignKind::FirebasePushId, c"firebase-push-id"),
    (ForeignKind::Tsid, c"tsid"),
    (ForeignKind::TwitterSnowflake, c"twitter-snowflake"),
    (ForeignKind::DiscordSnowflake, c"discord-snowflake"),
    (ForeignKind::InstagramId, c"instagram-id"),
    (ForeignKind::Sonyflake, c"sonyflake"),
];

fn fields(seen: ForeignId) -> IdgenForeign {
    let kind = KINDS.iter().position(|(kind, _)| *kind == seen.kind);
    let has = |flag, is_there| if is_there { flag } else { 0 };
    IdgenForeign {
        time: seen.time.map_or(0, Timestamp::unix_ticks),
        id: seen.uuid.map_or([0; 16], idgen::Uuid::into_bytes),
        kind: kind.map_or(-1, |number| number as i32),
        fields: has(IDGEN_FOREIGN_HAS_TIME, seen.time.is_some())
            | has(IDGEN_FOREIGN_HAS_ID, seen.uuid.is_some()),
    }
}

/// Writes the readings, and their number.
///
/// # Safety
/// As `input::slice_mut`, for `capacity` readings.
unsafe fn write(
    seen: impl Iterator<Item = ForeignId>,
    readings: *mut IdgenForeign,
    capacity: usize,
    count: *mut usize,
) -> Checked<()> {
    let seen: Vec<_> = seen.map(fields).collect();
    if capacity < seen.len() {
        let message =
            format!("there is memory for {capacity} readings, but IDGEN_FOREIGN_READINGS is needed");
        return Err(Failure::Own(IDGEN_BUFFER, message));
    }
    let number = seen.len();
    // SAFETY: the caller promises it. What is written over needs no destructor.
    let out = unsafe { input::slice_mut("readings", readings, number) }?;
    out.iter_mut().zip(seen).for_each(|(out, seen)| *out = seen);
    // SAFETY: the caller promises memory for the number.
    unsafe { input::put("count", count, number) }
}

/// Finds the kinds of other generators that have the characters of a text: `length` bytes, which need no NUL at their end. Writes the
/// readings and their number, which is 0 for most texts. `capacity` is the number of readings that fit: IDGEN_FOREIGN_READINGS is always enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_foreign_texts(
    text: *const c_char,
    length: usize,
    readings: *mut IdgenForeign,
    capacity: usize,
    count: *mut usize,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        input::can_put("count", count)?;
        // SAFETY: the caller promises `length` bytes, and memory for the results.
        unsafe {
            let text = input::slice("text", text.cast::<u8>(), length)?;
            write(idgen::foreign_texts(text), readings, capacity, count)
        }
    })
}

/// Finds the layouts of 64 bits that give a number a plausible time, the most plausible first: at least a day after the layout's
/// beginning, and at most a day after `now`, in units of 100 ns since 1970. Writes the readings and their number, as idgen_foreign_texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_foreign_numbers(
    number: u64,
    now: i64,
    readings: *mut IdgenForeign,
    capacity: usize,
    count: *mut usize,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        input::can_put("count", count)?;
        let seen = idgen::foreign_numbers(number, Timestamp::from_unix_ticks(now));
        // SAFETY: the caller promises memory for the results.
        unsafe { write(seen, readings, capacity, count) }
    })
}

/// Returns the name of a kind of ids of other generators, such as "ksuid", or NULL if none has the number. The text is static: do not
/// free it.
#[unsafe(no_mangle)]
pub extern "C" fn idgen_foreign_name(kind: i32) -> *const c_char {
    let entry = usize::try_from(kind).ok().and_then(|number| KINDS.get(number));
    entry.map_or(std::ptr::null(), |(_, name)| name.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_number_and_its_name() {
        for (number, (kind, name)) in KINDS.iter().enumerate() {
            assert_eq!(name.to_str(), Ok(kind.name()));
            assert_eq!(fields(ForeignId { kind: *kind, time: None, uuid: None }).kind, number as i32);
        }
        assert!(idgen_foreign_name(13).is_null() && idgen_foreign_name(-1).is_null());
    }
}
