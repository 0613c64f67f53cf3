//! Keyed prefixes: a secret permutation of the 65,536 prefixes for each round of 65,536 intervals.

use core::fmt;

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use zeroize::Zeroize;

use crate::error::Result;
use crate::secret::{self, hmac};
use crate::tail::TAG_BITS;

/// The intervals of a round, and the prefixes.
pub(super) const ROUND: usize = 1 << 16;

/// The secret of a keyed prefix.
///
/// The intervals are counted in *rounds* of 65,536. Within a round each interval has a prefix of its own:
/// the prefixes are a permutation, drawn uniformly by a Fisher-Yates shuffle from a ChaCha20 keystream
/// (RFC 8439). The key of the keystream is the HMAC-SHA-256 (RFC 2104) of the round's number under this secret.
/// Known prefixes of some intervals reveal about the other intervals of the round only which prefixes are taken, and
/// nothing about other rounds.
///
/// The key is wiped from memory when it is dropped, and `Debug` does not show it.
///
/// ```
/// use idgen::PrefixKey;
///
/// let a = PrefixKey::new(b"a secret of at least 16 bytes")?;
/// let b = a.clone().for_writer("node-b");
/// assert_ne!(a.prefix(1), b.prefix(1));
/// assert_eq!(format!("{a:?}"), "PrefixKey");
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone)]
pub struct PrefixKey {
    key: [u8; 32],
    has_writer: bool,
}

impl PrefixKey {
    /// The smallest length of a secret, in bytes.
    pub const MIN_LEN: usize = secret::MIN_LEN;

    /// A key from a secret of at least [`MIN_LEN`](Self::MIN_LEN) bytes.
    ///
    /// # Errors
    /// `is_config` if it is shorter, or text as a [file](Self::from_file) holds it: with a line end, several lines, or a byte order
    /// mark. The message contains the length, but not the secret.
    pub fn new(secret: &[u8]) -> Result<Self> {
        Ok(PrefixKey { key: secret::derive(secret, b"idgen prefix 2")?, has_writer: false })
    }

    /// A key from the content of a key file, as the command line reads it: all bytes except one line end at the end.
    ///
    /// Every byte string could be a secret. So a file that an editor changed, or another file, would silently be another
    /// key. What nobody can have meant is refused: a byte order mark, UTF-16, several lines, spaces at the ends, one byte
    /// repeated, and the [ring](crate::SealRing) of sealed ids. Hexadecimal digits and base64 are not decoded: the text is
    /// the secret.
    ///
    /// ```
    /// use idgen::PrefixKey;
    ///
    /// let key = PrefixKey::from_file(b"a secret of at least 16 bytes\n")?;
    /// assert_eq!(key.prefix(1), PrefixKey::new(b"a secret of at least 16 bytes")?.prefix(1));
    /// assert!(PrefixKey::from_file(b"a secret of at least 16 bytes\n\n").unwrap_err().is_config());
    /// # Ok::<(), idgen::Error>(())
    /// ```
    ///
    /// # Errors
    /// `is_config` for such a file, and as for [`new`](Self::new). No error shows a part of the content.
    pub fn from_file(content: &[u8]) -> Result<Self> {
        PrefixKey::new(secret::file::secret(content)?)
    }

    /// The key of one writer: each name has permutations and [tags](Self::writer_tag) of its own.
    #[must_use]
    pub fn for_writer(mut self, name: &str) -> Self {
        self.key = hmac(&self.key, b"writer ", name.as_bytes());
        self.has_writer = true;
        self
    }

    /// The tag of a named writer after this prefix, 12 bits; `None` for a key without a name.
    ///
    /// The tag keeps the rows of a writer together if several writers use one prefix. A writer has a different tag
    /// for each prefix, so without the key, ids with two prefixes do not reveal that they come from one writer. The tag is
    /// the beginning of the HMAC of the prefix under the writer's key.
    ///
    /// ```
    /// use idgen::PrefixKey;
    ///
    /// let key = PrefixKey::new(b"a secret of at least 16 bytes")?;
    /// assert_eq!(key.writer_tag(7), None);
    /// assert!(key.for_writer("node-b").writer_tag(7).is_some_and(|tag| tag < 4_096));
    /// # Ok::<(), idgen::Error>(())
    /// ```
    pub fn writer_tag(&self, prefix: u16) -> Option<u16> {
        self.has_writer.then(|| {
            let mac = hmac(&self.key, b"tag ", &prefix.to_be_bytes());
            u16::from_be_bytes([mac[0], mac[1]]) >> (16 - TAG_BITS)
        })
    }

    /// True if the key is that of a named writer.
    pub(crate) fn has_writer(&self) -> bool {
        self.has_writer
    }

    /// The prefix of the interval with this number (see [`Bucket::number`](crate::Bucket::number)).
    ///
    /// It follows the interval through the shuffle of its round, which takes 1.7 million instructions on average, 0.2 ms,
    /// and at most twice as many. Generators call it once per interval. [`round`](Self::round) returns all prefixes of a
    /// round in little more time.
    pub fn prefix(&self, interval_number: i64) -> u16 {
        let mut draws = Draws::new(self, interval_number.div_euclid(ROUND as i64));
        let mut place = interval_number.rem_euclid(ROUND as i64) as usize;
        // The shuffle of `round`, followed for one interval alone.
        for last in (1..ROUND).rev() {
            let other = draws.up_to(last);
            if place == last {
                place = other;
            } else if place == other {
                // Later swaps are all below.
                return last as u16;
            }
        }
        place as u16
    }

    /// The prefixes of the 65,536 intervals of a round, in their order: interval `65,536 · round + i` has the
    /// prefix at index `i`.
    ///
    /// ```
    /// let key = idgen::PrefixKey::new(b"a secret of at least 16 bytes")?;
    /// let prefixes = key.round(2);
    /// assert_eq!(prefixes[5], key.prefix(2 * 65_536 + 5));
    /// # Ok::<(), idgen::Error>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn round(&self, round: i64) -> alloc::vec::Vec<u16> {
        let mut draws = Draws::new(self, round);
        let mut intervals: alloc::vec::Vec<u16> = (0..=u16::MAX).collect();
        for last in (1..ROUND).rev() {
            let other = draws.up_to(last);
            intervals.swap(last, other);
        }
        let mut prefixes = alloc::vec![0; ROUND];
        for (prefix, interval) in (0..=u16::MAX).zip(intervals) {
            prefixes[usize::from(interval)] = prefix;
        }
        prefixes
    }
}

impl Drop for PrefixKey {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

impl fmt::Debug for PrefixKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrefixKey")
    }
}

const BUFFER: usize = 1_024;

/// Numbers drawn from the keystream of a round.
struct Draws {
    stream: ChaCha20Rng,
    buffer: [u8; BUFFER],
    used: usize,
}

impl Draws {
    fn new(key: &PrefixKey, round: i64) -> Self {
        let mut round_key = hmac(&key.key, b"round ", &round.to_be_bytes());
        let stream = ChaCha20Rng::from_seed(round_key);
        round_key.zeroize();
        Draws { stream, buffer: [0; BUFFER], used: BUFFER }
    }

    /// A number from 0 to `last`, uniform except for a bias below 2^-48.
    #[inline]
    fn up_to(&mut self, last: usize) -> usize {
        if self.used == BUFFER {
            self.stream.fill_bytes(&mut self.buffer);
            self.used = 0;
        }
        let mut draw = [0; 8];
        draw.copy_from_slice(&self.buffer[self.used..self.used + 8]);
        let draw = u64::from_le_bytes(draw);
        self.used += 8;
        ((u128::from(draw) * (last as u128 + 1)) >> 64) as usize
    }
}

impl Drop for Draws {
    fn drop(&mut self) {
        self.buffer.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn key() -> PrefixKey {
        PrefixKey::new(b"0123456789abcdef").unwrap()
    }

    #[test]
    fn a_short_secret_is_refused_and_not_shown() {
        let error = PrefixKey::new(b"secret").unwrap_err().to_string();
        assert!(error.contains("6 bytes") && !error.contains("secret"), "{error}");
    }

    #[derive(serde::Deserialize)]
    struct Vectors {
        keyed_prefix: Vec<Vector>,
        writer_tag: Vec<Tag>,
    }

    #[derive(serde::Deserialize)]
    struct Tag {
        secret: String,
        writer: String,
        prefix: u16,
        tag: u16,
    }

    #[derive(serde::Deserialize)]
    struct Vector {
        secret: String,
        writer: Option<String>,
        number: i64,
        prefix: u16,
    }

    /// bindings/python/tests/prefixed_reference.py computed these, from nothing but Python's hmac module.
    #[test]
    fn prefixes_are_those_of_the_reference() {
        let text = include_str!("../../tests/vectors/prefixed.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        assert!(vectors.keyed_prefix.len() >= 20);
        for v in vectors.keyed_prefix {
            let key = PrefixKey::new(v.secret.as_bytes()).unwrap();
            let key = match &v.writer {
                Some(writer) => key.for_writer(writer),
                None => key,
            };
            assert_eq!(key.prefix(v.number), v.prefix, "interval {} of {:?}", v.number, v.writer);
        }
    }

    #[test]
    fn writer_tags_are_those_of_the_reference() {
        let text = include_str!("../../tests/vectors/prefixed.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        assert!(vectors.writer_tag.len() >= 8);
        for v in vectors.writer_tag {
            let key = PrefixKey::new(v.secret.as_bytes()).unwrap();
            assert_eq!(key.writer_tag(v.prefix), None);
            let tag = key.for_writer(&v.writer).writer_tag(v.prefix);
            assert_eq!(tag, Some(v.tag), "prefix {} of {:?}", v.prefix, v.writer);
        }
    }

    #[test]
    fn each_round_is_a_permutation_of_its_own() {
        let (mut seen, rounds) = (Vec::new(), [-1, 0, 1, 1_000]);
        for round in rounds {
            let prefixes = key().round(round);
            let mut sorted = prefixes.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..=u16::MAX), "round {round}");
            for i in [0, 1, 255, 32_767, 65_534, 65_535] {
                assert_eq!(key().prefix(round * 65_536 + i), prefixes[i as usize], "interval {i}");
            }
            seen.push(prefixes);
        }
        // Two random permutations agree in one place on average, and in 12 places once in 10^9 pairs.
        for (i, a) in seen.iter().enumerate() {
            for b in &seen[i + 1..] {
                let same = a.iter().zip(b).filter(|(a, b)| a == b).count();
                assert!(same < 12, "{same} intervals have the same prefix in two rounds");
            }
        }
    }

    /// The chi-squared test for 256 ranges of prefixes and of intervals, at five standard deviations.
    #[test]
    fn prefixes_are_spread_evenly() {
        let mut counts = std::vec![0u32; 1 << 16];
        for round in 0..16 {
            for (interval, prefix) in key().round(round).into_iter().enumerate() {
                counts[interval >> 8 << 8 | usize::from(prefix >> 8)] += 1;
            }
        }
        let chi: f64 = counts.iter().map(|&n| (f64::from(n) - 16.0).powi(2) / 16.0).sum();
        let (free, deviation) = (255.0 * 255.0, (2.0 * 255.0 * 255.0f64).sqrt());
        assert!((chi - free).abs() < 5.0 * deviation, "{chi}");
    }
}
