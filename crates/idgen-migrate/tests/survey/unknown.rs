//! Keys of every maker: each is in the survey, with its kind if that is certain, with where new rows go, and without a danger by chance.

use idgen_migrate::survey::{
    Arrival, ArrivalBy, Code, ColumnReport, Kind, Level, NewIds, Options, Survey, survey,
};
use idgen_server::Database;

use crate::common::{bare, execute};
use crate::ids;

pub const NOW: i64 = 1_795_262_400_000;
const ROWS: i64 = 400;
const DAY: i64 = 86_400_000;

/// The syntax of a database for types and expressions.
struct Dialect {
    exact: &'static str,
    ignoring: &'static str,
    bigint: &'static str,
    time: &'static str,
    counter: &'static str,
    before: &'static str,
}

fn dialect(database: Option<Database>) -> Dialect {
    match database {
        Some(Database::MySql | Database::MariaDb) => Dialect {
            exact: "VARCHAR(80) CHARACTER SET ascii COLLATE ascii_bin",
            // The default of the server.
            ignoring: "VARCHAR(80)",
            bigint: "BIGINT",
            time: "DATETIME(3)",
            counter: "BIGINT AUTO_INCREMENT UNIQUE",
            before: "",
        },
        Some(Database::Postgres) => Dialect {
            exact: "varchar(80) COLLATE \"C\"",
            ignoring: "varchar(80) COLLATE ci",
            bigint: "bigint",
            time: "timestamptz",
            counter: "bigserial UNIQUE",
            before: "CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);",
        },
        _ => Dialect {
            exact: "TEXT",
            ignoring: "TEXT COLLATE NOCASE",
            bigint: "BIGINT",
            time: "TIMESTAMP",
            counter: "INTEGER PRIMARY KEY",
            before: "",
        },
    }
}

pub async fn run(url: &str, sql: &str) {
    match url.strip_prefix("sqlite:") {
        Some(path) => rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap(),
        None => execute(url, sql).await,
    }
}

fn column<'s>(survey: &'s Survey, table: &str, column: &str) -> &'s ColumnReport {
    let of = crate::common::table(survey, table);
    of.columns
        .iter()
        .find(|one| one.column == column)
        .unwrap_or_else(|| panic!("no {table}.{column}: {of:?}"))
}

fn codes(survey: &Survey, table: &str) -> Vec<(Code, Level)> {
    let of = survey.findings.iter().filter(|finding| bare(&finding.table) == table);
    of.map(|finding| (finding.code, finding.level)).collect()
}

/// The time of a row: a year, in the order of the rows.
fn millis(row: i64) -> i64 {
    NOW - 365 * DAY + row * 365 * DAY / ROWS - 1_000
}

fn stamp(millis: i64) -> String {
    let time = idgen::Timestamp::from_unix_millis(millis).to_string();
    format!("'{}'", time.trim_end_matches('Z').replace('T', " "))
}

/// The kind that a text or an integer of each maker has, and where new ones arrive. Those of the second list are integers.
const TEXTS: [(&str, Kind, Arrival); 17] = [
    ("ksuid", Kind::Ksuid, Arrival::RightEdge),
    ("nanoid", Kind::Text, Arrival::Scattered),
    ("cuid", Kind::Cuid, Arrival::RightEdge),
    ("cuid2", Kind::Cuid2, Arrival::Scattered),
    ("xid", Kind::Xid, Arrival::RightEdge),
    ("typeid", Kind::TypeId, Arrival::RightEdge),
    ("ulid", Kind::Ulid, Arrival::RightEdge),
    ("tsid", Kind::Tsid, Arrival::RightEdge),
    ("objectid", Kind::ObjectId, Arrival::RightEdge),
    ("padded", Kind::V4, Arrival::Scattered),
    ("stripe", Kind::Text, Arrival::Scattered),
    ("short", Kind::Text, Arrival::Scattered),
    ("base62", Kind::Text, Arrival::Scattered),
    ("hash", Kind::Other128, Arrival::Scattered),
    ("word", Kind::Text, Arrival::Scattered),
    ("bcrypt", Kind::Text, Arrival::Scattered),
    ("millis", Kind::Millis, Arrival::RightEdge),
];
const INTEGERS: [(&str, Kind, Arrival); 7] = [
    ("twitter", Kind::Snowflake, Arrival::RightEdge),
    ("discord", Kind::Snowflake, Arrival::RightEdge),
    ("seconds", Kind::Seconds, Arrival::RightEdge),
    ("millis", Kind::Millis, Arrival::RightEdge),
    ("micros", Kind::Micros, Arrival::RightEdge),
    ("nanos", Kind::Nanos, Arrival::RightEdge),
    ("signed", Kind::OtherInteger, Arrival::Scattered),
];

fn insert(table: &str, rows: impl Iterator<Item = String>) -> String {
    format!("INSERT INTO {table} VALUES {};\n", rows.collect::<Vec<_>>().join(", "))
}

/// Every kind as the primary key of a table.
pub async fn check(database: Option<Database>, url: &str) {
    let Dialect { exact, ignoring, bigint, time, counter, before } = dialect(database);
    let mut rng = fastrand::Rng::with_seed(7);
    let mut sql = before.to_owned();
    for (name, ..) in TEXTS {
        let ids = (0..ROWS).map(|row| format!("('{}')", ids::of(name, &mut rng, millis(row))));
        sql += &format!(
            "CREATE TABLE t_{name} (id {exact} PRIMARY KEY);\n{}",
            insert(&format!("t_{name}"), ids)
        );
    }
    for (name, ..) in INTEGERS {
        let ids = (0..ROWS).map(|row| format!("({})", ids::of(name, &mut rng, millis(row))));
        sql += &format!(
            "CREATE TABLE i_{name} (id {bigint} PRIMARY KEY);\n{}",
            insert(&format!("i_{name}"), ids)
        );
    }
    for name in ["nanoid", "base62", "stripe", "ksuid", "word", "hash"] {
        let ids = (0..ROWS).map(|row| format!("('{}')", ids::of(name, &mut rng, millis(row))));
        sql += &format!(
            "CREATE TABLE c_{name} (id {ignoring} PRIMARY KEY);\n{}",
            insert(&format!("c_{name}"), ids)
        );
    }
    // Only the order of arrival shows where these arrive: numbers behind a label, and Snowflakes of an epoch of the
    // company.
    let numbered = |row: i64| format!("INV-{:06}-{:03}", row * 977 % 1_000_000 + row * 1_000, row % 7);
    let own = |row: i64| ((millis(row) - 1_500_000_000_000) << 20) | (row * 7919 % (1 << 20));
    sql += &format!("CREATE TABLE w_label (id {exact} PRIMARY KEY, created_at {time});\n");
    sql += &insert("w_label", (0..ROWS).map(|row| format!("('{}', {})", numbered(row), stamp(millis(row)))));
    sql += &format!("CREATE TABLE w_own (id {bigint} PRIMARY KEY, created_at {time});\n");
    sql += &insert("w_own", (0..ROWS).map(|row| format!("({}, {})", own(row), stamp(millis(row)))));
    sql += &format!("CREATE TABLE w_random (id {exact} PRIMARY KEY, created_at {time});\n");
    let random: Vec<String> = (0..ROWS).map(|_| ids::of("short", &mut rng, 0)).collect();
    sql += &insert(
        "w_random",
        (0..ROWS).map(|row| format!("('{}', {})", random[row as usize], stamp(millis(row)))),
    );
    sql += &format!("CREATE TABLE w_counted (n {counter}, id {exact} NOT NULL UNIQUE);\n");
    sql += &insert("w_counted", (0..ROWS).map(|row| format!("({}, '{}')", row + 1, numbered(row))));
    // One token in both cases.
    sql += &format!("CREATE TABLE s_token (id {exact} PRIMARY KEY);\n");
    let mut tokens: Vec<String> = (0..50).map(|_| ids::of("cuid2", &mut rng, 0)).collect();
    tokens.push(tokens[7].to_uppercase());
    sql += &insert("s_token", tokens.iter().map(|token| format!("('{token}')")));
    // Equal values are no evidence: a default in each row.
    sql += &format!("CREATE TABLE z_zero (n {bigint} PRIMARY KEY, old {exact});\n");
    sql += &insert("z_zero", (0..ROWS).map(|row| format!("({row}, '{}')", "0".repeat(27))));
    // A unique key and a foreign key beside the primary one.
    sql += &format!(
        "CREATE TABLE p_users (id {exact} PRIMARY KEY, mail {exact} UNIQUE);
         CREATE TABLE p_posts (id {bigint} PRIMARY KEY, author {exact}, FOREIGN KEY (author) REFERENCES p_users (id));
         INSERT INTO p_users VALUES ('anna', 'a@example.org'), ('bob', 'b@example.org');
         INSERT INTO p_posts VALUES (1, 'anna'), (2, 'bob');"
    );
    if database == Some(Database::Postgres) {
        sql += "ANALYZE;";
    }
    run(url, &sql).await;
    let found = survey(url, &Options { now: Some(NOW), ..Options::default() }).await.unwrap();

    for (prefix, kinds) in [("t", &TEXTS[..]), ("i", &INTEGERS[..])] {
        for &(name, kind, arrival) in kinds {
            let table = format!("{prefix}_{name}");
            let key = column(&found, &table, "id");
            let shares: Vec<_> = key.kinds.iter().map(|share| (share.kind, share.values)).collect();
            assert_eq!(
                (&shares[..], key.arrival),
                (&[(kind, ROWS as u64)][..], arrival),
                "{url}: {table}: {key:?}"
            );
            let cost = key.cost.as_ref().unwrap_or_else(|| panic!("{url}: {table}"));
            assert!(cost.table_bytes > 0, "{url}: {table}: {cost:?}");
            let mut expected = codes(&found, &table);
            expected.retain(|&(code, _)| code != Code::BeyondJson || prefix == "t");
            assert_eq!(expected, [], "{url}: {table}");
        }
    }
    let form = |table: &str| column(&found, table, "id").form.clone().unwrap();
    assert_eq!(form("t_nanoid"), "21 of A-Z a-z 0-9 - _", "{url}");
    assert_eq!(form("t_stripe"), "18 of A-Z a-z 0-9 _", "{url}");
    for table in ["c_nanoid", "c_base62", "c_stripe", "c_ksuid"] {
        assert_eq!(codes(&found, table), [(Code::EqualUnderCollation, Level::Danger)], "{url}: {table}");
    }
    assert!(
        codes(&found, "c_word").is_empty() && codes(&found, "c_hash").is_empty(),
        "{url}: {:?}",
        found.findings
    );
    let by = |name: &str| Some(ArrivalBy::Column(name.to_owned()));
    for (table, arrival, by) in [
        ("w_label", Arrival::RightEdge, by("created_at")),
        ("w_own", Arrival::RightEdge, by("created_at")),
        ("w_random", Arrival::Scattered, by("created_at")),
        ("w_counted", Arrival::RightEdge, by("n")),
    ] {
        let key = column(&found, table, "id");
        assert_eq!((key.arrival, &key.arrival_by), (arrival, &by), "{url}: {table}: {key:?}");
    }
    assert_eq!(codes(&found, "s_token"), [(Code::TwoSpellings, Level::Danger)], "{url}");
    let zero = crate::common::table(&found, "z_zero");
    assert_eq!(zero.columns.len(), 1, "{url}: {zero:?}");
    for (table, name) in [("p_users", "mail"), ("p_users", "id"), ("p_posts", "author"), ("p_posts", "id")] {
        assert_eq!(column(&found, table, name).values, 2, "{url}: {table}.{name}");
    }
    assert!(column(&found, "p_users", "mail").cost.is_some(), "{url}");
}

/// Short forms of ids, and what new ids of version 7 would break.
pub async fn truncated(database: Option<Database>, url: &str) {
    let Dialect { exact, bigint, .. } = dialect(database);
    let mut rng = fastrand::Rng::with_seed(8);
    let mut sql = String::new();
    let tables = ["new", "old"];
    for table in tables {
        let is_new = table == "new";
        sql += &format!(
            "CREATE TABLE o_{table} (id {exact} PRIMARY KEY, short {exact} UNIQUE, label {exact}, tail {exact}, twelve {exact});
             CREATE TABLE l_{table} (id {bigint} PRIMARY KEY, o {exact}, o_short {exact}, FOREIGN KEY (o) REFERENCES o_{table} (id));\n"
        );
        let ids: Vec<String> = (0..60)
            .map(|row| {
                if is_new { ids::v7(&mut rng, NOW - (61 - row) * 70_000) } else { ids::v4(&mut rng) }
                    .to_string()
            })
            .collect();
        sql += &insert(
            &format!("o_{table}"),
            ids.iter().map(|id| {
                format!(
                    "('{id}', '{}', 'ORD-{}', '{}', '{}')",
                    &id[..8],
                    id[..6].to_uppercase(),
                    &id[28..],
                    &id[..13]
                )
            }),
        );
        sql += &insert(
            &format!("l_{table}"),
            ids.iter().enumerate().map(|(n, id)| format!("({n}, '{id}', '{}')", &id[..8])),
        );
    }
    match database {
        Some(Database::MySql | Database::MariaDb) => {
            sql += "CREATE TABLE x (id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin, UNIQUE KEY cut (id(8)), UNIQUE KEY whole (id));
                    INSERT INTO x SELECT id FROM o_new;";
            sql += "CREATE TABLE parted (id BINARY(16) PRIMARY KEY) PARTITION BY KEY (id) PARTITIONS 4;
                    CREATE TABLE ranged (id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY)
                      PARTITION BY RANGE COLUMNS (id) (PARTITION a VALUES LESS THAN ('8'), PARTITION b VALUES LESS THAN (MAXVALUE));
                    CREATE VIEW latest AS SELECT id FROM o_old ORDER BY id DESC LIMIT 10;";
        }
        Some(Database::Postgres) => {
            sql += "CREATE TABLE x (id uuid PRIMARY KEY); CREATE UNIQUE INDEX cut ON x (left(id::text, 8));
                    INSERT INTO x SELECT id::uuid FROM o_new;
                    CREATE TABLE parted (id uuid PRIMARY KEY) PARTITION BY HASH (id);
                    CREATE TABLE ranged (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
                    CREATE VIEW latest AS SELECT id FROM o_old ORDER BY id DESC LIMIT 10;";
        }
        _ => {
            sql += "CREATE TABLE x (id TEXT PRIMARY KEY); CREATE UNIQUE INDEX cut ON x (substr(id, 1, 8)); INSERT INTO x SELECT id FROM o_new;
                    CREATE VIEW latest AS SELECT id FROM o_old ORDER BY id DESC LIMIT 10;";
        }
    }
    let public = if database == Some(Database::Postgres) { "uuid" } else { exact };
    sql += &format!(
        "CREATE TABLE api (n {bigint} PRIMARY KEY, public_id {public} UNIQUE, reset_token {public});\n"
    );
    sql +=
        &insert("api", (0..30).map(|n| format!("({n}, '{}', '{}')", ids::v4(&mut rng), ids::v4(&mut rng))));
    run(url, &sql).await;
    let at = |to| Options { now: Some(NOW), to, ..Options::default() };
    let found = survey(url, &at(None)).await.unwrap();
    let truncated = |survey: &Survey| -> Vec<(String, Level)> {
        let of = survey.findings.iter().filter(|finding| finding.code == Code::Truncated);
        let name = |finding: &idgen_migrate::survey::Finding| {
            format!("{}.{}", bare(&finding.table), finding.column.clone().unwrap())
        };
        let mut names: Vec<_> = of.map(|finding| (name(finding), finding.level)).collect();
        names.sort();
        names
    };
    let of = |table: &str, level| {
        let columns = [
            format!("l_{table}.o_short"),
            format!("o_{table}.label"),
            format!("o_{table}.short"),
            format!("o_{table}.twelve"),
        ];
        columns.map(|name| (name, level))
    };
    let mut expected: Vec<_> = [of("new", Level::Danger), of("old", Level::Warning)].concat();
    expected.push(("x.id".to_owned(), Level::Danger));
    expected.sort();
    assert_eq!(truncated(&found), expected, "{url}: the last digits are no danger");
    let what = |column: &str| {
        let of = found
            .findings
            .iter()
            .find(|one| one.code == Code::Truncated && one.column.as_deref() == Some(column));
        of.unwrap().what.clone()
    };
    assert!(
        what("short").contains("first 8 digits") && what("short").contains("65.5 seconds"),
        "{url}: {}",
        what("short")
    );
    assert!(
        what("label").contains("first 6 digits") && what("label").contains("4.7 hours"),
        "{url}: {}",
        what("label")
    );
    assert!(
        what("twelve").contains("first 12 digits") && what("twelve").contains("one millisecond"),
        "{url}"
    );
    let others = |survey: &Survey| -> Vec<(Code, String, Level)> {
        let is_of_switch = |code| matches!(code, Code::CursorById | Code::PartitionById | Code::PublicId);
        let of = survey.findings.iter().filter(|finding| is_of_switch(finding.code));
        let mut names: Vec<_> = of
            .map(|one| (one.code, format!("{}.{}", bare(&one.table), one.column.clone().unwrap()), one.level))
            .collect();
        names.sort();
        names
    };
    assert_eq!(others(&found), [], "{url}");

    let to = survey(url, &at(Some(NewIds::V7))).await.unwrap();
    assert!(truncated(&to).iter().all(|one| one.1 == Level::Danger), "{url}: {:?}", truncated(&to));
    let mut expected = vec![
        (Code::CursorById, "api.public_id".to_owned(), Level::Warning),
        (Code::CursorById, "o_old.id".to_owned(), Level::Danger),
        (Code::PublicId, "api.public_id".to_owned(), Level::Warning),
        (Code::PublicId, "api.reset_token".to_owned(), Level::Danger),
    ];
    if database.is_some() {
        expected.push((Code::PartitionById, "parted.id".to_owned(), Level::Warning));
        expected.push((Code::PartitionById, "ranged.id".to_owned(), Level::Danger));
    }
    expected.sort();
    assert_eq!(others(&to), expected, "{url}: {:?}", to.findings);
    if database.is_none() {
        return;
    }
    // The statements are valid.
    for finding in to.findings.iter().filter(|finding| !finding.statement.is_empty()) {
        execute(url, &finding.statement).await;
    }
}
