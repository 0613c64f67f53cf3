//! Ids of other generators: what their texts and numbers show. They are only read.

use uuid::{Uuid, Variant};

use crate::codec::alphabet::{Alphabet, BASE32_HEX, CROCKFORD, HEX, INVALID, ORDERED_64};
use crate::codec::typed;
use crate::timestamp::Timestamp;

/// A kind of id that other programs generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ForeignKind {
    /// A prefix and 26 digits: [`codec::typed`](crate::codec::typed).
    TypeId,
    /// 27 characters of base62: seconds since 2014-05-13T16:53:20Z, and 128 random bits.
    Ksuid,
    /// 24 hexadecimal digits of MongoDB: seconds, and 8 more bytes.
    ObjectId,
    /// 20 characters of base32hex in lower case: the bytes of an ObjectId.
    Xid,
    /// 25 characters that begin with `c`: milliseconds, a counter, and 12 more characters.
    Cuid,
    /// 24 lowercase letters and digits that begin with a letter: a hash.
    Cuid2,
    /// 21 characters that are safe in a URL: random.
    NanoId,
    /// 20 characters that begin with `-`: milliseconds, and 72 random bits.
    FirebasePushId,
    /// 64 bits, with milliseconds since 2020-01-01 before 22 more bits; as a text, 13 digits of base32.
    Tsid,
    /// 64 bits, with milliseconds since 2010-11-04T01:42:54.657Z before 22 more bits.
    TwitterSnowflake,
    /// 64 bits, with milliseconds since 2015-01-01 before 22 more bits.
    DiscordSnowflake,
    /// 64 bits, with milliseconds since 2011-08-24T21:07:01.721Z before 23 more bits.
    InstagramId,
    /// 63 bits, with units of 10 ms since 2014-09-01 before 24 more bits.
    Sonyflake,
}

impl ForeignKind {
    /// A short name, such as `ksuid`.
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// A phrase that describes the kind.
    pub const fn describe(self) -> &'static str {
        self.words().1
    }

    /// The name, and the phrase.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            ForeignKind::TypeId => ("typeid", "TypeID: a prefix and a UUID"),
            ForeignKind::Ksuid => ("ksuid", "KSUID: seconds and 128 random bits"),
            ForeignKind::ObjectId => ("objectid", "ObjectId of MongoDB: seconds, 5 random bytes, counter"),
            ForeignKind::Xid => ("xid", "xid: seconds, machine, process, counter"),
            ForeignKind::Cuid => ("cuid", "cuid: milliseconds, counter, fingerprint, random"),
            ForeignKind::Cuid2 => ("cuid2", "cuid2: a hash, with no time inside"),
            ForeignKind::NanoId => ("nanoid", "Nano ID: random, with no time inside"),
            ForeignKind::FirebasePushId => {
                ("firebase-push-id", "push id of Firebase: milliseconds and 72 random bits")
            }
            ForeignKind::Tsid => ("tsid", "TSID: milliseconds since 2020 and 22 more bits"),
            ForeignKind::TwitterSnowflake => {
                ("twitter-snowflake", "Snowflake of Twitter: milliseconds, machine, sequence")
            }
            ForeignKind::DiscordSnowflake => {
                ("discord-snowflake", "Snowflake of Discord: milliseconds, worker, process, increment")
            }
            ForeignKind::InstagramId => ("instagram-id", "id of Instagram: milliseconds, shard, sequence"),
            ForeignKind::Sonyflake => ("sonyflake", "Sonyflake: units of 10 ms, sequence, machine"),
        }
    }
}

/// One reading of a text or a number as the id of another generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignId {
    /// The generator.
    pub kind: ForeignKind,
    /// When the id was generated, if it shows that.
    pub time: Option<Timestamp>,
    /// The UUID of a TypeID.
    pub uuid: Option<Uuid>,
}

/// The kinds of other generators that have the characters of a text; none for most texts.
///
/// Some texts can be read in two ways: 24 hexadecimal digits that begin with a letter are an ObjectId or, if they have no digit
/// above `f` by chance, a cuid2. A number is read by [`foreign_numbers`].
///
/// ```
/// use idgen::ForeignKind;
///
/// let seen = idgen::foreign_texts(b"0ujtsYcgvSTl8PAuAdqWYSMnLOv").next().unwrap();
/// assert_eq!(seen.kind, ForeignKind::Ksuid);
/// assert_eq!(seen.time.unwrap().to_string(), "2017-10-10T04:00:47Z");
/// assert_eq!(idgen::foreign_texts(b"no id").count(), 0);
/// ```
pub fn foreign_texts(text: &[u8]) -> impl Iterator<Item = ForeignId> + use<> {
    let only = |reading: Option<ForeignId>| [reading, None];
    match text.len() {
        13 => only(tsid(text)),
        20 if text[0] == b'-' => only(push_id(text)),
        20 => only(xid(text)),
        21 => only(ORDERED_64.first_invalid(text).is_none().then(|| timeless(ForeignKind::NanoId))),
        24 => [object_id(text), cuid2(text)],
        25 => only(cuid(text)),
        27 if !text.contains(&b'_') => only(ksuid(text)),
        _ => only(type_id(text)),
    }
    .into_iter()
    .flatten()
}

/// The layouts of 64 bits that give a number a plausible time, the most plausible first: at least a day after the layout's
/// epoch, and at most a day after `now`. The numbers themselves do not say which layout they follow, so several can be plausible.
///
/// Twitter's come before Discord's if the sequence is 0, as it mostly is in theirs. Layouts of this crate are read by [`ShortId`](crate::ShortId).
///
/// ```
/// use idgen::{ForeignKind, Timestamp};
///
/// // The example of Discord's documentation.
/// let seen = idgen::foreign_numbers(175_928_847_299_117_063, Timestamp::from_date(2026, 11, 21)).next().unwrap();
/// assert_eq!(seen.kind, ForeignKind::DiscordSnowflake);
/// assert_eq!(seen.time.unwrap().to_string(), "2016-04-30T11:18:25.796Z");
/// ```
pub fn foreign_numbers(number: u64, now: Timestamp) -> impl Iterator<Item = ForeignId> + use<> {
    const DAY_MS: i64 = 86_400_000;
    let (twitter, discord) = (ForeignKind::TwitterSnowflake, ForeignKind::DiscordSnowflake);
    let [first, second] = if number & 0xFFF == 0 { [twitter, discord] } else { [discord, twitter] };
    let latest = now.unix_millis().saturating_add(DAY_MS);
    [first, second, ForeignKind::Tsid, ForeignKind::InstagramId, ForeignKind::Sonyflake]
        .into_iter()
        .filter_map(move |kind| {
            let (epoch, ms) = match kind {
                ForeignKind::TwitterSnowflake => (1_288_834_974_657, number >> 22),
                ForeignKind::DiscordSnowflake => (1_420_070_400_000, number >> 22),
                ForeignKind::InstagramId => (1_314_220_021_721, number >> 23),
                ForeignKind::Sonyflake => (1_409_529_600_000, (number >> 24) * 10),
                _ => (TSID_EPOCH_MS, number >> 22),
            };
            let time = ms as i64 + epoch;
            (ms as i64 >= DAY_MS && time <= latest).then(|| timed(kind, time))
        })
}

/// The millisecond from which TSIDs count: 2020-01-01.
const TSID_EPOCH_MS: i64 = 1_577_836_800_000;
/// The second from which KSUIDs count.
const KSUID_EPOCH: i64 = 1_400_000_000;

fn timed(kind: ForeignKind, ms: i64) -> ForeignId {
    ForeignId { kind, time: Some(Timestamp::from_unix_millis(ms)), uuid: None }
}

fn timeless(kind: ForeignKind) -> ForeignId {
    ForeignId { kind, time: None, uuid: None }
}

/// The number whose digits these are, if it has at most 128 bits.
fn number<const R: usize>(text: &[u8], alphabet: &Alphabet<R>) -> Option<u128> {
    text.iter().try_fold(0_u128, |number, &byte| {
        let digit = alphabet.value(byte);
        (digit & INVALID == 0).then(|| number << R.ilog2() | u128::from(digit))
    })
}

fn has_upper(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_uppercase)
}

fn is_base36(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

fn tsid(text: &[u8]) -> Option<ForeignId> {
    // 13 digits have 65 bits. Without a letter, they are a number.
    let number = u64::try_from(number(text, &CROCKFORD)?).ok()?;
    let has_one_case = text.iter().any(u8::is_ascii_lowercase) != has_upper(text);
    has_one_case.then(|| timed(ForeignKind::Tsid, (number >> 22) as i64 + TSID_EPOCH_MS))
}

fn push_id(text: &[u8]) -> Option<ForeignId> {
    let ms = number(text, &ORDERED_64)? >> 72;
    Some(timed(ForeignKind::FirebasePushId, ms as i64))
}

fn xid(text: &[u8]) -> Option<ForeignId> {
    // 20 digits have 100 bits, of which the last four are not used.
    let number = number(text, &BASE32_HEX).filter(|number| number & 15 == 0)?;
    (!has_upper(text)).then(|| timed(ForeignKind::Xid, (number >> 68) as i64 * 1_000))
}

fn object_id(text: &[u8]) -> Option<ForeignId> {
    let bits = number(text, &HEX)?;
    Some(timed(ForeignKind::ObjectId, (bits >> 64) as i64 * 1_000))
}

fn cuid2(text: &[u8]) -> Option<ForeignId> {
    (is_base36(text) && text[0].is_ascii_lowercase()).then(|| timeless(ForeignKind::Cuid2))
}

fn cuid(text: &[u8]) -> Option<ForeignId> {
    let time = (is_base36(text) && text[0] == b'c').then(|| core::str::from_utf8(&text[1..9]).ok())??;
    Some(timed(ForeignKind::Cuid, i64::from_str_radix(time, 36).ok()?))
}

fn ksuid(text: &[u8]) -> Option<ForeignId> {
    // 27 characters have more than 160 bits; the upper 32 of these are the seconds.
    let mut words = [0_u64; 5];
    for &byte in text {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'A'..=b'Z' => byte - b'A' + 10,
            b'a'..=b'z' => byte - b'a' + 36,
            _ => return None,
        };
        let mut carry = u64::from(digit);
        for word in words.iter_mut().rev() {
            carry += *word * 62;
            *word = carry & 0xFFFF_FFFF;
            carry >>= 32;
        }
        if carry > 0 {
            return None;
        }
    }
    Some(timed(ForeignKind::Ksuid, (words[0] as i64 + KSUID_EPOCH) * 1_000))
}

fn type_id(text: &[u8]) -> Option<ForeignId> {
    let (prefix, id) = typed::decode(text).ok()?;
    let is_v7 = id.get_version_num() == 7 && id.get_variant() == Variant::RFC4122;
    let time = is_v7.then(|| Timestamp::from_unix_millis(crate::fields::unix_ms(&id) as i64));
    (!prefix.is_empty()).then_some(ForeignId { kind: ForeignKind::TypeId, time, uuid: Some(id) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    const NOW: Timestamp = Timestamp::from_unix_secs(1_795_219_200);

    fn seen(readings: impl Iterator<Item = ForeignId>) -> Vec<(&'static str, String)> {
        readings
            .map(|id| (id.kind.name(), id.time.map(|time| time.to_string()).unwrap_or_default()))
            .collect()
    }

    /// Each from the documentation or the tests of the generator.
    #[test]
    fn published_texts_show_their_kind_and_time() {
        for (text, kind, time) in [
            // https://github.com/segmentio/ksuid, README
            ("0ujtsYcgvSTl8PAuAdqWYSMnLOv", "ksuid", "2017-10-10T04:00:47Z"),
            ("0ujzPyRiIAffKhBux4PvQdDqMHY", "ksuid", "2017-10-10T04:46:20Z"),
            // MongoDB's manual, ObjectId() and getTimestamp()
            ("507f1f77bcf86cd799439011", "objectid", "2012-10-17T21:13:27Z"),
            ("507c7f79bcf86cd7994f6c0e", "objectid", "2012-10-15T21:26:17Z"),
            // https://github.com/rs/xid, id_test.go, and an example of a user of xid-js
            ("9m4e2mr0ui3e8a215n4g", "xid", "2011-03-22T17:50:19Z"),
            ("c9iqk5m6ed4lbcr11bfg", "xid", "2022-04-24T19:50:46Z"),
            // "The 2^120 Ways to Ensure Unique Identifiers", Firebase's blog, 2015-02-11
            ("-JhLeOlGIEjaIOFHR0xd", "firebase-push-id", "2015-02-04T22:15:31.153Z"),
            ("-JhQ7APk0UtyRTFO9-TS", "firebase-push-id", "2015-02-05T19:04:05.552Z"),
            // https://github.com/f4b6a3/tsid-creator, README: of April 2020
            ("01226N0640J7Q", "tsid", "2020-04-15T20:22:07.665Z"),
            ("01226n0640j7q", "tsid", "2020-04-15T20:22:07.665Z"),
            // https://www.npmjs.com/package/tsid-ts, README, with the number 501438102971408389
            ("0DXBQ9H279R05", "tsid", "2023-10-15T16:56:00.017Z"),
            // https://github.com/jetify-com/typeid, README and valid.json
            ("user_01h455vb4pex5vsknk084sn02q", "typeid", "2023-06-30T03:34:18.518Z"),
            ("prefix_01h455vb4pex5vsknk084sn02q", "typeid", "2023-06-30T03:34:18.518Z"),
            ("prefix_0123456789abcdefghjkmnpqrs", "typeid", ""),
            // https://github.com/paralleldrive/cuid2 and cuid, README
            ("tz4a98xxat96iws9zmbrgj3a", "cuid2", ""),
            ("pfh0haxfpzowht3oi213cqos", "cuid2", ""),
            ("ch72gsb320000udocl363eofy", "cuid", "2012-09-13T23:03:12.926Z"),
            // https://github.com/ai/nanoid, README
            ("V1StGXR8_Z5jdHi6B-myT", "nanoid", ""),
            ("Uakgb_J5m9g-0JDMbcJqL", "nanoid", ""),
        ] {
            assert_eq!(seen(foreign_texts(text.as_bytes())), [(kind, time.to_string())], "{text}");
        }
    }

    #[test]
    fn published_numbers_have_each_plausible_reading() {
        let readings = |number| seen(foreign_numbers(number, NOW));
        let of =
            |number, kind| readings(number).into_iter().find(|(name, _)| *name == kind).map(|(_, time)| time);
        // Discord's documentation, Snowflakes and User Object.
        let example = readings(175_928_847_299_117_063);
        assert_eq!(example[0], ("discord-snowflake", "2016-04-30T11:18:25.796Z".into()));
        assert_eq!(example.len(), 5, "{example:?}");
        assert_eq!(of(80_351_110_224_678_912, "discord-snowflake").unwrap(), "2015-08-10T17:26:37.529Z");
        // Wikipedia, Snowflake ID; and Twitter's documentation.
        assert_eq!(
            readings(1_541_815_603_606_036_480)[0],
            ("twitter-snowflake", "2022-06-28T16:07:40.105Z".into())
        );
        assert_eq!(
            readings(1_212_092_628_029_698_048)[0],
            ("twitter-snowflake", "2019-12-31T19:26:16.771Z".into())
        );
        // "Sharding & IDs at Instagram": shard 1341, sequence 5001 modulo 1024, 1387263000 ms after the epoch.
        assert_eq!(
            of(1_387_263_000 << 23 | 1_341 << 10 | 905, "instagram-id").unwrap(),
            "2011-09-09T22:28:04.721Z"
        );
        assert_eq!(of(38_352_658_567_418_872, "tsid").unwrap(), "2020-04-15T19:59:46.360Z");
        assert_eq!(of(501_438_102_971_408_389, "tsid").unwrap(), "2023-10-15T16:56:00.017Z");
        // The expected time is that of the layout of https://github.com/sony/sonyflake: a year after its epoch.
        assert_eq!(of((36_500 * 86_400) << 24 | 7, "sonyflake").unwrap(), "2015-09-01T00:00:00Z");
    }

    #[test]
    fn times_in_the_future_and_counters_are_no_readings() {
        for number in [0, 1, 42, 4_294_967_296, u64::MAX] {
            assert_eq!(seen(foreign_numbers(number, NOW)), [], "{number}");
        }
        // An id of this crate: its seconds are beyond all layouts.
        assert_eq!(seen(foreign_numbers(1_795_219_200 << 32, NOW)), []);
    }

    #[test]
    fn digits_can_be_an_object_id_or_a_cuid2() {
        let kinds: Vec<_> = foreign_texts(b"abcdefabcdefabcdefabcdef").map(|id| id.kind).collect();
        assert_eq!(kinds, [ForeignKind::ObjectId, ForeignKind::Cuid2]);
    }

    proptest! {
        #[test]
        fn any_text_and_number_is_read_without_panic(bytes: Vec<u8>, text in "[-_0-9a-zA-Z]{12,28}", number: u64) {
            let count = foreign_texts(&bytes).count() + foreign_texts(text.as_bytes()).count();
            prop_assert!(count <= 4);
            prop_assert!(foreign_numbers(number, NOW).count() <= 5);
        }
    }
}
