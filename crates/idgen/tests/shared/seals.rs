//! The content of `seals.json`: ids of version 7 and their sealed forms.

use idgen::codec::typed;
use idgen::{SealKey, SealRing, Timestamp, TypeSeal, Uuid};
use serde_json::{Value, json};

use super::{failure, hex};

const SECRETS: [&[u8]; 3] = [b"a secret of at least 16 bytes", b"0123456789abcdef", &[0xf0; 100]];

/// Too short, or what is in a file of a key and is not the key.
const REFUSED: [&[u8]; 11] = [
    b"fifteen bytes..",
    b"",
    b"a secret of at least 16 bytes\n",
    b"a secret of at least 16 bytes\r\n",
    b"a secret of at least 16 bytes\n\n",
    b"aaaaaaaaaaaaaaaaaaaaaa\n",
    b"a secret of at least 16 bytes ",
    b"\xef\xbb\xbfa secret of at least 16 bytes",
    b"\xff\xfea\0 \0s\0e\0c\0r\0e\0t\0",
    b"0123456789abcdef\nfedcba9876543210\n",
    b"# of the shop\r\nIdgen Seal Ring\r\nbegin 0123456789abcdef\r\n",
];

/// Bytes that are no text, with what a file would have around them; and one byte, repeated.
const TAKEN: [&[u8]; 3] = [
    b"\xff\xfe\x81\x00\n\n\x93\xd5\x00\x01abcdefgh\n",
    b"\xef\xbb\xbf\xff\xfe\x81\x00abcdefghijkl",
    b"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
];

pub fn vectors() -> Value {
    json!({ "keys": keys(), "rings": rings(), "types": types() })
}

fn ids() -> Vec<Uuid> {
    let named = [
        "00000000-0000-7000-8000-000000000000",
        "ffffffff-ffff-7fff-bfff-ffffffffffff",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    ];
    let mixed = (1u128..20).map(|i| {
        let bits = i.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        // From 2026 to 2045, and to the year 2527 and beyond for the last ones.
        let ms = if i < 17 {
            1_795_262_400_123 + i * 37_000_000_000
        } else {
            ((1 << 44) - 18 + i) & ((1 << 48) - 1)
        };
        let id = bits & !(0xFFFF_FFFF_FFFF << 80 | 0xF << 76 | 3 << 62) | ms << 80 | 7 << 76 | 2 << 62;
        Uuid::from_u128(id)
    });
    named.map(|text| text.parse().expect("an id")).into_iter().chain(mixed).collect()
}

/// Returns the result of sealing or opening an id.
fn answer(field: &str, id: Uuid, result: idgen::Result<Uuid>) -> Value {
    match result {
        Ok(other) => {
            let other_field = if field == "id" { "sealed" } else { "id" };
            json!({ "do": if field == "id" { "seal" } else { "open" }, field: id.to_string(), other_field: other.to_string() })
        }
        Err(error) => {
            let mut answer = failure(&error);
            answer["do"] = json!(if field == "id" { "seal" } else { "open" });
            answer[field] = json!(id.to_string());
            answer
        }
    }
}

/// Ids that cannot be sealed, and ids that cannot be opened.
fn misfits(
    seal: impl Fn(Uuid) -> idgen::Result<Uuid>,
    open: impl Fn(Uuid) -> idgen::Result<Uuid>,
) -> Vec<Value> {
    let never_sealed: Uuid = "919108f7-52d1-4320-9bac-f847db4148a8".parse().expect("an id");
    let v7: Uuid = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f".parse().expect("an id");
    let other_variant: Uuid = "017f22e2-79b0-7cc3-18c4-dc0c0c07398f".parse().expect("an id");
    let mut answers: Vec<_> =
        [never_sealed, Uuid::nil(), other_variant].map(|id| answer("id", id, seal(id))).into();
    answers.extend([v7, Uuid::max(), never_sealed].map(|id| answer("sealed", id, open(id))));
    answers
}

fn keys() -> Vec<Value> {
    let key = |secret: &[u8]| match SealKey::new(secret) {
        Ok(key) => {
            let mut answers = misfits(|id| key.seal(id), |id| key.open(id));
            answers.extend(ids().into_iter().map(|id| answer("id", id, key.seal(id))));
            json!({ "secret": hex(secret), "answers": answers })
        }
        Err(error) => {
            let mut answer = failure(&error);
            answer["secret"] = json!(hex(secret));
            answer
        }
    };
    SECRETS.into_iter().chain(REFUSED).chain(TAKEN).map(key).collect()
}

/// Seals of types, with one key and with two.
fn types() -> Vec<Value> {
    const NUMBERS: [u64; 8] = [0, 1, 42, 7, u32::MAX as u64, 1 << 53, i64::MAX as u64, u64::MAX];
    let new = |secret| SealKey::new(secret).expect("a key");
    let one = SealRing::new(new(SECRETS[0]));
    let from = 1_800_000_000_000;
    let two = one.clone().and_from(Timestamp::from_unix_millis(from), new(SECRETS[1])).expect("a ring");
    let opened = |seal: &TypeSeal, sealed: Uuid| match seal.open_int(sealed) {
        Ok(number) => json!({ "do": "open_int", "sealed": sealed.to_string(), "int": number.to_string() }),
        Err(error) => {
            let mut answer = failure(&error);
            answer["do"] = json!("open_int");
            answer["sealed"] = json!(sealed.to_string());
            answer
        }
    };
    let answers = |prefix: &str, ring: &SealRing| {
        let seal = match TypeSeal::new(prefix, ring) {
            Ok(seal) => seal,
            Err(error) => return failure(&error),
        };
        let mut answers: Vec<_> = NUMBERS
            .into_iter()
            .map(|number| {
                let sealed = seal.seal_int(number);
                let text = typed::to_string(prefix, &sealed).expect("a prefix");
                json!({ "do": "seal_int", "int": number.to_string(), "sealed": sealed.to_string(), "text": text })
            })
            .collect();
        let other = TypeSeal::new("order", &one).expect("a seal");
        let changed = Uuid::from_u128(seal.seal_int(42).as_u128() ^ 1);
        answers.extend(
            [seal.seal_int(42), other.seal_int(42), changed, Uuid::max()].map(|id| opened(&seal, id)),
        );
        answers.push(opened(&seal, TypeSeal::new(prefix, &one).expect("a seal").seal_int(42)));
        answers.extend(misfits(|id| seal.seal(id), |id| seal.open(id)));
        answers.extend(ids().into_iter().take(8).map(|id| answer("id", id, seal.seal(id))));
        json!({ "answers": answers })
    };
    let rings = [(&one, &SECRETS[..1], &[][..]), (&two, &SECRETS[..2], &[from])];
    let vector = |prefix: &str| {
        rings.map(|(ring, secrets, from)| {
            let mut vector = answers(prefix, ring);
            vector["prefix"] = json!(prefix);
            vector["secrets"] = json!(secrets.iter().map(|secret| hex(secret)).collect::<Vec<_>>());
            vector["from_unix_ms"] = json!(from);
            vector
        })
    };
    ["user", "order_line", "", "User"].into_iter().flat_map(vector).collect()
}

/// Rings with the first three keys, from these times on.
fn rings() -> Vec<Value> {
    let froms: [&[i64]; 5] = [
        &[],
        &[1_800_000_000_000],
        &[1_900_000_000_000, 2_100_000_000_000],
        &[2_100_000_000_000, 1_900_000_000_000],
        &[1 << 44],
    ];
    let new = |secret| SealKey::new(secret).expect("a key");
    let ring = |from: &[i64]| {
        let first = Ok(SealRing::new(new(SECRETS[0])));
        let ring =
            from.iter().zip(&SECRETS[1..]).fold(first, |ring: idgen::Result<SealRing>, (ms, secret)| {
                ring?.and_from(Timestamp::from_unix_millis(*ms), new(secret))
            });
        let secrets: Vec<_> = SECRETS.iter().take(from.len() + 1).map(|secret| hex(secret)).collect();
        let mut vector = match ring {
            Ok(ring) => {
                let mut answers = misfits(|id| ring.seal(id), |id| ring.open(id));
                answers.extend(ids().into_iter().map(|id| answer("id", id, ring.seal(id))));
                json!({ "answers": answers })
            }
            Err(error) => failure(&error),
        };
        vector["secrets"] = json!(secrets);
        vector["from_unix_ms"] = json!(from);
        vector
    };
    froms.into_iter().map(ring).collect()
}
