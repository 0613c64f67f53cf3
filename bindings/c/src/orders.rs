//! Orders in which other systems store the 16 bytes of an id.

use idgen::Uuid;
use idgen::codec::{guid, java_legacy, order};

use crate::boundary::Checked;
use crate::error::{Failure, IDGEN_CONFIG, IdgenError};
use crate::{boundary, input};

/// The bytes of a GUID in .NET and SQL Server: the first three fields have their least significant byte first.
pub const IDGEN_GUID: i32 = 0;
/// Both halves reversed: what MongoDB's old driver for Java wrote (subtype 3), and what ClickHouse's binary formats hold.
pub const IDGEN_JAVA_LEGACY: i32 = 1;
/// The bytes that compare from left to right as Cassandra and ScyllaDB compare a timeuuid, which has ids of version 1 alone.
pub const IDGEN_TIMEUUID: i32 = 2;

type Order = (fn(&Uuid) -> [u8; 16], fn([u8; 16]) -> Uuid);

/// The orders by their numbers, which are part of the interface.
const ORDERS: [Order; 3] = [
    (guid::to_bytes, guid::from_bytes),
    (java_legacy::to_bytes, java_legacy::from_bytes),
    (order::timeuuid, order::from_timeuuid),
];

fn order_of(number: i32) -> Checked<Order> {
    usize::try_from(number).ok().and_then(|number| ORDERS.get(number)).copied().ok_or_else(|| {
        Failure::Own(
            IDGEN_CONFIG,
            format!("no order of bytes has the number {number}: pass one such as IDGEN_GUID"),
        )
    })
}

/// Writes the 16 bytes of an id in the order of another system: IDGEN_GUID, IDGEN_JAVA_LEGACY or IDGEN_TIMEUUID. `bytes` may be `id`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_to_order(
    order: i32,
    id: *const u8,
    bytes: *mut u8,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        let (to_bytes, _) = order_of(order)?;
        // SAFETY: the caller promises 16 bytes of each.
        unsafe {
            let id = input::id("id", id)?;
            input::put("bytes", bytes.cast::<[u8; 16]>(), to_bytes(&id))
        }
    })
}

/// Writes the id of 16 bytes in the order of another system. `id` may be `bytes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_from_order(
    order: i32,
    bytes: *const u8,
    id: *mut u8,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        let (_, from_bytes) = order_of(order)?;
        // SAFETY: the caller promises 16 bytes of each.
        unsafe {
            let bytes = input::id("bytes", bytes)?.into_bytes();
            input::put("id", id.cast::<Uuid>(), from_bytes(bytes))
        }
    })
}
