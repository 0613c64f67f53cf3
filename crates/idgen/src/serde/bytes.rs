//! The binary forms: byte strings, and arrays of numbers where the serde format has no bytes.

use core::fmt;

use ::serde::de::{Deserializer, Error, SeqAccess, Visitor};

use uuid::Uuid;

/// Reads 16 bytes and decodes them by `decode`.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
    decode: fn(&[u8]) -> crate::error::Result<Uuid>,
) -> Result<Uuid, D::Error> {
    deserializer.deserialize_bytes(Bytes(decode))
}

struct Bytes(fn(&[u8]) -> crate::error::Result<Uuid>);

impl<'de> Visitor<'de> for Bytes {
    type Value = Uuid;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("16 bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Uuid, E> {
        (self.0)(bytes).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Uuid, A::Error> {
        let mut bytes = [0; 16];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(index, &self))?;
        }
        if seq.next_element::<u8>()?.is_some() {
            return Err(A::Error::invalid_length(17, &self));
        }
        (self.0)(&bytes).map_err(A::Error::custom)
    }
}

/// A module for `#[serde(with = …)]`.
macro_rules! bytes_module {
    ($name:ident, $format:ident, $about:literal, $first:literal) => {
        #[doc = $about]
        ///
        /// In JSON, which has no bytes, an array of 16 numbers.
        ///
        /// ```
        /// #[derive(serde::Serialize, serde::Deserialize)]
        #[doc = concat!("struct Id(#[serde(with = \"idgen::serde::", stringify!($name), "\")] idgen::Uuid);")]
        ///
        #[doc = concat!("let json = \"[", $first, ",149,100,91,140,101,96,36,219]\";")]
        /// let id: Id = serde_json::from_str(json)?;
        /// assert_eq!(id.0.to_string(), "6ccd780c-baba-1026-9564-5b8c656024db");
        /// assert_eq!(serde_json::to_string(&id)?, json);
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        pub mod $name {
            use ::serde::{Deserializer, Serializer};

            use crate::codec::Format;
            use crate::serde::field::{self, Field};
            use uuid::Uuid;

            struct Form;

            impl field::Form for Form {
                fn serialize<S: Serializer>(id: &Uuid, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_bytes(Format::$format.encode(id, &mut [0; Format::MAX_LEN]))
                }

                fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
                    crate::serde::bytes::deserialize(deserializer, |bytes| Format::$format.decode(bytes))
                }
            }

            field::functions!();
        }
    };
}
pub(super) use bytes_module;

/// The 16 bytes as an array of numbers in each format, for those without bytes, such as YAML, and for readers that expect numbers.
///
/// Reads byte strings, too.
///
/// ```
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Id(#[serde(with = "idgen::serde::numbers")] idgen::Uuid);
///
/// let json = "[108,205,120,12,186,186,16,38,149,100,91,140,101,96,36,219]";
/// let id: Id = serde_json::from_str(json)?;
/// assert_eq!(id.0.to_string(), "6ccd780c-baba-1026-9564-5b8c656024db");
/// assert_eq!(serde_json::to_string(&id)?, json);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub mod numbers {
    use ::serde::{Deserializer, Serialize, Serializer};

    use crate::codec::Format;
    use crate::serde::field::{self, Field};
    use uuid::Uuid;

    struct Form;

    impl field::Form for Form {
        fn serialize<S: Serializer>(id: &Uuid, serializer: S) -> Result<S::Ok, S::Error> {
            id.as_bytes().serialize(serializer)
        }

        fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
            deserializer.deserialize_tuple(16, super::Bytes(|bytes| Format::Binary.decode(bytes)))
        }
    }

    field::functions!();
}
