//! `idgen lab compare`, `report` and `site`.

use crate::{failure, lines, output};

#[test]
fn two_recorded_runs_are_compared_and_drawn_again() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (a, b, page) = (place("a"), place("b"), place("page.html"));
    for (out, rows) in [(&a, "2000"), (&b, "3000")] {
        lines(&["lab", "--rows", rows, "--strategies", "v7-binary,v4-binary", "--out", out]);
    }
    let text = lines(&["lab", "compare", &a, &format!("{b}/results.json"), "--html", &page]);
    assert!(text.iter().all(|line| line.chars().count() <= 100), "{text:#?}");
    let text = text.join("\n");
    assert!(text.contains("workload") && text.contains("3000") && text.contains("B/A"), "{text}");
    assert!(std::fs::read_to_string(&page).unwrap().contains("B divided by A"));

    let json = output(&["lab", "compare", &a, &b, "--json"], "");
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["strategies"][1]["name"], "v4-binary");
    assert!(json["strategies"][1]["figures"][0]["ratio"].as_f64().unwrap() > 0.0);

    // A report that is drawn again is the same.
    let drawn = std::fs::read(format!("{a}/report.html")).unwrap();
    let again = place("again");
    let said = lines(&["lab", "report", &format!("{a}/results.json"), "--out", &again]);
    assert_eq!(said, [format!("Report: {again}/report.html")]);
    assert_eq!(std::fs::read(format!("{again}/report.html")).unwrap(), drawn);
    std::fs::remove_file(format!("{a}/report.html")).unwrap();
    lines(&["lab", "report", &a]);
    assert_eq!(std::fs::read(format!("{a}/report.html")).unwrap(), drawn);

    // An editor may add a byte order mark; another encoding is named.
    let whole = std::fs::read_to_string(format!("{a}/results.json")).unwrap();
    let marked = place("marked.json");
    std::fs::write(&marked, format!("\u{feff}{whole}")).unwrap();
    let read: serde_json::Value =
        serde_json::from_slice(&output(&["lab", "compare", &marked, &b, "--json"], "")).unwrap();
    assert_eq!(read["strategies"], json["strategies"]);
    lines(&["lab", "report", &marked, "--out", &again]);
    let utf_16: Vec<u8> = format!("\u{feff}{whole}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(&marked, utf_16).unwrap();
    let (code, error) = failure(&["lab", "report", &marked, "--out", &again], "");
    assert_eq!(
        (code, error.contains("UTF-16, as its byte order mark says: save it as UTF-8")),
        (1, true),
        "{error}"
    );

    // A record of somebody else does not control the terminal.
    let colored = place("colored.json");
    let mut record: serde_json::Value = serde_json::from_str(&whole).unwrap();
    record["engine"]["version"] = "\u{1b}[2Jnew".into();
    std::fs::write(&colored, record.to_string()).unwrap();
    let text = lines(&["lab", "compare", &colored, &b]).join("\n");
    assert!(text.contains(r"\u{1b}[2Jnew") && !text.contains('\u{1b}'), "{text:?}");

    several_runs_in_one_chart(&a, &b, &place("course.svg"));

    let (code, error) = failure(&["lab", "compare", &a, &place("")], "");
    assert_eq!((code, error.contains("such as")), (1, true), "{error}");
    let (code, error) = failure(&["lab", "compare", &a, &page], "");
    assert_eq!((code, error.contains("not a results.json")), (1, true), "{error}");
}

/// The tests run in the root of the repository.
#[test]
fn recorded_runs_are_named_by_the_ends_of_their_paths() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let page = format!("Report: {out}/report.html");
    assert_eq!(
        lines(&["lab", "report", "2026-11-23/mysql/mixed", "--out", out]),
        std::slice::from_ref(&page)
    );
    let text = std::fs::read_to_string(format!("{out}/results.json")).unwrap();
    assert!(text.contains("idgen lab run mixed --engine mysql"));
    assert_eq!(lines(&["lab", "report", "hold-out/mysql/p32-b0-fast", "--out", out]), [page]);
    let text = lines(&["lab", "compare", "mysql/switch-1x", "mysql/switch-2x"]).join("\n");
    assert!(text.contains("B/A"), "{text}");

    let (code, error) = failure(&["lab", "report", "uuid-order-default", "--out", out], "");
    assert_eq!(code, 1);
    assert!(
        error.contains("several runs") && error.contains("docs/results/2026-11-23/mysql/uuid-order-default"),
        "{error}"
    );
    let (code, error) = failure(&["lab", "report", "2026-11-23/mysql/mixed"], "");
    assert_eq!((code, error.contains("with --out")), (1, true), "{error}");
    let (code, error) = failure(&["lab", "report", "mysql/no-such-run", "--out", out], "");
    assert_eq!((code, error.contains("name a results.json")), (1, true), "{error}");

    let kept = ["lab", "report", "2026-11-23/mysql/mixed", "--out", out, "--archive", "--charts", "leaves"];
    assert_eq!(lines(&kept), [format!("Record: {out}/results.json.gz")]);
    assert!(!std::fs::exists(format!("{out}/results.json")).unwrap());
    assert!(std::fs::exists(format!("{out}/charts/leaves.svg")).unwrap());
}

#[test]
fn a_site_has_all_runs_below_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (runs, site) = (place("runs"), place("site"));
    lines(&["lab", "--rows", "2000", "--strategies", "v7-binary,v4-binary", "--out", &format!("{runs}/one")]);
    let said = [format!("Site: {site}/index.html (records: 1, runs: 6)")];
    assert_eq!(lines(&["lab", "site", &runs, "-o", &site]), said);
    assert_eq!(lines(&["lab", "site", &runs, "--out", &site]), said, "it replaces its own site");
    let page = std::fs::read_to_string(format!("{site}/index.html")).unwrap();
    assert!(page.contains("id=\"one\"") && page.contains("--strategies v7-binary,v4-binary"), "{page}");
    let (code, error) = failure(&["lab", "site", &runs, "-o", &runs], "");
    assert_eq!((code, error.contains("choose a directory for the site")), (1, true), "{error}");
    let (code, error) = failure(&["lab", "site", &runs], "");
    assert_eq!((code, error.contains("--out")), (2, true), "{error}");
}

/// The chart has a line for each run, each drawn in another style.
fn several_runs_in_one_chart(a: &str, b: &str, picture: &str) {
    let said = lines(&["lab", "compare", a, b, a, "--picture", picture, "--strategies", "v4-binary"]);
    assert_eq!(
        said,
        [
            "Lines: a: v4, binary 16; b: v4, binary 16; a: v4, binary 16".to_owned(),
            format!("Picture: {picture}")
        ]
    );
    let drawn = std::fs::read_to_string(picture).unwrap();
    for said in ["pages read per 1,000 inserts", "pages written per 1,000 inserts", ">\nb: v4, binary 16\n<"]
    {
        assert!(drawn.contains(said), "{said}: {drawn}");
    }
    // Of two, the comparison is shown as well.
    let said = lines(&["lab", "compare", a, b, "--picture", picture]).join("\n");
    assert!(said.contains("B/A") && said.ends_with(&format!("Picture: {picture}")), "{said}");
    let seven = [&["lab", "compare", "--picture", picture][..], &[a; 7]].concat();
    for (arguments, says) in [
        (&["lab", "compare", a, b, a][..], "--picture"),
        (
            &["lab", "compare", a, b, "--picture", picture, "--strategies", "v1-binary"],
            "it has v7-binary, v4-binary",
        ),
        (&seven, "14 lines are more"),
    ] {
        let (_, error) = failure(arguments, "");
        assert!(error.contains(says), "{arguments:?}: {error}");
    }
}
