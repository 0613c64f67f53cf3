//! Invalid command lines: exit code 2, and an error that says what to do.

use crate::{failure, idgen};

#[test]
fn invalid_options_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "0123456789abcdef").unwrap();
    let keyed = format!("keyed:{}", key.display());
    for (args, expected) in [
        (&["new"][..], "<KIND>"),
        (&["new", "v2"], "v1, v4, v6, v7, ulid, week, prefixed, fixed-prefix, short, mysql-short"),
        (&["new", "v7", "-n", "-1"], "'-1' is not a whole number"),
        (&["new", "prefixed", "--bits", "-1"], "'-1' is not a whole number from 0 to"),
        (&["new", "v7", "-n", "many"], "such as 500, 1_000_000, 20K, 3M or 1G"),
        (&["new", "v7", "-n", "+5"], "'+5' is not a whole number"),
        (&["new", "v7", "-n", "05"], "'05' is not a whole number"),
        (&["new", "v7", "-n", "1__0"], "'1__0' is not a whole number"),
        (&["new", "v7", "-n", "18446744073709551616"], "is too large: give at most 18446744073709551615"),
        (&["new", "uuid7"], "'v7'"),
        (&["new", "UUIDv4"], "'v4'"),
        (&["new", "uuid-v6"], "'v6'"),
        (&["new", "uuid_short"], "'mysql-short'"),
        (&["new", "ulidd"], "'ulid'"),
        (&["bounds", "v7"], "give --from and --until, or --at"),
        (&["bounds", "v7", "--from", "2026-11-21T12:00:00Z"], "--until"),
        (&["new", "v7", "-f", "base65"], "base64"),
        (&["new", "v7", "--hex"], "hyphenated is text already"),
        (&["convert", "--to", "int", "--hex", "1"], "--hex is for the formats binary and swapped"),
        (&["convert", "--to", "int", "--from", "base64", "--hex"], "--hex is for the formats"),
        (&["inspect", "--hex", "1"], "--hex is for the formats binary and swapped"),
        (&["new", "v4", "--at", "2026-11-21T12:00:00Z"], "--at does not apply to v4"),
        (&["new", "v7", "--at", "yesterday"], "such as 2026-11-21T12:00:00Z"),
        (&["new", "v7", "--at", "2026-11-21T12:00:00"], "such as 2026-11-21T12:00:00Z"),
        (
            &["new", "v7", "--at", "40000-12-31T23:59:59Z"],
            "choose one from the year -27258 to the year 31197",
        ),
        (&["new", "v7", "--node", "mac"], "--node does not apply to v7, only to v1, v6, short"),
        (&["new", "v1", "--node", "9f6bdeced84"], "twelve hex digits"),
        (&["new", "v7", "--server-id", "1"], "only to mysql-short"),
        (&["new", "mysql-short", "--server-id", "256"], "the servers 256 and 0 would make the same ids"),
        (&["new", "mysql-short", "--server-id", "4294967295"], "that byte, 255"),
        (&["new", "mysql-short", "--server-id", "4294967296"], "is not a whole number from 0 to"),
        (&["new", "v7", "--forget-state-beyond", "2026-11-21T12:00:00Z"], "--state"),
        (&["new", "mysql-short", "--server-id", "-1"], "'-1' is not a whole number from 0 to"),
        (&["new", "short", "-f", "hyphenated"], "no form hyphenated, only int"),
        (&["new", "week", "--interval", "minute"], "only to prefixed"),
        (&["new", "week", "--utc-offset", "2"], "such as +02:00"),
        (&["new", "week", "--utc-offset", "+15:00"], "14 hours"),
        (&["new", "week", "--state", "s"], "--state does not apply to week"),
        (&["new", "prefixed", "--prefix", "md5-week", "--interval", "minute"], "every \"minute\""),
        (&["new", "prefixed", "--prefix", "md5"], "md5-week, sequential or keyed:KEYFILE"),
        (&["new", "prefixed", "--prefix", "keyed"], "keyed:ids.key"),
        (&["new", "prefixed", "--prefix", "keyed:"], "keyed:ids.key"),
        (&["new", "prefixed", "--prefix", &keyed, "--bits", "8"], "--bits needs a sequential prefix"),
        (
            &["new", "prefixed", "--writer", "a", "--prefix", "md5-week"],
            "--writer needs a sequential or keyed prefix",
        ),
        (&["new", "prefixed", "--writer", "a", "--tail", "random"], "--writer needs an ascending tail"),
        (&["new", "prefixed", "--writer", "a", "--bits", "8"], "--bits needs a prefix without --writer"),
        (&["new", "prefixed", "--bits", "17"], "17"),
        (&["new", "prefixed", "--utc-offset", "+01:00"], "--utc-offset needs an md5-week prefix"),
        (&["new", "prefixed", "--tail", "random", "--state", "s"], "--state needs an ascending tail"),
        (&["new", "prefixed", "--prefix", &keyed, "--interval", "50d"], "49 days"),
        (&["inspect", "--interval", "50d", "6ccd780c-baba-1026-9564-5b8c656024db"], "49 days"),
        (&["new", "fixed-prefix", "--fixed", "fffffffff"], "hexadecimal digits"),
        (&["new", "v7", "--fixed", "ff"], "only to fixed-prefix"),
        (&["new", "prefixed", "--interval", "0s"], "whole seconds"),
        (&["new", "prefixed", "--interval", "fortnight"], "minute, ten-minutes"),
        (&["new", "v7", "--when-behind", "restart", "--state", "s"], "another run"),
        (&["new", "short", "--when-behind", "restart", "--node", "9f6bdeced846"], "a random node"),
        (&["convert"], "--to"),
        (&["completions", "tcsh"], "bash"),
        (&["convert", "--to", "int", "-P6xMXtjRo1C2gQBJY5OyV"], "put -- before the ids"),
        (&["convert", "-t6xMXtjRo1C2gQBJY5OyV"], "put -- before the ids"),
        (&["inspect", "1", "-P6xMXtjRo1C2gQBJY5OyV"], "put -- before the ids"),
        (&["map", "id", "--url", "none", "-P6xMXtjRo1C2gQBJY5OyV"], "put -- before the ids"),
        // One in 4,096 ids in base64url begins so: clap would print the help and succeed.
        (&["inspect", "-h6xMXtjRo1C2gQBJY5Oyg"], "put -- before the ids"),
        (&["convet"], "'convert'"),
    ] {
        let (code, error) = failure(args, "");
        assert_eq!(code, 2, "{args:?}: {error}");
        assert!(error.starts_with("error: ") && error.contains(expected), "{args:?}: {error}");
        assert!(error.contains("--help"), "{args:?}: {error}");
    }
}

#[test]
fn moments_that_a_kind_cannot_hold_are_refused() {
    for (kind, at) in [
        ("v7", "1969-12-31T23:59:59Z"),
        ("ulid", "1969-12-31T23:59:59Z"),
        ("prefixed", "1969-12-31T23:59:59Z"),
        ("v1", "1582-10-14T23:59:59Z"),
        ("v6", "5236-04-01T00:00:00Z"),
        ("short", "1969-12-31T23:59:59Z"),
        ("short", "2106-02-07T06:28:16Z"),
        ("mysql-short", "2106-02-07T06:28:16Z"),
    ] {
        // With a state, so that mysql-short prints no note.
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let (code, error) = failure(&["new", kind, "--at", at, "--state", state.to_str().unwrap()], "");
        assert_eq!(code, 2, "{kind} {at}: {error}");
        assert!(error.starts_with("error: ") && error.contains("--help"), "{kind} {at}: {error}");
        assert!(error.contains(at) && error.contains(" to "), "{kind} {at}: {error}");
    }
}

#[test]
fn bad_key_files_are_named_and_their_content_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let missing = folder.path().join("missing");
    for (path, expected) in [
        (file("short", "hunter2\n"), "7 bytes"),
        (file("empty", ""), "0 bytes"),
        (file("newline", "\n"), "0 bytes"),
        (file("two", "hunter2hunter2hunter2\n\n"), "more than one line end"),
        (file("mark", "\u{feff}hunter2hunter2hunter2"), "byte order mark"),
        (file("spaces", "hunter2hunter2hunter2 \n"), "a space"),
        (file("ring", "idgen seal ring\nbegin hunter2hunter2hunter2\n"), "a ring of keys"),
        (file("zeros", &"\0".repeat(32)), "one byte, repeated"),
        (file("huge", &"secret".repeat(20_000)), "longer than"),
        (missing, "No such file"),
        (folder.path().to_path_buf(), "directory"),
    ] {
        let (code, error) =
            failure(&["new", "prefixed", "--prefix", &format!("keyed:{}", path.display())], "");
        assert_eq!(code, 1, "{error}");
        assert!(error.contains(expected) && error.contains(path.to_str().unwrap()), "{error}");
        assert!(!error.contains("hunter2") && !error.contains("secret"), "{error}");
    }
}

/// A character that cannot be seen would make an error look as if nothing were wrong.
#[test]
fn errors_show_characters_that_cannot_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let id = "6ccd780c-baba-1026-9564-5b8c656024db";
    let schema = file("s.sql", "\u{200b}CREATE TABLE t (id {key_type} PRIMARY KEY)");
    let insert = file("i.sql", "INSERT INTO t (id) VALUES (?)");
    for hidden in ["\u{feff}", "\u{200b}", "\u{202e}", "\u{a0}", "\u{1b}[2J", "\u{2028}"] {
        let id = format!("{hidden}{id}");
        for (args, input) in [
            (&["convert", "-t", "int", &id][..], ""),
            (&["convert", "-t", "int", "--from", "hyphenated", &id], ""),
            (&["convert", "-t", "int"], &*format!("1\n{id}\n")),
            (&["inspect", &id], ""),
            (&["new", &format!("{hidden}v7")], ""),
            (&["new", "v7", "-n", &format!("{hidden}5")], ""),
            (&["new", "v7", "--at", &format!("{hidden}2026-11-21T12:00:00Z")], ""),
            (&["new", "prefixed", "--interval", &format!("{hidden}day")], ""),
            (&["new", "v1", "--node", &format!("{hidden}9f6bdeced846")], ""),
            (&["new", "v7", &format!("--{hidden}n")], ""),
            (&["odds", "v4", "--rate", &format!("{hidden}5")], ""),
            (&["lab", "report", &format!("{hidden}run")], ""),
        ] {
            let error = failure(args, input).1;
            let shown: String = hidden.chars().take(1).flat_map(char::escape_default).collect();
            assert!(!error.contains(hidden), "{args:?}: {error}");
            // Clap leaves control characters out.
            assert!(error.contains(&shown) || hidden.starts_with('\u{1b}'), "{args:?}: {error}");
            assert_eq!(error.contains("byte order mark"), hidden == "\u{feff}", "{args:?}: {error}");
        }
    }
    let error = failure(&["lab", "run", "--schema", &schema, "--insert", &insert], "").1;
    assert!(!error.contains('\u{200b}') && error.contains("\\u{200b}"), "{error}");
}

#[test]
fn an_error_shows_the_usage_of_its_own_subcommand() {
    for args in [
        &["lab", "pages", "orders.ibd", "--picture", "orders.gif"][..],
        &["lab", "simulate", "v4-binary", "--rows", "0"],
    ] {
        let (code, error) = failure(args, "");
        assert_eq!(code, 2, "{error}");
        assert!(error.contains(&format!("Usage: idgen lab {} ", args[1])), "{error}");
    }
}

#[test]
fn the_version_is_printed_and_a_call_without_a_subcommand_is_refused() {
    idgen(&["--version"]).assert().success().stdout(format!("idgen {}\n", env!("CARGO_PKG_VERSION")));
    let (code, usage) = failure(&[], "");
    assert_eq!((code, usage.contains("Usage: idgen")), (2, true), "{usage}");
}
