//! Reading of bytes: formats, line ends, limits, and bad input.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::io::{self, Read};

use common::*;
use idgen_check::{Checker, Form, Limits, Report, Status};

/// Gives so many bytes at a time, and an interruption before each.
struct Pieces<'a>(&'a [u8], usize, bool);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.2 = !self.2;
        if self.2 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = self.1.min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn read_with(bytes: &[u8], form: Form, limits: Limits) -> Report {
    let read = |piece: usize| {
        let mut checker = Checker::new(options());
        let stream = checker.stream("input");
        checker.read(stream, Pieces(bytes, piece, false), form, limits).unwrap();
        checker.finish().unwrap()
    };
    let whole = read(usize::MAX);
    for piece in [1, 7, 37] {
        assert_eq!(read(piece), whole, "pieces of {piece} bytes");
    }
    whole
}

fn read(text: &str) -> Report {
    read_with(text.as_bytes(), Form::Lines, Limits::default())
}

#[test]
fn each_format_is_read() {
    let id = v7(NOON_MS, 12_345);
    let mut text = String::from("\u{feff}");
    // The other formats of 26 characters cannot be distinguished from a ULID.
    let named = [idgen::codec::Format::Base32Hex, idgen::codec::Format::Base32Human];
    for &format in
        idgen::codec::Format::ALL.iter().filter(|format| format.is_text() && !named.contains(format))
    {
        let mut buffer = [0; idgen::codec::Format::MAX_LEN];
        text += std::str::from_utf8(format.encode(&id, &mut buffer)).unwrap();
        text += "\r\n";
    }
    let report = read(text.trim_end());
    let formats = report.formats.iter().map(|(_, count)| count).sum::<u64>();
    assert_eq!((report.bad, report.ids, formats), (0, text.lines().count() as u64, report.ids));
    // The text of 26 characters is a ULID, unless UUIDs are expected.
    assert_eq!(report.kinds.iter().map(|kind| kind.kind).collect::<Vec<_>>(), ["v7", "ulid"]);
    assert_found(&report, "one-kind", Status::Warns, "1 ulid");
    assert_eq!(report.duplicates.as_ref().unwrap().repeated, report.ids - 1);
    let report = read_with(text.as_bytes(), Form::UuidLines, Limits::default());
    assert_eq!(report.kinds.len(), 1);
    assert_eq!(read("12\n15\n14").kinds[0].kind, "short");
}

#[test]
fn binary_records_are_read() {
    let ids: Vec<u8> = (0..3_000).flat_map(|n| v7(NOON_MS + n, 5).into_bytes()).collect();
    let report = read_with(&ids, Form::Uuids, Limits::default());
    assert_eq!((report.ids, report.bad, report.kinds[0].kind), (3_000, 0, "v7"));
    let report = read_with(&ids[..40], Form::Ulids, Limits::default());
    assert_eq!((report.ids, report.bad, report.kinds[0].kind), (2, 1, "ulid"));
    assert_found(&report, "readable", Status::Fails, "8 bytes instead of 16");
    let report =
        read_with(&[0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 9], Form::Shorts, Limits::default());
    assert_eq!((report.ids, report.kinds[0].order.strict), (2, true));
}

#[test]
fn bad_lines_are_counted_with_their_numbers() {
    let good = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
    let long = "x".repeat(400_000);
    let report = read(&format!("{good}\n\n{good} \n{long}\n{good}\n\u{201c}\nno id"));
    assert_eq!((report.ids, report.bad), (2, 5));
    let verdict = verdict(&report, "readable");
    assert_eq!(verdict.places.iter().map(|place| place.line).collect::<Vec<_>>(), [2, 3, 4, 6, 7]);
    assert!(verdict.found.starts_with("5 lines are no ids: the line is empty"), "{}", verdict.found);
    assert_eq!(report.duplicates.as_ref().unwrap().first[0].again.line, 5);
    assert_eq!(report.unmet("readable".parse().unwrap()).unwrap(), verdict.found);
}

#[test]
fn reading_ends_at_the_limit() {
    let text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n".repeat(5_000) + "bad\n";
    let most = |most| Limits { most: Some(most), live: false };
    assert_eq!(read_with(text.as_bytes(), Form::Lines, most(4_321)).ids, 4_321);
    assert_eq!(read_with(text.as_bytes(), Form::Lines, most(0)).ids, 0);
    assert_eq!(read_with(text.as_bytes(), Form::Lines, most(9_999)).bad, 1);
    assert_eq!(read_with(&[1; 160], Form::Uuids, most(7)).ids, 7);
}

#[test]
fn an_input_without_ids_meets_no_requirement() {
    let report = read("");
    assert_eq!((report.ids, report.worst()), (0, Status::Holds));
    assert_eq!(report.unmet("no-duplicates".parse().unwrap()).unwrap(), "there is no id");
}

#[test]
fn mixed_case_is_reported() {
    let small = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
    let report = read(&format!("{small}\n{}\n{small}\n", small.to_uppercase()));
    assert_found(&report, "one-case", Status::Warns, "1 of 3");
    assert_eq!(verdict(&report, "one-case").places[0].line, 2);
    let report = read(&format!("{{{}}}\nurn:uuid:{}\n", small.to_uppercase(), small.to_uppercase()));
    assert_found(&report, "one-case", Status::Holds, "uppercase");
    assert_eq!(read("12\n").verdicts_of("one-case").count(), 0);
}

#[test]
fn kinds_of_the_rfc_and_others() {
    let report = read(
        "00000000-0000-0000-0000-000000000000\nffffffff-ffff-ffff-ffff-ffffffffffff\n\
        017f22e2-79b0-9cc3-98c4-dc0c0c07398f\n017f22e2-79b0-7cc3-18c4-dc0c0c07398f\n",
    );
    let names: Vec<_> = report.kinds.iter().map(|kind| kind.kind).collect();
    assert!(["nil", "max", "v9", "other-variant"].iter().all(|name| names.contains(name)), "{names:?}");
    let failing: Vec<_> = report.verdicts_of("variant").filter(|v| v.status == Status::Fails).collect();
    assert_eq!(failing.len(), 2, "{report}");
    assert!(report.unmet("variant".parse().unwrap()).is_some());
}

#[test]
fn times_out_of_range_are_reported() {
    let times = [NOON_MS, NOON_MS + 3_600_005, NOON_MS + 3_600_100, 1_000];
    let ids: Vec<_> = times.iter().map(|&ms| v7(ms, 5)).collect();
    let report = check(&[&ids]);
    assert_found(&report, "not-future", Status::Fails, "1 id is from the future");
    assert_found(&report, "not-before", Status::Fails, "1 id is from before, down to 1970-01-01T00:00:01Z");
    assert_found(&report, "time-ordered", Status::Warns, "1 id has an earlier time");
}

#[test]
fn a_report_is_json() {
    let json = serde_json::to_value(read("017f22e2-79b0-7cc3-98c4-dc0c0c07398f\nx\n")).unwrap();
    assert_eq!((&json["ids"], &json["bad"], &json["kinds"][0]["kind"]), (&1.into(), &1.into(), &"v7".into()));
    let readable =
        json["verdicts"].as_array().unwrap().iter().find(|verdict| verdict["rule"] == "readable").unwrap();
    assert_eq!((&readable["status"], &readable["places"][0]["line"]), (&"fails".into(), &2.into()));
}
