//! Sealed ids: a keyed permutation turns version 7 into what looks like version 4, and back.

use core::fmt;

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use uuid::{Uuid, Variant};
use zeroize::Zeroize;

use crate::error::{Error, Result};
use crate::secret;

/// The bits of each half; the 122 free bits of an id consist of two.
const HALF: u32 = 61;
const MASK: u64 = (1 << HALF) - 1;
const ROUNDS: u8 = 10;

/// A secret that seals ids: version 7 in the database, and an id that looks like version 4 for everybody outside.
///
/// The 122 bits besides version and variant are permuted by FF1 of [NIST SP 800-38G] with AES-256, radix 2 and an
/// empty tweak, so two ids never have the same sealed id, and the key opens every one again. Nothing has to be stored.
///
/// Without the key, sealed ids reveal neither when the id was created nor which of two ids is older. They do not hide
/// that two equal ids are equal, and they are not access tokens: whoever has the key, or may ask somebody who has it,
/// learns the id. There is no authentication: every version 4 opens to some version 7, also one that was never
/// sealed, so look the result up. With another key, all sealed ids are other ones.
///
/// [NIST SP 800-38G]: https://doi.org/10.6028/NIST.SP.800-38G
///
/// ```
/// use idgen::SealKey;
///
/// let key = SealKey::new(b"a secret of at least 16 bytes")?;
/// let id = idgen::v7();
/// let sealed = key.seal(id)?;
/// assert_eq!(sealed.get_version_num(), 4);
/// assert_eq!(key.open(sealed)?, id);
/// assert_eq!(format!("{key:?}"), "SealKey");
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone)]
pub struct SealKey {
    cipher: aes::Aes256Enc,
    /// What AES makes of the constant first block of each round.
    start: aes::Block,
}

impl SealKey {
    /// The smallest length of a secret, in bytes.
    pub const MIN_LEN: usize = secret::MIN_LEN;

    /// From a secret of at least [`MIN_LEN`](Self::MIN_LEN) bytes, of which HMAC-SHA-256 makes the key.
    ///
    /// # Errors
    /// If the secret is shorter. The error contains its length, but not the secret.
    pub fn new(secret: &[u8]) -> Result<Self> {
        let mut key = secret::derive(secret, b"idgen seal 1")?;
        let sealing = SealKey::from_aes_key(&key);
        key.zeroize();
        Ok(sealing)
    }

    fn from_aes_key(key: &[u8; 32]) -> Self {
        let cipher = aes::Aes256Enc::new(&(*key).into());
        // Step 5 of algorithm 7: version, method, addition, radix, rounds, u mod 256, n, and the length of the tweak.
        let mut start = [1, 2, 1, 0, 0, 2, ROUNDS, HALF as u8, 0, 0, 0, 2 * HALF as u8, 0, 0, 0, 0].into();
        cipher.encrypt_block(&mut start);
        SealKey { cipher, start }
    }

    /// The version 4 that stands for a version 7.
    ///
    /// # Errors
    /// If the id is not of version 7.
    pub fn seal(&self, id: Uuid) -> Result<Uuid> {
        let bits = free_bits(id, 7, "only ids of version 7 can be sealed, not", "seal ids of version 7")?;
        Ok(with_version(self.encrypt(bits), 4))
    }

    /// The version 7 for which a version 4 stands.
    ///
    /// # Errors
    /// If the id is not of version 4. An id that was never sealed, or with another key, is no error.
    pub fn open(&self, sealed: Uuid) -> Result<Uuid> {
        let advice = "open ids that were sealed before";
        let bits = free_bits(sealed, 4, "sealed ids are of version 4, unlike", advice)?;
        Ok(with_version(self.decrypt(bits), 7))
    }

    fn encrypt(&self, bits: u128) -> u128 {
        let (mut a, mut b) = ((bits >> HALF) as u64, bits as u64 & MASK);
        for round in 0..ROUNDS {
            (a, b) = (b, a.wrapping_add(self.round(round, b)) & MASK);
        }
        u128::from(a) << HALF | u128::from(b)
    }

    fn decrypt(&self, bits: u128) -> u128 {
        let (mut a, mut b) = ((bits >> HALF) as u64, bits as u64 & MASK);
        for round in (0..ROUNDS).rev() {
            (a, b) = (b.wrapping_sub(self.round(round, a)) & MASK, a);
        }
        u128::from(a) << HALF | u128::from(b)
    }

    /// Step 6 of algorithm 7: the number that a round adds to one half, modulo 2^64.
    #[inline]
    fn round(&self, round: u8, half: u64) -> u64 {
        let mut block = self.start;
        block[7] ^= round;
        for (byte, half) in block[8..].iter_mut().zip(half.to_be_bytes()) {
            *byte ^= half;
        }
        self.cipher.encrypt_block(&mut block);
        // The number has 12 bytes; the first four are multiples of 2^64.
        let mut low = [0; 8];
        low.copy_from_slice(&block[4..12]);
        u64::from_be_bytes(low)
    }
}

impl Drop for SealKey {
    fn drop(&mut self) {
        self.start.zeroize();
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey")
    }
}

/// The 122 bits besides version and variant, in their order.
fn free_bits(id: Uuid, version: usize, problem: &'static str, advice: &'static str) -> Result<u128> {
    if id.get_version_num() != version || id.get_variant() != Variant::RFC4122 {
        return Err(Error::config(problem, id.as_hyphenated(), advice));
    }
    let id = id.as_u128();
    Ok(id >> 80 << 74 | (id >> 64 & 0xFFF) << 62 | id & ((1 << 62) - 1))
}

fn with_version(bits: u128, version: u128) -> Uuid {
    let (top, middle, low) = (bits >> 74, bits >> 62 & 0xFFF, bits & ((1 << 62) - 1));
    Uuid::from_u128(top << 80 | version << 76 | middle << 64 | 2 << 62 | low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fpe::ff1::{FF1, FlexibleNumeralString};
    use proptest::prelude::*;
    use std::string::ToString;
    use std::vec::Vec;

    fn numerals(bits: u128) -> FlexibleNumeralString {
        (0..122).rev().map(|place| (bits >> place & 1) as u16).collect::<Vec<u16>>().into()
    }

    proptest! {
        /// The crate `fpe` is tested against the samples of the standard, which have the radices 10 and 36.
        #[test]
        fn the_permutation_is_that_of_the_standard(key: [u8; 32], bits in 0..1u128 << 122) {
            let reference = FF1::<aes::Aes256>::new(&key, 2).unwrap();
            let expected: Vec<u16> = reference.encrypt(&[], &numerals(bits)).unwrap().into();
            let sealed = SealKey::from_aes_key(&key).encrypt(bits);
            prop_assert_eq!(Vec::<u16>::from(numerals(sealed)), expected);
            prop_assert_eq!(SealKey::from_aes_key(&key).decrypt(sealed), bits);
        }

        #[test]
        fn every_id_is_opened_again(bits: u128) {
            let key = SealKey::new(b"0123456789abcdef").unwrap();
            let id = uuid::Builder::from_u128(bits).with_version(uuid::Version::SortRand)
                .with_variant(Variant::RFC4122).into_uuid();
            let sealed = key.seal(id).unwrap();
            prop_assert_eq!((sealed.get_version_num(), sealed.get_variant()), (4, Variant::RFC4122));
            prop_assert_eq!(key.open(sealed).unwrap(), id);
        }
    }

    #[test]
    fn other_versions_and_short_secrets_are_refused() {
        let key = SealKey::new(b"0123456789abcdef").unwrap();
        let (v4, v7) = (Uuid::from_u128(4 << 76 | 2 << 62), Uuid::from_u128(7 << 76 | 2 << 62));
        assert!(key.seal(v4).unwrap_err().to_string().contains(&v4.to_string()));
        assert!(key.open(v7).unwrap_err().to_string().contains(&v7.to_string()));
        assert!(key.seal(Uuid::nil()).is_err() && key.open(Uuid::max()).is_err());
        let error = SealKey::new(b"secret").unwrap_err().to_string();
        assert!(error.contains("6 bytes") && !error.contains("secret"), "{error}");
    }
}
