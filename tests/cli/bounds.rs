//! `idgen bounds`.

use crate::{failure, lines, noted};

const DAY: [&str; 4] = ["--from", "2026-11-21T00:00:00Z", "--until", "2026-11-22T00:00:00Z"];

fn ranges(args: &[&str]) -> Vec<(String, String)> {
    let all = [&["bounds"], args].concat();
    let split = |line: &String| line.split_once('\t').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    lines(&all).iter().map(split).collect()
}

#[test]
fn ids_of_a_time_lie_between_its_bounds() {
    for (kind, more) in [
        ("v1", &["-f", "swapped", "--hex"][..]),
        ("v6", &[]),
        ("v7", &[]),
        ("v7", &["-f", "ordered64"]),
        ("v7", &["--upper"]),
        ("v6", &["-f", "binary", "--hex"]),
        ("ulid", &[]),
        ("week", &[]),
        ("prefixed", &[]),
        ("prefixed", &["--interval", "hour", "--tail", "random-v8"]),
        ("prefixed", &["--prefix", "sequential", "--bits", "3"]),
        ("fixed-prefix", &["--fixed", "ff"]),
        ("short", &[]),
        ("mysql-short", &["--server-id", "200"]),
    ] {
        let found = ranges(&[&[kind], more, &DAY[..]].concat());
        for (moment, within) in [
            ("2026-11-20T23:59:59.9999999Z", kind == "week"),
            ("2026-11-21T00:00:00Z", true),
            ("2026-11-21T23:59:59.9999999Z", true),
            // Another week, which begins on Sunday.
            ("2026-11-22T00:00:00Z", false),
        ] {
            let (made, _) = noted(&[&["new", kind, "-n", "3", "--at", moment], more].concat(), "");
            for id in String::from_utf8(made).unwrap().lines() {
                let number = |text: &str| text.parse::<u64>().ok().filter(|_| kind.ends_with("short"));
                let inside = found.iter().any(|(first, last)| match number(id) {
                    Some(id) => number(first).unwrap() <= id && id <= number(last).unwrap(),
                    None => **first <= *id && *id <= **last,
                });
                assert_eq!(inside, within, "{kind} {more:?} {id} of {moment}: {found:?}");
            }
        }
    }
    assert_eq!(ranges(&[&["prefixed", "--interval", "hour"], &DAY[..]].concat()).len(), 24);
}

#[test]
fn bounds_are_the_known_values() {
    assert_eq!(
        lines(&[&["bounds", "v7"], &DAY[..]].concat()),
        ["01a1fb67-1800-7000-8000-000000000000\t01a2008d-73ff-7fff-bfff-ffffffffffff"]
    );
    assert_eq!(
        lines(&["bounds", "ulid", "--at", "2016-07-30T22:36:16.385Z", "--json"]),
        ["{\"first\":\"01ARYZ6S410000000000000000\",\"last\":\"01ARYZ6S41ZZZZZZZZZZZZZZZZ\"}"]
    );
}

#[test]
fn bounds_that_do_not_exist_are_refused() {
    for (args, says) in [
        (&["v4"][..], "v4 ids contain no time"),
        (&["v1", "-f", "hyphenated"], "choose swapped"),
        (&["v7", "-f", "base64"], "choose ordered64"),
        (&["v7", "-f", "swapped"], "choose binary"),
        (&["short", "-f", "hyphenated"], "choose int"),
        (&["v7", "--interval", "day"], "--interval does not apply to v7"),
        (&["prefixed", "--interval", "1s"], "more than 65536 intervals"),
    ] {
        let (code, error) = failure(&[&["bounds"], args, &DAY[..]].concat(), "");
        assert!(code == 2 && error.contains(says), "{error}");
    }
    let backwards = ["bounds", "v7", "--from", DAY[3], "--until", DAY[1]];
    assert!(failure(&backwards, "").1.contains("do not begin before they end"));
    let late = ["bounds", "short", "--at", "2106-02-07T06:28:16Z"];
    assert!(failure(&late, "").1.contains("1970-01-01T00:00:00Z to 2106-02-07T06:28:15Z"));
}
