//! Values that a strict server would store differently than they were sent, with a note at most.

use idgen_mysql::sync::{Outcome, Value};
use idgen_server::Database;

use crate::common::on_both;
use crate::sync::APPLIED;
use crate::sync_rows::{put, tables, text};

on_both!(
    texts_that_are_longer_than_their_column_are_refused,
    times_of_other_forms_are_refused,
    numbers_that_would_be_rounded_are_refused,
    members_with_odd_characters_are_stored
);

/// A column's type, and values. The SQL expression is what the server stores; `None` is for a value that is refused.
type Case = (&'static str, Vec<(Value, Option<String>)>);

async fn check(database: Database, cases: &[Case]) {
    let schema: Vec<String> = (0..)
        .zip(cases)
        .map(|(at, (kind, _))| format!("CREATE TABLE v{at} (id BIGINT UNSIGNED PRIMARY KEY, v {kind} NULL)"))
        .collect();
    let names: Vec<String> = (0..cases.len()).map(|at| format!("v{at}")).collect();
    let mut synced = tables(database, &schema, &names).await;
    let mut wrong = Vec::new();
    let mut row = 0;
    for (name, (kind, values)) in names.iter().zip(cases) {
        for (value, stored) in values {
            row += 1;
            let answer = synced.apply(&[put(name, row, 1, [("v", value.clone())])]).await;
            let outcome = &answer.outcomes()[0];
            let is_right = match stored {
                None => matches!(outcome, Outcome::Refused(_)),
                Some(stored) => {
                    // The newest integer is that of this row.
                    let is = format!("SELECT v = {stored} FROM {name} ORDER BY id DESC LIMIT 1");
                    *outcome == APPLIED && synced.number(is).await == Ok(1)
                }
            };
            if !is_right {
                wrong.push(format!("{kind} {value:?}: {outcome:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{database}:\n{}", wrong.join("\n"));
}

fn bytes(bytes: &[u8]) -> Value {
    Value::Bytes(bytes.to_vec())
}

/// Stored as it is.
fn kept(value: &str) -> (Value, Option<String>) {
    (text(value), Some(format!("'{value}'")))
}

fn stored(value: &str, stored: &str) -> (Value, Option<String>) {
    (text(value), Some(stored.to_owned()))
}

fn refused(value: &str) -> (Value, Option<String>) {
    (text(value), None)
}

/// A server cuts off white space without an error: blanks, tabs, and ends of lines.
async fn texts_that_are_longer_than_their_column_are_refused(database: Database) {
    let long = |letter: &str, count: usize, end: &str| text(&(letter.repeat(count) + end));
    let ends = ["\n\n\n", "\t\t", "\r\n", "\u{b}\u{b}", "\u{c}\u{c}", "  ", "\n "];
    let refused_ends = |letter: &'static str, count: usize| {
        ends.iter().map(|end| (long(letter, count, end), None)).collect::<Vec<_>>()
    };
    let fits = |letter: &str, count: usize, end: &str, sql: &str| {
        let stored = format!("CONCAT(REPEAT('{letter}', {count}), {sql})");
        (long(letter, count, end), Some(stored))
    };
    let mut utf8 = refused_ends("x", 254);
    utf8.extend([fits("x", 254, "\n", "'\\n'"), (bytes(&[&[b'x'; 255], &b"\n"[..]].concat()), None)]);
    let mut latin = refused_ends("é", 254);
    latin.extend([fits("é", 254, "\n", "'\\n'"), (bytes(&[&[0xe9; 255], &b"\t"[..]].concat()), None)]);
    let short = vec![
        (bytes(b"\xe9bcde\n"), None),
        (bytes(b"\xe9bcde\t\t"), None),
        (bytes("ébcd\n".as_bytes()), None),
        (text("ébcd\n"), Some("'ébcd\\n'".to_owned())),
        (text("ébcde\n"), None),
    ];
    check(
        database,
        &[
            ("TINYTEXT CHARACTER SET utf8mb4", utf8),
            ("TINYTEXT CHARACTER SET latin1", latin),
            ("TINYTEXT CHARACTER SET utf16", refused_ends("x", 127)),
            ("TINYTEXT CHARACTER SET gbk", refused_ends("中", 127)),
            ("VARCHAR(5) CHARACTER SET latin1", short.clone()),
            ("CHAR(5) CHARACTER SET latin1", short),
        ],
    )
    .await;
}

async fn times_of_other_forms_are_refused(database: Database) {
    let at = "2026-01-01 10:11:12";
    check(
        database,
        &[
            (
                "TIME(2)",
                vec![
                    kept("10:11:12.55"),
                    kept("-838:59:59"),
                    stored("10:11", "'10:11:00'"),
                    stored("1 10:11:12", "'34:11:12'"),
                    stored("101112", "'10:11:12'"),
                    refused("10:11:12 5"),
                    refused(""),
                    refused("10.11.12.55"),
                    refused("10:11:12.555"),
                    refused("10:11:12.55.5"),
                    refused("2026-01-01"),
                ],
            ),
            (
                "DATETIME(2)",
                vec![
                    stored("2026-01-01T10:11:12", &format!("'{at}'")),
                    stored("2026/1/1 10:11:12.5500", &format!("'{at}.55'")),
                    stored("20260101101112.5", &format!("'{at}.5'")),
                    stored("20260101T101112", &format!("'{at}'")),
                    stored("2026-01-01 10:11", "'2026-01-01 10:11:00'"),
                    kept("2026-01-01"),
                    refused("2026.01.01 10:00:00.5555"),
                    refused("2026-01-01 10.11.12.5555"),
                    refused("2026-01-01 10.5"),
                    refused("2026-01-01 10:11.5"),
                    refused("20260101.5"),
                    refused("2026^01^01 10*11*12"),
                    refused("2026-01-01+02:00"),
                    refused(""),
                ],
            ),
            (
                "TIMESTAMP(3)",
                vec![
                    stored("2026-01-01 10:11:12.123", &format!("'{at}.123'")),
                    refused("2026-01-01+02:00"),
                    refused("2026.01.01 10:00:00.5555"),
                ],
            ),
            ("DATE", vec![kept("2026-01-01"), refused("2026-01-01 "), refused("2026-1-1 +")]),
        ],
    )
    .await;
}

async fn numbers_that_would_be_rounded_are_refused(database: Database) {
    let float = |number: f64, stored: Option<&str>| (Value::Float(number), stored.map(str::to_owned));
    check(
        database,
        &[
            (
                "BIGINT",
                vec![
                    float(9_223_372_036_854_775_808.0, None),
                    float(-9_223_372_036_854_775_808.0, Some("-9223372036854775808")),
                    float(9_223_372_036_854_774_784.0, None),
                    float(9.1e18, Some("9100000000000000000")),
                    float(1e18, Some("1000000000000000000")),
                ],
            ),
            (
                "BIGINT UNSIGNED",
                vec![
                    (Value::UInt(u64::MAX), Some("18446744073709551615".to_owned())),
                    float(18_446_744_073_709_551_616.0, None),
                ],
            ),
            (
                "FLOAT",
                vec![
                    float(16_777_216.0, Some("16777216")),
                    float(0.5, Some("0.5")),
                    stored("1.6777216e7", "16777216"),
                    stored("167772160e-1", "16777216"),
                    float(16_777_217.0, None),
                    refused("16777217e0"),
                    refused("1.6777217e7"),
                    refused("167772170e-1"),
                ],
            ),
            ("DOUBLE", vec![refused("9007199254740993e0"), stored("9007199254740992e0", "9007199254740992")]),
        ],
    )
    .await;
}

/// The catalog shows labels with escapes, and `?` for characters that it cannot hold.
async fn members_with_odd_characters_are_stored(database: Database) {
    let binary = |hex: &str| Some(format!("CONVERT(X'{hex}' USING utf8mb4)"));
    let same = |value: &str| {
        let hex = value.bytes().map(|byte| format!("{byte:02X}")).collect::<String>();
        (text(value), binary(&hex))
    };
    let labels = "('a\\\\b','it''s','x\\ny','é','😀','what?','1')";
    let (one, some) =
        (format!("ENUM{labels} CHARACTER SET utf8mb4"), format!("SET{labels} CHARACTER SET utf8mb4"));
    let all =
        || vec![same("a\\b"), same("it's"), same("x\ny"), same("é"), same("😀"), same("what?"), same("1")];
    let none = || ["a\\\\b", "x\\ny", "?", "what😀", "A", "2"].map(|value| (text(value), None));
    let (one, some): (&'static str, &'static str) = (one.leak(), some.leak());
    let mut both = [all(), all()];
    both.iter_mut().for_each(|values| values.extend(none()));
    both[1].push(same("a\\b,😀"));
    let [of_one, of_some] = both;
    check(database, &[(one, of_one), (some, of_some)]).await;
}
