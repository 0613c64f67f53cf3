//! The library against the vectors of the standards, which an implementation in Python computes.

use idgen::Uuid;
use idgen::codec::{Format, guid, java_legacy, order, swapped};
use serde_json::Value;

fn vectors(name: &str) -> Value {
    let path = format!("{}/tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).expect("the vectors are there")).expect("and are JSON")
}

fn text<'a>(vector: &'a Value, field: &str) -> &'a str {
    vector[field].as_str().expect("a text")
}

fn list<'a>(vectors: &'a Value, field: &str) -> &'a [Value] {
    vectors[field].as_array().expect("a list")
}

#[test]
fn encodings_are_those_of_the_standards() {
    let vectors = vectors("encodings.json");
    for vector in list(&vectors, "valid") {
        let id: Uuid = text(vector, "uuid").parse().unwrap();
        for name in ["base32", "base32hex", "base32human", "base64", "base64url", "base64sort"] {
            let format: Format = name.parse().unwrap();
            assert_eq!(
                format.encode(&id, &mut [0; Format::MAX_LEN]),
                text(vector, name).as_bytes(),
                "{name}"
            );
            assert_eq!(format.decode(text(vector, name)), Ok(id), "{name}");
        }
    }
    for vector in list(&vectors, "invalid") {
        let format: Format = text(vector, "format").parse().unwrap();
        let error = format.decode(text(vector, "text")).expect_err(text(vector, "text"));
        assert!(error.is_parse());
        assert_eq!(error.offset().map(|at| at as u64), vector["offset"].as_u64(), "{vector}: {error}");
    }
}

#[test]
fn orders_are_those_of_the_databases() {
    for vector in list(&vectors("orders.json"), "orders") {
        let id: Uuid = text(vector, "uuid").parse().unwrap();
        let bytes = |field: &str| vector[field].as_str().map(|hex| hex.parse::<Uuid>().unwrap().into_bytes());
        assert_eq!(Some(guid::to_bytes(&id)), bytes("guid"));
        assert_eq!(Some(swapped::to_bytes(&id)), bytes("mysql_swapped"));
        assert_eq!(Some(order::sql_server(&id)), bytes("sql_server"));
        assert_eq!(Some(order::clickhouse(&id)), bytes("clickhouse"));
        assert_eq!(order::mariadb(&id), bytes("mariadb"), "{id}");
        assert_eq!(Some(java_legacy::to_bytes(&id)), bytes("java_legacy"));
        let is_v1 = id.get_version_num() == 1;
        assert_eq!(is_v1.then(|| order::timeuuid(&id)), bytes("timeuuid"), "{id}");
    }
}

#[test]
fn the_examples_of_the_rfc_have_the_fields_of_their_layouts() {
    let vectors = vectors("layouts.json");
    assert_eq!(list(&vectors, "examples").len(), 8);
    for example in list(&vectors, "examples") {
        let id: Uuid = text(example, "uuid").parse().unwrap();
        let layout = list(&vectors, "layouts")
            .iter()
            .find(|layout| layout["version"] == id.get_version_num())
            .expect("a layout of the version");
        let mut covered = 0;
        for field in list(layout, "fields") {
            let (first, bits) = (field["first_bit"].as_u64().unwrap(), field["bits"].as_u64().unwrap());
            assert_eq!(covered, first, "fields follow each other");
            covered += bits;
            let value = id.as_u128() << first >> (128 - bits);
            let expected = match &example["fields"][text(field, "name")] {
                Value::String(hex) => u128::from_str_radix(hex, 16).unwrap(),
                _ => field["value"].as_u64().expect("a mark has a value").into(),
            };
            assert_eq!(value, expected, "{} of {id}", text(field, "name"));
        }
        assert_eq!(covered, 128);
        if let Some(time) = idgen::inspect_uuid(id).timestamp {
            assert_eq!(time.to_string(), "2022-02-22T19:22:22Z");
        }
    }
}
