//! The order in which MariaDB's type `UUID` stores its bytes.
//!
//! `llllllll-mmmm-Vhhh-vsss-nnnnnnnnnnnn` is stored as `nnnnnnnnnnnn vsss Vhhh mmmm llllllll`, so that version 1 of one
//! node ascends. Versions 6 and above are stored as they are written (since 10.10.6 and 10.11.5). Source: MariaDB
//! documentation, UUID Data Type, section Storage.

/// The first version that is stored as it is written.
const FIRST_AS_WRITTEN: u8 = 6;

/// The 16 bytes of a UUID as they are stored on the page, where they determine the order.
pub fn to_stored(uuid: [u8; 16]) -> [u8; 16] {
    if uuid[6] >> 4 >= FIRST_AS_WRITTEN {
        return uuid;
    }
    let [l0, l1, l2, l3, m0, m1, h0, h1, s0, s1, n @ ..] = uuid;
    let [n0, n1, n2, n3, n4, n5] = n;
    [n0, n1, n2, n3, n4, n5, s0, s1, h0, h1, m0, m1, l0, l1, l2, l3]
}

/// The UUID that is stored on the page as these 16 bytes.
pub fn from_stored(stored: [u8; 16]) -> [u8; 16] {
    // The first bit of a variant is set, and that of the versions 6 and 7 is not. This is how the type distinguishes
    // them.
    if stored[6] & 0x80 == 0 {
        return stored;
    }
    let [n0, n1, n2, n3, n4, n5, s0, s1, h0, h1, m0, m1, l @ ..] = stored;
    let [l0, l1, l2, l3] = l;
    [l0, l1, l2, l3, m0, m1, h0, h1, s0, s1, n0, n1, n2, n3, n4, n5]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> [u8; 16] {
        *idgen::Uuid::parse_str(text).unwrap().as_bytes()
    }

    #[test]
    fn only_versions_below_six_are_reordered() {
        for (uuid, stored) in [
            ("6ccd780c-baba-1026-9564-5b8c656024db", "5b8c6560-24db-9564-1026-baba6ccd780c"),
            ("f81d4fae-7dec-4d65-a765-00a0c91e6bf6", "00a0c91e-6bf6-a765-4d65-7decf81d4fae"),
            ("01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a8057"),
            ("1ec9414c-232a-6b00-b3c8-9e6bdeced846", "1ec9414c-232a-6b00-b3c8-9e6bdeced846"),
        ] {
            assert_eq!(to_stored(bytes(uuid)), bytes(stored), "{uuid}");
            assert_eq!(from_stored(bytes(stored)), bytes(uuid), "{uuid}");
        }
    }
}
