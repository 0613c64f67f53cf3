//! `idgen check`.

use crate::{failure, idgen, lines_of, noted, output};

const TWO: &str = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n017f22e2-79b0-7cc4-98c4-dc0c0c07398f\n";

/// Standard output of a check that ends with this code, and writes nothing to standard error.
fn report(args: &[&str], input: impl Into<Vec<u8>>, code: i32) -> String {
    let mut all = vec!["check"];
    all.extend(args);
    let done = idgen(&all).write_stdin(input).assert().code(code);
    assert_eq!(String::from_utf8_lossy(&done.get_output().stderr), "", "{args:?}");
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

fn json(args: &[&str], input: impl Into<Vec<u8>>, code: i32) -> serde_json::Value {
    let mut all = vec!["--json"];
    all.extend(args);
    serde_json::from_str(&report(&all, input, code)).unwrap()
}

fn status<'j>(json: &'j serde_json::Value, rule: &str) -> &'j str {
    let verdicts = json["verdicts"].as_array().unwrap();
    verdicts.iter().find(|verdict| verdict["rule"] == rule).unwrap()["status"].as_str().unwrap()
}

#[test]
fn each_kind_of_the_command_line_passes() {
    for (kind, format) in
        [("v1", "hyphenated"), ("v4", "base64"), ("v6", "simple"), ("v7", "ordered64"), ("ulid", "base32")]
    {
        let ids = output(&["new", kind, "-n", "3000", "-f", format], "");
        let found = json(&["--require", &format!("{kind},no-duplicates,readable")], ids, 0);
        assert_eq!((&found["ids"], &found["unmet"]), (&3_000.into(), &serde_json::json!([])));
        assert_eq!(found["formats"][0][0], format);
    }
    let binary = output(&["new", "v7", "-n", "3000", "-f", "binary"], "");
    let found = report(&["--binary", "16", "--require", "v7,monotonic,random,unguessable"], binary, 0);
    assert!(
        found.contains("method 1: a counter of 26 bits") && found.ends_with("passes them all.\n"),
        "{found}"
    );
}

/// All byte strings are ids in binary, so text is recognized by its characters, as in `idgen convert`.
#[test]
fn text_is_not_taken_for_raw_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ids.txt");
    let stream = format!("a={}", path.display());
    let ids = output(&["new", "v4", "-n", "16"], "");
    for to in [
        &["hyphenated"][..],
        &["simple"],
        &["simple", "--upper"],
        &["binary", "--hex"],
        &["base64"],
        &["urn"],
        &["braced"],
        &["base32"],
        &["int"],
    ] {
        // Few of the integers have so few digits that a note says to name their format.
        let text = String::from_utf8(noted(&[&["convert", "--to"], to].concat(), &*ids).0).unwrap();
        let utf_16 = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        for input in [
            text.clone().into_bytes(),
            text.lines().next().unwrap().into(),
            text.replace('\n', "\r\n").into(),
            format!("\u{feff}{text}").into(),
            utf_16,
        ] {
            std::fs::write(&path, &input).unwrap();
            for binary in [&["16"][..], &["16", "--as", "ulid"], &["8"]] {
                for from in [&[][..], &["--stream", &stream], &["--", "cat", path.to_str().unwrap()]] {
                    let args = [&["check", "--binary"], binary, from].concat();
                    let done = idgen(&args).write_stdin(&*input).assert().code(1);
                    let error = String::from_utf8_lossy(&done.get_output().stderr);
                    assert!(error.contains("not raw bytes, but text: leave out --binary"), "{to:?}: {error}");
                    assert!(done.get_output().stdout.is_empty(), "{to:?}");
                }
            }
        }
    }
    let utf_16: Vec<u8> = String::from_utf8(ids).unwrap().encode_utf16().flat_map(u16::to_be_bytes).collect();
    for mark in [&[][..], b"\xFE\xFF"] {
        let done = idgen(&["check"]).write_stdin([mark, &utf_16].concat()).assert().code(1);
        let error = String::from_utf8_lossy(&done.get_output().stderr);
        assert!(error.contains("UTF-16: convert it to UTF-8"), "{error}");
    }
    for short in ["1", "1\n", "\u{feff}1\n", "\u{feff}12"] {
        assert_eq!(json(&["--require", "no-duplicates"], short, 0)["ids"], 1, "{short:?}");
    }
    // Raw bytes are read, also one id that happens to consist of letters, and an input that is shorter than a record.
    for (binary, input, ids) in
        [("16", "0123456789abcdef", 1), ("8", "01234567", 1), ("16", "0123", 0), ("16", "", 0)]
    {
        let done = idgen(&["check", "--json", "--binary", binary]).write_stdin(input).assert();
        let found: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
        assert_eq!(found["ids"], ids, "{input}");
    }
    let shorts = output(&["new", "v4", "-n", "3000", "-f", "binary"], "");
    assert_eq!(json(&["--binary", "16", "--require", "v4"], shorts, 0)["ids"], 3_000);
}

#[test]
fn requirements_decide_the_exit_code() {
    assert!(report(&[], TWO, 0).contains("monotonic"));
    let twice = format!("{TWO}{TWO}");
    assert_eq!(status(&json(&[], twice.as_str(), 1), "no-duplicates"), "fails");
    report(&["--require", "v7"], twice.as_str(), 0);
    let unmet = report(&["--require", "v7,no-duplicates,v4"], twice.as_str(), 1);
    assert!(
        unmet.ends_with("v4: there are other ids: 4 of v7\n") && unmet.contains("\n  no-duplicates: 2 ids"),
        "{unmet}"
    );
    // What two ids do not show is not met.
    report(&["--require", "random"], TWO, 1);
    report(&["--require", "v7"], format!("{TWO}x\n"), 1);
    report(&["--require", "readable"], "", 1);
}

#[test]
fn streams_are_checked_together() {
    let folder = tempfile::tempdir().unwrap();
    let name = |stream: &str| {
        let path = folder.path().join(stream);
        std::fs::write(&path, TWO).unwrap();
        format!("{stream}={}", path.display())
    };
    let (parent, child) = (name("parent"), name("child"));
    let found = json(&["--stream", &parent, "--stream", &child], "", 1);
    assert_eq!((status(&found, "monotonic"), status(&found, "no-duplicates")), ("holds", "fails"));
    assert_eq!(found["duplicates"]["across_streams"], 2);
    let text = report(&["--stream", &parent, "--stream", &child], "", 1);
    assert!(text.contains("first line 1 of child as line 1 of parent"), "{text}");
}

#[test]
fn a_command_is_run_and_ended() {
    let bin = assert_cmd::cargo::cargo_bin!("idgen").to_str().unwrap().to_owned();
    let found = json(&["--live", "--", &bin, "new", "v7", "-n", "5000"], "", 0);
    assert_eq!((&found["ids"], status(&found, "not-ahead")), (&5_000.into(), "holds"));
    assert!(found["kinds"][0]["time"]["behind_ms"].as_f64().unwrap() >= 0.0);
    // Without the limit, this command would never end.
    let endless = "while :; do echo 017f22e2-79b0-7cc3-98c4-dc0c0c07398f; done";
    let found = json(&["-n", "700", "--", "sh", "-c", endless], "", 1);
    assert_eq!(found["duplicates"]["repeated"], 699);
    let (code, message) = failure(&["check", "--", "sh", "-c", "exit 3"], "");
    assert!(code == 1 && message.contains("sh failed (exit status: 3)"), "{message}");
    let (code, message) = failure(&["check", "--", "/nonexistent/generator"], "");
    assert!(code == 1 && message.contains("cannot run /nonexistent/generator"), "{message}");
}

#[test]
fn ids_from_the_future_are_found_while_a_generator_runs() {
    let bin = assert_cmd::cargo::cargo_bin!("idgen").to_str().unwrap().to_owned();
    let found = json(&["--live", "--", &bin, "new", "v7", "-n", "10", "--at", "2150-01-01T00:00:00Z"], "", 1);
    assert_eq!((status(&found, "not-ahead"), status(&found, "not-future")), ("fails", "fails"));
}

#[test]
fn wrong_command_lines_say_what_is_wrong() {
    for (args, part) in [
        (vec!["--require", "sorted"], "there is no rule 'sorted'"),
        (vec!["--stream", "ids.txt"], "such as first=ids.txt"),
        (vec!["--as", "ulid"], "--binary 16"),
        (vec!["--binary", "8", "--as", "uuid"], "64-bit ids"),
        (vec!["--binary", "4"], "16, 8"),
        (vec!["--stream", "a=b", "--", "true"], "cannot be used with"),
        (vec!["--stream", "a=x", "--stream", "a=y"], "two streams have the name a"),
    ] {
        let all: Vec<_> = ["check"].into_iter().chain(args).collect();
        let (code, message) = failure(&all, "");
        assert!(code == 2 && message.contains(part), "{all:?}: {message}");
    }
    let (code, message) = failure(&["check", "--stream", "a=/nonexistent/ids"], "");
    assert!(code == 1 && message.contains("cannot check /nonexistent/ids"), "{message}");
}

#[test]
fn raw_bytes_literals_and_an_empty_input_are_told_apart() {
    let binary = output(&["new", "v7", "-n", "100", "-f", "binary"], "");
    let (code, message) = failure(&["check"], &String::from_utf8_lossy(&binary));
    assert!(code == 1 && message.contains("--binary 16"), "{message}");
    let cut = report(&["--binary", "16"], &binary[..17], 1);
    assert!(cut.contains("the last record has 1 byte instead of 16 [record 2]"), "{cut}");
    assert!(cut.contains("1 record without an id"), "{cut}");
    let literals = lines_of(output(&["new", "v7", "-n", "50", "-f", "simple"], "")).join("\n0x");
    let found = json(&["--require", "readable,one-case"], format!("0x{literals}\n"), 0);
    assert_eq!((&found["ids"], status(&found, "readable")), (&50.into(), "holds"));
    let empty = json(&[], "", 0);
    assert_eq!((status(&empty, "readable"), status(&empty, "no-duplicates")), ("unseen", "unseen"));
    let sorted = {
        let mut ids = lines_of(output(&["new", "v4", "-n", "5000"], ""));
        ids.sort();
        ids.join("\n")
    };
    let found = report(&[], sorted, 0);
    assert!(found.contains("the ids are sorted: order and independence cannot be tested"), "{found}");
}

/// Ids of `Math.random()` of Node: the command prints those that come next, and fails.
#[test]
fn ids_that_come_next_are_printed() {
    let path = "crates/idgen-check/tests/sources/node-snippet.txt";
    let ids = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let ids: Vec<_> = ids.lines().collect();
    let (given, next) = ids.split_at(6);
    let given = given.join("\n");
    let found = report(&["--predict", "3"], &*given, 1);
    let printed = format!("next     {}\n           {}\n           {}\n", next[0], next[1], next[2]);
    assert!(found.contains(&printed) && !found.contains(next[3]), "{found}");
    // One by default.
    let found = report(&[], &*given, 1);
    assert!(found.contains(next[0]) && !found.contains(next[1]), "{found}");
    let found = json(&["--predict", "2", "--require", "unguessable"], &*given, 1);
    assert_eq!(found["predicted"][0]["next"], serde_json::json!(next[..2]));
    assert_eq!(found["unmet"][0]["requirement"], "unguessable");
    // What others require does not depend on it, and no digit is made up for ids of a secure source.
    report(&["--require", "no-duplicates"], &*given, 0);
    let secure = json(&["--predict", "3"], output(&["new", "v4", "-n", "50"], ""), 0);
    assert_eq!(secure["predicted"], serde_json::json!([]));
    let (code, message) = failure(&["check", "--predict", "10001"], "");
    assert!(code == 2 && message.contains("from 0 to 10000"), "{message}");
}

/// The help lists the rules by hand, because it is one text.
#[test]
fn the_help_names_every_rule() {
    let help = lines_of(output(&["check", "--help"], "")).join(" ");
    for rule in idgen_check::RULES {
        assert!(help.contains(&format!(" {}", rule.name)), "{}", rule.name);
    }
}

#[test]
fn a_file_in_the_place_of_ids_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ids.txt");
    std::fs::write(&file, TWO).unwrap();
    let name = file.to_str().unwrap();
    for (args, code) in [
        (&["check", name][..], 2),
        (&["check", "--json", name], 2),
        (&["convert", "--to", "base64", name], 1),
        (&["inspect", name], 1),
    ] {
        let (found, message) = failure(args, "");
        assert_eq!(found, code, "{message}");
        assert!(message.contains("is a file: to read its ids, put < before its name"), "{message}");
    }
    // The value of an option is no argument in the place of ids.
    let (_, message) = failure(&["check", "--stream", &format!("a={name}"), "--bogus", name], "");
    assert!(message.contains("--bogus") && !message.contains("is a file"), "{message}");
    let (_, message) = failure(&["check", "no-such-file.txt"], "");
    assert!(message.contains("unexpected argument") && !message.contains("is a file"), "{message}");
}
