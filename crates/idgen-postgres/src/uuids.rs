//! UUIDs as bytes and as text.

use idgen::codec::{base64, hyphenated};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo, PgValueRef, Postgres};
use sqlx::{Decode, Encode, Type};
use uuid::Uuid;

macro_rules! uuid_column {
    (
        $(#[$doc:meta])* $name:ident, $definition:literal, $wire:ty,
        encode $encode:expr, decode $decode:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// The definition of the column.
            pub const DEFINITION: &'static str = $definition;

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

        impl Type<Postgres> for $name {
            fn type_info() -> PgTypeInfo {
                <$wire as Type<Postgres>>::type_info()
            }

            fn compatible(ty: &PgTypeInfo) -> bool {
                <$wire as Type<Postgres>>::compatible(ty)
            }
        }

        impl Encode<'_, Postgres> for $name {
            fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
                let encode: fn(&Uuid, &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> = $encode;
                encode(&self.0, buf)
            }
        }

        impl Decode<'_, Postgres> for $name {
            fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
                let decode: fn(PgValueRef<'_>) -> Result<Result<Uuid, String>, BoxDynError> = $decode;
                decode(value)?.map($name).map_err(|found| {
                    format!("{found} is not a {}, which is for {}", stringify!($name), $definition).into()
                })
            }
        }
    };
}

uuid_column! {
    /// A UUID in 16 bytes of `BYTEA`, as RFC 9562 orders them. The type `uuid` takes a byte less for each.
    Bytea16, "BYTEA", [u8],
    encode |uuid, buf| <&[u8] as Encode<Postgres>>::encode(&uuid.as_bytes()[..], buf),
    decode |value| {
        let bytes = <Vec<u8> as Decode<Postgres>>::decode(value)?;
        Ok(Uuid::from_slice(&bytes).map_err(|_| format!("a value of {} bytes", bytes.len())))
    }
}

uuid_column! {
    /// A UUID as 36 characters in lowercase, as PostgreSQL shows a `uuid`.
    Text36, "VARCHAR(36) COLLATE \"C\"", str,
    encode |uuid, buf| <&str as Encode<Postgres>>::encode(hyphenated::encode(uuid, &mut [0; hyphenated::LEN]), buf),
    decode |value| {
        let text = <&str as Decode<Postgres>>::decode(value)?;
        Ok(hyphenated::decode(text.as_bytes()).map_err(|_| shown(text)))
    }
}

uuid_column! {
    /// A UUID as 22 characters of base64: PostgreSQL's `encode(bytes, 'base64')` without the padding.
    Base64Text22, "VARCHAR(22) COLLATE \"C\"", str,
    encode |uuid, buf| <&str as Encode<Postgres>>::encode(base64::encode(uuid, &mut [0; base64::LEN]), buf),
    decode |value| {
        let text = <&str as Decode<Postgres>>::decode(value)?;
        Ok(base64::decode(text.as_bytes()).map_err(|_| shown(text)))
    }
}

/// The beginning of a text, for an error.
fn shown(text: &str) -> String {
    let beginning: String = text.chars().take(40).collect();
    format!("\"{}\" ({} bytes)", beginning.escape_debug(), text.len())
}
