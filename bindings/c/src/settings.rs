//! The settings of a generator.

use std::ffi::c_char;
use std::mem::offset_of;
use std::path::PathBuf;
use std::time::Duration;

use idgen::generator::{self, LayoutSettings, PrefixBits, Tail};
use idgen::source::{ClockPolicy, FileState, NoState, State, WhenBehind};
use idgen::{Interval, Kind, Node, Prefix, PrefixKey, Setting, Writer};

use crate::boundary::Checked;
use crate::error::{Failure, IDGEN_CONFIG};
use crate::fixed::IdgenFixed;
use crate::input;

// begin kinds: scripts/kinds.py --write
/// UUID version 1: Gregorian time (low bits first), clock sequence, node.
pub const IDGEN_V1: i32 = 1;
/// UUID version 4: random.
pub const IDGEN_V4: i32 = 4;
/// UUID version 6: Gregorian time (high bits first), clock sequence, node.
pub const IDGEN_V6: i32 = 6;
/// UUID version 7: Unix milliseconds and their fraction, counter, random tail.
pub const IDGEN_V7: i32 = 7;
/// ULID: Unix milliseconds and 80 bits, without version and variant.
pub const IDGEN_ULID: i32 = 10;
/// A prefix that stays the same for an interval, and a tail.
pub const IDGEN_PREFIXED: i32 = 11;
/// UUID version 8: a prefix that never changes, and an ascending tail.
pub const IDGEN_FIXED_PREFIX: i32 = 12;
/// 64 bits: seconds, low bytes of the node, counter.
pub const IDGEN_SHORT: i32 = 13;
// end kinds

/// Beyond the tolerance, continue at the time of the clock. A generator with a state cannot do that: it returns
/// IDGEN_CLOCK_BEHIND.
pub const IDGEN_RESTART: i32 = 0;
/// Beyond the tolerance, return IDGEN_CLOCK_BEHIND.
pub const IDGEN_ERROR: i32 = 1;
/// Beyond the tolerance, wait for the clock.
pub const IDGEN_WAIT: i32 = 2;

/// A prefix that counts the intervals.
pub const IDGEN_SEQUENTIAL: i32 = 0;
/// A prefix that hides the time, from a secret.
pub const IDGEN_KEYED: i32 = 1;
/// The prefix that MySQL computes for a week.
pub const IDGEN_MD5_WEEK: i32 = 2;

/// Ids of an interval ascend.
pub const IDGEN_ASCENDING: i32 = 0;
/// The rest is random, with the version field 4.
pub const IDGEN_RANDOM_V4: i32 = 1;
/// The rest is random, with the version field 8.
pub const IDGEN_RANDOM_V8: i32 = 2;

/// What a generator is created from. Call idgen_settings_init first, and then set what differs. Texts end with a NUL. All
/// pointers are only read while idgen_generator_new runs.
#[repr(C)]
pub struct IdgenSettings {
    /// Set by idgen_settings_init; do not change it.
    pub size: usize,
    /// The kind of the ids, such as IDGEN_V7.
    pub kind: i32,
    /// What happens if the clock is behind the last id by more than the tolerance: IDGEN_RESTART (default), IDGEN_ERROR or IDGEN_WAIT.
    pub when_behind: i32,
    /// By how many milliseconds the clock may be behind while ids continue from the time of the last one: 10,000 by default, UINT64_MAX
    /// for any.
    pub tolerance_ms: u64,
    /// The path of the state file in UTF-8, or NULL (default) for no state. One generator at a time can hold the file. It is
    /// written ahead: after a crash, ids continue behind those that may have been returned.
    pub state_path: *const c_char,
    /// The node of IDGEN_V1, IDGEN_V6 and IDGEN_SHORT as twelve hexadecimal digits, or NULL (default) for a random one.
    pub node: *const c_char,
    /// Of IDGEN_PREFIXED: IDGEN_SEQUENTIAL (default), IDGEN_KEYED or IDGEN_MD5_WEEK.
    pub prefix: i32,
    /// The width of a sequential prefix in bits, 1 to 16 (default).
    pub prefix_bits: i32,
    /// The offset of the weeks of IDGEN_MD5_WEEK from UTC in seconds: 0 by default.
    pub utc_offset_secs: i32,
    /// The tail of IDGEN_PREFIXED: IDGEN_ASCENDING (default), IDGEN_RANDOM_V4 or IDGEN_RANDOM_V8.
    pub tail: i32,
    /// The interval of IDGEN_PREFIXED, such as "day" (default), "ten-minutes", "week" or "90s".
    pub interval: *const c_char,
    /// The secret of IDGEN_KEYED, at least 16 bytes.
    pub secret: *const u8,
    /// The number of bytes of `secret`.
    pub secret_length: usize,
    /// The name of the writer of IDGEN_KEYED, or of IDGEN_SEQUENTIAL with an ascending tail; NULL (default) for none.
    pub writer: *const c_char,
    /// The first bits of IDGEN_FIXED_PREFIX, such as "ffffffff" (default) or "0b101": up to 32.
    pub fixed_prefix: *const c_char,
    /// Clock and random bytes of a test, or NULL (default) for those of the system.
    pub fixed: *const IdgenFixed,
    /// Whether the generator uses the state in memory of `fixed`: false by default.
    pub fixed_state: bool,
    /// How many milliseconds one call may wait with IDGEN_WAIT, and for the next second after 65,536 ids of IDGEN_SHORT: 60,000 by
    /// default, 0 for no wait. Then it returns IDGEN_CLOCK_BEHIND or IDGEN_EXHAUSTED.
    pub longest_wait_ms: u64,
}

/// The size of the first settings, which idgen_settings_init as a function initializes. A setting that is added behind them does not
/// change it.
const FIRST_SIZE: usize = offset_of!(IdgenSettings, longest_wait_ms);
const _: () = assert!(size_of::<usize>() != 8 || FIRST_SIZE == 112);

/// Sets all settings to their defaults, for ids of this kind. Does nothing if `settings` is NULL. In C and C++ it is a macro for
/// idgen_settings_init_sized, with the size of your header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_settings_init(settings: *mut IdgenSettings, kind: i32) {
    // SAFETY: the caller promises memory for a struct of the first version or a later one.
    unsafe { idgen_settings_init_sized(settings, FIRST_SIZE, kind) };
}

/// Sets the first `size` bytes of the settings to their defaults. A program that was compiled with an older header has fewer
/// settings than the library: the library leaves the memory behind them alone. Does nothing if `settings` is NULL or if this
/// library has no settings of this size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_settings_init_sized(settings: *mut IdgenSettings, size: usize, kind: i32) {
    let defaults = IdgenSettings { size, ..IdgenSettings::of(kind) };
    if !settings.is_null() && settings.is_aligned() && IdgenSettings::has_size(size) {
        // SAFETY: the caller promises memory of this size, which need not be initialized.
        unsafe { std::ptr::copy_nonoverlapping((&raw const defaults).cast::<u8>(), settings.cast(), size) };
    }
}

fn config(message: impl Into<String>) -> Failure {
    Failure::Own(IDGEN_CONFIG, message.into())
}

/// What a setting has no effect on.
fn unused(setting: &str, kind: &str) -> Failure {
    config(format!("{setting} has no effect on {kind}: leave it out"))
}

impl IdgenSettings {
    /// The defaults.
    fn of(kind: i32) -> Self {
        IdgenSettings {
            size: size_of::<IdgenSettings>(),
            kind,
            when_behind: IDGEN_RESTART,
            tolerance_ms: 10_000,
            state_path: std::ptr::null(),
            node: std::ptr::null(),
            prefix: IDGEN_SEQUENTIAL,
            prefix_bits: 16,
            utc_offset_secs: 0,
            tail: IDGEN_ASCENDING,
            interval: c"day".as_ptr(),
            secret: std::ptr::null(),
            secret_length: 0,
            writer: std::ptr::null(),
            fixed_prefix: c"ffffffff".as_ptr(),
            fixed: std::ptr::null(),
            fixed_state: false,
            longest_wait_ms: 60_000,
        }
    }

    /// Whether settings of this size end with a whole setting. A program has fewer of them if its header is older.
    fn has_size(size: usize) -> bool {
        (offset_of!(IdgenSettings, when_behind)..=size_of::<IdgenSettings>()).contains(&size)
            && size.is_multiple_of(align_of::<IdgenSettings>())
    }
}

/// The names of the kinds for which something holds, as in "IDGEN_V1, IDGEN_V6 or IDGEN_V7".
pub(crate) fn kinds_with(holds: impl Fn(Kind) -> bool) -> String {
    let kinds = Kind::ALL.iter().filter(|kind| kind.facts().c.is_some() && holds(**kind));
    let names: Vec<_> =
        kinds.map(|kind| format!("IDGEN_{}", kind.name().to_uppercase().replace('-', "_"))).collect();
    names.split_last().map_or_else(String::new, |(last, others)| format!("{} or {last}", others.join(", ")))
}

/// The settings of a caller, whose pointers are valid while this lives.
pub(crate) struct Settings(IdgenSettings);

impl Settings {
    /// Reads a caller's settings; those that its header does not have are the defaults.
    ///
    /// # Safety
    /// The pointer is NULL, or points at as many bytes as its first field says. The pointers among the settings are NULL, or valid while the result
    /// lives.
    pub(crate) unsafe fn read(settings: *const IdgenSettings) -> Checked<Self> {
        // SAFETY: the caller promises it.
        let size = *unsafe { input::object("settings", settings.cast::<usize>()) }?;
        if !IdgenSettings::has_size(size) {
            let known = size_of::<IdgenSettings>();
            return Err(Failure::argument(format!(
                "the size of the settings is {size}, but this library knows at most {known}: call idgen_settings_init first, and link a \
                 library that is not older than the header"
            )));
        }
        let mut own = IdgenSettings::of(0);
        // SAFETY: the caller promises so many bytes, and no more than the struct has.
        unsafe { std::ptr::copy_nonoverlapping(settings.cast::<u8>(), (&raw mut own).cast(), size) };
        Ok(Settings(own))
    }

    /// The kind, if the other settings have an effect on it.
    pub(crate) fn check(&self) -> Checked<Kind> {
        let settings = &self.0;
        let found = Kind::ALL.iter().find(|kind| kind.facts().c == Some(settings.kind));
        let &kind = found.ok_or_else(|| {
            config(format!("no kind of id has the number {}: pass one such as IDGEN_V7", settings.kind))
        })?;
        if !settings.node.is_null() && !kind.has(Setting::Node) {
            return Err(unused("a node", kind.name()));
        }
        if (!settings.state_path.is_null() || settings.fixed_state) && !kind.has(Setting::State) {
            return Err(unused("a state", kind.name()));
        }
        if !settings.secret.is_null() && (kind != Kind::Prefixed || settings.prefix != IDGEN_KEYED) {
            return Err(unused("a secret", "ids without a keyed prefix"));
        }
        if !settings.writer.is_null() && (kind != Kind::Prefixed || settings.prefix == IDGEN_MD5_WEEK) {
            return Err(unused("the name of a writer", "ids without a sequential or keyed prefix"));
        }
        if settings.fixed_state && (settings.fixed.is_null() || !settings.state_path.is_null()) {
            return Err(config("fixed_state needs fixed, and no state_path"));
        }
        Ok(kind)
    }

    /// Sets the policy of ids with the times of rows: each id has its own time, also if the generator went ahead of it for a row before.
    pub(crate) fn take_each_time(&mut self) {
        (self.0.tolerance_ms, self.0.when_behind) = (0, IDGEN_RESTART);
    }

    pub(crate) fn has_state(&self) -> bool {
        !self.0.state_path.is_null() || self.0.fixed_state
    }

    /// Clock and random bytes of a test.
    pub(crate) fn fixed(&self) -> Checked<Option<&IdgenFixed>> {
        match self.0.fixed.is_null() {
            true => Ok(None),
            // SAFETY: the caller of `read` has promised it.
            false => Ok(Some(unsafe { input::object("fixed", self.0.fixed) }?)),
        }
    }

    fn prefix(&self) -> Checked<Prefix> {
        // SAFETY: the caller of `read` has promised it.
        let writer = unsafe { input::text("writer", self.0.writer) }?;
        match self.0.prefix {
            IDGEN_SEQUENTIAL => match (u8::try_from(self.0.prefix_bits), writer) {
                (Ok(16), Some(name)) => Ok(Prefix::SequentialOf(Writer::new(name))),
                (Ok(bits @ 1..=16), None) => Ok(Prefix::Sequential { bits }),
                (Ok(bits @ 1..=15), Some(_)) => Err(config(format!(
                    "prefix_bits cannot be {bits} with a writer, whose rounds have 16 bits: pass 16"
                ))),
                _ => Err(config(format!("prefix_bits cannot be {}: pass 1 to 16", self.0.prefix_bits))),
            },
            IDGEN_MD5_WEEK => Ok(Prefix::Md5Week { utc_offset_secs: self.0.utc_offset_secs }),
            IDGEN_KEYED => {
                // SAFETY: as above.
                let secret = unsafe { input::slice("secret", self.0.secret, self.0.secret_length) }?;
                let key = PrefixKey::new(secret)?;
                Ok(Prefix::Keyed(match writer {
                    Some(name) => key.for_writer(name),
                    None => key,
                }))
            }
            other => Err(config(format!(
                "prefix cannot be {other}: pass IDGEN_SEQUENTIAL, IDGEN_KEYED or IDGEN_MD5_WEEK"
            ))),
        }
    }

    fn tail(&self) -> Checked<Tail> {
        match self.0.tail {
            IDGEN_ASCENDING => Ok(Tail::Ascending),
            IDGEN_RANDOM_V4 => Ok(Tail::RandomV4),
            IDGEN_RANDOM_V8 => Ok(Tail::RandomV8),
            other => Err(config(format!(
                "tail cannot be {other}: pass IDGEN_ASCENDING, IDGEN_RANDOM_V4 or IDGEN_RANDOM_V8"
            ))),
        }
    }
}

impl LayoutSettings for Settings {
    type Error = Failure;

    fn prefixed(&self, _: Kind) -> Checked<(Prefix, Interval, Tail)> {
        let prefix = self.prefix()?;
        // SAFETY: the caller of `read` has promised it.
        let interval = unsafe { input::required("interval", self.0.interval) }?.parse()?;
        Ok((prefix, interval, self.tail()?))
    }

    fn fixed_prefix(&self) -> Checked<PrefixBits> {
        // SAFETY: as above.
        Ok(unsafe { input::required("fixed_prefix", self.0.fixed_prefix) }?.parse()?)
    }

    fn server_id(&self) -> Checked<u8> {
        Err(config("no generator of this library makes the ids of a server"))
    }

    fn refused(&self, error: idgen::Error) -> Failure {
        error.into()
    }
}

impl generator::Settings for Settings {
    type Error = Failure;

    fn policy(&self) -> Checked<ClockPolicy> {
        let when_behind = match self.0.when_behind {
            IDGEN_RESTART => WhenBehind::Restart,
            IDGEN_ERROR => WhenBehind::Error,
            IDGEN_WAIT => WhenBehind::Wait,
            other => {
                return Err(config(format!(
                    "when_behind cannot be {other}: pass IDGEN_RESTART, IDGEN_ERROR or IDGEN_WAIT"
                )));
            }
        };
        Ok(ClockPolicy::DEFAULT
            .with_tolerance(Duration::from_millis(self.0.tolerance_ms))
            .with_when_behind(when_behind)
            .with_longest_wait(Duration::from_millis(self.0.longest_wait_ms)))
    }

    fn node(&self) -> Checked<Option<Node>> {
        // SAFETY: as above.
        let text = unsafe { input::text("node", self.0.node) }?;
        Ok(text.map(str::parse).transpose()?)
    }

    fn state(&self, _: Kind) -> Checked<Box<dyn State + Send>> {
        // SAFETY: as above.
        let path = unsafe { input::text("state_path", self.0.state_path) }?;
        Ok(match (path, self.fixed()?) {
            (Some(path), _) => Box::new(FileState::open(PathBuf::from(path))?),
            (None, Some(fixed)) if self.0.fixed_state => Box::new(fixed.state()),
            _ => Box::new(NoState),
        })
    }
}
