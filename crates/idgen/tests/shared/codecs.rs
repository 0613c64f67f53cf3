//! The content of `codecs.json`: valid and invalid texts of each format.

use idgen::codec::Format;
use idgen::{ShortId, Uuid};
use serde_json::{Map, Value, json};

use super::{category, hex};

pub fn vectors() -> Value {
    json!({ "ids": ids(), "accepted": accepted(), "refused": refused(), "detected": detected(), "short": short() })
}

/// Ids whose texts use all digits of each alphabet, in all places.
fn samples() -> Vec<Uuid> {
    let named = [
        "6ccd780c-baba-1026-9564-5b8c656024db",
        "01563e3a-b5d3-d676-4c61-efb99302bd5b",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "00000000-0000-0000-0000-000000000001",
        "80000000-0000-0000-0000-000000000000",
        "00000000-0000-0000-ffff-ffffffffffff",
        "00000000-0000-0001-0000-000000000000",
    ];
    let named = named.into_iter().map(|text| text.parse().expect("an id"));
    // All differences of 6 bits from one id to the next, in each place.
    let mixed = (0u128..64).map(|i| {
        let bits = (0..22).fold(0u128, |bits, place| bits << 6 | (i + place * 3) & 0x3F);
        Uuid::from_u128(bits ^ i << 126)
    });
    named.chain(mixed).collect()
}

/// The formats that each language has. The others are in `encodings.json`.
fn formats() -> impl Iterator<Item = Format> {
    let named_only = [Format::Base32Hex, Format::Base32Human];
    Format::ALL.iter().copied().filter(move |format| !named_only.contains(format))
}

/// A text, or the bytes in hexadecimal where the format is binary.
fn written(format: Format, bytes: &[u8]) -> String {
    if format.is_text() { String::from_utf8(bytes.to_vec()).expect("ASCII") } else { hex(bytes) }
}

fn ids() -> Vec<Value> {
    let forms = |id: Uuid| {
        let mut buffer = [0; Format::MAX_LEN];
        let forms = formats().map(|format| {
            (format.name().to_owned(), json!(written(format, format.encode(&id, &mut buffer))))
        });
        Value::Object(forms.collect::<Map<_, _>>())
    };
    samples().into_iter().map(forms).collect()
}

/// Texts that decoders accept although no encoder writes them: the other case.
fn accepted() -> Vec<Value> {
    let texts = [
        (Format::Hyphenated, "6CCD780C-BABA-1026-9564-5B8C656024DB"),
        (Format::Hyphenated, "6cCd780C-BaBa-1026-9564-5b8c656024dB"),
        (Format::Simple, "6CCD780CBABA102695645B8C656024DB"),
        (Format::Urn, "urn:uuid:6CCD780C-baba-1026-9564-5B8C656024DB"),
        (Format::Braced, "{6CCD780C-BABA-1026-9564-5B8C656024DB}"),
        (Format::Base32, "3csnw0sent20k9as2vhhjp096v"),
        (Format::Base32, "7ZzZzZzZzZzZzZzZzZzZzZzZzZ"),
    ];
    let id = |(format, text): (Format, &str)| {
        let id = format.decode(text).expect("it is valid");
        json!({ "format": format.name(), "text": text, "id": id.to_string() })
    };
    texts.into_iter().map(id).collect()
}

/// The valid text of each format with one thing wrong.
fn refused() -> Vec<Value> {
    let id: Uuid = "6ccd780c-baba-1026-9564-5b8c656024db".parse().expect("an id");
    let mut wrong: Vec<(&str, String)> = Vec::new();
    for format in formats().filter(|format| format.is_text()) {
        let text = written(format, format.encode(&id, &mut [0; Format::MAX_LEN]));
        let lengths = [String::new(), text[1..].to_owned(), format!("{text}{}", &text[..1]), text.repeat(3)];
        let around = [format!(" {text}"), format!("{text} "), format!("{text}\n"), format!("{text}==")];
        wrong.extend(lengths.into_iter().chain(around).map(|text| (format.name(), text)));
        // Some places with a character of no alphabet, with one of another alphabet, and with one of two or three bytes.
        for place in (0..text.len()).filter(|place| place % 5 == 0 || *place + 2 >= text.len()) {
            for bad in ["!", "u", "_", "+", "-", "\u{0}", "é", "\u{2010}"] {
                wrong.push((format.name(), format!("{}{bad}{}", &text[..place], &text[place + 1..])));
            }
        }
    }
    let own = [
        ("hyphenated", "6ccd780cbaba-1026-9564-5b8c-656024db"),
        ("hyphenated", "6ccd780c–baba–1026–9564–5b8c656024db"),
        ("hyphenated", "\u{feff}6ccd780c-baba-1026-9564-5b8c656024db"),
        ("hyphenated", "\u{feff}6ccd780c–baba–1026–9564–5b8c656024db"),
        ("hyphenated", "\u{200b}6ccd780c-baba-1026-9564-5b8c656024db"),
        ("simple", "6ccd780cbaba\u{ad}102695645b8c656024db"),
        ("simple", "\u{a0}6ccd780cbabae\u{301}02695645b8c656024db\u{2028}"),
        ("base64", "\u{feff}bM14DLq6ECaVZFuMZWAk2w"),
        ("urn", "URN:UUID:6ccd780c-baba-1026-9564-5b8c656024db"),
        ("urn", "urn:uid::6ccd780c-baba-1026-9564-5b8c656024db"),
        ("braced", "(6ccd780c-baba-1026-9564-5b8c656024db)"),
        ("braced", "{6ccd780c-baba-1026-9564-5b8c656024db]"),
        ("base64", "bM14DLq6ECaVZFuMZWAk2x"),
        ("base64url", "bM14DLq6ECaVZFuMZWAk2-"),
        ("ordered64", "QBps2Aeu31PKO4iBOL-Zql"),
        ("base32", "8CSNW0SENT20K9AS2VHHJP096V"),
        ("base32", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ"),
        ("base32", "3CSNW0SENT20K9AS2VHHJP096I"),
        ("base32", "3CSNW0SENT20K9AS2VHHJP096L"),
        ("base32", "3CSNW0SENT20K9AS2VHHJP096O"),
        ("base32", "3CSNW0SENT20K9AS2VHHJP096U"),
        ("int", "+1"),
        ("int", "-1"),
        ("int", "00"),
        ("int", "007"),
        ("int", "1e3"),
        ("int", "0x10"),
        ("int", "1_000"),
        ("int", "\u{feff}1000000000000000000000000000000000000000000000000000000000000000000"),
        ("int", "٣"),
        ("int", "340282366920938463463374607431768211456"),
        ("int", "999999999999999999999999999999999999999"),
        ("int", "1000000000000000000000000000000000000000"),
    ];
    let own = own.map(|(format, text)| (format, text.to_owned()));
    wrong.into_iter().chain(own).filter_map(|(format, text)| refusal(format, &text)).collect()
}

/// Returns the refusal of a text by the decoder of a format; `None` if the decoder accepts the text.
fn refusal(name: &str, text: &str) -> Option<Value> {
    let error = name.parse::<Format>().expect("a format").decode(text).err()?;
    assert_eq!(category(&error), "parse");
    Some(json!({ "format": name, "text": text, "offset": error.offset(), "message": error.to_string() }))
}

fn detected() -> Vec<Value> {
    let id: Uuid = "6ccd780c-baba-1026-9564-5b8c656024db".parse().expect("an id");
    let mut texts: Vec<String> = Vec::new();
    for id in [id, Uuid::nil(), Uuid::max(), "01563e3a-b5d3-d676-4c61-efb99302bd5b".parse().expect("an id")] {
        for format in formats().filter(|format| format.is_text()) {
            texts.push(written(format, format.encode(&id, &mut [0; Format::MAX_LEN])));
        }
    }
    texts.extend(
        [
            "",
            "7",
            "no id",
            "0123456789abcdef",
            "1234567890123456",
            "02345678901234567890123456",
            "12345678901234567890123456",
            "1234567890123456789012345678901",
            "0234567890123456789012345678901",
            "123456789012345678901234567890123",
            "123456789012345678901234567890123456",
            "1234567890123456789012345678901234567",
            "82345678901234567890123456",
            "12345678901234567890123456789012",
            "1234567890123456789012",
            "bM14DLq6ECaVZFuMZWAk2x",
            "!M14DLq6ECaVZFuMZWAk2w",
            "bM14DLq6ECaVZFuMZWAk-w",
            "6ccd780c‐baba‐1026‐9564‐5b8c656024db",
            "“6ccd780c-baba-1026-9564-5b8c656024db”",
            "8CSNW0SENT20K9AS2VHHJP096V",
            "6ccd780c_baba-1026-9564-5b8c656024db",
            "(6ccd780c-baba-1026-9564-5b8c656024db)",
            "340282366920938463463374607431768211456",
        ]
        .map(String::from),
    );
    // Numbers as people and other programs write them, and blanks around them: none is read as another number.
    let id = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
    for number in ["5", "12345678901234567890123456789012", id] {
        let around = [" ", "\t", "\n", "\r\n", "\u{a0}", "\u{3000}", "\u{0}", "+", "-"];
        texts
            .extend(around.iter().flat_map(|blank| [format!("{blank}{number}"), format!("{number}{blank}")]));
    }
    let written = [
        " ",
        "\t",
        "-0",
        "05",
        "1.0",
        "1e9",
        "0x10",
        "5,000",
        "5_000",
        "１２３",
        "١٢٣",
        "²",
        "5 6",
        "nan",
        "null",
    ];
    texts.extend(written.map(String::from));
    texts.extend((20..=40).map(|digits| "1".repeat(digits)));
    let seen = |text: String| match Format::decode_any(&text) {
        Ok((format, id)) => json!({ "text": text, "format": format.name(), "id": id.to_string() }),
        Err(error) => json!({ "text": text, "offset": error.offset(), "message": error.to_string() }),
    };
    texts.into_iter().map(seen).collect()
}

/// Decimal texts of 64-bit ids.
fn short() -> Vec<Value> {
    let texts = [
        "0",
        "9",
        "10",
        "102176818768904192",
        "9007199254740991",
        "9007199254740993",
        "9223372036854775808",
        "18446744073709551615",
        "",
        "+1",
        "-1",
        "01",
        "1 ",
        " 1",
        "0x1",
        "1.0",
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        "1e9",
        "１",
        "\t1",
        "1\n",
        "\u{a0}1",
        "-0",
        "1_000",
        "11111111111111111111111111",
    ];
    let seen = |text: &str| match text.parse::<ShortId>() {
        Ok(id) => {
            let (device, mysql) = (id.device(), id.mysql());
            json!({
                "text": text,
                "device": { "unix_secs": device.unix_secs, "node": device.node, "counter": device.counter },
                "mysql": {
                    "server_id": mysql.server_id, "startup_secs": mysql.startup_secs, "counter": mysql.counter,
                },
            })
        }
        Err(error) => json!({ "text": text, "offset": error.offset(), "message": error.to_string() }),
    };
    texts.into_iter().map(seen).collect()
}
