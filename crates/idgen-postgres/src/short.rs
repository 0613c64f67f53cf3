//! 64-bit ids. PostgreSQL has no unsigned integers.

use idgen::ShortId;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo, PgValueFormat, PgValueRef, Postgres, types::Oid};
use sqlx::{Decode, Encode, Type};

use crate::numeric;

/// A 64-bit id below 2^63 in `BIGINT`.
///
/// Ids of the kind `mysql-short` stay below that for servers up to number 127, and device ids until 2038; others are
/// refused, instead of being stored as negative numbers, which sort before all others. [`ShortNumeric`] takes them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShortBigint(ShortId);

/// A 64-bit id in `NUMERIC(20)`, which takes all of them and sorts them as the ids do, in up to 14 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShortNumeric(ShortId);

macro_rules! holds_a_short_id {
    ($name:ident, $definition:literal) => {
        impl $name {
            /// The definition of the column.
            pub const DEFINITION: &'static str = $definition;

            /// The id itself.
            pub const fn to_short_id(self) -> ShortId {
                self.0
            }
        }

        impl From<ShortId> for $name {
            fn from(id: ShortId) -> Self {
                $name(id)
            }
        }

        impl From<$name> for ShortId {
            fn from(id: $name) -> ShortId {
                id.0
            }
        }
    };
}

holds_a_short_id!(ShortBigint, "BIGINT");
holds_a_short_id!(ShortNumeric, "NUMERIC(20)");

impl Type<Postgres> for ShortBigint {
    fn type_info() -> PgTypeInfo {
        <i64 as Type<Postgres>>::type_info()
    }
}

impl Encode<'_, Postgres> for ShortBigint {
    fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let id = self.0.get();
        let signed = i64::try_from(id).map_err(|_| {
            format!("the id {id} is not below 2^63 and does not fit a BIGINT: store it as a ShortNumeric")
        })?;
        <i64 as Encode<Postgres>>::encode(signed, buf)
    }
}

impl Decode<'_, Postgres> for ShortBigint {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        let signed = <i64 as Decode<Postgres>>::decode(value)?;
        let id = u64::try_from(signed).map_err(|_| format!("{signed} is negative and not an id"))?;
        Ok(ShortBigint(ShortId::new(id)))
    }
}

/// `NUMERICOID` of `pg_type.dat`.
const NUMERIC: Oid = Oid(1700);

impl Type<Postgres> for ShortNumeric {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(NUMERIC)
    }

    fn compatible(ty: &PgTypeInfo) -> bool {
        ty.oid() == Some(NUMERIC)
    }
}

impl Encode<'_, Postgres> for ShortNumeric {
    fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        buf.extend_from_slice(&numeric::encode(self.0.get()));
        Ok(IsNull::No)
    }
}

impl Decode<'_, Postgres> for ShortNumeric {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        let id = match value.format() {
            PgValueFormat::Text => value.as_str()?.parse().ok(),
            PgValueFormat::Binary => numeric::decode(value.as_bytes()?),
        };
        let id =
            id.ok_or("the column holds a number that is not a whole number from 0 to 2^64 - 1, as ids are")?;
        Ok(ShortNumeric(ShortId::new(id)))
    }
}
