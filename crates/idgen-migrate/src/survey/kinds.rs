//! Which kind of id a value is.
//!
//! The bits of one value may fit several kinds: one ULID in 64 looks like version 4. So each value is read in every way
//! that fits, and of these, the kind that most values of its column fit is the one that counts.

use std::collections::BTreeMap;

use idgen::codec::Format;
use idgen::{Nature, Uuid, inspect_uuid};
use serde::Serialize;

use crate::survey::sample::Value;

/// A kind of id, as far as values show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// UUID version 7.
    V7,
    /// UUID version 4.
    V4,
    /// UUID version 1.
    V1,
    /// UUID version 1 with its time fields swapped, as `UUID_TO_BIN(id, 1)` stores it.
    V1Swapped,
    /// UUID version 6.
    V6,
    /// UUID version 8.
    V8,
    /// A UUID of version 2, 3 or 5.
    OtherUuid,
    /// A ULID.
    Ulid,
    /// An ObjectId of MongoDB, by pattern.
    ObjectId,
    /// A Snowflake, by pattern: milliseconds in the upper 42 bits.
    Snowflake,
    /// A 64-bit id with seconds in its upper half, by pattern.
    Seconds64,
    /// An integer below 2^40.
    Counted,
    /// A larger integer.
    OtherInteger,
    /// The nil UUID.
    Nil,
    /// The max UUID.
    Max,
    /// 128 bits without a known layout.
    Other128,
    /// A hash of 160 or 256 bits as hexadecimal digits. Only a key of these is treated as one of ids.
    Digest,
    /// No id.
    NotAnId,
}

impl Kind {
    /// A short name.
    ///
    /// ```
    /// assert_eq!(idgen_migrate::survey::Kind::V1Swapped.name(), "v1 swapped");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Kind::V7 => "v7",
            Kind::V4 => "v4",
            Kind::V1 => "v1",
            Kind::V1Swapped => "v1 swapped",
            Kind::V6 => "v6",
            Kind::V8 => "v8",
            Kind::OtherUuid => "v2, v3 or v5",
            Kind::Ulid => "ULID",
            Kind::ObjectId => "ObjectId",
            Kind::Snowflake => "Snowflake",
            Kind::Seconds64 => "64-bit, seconds first",
            Kind::Counted => "integer",
            Kind::OtherInteger => "large integer",
            Kind::Nil => "nil",
            Kind::Max => "max",
            Kind::Other128 => "other 128 bits",
            Kind::Digest => "hexadecimal digest",
            Kind::NotAnId => "not an id",
        }
    }

    /// Whether ids sort by their time.
    pub(crate) fn is_time_first(self) -> bool {
        matches!(
            self,
            Kind::V7
                | Kind::V6
                | Kind::V1Swapped
                | Kind::Ulid
                | Kind::ObjectId
                | Kind::Snowflake
                | Kind::Seconds64
        )
    }
}

/// How the text of an id is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Spelling {
    pub(crate) format: &'static str,
    pub(crate) case: Case,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Case {
    /// There is no letter, or case is a part of the alphabet.
    None,
    Lower,
    Upper,
    Mixed,
}

/// What a value is before its column is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Parsed {
    Wide {
        id: Uuid,
        spelling: Option<Spelling>,
    },
    Object {
        seconds: u32,
        id: u128,
        spelling: Option<Spelling>,
    },
    /// 40 or 64 hexadecimal digits.
    Digest,
    Integer(i128),
    No,
}

impl Parsed {
    /// The id as a number, which is the same in every spelling.
    pub(crate) fn id(&self) -> Option<u128> {
        match self {
            Parsed::Wide { id, .. } => Some(id.as_u128()),
            Parsed::Object { id, .. } => Some(*id),
            Parsed::Integer(number) => Some(*number as u128),
            Parsed::Digest | Parsed::No => None,
        }
    }

    pub(crate) fn spelling(&self) -> Option<Spelling> {
        match self {
            Parsed::Wide { spelling, .. } | Parsed::Object { spelling, .. } => *spelling,
            Parsed::Digest | Parsed::Integer(_) | Parsed::No => None,
        }
    }
}

pub(crate) fn parse(value: &Value) -> Parsed {
    match value {
        Value::Null => Parsed::No,
        Value::Int(number) => Parsed::Integer(*number),
        Value::Text(text) => parse_text(text),
        Value::Bytes(bytes) => match <[u8; 16]>::try_from(&bytes[..]) {
            Ok(bytes) => Parsed::Wide { id: Uuid::from_bytes(bytes), spelling: None },
            Err(_) if bytes.len() == 12 => object(bytes, None),
            // Texts in a column of bytes, which may be padded with zeros.
            Err(_) => match str::from_utf8(bytes).map(|text| text.trim_end_matches('\0')) {
                Ok(text) if text.len() >= 22 => parse_text(text),
                _ => Parsed::No,
            },
        },
    }
}

fn object(bytes: &[u8], spelling: Option<Spelling>) -> Parsed {
    let number = bytes.iter().fold(0_u128, |number, &byte| number << 8 | u128::from(byte));
    Parsed::Object { seconds: (number >> 64) as u32, id: number, spelling }
}

fn parse_text(text: &str) -> Parsed {
    let case = || {
        let (lower, upper) =
            (text.bytes().any(|b| b.is_ascii_lowercase()), text.bytes().any(|b| b.is_ascii_uppercase()));
        match (lower, upper) {
            (false, false) => Case::None,
            (true, false) => Case::Lower,
            (false, true) => Case::Upper,
            (true, true) => Case::Mixed,
        }
    };
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if matches!(text.len(), 40 | 64) && is_hexadecimal {
        return Parsed::Digest;
    }
    if text.len() == 24 && is_hexadecimal {
        let digit = |byte: u8| (byte as char).to_digit(16).unwrap_or(0) as u8;
        let bytes: Vec<u8> =
            text.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect();
        return object(&bytes, Some(Spelling { format: "hexadecimal", case: case() }));
    }
    match Format::decode_any(text) {
        // Leading zeros and 128 bits are no integers that a program counts.
        Ok((Format::Int, id)) => match i128::try_from(id.as_u128()) {
            Ok(number) if number <= i128::from(u64::MAX) => Parsed::Integer(number),
            _ => Parsed::No,
        },
        Ok((format, id)) => {
            let case = match format {
                Format::Base64 | Format::Base64Url | Format::Ordered64 => Case::None,
                // The letters of `urn:uuid:` say nothing about the digits.
                Format::Urn => Case::None,
                _ => case(),
            };
            // A text of base64 without + and / is also one of base64url.
            let format = if format == Format::Base64Url { Format::Base64 } else { format };
            Parsed::Wide { id, spelling: Some(Spelling { format: format.name(), case }) }
        }
        Err(_) => Parsed::No,
    }
}

const SECOND: i64 = 1_000;
const YEAR: i64 = 365 * 24 * 3_600 * SECOND;
/// 2005-01-01: where only a pattern shows the kind, older times are chance.
const EARLIEST: i64 = 1_104_537_600 * SECOND;
/// The epochs of Twitter and of Discord; the earlier one comes first.
const TWITTER: i64 = 1_288_834_974_657;

/// A value that was read as one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) kind: Kind,
    /// The time in the id, in milliseconds since 1970.
    pub(crate) time: Option<i64>,
}

impl Reading {
    const fn timeless(kind: Kind) -> Reading {
        Reading { kind, time: None }
    }

    const fn timed(kind: Kind, time: i64) -> Reading {
        Reading { kind, time: Some(time) }
    }
}

/// The kind of each value of a column.
pub(crate) fn classify(parsed: &[Parsed], now: i64) -> Vec<Reading> {
    let mut readings: Vec<Vec<Reading>> = parsed.iter().map(|parsed| readings(parsed, now)).collect();
    without_chance_ulids(&mut readings);
    let mut support: BTreeMap<Kind, usize> = BTreeMap::new();
    for reading in readings.iter().flatten() {
        *support.entry(reading.kind).or_default() += 1;
    }
    // With equal support, the first reading counts.
    let best = |readings: Vec<Reading>| {
        let most = readings.iter().map(|reading| support[&reading.kind]).max().unwrap_or(0);
        let found = readings.into_iter().find(|reading| support[&reading.kind] == most);
        found.unwrap_or(Reading::timeless(Kind::NotAnId))
    };
    let chosen: Vec<Reading> = readings.into_iter().map(best).collect();
    plausible(chosen, parsed)
}

/// Seven of eight ULIDs show no version, and one in 64 shows a given one. So among ids that show a version, only as many
/// are ULIDs as that: otherwise the version is meant.
fn without_chance_ulids(readings: &mut [Vec<Reading>]) {
    // What variant and version say is the first reading, or the last one if they say nothing.
    let of_bits = |found: &[Reading]| match found.last() {
        Some(Reading { kind: Kind::Other128, .. }) => Kind::Other128,
        _ => found[0].kind,
    };
    let mut ulids: BTreeMap<Kind, usize> = BTreeMap::new();
    let fits_ulid = |readings: &Vec<Reading>| readings.iter().any(|reading| reading.kind == Kind::Ulid);
    for found in readings.iter().filter(|found| fits_ulid(found)) {
        *ulids.entry(of_bits(found)).or_default() += 1;
    }
    // The texts of ULIDs have no other reading.
    let of = |kind| ulids.get(&kind).copied().unwrap_or(0);
    let unversioned = of(Kind::Other128) + of(Kind::Ulid);
    for found in readings {
        let kind = of_bits(found);
        // 56 = 64 * 7 / 8; four times as many as expected are still chance.
        if !matches!(kind, Kind::Other128 | Kind::Ulid) && of(kind) * 56 > unversioned * 4 {
            found.retain(|reading| reading.kind != Kind::Ulid);
        }
    }
}

/// What only a pattern shows needs a column that follows it: otherwise it is chance.
fn plausible(mut chosen: Vec<Reading>, parsed: &[Parsed]) -> Vec<Reading> {
    let count = |kinds: &[Kind]| chosen.iter().filter(|reading| kinds.contains(&reading.kind)).count();
    let wide = parsed.iter().filter(|parsed| matches!(parsed, Parsed::Wide { .. })).count();
    // One random id in 1,600 could be a swapped version 1.
    let few_v1 = count(&[Kind::V1, Kind::V1Swapped]) * 20 < wide;
    let few_ulids = count(&[Kind::Ulid]) * 20 < wide;
    let large =
        parsed.iter().filter(|parsed| matches!(parsed, Parsed::Integer(n) if !(0..1 << 40).contains(n)));
    let large = large.count();
    let few_flakes = count(&[Kind::Snowflake]) * 20 < large * 19;
    let few_seconds = count(&[Kind::Seconds64]) * 20 < large * 19;
    for (reading, parsed) in chosen.iter_mut().zip(parsed) {
        let fallback = match (reading.kind, parsed) {
            (Kind::V1Swapped, Parsed::Wide { id, .. }) if few_v1 => of_version(id),
            (Kind::Ulid, Parsed::Wide { id, spelling })
                if few_ulids && spelling.is_none_or(|s| s.format != "base32") =>
            {
                of_version(id)
            }
            (Kind::Snowflake, _) if few_flakes => Reading::timeless(Kind::OtherInteger),
            (Kind::Seconds64, _) if few_seconds => Reading::timeless(Kind::OtherInteger),
            _ => continue,
        };
        *reading = fallback;
    }
    chosen
}

/// What the variant and the version say.
fn of_version(id: &Uuid) -> Reading {
    let seen = inspect_uuid(*id);
    let time = seen.timestamp.map(|time| time.unix_millis());
    let kind = match seen.nature {
        Nature::Nil => Kind::Nil,
        Nature::Max => Kind::Max,
        Nature::V1 => Kind::V1,
        Nature::V4 => Kind::V4,
        Nature::V6 => Kind::V6,
        Nature::V7 => Kind::V7,
        Nature::V8 => Kind::V8,
        Nature::OtherVersion if matches!(seen.version, Some(2 | 3 | 5)) => Kind::OtherUuid,
        _ => Kind::Other128,
    };
    Reading { kind, time }
}

/// All that a value could be, the more certain first.
fn readings(parsed: &Parsed, now: i64) -> Vec<Reading> {
    let soon = now.saturating_add(YEAR);
    match *parsed {
        Parsed::Wide { id, spelling } => {
            let of_bits = of_version(&id);
            let mut found = vec![of_bits];
            if matches!(of_bits.kind, Kind::Nil | Kind::Max) {
                return found;
            }
            // The bytes of a swapped version 1 begin with its version; a text has them only by a mistake.
            let bytes = id.as_bytes();
            if bytes[0] >> 4 == 1 && spelling.is_none() {
                let plain = [&bytes[4..8], &bytes[2..4], &bytes[..2], &bytes[8..]].concat();
                let plain = Uuid::from_slice(&plain).map(|plain| of_version(&plain));
                if let Ok(Reading { kind: Kind::V1, time: Some(time) }) = plain
                    && (EARLIEST..soon).contains(&time)
                {
                    found.push(Reading::timed(Kind::V1Swapped, time));
                }
            }
            let millis = (id.as_u128() >> 80) as i64;
            if (EARLIEST..soon).contains(&millis) {
                found.push(Reading::timed(Kind::Ulid, millis));
            }
            // A layout that fits says more than none.
            if of_bits.kind == Kind::Other128 {
                found.rotate_left(1);
            }
            let is_ulid_text = spelling.is_some_and(|spelling| spelling.format == "base32");
            if is_ulid_text && of_bits.kind == Kind::Other128 {
                found = vec![Reading::timed(Kind::Ulid, millis)];
            }
            found
        }
        Parsed::Object { seconds, .. } => {
            let time = i64::from(seconds) * SECOND;
            match (EARLIEST..soon).contains(&time) {
                true => vec![Reading::timed(Kind::ObjectId, time)],
                false => vec![Reading::timeless(Kind::NotAnId)],
            }
        }
        Parsed::Integer(number) if (0..1 << 40).contains(&number) => vec![Reading::timeless(Kind::Counted)],
        Parsed::Integer(number) => {
            // In a signed column, ids from 2^63 on are negative.
            let bits = number as u64;
            let seconds = (bits >> 32) as i64 * SECOND;
            let millis = (bits >> 22) as i64 + TWITTER;
            if (EARLIEST..soon).contains(&seconds) {
                vec![Reading::timed(Kind::Seconds64, seconds)]
            } else if bits >= 1 << 50 && millis < soon {
                vec![Reading::timed(Kind::Snowflake, millis)]
            } else {
                vec![Reading::timeless(Kind::OtherInteger)]
            }
        }
        Parsed::Digest => vec![Reading::timeless(Kind::Digest)],
        Parsed::No => vec![Reading::timeless(Kind::NotAnId)],
    }
}
