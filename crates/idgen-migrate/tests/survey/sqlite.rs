//! The survey of SQLite databases: each danger once, the nearest harmless case of each, and the number of statements.

use std::task::Poll;

use idgen_migrate::survey::{Arrival, ArrivalBy, Code, FillFrom, Kind, Level, Options, Survey, survey};

use crate::common::table;

pub const NOW: i64 = 1_795_262_400_000;

fn surveyed_with(sql: &str, options: &Options) -> Survey {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("survey.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    crate::common::surveyed(&format!("sqlite:{}", path.display()), options)
}

pub fn surveyed(sql: &str) -> Survey {
    surveyed_with(sql, &Options { now: Some(NOW), ..Options::default() })
}

pub fn found(sql: &str) -> Vec<(Code, Level)> {
    surveyed(sql).findings.iter().map(|finding| (finding.code, finding.level)).collect()
}

/// Runs the statement of each finding, as a user would: it must be valid.
fn rows_of_findings(sql: &str) -> Vec<usize> {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection.execute_batch(sql).unwrap();
    let count = |statement: &str| {
        let mut statement = connection.prepare(statement).unwrap();
        let mut rows = statement.query([]).unwrap();
        let mut count = 0;
        while rows.next().unwrap().is_some() {
            count += 1;
        }
        count
    };
    surveyed(sql).findings.iter().map(|finding| count(&finding.statement)).collect()
}

const V4: [&str; 3] = [
    "6ccd780c-baba-4026-9564-5b8c656024db",
    "f81d4fae-7dec-41d0-a765-00a0c91e6bf6",
    "0e8b1c3a-9f02-4c55-8b1e-7d1f3a2b4c5d",
];

#[test]
fn dangers_are_found_and_the_nearest_harmless_cases_are_not() {
    let texts = |ids: &[&str]| {
        let values: Vec<String> = ids.iter().map(|id| format!("('{id}')")).collect();
        format!("INSERT INTO t VALUES {};", values.join(", "))
    };
    let upper = V4[0].to_uppercase();
    let upper_of_another = V4[2].to_uppercase();
    let base64 = ["bM14DLq6ECaVZFuMZWAk2w", "BM14DLq6ECaVZFuMZWAk2w"];
    let key = "CREATE TABLE t (id TEXT PRIMARY KEY) WITHOUT ROWID;";
    let nocase = "CREATE TABLE t (id TEXT COLLATE NOCASE PRIMARY KEY) WITHOUT ROWID;";
    let integer = "CREATE TABLE t (id INTEGER PRIMARY KEY);";
    let (danger, warning) = (Level::Danger, Level::Warning);
    type Case = (&'static str, String, Vec<(Code, Level)>);
    let cases: Vec<Case> = vec![
        ("clean", key.to_owned() + &texts(&V4), vec![]),
        ("one case, upper", key.to_owned() + &texts(&[&upper]), vec![]),
        ("two spellings", key.to_owned() + &texts(&[V4[0], V4[1], &upper]), vec![(Code::TwoSpellings, danger)]),
        (
            "spellings of different ids",
            key.to_owned() + &texts(&[V4[0], V4[1], &upper_of_another]),
            vec![(Code::TwoSpellings, warning)],
        ),
        ("case that the collation ignores", nocase.to_owned() + &texts(&[V4[0], &upper_of_another]), vec![]),
        ("base64 without case", nocase.to_owned() + &texts(&base64[..1]), vec![(Code::EqualUnderCollation, danger)]),
        ("base64 with case", key.to_owned() + &texts(&base64), vec![]),
        ("hexadecimal without case", nocase.to_owned() + &texts(&V4), vec![]),
        ("no key", "CREATE TABLE t (a);".to_owned(), vec![(Code::NoPrimaryKey, warning)]),
        ("a unique key without nulls", "CREATE TABLE t (a TEXT NOT NULL UNIQUE);".to_owned(), vec![]),
        ("2^53 and less", integer.to_owned() + "INSERT INTO t VALUES (1), (9007199254740992);", vec![]),
        (
            "beyond 2^53",
            integer.to_owned() + "INSERT INTO t VALUES (1), (9007199254740993);",
            vec![(Code::BeyondJson, danger)],
        ),
        ("a negative mark", integer.to_owned() + "INSERT INTO t VALUES (-1), (1);", vec![]),
        (
            "beyond 2^63",
            integer.to_owned() + "INSERT INTO t VALUES (-9000000000000000000), (7);",
            vec![(Code::SignedOverflow, danger), (Code::BeyondJson, danger)],
        ),
        (
            "another type",
            "CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
             CREATE TABLE t (id INTEGER PRIMARY KEY, p BLOB REFERENCES p (id));"
                .to_owned(),
            vec![(Code::ForeignKeyDiffers, danger)],
        ),
        (
            "another name of the same type, and another collation nowhere",
            "CREATE TABLE p (id VARCHAR(36) PRIMARY KEY NOT NULL) WITHOUT ROWID;
             CREATE TABLE t (id INTEGER PRIMARY KEY, p TEXT REFERENCES p);"
                .to_owned(),
            vec![],
        ),
        (
            "another collation",
            "CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
             CREATE TABLE t (id INTEGER PRIMARY KEY, p TEXT COLLATE NOCASE REFERENCES p);"
                .to_owned(),
            vec![(Code::ForeignKeyDiffers, danger)],
        ),
        // 2026-11-21 and 2031.
        ("now", key.to_owned() + &texts(&["019aa3f0-0000-7000-8000-000000000001"]), vec![]),
        (
            "future",
            key.to_owned() + &texts(&["01c09c2f-0000-7000-8000-000000000001"]),
            vec![(Code::FutureTime, danger)],
        ),
        (
            "repeated",
            "CREATE TABLE t (n INTEGER PRIMARY KEY, id TEXT);".to_owned()
                + &format!("INSERT INTO t VALUES (1, '{0}'), (2, '{1}'), (3, '{2}'), (4, '{0}');", V4[0], V4[1], V4[2]),
            vec![(Code::RepeatedIds, danger)],
        ),
        (
            "references are repeated rightly",
            "CREATE TABLE t (n INTEGER PRIMARY KEY, customer_id TEXT);".to_owned()
                + &format!("INSERT INTO t VALUES (1, '{0}'), (2, '{1}'), (3, '{2}'), (4, '{0}');", V4[0], V4[1], V4[2]),
            vec![],
        ),
        (
            "both byte orders",
            "CREATE TABLE t (id BLOB PRIMARY KEY) WITHOUT ROWID;
             INSERT INTO t VALUES (x'c232ab00941411ecb3c89f6bdeced846'), (x'11ec9414c232ab00b3c89f6bdeced846');"
                .to_owned(),
            vec![(Code::BothByteOrders, danger)],
        ),
        (
            "one byte order",
            "CREATE TABLE t (id BLOB PRIMARY KEY) WITHOUT ROWID;
             INSERT INTO t VALUES (x'11ec9414c232ab01b3c89f6bdeced846'), (x'11ec9414c232ab00b3c89f6bdeced846');"
                .to_owned(),
            vec![],
        ),
        (
            "counter near its end",
            "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t DEFAULT VALUES;
             UPDATE sqlite_sequence SET seq = 9000000000000000000;"
                .to_owned(),
            vec![(Code::CounterNearEnd, danger)],
        ),
        (
            "counter at its beginning",
            "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t DEFAULT VALUES;".to_owned(),
            vec![],
        ),
    ];
    for (name, sql, expected) in &cases {
        assert_eq!(&found(sql), expected, "{name}");
        assert_eq!(rows_of_findings(sql).len(), expected.len(), "{name}");
    }
}

fn v7(millis: i64) -> String {
    format!("(x'{millis:012x}7000800000000000{:04x}')", millis % 65_536)
}

#[test]
fn new_ids_before_old_ones_are_found_and_v7_alone_is_not() {
    let table = "CREATE TABLE t (id BLOB PRIMARY KEY) WITHOUT ROWID;";
    let random = |n: u64| {
        format!("(x'{:016x}8000000000000000')", (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) & !0xf000) | 0x4000)
    };
    let new: Vec<String> = (0..100).map(|n| v7(NOW - 100_000 + n)).collect();
    let old: Vec<String> = (1..200).map(random).collect();
    let only_new = format!("{table} INSERT INTO t VALUES {};", new.join(","));
    let alone = surveyed(&only_new);
    assert_eq!(alone.findings.len(), 0);
    assert_eq!(alone.tables[0].columns[0].arrival, Arrival::RightEdge);
    let only_old = surveyed(&format!("{table} INSERT INTO t VALUES {};", old.join(",")));
    assert_eq!(only_old.findings.len(), 0);
    assert_eq!(only_old.tables[0].columns[0].arrival, Arrival::Scattered);
    let both = format!("{only_new} INSERT INTO t VALUES {};", old.join(","));
    assert_eq!(found(&both), [(Code::NewBeforeOld, Level::Danger)]);
    let kinds = &surveyed(&both).tables[0].columns[0].kinds;
    assert_eq!(
        kinds.iter().map(|share| (share.kind, share.values)).collect::<Vec<_>>(),
        [(Kind::V4, 199), (Kind::V7, 100)]
    );
}

#[test]
fn no_value_appears_unless_asked_for() {
    let upper = V4[0].to_uppercase();
    let sql = format!(
        "CREATE TABLE t (id TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO t VALUES ('{}'), ('{upper}');",
        V4[0]
    );
    let shown = |show_values| {
        let found = surveyed_with(&sql, &Options { now: Some(NOW), show_values, ..Options::default() });
        format!("{found} {}", serde_json::to_string(&found).unwrap()).to_lowercase()
    };
    assert!(!shown(false).contains(V4[0]));
    assert!(shown(true).contains(V4[0]));
}

#[test]
fn ten_thousand_tables_take_a_statement_each() {
    let tables: String =
        (0..10_000).map(|n| format!("CREATE TABLE t{n} (id INTEGER PRIMARY KEY, u BLOB);")).collect();
    let options =
        Options { now: Some(NOW), sample_time: std::time::Duration::from_secs(3_600), ..Options::default() };
    let found = surveyed_with(&format!("BEGIN; {tables} COMMIT;"), &options);
    assert_eq!(found.tables_seen, 10_000);
    assert!(found.statements.len() <= 10_122, "{}", found.statements.len());
}

#[test]
fn rows_without_statistics_are_estimated_from_row_ids() {
    let rows = |sql: &str| {
        let options = Options { rows: 10, now: Some(NOW), ..Options::default() };
        let found = surveyed_with(&format!("CREATE TABLE t {sql}"), &options);
        (found.tables[0].rows, found.tables[0].whole)
    };
    let numbers = "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 3000)";
    let texts = "SELECT printf('%08x-0000-4000-a000-000000000000', n * 1000) FROM s";
    assert_eq!(
        rows(&format!("(id TEXT PRIMARY KEY); {numbers} INSERT INTO t {texts};")),
        (Some(3_000), false)
    );
    // A table without row ids, and integers of the app that say nothing of their number.
    assert_eq!(
        rows(&format!("(id TEXT PRIMARY KEY) WITHOUT ROWID; {numbers} INSERT INTO t {texts};")),
        (None, false)
    );
    let far = "(id INTEGER PRIMARY KEY); WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 3000)
        INSERT INTO t SELECT n * 1000000007 FROM s;";
    assert_eq!(rows(far), (None, false));
}

#[test]
fn only_text_has_a_collation() {
    let found = surveyed("CREATE TABLE t (id BLOB PRIMARY KEY, u TEXT UNIQUE, v VARCHAR(36) COLLATE NOCASE UNIQUE);
        INSERT INTO t VALUES (unhex('6ccd780cbaba402695645b8c656024db'), '6ccd780c-baba-4026-9564-5b8c656024db',
            '6ccd780c-baba-4026-9564-5b8c656024db');");
    let collations: Vec<Option<&str>> =
        found.tables[0].columns.iter().map(|column| column.collation.as_deref()).collect();
    assert_eq!(collations, [None, Some("BINARY"), Some("NOCASE")]);
}

#[test]
fn a_sample_is_a_few_ranges_and_bytes_are_those_of_the_values() {
    let sql = "CREATE TABLE p (id BLOB PRIMARY KEY, a, b) WITHOUT ROWID; CREATE INDEX p_a ON p (a);
        CREATE TABLE c (n INTEGER PRIMARY KEY, p BLOB REFERENCES p); CREATE INDEX c_p ON c (p);
        WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 20000)
        INSERT INTO p SELECT unhex(printf('%08x', n * 214748) || '00004000a000000000000000'), n, n FROM s;
        INSERT INTO c SELECT rowid, id FROM (SELECT row_number() OVER () AS rowid, id FROM p); ANALYZE;";
    let found = surveyed(sql);
    let parent = table(&found, "p");
    assert_eq!((parent.rows, parent.rows_read, parent.ranges, parent.whole), (Some(20_000), 1_000, 5, false));
    let cost = parent.columns[0].cost.as_ref().unwrap();
    assert_eq!((cost.value_bytes, cost.table_bytes, cost.indexes, cost.references), (17.0, 340_000, 1, 1));
    assert_eq!((cost.index_bytes, cost.reference_bytes), (340_000, 680_000));
}

/// Leaf pages and their page fill, read from the bytes of the file: 0x0a is a leaf of a tree without row ids.
fn leaves(path: &std::path::Path) -> (u64, f64) {
    let bytes = std::fs::read(path).unwrap();
    let number = |at: usize| usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
    let page_size = number(16);
    let (mut count, mut unused) = (0, 0);
    for page in (page_size..bytes.len()).step_by(page_size).filter(|&page| bytes[page] == 0x0a) {
        count += 1;
        unused += number(page + 5) - 8 - 2 * number(page + 3) + usize::from(bytes[page + 7]);
        let mut free = number(page + 1);
        while free != 0 {
            unused += number(page + free + 2);
            free = number(page + free);
        }
    }
    (count, 1.0 - unused as f64 / (count as usize * page_size) as f64)
}

#[test]
fn leaf_pages_and_page_fill_are_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fill.db");
    let sql = "CREATE TABLE t (id BLOB PRIMARY KEY, n) WITHOUT ROWID;
        WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 5000)
        INSERT INTO t SELECT unhex(printf('%08x', (n * 2654435761) % 4294967296) || '00004000a000000000000000'), n FROM s;
        DELETE FROM t WHERE n % 7 = 0; ANALYZE;";
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let found = crate::common::surveyed(path.to_str().unwrap(), &Options::default());
    let cost = found.tables[0].columns[0].cost.clone().unwrap();
    let (count, fill) = leaves(&path);
    assert!(count > 20, "{count}");
    assert_eq!((cost.leaf_pages, cost.fill_from), (Some(count), Some(FillFrom::Pages)));
    assert!((cost.fill.unwrap() - fill).abs() < 1e-9, "{cost:?} {fill}");
    assert_eq!(found.unseen, Vec::<String>::new());
}

#[test]
fn a_second_look_shows_where_rows_arrive() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("watch.db");
    let sql =
        "CREATE TABLE edge (id INTEGER PRIMARY KEY); CREATE TABLE inside (id BLOB PRIMARY KEY) WITHOUT ROWID;
        WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 500)
        INSERT INTO inside SELECT unhex(printf('%08x', n * 2) || '00004000a000000000000000') FROM s;
        INSERT INTO edge VALUES (1);";
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    // The ids sort between the first and the last key of the table.
    let inserts = "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 30)
        INSERT INTO inside SELECT unhex(printf('%08x', n * 2 + 1) || '00004000a000000000000000') FROM s;
        WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 30)
        INSERT INTO edge SELECT n + 1 FROM s;";
    let runtime = crate::common::runtime();
    let options = Options { watch: Some(std::time::Duration::from_secs(5)), ..Options::default() };
    let found = runtime.block_on(async {
        let mut survey = std::pin::pin!(survey(path.to_str().unwrap(), &options));
        // SQLite answers at once, so the survey is pending only while it waits for the second look.
        assert!(
            std::future::poll_fn(|context| Poll::Ready(survey.as_mut().poll(context).is_pending())).await
        );
        rusqlite::Connection::open(&path).unwrap().execute_batch(inserts).unwrap();
        survey.await.unwrap()
    });
    let watched = |name: &str| {
        let table = table(&found, name);
        let watched = table.watched.as_ref().unwrap();
        assert!(watched.seconds >= 5.0 && watched.inserted.is_none(), "{watched:?}");
        (watched.at_right_edge, watched.in_sample, table.columns[0].arrival)
    };
    assert_eq!(watched("edge"), (30, 0, Arrival::RightEdge));
    assert_eq!(watched("inside"), (0, 30, Arrival::Scattered));
    assert_eq!(found.unseen, ["a count of inserts: SQLite has none"]);
}

#[test]
fn a_mistyped_url_is_an_error_without_its_password() {
    let runtime = crate::common::runtime();
    for url in [
        "mysql:reader:secret@host/shop",
        "reader:secret@host/shop",
        "mysql:/reader:secret@host/shop",
        "oracle://a:secret@b/c",
    ] {
        let error = runtime.block_on(survey(url, &Options::default())).unwrap_err();
        let (short, long) = (error.to_string(), format!("{error:?}"));
        assert!(
            short.contains("mysql://") && !short.contains("secret") && !long.contains("secret"),
            "{url}: {long}"
        );
    }
}

#[test]
fn a_file_that_is_not_there_is_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.db");
    let error =
        crate::common::runtime().block_on(survey(path.to_str().unwrap(), &Options::default())).unwrap_err();
    assert!(error.to_string().contains("cannot open the SQLite database"), "{error}");
    assert!(!path.exists());
}

/// Some programs keep texts as bytes. The label that all have says nothing of where new rows go.
#[test]
fn texts_that_are_kept_as_bytes_are_read_behind_their_label() {
    let rows = |value: &str| {
        format!(
            "CREATE TABLE t (id BLOB PRIMARY KEY) WITHOUT ROWID;
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO t SELECT CAST({value} AS BLOB) FROM n;"
        )
    };
    let of = |value: &str| {
        let survey = surveyed(&rows(value));
        (survey.tables[0].columns[0].arrival, survey.tables[0].columns[0].arrival_by.clone())
    };
    assert_eq!(
        of("'wiki:page:' || lower(hex(randomblob(16)))"),
        (Arrival::Scattered, Some(ArrivalBy::FirstBytes))
    );
    assert_eq!(of("printf('wiki:page:0a%06d', i)"), (Arrival::Unknown, None));
    // Values that are no texts are read from their first byte on.
    assert_eq!(of("randomblob(20)"), (Arrival::Scattered, Some(ArrivalBy::FirstBytes)));
}

#[test]
fn the_keys_with_the_most_bytes_come_first() {
    let shown = surveyed(
        "CREATE TABLE small (id TEXT PRIMARY KEY); INSERT INTO small VALUES ('0e8b1c3a-9f02-4c55-8b1e-7d1f3a2b4c5d');
         CREATE TABLE large (id TEXT PRIMARY KEY); INSERT INTO large VALUES ('6ccd780c-baba-4026-9564-5b8c656024db'),
           ('f81d4fae-7dec-41d0-a765-00a0c91e6bf6')",
    )
    .to_string();
    let (_, bytes) = shown.split_once("Bytes of keys").unwrap();
    assert!(bytes.find("large.id").unwrap() < bytes.find("small.id").unwrap(), "{shown}");
}
