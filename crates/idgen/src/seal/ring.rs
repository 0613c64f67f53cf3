//! Several keys, each for the ids of a period.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use uuid::Uuid;

use super::{SealKey, openable, sealable, with_version};
use crate::error::{Error, Kind, Result};
use crate::secret::file;
use crate::timestamp::Timestamp;

/// The first bits of an id: the Unix time in milliseconds.
const TIME_SHIFT: u32 = 74;
/// The bits of this 48-bit time that are in use until the year 2527.
const TIME_BITS: u32 = 44;
const TIMES: u64 = 1 << TIME_BITS;
/// The four bits above, with which an id has 16 forms under each key.
const FORM_SHIFT: u32 = TIME_SHIFT + TIME_BITS;
const FORMS: u128 = 16;

/// Keys for sealed ids that follow each other in time: each seals the ids of version 7 that were created from a moment on,
/// until that of the next key.
///
/// The time in the id chooses the key. So each id has exactly one sealed id, which stays the same when a key is added,
/// and no two ids have the same sealed id.
///
/// A sealed id does not contain the number of its key, so [`open`](Self::open) tries the keys from the oldest to the
/// newest. A key claims a sealed id if it opens it to an id of its own period. An id has 16 possible sealed forms, and
/// [`seal`](Self::seal) chooses the first form that no older key claims. All keys must stay in the ring: without an older key, some ids of the newer keys would be sealed in another
/// form.
///
/// A ring with one key seals ids as that key does.
///
/// ```
/// use idgen::{SealKey, SealRing, Timestamp};
///
/// let old = SealRing::new(SealKey::new(b"a secret of at least 16 bytes")?);
/// let id = idgen::v7();
/// let sealed = old.seal(id)?;
///
/// let from = Timestamp::from_date(2100, 1, 1); // later than each id that is sealed already
/// let ring = old.and_from(from, SealKey::new(b"another secret, also long enough")?)?;
/// assert_eq!(ring.seal(id)?, sealed);
/// assert_eq!(ring.open(sealed)?, id);
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone)]
pub struct SealRing {
    /// The first millisecond of each key, ascending; the first one's is 0.
    keys: Vec<(u64, SealKey)>,
}

impl SealRing {
    /// A ring with one key, which seals all ids.
    pub fn new(key: SealKey) -> Self {
        SealRing { keys: vec![(0, key)] }
    }

    /// The first line of a file with a ring.
    pub const HEAD: &str = file::RING;

    /// The ring in the content of a file, as the command line reads it.
    ///
    /// The first line is [`HEAD`](Self::HEAD). The next one is `begin`, a space and the secret of the first key. Each further
    /// line has the moment from which its key is used (as [`Timestamp`] reads it), a space and the secret. Empty lines, and
    /// lines that begin with `#`, are skipped.
    ///
    /// ```
    /// use idgen::SealRing;
    ///
    /// let file = b"idgen seal ring\nbegin the-first-secret-of-at-least-16-bytes\n\
    ///     2027-01-01T00:00:00Z the-secret-for-ids-from-2027-on\n";
    /// assert_eq!(SealRing::from_file(file)?.len(), 2);
    /// assert!(SealRing::from_file(b"a secret of at least 16 bytes").unwrap_err().is_config());
    /// # Ok::<(), idgen::Error>(())
    /// ```
    ///
    /// # Errors
    /// `is_config` if the content is not such a ring, begins with a byte order mark, or is in UTF-16. The error names the
    /// line, and shows no secret.
    pub fn from_file(content: &[u8]) -> Result<Self> {
        let mut ring = None;
        for (number, line) in file::ring_lines(content)? {
            ring = Some(with_line(ring, line).map_err(|error| Error::new(Kind::Line { number, error }))?);
        }
        ring.ok_or_else(|| {
            Error::config(
                "a ring has no keys after its line",
                Self::HEAD,
                "write \"begin\", a space and a secret there",
            )
        })
    }

    /// True if the content of a file is meant as a ring, rather than as a single key: a line is [`HEAD`](Self::HEAD), in
    /// whatever case. [`from_file`](Self::from_file) may still refuse it.
    ///
    /// ```
    /// use idgen::SealRing;
    ///
    /// assert!(SealRing::is_file(b"Idgen Seal Ring\nbegin the-first-secret-of-at-least-16-bytes\n"));
    /// assert!(!SealRing::is_file(b"a secret of at least 16 bytes"));
    /// ```
    pub fn is_file(content: &[u8]) -> bool {
        file::is_like_ring(content)
    }

    /// The ring with one more key, for the ids that are created from this moment on.
    ///
    /// Choose a moment in the future, and give the new ring to every process before that moment. If a process with the old
    /// ring seals an id that was created after the moment, the new ring cannot open it.
    ///
    /// # Errors
    /// If the moment is not later than that of the last key, or is beyond the year 2527.
    pub fn and_from(mut self, from: Timestamp, key: SealKey) -> Result<Self> {
        let last = self.keys.last().map_or(0, |(from, _)| *from);
        match u64::try_from(from.unix_millis()) {
            Ok(millis) if millis > last && millis < TIMES => {
                self.keys.push((millis, key));
                Ok(self)
            }
            _ => Err(Error::config(
                "the time is not after that of the key before, or is beyond the year 2527:",
                from,
                "add the keys of a ring in the order of their times",
            )),
        }
    }

    /// Seals a version 7 as a version 4.
    ///
    /// # Errors
    /// If the id is not of version 7, or its time is beyond the year 2527. Also if older keys claim all of its 16
    /// forms, which has a probability of about 10^-12 if these keys cover a century.
    pub fn seal(&self, id: Uuid) -> Result<Uuid> {
        let bits = sealable(id)?;
        let time = (bits >> TIME_SHIFT) as u64;
        let advice = "seal ids whose time is not later";
        if time >= TIMES {
            return Err(Error::config(
                "beyond the year 2527, so it cannot be sealed:",
                id.as_hyphenated(),
                advice,
            ));
        }
        let own = self.keys.iter().rposition(|(from, _)| *from <= time).unwrap_or(0);
        let sealed = (0..FORMS).find_map(|form| self.free_form(own, bits, form));
        match sealed {
            Some(sealed) => Ok(with_version(sealed, 4)),
            None => Err(Error::config(
                "older keys claim each sealed form of",
                id.as_hyphenated(),
                "begin a new ring",
            )),
        }
    }

    /// The version 7 for which a version 4 stands.
    ///
    /// # Errors
    /// If the id is not of version 4, or if it was not sealed with a key of this ring. Only about 15 of 16 such ids are
    /// detected, so look up the result.
    pub fn open(&self, sealed: Uuid) -> Result<Uuid> {
        let bits = openable(sealed)?;
        let found = (0..self.keys.len()).find_map(|key| Some((key, self.claimed(key, bits)?)));
        let opened = found.and_then(|(key, opened)| {
            let id = opened & ((1 << FORM_SHIFT) - 1);
            // An id has no second sealed id: the first free form is the only one.
            let is_first = (0..opened >> FORM_SHIFT).all(|form| self.free_form(key, id, form).is_none());
            is_first.then_some(id)
        });
        let problem = "no key of this ring sealed";
        match opened {
            Some(id) => Ok(with_version(id, 7)),
            None => Err(Error::config(
                problem,
                sealed.as_hyphenated(),
                "open ids that were sealed with this ring",
            )),
        }
    }

    /// The number of keys.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The keys, from the oldest to the newest.
    pub(super) fn keys(&self) -> impl Iterator<Item = &SealKey> {
        self.keys.iter().map(|(_, key)| key)
    }

    /// Returns the ring with each key replaced by another one.
    pub(super) fn map(&self, other: impl Fn(&SealKey) -> SealKey) -> Self {
        SealRing { keys: self.keys.iter().map(|(from, key)| (*from, other(key))).collect() }
    }

    /// An id sealed in this form, if no older key claims it.
    fn free_form(&self, key: usize, bits: u128, form: u128) -> Option<u128> {
        let sealed = self.keys[key].1.encrypt(bits | form << FORM_SHIFT);
        (0..key).all(|older| self.claimed(older, sealed).is_none()).then_some(sealed)
    }

    /// The id that a key opens a sealed id to, if the key claims it.
    fn claimed(&self, key: usize, sealed: u128) -> Option<u128> {
        let opened = self.keys[key].1.decrypt(sealed);
        let time = (opened >> TIME_SHIFT) as u64 & (TIMES - 1);
        let end = self.keys.get(key + 1).map_or(TIMES, |(from, _)| *from);
        (self.keys[key].0..end).contains(&time).then_some(opened)
    }
}

/// The ring with the key of one more line. No error shows what the line holds: it could be a secret.
fn with_line(ring: Option<SealRing>, line: &[u8]) -> Result<SealRing> {
    let mut parts = line.splitn(2, |byte| *byte == b' ');
    let (from, secret) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    file::check_secret(secret)?;
    let Some(ring) = ring else {
        if from != b"begin" {
            let advice = "write begin, a space and the secret, which is for all ids before the second key";
            return Err(Error::config("the line of the first key does not start with", "begin", advice));
        }
        return Ok(SealRing::new(SealKey::new(secret)?));
    };
    let moment = core::str::from_utf8(from).ok().and_then(|text| text.parse().ok());
    let Some(moment) = moment else {
        let advice = "write one, a space and the secret of the ids from then on";
        return Err(Error::config(
            "the line does not begin with a moment such as",
            "2027-01-01T00:00:00Z",
            advice,
        ));
    };
    ring.and_from(moment, SealKey::new(secret)?)
}

impl fmt::Debug for SealRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealRing of {} keys", self.keys.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_file_has_a_line_for_each_key() {
        let text = "idgen seal ring\n# of the shop\nbegin 0123456789abcdef\r\n\n2027-01-01T00:00:00Z a secret with spaces\n";
        let ring = SealRing::from_file(text.as_bytes()).unwrap();
        assert_eq!(ring.len(), 2);
        let key = SealKey::new(b"0123456789abcdef").unwrap();
        let id = crate::fields::stamped(1_700_000_000_000 << 80, 7);
        assert_eq!(ring.seal(id).unwrap(), key.seal(id).unwrap());
    }

    #[test]
    fn a_mistake_in_a_file_is_named_by_its_line_and_no_secret_is_shown() {
        for (text, says) in [
            ("idgen seal ring\n", "no keys"),
            (
                "idgen seal ring\n0123456789secret\n",
                "line 2: the line of the first key does not start with \"begin\"",
            ),
            ("idgen seal ring\nbegin secret\n", "line 2: too short for a key: \"6 bytes\""),
            (
                "idgen seal ring\nbegin 0123456789secret \n",
                "line 2: a key file must not hold \"text that begins or ends",
            ),
            (
                "idgen seal ring\nbegin  0123456789secret\n",
                "line 2: a key file must not hold \"text that begins or ends",
            ),
            (
                "idgen seal ring\nbegin aaaaaaaaaaaaaaaaaaa\n",
                "line 2: a key file must not hold \"one byte, repeated",
            ),
            (
                "idgen seal ring\nbegin 0123456789secret\n2027 0123456789secret\n",
                "line 3: the line does not begin with a moment",
            ),
            (
                "idgen seal ring\nbegin 0123456789secret\n1960-01-01T00:00:00Z 0123456789secret\n",
                "in the order of their times",
            ),
        ] {
            let error = SealRing::from_file(text.as_bytes()).unwrap_err();
            let shown = error.to_string();
            assert!(error.is_config() && shown.contains(says), "{shown}");
            assert!(!shown.contains("secret\n") && !shown.contains("0123"), "{shown}");
        }
    }
    use std::collections::HashMap;
    use std::string::ToString;

    /// Periods of 17 years: each older key claims one of 32 sealed ids.
    const LONG: u64 = TIMES / 32;

    fn key(number: u8) -> SealKey {
        SealKey::new(&[number; 16]).unwrap()
    }

    fn ring(keys: u8) -> SealRing {
        let from = |number: u8| Timestamp::from_unix_millis((u64::from(number) * LONG) as i64);
        (1..keys)
            .fold(SealRing::new(key(0)), |ring, number| ring.and_from(from(number), key(number)).unwrap())
    }

    fn id(time: u64, rest: u128) -> Uuid {
        with_version(u128::from(time) << TIME_SHIFT | rest & ((1 << TIME_SHIFT) - 1), 7)
    }

    proptest! {
        /// With every key, and after more keys were added.
        #[test]
        fn every_id_is_opened_and_keeps_its_sealed_id(time in 0..8 * LONG, rest: u128) {
            let id = id(time, rest);
            let period = (time / LONG) as u8;
            let sealed = ring(period + 1).seal(id).unwrap();
            prop_assert_eq!(sealed.get_version_num(), 4);
            for keys in period + 1..=8 {
                prop_assert_eq!(ring(keys).seal(id).unwrap(), sealed);
                prop_assert_eq!(ring(keys).open(sealed).unwrap(), id);
            }
        }

        #[test]
        fn a_ring_with_one_key_is_that_key(time in 0..TIMES, rest: u128) {
            let id = id(time, rest);
            prop_assert_eq!(ring(1).seal(id).unwrap(), key(0).seal(id).unwrap());
        }

        /// An id that opens is sealed to itself again, so no id has two sealed ids.
        #[test]
        fn an_opened_id_is_sealed_to_the_same_id(bits: u128) {
            let ring = ring(8);
            let any = with_version(bits & ((1 << 122) - 1), 4);
            if let Ok(id) = ring.open(any) {
                prop_assert_eq!(ring.seal(id).unwrap(), any);
            }
        }
    }

    /// Many ids need another form than the first, and most ids of other rings are detected.
    #[test]
    fn other_forms_are_used_and_most_foreign_ids_are_detected() {
        let ring = ring(8);
        let mut forms = HashMap::new();
        let mut opened = 0;
        for number in 0..2_000_u128 {
            let id = id(7 * LONG + number as u64, number * 0x9E37_79B9_7F4A_7C15);
            let sealed = openable(ring.seal(id).unwrap()).unwrap();
            *forms.entry(ring.claimed(7, sealed).unwrap() >> FORM_SHIFT).or_insert(0) += 1;
            let strange =
                with_version(number.wrapping_mul(0x0123_4567_89AB_CDEF_0F1E_2D3C_4B5A_6987) >> 6, 4);
            opened += u32::from(ring.open(strange).is_ok());
        }
        // No older key claims (31/32)^7, which is 80 %, of the first forms.
        assert!((1_500..1_700).contains(&forms[&0]), "{forms:?}");
        assert!(forms.len() >= 3 && opened < 240, "{forms:?} {opened}");
    }

    #[test]
    fn times_out_of_order_and_ids_of_other_times_are_refused() {
        let at = |millis| Timestamp::from_unix_millis(millis);
        for wrong in [-1, 0, LONG as i64, TIMES as i64] {
            let error = ring(2).and_from(at(wrong), key(9)).unwrap_err().to_string();
            assert!(error.contains("in the order of their times"), "{error}");
        }
        let error = ring(2).seal(id(TIMES, 0)).unwrap_err().to_string();
        assert!(error.contains("2527"), "{error}");
        assert!(ring(2).seal(with_version(0, 4)).is_err() && ring(2).open(with_version(0, 7)).is_err());
        let foreign = SealKey::new(b"a key of another ring").unwrap();
        let strange = (0..200).filter(|n| ring(1).open(foreign.seal(id(*n, 7)).unwrap()).is_ok()).count();
        assert!(strange < 40, "{strange}");
        assert_eq!(std::format!("{:?} {}", ring(2), ring(2).len()), "SealRing of 2 keys 2");
    }
}
