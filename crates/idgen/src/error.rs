//! One opaque error for the whole crate.
//!
//! Callers ask what went wrong with the `is_*` predicates; people read the message, which names
//! the offending value and what to do about it. Values are shortened, paths and advice are not. It works without an
//! allocator; with one (feature `alloc`) an error is a single pointer.

mod excerpt;
mod message;

use core::fmt;

pub(crate) use excerpt::{Excerpt, Words};

use crate::timestamp::Timestamp;

/// The result of a fallible function of this crate.
pub type Result<T> = core::result::Result<T, Error>;

/// Why an id could not be made, read or restored.
///
/// ```
/// let error = idgen::codec::hyphenated::decode("6ccd780c-baba-1026-9564-5b8c656024dg").unwrap_err();
/// assert!(error.is_parse());
/// assert_eq!(error.offset(), Some(35));
/// assert!(error.to_string().contains("'g'"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Stored,
}

/// On the heap where there is one, so that a `Result` is not much larger than its value.
#[cfg(feature = "alloc")]
type Stored = alloc::boxed::Box<Kind>;
#[cfg(not(feature = "alloc"))]
type Stored = Kind;

/// The private kinds. A module that needs another one adds it here, beside its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A text or byte string that is not an id of the wanted form.
    Parse { form: &'static str, problem: Problem, input: Excerpt },
    /// A typed id with another prefix than the expected one.
    Prefix { expected: Excerpt, input: Excerpt },
    /// The clock is behind the last id by more than the policy tolerates.
    ClockBehind { now: Timestamp, last: Timestamp, tolerance_ms: u64, has_state: bool },
    /// The time does not fit the field of this kind.
    TimeOutOfRange { kind: &'static str, time: Timestamp, range: Excerpt },
    /// All ids of one second are used, and the policy is not to wait; or all clock sequences of a node are used.
    Exhausted { kind: &'static str, capacity: &'static str, advice: &'static str },
    /// The number of the device is leased for other times.
    OutsideLease { number: u16, time: Timestamp, not_before: Timestamp, not_after: Timestamp },
    /// The process was forked and this generator cannot tell itself from its parent's copy.
    Forked { what: &'static str },
    /// A source gave no randomness.
    Entropy { detail: Words, cause: Cause },
    /// No hardware address was found.
    #[cfg(feature = "std")]
    #[cfg_attr(
        not(feature = "mac"),
        allow(dead_code, reason = "only a network card that cannot be read is such an error")
    )]
    Node { detail: Words },
    /// A state could not be read, understood, locked or written.
    State { place: Words, problem: &'static str, detail: Words, cause: Cause },
    /// A line of a file that holds settings.
    #[cfg(feature = "alloc")]
    #[cfg_attr(not(feature = "seal"), allow(dead_code, reason = "only rings of keys are read from lines"))]
    Line { number: usize, error: Error },
    /// A setting that is not allowed.
    Config { problem: &'static str, value: Excerpt, advice: &'static str },
}

/// The fault of an input, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// A length that no value of this form has.
    Length { expected: &'static str, found: usize },
    /// A byte outside the alphabet, or a separator out of place, at an offset.
    Byte { found: u8, offset: usize, expected: &'static str },
    /// Bits that no encoder would have set: two texts would otherwise mean the same id.
    TrailingBits { offset: usize },
    /// A number that exceeds the width of the id.
    Overflow { bits: u32 },
    /// A text of another form, which is known, and what to do with it.
    Looks { like: &'static str, advice: &'static str },
    /// A text that more than one format could have written.
    Ambiguous { candidates: &'static str },
    /// A text that no format could have written.
    Unrecognized,
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: Kind) -> Self {
        Error { kind: Stored::from(kind) }
    }

    #[cold]
    pub(crate) fn parse(form: &'static str, input: &[u8], problem: Problem) -> Self {
        Error::new(Kind::Parse { form, problem, input: Excerpt::of_bytes(input) })
    }

    #[cold]
    pub(crate) fn config(problem: &'static str, value: impl fmt::Display, advice: &'static str) -> Self {
        Error::new(Kind::Config { problem, value: Excerpt::of(value), advice })
    }

    /// For a source of your own: it has no random bytes. `detail` is the reason, for the message.
    ///
    /// ```
    /// use idgen::{Error, Result, generator::{Generate, V4}, source::Entropy};
    ///
    /// struct Token;
    /// impl Entropy for Token {
    ///     fn fill(&mut self, _: &mut [u8]) -> Result<()> {
    ///         Err(Error::entropy("the hardware token is not connected"))
    ///     }
    /// }
    /// assert!(V4::new(Token).next_id().unwrap_err().is_entropy());
    /// ```
    #[cold]
    pub fn entropy(detail: impl fmt::Display) -> Self {
        Error::new(Kind::Entropy { detail: Words::of(detail), cause: Cause::default() })
    }

    /// For a state of your own: the place, what is wrong with it, and why.
    ///
    /// ```
    /// let error = idgen::Error::state("table ids", "cannot be written", "the disk is full");
    /// assert!(error.is_state());
    /// assert_eq!(error.to_string(), "the state \"table ids\" cannot be written: the disk is full");
    /// ```
    #[cold]
    pub fn state(place: impl fmt::Display, problem: &'static str, detail: impl fmt::Display) -> Self {
        Error::new(Kind::State {
            place: Words::of(place),
            problem,
            detail: Words::of(detail),
            cause: Cause::default(),
        })
    }

    /// This error with its cause, which [`source`](core::error::Error::source) then returns. It is kept in errors of
    /// randomness and of states. It is shared by reference counting, so there is no such method on processors without
    /// compare-and-swap.
    ///
    /// ```
    /// use std::error::Error as _;
    ///
    /// let cause = std::io::Error::from(std::io::ErrorKind::StorageFull);
    /// let error = idgen::Error::state("table ids", "cannot be written", &cause).with_source(cause);
    /// let source = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
    /// assert_eq!(source.map(|source| source.kind()), Some(std::io::ErrorKind::StorageFull));
    /// ```
    #[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
    #[must_use]
    pub fn with_source(mut self, source: impl core::error::Error + Send + Sync + 'static) -> Self {
        if let Kind::State { cause, .. } | Kind::Entropy { cause, .. } = self.kind_mut() {
            cause.0 = Some(alloc::sync::Arc::new(source));
        }
        self
    }

    /// This error for a text that begins this many bytes after the beginning of the input.
    pub(crate) fn shifted(mut self, bytes: usize) -> Self {
        if let Kind::Parse {
            problem: Problem::Byte { offset, .. } | Problem::TrailingBits { offset }, ..
        } = self.kind_mut()
        {
            *offset += bytes;
        }
        self
    }

    /// A time outside what a kind can hold: from `first` to `last`.
    #[cold]
    pub(crate) fn out_of_range(
        kind: &'static str,
        time: Timestamp,
        first: Timestamp,
        last: Timestamp,
    ) -> Self {
        let range = Excerpt::of(format_args!("{first} to {last}"));
        Error::new(Kind::TimeOutOfRange { kind, time, range })
    }

    fn kind(&self) -> &Kind {
        &self.kind
    }

    fn kind_mut(&mut self) -> &mut Kind {
        &mut self.kind
    }

    /// True if a text or byte string was not a valid id of the wanted form.
    pub fn is_parse(&self) -> bool {
        matches!(self.kind(), Kind::Parse { .. } | Kind::Prefix { .. })
    }

    /// True if the clock was behind the last id by more than the policy tolerates.
    ///
    /// ```
    /// use idgen::generator::{Generate, V7};
    /// use idgen::source::{ClockPolicy, FixedClock, FixedEntropy, WhenBehind};
    /// use idgen::Timestamp;
    ///
    /// let clock = FixedClock::new(Timestamp::from_unix_secs(1_800_000_000));
    /// let policy = ClockPolicy::DEFAULT.with_when_behind(WhenBehind::Error);
    /// let mut ids = V7::new(&clock, FixedEntropy::new(1)).with_policy(policy);
    /// ids.next_id()?;
    /// clock.set(Timestamp::from_unix_secs(1_799_999_989)); // eleven seconds earlier
    /// assert!(ids.next_id().unwrap_err().is_clock_behind());
    /// # Ok::<(), idgen::Error>(())
    /// ```
    pub fn is_clock_behind(&self) -> bool {
        matches!(self.kind(), Kind::ClockBehind { .. })
    }

    /// True if a time lies outside what this kind of id can hold.
    ///
    /// ```
    /// use idgen::{Timestamp, generator::{Generate, V7}, source::{FixedClock, FixedEntropy}};
    ///
    /// let clock = FixedClock::new(Timestamp::from_unix_secs(-1));
    /// let error = V7::new(clock, FixedEntropy::new(1)).next_id().unwrap_err();
    /// assert!(error.is_time_out_of_range());
    /// assert!(error.to_string().starts_with("v7 cannot hold the time 1969-12-31T23:59:59Z"));
    /// ```
    pub fn is_time_out_of_range(&self) -> bool {
        matches!(self.kind(), Kind::TimeOutOfRange { .. })
    }

    /// True if all ids of the present second are used, which lasts until the next second. Also true if all clock
    /// sequences of a fixed node are used, which is permanent (see
    /// [`V1::with_node`](crate::generator::V1::with_node)).
    ///
    /// ```
    /// use idgen::generator::{DeviceShort, Generate};
    /// use idgen::source::{ClockPolicy, FixedClock, FixedEntropy, WhenBehind};
    /// use idgen::{ShortId, Timestamp};
    ///
    /// let clock = FixedClock::new(Timestamp::from_unix_secs(1_800_000_000));
    /// let policy = ClockPolicy::DEFAULT.with_when_behind(WhenBehind::Error);
    /// let mut ids = DeviceShort::new(&clock, FixedEntropy::new(1))?.with_policy(policy);
    /// ids.fill(&mut [ShortId::new(0); 65_536])?;
    /// assert!(ids.next_id().unwrap_err().is_exhausted());
    /// clock.set(Timestamp::from_unix_secs(1_800_000_001));
    /// assert!(ids.next_id().is_ok());
    /// # Ok::<(), idgen::Error>(())
    /// ```
    pub fn is_exhausted(&self) -> bool {
        matches!(self.kind(), Kind::Exhausted { .. })
    }

    /// True if the number of a device is not leased for the time of the clock: see
    /// [`DeviceLease`](crate::generator::DeviceLease).
    pub fn is_outside_lease(&self) -> bool {
        matches!(self.kind(), Kind::OutsideLease { .. })
    }

    /// True if the generator was copied by a fork and would repeat its parent's ids.
    pub fn is_forked(&self) -> bool {
        matches!(self.kind(), Kind::Forked { .. })
    }

    /// True if a source provided no randomness: see [`Error::entropy`].
    pub fn is_entropy(&self) -> bool {
        matches!(self.kind(), Kind::Entropy { .. })
    }

    /// True if a state could not be read, understood, locked or written: see [`Error::state`].
    pub fn is_state(&self) -> bool {
        matches!(self.kind(), Kind::State { .. })
    }

    /// True if a setting was refused.
    ///
    /// ```
    /// let error = "fortnight".parse::<idgen::Interval>().unwrap_err();
    /// assert!(error.is_config());
    /// assert!(error.to_string().contains("write minute, ten-minutes, hour"));
    /// ```
    pub fn is_config(&self) -> bool {
        match self.kind() {
            Kind::Config { .. } => true,
            #[cfg(feature = "alloc")]
            Kind::Line { .. } => true,
            #[cfg(feature = "std")]
            Kind::Node { .. } => true,
            _ => false,
        }
    }

    /// The offset of the first wrong byte of the input; `None` if no single byte is wrong, as for a wrong length.
    pub fn offset(&self) -> Option<usize> {
        match *self.kind() {
            Kind::Parse {
                problem: Problem::Byte { offset, .. } | Problem::TrailingBits { offset }, ..
            } => Some(offset),
            _ => None,
        }
    }
}

/// The cause of an error. Two errors with the same text are equal, whatever caused them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cause(
    #[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
    Option<alloc::sync::Arc<dyn core::error::Error + Send + Sync>>,
);

impl PartialEq for Cause {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Cause {}

impl core::error::Error for Error {
    /// The error of the system if one was the cause: [`std::io::Error`] if a state file could not be used.
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self.kind() {
            #[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
            Kind::State { cause, .. } | Kind::Entropy { cause, .. } => {
                cause.0.as_deref().map(|cause| cause as &(dyn core::error::Error + 'static))
            }
            _ => None,
        }
    }
}
