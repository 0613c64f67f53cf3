//! [`ShortId`]: a decimal string in human-readable formats, an integer in all others.

use core::fmt;

use ::serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use ::serde::ser::{Serialize, Serializer};

use crate::short_id::ShortId;

/// A decimal string in human-readable formats, because 64-bit ids exceed what JSON consumers read
/// exactly (2^53); a `u64` in the others.
///
/// ```
/// let id = idgen::ShortId::new(u64::MAX);
/// assert_eq!(serde_json::to_string(&id)?, r#""18446744073709551615""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
impl Serialize for ShortId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_u64(self.get())
        }
    }
}

/// Reads what `Serialize` writes, and an integer in human-readable formats too.
///
/// ```
/// use idgen::ShortId;
///
/// assert_eq!(serde_json::from_str::<ShortId>(r#""102176818768904192""#)?.get(), 102_176_818_768_904_192);
/// assert_eq!(serde_json::from_str::<ShortId>("102176818768904192")?.get(), 102_176_818_768_904_192);
/// assert!(serde_json::from_str::<ShortId>("-1").is_err());
/// assert!(serde_json::from_str::<ShortId>("1.0").is_err());
/// assert!(serde_json::from_str::<ShortId>(r#""01""#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
impl<'de> Deserialize<'de> for ShortId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(Number)
        } else {
            deserializer.deserialize_u64(Number)
        }
    }
}

struct Number;

impl Visitor<'_> for Number {
    type Value = ShortId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a 64-bit id as decimal string or unsigned integer")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<ShortId, E> {
        Ok(ShortId::new(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<ShortId, E> {
        u64::try_from(number)
            .map(ShortId::new)
            .map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ShortId, E> {
        text.parse().map_err(E::custom)
    }
}
