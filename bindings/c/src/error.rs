//! The statuses, and the error that a function writes.

use std::ffi::c_char;

/// The function has done what it says.
pub const IDGEN_OK: i32 = 0;
/// A text is not an id of the format.
pub const IDGEN_PARSE: i32 = 1;
/// The clock is behind the last id by more than the tolerance.
pub const IDGEN_CLOCK_BEHIND: i32 = 2;
/// The kind cannot hold the time of the clock.
pub const IDGEN_TIME_OUT_OF_RANGE: i32 = 3;
/// All ids of this second, or all clock sequences of a fixed node, are used.
pub const IDGEN_EXHAUSTED: i32 = 4;
/// The system provides no random bytes.
pub const IDGEN_ENTROPY: i32 = 5;
/// The state file cannot be read, understood, locked or written.
pub const IDGEN_STATE: i32 = 6;
/// A setting is not allowed.
pub const IDGEN_CONFIG: i32 = 7;
/// The process was forked, and the generator would repeat the ids of the parent.
pub const IDGEN_FORKED: i32 = 8;
/// A buffer is too short. Nothing was written to it.
pub const IDGEN_BUFFER: i32 = 9;
/// An argument is wrong: a null pointer, invalid UTF-8, or a number outside its range.
pub const IDGEN_ARGUMENT: i32 = 10;
/// A bug in idgen. The object that was used is not usable any more, and must still be freed.
pub const IDGEN_BUG: i32 = 11;

/// The number of the device is leased for other times than that of the clock: see idgen_generator_set_lease.
pub const IDGEN_OUTSIDE_LEASE: i32 = 12;

/// The size of the message of an error in bytes, with the NUL at its end.
pub const IDGEN_MESSAGE_SIZE: usize = 1024;

/// Why a function failed. You provide the memory, which need not be initialized.
#[repr(C)]
pub struct IdgenError {
    /// One of the IDGEN_ statuses, but not IDGEN_OK.
    pub status: i32,
    /// The offset of the first wrong byte of a text, or -1 if no single byte is wrong.
    pub offset: i32,
    /// The length of the message in bytes, without the NUL at its end.
    pub message_length: u32,
    /// What was wrong, with which value, and what to do: UTF-8 with a NUL at its end. A longer message, such as one with a
    /// very long path, is cut after a whole character.
    pub message: [c_char; IDGEN_MESSAGE_SIZE],
}

/// An error on its way to the caller.
pub(crate) enum Failure {
    Core(idgen::Error),
    Own(i32, String),
}

impl From<idgen::Error> for Failure {
    fn from(error: idgen::Error) -> Self {
        Failure::Core(error)
    }
}

impl Failure {
    /// A mistake in the arguments of a call.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Failure::Own(IDGEN_ARGUMENT, message.into())
    }

    pub(crate) fn status(&self) -> i32 {
        let error = match self {
            Failure::Own(status, _) => return *status,
            Failure::Core(error) => error,
        };
        let statuses = [
            (IDGEN_PARSE, error.is_parse()),
            (IDGEN_CLOCK_BEHIND, error.is_clock_behind()),
            (IDGEN_TIME_OUT_OF_RANGE, error.is_time_out_of_range()),
            (IDGEN_EXHAUSTED, error.is_exhausted()),
            (IDGEN_ENTROPY, error.is_entropy()),
            (IDGEN_STATE, error.is_state()),
            (IDGEN_CONFIG, error.is_config()),
            (IDGEN_FORKED, error.is_forked()),
            (IDGEN_OUTSIDE_LEASE, error.is_outside_lease()),
        ];
        statuses.into_iter().find(|(_, holds)| *holds).map_or(IDGEN_BUG, |(status, _)| status)
    }

    /// Writes this to the memory of the caller, which need not be initialized.
    pub(crate) fn write_to(&self, out: *mut IdgenError) {
        if out.is_null() || !out.is_aligned() {
            return;
        }
        let (message, offset) = match self {
            Failure::Own(_, message) => (message.clone(), None),
            Failure::Core(error) => (error.to_string(), error.offset()),
        };
        let length = message.floor_char_boundary(IDGEN_MESSAGE_SIZE - 1);
        let offset = offset.and_then(|offset| i32::try_from(offset).ok()).unwrap_or(-1);
        // SAFETY: the pointer is aligned and not null, and the caller promises that it is that of an idgen_error. The message has
        // space for `length` bytes and a NUL. No reference is made, so the memory may be uninitialized.
        unsafe {
            (&raw mut (*out).status).write(self.status());
            (&raw mut (*out).offset).write(offset);
            (&raw mut (*out).message_length).write(length as u32);
            let text = (&raw mut (*out).message).cast::<u8>();
            text.copy_from_nonoverlapping(message.as_ptr(), length);
            text.add(length).write(0);
        }
    }
}
