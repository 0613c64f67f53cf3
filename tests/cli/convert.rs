//! `idgen convert`.

use crate::{
    FORMATS, failure, idgen, is_raw, lines, lines_of, noted, output, output_in, uuid_kinds, vectors,
};

const COUNT: &str = "40";

#[test]
fn every_format_of_every_kind_round_trips() {
    for kind in uuid_kinds() {
        // Without their name, integers of at most 36 digits are not read as such.
        let ids = lines(&["new", kind, "-n", COUNT, "-f", "hyphenated"]);
        let ids: String = ids.iter().filter(|id| !id.starts_with("00")).map(|id| format!("{id}\n")).collect();
        let ids = ids.into_bytes();
        for format in FORMATS {
            let written = output_in(format, kind, &["convert", "--to", format], &*ids);
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
    for kind in uuid_kinds() {
        for format in FORMATS {
            let written = output_in(format, kind, &["new", kind, "-n", COUNT, "-f", format], "");
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
        assert_eq!(String::from_utf8(noted(args, &*uuids).0).unwrap(), column(name), "{name}");
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

    let (code, error) = failure(&["convert", "--from", "binary", "--to", "int"], "\u{1}123456789abcdef012");
    assert_eq!(code, 1);
    assert!(error.starts_with("error: record 2: ") && error.contains("found 3"), "{error}");

    let (code, error) = failure(&["convert", "--to", "int"], "0123456789abcde!\n");
    assert_eq!(code, 1);
    assert!(error.contains("binary or swapped"), "{error}");

    assert_eq!(output(&["convert", "--to", "int"], ""), b"");
}

/// All byte strings are ids in the format binary, so text is recognized by its characters.
#[test]
fn text_is_not_taken_for_raw_bytes() {
    let ids = output(&["new", "v4", "-n", "16"], "");
    for (format, more, says) in [
        ("binary", &["--hex"][..], "add --hex"),
        ("simple", &[], "add --hex"),
        ("simple", &["--upper"], "add --hex"),
        ("hyphenated", &[], "leave out --from"),
        ("base64", &[], "leave out --from"),
        ("urn", &[], "leave out --from"),
        ("braced", &[], "leave out --from"),
        ("base32", &[], "leave out --from"),
        ("int", &[], "leave out --from"),
    ] {
        // Few of the integers have so few digits that a note says to name their format.
        let text = String::from_utf8(noted(&[&["convert", "--to", format], more].concat(), &*ids).0).unwrap();
        let utf_16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = format!("\u{feff}{text}").into_bytes();
        for raw in ["binary", "swapped"] {
            for (command, input) in [
                (&["convert", "-t", "hyphenated"][..], text.clone().into_bytes()),
                (&["inspect"], text.clone().into_bytes()),
                // One id alone, without a multiple of 16 bytes.
                (&["inspect"], text.lines().next().unwrap().into()),
                (&["convert", "-t", "simple"], text.replace('\n', "\r\n").into_bytes()),
                (&["convert", "-t", "simple"], marked.clone()),
                (&["convert", "-t", "simple"], utf_16.clone()),
            ] {
                let done = idgen(&[command, &["--from", raw]].concat()).write_stdin(input).assert().code(1);
                let done = done.get_output();
                let error = String::from_utf8_lossy(&done.stderr).into_owned();
                assert!(
                    done.stdout.is_empty() && error.contains("not raw bytes, but text"),
                    "{format}: {error}"
                );
            }
            let error = failure(&["inspect", "--from", raw], &text).1;
            assert!(error.contains(says), "{format}: {error}");
        }
    }
    // Raw bytes are read, also one id that happens to consist of letters.
    let raw = output(&["convert", "--to", "binary"], &*ids);
    assert_eq!(output(&["convert", "--from", "binary", "-t", "hyphenated"], raw), ids);
    let letters = output(&["convert", "--from", "binary", "-t", "simple"], "0123456789abcdef");
    assert_eq!(letters, b"30313233343536373839616263646566\n");
}

/// Tests the UTF-16 that PowerShell writes with `>`.
#[test]
fn input_in_utf_16_is_named() {
    let text = "\u{feff}6ccd780c-baba-1026-9564-5b8c656024db\r\n";
    for bytes in [
        text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
        text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        text[3..].encode_utf16().flat_map(u16::to_le_bytes).collect(),
    ] {
        for command in [&["convert", "-t", "simple"][..], &["inspect"]] {
            let done = idgen(command).write_stdin(bytes.clone()).assert().code(1);
            let error = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
            assert!(error.contains("UTF-16: convert it to UTF-8"), "{error}");
        }
    }
}

#[test]
fn hexadecimal_is_read_as_servers_print_it() {
    let id = "6ccd780c-baba-1026-9564-5b8c656024db";
    for text in [
        "0x6CCD780CBABA102695645B8C656024DB",
        "\\x6ccd780cbaba102695645b8c656024db",
        "X'6CCD780CBABA102695645B8C656024DB'",
        "x'6ccd780cbaba102695645b8c656024db'",
        "URN:UUID:6CCD780C-BABA-1026-9564-5B8C656024DB",
    ] {
        assert_eq!(lines(&["convert", "-t", "hyphenated", text]), [id], "{text}");
        assert!(lines(&["inspect", text]).join("\n").contains("version 1"), "{text}");
    }
    let swapped = "0x1026BABA6CCD780C95645B8C656024DB";
    assert_eq!(lines(&["convert", "--from", "swapped", "-t", "hyphenated", swapped]), [id]);
    let hex = output(&["convert", "--from", "swapped", "--hex", "-t", "hyphenated"], swapped);
    assert_eq!(lines_of(hex), [id]);
}

#[test]
fn texts_that_two_formats_could_mean_are_refused() {
    for text in ["80000000000000000000000000", "99999999999999999999999999"] {
        let (code, error) = failure(&["convert", "-t", "hyphenated", text], "");
        assert!(
            code == 1 && error.contains("a ULID beyond its range") && error.contains("name the format"),
            "{error}"
        );
        let (number, note) = noted(&["convert", "--from", "int", "-t", "int", text], "");
        assert_eq!((lines_of(number), note.contains("without --from int")), (vec![text.to_owned()], true));
        assert!(failure(&["convert", "--from", "base32", "-t", "int", text], "").1.contains("0 to 7"));
    }
    for (text, says) in [
        ("1234567890123456789012", "base64 with bits beyond the id"),
        ("12345678901234567890123456", "a ULID (base32) without a letter"),
        ("1234567890123456789012345678901", "hexadecimal digits of a UUID with one missing"),
        ("123456789012345678901234567890123456", "hexadecimal digits of a UUID with one missing"),
    ] {
        for command in [&["convert", "-t", "int"][..], &["inspect"]] {
            let (code, error) = failure(&[command, &[text]].concat(), "");
            assert!(code == 1 && error.contains(says) && error.contains("--from int"), "{error}");
            assert_eq!(failure(command, text).1, error.replacen("error: ", "error: line 1: ", 1));
        }
        let (number, note) = noted(&["convert", "--from", "int", "-t", "int", text], "");
        assert_eq!((lines_of(number), note.contains("without --from int")), (vec![text.to_owned()], true));
    }
    for (text, says) in [
        ("bM14DLq6ECaVZFuMZWAk2w==", "padded base64, as MySQL's TO_BASE64()"),
        ("\"6ccd780c-baba-1026-9564-5b8c656024db\"", "a quoted text, such as a field of a CSV"),
    ] {
        let (code, error) = failure(&["convert", "--strict", "-t", "int", text], "");
        assert!(code == 1 && error.contains(says), "{error}");
    }
}

/// Tests that a text of `convert` is read back as the same id without `--from`, or that a note says that it
/// is not.
#[test]
fn texts_that_need_the_name_of_their_format_are_noted() {
    let example = "00000000-0008-4595-9614-01484a000007";
    let (number, note) = noted(&["convert", "-t", "int", example], "");
    assert!(note.contains("1 of the texts") && note.contains("without --from int"), "{note}");
    let (code, error) = failure(&["convert", "-t", "hyphenated"], str::from_utf8(&number).unwrap());
    assert!(code == 1 && error.contains("(--from base32 or --from int)"), "{error}");
    let ids: Vec<_> =
        (0..128).map(|shift| idgen::Uuid::from_u128((u128::MAX / 3) >> shift).to_string()).collect();
    for &format in idgen::codec::Format::ALL.iter().filter(|format| format.is_text()) {
        let (texts, note) = noted(&["convert", "-t", format.name()], ids.join("\n"));
        let back = idgen(&["convert", "-t", "hyphenated", "--keep-lines"]).write_stdin(texts).assert();
        let back = lines_of(back.get_output().stdout.clone());
        let misread = back.iter().zip(&ids).filter(|(back, id)| back != id).count();
        assert_eq!(back.len(), ids.len());
        let expected = if misread > 0 { format!("note: {misread} of the texts") } else { String::new() };
        assert!(note.starts_with(&expected) && note.is_empty() == expected.is_empty(), "{format}: {note}");
    }
}

#[test]
fn what_people_paste_is_read_with_a_note() {
    let id = "6ccd780c-baba-1026-9564-5b8c656024db";
    let input = format!("\"{id}\"\n'bM14DLq6ECaVZFuMZWAk2w=='\nbM14DLq6ECaVZFuMZWAk2w==\n{id}\n");
    let (out, note) = noted(&["convert", "-t", "hyphenated"], input.clone());
    assert_eq!(lines_of(out), [id; 4]);
    assert!(note.contains("2 of the ids were read without the quotation marks"), "{note}");
    assert!(note.contains("2 of the ids were read as base64 without the padding"), "{note}");
    let (out, note) = noted(&["inspect", "--json"], input.clone());
    assert!(lines_of(out).len() == 4 && note.contains("--strict"), "{note}");
    let (code, error) = failure(&["convert", "--strict", "-t", "hyphenated"], &input);
    assert!(code == 1 && error.contains("line 3") && !error.contains("line 4"), "{error}");
    let literal = "0x6ccd780cbaba102695645b8c656024db";
    assert_eq!(lines(&["convert", "-t", "hyphenated", literal]), [id]);
    assert_eq!(failure(&["convert", "--strict", "-t", "hyphenated", literal], "").0, 1);
    // A format that is named is exact.
    assert_eq!(failure(&["convert", "--from", "base64", "-t", "int", "bM14DLq6ECaVZFuMZWAk2w=="], "").0, 1);
}

#[test]
fn an_empty_line_can_stand_for_a_bad_one() {
    let id = "6ccd780c-baba-1026-9564-5b8c656024db";
    let input = format!("{id}\nno id\n\n{id}\nno id");
    let done = idgen(&["convert", "-t", "simple", "--keep-lines"]).write_stdin(input).assert().code(1);
    let digits = id.replace('-', "");
    let out = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert_eq!(out, format!("{digits}\n\n\n{digits}\n\n"));
    let (code, error) = failure(&["convert", "-t", "binary", "--keep-lines", id], "");
    assert!(code == 2 && error.contains("--keep-lines is for text"), "{error}");
}

#[test]
fn digits_are_written_in_capitals() {
    let id = "6ccd780c-baba-1026-9564-5b8c656024db";
    for (args, expected) in [
        (&["-t", "hyphenated"][..], "6CCD780C-BABA-1026-9564-5B8C656024DB"),
        (&["-t", "simple"], "6CCD780CBABA102695645B8C656024DB"),
        (&["-t", "swapped", "--hex"], "1026BABA6CCD780C95645B8C656024DB"),
    ] {
        assert_eq!(lines(&[&["convert", "--upper", id], args].concat()), [expected]);
    }
    let made = lines(&["new", "v7", "--upper", "-n", "50"]).concat();
    assert!(made.contains(char::is_uppercase) && !made.contains(char::is_lowercase), "{made}");
    let made = lines(&["new", "v7", "--upper", "--json", "-n", "50"]);
    assert!(
        made.iter().any(|line| line.contains("\"id\":\"0") && line[16..60].contains(char::is_uppercase)),
        "{made:?}"
    );
    for format in ["base64", "base32", "int", "binary"] {
        let (code, error) = failure(&["convert", "--upper", "-t", format, id], "");
        assert!(code == 2 && error.contains("--upper is for hexadecimal digits"), "{error}");
    }
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

#[test]
fn formats_of_standards_have_their_names() {
    let id = "6ccd780c-baba-1026-9564-5b8c656024db";
    for (format, text) in [
        ("base32hex", "DJ6NG35QN882D5B4BE66AO14RC"),
        ("base32human", "DK6QG35TQ882D5B4BE66AR14VC"),
        ("base64sort", "QBps2Aeu31PKO4iBOL-Zqk"),
    ] {
        // Texts in the alphabet of base32 are read as such without a name, and the command says so.
        let (written, note) = noted(&["convert", "--to", format, id], "");
        assert_eq!((lines_of(written), note.contains("note: ")), (vec![text.to_owned()], text.len() == 26));
        assert_eq!(lines(&["convert", "--from", format, "--to", "hyphenated", text]), [id]);
        let (code, message) = failure(&["convert", "--from", format, "--to", "int", &text[1..]], "");
        assert!(code == 1 && message.contains("characters, without padding"), "{message}");
    }
    // Without a name, 26 characters are base32.
    let (_, message) = failure(&["convert", "--to", "int", "DJ6NG35QN882D5B4BE66AO14RC"], "");
    assert!(message.contains("a base32 UUID or ULID"), "{message}");
}
