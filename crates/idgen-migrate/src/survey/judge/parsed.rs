//! A value as it can be read alone, before the rest of its column shows of which kind it is.

use idgen::Uuid;

use crate::survey::judge::kinds::Kind;

/// The spelling of the text of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Spelling {
    pub(crate) format: &'static str,
    pub(crate) case: Case,
}

impl Spelling {
    /// Returns true if hardly anything but ids has this spelling.
    pub(crate) fn is_of_ids(self) -> bool {
        matches!(self.format, "hyphenated" | "braced" | "urn")
    }

    /// Returns true if a letter means something else in the other case.
    pub(crate) fn needs_case(self) -> bool {
        matches!(self.format, "base64" | "ordered64" | PADDED)
    }
}

/// Base64 with `==` at its end.
pub(crate) const PADDED: &str = "padded base64";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Case {
    /// There is no letter, or case is a part of the alphabet.
    None,
    Lower,
    Upper,
    Mixed,
}

/// A value as it can be read alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Parsed {
    Wide {
        id: Uuid,
        spelling: Option<Spelling>,
    },
    Object {
        seconds: u32,
        id: u128,
        spelling: Option<Spelling>,
    },
    /// The characters of a kind that has them, its time in milliseconds, and the share of random texts of this length and
    /// alphabet that have them too.
    Pattern {
        kind: Kind,
        time: Option<i64>,
        each: f64,
    },
    /// 40 or 64 hexadecimal digits.
    Digest,
    Integer(i128),
    Text,
    Bytes,
}

impl Parsed {
    /// The id as a number, which is the same in every spelling.
    pub(crate) fn id(&self) -> Option<u128> {
        match self {
            Parsed::Wide { id, .. } => Some(id.as_u128()),
            Parsed::Object { id, .. } => Some(*id),
            Parsed::Integer(number) => Some(*number as u128),
            Parsed::Pattern { .. } | Parsed::Digest | Parsed::Text | Parsed::Bytes => None,
        }
    }

    pub(crate) fn spelling(&self) -> Option<Spelling> {
        match self {
            Parsed::Wide { spelling, .. } | Parsed::Object { spelling, .. } => *spelling,
            _ => None,
        }
    }
}
