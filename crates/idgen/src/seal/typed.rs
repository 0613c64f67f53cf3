//! Sealed ids of one type: of version 7, and of 64-bit integers.

use alloc::vec::Vec;
use core::fmt;

use uuid::{Uuid, Variant};
use zeroize::Zeroize;

use super::{SealKey, SealRing, free_bits, with_version};
use crate::codec::typed;
use crate::error::{Error, Result};
use crate::secret;

/// The bits behind the number, which are zero before they are sealed.
const REDUNDANCY: u32 = 58;

/// Seals the ids of one type: version 7, and 64-bit integers such as those of `AUTO_INCREMENT`.
///
/// A sealed id is a UUID, which [`codec::typed`](crate::codec::typed) or [`Typed`](crate::Typed) writes as a text. It
/// shows neither number, nor time, nor order, and the same number has unrelated sealed ids in different types.
/// [The specification](https://github.com/idgen/idgen/blob/main/docs/outside.md#specification) says how it is computed.
///
/// | | version 7 | integer |
/// |---|---|---|
/// | sealed as | version 4 | version 8 |
/// | a wrong key, a wrong type or a changed character is an error, except for | 1 of 16 | 1 of 2^58 |
/// | after a new key | the same sealed id | another one; the earlier ones still open |
///
/// An opened version 7 must therefore be looked up. An opened integer was sealed by somebody who has the key.
///
/// ```
/// use idgen::{SealKey, SealRing, TypeSeal, codec::typed};
///
/// let ring = SealRing::new(SealKey::new(b"a secret of at least 16 bytes")?);
/// let users = TypeSeal::new("user", &ring)?;
/// let text = typed::to_string("user", &users.seal_int(42))?;
/// assert_eq!(text, "user_3m4we5sqk3g809yj64bdp1xkhe");
///
/// let (_, sealed) = typed::decode(&text)?;
/// assert_eq!(users.open_int(sealed)?, 42);
/// assert!(TypeSeal::new("order", &ring)?.open_int(sealed).is_err());
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone)]
pub struct TypeSeal {
    ids: SealRing,
    /// The keys of integers, from the oldest to the newest.
    ints: Vec<SealKey>,
}

impl TypeSeal {
    /// The seal of the type with this prefix, with keys that are derived from those of the ring.
    ///
    /// # Errors
    /// `is_parse` if [`check_prefix`](typed::check_prefix) refuses the prefix.
    pub fn new(prefix: &str, ring: &SealRing) -> Result<Self> {
        typed::check_prefix(prefix)?;
        let derived = |key: &SealKey, purpose: &[u8]| {
            let mut bytes = secret::hmac(&key.types, purpose, prefix.as_bytes());
            let derived = SealKey::from_aes_key(&bytes);
            bytes.zeroize();
            derived
        };
        let ids = ring.map(|key| derived(key, b"id "));
        Ok(TypeSeal { ids, ints: ring.keys().map(|key| derived(key, b"int ")).collect() })
    }

    /// Seals a version 7 as a version 4, as [`SealRing::seal`] does, with the keys of this type.
    ///
    /// # Errors
    /// As for [`SealRing::seal`].
    pub fn seal(&self, id: Uuid) -> Result<Uuid> {
        self.ids.seal(id)
    }

    /// The version 7 for which a version 4 stands.
    ///
    /// # Errors
    /// If the id is not of version 4, and for 15 of 16 ids that were not sealed with this type and a key of its ring: look up the
    /// result.
    pub fn open(&self, sealed: Uuid) -> Result<Uuid> {
        self.ids.open(sealed)
    }

    /// Seals an integer as a version 8, with the newest key of the ring.
    ///
    /// A negative `i64` can be sealed as the `u64` with the same bits. Give a ring with a new key to all processes that open
    /// integers before one of them seals with it.
    pub fn seal_int(&self, number: u64) -> Uuid {
        let newest = self.ints.last().expect("a ring has at least one key");
        with_version(newest.encrypt(u128::from(number) << REDUNDANCY), 8)
    }

    /// The integer for which a version 8 stands, whichever key of the ring sealed it.
    ///
    /// # Errors
    /// If the id is not of version 8, or was not sealed with this type and a key of this ring. Of 2^58 such ids, one is not
    /// detected with each key.
    pub fn open_int(&self, sealed: Uuid) -> Result<u64> {
        let advice = "pass the sealed id of an integer";
        let bits = free_bits(sealed, 8, "sealed integers are of version 8, unlike", advice)?;
        let opened = self.ints.iter().rev().map(|key| key.decrypt(bits));
        opened.into_iter().find(|opened| opened & ((1 << REDUNDANCY) - 1) == 0).map_or_else(
            || {
                let advice = "check that it was copied whole, and that type and key are those with which it was sealed";
                Err(Error::config("no key of this type sealed", sealed.as_hyphenated(), advice))
            },
            |opened| Ok((opened >> REDUNDANCY) as u64),
        )
    }

    /// True if a sealed id is that of an integer rather than of a version 7, according to its version.
    pub fn is_int(sealed: &Uuid) -> bool {
        sealed.get_version_num() == 8 && sealed.get_variant() == Variant::RFC4122
    }
}

impl fmt::Debug for TypeSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TypeSeal of {} keys", self.ints.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timestamp::Timestamp;
    use fpe::ff1::{FF1, FlexibleNumeralString};
    use hmac::{Hmac, KeyInit, Mac};
    use proptest::prelude::*;
    use sha2::Sha256;

    const SECRET: &[u8] = b"a secret of at least 16 bytes";

    fn key(secret: &[u8]) -> SealKey {
        SealKey::new(secret).unwrap()
    }

    fn users() -> TypeSeal {
        TypeSeal::new("user", &SealRing::new(key(SECRET))).unwrap()
    }

    /// The specification with other libraries, step by step.
    fn by_the_specification(secret: &[u8], prefix: &str, number: u64) -> Uuid {
        let hmac = |key: &[u8], message: &[u8]| {
            let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).unwrap();
            mac.update(message);
            mac.finalize().into_bytes()
        };
        let of_types = hmac(secret, b"idgen seal type 1");
        let of_ints = hmac(&of_types, &[b"int ", prefix.as_bytes()].concat());
        let numerals: Vec<u16> =
            (0..122).map(|at| if at < 64 { (number >> (63 - at) & 1) as u16 } else { 0 }).collect();
        let cipher = FF1::<aes::Aes256>::new(&of_ints, 2).unwrap();
        let sealed: Vec<u16> = cipher.encrypt(&[], &FlexibleNumeralString::from(numerals)).unwrap().into();
        let bits = |range: core::ops::Range<usize>| {
            sealed[range].iter().fold(0u128, |n, bit| n << 1 | u128::from(*bit))
        };
        Uuid::from_u128(bits(0..48) << 80 | 8 << 76 | bits(48..60) << 64 | 2 << 62 | bits(60..122))
    }

    proptest! {
        #[test]
        fn integers_are_sealed_by_the_specification(number: u64, prefix in "([a-z]([a-z_]{0,9}[a-z])?)?") {
            let seal = TypeSeal::new(&prefix, &SealRing::new(key(SECRET))).unwrap();
            let sealed = seal.seal_int(number);
            prop_assert_eq!(sealed, by_the_specification(SECRET, &prefix, number));
            prop_assert_eq!(seal.open_int(sealed).unwrap(), number);
            prop_assert!(TypeSeal::is_int(&sealed));
        }

        #[test]
        fn one_changed_bit_is_an_error(number: u64, bit in 0_u32..128) {
            let sealed = users().seal_int(number);
            prop_assert!(users().open_int(Uuid::from_u128(sealed.as_u128() ^ 1 << bit)).is_err());
        }
    }

    #[test]
    fn other_types_keys_and_versions_do_not_open() {
        let (seal, number) = (users(), 42);
        let sealed = seal.seal_int(number);
        let other = |prefix, secret| TypeSeal::new(prefix, &SealRing::new(key(secret))).unwrap();
        for wrong in
            [other("users", SECRET), other("", SECRET), other("user", b"another secret of enough bytes")]
        {
            assert_ne!(wrong.seal_int(number), sealed);
            let error = wrong.open_int(sealed).unwrap_err();
            assert!(error.is_config() && error.to_string().contains("no key of this type sealed"), "{error}");
        }
        let id = crate::fields::stamped(1_700_000_000_000 << 80, 7);
        let shown = seal.seal(id).unwrap();
        assert_eq!(seal.open(shown).unwrap(), id);
        assert_ne!(shown, key(SECRET).seal(id).unwrap());
        assert_ne!(shown, other("order", SECRET).seal(id).unwrap());
        // The bits of a sealed version 7 are no sealed integer, and the other way round.
        assert!(seal.open_int(shown).is_err() && seal.open(sealed).is_err());
        assert!(seal.open_int(with_version(7, 8)).is_err());
        assert!(TypeSeal::new("User", &SealRing::new(key(SECRET))).unwrap_err().is_parse());
    }

    #[test]
    fn about_fifteen_of_sixteen_ids_of_version_7_are_refused_by_another_type() {
        let (users, orders) = (users(), TypeSeal::new("order", &SealRing::new(key(SECRET))).unwrap());
        let ids = (0..4_096_u128).map(|n| crate::fields::stamped((1_700_000_000_000 + n) << 80 | n, 7));
        let opened = ids.filter(|id| orders.open(users.seal(*id).unwrap()).is_ok()).count();
        // 256 are expected; the standard deviation is 15.5, and the input never changes.
        assert!((180..332).contains(&opened), "{opened}");
    }

    #[test]
    fn a_ring_opens_what_its_older_keys_sealed() {
        let old = SealRing::new(key(SECRET));
        let new = old.clone().and_from(Timestamp::from_date(2030, 1, 1), key(b"0123456789abcdef")).unwrap();
        let (before, after) = (TypeSeal::new("user", &old).unwrap(), TypeSeal::new("user", &new).unwrap());
        assert_eq!(after.open_int(before.seal_int(7)).unwrap(), 7);
        assert_ne!(after.seal_int(7), before.seal_int(7));
        assert_eq!(after.open_int(after.seal_int(7)).unwrap(), 7);
        assert!(before.open_int(after.seal_int(7)).is_err());
    }
}
