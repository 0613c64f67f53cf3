//! Parts of serde that the documentation tests do not cover: options, strictness and binary formats.
#![cfg(feature = "serde")]

use idgen::{ShortId, Uuid};
use serde::de::value::{BytesDeserializer, Error, U64Deserializer};
use serde::de::{Deserialize, IntoDeserializer};

macro_rules! rows {
    ($($test:ident, $with:literal;)*) => {$(
        #[test]
        fn $test() {
            #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
            struct Row {
                #[serde(with = $with)]
                id: Uuid,
                #[serde(with = $with)]
                other: Option<Uuid>,
            }
            let id = Uuid::from_u128(0x6ccd780c_baba_1026_9564_5b8c656024db);
            for other in [None, Some(Uuid::max())] {
                let row = Row { id, other };
                let json = serde_json::to_string(&row).unwrap();
                assert_eq!(json.contains("null"), other.is_none());
                assert_eq!(serde_json::from_str::<Row>(&json).unwrap(), row);
                // Without borrowing from the input, too.
                assert_eq!(serde_json::from_reader::<_, Row>(json.as_bytes()).unwrap(), row);
            }
            for bad in ["\"\"", "7", "[1,2]", "\"ffffffff-ffff-ffff-ffff-ffffffffffffff\"", "null"] {
                let json = format!("{{\"id\":{bad},\"other\":null}}");
                assert!(serde_json::from_str::<Row>(&json).is_err(), "{json}");
            }
        }
    )*};
}

rows! {
    numbers, "idgen::serde::numbers";
    hyphenated, "idgen::serde::hyphenated";
    simple, "idgen::serde::simple";
    urn, "idgen::serde::urn";
    braced, "idgen::serde::braced";
    base64, "idgen::serde::base64";
    base64url, "idgen::serde::base64url";
    ordered64, "idgen::serde::ordered64";
    base32, "idgen::serde::base32";
    base32hex, "idgen::serde::base32hex";
    base32human, "idgen::serde::base32human";
    int, "idgen::serde::int";
    binary, "idgen::serde::binary";
    swapped, "idgen::serde::swapped";
}

#[test]
fn binary_formats_contain_bytes() {
    let bytes = *b"LLLLMMHHrest....";
    let read = |input: &[u8]| -> Result<Uuid, Error> {
        let input: BytesDeserializer<'_, Error> = input.into_deserializer();
        idgen::serde::swapped::deserialize(input)
    };
    assert_eq!(read(b"HHMMLLLLrest....").unwrap().into_bytes(), bytes);
    assert!(read(b"short").is_err_and(|error| error.to_string().contains("found 5")));
    let seventeen = serde_json::to_string(&[0; 17]).unwrap();
    let mut json = serde_json::Deserializer::from_str(&seventeen);
    assert!(idgen::serde::binary::deserialize::<Uuid, _>(&mut json).is_err());
}

#[test]
fn short_ids_keep_all_64_bits() {
    for number in [0, (1 << 53) + 1, u64::MAX] {
        let id = ShortId::new(number);
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(json, format!("\"{number}\""));
        assert_eq!(serde_json::from_str::<ShortId>(&json).unwrap(), id);
        assert_eq!(serde_json::from_str::<ShortId>(&number.to_string()).unwrap(), id);
        let input: U64Deserializer<Error> = number.into_deserializer();
        assert_eq!(ShortId::deserialize(input).unwrap(), id);
    }
    for bad in ["\"18446744073709551616\"", "18446744073709551616", "\"+1\"", "true", "[]"] {
        assert!(serde_json::from_str::<ShortId>(bad).is_err(), "{bad}");
    }
}

/// YAML has no bytes: the byte strings of `binary` are refused there, and the numbers are a list.
#[test]
fn numbers_in_yaml() {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Numbers(#[serde(with = "idgen::serde::numbers")] Uuid);
    #[derive(serde::Serialize)]
    struct Binary(#[serde(with = "idgen::serde::binary")] Uuid);
    let id = Uuid::from_u128(0x6ccd780c_baba_1026_9564_5b8c656024db);
    let yaml = serde_yaml_ng::to_string(&Numbers(id)).unwrap();
    assert!(yaml.starts_with("- 108\n- 205\n"), "{yaml}");
    assert_eq!(serde_yaml_ng::from_str::<Numbers>(&yaml).unwrap().0, id);
    assert!(serde_yaml_ng::from_str::<Numbers>(&yaml.replace("- 205\n", "")).is_err());
    assert!(serde_yaml_ng::to_string(&Binary(id)).is_err());
}
