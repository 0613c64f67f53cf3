//! `idgen convert`.

use crate::{FORMATS, UUID_KINDS, failure, idgen, is_raw, lines, lines_of, output, vectors};

const COUNT: &str = "40";

#[test]
fn every_format_of_every_kind_round_trips() {
    for kind in UUID_KINDS {
        let ids = output(&["new", kind, "-n", COUNT, "-f", "hyphenated"], "");
        for format in FORMATS {
            let written = output(&["convert", "--to", format], &*ids);
            let back = match is_raw(format) {
                true => output(&["convert", "--from", format, "--to", "hyphenated"], written),
                false => {
                    let named = output(&["convert", "--from", format, "--to", "hyphenated"], &*written);
                    assert_eq!(named, output(&["convert", "--to", "hyphenated"], written), "{kind} {format}");
                    named
                }
            };
            assert_eq!(back, ids, "{kind} {format}");
        }
    }
}

#[test]
fn convert_reads_what_new_writes() {
    for kind in UUID_KINDS {
        for format in FORMATS {
            let written = output(&["new", kind, "-n", COUNT, "-f", format], "");
            let ids = lines_of(output(&["convert", "--from", format, "--to", "hyphenated"], &*written));
            assert_eq!(ids.len(), 40, "{kind} {format}");
            if let Some(version) = kind.strip_prefix('v') {
                assert!(ids.iter().all(|id| id[14..].starts_with(version)), "{kind} {format}: {ids:?}");
            }
            if is_raw(format) {
                assert_eq!(written.len(), 40 * 16);
            }
        }
    }
    for kind in ["short", "mysql-short"] {
        // With a state, so that mysql-short has nothing to note.
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let at = ["--at", "2026-11-21T12:00:00Z", "--state", state.to_str().unwrap()];
        let ids = output(&[&["new", kind, "-n", COUNT], &at[..]].concat(), "");
        assert_eq!(output(&["convert", "--to", "int"], &*ids), ids);
    }
}

#[test]
fn texts_are_those_of_mysql() {
    let vectors = vectors("mysql-9.7.json");
    let rows = vectors["codec"].as_array().unwrap();
    let column = |name: &str| -> String {
        rows.iter().map(|row| format!("{}\n", row[name].as_str().unwrap())).collect()
    };
    let uuids = column("uuid");
    for (name, args) in [
        ("base64", &["convert", "--to", "base64"][..]),
        ("bin", &["convert", "--to", "binary", "--hex"]),
        ("bin_swapped", &["convert", "--to", "swapped", "--hex"]),
    ] {
        assert_eq!(String::from_utf8(output(args, &*uuids)).unwrap(), column(name), "{name}");
    }
    let swapped = column("bin_swapped");
    let back = output(&["convert", "--from", "swapped", "--hex", "--to", "hyphenated"], swapped);
    assert_eq!(String::from_utf8(back).unwrap(), uuids);
}

#[test]
fn arguments_are_read_in_any_format() {
    let id = "6ccd780c-baba-1026-9564-5b8c656024db";
    let texts =
        ["bM14DLq6ECaVZFuMZWAk2w", "3CSNW0SENT20K9AS2VHHJP096V", "{6CCD780C-baba-1026-9564-5b8c656024db}"];
    assert_eq!(lines(&[&["convert", "--to", "hyphenated"], &texts[..]].concat()), [id; 3]);
    let swapped = "1026baba6ccd780c95645b8c656024db";
    assert_eq!(lines(&["convert", "--to", "hyphenated", "--from", "swapped", swapped]), [id]);
    // 32 decimal digits are hexadecimal unless --from names another format.
    let digits = "11111111111111111111111111111111";
    assert_eq!(lines(&["convert", "--to", "simple", digits]), [digits]);
    assert_ne!(lines(&["convert", "--to", "simple", "--from", "int", digits]), [digits]);
}

/// Every v7 id and ULID in ordered64 begins with a hyphen until the year 2109.
#[test]
fn ids_that_begin_with_a_hyphen_are_read_after_a_double_hyphen() {
    for kind in ["v7", "ulid"] {
        let id = &lines(&["new", kind, "-f", "ordered64"])[0];
        assert!(id.starts_with('-'), "{id}");
        assert_eq!(lines(&["convert", "--to", "ordered64", "--", id]), [&**id]);
        assert_eq!(lines(&["inspect", "--", id])[0], *id);
    }
}

#[test]
fn bad_lines_are_reported_and_the_others_converted() {
    let long = "x".repeat(3_000_000);
    let good = "6ccd780c-baba-1026-9564-5b8c656024db";
    let input = format!("\u{FEFF}{good}\r\nno id\n\n{good} \n{long}\n{good}\n\0\u{1b}[31m\n{good}");
    let done = idgen(&["convert", "--to", "base64"]).write_stdin(input).assert().code(1);
    let done = done.get_output();
    assert_eq!(lines_of(done.stdout.clone()), ["bM14DLq6ECaVZFuMZWAk2w"; 3]);
    let errors = String::from_utf8(done.stderr.clone()).unwrap();
    let expected = [
        "error: line 2: not an id",
        "error: line 3: the line is empty",
        "error: line 4: not an id",
        "error: line 5: the line is longer than 1024 bytes",
        "error: line 7: not an id",
    ];
    let errors: Vec<_> = errors.lines().collect();
    assert_eq!(errors.len(), expected.len(), "{errors:#?}");
    for (error, expected) in errors.iter().zip(expected) {
        assert!(error.starts_with(expected) && error.len() < 300, "{error}");
    }
    assert!(!errors[4].contains('\u{1b}'), "{}", errors[4]);
}

#[test]
fn lines_of_more_than_1024_bytes_are_reported_as_too_long() {
    for length in [1_022, 1_023, 1_024, 1_025, 1_026, 1_027, 1_028, 1_029, 1_030, 5_000] {
        for end in ["", "\n", "\r\n"] {
            let (code, errors) =
                failure(&["convert", "--to", "int"], &format!("{}{end}", "7".repeat(length)));
            let expected =
                if length > 1_024 { "line 1: the line is longer" } else { "line 1: not a UUID as integer" };
            assert_eq!((code, errors.lines().count()), (1, 1), "{length} {end:?}: {errors}");
            assert!(errors.contains(expected), "{length} {end:?}: {errors}");
        }
    }
}

#[test]
fn bad_arguments_and_records_are_reported() {
    let (code, error) = failure(&["convert", "--to", "int", "6ccd780c-baba-1026-9564-5b8c656024dg"], "");
    assert_eq!(code, 1);
    assert!(error.contains("'g' at offset 35"), "{error}");

    let (code, error) = failure(&["convert", "--from", "binary", "--to", "int"], "0123456789abcdef012");
    assert_eq!(code, 1);
    assert!(error.starts_with("error: record 2: ") && error.contains("found 3"), "{error}");

    let (code, error) = failure(&["convert", "--to", "int"], "0123456789abcde!\n");
    assert_eq!(code, 1);
    assert!(error.contains("binary or swapped"), "{error}");

    assert_eq!(output(&["convert", "--to", "int"], ""), b"");
}

#[test]
fn sealed_ids_look_random_and_are_opened_with_the_same_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.key");
    std::fs::write(&path, "0123456789abcdef\n").unwrap();
    let key = path.to_str().unwrap();
    let ids = output(&["new", "v7", "-n", "1000"], "");
    let sealed = output(&["convert", "--seal", key, "--to", "hyphenated"], ids.clone());
    let (texts, sealed_before) = (lines_of(sealed.clone()), sealed.clone());
    assert!(texts.len() == 1_000 && texts.iter().all(|text| text.as_bytes()[14] == b'4'));
    assert!(!texts.is_sorted());
    assert_eq!(output(&["convert", "--open", key, "--to", "hyphenated"], sealed), ids);

    // A ring that begins with this key, and its second key from long ago: the ids are sealed with that one.
    std::fs::write(&path, "idgen seal ring\nbegin 0123456789abcdef\n2001-01-01T00:00:00Z fedcba9876543210\n")
        .unwrap();
    let by_ring = output(&["convert", "--seal", key, "--to", "hyphenated"], ids.clone());
    assert_ne!(by_ring, sealed_before);
    assert_eq!(output(&["convert", "--open", key, "--to", "hyphenated"], by_ring), ids);
    std::fs::write(&path, "idgen seal ring\nbegin 0123456789abcdef\n").unwrap();
    assert_eq!(output(&["convert", "--seal", key, "--to", "hyphenated"], ids), sealed_before);
    std::fs::write(&path, "0123456789abcdef\n").unwrap();

    let v4 = "6ccd780c-baba-4026-9564-5b8c656024db";
    let (code, error) = failure(&["convert", "--seal", key, "--to", "hyphenated", v4], "");
    assert!(code == 1 && error.contains(v4) && error.contains("version 7"), "{error}");
    std::fs::write(&path, "short").unwrap();
    let (_, error) = failure(&["convert", "--open", key, "--to", "hyphenated", v4], "");
    assert!(error.contains("secret.key") && error.contains("5 bytes"), "{error}");
}
