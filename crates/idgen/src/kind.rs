//! The kinds of ids that this crate generates: the table of them.

use core::fmt;

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

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident, $name:literal, $bits:literal, [$($setting:ident),*], $collisions:expr, $about:literal;)+) => {
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

            /// The name, in lower case.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)+
                }
            }

            /// The width of its ids: 128 or 64.
            pub const fn bits(self) -> u32 {
                match self {
                    $(Kind::$kind => $bits,)+
                }
            }

            /// A phrase that describes its ids.
            pub const fn about(self) -> &'static str {
                match self {
                    $(Kind::$kind => $about,)+
                }
            }

            #[cfg(all(feature = "prefixed", feature = "std"))]
            pub(crate) const fn collisions(self) -> Collisions {
                match self {
                    $(Kind::$kind => $collisions,)+
                }
            }

            const fn settings(self) -> &'static [Setting] {
                match self {
                    $(Kind::$kind => &[$($setting),*],)+
                }
            }
        }

        const NAMES: &str = concat!("choose one of: ", $($name, " "),+);
    };
}

kinds! {
    /// UUID version 1: Gregorian time (low bits first), clock sequence, node.
    V1, "v1", 128, [Clock, State, Policy, Node], Collisions::Node,
        "UUID: time with its low bits first, clock sequence, node";
    /// UUID version 4: random.
    V4, "v4", 128, [], Collisions::Random, "UUID: random";
    /// UUID version 6: Gregorian time (high bits first), clock sequence, node.
    V6, "v6", 128, [Clock, State, Policy, Node], Collisions::Node, "UUID: as v1, but sorts by time";
    /// UUID version 7: Unix milliseconds and their fraction, counter, random tail.
    V7, "v7", 128, [Clock, State, Policy], Collisions::Counted(73, IN_ONE_MS_73), "UUID: milliseconds and their fraction, counter, random; sorts by time";
    /// ULID: Unix milliseconds and 80 bits, without version and variant.
    Ulid, "ulid", 128, [Clock, State, Policy], Collisions::Counted(79, "D(D-1)/2 · (r·1ms)² · T/1ms · 2^-79"), "milliseconds, counter, random; sorts by time";
    /// A prefix of the MySQL week and a random tail.
    Week, "week", 128, [Clock], Collisions::Week, "UUID: a prefix of MySQL's week, random tail";
    /// A prefix that stays the same for an interval, and a tail.
    Prefixed, "prefixed", 128, [Clock, State, Policy], Collisions::Counted(61, IN_ONE_MS_61),
        "UUID: a prefix that stays the same for an interval, and a tail";
    /// UUID version 8: a prefix that never changes, and an ascending tail.
    FixedPrefix, "fixed-prefix", 128, [Clock, State, Policy], Collisions::Counted(46, IN_ONE_MS_46),
        "UUID: a prefix that never changes, and an ascending tail";
    /// 64 bits: seconds, low bytes of the node, counter.
    Short, "short", 64, [Clock, State, Policy, Node], Collisions::Device, "64 bits: seconds, node, counter";
    /// 64 bits: as MySQL's `UUID_SHORT()`.
    MysqlShort, "mysql-short", 64, [Clock, State], Collisions::Servers, "64 bits: as MySQL's UUID_SHORT()";
}

impl Kind {
    /// True if the kind has this setting.
    pub fn has(self, setting: Setting) -> bool {
        self.settings().contains(&setting)
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
