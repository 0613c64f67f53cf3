//! The codecs against reference values: those of a MySQL 9.7 server and of RFC 9562.

use idgen::Uuid;
use idgen::codec::{Format, base64, hyphenated, simple, swapped};
use serde_json::Value;

fn vectors(name: &str) -> Value {
    let path = format!("{}/tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).expect("the vectors are there")).expect("and are JSON")
}

fn text<'a>(vector: &'a Value, field: &str) -> &'a str {
    vector[field].as_str().expect("a text")
}

#[test]
fn binary_and_base64_forms_are_those_of_mysql() {
    let vectors = vectors("mysql-9.7.json");
    let codec = vectors["codec"].as_array().unwrap();
    assert!(codec.len() > 50);
    for vector in codec {
        let id = hyphenated::decode(text(vector, "uuid")).unwrap();
        assert_eq!(hyphenated::encode(&id, &mut [0; hyphenated::LEN]), text(vector, "uuid"));
        assert_eq!(base64::encode(&id, &mut [0; base64::LEN]), text(vector, "base64"));
        assert_eq!(base64::decode(text(vector, "base64")), Ok(id));
        assert_eq!(simple::encode(&id, &mut [0; simple::LEN]), text(vector, "bin"));
        let plain = simple::decode(text(vector, "bin")).unwrap();
        assert_eq!(Format::Binary.decode(plain.into_bytes()), Ok(id));
        assert_eq!(Format::Binary.encode(&id, &mut [0; Format::MAX_LEN]), plain.as_bytes());
        let bin_swapped = simple::decode(text(vector, "bin_swapped")).unwrap().into_bytes();
        assert_eq!(swapped::to_bytes(&id), bin_swapped);
        assert_eq!(swapped::from_bytes(bin_swapped), id);
        assert_eq!(Format::Swapped.decode(bin_swapped), Ok(id));
    }
}

#[test]
fn the_formats_of_mysql_are_accepted_as_is_uuid_accepts_them() {
    let vectors = vectors("mysql-9.7.json");
    let cases = vectors["is_uuid"].as_array().unwrap();
    assert!(
        cases.iter().any(|case| case["mysql"] == true) && cases.iter().any(|case| case["mysql"] == false)
    );
    for case in cases {
        let input = text(case, "text");
        let ours = [hyphenated::decode(input), simple::decode(input), Format::Braced.decode(input)];
        assert_eq!(ours.iter().any(Result::is_ok), case["mysql"] == true, "{input}");
    }
}

#[test]
fn the_examples_of_rfc_9562_survive_every_format() {
    let vectors = vectors("rfc9562.json");
    let examples = vectors["vectors"].as_array().unwrap();
    assert_eq!(examples.len(), 5);
    for example in examples {
        let id: Uuid = text(example, "uuid").parse().unwrap();
        assert_eq!(hyphenated::encode(&id, &mut [0; hyphenated::LEN]), text(example, "uuid"));
        for &format in Format::ALL {
            assert_eq!(format.decode(format.encode(&id, &mut [0; Format::MAX_LEN])), Ok(id), "{format}");
        }
    }
}
