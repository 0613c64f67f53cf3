//! The kinds of ids that this crate generates: the table of them.

use core::fmt;

use crate::codec::Format;
use crate::error::{Error, Result};

/// A setting that only some kinds have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Setting {
    /// The clock that gives the time.
    Clock,
    /// A [state](crate::source::State) that survives restarts.
    State,
    /// The [policy](crate::source::ClockPolicy) for a clock that is behind.
    Policy,
    /// The [node](crate::Node).
    Node,
}

use Setting::{Clock, Node, Policy, State};

/// The way in which ids of a kind can coincide, for [`odds`](crate::odds).
#[cfg(all(feature = "prefixed", feature = "std"))]
pub(crate) enum Collisions {
    /// 122 random bits.
    Random,
    /// A hash of the week and 106 random bits.
    Week,
    /// A counter within the millisecond: so many bits must coincide. And the formula.
    Counted(i32, &'static str),
    /// A random node with a counter within the tick.
    Node,
    /// 16 bits for the device and a counter within the second.
    Device,
    /// One byte for the server and the second of its start.
    Servers,
}

#[cfg(all(feature = "prefixed", feature = "std"))]
pub(crate) const IN_ONE_MS_61: &str = "D(D-1)/2 · (r·1ms)² · T/1ms · 2^-61";
#[cfg(all(feature = "prefixed", feature = "std"))]
const IN_ONE_MS_46: &str = "D(D-1)/2 · (r·1ms)² · T/1ms · 2^-46";
#[cfg(all(feature = "prefixed", feature = "std"))]
pub(crate) const IN_ONE_MS_73: &str = "D(D-1)/2 · (r·1ms)² · T/1ms · 2^-73";

/// The range of the ids of a time.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// The ids of a time are one range.
    Ids,
    /// The swapped bytes of the ids are one range.
    Swapped,
    /// A range for each interval of the prefix.
    Intervals,
}

/// The unit of the position in a saved state, in its bits from 32 on.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// 100 ns since 1970.
    Ticks,
    /// Milliseconds since 1970.
    Millis,
    /// Seconds since 1970. The low 32 bits are the counter and the node.
    Secs,
    /// The position is an id of `UUID_SHORT()`, which has the second of the start.
    MysqlId,
}

/// A row of the table of kinds.
#[doc(hidden)]
#[derive(Debug)]
pub struct Facts {
    pub name: &'static str,
    /// The documentation of the variant.
    pub doc: &'static str,
    pub about: &'static str,
    pub bits: u32,
    /// The form in which people read its ids.
    pub text: Format,
    /// The version in the ids; `None` without the field of RFC 9562.
    pub version: Option<u8>,
    /// Ids of one generator ascend, with the default settings.
    pub is_ascending: bool,
    /// `None` if ids do not begin with their time.
    pub span: Option<Span>,
    pub position: Position,
    /// The settings that several kinds have.
    pub settings: &'static [Setting],
    /// The number in the C library, which stays as it is; `None` if the library has no generator of the kind.
    pub c: Option<i32>,
    /// The settings that describe the layout, with the names of `tests/vectors/generators.json`.
    pub layout: &'static [&'static str],
}

/// What most kinds have.
const USUAL: Facts = Facts {
    name: "",
    doc: "",
    about: "",
    bits: 128,
    text: Format::Hyphenated,
    version: None,
    is_ascending: true,
    span: Some(Span::Ids),
    position: Position::Millis,
    settings: &[Clock, State, Policy],
    c: None,
    layout: &[],
};

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident $name:literal, $about:literal, $collisions:expr, { $($field:ident: $value:expr),* };)+) => {
        /// A kind of id. The command line and state files use its name.
        ///
        /// A new kind is a breaking change for code that matches on this enum: its compiler then lists the places that do
        /// not handle the kind yet.
        ///
        /// ```
        /// use idgen::{Kind, Setting};
        ///
        /// assert_eq!("v7".parse::<Kind>()?, Kind::V7);
        /// assert_eq!((Kind::MysqlShort.name(), Kind::MysqlShort.bits()), ("mysql-short", 64));
        /// assert!(Kind::V1.has(Setting::Node) && !Kind::V7.has(Setting::Node));
        /// # Ok::<(), idgen::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind),+];

            /// The row of the table. `tests/vectors/kinds.json` is written from it.
            #[doc(hidden)]
            pub const fn facts(self) -> &'static Facts {
                match self {
                    $(Kind::$kind => const { &Facts { name: $name, doc: concat!($($doc),+), about: $about, $($field: $value,)* ..USUAL } },)+
                }
            }

            #[cfg(all(feature = "prefixed", feature = "std"))]
            pub(crate) const fn collisions(self) -> Collisions {
                match self {
                    $(Kind::$kind => $collisions,)+
                }
            }
        }

        const NAMES: &str = concat!("choose one of: ", $($name, " "),+);
    };
}

kinds! {
    /// UUID version 1: Gregorian time (low bits first), clock sequence, node.
    V1 "v1", "UUID: time with its low bits first, clock sequence, node", Collisions::Node,
        { c: Some(1), version: Some(1), is_ascending: false, span: Some(Span::Swapped), position: Position::Ticks, settings: &[Clock, State, Policy, Node] };
    /// UUID version 4: random.
    V4 "v4", "UUID: random", Collisions::Random, { c: Some(4), version: Some(4), is_ascending: false, span: None, settings: &[] };
    /// UUID version 6: Gregorian time (high bits first), clock sequence, node.
    V6 "v6", "UUID: as v1, but sorts by time", Collisions::Node,
        { c: Some(6), version: Some(6), position: Position::Ticks, settings: &[Clock, State, Policy, Node] };
    /// UUID version 7: Unix milliseconds and their fraction, counter, random tail.
    V7 "v7", "UUID: milliseconds and their fraction, counter, random; sorts by time", Collisions::Counted(73, IN_ONE_MS_73), { c: Some(7), version: Some(7) };
    /// ULID: Unix milliseconds and 80 bits, without version and variant.
    Ulid "ulid", "milliseconds, counter, random; sorts by time", Collisions::Counted(79, "D(D-1)/2 · (r·1ms)² · T/1ms · 2^-79"), { c: Some(10), text: Format::Base32 };
    /// A prefix of the MySQL week and a random tail.
    Week "week", "UUID: a prefix of MySQL's week, random tail", Collisions::Week,
        { version: Some(4), is_ascending: false, span: Some(Span::Intervals), settings: &[Clock], layout: &["utc_offset_secs"] };
    /// A prefix that stays the same for an interval, and a tail.
    Prefixed "prefixed", "UUID: a prefix that stays the same for an interval, and a tail", Collisions::Counted(61, IN_ONE_MS_61),
        { c: Some(11), version: Some(8), span: Some(Span::Intervals), layout: &["prefix", "bits", "secret", "writer", "utc_offset_secs", "interval", "tail"] };
    /// UUID version 8: a prefix that never changes, and an ascending tail.
    FixedPrefix "fixed-prefix", "UUID: a prefix that never changes, and an ascending tail", Collisions::Counted(46, IN_ONE_MS_46),
        { c: Some(12), version: Some(8), layout: &["prefix"] };
    /// 64 bits: seconds, low bytes of the node, counter.
    Short "short", "64 bits: seconds, node, counter", Collisions::Device,
        { c: Some(13), bits: 64, text: Format::Int, is_ascending: false, position: Position::Secs, settings: &[Clock, State, Policy, Node] };
    /// 64 bits: as MySQL's `UUID_SHORT()`.
    MysqlShort "mysql-short", "64 bits: as MySQL's UUID_SHORT()", Collisions::Servers,
        { bits: 64, text: Format::Int, position: Position::MysqlId, settings: &[Clock, State], layout: &["server_id"] };
}

impl Kind {
    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The width of its ids: 128 or 64.
    pub const fn bits(self) -> u32 {
        self.facts().bits
    }

    /// A phrase that describes its ids.
    pub const fn about(self) -> &'static str {
        self.facts().about
    }

    /// True if the kind has this setting.
    pub fn has(self, setting: Setting) -> bool {
        self.facts().settings.contains(&setting)
    }

    /// True if rows that exist can get ids with their times: 16 bits of a node are too few for the many steps back.
    #[doc(hidden)]
    pub fn has_rows(self) -> bool {
        self.has(Setting::Clock) && self.bits() == 128
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl core::str::FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Kind::ALL.iter().copied().find(|kind| kind.name() == text);
        found.ok_or_else(|| Error::config("no kind of id has the name", text, NAMES.trim_ascii_end()))
    }
}
