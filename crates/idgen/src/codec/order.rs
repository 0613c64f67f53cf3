//! The orders in which databases compare UUIDs: for each a permutation of the 16 bytes, whose result compares from left to
//! right as the database compares the ids.
//!
//! | column | what it compares first |
//! |---|---|
//! | `BINARY(16)`, PostgreSQL's `uuid`, SQLite's `BLOB`, Oracle's `RAW(16)` | the first byte |
//! | `BINARY(16)` with `UUID_TO_BIN(u, 1)` | the time's high bits of version 1: [`swapped`](super::swapped) |
//! | SQL Server's `uniqueidentifier` | the last six bytes, the node of version 1: [`sql_server`] |
//! | MariaDB's `UUID`, versions 1 to 5 | the last six bytes: [`mariadb`] |
//! | MariaDB's `UUID`, version 6 and later | the first byte |
//! | ClickHouse's `UUID` | the second half: [`clickhouse`] |
//! | Cassandra's and ScyllaDB's `timeuuid` | the time of version 1: [`timeuuid`] |
//!
//! An id that ascends in one order is random in another. So version 7 fills an index of SQL Server or ClickHouse as random
//! keys do; store its bytes in `BINARY(16)` or `FixedString(16)`, or permute them: the id whose key is that of version 7
//! ascends.

use uuid::Uuid;

/// The bytes in the order in which SQL Server compares a `uniqueidentifier`: bytes 10 to 15 of the text, then 8 and 9, then
/// 7 and 6, 5 and 4, and 3 to 0.
///
/// Source: the order of `System.Data.SqlTypes.SqlGuid`, which compares as the server does.
///
/// ```
/// use idgen::codec::{hyphenated, order};
///
/// let id = hyphenated::decode("00112233-4455-6677-8899-aabbccddeeff")?;
/// let key = order::sql_server(&id);
/// assert_eq!(u128::from_be_bytes(key), 0xAABBCCDDEEFF_8899_7766_5544_33221100);
/// assert_eq!(order::from_sql_server(key), id);
/// # Ok::<(), idgen::Error>(())
/// ```
pub const fn sql_server(uuid: &Uuid) -> [u8; 16] {
    let b = uuid.as_bytes();
    [b[10], b[11], b[12], b[13], b[14], b[15], b[8], b[9], b[7], b[6], b[5], b[4], b[3], b[2], b[1], b[0]]
}

/// The id whose bytes SQL Server compares in this order.
pub const fn from_sql_server(k: [u8; 16]) -> Uuid {
    Uuid::from_bytes([
        k[15], k[14], k[13], k[12], k[11], k[10], k[9], k[8], k[6], k[7], k[0], k[1], k[2], k[3], k[4], k[5],
    ])
}

/// The bytes in the order in which ClickHouse compares a `UUID`: the second half first.
///
/// Source: the documentation of ClickHouse, data type `UUID`.
///
/// ```
/// use idgen::codec::{hyphenated, order};
///
/// let id = hyphenated::decode("00112233-4455-6677-8899-aabbccddeeff")?;
/// let key = order::clickhouse(&id);
/// assert_eq!(u128::from_be_bytes(key), 0x8899AABBCCDDEEFF_0011223344556677);
/// assert_eq!(order::from_clickhouse(key), id);
/// # Ok::<(), idgen::Error>(())
/// ```
pub const fn clickhouse(uuid: &Uuid) -> [u8; 16] {
    uuid.as_u128().rotate_left(64).to_be_bytes()
}

/// The id whose bytes ClickHouse compares in this order.
pub const fn from_clickhouse(key: [u8; 16]) -> Uuid {
    Uuid::from_u128(u128::from_be_bytes(key).rotate_left(64))
}

/// The bytes that MariaDB stores for a `UUID`, and compares from left to right: of versions 1 to 5, the five groups of the
/// text from the last to the first; of all others, the bytes of the text. `None` for the ids that MariaDB refuses, because
/// their bytes look like those of a swapped one: among version 8, those whose byte 8 is 0x80.
///
/// Source: `plugin/type_uuid/sql_type_uuid.h` of MariaDB 10.11.5 and later.
///
/// ```
/// use idgen::codec::{hyphenated, order};
///
/// let v1 = hyphenated::decode("6ccd780c-baba-1026-9564-5b8c656024db")?;
/// let key = order::mariadb(&v1).unwrap();
/// assert_eq!(u128::from_be_bytes(key), 0x5B8C656024DB_9564_1026_BABA_6CCD780C);
/// assert_eq!(order::from_mariadb(key), v1);
/// let v7 = hyphenated::decode("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")?;
/// assert_eq!(order::mariadb(&v7), Some(v7.into_bytes()));
/// # Ok::<(), idgen::Error>(())
/// ```
pub const fn mariadb(uuid: &Uuid) -> Option<[u8; 16]> {
    let b = uuid.as_bytes();
    if b[6] > 0 && b[6] < 0x60 && b[8] >= 0x80 {
        return Some([
            b[10], b[11], b[12], b[13], b[14], b[15], b[8], b[9], b[6], b[7], b[4], b[5], b[0], b[1], b[2],
            b[3],
        ]);
    }
    if is_swapped(b) { None } else { Some(*b) }
}

/// The id of 16 bytes that MariaDB stores for a `UUID`.
pub const fn from_mariadb(k: [u8; 16]) -> Uuid {
    if !is_swapped(&k) {
        return Uuid::from_bytes(k);
    }
    Uuid::from_bytes([
        k[12], k[13], k[14], k[15], k[10], k[11], k[8], k[9], k[6], k[7], k[0], k[1], k[2], k[3], k[4], k[5],
    ])
}

/// True if MariaDB takes stored bytes for those of a swapped id.
const fn is_swapped(k: &[u8; 16]) -> bool {
    k[6] >= 0x80 && 0 < k[8] && k[8] <= 0x80
}

/// The bytes in the order in which Cassandra and ScyllaDB compare a `timeuuid`: the time of version 1, and then the other eight bytes, each as a number
/// with a sign.
///
/// The column takes version 1 alone: other ids have an order here, but Cassandra refuses them. Ids of one time can have another order elsewhere:
/// [`swapped`](super::swapped) begins with the time, too, but its other bytes are compared without a sign.
///
/// Source: `TimeUUIDType.compareCustom` of Cassandra.
///
/// ```
/// use idgen::codec::{hyphenated, order};
///
/// let id = hyphenated::decode("00112233-4455-1677-8899-aabbccddeeff")?;
/// let key = order::timeuuid(&id);
/// assert_eq!(u128::from_be_bytes(key), 0x1677_4455_00112233_08192A3B4C5D6E7F);
/// assert_eq!(order::from_timeuuid(key), id);
///
/// let [low, high] = ["c232ab00-9414-11ec-8000-000000000000", "c232ab00-9414-11ec-7f00-000000000000"].map(hyphenated::decode);
/// assert!(order::timeuuid(&low?) < order::timeuuid(&high?));
/// # Ok::<(), idgen::Error>(())
/// ```
pub const fn timeuuid(uuid: &Uuid) -> [u8; 16] {
    (u128::from_be_bytes(super::swapped::to_bytes(uuid)) ^ SIGNS).to_be_bytes()
}

/// The id whose bytes Cassandra compares in this order.
pub const fn from_timeuuid(key: [u8; 16]) -> Uuid {
    super::swapped::from_bytes((u128::from_be_bytes(key) ^ SIGNS).to_be_bytes())
}

/// The signs of the last eight bytes.
const SIGNS: u128 = 0x8080_8080_8080_8080;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{guid, java_legacy, swapped};
    use proptest::prelude::*;
    use std::vec::Vec;

    proptest! {
        #[test]
        fn each_order_is_undone(bits: u128, version in 1u8..=8) {
            let id = crate::fields::stamped(bits, version);
            prop_assert_eq!(from_sql_server(sql_server(&id)), id);
            prop_assert_eq!(from_clickhouse(clickhouse(&id)), id);
            prop_assert_eq!(guid::from_bytes(guid::to_bytes(&id)), id);
            prop_assert_eq!(java_legacy::from_bytes(java_legacy::to_bytes(&id)), id);
            prop_assert_eq!(from_timeuuid(timeuuid(&id)), id);
            match mariadb(&id) {
                Some(key) => prop_assert_eq!(from_mariadb(key), id),
                None => prop_assert!(version == 8 && id.as_bytes()[8] == 0x80),
            }
        }

        /// SqlGuid compares the bytes of the GUID at these places, one after another.
        #[test]
        fn sql_server_compares_as_sqlguid(a: u128, b: u128, same in 0u32..=128) {
            let keep = u128::MAX.checked_shl(same).unwrap_or(0);
            let (a, b) = (Uuid::from_u128(a), Uuid::from_u128(a & keep | b & !keep));
            let places = [10, 11, 12, 13, 14, 15, 8, 9, 6, 7, 4, 5, 0, 1, 2, 3];
            let key = |id: &Uuid| places.map(|place| guid::to_bytes(id)[place]);
            prop_assert_eq!(sql_server(&a).cmp(&sql_server(&b)), key(&a).cmp(&key(&b)));
        }
    }

    proptest! {
        /// Cassandra's `TimeUUIDType` compares the time, and then bytes with a sign.
        #[test]
        fn timeuuid_compares_as_cassandra(a: u128, b: u128, same_time: bool) {
            let time = u128::MAX << 64;
            let b = if same_time { a & time | b & !time } else { b };
            let (a, b) = (crate::fields::stamped(a, 1), crate::fields::stamped(b, 1));
            let key = |id: &Uuid| {
                let (top, low) = id.as_u64_pair();
                let time = (top & 0xFFF) << 48 | (top >> 16 & 0xFFFF) << 32 | top >> 32;
                (time, low.to_be_bytes().map(|byte| byte as i8))
            };
            prop_assert_eq!(timeuuid(&a).cmp(&timeuuid(&b)), key(&a).cmp(&key(&b)));
        }
    }

    /// Ids of version 7 ascend in their own order and in MariaDB, and in no other one.
    #[test]
    fn an_order_for_one_database_is_none_for_another() {
        let tail = |n: u128| n.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835) >> 48;
        let ids: Vec<Uuid> =
            (0..200).map(|n: u128| crate::fields::stamped((n * 1_000) << 80 | tail(n), 7)).collect();
        let ascends = |keys: Vec<[u8; 16]>| keys.is_sorted();
        assert!(ids.is_sorted() && ascends(ids.iter().map(|id| mariadb(id).unwrap()).collect()));
        for key in [sql_server, clickhouse, swapped::to_bytes, guid::to_bytes] {
            assert!(!ascends(ids.iter().map(key).collect()));
        }
        // An id whose key is that of version 7 ascends there.
        let permuted: Vec<Uuid> = ids.iter().map(|id| from_sql_server(id.into_bytes())).collect();
        assert!(ascends(permuted.iter().map(sql_server).collect()) && !permuted.is_sorted());
    }
}
