//! Sealed ids: a keyed permutation turns version 7 into what looks like version 4, and back.

mod feistel;
#[cfg(feature = "alloc")]
mod ring;
#[cfg(feature = "alloc")]
mod typed;

use core::fmt;

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use uuid::{Uuid, Variant};
use zeroize::Zeroize;

use crate::error::{Error, Result};
use crate::secret;
use feistel::{Feistel, ROUNDS, Way};
#[cfg(feature = "alloc")]
pub use ring::SealRing;
#[cfg(feature = "alloc")]
pub use typed::TypeSeal;

/// The bits of each half; the 122 free bits of an id consist of two.
const HALF: u32 = 61;

/// A secret that seals ids: version 7 in the database, and an id that looks like version 4 for everybody outside.
///
/// The 122 bits besides version and variant are permuted by FF1 of [NIST SP 800-38G] with AES-256, radix 2 and an
/// empty tweak. So two ids never have the same sealed id, the key opens each of them, and nothing has to be stored.
///
/// Without the key, sealed ids reveal neither when the id was created nor which of two ids is older. They do not hide
/// that two ids are equal, and they are not access tokens: anyone who has the key, or access to a service that opens
/// ids, learns the id. There is no authentication: every version 4 opens to some version 7, even one that was never
/// sealed, so look up the result. With another key, all sealed ids are different.
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
    /// The constant first block of each round, encrypted.
    start: aes::Block,
    /// The key from which those of types are derived.
    #[cfg(feature = "alloc")]
    types: [u8; 32],
}

impl SealKey {
    /// The smallest length of a secret, in bytes.
    pub const MIN_LEN: usize = secret::MIN_LEN;

    /// From a secret of at least [`MIN_LEN`](Self::MIN_LEN) bytes, of which HMAC-SHA-256 makes the key.
    ///
    /// # Errors
    /// `is_config` if the secret is shorter, or text as a [file](Self::from_file) holds it: with a line end, several lines, or a
    /// byte order mark. The error contains its length, but not the secret.
    pub fn new(secret: &[u8]) -> Result<Self> {
        let mut key = secret::derive(secret, b"idgen seal 1")?;
        #[cfg_attr(not(feature = "alloc"), expect(unused_mut, reason = "types need an allocator"))]
        let mut sealing = SealKey::from_aes_key(&key);
        key.zeroize();
        #[cfg(feature = "alloc")]
        {
            sealing.types = secret::derive(secret, b"idgen seal type 1")?;
        }
        Ok(sealing)
    }

    /// From the content of a key file, as the command line reads it: all bytes except one line end at the end.
    ///
    /// Every byte string could be a secret. So a file that an editor changed, or another file, would silently be another
    /// key. What nobody can have meant is refused: a byte order mark, UTF-16, several lines, spaces at the ends, one byte
    /// repeated, and a [ring](SealRing::from_file). Hexadecimal digits and base64 are not decoded: the text is the secret.
    ///
    /// ```
    /// use idgen::SealKey;
    ///
    /// let (id, secret) = (idgen::v7(), b"a secret of at least 16 bytes");
    /// assert_eq!(SealKey::from_file(b"a secret of at least 16 bytes\n")?.seal(id)?, SealKey::new(secret)?.seal(id)?);
    /// assert!(SealKey::from_file(b"a secret of at least 16 bytes\n\n").unwrap_err().is_config());
    /// # Ok::<(), idgen::Error>(())
    /// ```
    ///
    /// # Errors
    /// `is_config` for such a file, and as for [`new`](Self::new). No error shows a part of the content.
    pub fn from_file(content: &[u8]) -> Result<Self> {
        SealKey::new(secret::file::secret(content)?)
    }

    fn from_aes_key(key: &[u8; 32]) -> Self {
        let cipher = aes::Aes256Enc::new(&(*key).into());
        // Step 5 of algorithm 7: version, method, addition, radix, rounds, u mod 256, n, and the length of the tweak.
        let mut start = [1, 2, 1, 0, 0, 2, ROUNDS, HALF as u8, 0, 0, 0, 2 * HALF as u8, 0, 0, 0, 0].into();
        cipher.encrypt_block(&mut start);
        SealKey {
            cipher,
            start,
            #[cfg(feature = "alloc")]
            types: [0; 32],
        }
    }

    /// Seals a version 7 as a version 4.
    ///
    /// # Errors
    /// If the id is not of version 7.
    pub fn seal(&self, id: Uuid) -> Result<Uuid> {
        Ok(with_version(self.encrypt(sealable(id)?), 4))
    }

    /// The version 7 for which a version 4 stands.
    ///
    /// # Errors
    /// If the id is not of version 4. An id that was never sealed, or was sealed with another key, is not detected.
    pub fn open(&self, sealed: Uuid) -> Result<Uuid> {
        Ok(with_version(self.decrypt(openable(sealed)?), 7))
    }

    /// Seals each id in place, several times as fast as one by one.
    ///
    /// # Errors
    /// If an id is not of version 7; then all are as they were.
    ///
    /// ```
    /// use idgen::SealKey;
    ///
    /// let key = SealKey::new(b"a secret of at least 16 bytes")?;
    /// let ids: Vec<_> = (0..100).map(|_| idgen::v7()).collect();
    /// let mut sealed = ids.clone();
    /// key.seal_all(&mut sealed)?;
    /// assert_eq!(sealed[7], key.seal(ids[7])?);
    /// key.open_all(&mut sealed)?;
    /// assert_eq!(sealed, ids);
    /// # Ok::<(), idgen::Error>(())
    /// ```
    pub fn seal_all(&self, ids: &mut [Uuid]) -> Result<()> {
        self.permute_all(ids, sealable, 4, Way::Seal)
    }

    /// Opens each sealed id in place, several times as fast as one by one.
    ///
    /// # Errors
    /// If an id is not of version 4; then all are as they were.
    pub fn open_all(&self, sealed: &mut [Uuid]) -> Result<()> {
        self.permute_all(sealed, openable, 7, Way::Open)
    }

    fn permute_all(
        &self,
        ids: &mut [Uuid],
        bits_of: fn(Uuid) -> Result<u128>,
        version: u128,
        way: Way,
    ) -> Result<()> {
        ids.iter().try_for_each(|id| bits_of(*id).map(drop))?;
        // The widest instructions take this many at once.
        let mut bits = [0; 64];
        for ids in ids.chunks_mut(bits.len()) {
            let bits = &mut bits[..ids.len()];
            for (bits, id) in bits.iter_mut().zip(&*ids) {
                *bits = bits_of(*id)?;
            }
            self.permute(bits, way);
            for (bits, id) in bits.iter().zip(ids) {
                *id = with_version(*bits, version);
            }
        }
        Ok(())
    }

    fn encrypt(&self, mut bits: u128) -> u128 {
        self.permute(core::slice::from_mut(&mut bits), Way::Seal);
        bits
    }

    fn decrypt(&self, mut bits: u128) -> u128 {
        self.permute(core::slice::from_mut(&mut bits), Way::Open);
        bits
    }

    fn permute(&self, ids: &mut [u128], way: Way) {
        self.cipher.encrypt_with_backend(Feistel::<HALF> {
            start: u128::from_be_bytes(self.start.0),
            ids,
            way,
        });
    }
}

impl Drop for SealKey {
    fn drop(&mut self) {
        self.start.zeroize();
        #[cfg(feature = "alloc")]
        self.types.zeroize();
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey")
    }
}

/// The bits of an id that can be sealed.
fn sealable(id: Uuid) -> Result<u128> {
    free_bits(id, 7, "only ids of version 7 can be sealed, not", "pass an id of version 7")
}

/// The bits of an id that can be a sealed one.
fn openable(id: Uuid) -> Result<u128> {
    free_bits(id, 4, "sealed ids are of version 4, unlike", "pass an id that was sealed before")
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
        /// Compares with the crate `fpe`, which is tested against the samples of the standard.
        #[test]
        fn the_permutation_is_that_of_the_standard(key: [u8; 32], bits in 0..1u128 << 122) {
            let reference = FF1::<aes::Aes256>::new(&key, 2).unwrap();
            let expected: Vec<u16> = reference.encrypt(&[], &numerals(bits)).unwrap().into();
            let sealed = SealKey::from_aes_key(&key).encrypt(bits);
            prop_assert_eq!(Vec::<u16>::from(numerals(sealed)), expected);
            prop_assert_eq!(SealKey::from_aes_key(&key).decrypt(sealed), bits);
        }
    }

    /// Sealing changes nothing but the 122 free bits, and those of all ids of a version are all numbers of 122 bits.
    ///
    /// Proved by exhaustion over the bits. The induction: both functions consist of shifts, masks and ORs of separate fields, so
    /// each bit of the result is one bit of the argument, or constant.
    #[test]
    fn each_free_bit_has_one_place_in_an_id() {
        for version in 0..16 {
            let none = with_version(0, version).as_u128();
            for bit in 0..122 {
                let id = with_version(1 << bit, version);
                assert_eq!((id.as_u128() ^ none).count_ones(), 1);
                assert_eq!(free_bits(id, version as usize, "", "").unwrap(), 1 << bit);
                assert_eq!((id.get_version_num(), id.get_variant()), (version as usize, Variant::RFC4122));
            }
            let all = with_version((1 << 122) - 1, version);
            assert_eq!(free_bits(all, version as usize, "", "").unwrap(), (1 << 122) - 1);
            assert_eq!((all.as_u128() ^ none).count_ones(), 122);
        }
    }

    /// All numbers of ids around the sizes that are permuted at once.
    #[test]
    fn ids_sealed_at_once_equal_those_sealed_one_by_one() {
        let key = SealKey::new(b"0123456789abcdef").unwrap();
        for count in (0..=70).chain(126..=130) {
            let ids: Vec<Uuid> =
                (0..count).map(|n: u128| with_version(n * 0x1234_5678_9ABC_DEF0_1357, 7)).collect();
            let mut sealed = ids.clone();
            key.seal_all(&mut sealed).unwrap();
            assert!(ids.iter().zip(&sealed).all(|(id, sealed)| key.seal(*id).unwrap() == *sealed), "{count}");
            key.open_all(&mut sealed).unwrap();
            assert_eq!(sealed, ids);
        }
        let mut mixed = [with_version(1, 7), with_version(2, 4)];
        assert!(key.seal_all(&mut mixed).is_err() && key.open_all(&mut mixed).is_err());
        assert_eq!(mixed, [with_version(1, 7), with_version(2, 4)]);
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
