//! Ids of many makers, as their libraries write them, at given times.

use idgen::Uuid;
use idgen::codec::Format;

/// Characters of base62 in the order of ASCII.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE64_URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE36: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Random characters of an alphabet.
pub fn random(rng: &mut fastrand::Rng, alphabet: &[u8], length: usize) -> String {
    (0..length).map(|_| alphabet[rng.usize(..alphabet.len())] as char).collect()
}

/// Random bytes behind the first ones, as digits of an alphabet: the most significant first.
fn digits(bytes: &[u8], alphabet: &[u8], length: usize) -> String {
    let mut number = bytes.to_vec();
    let mut text = vec![alphabet[0]; length];
    for place in text.iter_mut().rev() {
        let mut rest = 0_usize;
        for byte in &mut number {
            rest = rest << 8 | usize::from(*byte);
            *byte = (rest / alphabet.len()) as u8;
            rest %= alphabet.len();
        }
        *place = alphabet[rest];
    }
    String::from_utf8(text).unwrap()
}

fn bytes<const N: usize>(rng: &mut fastrand::Rng) -> [u8; N] {
    std::array::from_fn(|_| rng.u8(..))
}

pub fn v7(rng: &mut fastrand::Rng, millis: i64) -> Uuid {
    let random = rng.u128(..) & !(0xf << 76 | 3 << 62) & ((1 << 80) - 1);
    Uuid::from_u128((millis as u128) << 80 | random | 7 << 76 | 2 << 62)
}

pub fn v4(rng: &mut fastrand::Rng) -> Uuid {
    Uuid::from_u128(rng.u128(..) & !(0xf << 76 | 3 << 62) | 4 << 76 | 2 << 62)
}

/// An id of each maker at this time.
pub fn of(kind: &str, rng: &mut fastrand::Rng, millis: i64) -> String {
    let seconds = (millis / 1_000) as u32;
    let since = |epoch: i64, shift: u32| ((millis - epoch) << shift) as u64;
    match kind {
        "ksuid" => {
            let head = (seconds - 1_400_000_000).to_be_bytes();
            digits(&[&head[..], &bytes::<16>(rng)].concat(), BASE62, 27)
        }
        "nanoid" => random(rng, BASE64_URL, 21),
        "cuid2" => random(rng, &BASE36[10..], 1) + &random(rng, BASE36, 23),
        "cuid" => {
            format!("c{}{}", digits(&(millis as u64).to_be_bytes(), BASE36, 8), random(rng, BASE36, 16))
        }
        "xid" => {
            let id = [&seconds.to_be_bytes()[..], &[7, 7, 7, 1, 1], &bytes::<3>(rng)].concat();
            // 12 bytes and four bits more.
            let number = id.iter().fold(0_u128, |number, &byte| number << 8 | u128::from(byte)) << 4;
            digits(&number.to_be_bytes(), &BASE36[..32], 20)
        }
        "typeid" => {
            let mut buffer = [0; Format::MAX_LEN];
            let id = v7(rng, millis);
            format!(
                "user_{}",
                String::from_utf8_lossy(Format::Base32.encode(&id, &mut buffer)).to_lowercase()
            )
        }
        "ulid" => {
            let id = Uuid::from_u128((millis as u128) << 80 | rng.u128(..1 << 80));
            let mut buffer = [0; Format::MAX_LEN];
            String::from_utf8_lossy(Format::Base32.encode(&id, &mut buffer)).into_owned()
        }
        "tsid" => {
            let id = since(1_577_836_800_000, 22) | rng.u64(..1 << 22);
            digits(&id.to_be_bytes(), CROCKFORD, 13)
        }
        "objectid" => {
            format!("{seconds:08x}{}{}", "a1b2c3d4e5", random(rng, &BASE36[..16], 6))
        }
        "padded" => {
            let mut buffer = [0; Format::MAX_LEN];
            let id = v4(rng);
            String::from_utf8_lossy(Format::Base64.encode(&id, &mut buffer)).into_owned() + "=="
        }
        "stripe" => format!("cus_{}", random(rng, BASE62, 14)),
        "short" => random(rng, BASE64_URL, 11),
        "base62" => random(rng, BASE62, 22),
        "hash" => random(rng, &BASE36[..16], 32),
        "word" => {
            let syllables = ["ba", "ke", "lo", "mu", "ni", "po", "ra", "se", "ti", "vu"];
            (0..7).map(|_| syllables[rng.usize(..10)]).collect()
        }
        "bcrypt" => format!("$2b$12${}", random(rng, BASE64_URL, 53).replace(['-', '_'], ".")),
        "twitter" => (since(1_288_834_974_657, 22) | 5 << 12).to_string(),
        "discord" => (since(1_420_070_400_000, 22) | 3 << 17 | rng.u64(..4)).to_string(),
        "seconds" => (millis / 1_000).to_string(),
        "millis" => millis.to_string(),
        "micros" => (millis * 1_000 + rng.i64(0..1_000)).to_string(),
        "nanos" => (millis * 1_000_000 + rng.i64(0..1_000_000)).to_string(),
        "signed" => rng.i64(..).to_string(),
        other => panic!("no such kind: {other}"),
    }
}
