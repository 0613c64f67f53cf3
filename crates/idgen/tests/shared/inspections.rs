//! The content of `inspections.json`: what texts of ids show.

use idgen::{AnyId, ForeignId, Inspection, Interval, Timestamp, foreign_numbers, foreign_texts, inspect};
use serde_json::{Map, Value, json};

use super::failure;

pub fn vectors() -> Value {
    json!({
        "inspections": TEXTS.iter().map(|text| seen(text)).collect::<Vec<_>>(),
        "keyed": keyed(),
        "foreign_texts": FOREIGN_TEXTS.iter().map(|text| json!({
            "text": text,
            "readings": readings(foreign_texts(text.as_bytes())),
        })).collect::<Vec<_>>(),
        "foreign_numbers": FOREIGN_NUMBERS.iter().map(|number| json!({
            "number": number.to_string(),
            "now": NOW.to_string(),
            "readings": readings(foreign_numbers(*number, NOW)),
        })).collect::<Vec<_>>(),
    })
}

const NOW: Timestamp = Timestamp::from_unix_secs(1_795_219_200);

const FOREIGN_TEXTS: [&str; 26] = [
    "user_01h455vb4pex5vsknk084sn02q",
    "order_line_7zzzzzzzzzzzzzzzzzzzzzzzzz",
    "user_8zzzzzzzzzzzzzzzzzzzzzzzzz",
    "0ujtsYcgvSTl8PAuAdqWYSMnLOv",
    "0ujzPyRiIAffKhBux4PvQdDqMHY",
    "aWgEPTl1tmebfsQzFP4bxwgy80V",
    "aWgEPTl1tmebfsQzFP4bxwgy80W",
    "507f1f77bcf86cd799439011",
    "507C7F79BCF86CD7994F6C0E",
    "abcdefabcdefabcdefabcdef",
    "9m4e2mr0ui3e8a215n4g",
    "c9iqk5m6ed4lbcr11bfg",
    "c9iqk5m6ed4lbcr11bfh",
    "-JhLeOlGIEjaIOFHR0xd",
    "-JhQ76OEK_848CkIFhAq",
    "01226N0640J7Q",
    "01226n0640j7q",
    "01226N0640j7q",
    "ZZZZZZZZZZZZZ",
    "tz4a98xxat96iws9zmbrgj3a",
    "pfh0haxfpzowht3oi213cqos",
    "ch72gsb320000udocl363eofy",
    "V1StGXR8_Z5jdHi6B-myT",
    "Uakgb_J5m9g-0JDMbcJqL",
    "no id",
    "",
];

const FOREIGN_NUMBERS: [u64; 10] = [
    175_928_847_299_117_063,
    80_351_110_224_678_912,
    1_541_815_603_606_036_480,
    1_212_092_628_029_698_048,
    1_387_263_000 << 23 | 1_341 << 10 | 905,
    38_352_658_567_418_872,
    (36_500 * 86_400) << 24 | 7,
    1_795_219_200 << 32,
    42,
    u64::MAX,
];

/// Kind and time of each reading.
fn readings(readings: impl Iterator<Item = ForeignId>) -> Vec<Value> {
    readings
        .map(|id| {
            let mut reading = json!({ "kind": id.kind.name() });
            if let Some(time) = id.time {
                reading["time"] = json!(time.to_string());
            }
            if let Some(uuid) = id.uuid {
                reading["uuid"] = json!(uuid.to_string());
            }
            reading
        })
        .collect()
}

const TEXTS: [&str; 26] = [
    "c232ab00-9414-11ec-b3c8-9f6bdeced846",
    "919108f7-52d1-4320-9bac-f847db4148a8",
    "1ec9414c-232a-6b00-b3c8-9f6bdeced846",
    "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    "2489e9ad-2ee2-8e00-8ec9-32d5f69181c0",
    "a3bb189e-8bf9-3888-9912-ace4e6543002",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "00000000-0000-7000-0000-000000000000",
    "ffffffff-ffff-7fff-bfff-ffffffffffff",
    "ffffffff-ffff-1fff-bfff-ffffffffffff",
    "00000000-0000-1000-8000-000000000000",
    "511a1a1f-dfa4-867b-8100-000009abcdef",
    "511a1a1f-dfa4-867b-80ff-ffffffffffff",
    "ffff1a1f-dfa4-867b-b93c-0005abcdef01",
    "ffffffff-687e-8ef6-b8f6-b9d3ff89abcd",
    "ffffffff-0000-8000-a000-00000089abcd",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "01ARYZ6S410000000000000000",
    "3CSNW0SENT20K9AS2VHHJP096V",
    "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}",
    "bM14DLq6ECaVZFuMZWAk2w",
    "102176818768904192",
    "18446744073709551616",
    "144623479298450090607906173242916742363",
    "no id",
];

/// Returns the inspection of a text.
pub fn seen(text: &str) -> Value {
    let mut vector = match inspect(text) {
        Ok(seen) => fields(&seen),
        Err(error) => failure(&error),
    };
    vector["text"] = json!(text);
    vector
}

/// The fields that the id has.
fn fields(seen: &Inspection) -> Value {
    let id = match seen.id {
        AnyId::Uuid(id) => json!(id.to_string()),
        AnyId::Short(id) => json!(id.to_string()),
    };
    let fields = [
        ("id", Some(id)),
        ("format", seen.format.map(|format| json!(format.name()))),
        ("nature", Some(json!(seen.nature.name()))),
        ("version", seen.version.map(|version| json!(version))),
        ("time", seen.timestamp.map(|time| json!(time.to_string()))),
        ("clock_sequence", seen.clock_sequence.map(|sequence| json!(sequence))),
        ("node", seen.node.map(|node| json!(node.to_string()))),
        ("fraction_ns", seen.fraction.map(|fraction| json!(fraction.as_nanos() as u64))),
        ("counter", seen.counter.map(|counter| json!(counter))),
        ("prefix", seen.prefix.map(|prefix| json!(prefix))),
        ("tail_time", seen.tail_time.map(|time| json!(time.to_string()))),
        ("round", seen.round.map(|round| json!(round))),
        ("offset_ms", seen.offset.map(|offset| json!(offset.as_millis() as u64))),
        ("writer_tag", seen.writer_tag.map(|tag| json!(tag))),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.collect::<Map<_, _>>())
}

/// Returns inspections of ids whose prefix is known to be keyed.
fn keyed() -> Vec<Value> {
    let ids = [
        ("f12601c8-007b-8000-8100-006789abcdef", "minute", false),
        ("6fda0000-ea5f-8fff-90ff-ff6789abcdef", "minute", false),
        ("6fda0000-ea60-8fff-90ff-ff6789abcdef", "minute", false),
        ("6fda0000-ea5f-8fff-90ff-ff6789abcdef", "month", false),
        ("6fda0000-ea5f-8fff-90ff-ff6789abcdef", "50d", false),
        ("0538c8f0-1c80-807b-8100-000009abcdef", "minute", true),
        ("0538c8f0-1cff-8fff-8100-000009abcdef", "minute", true),
        ("0538c8f0-1c80-807b-8100-000009abcdef", "day", true),
        ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "day", false),
    ];
    let seen = |(id, interval, named): (&str, &str, bool)| {
        let seen = inspect(id).expect("an id");
        let length: Interval = interval.parse().expect("an interval");
        let mut vector = match if named { seen.keyed_named(length) } else { seen.keyed(length) } {
            Ok(seen) => fields(&seen),
            Err(error) => failure(&error),
        };
        vector["text"] = json!(id);
        vector["interval"] = json!(interval);
        vector["named"] = json!(named);
        vector
    };
    ids.into_iter().map(seen).collect()
}
