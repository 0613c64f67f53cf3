//! The vectors that all implementations share: `tests/vectors/README.md` describes the files.
//!
//! Each file is computed again here, and the test fails if it differs. If a change is intended, the environment variable
//! `IDGEN_WRITE_VECTORS=1` writes the files instead.

mod shared;

use serde_json::{Value, json};
use shared::{bounds, codecs, generators, inspections, kinds, leases, replay, seals, states};

/// Compares a file with its content as computed now, or writes it.
fn check(name: &str, computed: &Value) {
    let path = format!("{}/tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("IDGEN_WRITE_VECTORS").is_some() {
        let text = serde_json::to_string_pretty(computed).expect("a value has a text");
        std::fs::write(&path, text + "\n").expect("the file can be written");
    }
    let text = std::fs::read(&path).expect("the vectors are there");
    let file: Value = serde_json::from_slice(&text).expect("and are JSON");
    let (file, computed) = (entries(&file), entries(computed));
    for (file, computed) in file.iter().zip(&computed) {
        assert_eq!(file, computed, "{name}: set IDGEN_WRITE_VECTORS=1 to write the file again");
    }
    assert_eq!(file.len(), computed.len(), "{name} has another number of vectors");
}

/// The vectors of all lists of a file, so that a difference names the vector.
fn entries(file: &Value) -> Vec<(&String, &Value)> {
    let lists = file.as_object().expect("an object of lists");
    lists
        .iter()
        .flat_map(|(list, vectors)| vectors.as_array().expect("a list").iter().map(move |v| (list, v)))
        .collect()
}

#[test]
fn table_of_kinds() {
    check("kinds.json", &kinds::vectors());
}

#[test]
fn generators() {
    let cases: Vec<Value> = generators::cases().into_iter().map(replay::complete).collect();
    check("generators.json", &json!({ "generators": cases }));
}

#[test]
fn codecs() {
    check("codecs.json", &codecs::vectors());
}

#[test]
fn inspections() {
    check("inspections.json", &inspections::vectors());
}

#[test]
fn seals() {
    check("seals.json", &seals::vectors());
}

#[test]
fn states() {
    check("states.json", &states::vectors());
}

#[test]
fn bounds_of_times() {
    check("bounds.json", &bounds::vectors());
}

#[test]
fn leases_of_devices() {
    check("leases.json", &leases::vectors());
}

/// Checks, by the meaning of a lease alone and without the generator, that each id has the number and a second of its
/// lease.
#[test]
fn each_id_is_of_its_lease() {
    let file = leases::vectors();
    let mut ids = 0;
    for case in file["generators"].as_array().expect("generators") {
        let mut lease = None;
        for step in case["steps"].as_array().expect("steps") {
            lease = step.get("lease").and_then(leases::of_step).or(lease);
            for id in step["ids"].as_array().into_iter().flatten() {
                let Some((number, begin, end)) = lease else { continue };
                let id: u64 = replay::number(id);
                assert_eq!(id >> 16 & 0xFFFF, number, "{step}");
                assert!((begin..=end).contains(&(id >> 32)), "{step}");
                ids += 1;
            }
        }
    }
    assert!(ids > 50, "{ids}");
}
