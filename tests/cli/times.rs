//! `idgen new --times`: an id for each row that exists.

use ::idgen::Kind;

use crate::{failure, kinds, lines_of, output};

const TIMES: &str = "2026-05-01T12:00:00.123Z\n2019-01-02T03:04:05Z\r\n2026-05-01T12:00:00.123Z\n2026-05-01T12:00:00.122999Z\n\
                     2019-01-02T03:04:05Z";

/// The times that ids show, to the millisecond.
fn times(kind: &str, ids: &[String]) -> Vec<String> {
    let shown = output(&["inspect", "--json"], ids.join("\n"));
    lines_of(shown)
        .iter()
        .map(|line| {
            let seen: serde_json::Value = serde_json::from_str(line).unwrap();
            let time = match kind {
                "prefixed" | "fixed-prefix" => &seen["tail_time"],
                // The bits of some ULIDs are those of a UUID by chance.
                "ulid" if !seen["or_ulid"].is_null() => &seen["or_ulid"]["time"],
                _ => &seen["time"],
            };
            time.as_str().unwrap()[..19].to_owned()
        })
        .collect()
}

#[test]
fn each_id_has_the_time_of_its_line_in_any_order() {
    let [new, old] = ["2026-05-01T12:00:00", "2019-01-02T03:04:05"];
    // The weeks hide the time.
    for kind in kinds(|kind| kind.has_rows() && kind != Kind::Week) {
        let ids = lines_of(output(&["new", kind, "--times", "-"], TIMES));
        assert_eq!(times(kind, &ids), [new, old, new, new, old], "{kind}");
        let different: std::collections::HashSet<_> = ids.iter().collect();
        assert_eq!(different.len(), 5, "{kind}");
    }
    // The fraction is that of the line, too.
    let ids = lines_of(output(&["new", "v7", "--times", "-"], TIMES));
    assert!(ids[3] < ids[0] && ids[3] < ids[2] && ids[1][..18] == ids[4][..18], "{ids:?}");
    assert_eq!(output(&["new", "v7", "--times", "-"], ""), b"");
}

#[test]
fn a_file_has_a_moment_in_each_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("created_at.txt");
    let path = file.to_str().unwrap();
    std::fs::write(&file, format!("\u{feff}{TIMES}")).unwrap();
    assert_eq!(lines_of(output(&["new", "v7", "--times", path], "")).len(), 5);
    std::fs::write(&file, "2026-05-01T12:00:00Z\nyesterday\n").unwrap();
    let (code, error) = failure(&["new", "v7", "--times", path], "");
    assert!(
        code == 1 && error.contains(&format!("line 2 of {path}")) && error.contains("yesterday"),
        "{error}"
    );
    std::fs::write(&file, "7".repeat(10_000)).unwrap();
    assert!(
        failure(&["new", "v7", "--times", path], "").1.contains("is no moment: it has 1024 bytes or more")
    );
    // It has no line end, and is refused before all of it is read.
    let (code, error) = failure(&["new", "v7", "--times", "/dev/zero"], "");
    assert!(code == 1 && error.contains("/dev/zero") && error.contains("raw bytes"), "{error}");
    std::fs::remove_file(&file).unwrap();
    assert!(failure(&["new", "v7", "--times", path], "").1.contains("cannot read"));
}

/// The ids are paired with the rows by their lines.
#[test]
fn line_ends_of_windows_and_blank_lines() {
    for file in
        ["2026-05-01T12:00:00Z\r\n2019-01-02T03:04:05Z\r\n", " 2026-05-01T12:00:00Z\t\n2019-01-02T03:04:05Z"]
    {
        let ids = lines_of(output(&["new", "v7", "--times", "-"], file));
        assert_eq!(times("v7", &ids), ["2026-05-01T12:00:00", "2019-01-02T03:04:05"], "{file:?}");
    }
    for blank in ["\n", "\r\n", "  \n", "\u{feff}\n"] {
        let (code, error) =
            failure(&["new", "v7", "--times", "-"], &format!("{blank}2026-05-01T12:00:00Z\n"));
        assert!(code == 1 && error.contains("line 1 of - is blank"), "{error}");
    }
    let (code, error) = failure(&["new", "v7", "--times", "-"], "2026-05-01T12:00:00Z\n\n");
    assert!(code == 1 && error.contains("line 2 of - is blank"), "{error}");
    // One line, because a carriage return alone ends none.
    assert!(failure(&["new", "v7", "--times", "-"], "2026-05-01T12:00:00Z\r2026-05-01T12:00:00Z\n").0 == 1);
}

#[test]
fn kinds_without_a_time_and_other_moments_are_refused() {
    for arguments in [
        &["new", "v4", "--times", "-"][..],
        &["new", "short", "--times", "-"],
        &["new", "v5", "--times", "-"],
        &["new", "v7", "--times", "-", "--at", "2026-05-01T12:00:00Z"],
        &["new", "v7", "--times", "-", "-n", "3"],
        &["new", "v7", "--times", "-", "--state", "ids.state"],
    ] {
        assert_eq!(failure(arguments, TIMES).0, 2, "{arguments:?}");
    }
}
