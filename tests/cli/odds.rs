//! `idgen odds`.

use crate::{failure, lines};

#[test]
fn odds_are_the_known_values() {
    let fleet = ["--devices", "1", "--rate", "1e9", "--years", "1"];
    let answer = lines(&[&["odds", "v4", "--json"], &fleet[..]].concat());
    let answer: serde_json::Value = serde_json::from_str(&answer[0]).unwrap();
    let p = answer["probability"].as_f64().unwrap();
    assert!((9.3e-5..9.4e-5).contains(&p), "{p}");
    assert_eq!((&answer["kind"], &answer["devices"]), (&"v4".into(), &1.into()));

    // One generator never repeats an id.
    let text = lines(&[&["odds", "short"], &fleet[..]].concat()).join("\n");
    assert!(text.contains("0: it cannot happen"), "{text}");
    for (devices, years, expected) in
        [("2", "1e-9", "one chance in"), ("100", "5", " %"), ("5000", "5", "above 99.99 %")]
    {
        let fleet = ["odds", "short", "--devices", devices, "--rate", "0.1", "--years", years];
        let text = lines(&fleet).join("\n");
        assert!(text.contains(expected) && text.contains("2^-32"), "{text}");
    }
    // Expected pairs are pairs of ids: the two devices share a node once in 65,536 times, and then every id.
    let fleet = ["--devices", "2", "--rate", "65_536", "--years", "1", "--json"];
    let answer = lines(&[&["odds", "short"], &fleet[..]].concat());
    let answer: serde_json::Value = serde_json::from_str(&answer[0]).unwrap();
    assert_eq!(
        answer["expected_collisions"].as_f64().map(|pairs| pairs.round()),
        Some(31_557_600.0),
        "{answer}"
    );
    assert!(answer["probability"].as_f64().unwrap() < 1.6e-5, "{answer}");
    let text = lines(&["odds", "v4", "--devices", "1K", "--rate", "50M", "--years", "0.5"]).join("\n");
    assert!(text.contains("pairs of equal ids among"), "{text}");
}

#[test]
fn only_prefixed_ids_take_an_interval() {
    let fleet = ["--devices", "9", "--rate", "1e6", "--years", "1", "--json"];
    let p = |more: &[&str]| -> f64 {
        let answer = lines(&[&["odds", "prefixed"], more, &fleet[..]].concat());
        serde_json::from_str::<serde_json::Value>(&answer[0]).unwrap()["probability"].as_f64().unwrap()
    };
    let (minute, month) =
        (p(&["--tail", "random", "--interval", "minute"]), p(&["--tail", "random", "--interval", "month"]));
    assert!(0.0 < minute && minute < month, "{minute} {month}");
    assert_eq!(p(&["--tail", "ascending", "--interval", "day"]), p(&[]));
    let (code, error) = failure(&[&["odds", "v4", "--interval", "day"], &fleet[..]].concat(), "");
    assert_eq!((code, error.contains("only to prefixed")), (2, true), "{error}");
}

#[test]
fn impossible_fleets_are_refused() {
    for (devices, rate, years) in
        [("0", "1", "1"), ("1", "inf", "1"), ("1", "1", "NaN"), ("1", "1", "x"), ("1.5", "1", "1")]
    {
        let (code, error) =
            failure(&["odds", "v4", "--devices", devices, "--rate", rate, "--years", years], "");
        assert_eq!((code, error.starts_with("error: ")), (2, true), "{error}");
    }
    for (devices, rate, years, says) in [
        ("-1", "1", "1", "'-1' is not a whole number"),
        ("1", "-1", "1", "'-1' is not a number such as"),
        ("1", "+1", "1", "'+1' is not a number such as"),
        ("1", "1", "-1e3", "'-1e3' is not a number such as"),
        ("+1", "1", "1", "'+1' is not a whole number"),
    ] {
        let (code, error) =
            failure(&["odds", "v4", "--devices", devices, "--rate", rate, "--years", years], "");
        assert_eq!((code, error.contains(says)), (2, true), "{error}");
    }
}
