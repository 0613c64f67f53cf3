//! The markers that replace forgotten UUIDs.

use uuid::Uuid;

use crate::error::failure::Kind;
use crate::error::{Error, Result};

/// The marker that replaces a forgotten UUID: 64 bits that are set, then the id. No UUID of RFC 9562 has this form, because
/// its version would be 15, and its variant is not the RFC's since ids have 63 bits.
pub(crate) fn marker(id: u64) -> Uuid {
    Uuid::from_u64_pair(u64::MAX, id)
}

/// True for every value that [`marker`] can give.
pub(crate) fn is_marker(uuid: Uuid) -> bool {
    let (high, low) = uuid.as_u64_pair();
    high == u64::MAX && low >> 63 == 0
}

/// Refuses markers, which are reserved for the map.
pub(crate) fn refuse_marker(uuid: Uuid) -> Result<()> {
    if !is_marker(uuid) {
        return Ok(());
    }
    let problem = format!(
        "{uuid} cannot be mapped: the map marks the ids of forgotten UUIDs with such values, and no UUID of RFC 9562 \
         is one"
    );
    Err(Error::new(Kind::Config { problem }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_uuid_of_the_rfc_is_a_marker() {
        for id in [1, 42, i64::MAX as u64] {
            assert!(is_marker(marker(id)));
            assert!(refuse_marker(marker(id)).unwrap_err().to_string().contains("cannot be mapped"));
        }
        for other in [Uuid::nil(), Uuid::max(), Uuid::new_v4(), Uuid::from_u128(u128::MAX << 64 >> 1)] {
            assert!(!is_marker(other) && refuse_marker(other).is_ok(), "{other}");
        }
    }
}
