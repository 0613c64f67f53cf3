//! A value of a key column.

use arrayvec::ArrayString;

/// The longest text key: a hyphenated UUID.
pub const TEXT_LEN: usize = 36;

/// A key in the form in which its column stores it.
///
/// Two keys of the same variant compare as they do in a database with a binary collation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The database assigns the number: 1, 2, 3 and so on.
    Assigned,
    /// A 64-bit number.
    Uint(u64),
    /// Sixteen bytes.
    Binary([u8; 16]),
    /// Text in ASCII.
    Text(ArrayString<TEXT_LEN>),
}

impl Key {
    /// A text key; `None` if it is longer than 36 characters.
    pub fn text(text: &str) -> Option<Key> {
        ArrayString::from(text).ok().map(Key::Text)
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Assigned => f.write_str("(assigned)"),
            Key::Uint(number) => write!(f, "{number}"),
            Key::Binary(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
            Key::Text(text) => f.write_str(text),
        }
    }
}
