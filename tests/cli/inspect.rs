//! `idgen inspect`.

use crate::{failure, idgen, lines, lines_of, noted, output, vectors};

fn json(args: &[&str], input: &str) -> Vec<serde_json::Value> {
    let all = [&["inspect", "--json"], args].concat();
    lines_of(output(&all, input)).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_examples_of_rfc_9562_are_read() {
    for vector in vectors("rfc9562.json")["vectors"].as_array().unwrap() {
        let seen = &json(&[vector["uuid"].as_str().unwrap()], "")[0];
        assert_eq!(seen["version"], vector["version"]);
        assert_eq!(seen["kind"], format!("v{}", vector["version"]));
        assert_eq!(seen["variant"], "RFC 9562");
        for (field, golden) in [("time", "utc"), ("clock_sequence", "clock_sequence"), ("node", "node")] {
            assert_eq!(seen[field], vector[golden], "{field} of {seen}");
        }
    }
}

#[test]
fn a_week_is_found_within_the_span() {
    let vectors = vectors("mysql-9.7.json");
    for week in vectors["week_prefix"].as_array().unwrap().iter().step_by(20) {
        let id = lines(&["new", "week", "--at", week["utc"].as_str().unwrap()]);
        let year = week["year"].as_i64().unwrap();
        let (from, to) = (format!("{year}-01-01"), format!("{}-01-01", year + 1));
        let seen = &json(&[&id[0], "--weeks-from", &from, "--weeks-to", &to], "")[0];
        let weeks = seen["weeks"].as_array().unwrap();
        assert!(weeks.contains(&serde_json::json!({"year": year, "week": week["week"]})), "{seen}");
        // A span of later years does not contain the week.
        let (from, to) = (format!("{}-01-01", year + 1), format!("{}-01-02", year + 1));
        let seen = &json(&[&id[0], "--weeks-from", &from, "--weeks-to", &to], "")[0];
        assert_eq!(seen["weeks"], serde_json::json!([]), "{seen}");
    }
}

#[test]
fn a_ulid_is_recognized_even_if_its_bits_look_like_a_uuid() {
    let ids = output(&["new", "ulid", "-n", "200", "--at", "2026-11-21T12:00:00Z"], "");
    let seen = json(&[], std::str::from_utf8(&ids).unwrap());
    assert_eq!(seen.len(), 200);
    for id in &seen {
        // By chance its bits may look like a version.
        let time = if id["kind"] == "ulid" { &id["time"] } else { &id["or_ulid"]["time"] };
        assert_eq!(time, "2026-11-21T12:00:00Z", "{id}");
    }
    for (id, kind, other) in [
        ("01a1fdfa-5e00-4000-8000-000000000001", "v4", "2026-11-21T12:00:06.144Z"),
        ("01a1fdfa-5e00-4000-0000-000000000001", "ulid", "null"),
    ] {
        let text = &lines(&["convert", "--to", "base32", id])[0];
        let seen = &json(&[text], "")[0];
        assert_eq!(seen["kind"], kind, "{seen}");
        assert_eq!(seen["or_ulid"]["time"].as_str().unwrap_or("null"), other, "{seen}");
    }
}

#[test]
fn short_ids_are_read_in_both_layouts() {
    let seen = &json(&["102176818768904192"], "")[0];
    assert_eq!((&seen["kind"], &seen["id"]), (&"short".into(), &"102176818768904192".into()));
    assert_eq!(seen["mysql"]["server_id"], 1);
    let device = lines(&["new", "short", "--node", "9f6bdeced846", "--at", "2026-11-21T12:00:00Z"]);
    let seen = &json(&[&device[0]], "")[0];
    assert_eq!(seen["device"]["time"], "2026-11-21T12:00:00Z");
    assert_eq!(seen["device"]["node"], "d846");
}

#[test]
fn the_text_shows_version_format_time_and_node() {
    let text = lines(&["inspect", "1ec9414c-232a-6b00-b3c8-9f6bdeced846"]).join("\n");
    for part in [
        "version 6",
        "hyphenated",
        "2022-02-22T19:22:22Z",
        "13256",
        "9f6bdeced846 (multicast bit set: random)",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let text = lines(&["inspect", "--from", "swapped", "1026baba6ccd780c95645b8c656024db"]).join("\n");
    assert!(text.contains("6ccd780c-baba-1026-9564-5b8c656024db"), "{text}");
    let text = lines(&["inspect", "2ec76cc3-e57c-11f1-a299-0242ac110002"]).join("\n");
    assert!(text.contains("0242ac110002 (multicast bit clear"), "{text}");
}

/// Sixteen bytes may be valid UTF-8 by chance.
#[test]
fn raw_bytes_are_never_shown() {
    for (format, bytes, shown) in [
        ("binary", [0; 16], "00000000-0000-0000-0000-000000000000"),
        ("binary", *b"\x1b[31m6789abcdef\0", "1b5b3331-6d36-3738-3961-626364656600"),
        ("swapped", *b"0123456789abcdef", "34353637-3233-3031-3839-616263646566"),
        ("binary", *b"0123456789abcde\x7f", "30313233-3435-3637-3839-61626364657f"),
    ] {
        assert_eq!(lines_of(output(&["inspect", "--from", format], bytes))[0], shown);
        let seen = lines_of(output(&["inspect", "--from", format, "--json"], bytes));
        assert!(seen[0].contains(&format!("\"id\":\"{shown}\"")), "{seen:?}");
    }
    // Their hexadecimal form is text, and stays as it was given.
    let digits = "1026BABA6ccd780c95645b8c656024db";
    assert_eq!(lines(&["inspect", "--from", "swapped", digits])[0], digits);
    assert_eq!(lines_of(output(&["inspect", "--from", "swapped", "--hex"], digits))[0], digits);
}

#[test]
fn bad_ids_are_reported_and_the_others_inspected() {
    let (code, error) = failure(&["inspect", "no id"], "");
    assert_eq!((code, error.starts_with("error: not an id")), (1, true), "{error}");
    assert!(error.contains("found 5, in \"no id\""), "{error}");
    let done = idgen(&["inspect"]).write_stdin("x\n6ccd780c-baba-1026-9564-5b8c656024db\n").assert().code(1);
    let done = done.get_output();
    assert!(String::from_utf8_lossy(&done.stdout).contains("version 1"));
    assert!(String::from_utf8_lossy(&done.stderr).starts_with("error: line 1: "));
    for date in ["2000", "2000-13-01", "yesterday"] {
        let (code, error) = failure(&["inspect", "--weeks-from", date, "1"], "");
        assert_eq!((code, error.contains("such as 2026-11-21")), (2, true), "{error}");
    }
}

#[test]
fn bytes_of_a_swapped_version_1_are_recognized() {
    let id = &lines(&["new", "v1", "--at", "2026-11-21T12:00:00Z"])[0];
    let stored = &lines(&["convert", "-t", "swapped", "--hex", id])[0];
    let seen = &json(&[stored], "")[0];
    assert_eq!(seen["or_swapped"]["uuid"], **id, "{seen}");
    assert_eq!(seen["or_swapped"]["time"], "2026-11-21T12:00:00Z", "{seen}");
    let shown = lines(&["inspect", stored]).join("\n");
    assert!(shown.contains(&format!("or swapped v1   {id}, made 2026-11-21T12:00:00Z")), "{shown}");
    for args in
        [&["--from", "swapped", stored.as_str()][..], &[id], &["01a1fb67-1800-7000-8000-000000000000"]]
    {
        assert!(json(args, "")[0]["or_swapped"].is_null(), "{args:?}");
    }
}

/// Each time that is printed is a time that `--at` takes, at both ends of each kind.
#[test]
fn times_go_back_into_the_generator() {
    for (kind, first, last) in [
        ("v1", "1582-10-15T00:00:00Z", "5236-03-31T21:21:00.6846975Z"),
        ("v6", "1582-10-15T00:00:00Z", "5236-03-31T21:21:00.6846975Z"),
        ("v7", "1970-01-01T00:00:00Z", "10889-08-02T05:31:50.655Z"),
        ("ulid", "1970-01-01T00:00:00Z", "10889-08-02T05:31:50.655Z"),
        ("short", "1970-01-01T00:00:01Z", "2106-02-07T06:28:15Z"),
        ("mysql-short", "1970-01-01T00:00:00Z", "2106-02-07T06:28:15Z"),
        ("prefixed", "1970-01-01T00:00:00Z", "2527-06-23T06:20:44.415Z"),
        ("fixed-prefix", "1970-01-01T00:00:00Z", "2109-05-15T07:35:11.103Z"),
    ] {
        let field = match kind {
            "short" => ["device", "time"],
            "mysql-short" => ["mysql", "startup"],
            "prefixed" | "fixed-prefix" => ["tail_time", ""],
            "ulid" => ["or_ulid", "time"],
            _ => ["time", ""],
        };
        for time in [first, last] {
            let (made, _) = noted(&["new", kind, "--at", time], "");
            let seen = &json(&[], std::str::from_utf8(&made).unwrap())[0];
            let value = match field {
                // A ULID whose bits look like those of a UUID shows both times.
                ["or_ulid", _] if seen["or_ulid"].is_null() => &seen["time"],
                [name, ""] => &seen[name],
                [outer, inner] => &seen[outer][inner],
            };
            assert_eq!(value, time, "{kind}: {seen}");
        }
        // The error names the same two.
        let (code, error) = failure(&["new", kind, "--at", "11000-01-01T00:00:00Z"], "");
        assert!(code == 2 && error.contains(&format!("{first} to {last}")), "{error}");
    }
    for time in [
        "9999-12-31T23:59:59Z",
        "9999-12-31T23:59:59.999Z",
        "+010000-01-01T00:00:00Z",
        "10889-08-02T07:31:50+02:00",
    ] {
        assert_eq!(lines(&["new", "v7", "--at", time]).len(), 1, "{time}");
    }
}

#[test]
fn a_span_without_weeks_is_refused() {
    let id = "e34e4c5b-0c8f-4d8c-9b0f-1f3a5d7c9e2b";
    for span in
        [&["--weeks-from", "2010-01-01", "--weeks-to", "2009-01-01"][..], &["--weeks-from", "9000-01-01"]]
    {
        let (code, error) = failure(&[&["inspect", id][..], span].concat(), "");
        assert_eq!((code, error.contains("no week would be compared")), (2, true), "{error}");
    }
}

#[test]
fn a_version_that_idgen_does_not_generate_is_shown() {
    let shown = lines(&["inspect", "6ccd780c-baba-5026-9564-5b8c656024db"]).join("\n");
    assert!(shown.contains("\n  version         5\n"), "{shown}");
}

#[test]
fn ids_of_the_reference_show_round_offset_and_counter() {
    let vectors = vectors("prefixed.json");
    for id in vectors["keyed_id"].as_array().unwrap() {
        let text = id["id"].as_str().unwrap();
        let seen = &json(&["--interval", &format!("{}s", id["seconds"]), text], "")[0];
        assert_eq!(seen["prefix"], format!("{:04x}", id["prefix"].as_u64().unwrap()), "{seen}");
        for field in ["round", "offset_ms", "counter"] {
            assert_eq!(seen[field], id[field], "{field} of {seen}");
        }
        assert!(seen["tail_time"].is_null(), "{seen}");
    }
    for id in vectors["named_id"].as_array().unwrap() {
        let text = id["id"].as_str().unwrap();
        let seen = &json(&["--interval", &format!("{}s", id["seconds"]), "--named", text], "")[0];
        assert_eq!(seen["writer_tag"], format!("{:03x}", id["tag"].as_u64().unwrap()), "{seen}");
        for field in ["round", "offset_ms", "counter"] {
            assert_eq!(seen[field], id[field], "{field} of {seen}");
        }
    }
    let (code, error) = failure(&["inspect", "--named", "f12601c8-007b-8000-8100-006789abcdef"], "");
    assert!(code == 2 && error.contains("--interval"), "{error}");
    for id in vectors["time_id"].as_array().unwrap() {
        let seen = &json(&[id["id"].as_str().unwrap()], "")[0];
        assert_eq!(seen["counter"], id["counter"], "{seen}");
        assert!(seen["round"].is_null() && seen["tail_time"].is_string(), "{seen}");
    }
    let text = vectors["keyed_id"][0]["id"].as_str().unwrap();
    let shown = output(&["inspect", "--interval", "minute", text], "");
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains("round           456, if the prefix is keyed and has this interval"), "{shown}");
    let shown = String::from_utf8(output(&["inspect", text], "")).unwrap();
    assert!(shown.contains("if idgen made it and its prefix is not keyed"), "{shown}");
}
