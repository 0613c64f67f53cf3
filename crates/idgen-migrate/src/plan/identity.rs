//! The identity of a plan: a part of every name that the plan makes, so that two plans share nothing.

/// The characters of an identity. The first one is a letter.
const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// The number of characters in an identity.
pub(crate) const LENGTH: usize = 8;

/// Returns a new identity from random bits: eight lowercase letters and digits, the first one a letter.
pub(crate) fn new() -> String {
    // Version and variant of a version 4 UUID are above the 62 bits that are used.
    let mut bits = idgen::v4().as_u128() as u64 & (u64::MAX >> 2);
    let mut next = |of: usize| {
        let at = (bits % of as u64) as usize;
        bits /= of as u64;
        char::from(ALPHABET[at])
    };
    std::iter::once(26).chain(std::iter::repeat_n(36, LENGTH - 1)).map(&mut next).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_identity_is_a_name_and_differs_from_others() {
        let all: std::collections::BTreeSet<String> = (0..1_000).map(|_| super::new()).collect();
        assert_eq!(all.len(), 1_000);
        for id in all {
            assert_eq!(id.len(), super::LENGTH);
            assert!(id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()), "{id}");
            assert!(id.as_bytes()[0].is_ascii_lowercase(), "{id}");
        }
    }
}
