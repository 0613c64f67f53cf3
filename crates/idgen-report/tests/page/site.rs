//! The site of recorded runs: its filters and their URL, and what a reader needs.

use std::fs;
use std::path::Path;

use idgen_report as report;

use super::{chromium, look, pre};

/// Records of four engines, of keys, of several clients and of timed statements, and a file of several records.
const RECORDS: [&str; 5] = [
    "2026-11-23/mysql/uuid-order-default/results.json.gz",
    "2026-11-23/mysql/mixed-8-clients/results.json.gz",
    "2026-11-23/mariadb/auto-increment/results.json.gz",
    "2026-11-23/sqlite/one-million-rows/results.json.gz",
    "postgres-cache/default.jsonl.gz",
];

#[test]
fn filters_are_in_the_url_and_a_site_can_be_read_on_desk_and_phone() {
    let (home, profile) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let directory = home.path();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
    for record in RECORDS {
        let copy = directory.join("records").join(record);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(recorded.join(record), copy).unwrap();
    }
    let written = report::site(&directory.join("records"), &directory.join("site")).unwrap();
    assert_eq!(written.records, 4 + 10);
    fs::write(directory.join("look.html"), include_str!("look.html")).unwrap();
    fs::write(directory.join("site.html"), include_str!("site.html")).unwrap();

    for (width, dark) in [(1_200, false), (400, true)] {
        let url = format!("file://{}/site.html?page=site/index.html&width={width}", directory.display());
        let wait = "--virtual-time-budget=20000".to_owned();
        let dom =
            chromium(profile.path(), &["--window-size=1400,1000".into(), wait, "--dump-dom".into(), url]);
        assert_eq!(pre(&dom), "[]", "at {width}");
        let found = look(profile.path(), directory, "site/index.html", width, dark);
        assert_eq!(found.wrong, Vec::<String>::new(), "at {width}");
        assert_eq!((found.width, found.charts), (width, 0));
        assert!(found.tables > 60, "{}", found.tables);
        assert_eq!(found.ground, if dark { "rgb(16, 20, 24)" } else { "rgb(255, 255, 255)" });
    }
}
