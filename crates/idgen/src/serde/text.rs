//! The text forms: one visitor, one module for each form.

use core::fmt;

use ::serde::de::{Deserializer, Error, Visitor};

use uuid::Uuid;

/// Reads a text and decodes it by `decode`.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
    decode: fn(&[u8]) -> crate::error::Result<Uuid>,
    expecting: &'static str,
) -> Result<Uuid, D::Error> {
    deserializer.deserialize_str(Text { decode, expecting })
}

struct Text {
    decode: fn(&[u8]) -> crate::error::Result<Uuid>,
    expecting: &'static str,
}

impl Visitor<'_> for Text {
    type Value = Uuid;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an id such as \"{}\"", self.expecting)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Uuid, E> {
        (self.decode)(text.as_bytes()).map_err(E::custom)
    }

    fn visit_bytes<E: Error>(self, text: &[u8]) -> Result<Uuid, E> {
        (self.decode)(text).map_err(E::custom)
    }
}

/// A module for `#[serde(with = …)]`.
macro_rules! text_module {
    ($name:ident, $format:ident, $len:ident, $example:literal) => {
        #[doc = concat!("Text such as `", $example, "`: [`Format::", stringify!($format), "`](crate::codec::Format::", stringify!($format), ").")]
        ///
        /// ```
        /// #[derive(serde::Serialize, serde::Deserialize)]
        #[doc = concat!("struct Id(#[serde(with = \"idgen::serde::", stringify!($name), "\")] idgen::Uuid);")]
        ///
        #[doc = concat!("let json = r#\"\"", $example, "\"\"#;")]
        /// let id: Id = serde_json::from_str(json)?;
        /// assert_eq!(id.0.to_string(), "6ccd780c-baba-1026-9564-5b8c656024db");
        /// assert_eq!(serde_json::to_string(&id)?, json);
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        pub mod $name {
            use ::serde::{Deserializer, Serializer};

            use uuid::Uuid;
            use crate::codec::$name as codec;
            use crate::serde::field::{self, Field};

            struct Form;

            impl field::Form for Form {
                fn serialize<S: Serializer>(id: &Uuid, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(codec::encode(id, &mut [0; codec::$len]))
                }

                fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
                    crate::serde::text::deserialize(deserializer, |text| codec::decode(text), $example)
                }
            }

            field::functions!();
        }
    };
}
pub(super) use text_module;
