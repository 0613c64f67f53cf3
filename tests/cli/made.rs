//! The ids that `idgen new` generates.

use std::collections::HashSet;

use ::idgen::{Kind, Setting, Timestamp};

use crate::{failure, lines, lines_of, noted, uuid_kinds, vectors};

#[test]
fn each_kind_has_its_length_and_version() {
    for kind in Kind::ALL {
        let (ids, _) = noted(&["new", kind.name()], "");
        let ids = lines_of(ids);
        assert_eq!(ids.len(), 1, "{kind}");
        match kind.facts().version {
            Some(version) => {
                assert_eq!((ids[0].len(), &ids[0][14..15]), (36, &*version.to_string()), "{kind}")
            }
            None if kind.bits() == 128 => assert_eq!(ids[0].len(), 26, "{kind}"),
            None => assert!(ids[0].parse::<u64>().is_ok(), "{kind}"),
        }
    }
    assert_eq!(lines(&["new", "v7", "-n", "0"]), [""; 0]);
    for count in ["1_000", "1K"] {
        assert_eq!(lines(&["new", "V7", "-n", count, "-f", "Simple"]).len(), 1_000);
    }
}

#[test]
fn many_ids_are_complete_distinct_and_in_order() {
    const COUNT: usize = 200_000;
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    for kind in Kind::ALL {
        let mut args = vec!["new", kind.name(), "-n", "200000"];
        // With a fixed time, short ids need no wait, and the ascending kinds fill whole units of time.
        if kind.has(Setting::Clock) {
            args.extend(["--at", "2026-11-21T12:00:00Z"]);
        }
        // Without a state file, mysql-short prints a note.
        if *kind == Kind::MysqlShort {
            args.extend(["--state", state.to_str().unwrap()]);
        }
        let ids = lines(&args);
        assert_eq!(ids.len(), COUNT, "{kind}");
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), COUNT, "{kind}");
        if kind.facts().is_ascending {
            assert!(ids.is_sorted(), "{kind}");
        }
    }
}

#[test]
fn week_prefixes_are_those_of_mysql() {
    let vectors = vectors("mysql-9.7.json");
    let weeks = vectors["week_prefix"].as_array().unwrap();
    assert!(weeks.len() > 200);
    for week in weeks {
        let (utc, prefix) = (week["utc"].as_str().unwrap(), week["prefix"].as_str().unwrap());
        let ids = lines(&["new", "week", "--at", utc, "-n", "2"]);
        assert!(ids.iter().all(|id| id.starts_with(prefix)), "{utc} {prefix}: {ids:?}");
        assert_ne!(ids[0], ids[1]);
        // A session two hours ahead of UTC has that local time two hours earlier.
        let local = utc.replace('Z', "+02:00");
        let ids =
            lines(&["new", "prefixed", "--prefix", "md5-week", "--utc-offset", "+02:00", "--at", &local]);
        assert!(ids[0].starts_with(prefix), "{local} {prefix}: {ids:?}");
    }
}

#[test]
fn time_fields_are_those_of_rfc_9562() {
    let vectors = vectors("rfc9562.json");
    let mut seen = 0;
    for vector in vectors["vectors"].as_array().unwrap() {
        let Some(utc) = vector["utc"].as_str() else { continue };
        let kind = format!("v{}", vector["version"]);
        let expected = vector["uuid"].as_str().unwrap();
        let mut args = vec!["new", &kind, "--at", utc];
        args.extend(vector["node"].as_str().iter().flat_map(|node| ["--node", node]));
        let id = &lines(&args)[0];
        // The time and the version; in version 7, the counter follows them.
        let known = if kind == "v7" { 15 } else { 18 };
        assert_eq!(id[..known], expected[..known], "{kind}");
        if kind != "v7" {
            assert_eq!(id[24..], expected[24..], "{kind}");
        }
        seen += 1;
    }
    assert_eq!(seen, 3);
}

#[test]
fn mysql_short_ids_are_those_of_the_server() {
    let vectors = vectors("mysql-9.7.json");
    let live = vectors["uuid_short_live"].as_array().unwrap();
    let first = live[0]["short"].as_u64().unwrap();
    let startup = Timestamp::from_unix_secs((first >> 24 & 0xFFFF_FFFF) as i64).to_string();
    let count = live.len().to_string();
    let args = ["new", "mysql-short", "--server-id", "1", "--at", &startup, "-n", &count];
    let expected: Vec<_> = live.iter().map(|row| row["short"].to_string()).collect();
    let (ids, note) = noted(&args, "");
    assert_eq!(lines_of(ids), expected);
    assert!(note.contains("every other run") && note.contains("--at") && note.contains("--state"), "{note}");
    // From 128 on they need BIGINT UNSIGNED.
    for (server_id, is_signed) in [("127", true), ("128", false), ("255", false)] {
        let (ids, _) = noted(&["new", "mysql-short", "--server-id", server_id, "--at", &startup], "");
        assert_eq!(lines_of(ids)[0].parse::<i64>().is_ok(), is_signed, "{server_id}");
    }
    // Two runs in one second would generate the same ids, so a note warns of this.
    let (_, note) = noted(&["new", "mysql-short"], "");
    assert!(note.contains("within this second") && note.contains("--state"), "{note}");
}

#[test]
fn prefixes_follow_their_options() {
    let prefix = |args: &[&str]| {
        let all: Vec<_> = ["new", "prefixed"].into_iter().chain(args.iter().copied()).collect();
        lines(&all)[0][..4].to_string()
    };
    // 1800000000 s = 20833 days + 8 hours = 30000000 minutes.
    let at = ["--at", "2027-01-15T08:00:00Z"];
    assert_eq!(prefix(&at), format!("{:04x}", 20_833));
    assert_eq!(
        prefix(&[&at[..], &["--interval", "minute"]].concat()),
        format!("{:04x}", 30_000_000 % 65_536)
    );
    assert_eq!(
        prefix(&[&at[..], &["--interval", "60s", "--bits", "8"]].concat()),
        format!("{:04x}", 30_000_000 % 256)
    );
    for (tail, version) in [("random", '4'), ("random-v8", '8'), ("ascending", '8')] {
        let id = &lines(&["new", "prefixed", "--tail", tail])[0];
        assert_eq!(id.chars().nth(14), Some(version), "{tail}");
    }
}

#[test]
fn keyed_prefixes_differ_by_writer_and_hide_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        format!("keyed:{}", path.display())
    };
    let prefix = |file: &str, more: &[&str]| {
        let args = ["new", "prefixed", "--prefix", file, "--at", "2026-11-21T12:00:00Z"];
        lines(&[&args[..], more].concat())[0][..4].to_string()
    };
    let plain = path("plain", b"0123456789abcdef");
    // The reference value of tests/vectors/prefixed.json: interval 0 is the minute of the epoch.
    let epoch =
        ["new", "prefixed", "--prefix", &plain, "--interval", "minute", "--at", "1970-01-01T00:00:00Z"];
    assert_eq!(lines(&epoch)[0][..4], *"6fda");

    let writers = ["a", "b", "c"].map(|name| prefix(&plain, &["--writer", name]));
    let nobody = prefix(&plain, &[]);
    let distinct: HashSet<_> = writers.iter().chain([&nobody]).collect();
    assert_eq!(distinct.len(), 4);
    assert_eq!(prefix(&plain, &["--writer", "a"]), writers[0]);
    // One line end, which editors add, is not part of the key; two are refused.
    for (name, content) in [("lf", &b"0123456789abcdef\n"[..]), ("crlf", b"0123456789abcdef\r\n")] {
        assert_eq!(prefix(&path(name, content), &["--writer", "a"]), writers[0], "{name}");
    }
    let two = path("two", b"0123456789abcdef\n\n");
    let (code, error) = failure(&["new", "prefixed", "--prefix", &two], "");
    assert!(code == 1 && error.contains("more than one line end"), "{error}");
}

#[test]
fn fixed_prefixes_have_the_bits_that_were_given() {
    for (prefix, first) in
        [("ffffffff", "ffffffff-"), ("ffff", "ffff"), ("f", "f0"), ("0b11111111", "ff0"), ("00", "00")]
    {
        let id = &lines(&["new", "fixed-prefix", "--fixed", prefix, "--at", "2026-11-21T12:00:00Z"])[0];
        assert!(id.starts_with(first), "{prefix}: {id}");
    }
    assert!(lines(&["new", "fixed-prefix"])[0].starts_with("ffffffff-"));
}

#[test]
fn json_lines_have_the_fields_of_the_kind() {
    let json = |args: &[&str]| -> Vec<serde_json::Value> {
        let all: Vec<_> = ["new"].iter().chain(args).chain(&["--json"]).copied().collect();
        lines(&all).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let at = "2026-11-21T12:00:00Z";
    for kind in uuid_kinds() {
        let mut args = vec![kind, "-n", "3"];
        if kind != "v4" {
            args.extend(["--at", at]);
        }
        let ids = json(&args);
        assert_eq!(ids.len(), 3);
        for id in &ids {
            assert_eq!(id["kind"], *kind);
            assert_eq!(id["format"], if kind == "ulid" { "base32" } else { "hyphenated" }, "{kind}");
            assert_eq!(id["version"].is_null(), kind == "ulid");
            assert_eq!(
                id["prefix"].is_string(),
                ["week", "prefixed", "fixed-prefix"].contains(&kind),
                "{kind}"
            );
            if ["v1", "v6", "v7", "ulid"].contains(&kind) {
                assert_eq!(id["time"].as_str().unwrap()[..19], at[..19], "{kind}");
            }
            if ["v1", "v6"].contains(&kind) {
                assert_eq!(id["multicast"], true);
            }
        }
    }
    let ids = json(&["prefixed", "--at", at, "-n", "2"]);
    assert_eq!((&ids[0]["time"], ids[0]["tail_time"].is_null()), (&at.into(), true));
    assert_eq!(ids[0]["counter"].as_u64().unwrap() + 1, ids[1]["counter"].as_u64().unwrap());

    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, b"0123456789abcdef").unwrap();
    let key = format!("keyed:{}", key.display());
    let keyed =
        &json(&["prefixed", "--prefix", &key, "--interval", "minute", "--at", "2026-11-21T12:00:42Z"])[0];
    let named = ["--prefix", &key, "--writer", "a", "--interval", "minute", "--at", "2026-11-21T12:00:42Z"];
    let named = &json(&[&["prefixed"], &named[..]].concat())[0];
    assert_eq!((&named["round"], &named["offset_ms"]), (&456.into(), &42_000.into()), "{named}");
    assert!(named["writer_tag"].is_string() && keyed["writer_tag"].is_null(), "{named}");
    // Minute 29,921,040 since 1970.
    assert_eq!((&keyed["round"], &keyed["offset_ms"]), (&456.into(), &42_000.into()), "{keyed}");
    assert!(keyed["time"].is_null() && keyed["tail_time"].is_null(), "{keyed}");
    let short = &json(&["short", "--node", "9f6bdeced846", "--at", at])[0];
    assert_eq!((&short["device"]["node"], &short["device"]["time"]), (&"d846".into(), &at.into()));
    // The id is a JSON string, because the number exceeds what JSON readers hold exactly.
    assert!(short["id"].is_string() && short["mysql"].is_null());
    assert_eq!(short["format"], "int");
    let state = folder.path().join("state");
    let state = state.to_str().unwrap();
    let mysql = &json(&["mysql-short", "--server-id", "9", "--at", at, "--state", state])[0];
    assert_eq!((&mysql["mysql"]["server_id"], &mysql["mysql"]["startup"]), (&9.into(), &at.into()));

    let swapped = &json(&["v1", "-f", "swapped", "--at", at])[0];
    assert!(swapped["id"].as_str().unwrap().starts_with("11f1"), "{swapped}");
    assert_eq!(swapped["format"], "swapped");
}
