//! Column types: one newtype for each way in which a column holds an id.
//!
//! A plain [`Uuid`] does not state how the column stores it, and a wrong guess reads another UUID without an error.
//! These types state it, and refuse values that do not fit. [`check_column`](crate::check_column) checks once, at
//! start, that a column matches its type.
//!
//! ```
//! use idgen_mysql::types::Base64Char22;
//! use uuid::{Uuid, uuid};
//!
//! let id = Base64Char22::from(uuid!("6ccd780c-baba-1026-9564-5b8c656024db"));
//! assert_eq!(id.to_uuid(), uuid!("6ccd780c-baba-1026-9564-5b8c656024db"));
//! // sqlx::query("SELECT id FROM orders WHERE id = ?").bind(id)
//! ```

pub(crate) mod column;

use idgen::ShortId;
use idgen::codec::{base64, hyphenated, swapped};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::mysql::{MySql, MySqlTypeInfo, MySqlValueRef};
use sqlx::{Decode, Encode, Type};
use uuid::Uuid;

/// A column newtype: the definition of the column, and how the type reads the bytes.
pub trait ColumnType: private::Sealed {
    /// The definition of the column, such as `BINARY(16)`.
    const DEFINITION: &'static str;
}

pub(crate) mod private {
    use super::Uuid;

    /// A row of `information_schema.columns`.
    #[derive(Debug)]
    pub struct Column {
        pub kind: String,
        pub length: Option<u64>,
        pub collation: Option<String>,
    }

    pub trait Sealed {
        /// Returns true if the column can store this type without loss.
        fn fits(column: &Column) -> bool;

        /// The UUIDs that 16 bytes mean in this type's layout and in the layout that it is most easily confused with.
        fn readings(_bytes: [u8; 16]) -> Option<(Uuid, Uuid)> {
            None
        }
    }
}

use private::Column;

macro_rules! uuid_column {
    (
        $(#[$doc:meta])* $name:ident, $definition:literal, $wire:ty,
        encode $encode:expr, decode $decode:expr, fits $fits:expr $(, readings $readings:expr)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// The UUID itself.
            pub const fn to_uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                $name(uuid)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Uuid {
                id.0
            }
        }

        impl Type<MySql> for $name {
            fn type_info() -> MySqlTypeInfo {
                <$wire as Type<MySql>>::type_info()
            }

            // Values of other columns are refused with a better message when they are decoded.
            fn compatible(ty: &MySqlTypeInfo) -> bool {
                <[u8] as Type<MySql>>::compatible(ty) || <str as Type<MySql>>::compatible(ty)
            }
        }

        impl Encode<'_, MySql> for $name {
            fn encode_by_ref(&self, buf: &mut Vec<u8>) -> Result<IsNull, BoxDynError> {
                let encode: fn(&Uuid, &mut Vec<u8>) -> Result<IsNull, BoxDynError> = $encode;
                encode(&self.0, buf)
            }
        }

        impl Decode<'_, MySql> for $name {
            fn decode(value: MySqlValueRef<'_>) -> Result<Self, BoxDynError> {
                let bytes = <&[u8] as Decode<MySql>>::decode(value)?;
                let decode: fn(&[u8]) -> Option<Uuid> = $decode;
                decode(bytes).map($name).ok_or_else(|| unfit(stringify!($name), $definition, bytes))
            }
        }

        impl ColumnType for $name {
            const DEFINITION: &'static str = $definition;
        }

        impl private::Sealed for $name {
            fn fits(column: &Column) -> bool {
                let fits: fn(&Column) -> bool = $fits;
                fits(column)
            }

            $(fn readings(bytes: [u8; 16]) -> Option<(Uuid, Uuid)> {
                let readings: fn([u8; 16]) -> (Uuid, Uuid) = $readings;
                Some(readings(bytes))
            })?
        }
    };
}

uuid_column! {
    /// A UUID in `BINARY(16)`, byte for byte as RFC 9562 writes it: MySQL's `UUID_TO_BIN(u)`.
    Binary16, "BINARY(16)", [u8],
    encode |uuid, buf| <&[u8] as Encode<MySql>>::encode(&uuid.as_bytes()[..], buf),
    decode |bytes| Uuid::from_slice(bytes).ok(),
    fits sixteen_bytes,
    readings |bytes| (Uuid::from_bytes(bytes), swapped::from_bytes(bytes))
}

uuid_column! {
    /// A version 1 UUID in `BINARY(16)` with its time fields swapped: MySQL's `UUID_TO_BIN(u, 1)`.
    SwappedBinary16, "BINARY(16)", [u8],
    encode |uuid, buf| <&[u8] as Encode<MySql>>::encode(&swapped::to_bytes(uuid)[..], buf),
    decode |bytes| bytes.try_into().ok().map(swapped::from_bytes),
    fits sixteen_bytes,
    readings |bytes| (swapped::from_bytes(bytes), Uuid::from_bytes(bytes))
}

uuid_column! {
    /// A UUID as 36 characters in lowercase, like the result of MySQL's `UUID()`.
    Char36, "CHAR(36) CHARACTER SET ascii", str,
    encode |uuid, buf| <&str as Encode<MySql>>::encode(hyphenated::encode(uuid, &mut [0; hyphenated::LEN]), buf),
    decode |bytes| hyphenated::decode(bytes).ok(),
    fits |column| text_of(column, 36)
}

uuid_column! {
    /// A UUID as 22 characters of base64: MySQL's `TO_BASE64()` without the padding.
    ///
    /// Its column must be case-sensitive: a case-insensitive collation treats different ids as equal.
    Base64Char22, "CHAR(22) CHARACTER SET ascii COLLATE ascii_bin", str,
    encode |uuid, buf| <&str as Encode<MySql>>::encode(base64::encode(uuid, &mut [0; base64::LEN]), buf),
    decode |bytes| base64::decode(bytes).ok(),
    fits |column| {
        let exact = |name: &str| name.ends_with("_bin") || name.contains("_cs") || name == "binary";
        text_of(column, 22) && column.collation.as_deref().is_some_and(exact)
    }
}

uuid_column! {
    /// A UUID in MariaDB's `UUID` type (10.7 and later), which is sent as text.
    MariaDbUuid, "UUID", str,
    encode |uuid, buf| <&str as Encode<MySql>>::encode(hyphenated::encode(uuid, &mut [0; hyphenated::LEN]), buf),
    decode |bytes| hyphenated::decode(bytes).ok(),
    fits |column| column.kind == "uuid"
}

/// A 64-bit short id in `BIGINT UNSIGNED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShortBigint(ShortId);

impl ShortBigint {
    /// The id itself.
    pub const fn to_short_id(self) -> ShortId {
        self.0
    }
}

impl From<ShortId> for ShortBigint {
    fn from(id: ShortId) -> Self {
        ShortBigint(id)
    }
}

impl From<ShortBigint> for ShortId {
    fn from(id: ShortBigint) -> ShortId {
        id.0
    }
}

impl Type<MySql> for ShortBigint {
    fn type_info() -> MySqlTypeInfo {
        <u64 as Type<MySql>>::type_info()
    }

    // A signed column would return half of the ids as negative numbers.
    fn compatible(ty: &MySqlTypeInfo) -> bool {
        <u64 as Type<MySql>>::compatible(ty)
    }
}

impl Encode<'_, MySql> for ShortBigint {
    fn encode_by_ref(&self, buf: &mut Vec<u8>) -> Result<IsNull, BoxDynError> {
        <u64 as Encode<MySql>>::encode(self.0.get(), buf)
    }
}

impl Decode<'_, MySql> for ShortBigint {
    fn decode(value: MySqlValueRef<'_>) -> Result<Self, BoxDynError> {
        Ok(ShortBigint(ShortId::new(<u64 as Decode<MySql>>::decode(value)?)))
    }
}

impl ColumnType for ShortBigint {
    const DEFINITION: &'static str = "BIGINT UNSIGNED";
}

impl private::Sealed for ShortBigint {
    fn fits(column: &Column) -> bool {
        column.kind.starts_with("bigint") && column.kind.ends_with("unsigned")
    }
}

fn sixteen_bytes(column: &Column) -> bool {
    column.kind == "binary(16)" || (column.kind.starts_with("varbinary") && column.length >= Some(16))
}

/// Returns true if the column fits texts of this length. Any character set will do, because all of them contain the
/// characters of ids.
fn text_of(column: &Column, length: u64) -> bool {
    (column.kind.starts_with("char") || column.kind.starts_with("varchar")) && column.length >= Some(length)
}

fn unfit(name: &str, definition: &str, bytes: &[u8]) -> BoxDynError {
    let shown: String = bytes.iter().take(40).map(|byte| byte.escape_ascii().to_string()).collect();
    let advice = match bytes.len() {
        16 => "16 bytes are for Binary16 or SwappedBinary16",
        22 => "22 characters are for Base64Char22",
        36 => "36 characters are for Char36 or MariaDbUuid",
        _ => "no type of this crate has this length",
    };
    format!("\"{shown}\" ({} bytes) is not a {name}, which is for {definition}: {advice}", bytes.len()).into()
}
