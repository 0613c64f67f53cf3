//! The survey on real servers: what the catalog and samples of each say, dangers and their nearest harmless cases.

use std::collections::BTreeSet;

use idgen_migrate::survey::{Code, Options, Survey};
use idgen_server::{Database, Server, Settings};

use crate::common::{self, bare, run};

fn surveyed(server: &Server, sql: &str) -> (Survey, Vec<(String, Code)>) {
    let scratch = server.scratch().unwrap();
    run(scratch.url(), sql);
    let survey = common::surveyed(scratch.url(), &Options::default());
    for finding in &survey.findings {
        run(scratch.url(), &finding.statement);
    }
    assert_eq!(survey.unseen, Vec::<String>::new());
    let found: BTreeSet<_> =
        survey.findings.iter().map(|found| (bare(&found.table).to_owned(), found.code)).collect();
    (survey, found.into_iter().collect())
}

fn assert_names_the_plan(survey: &Survey) {
    let near = survey.findings.iter().find(|finding| finding.code == Code::CounterNearEnd).unwrap();
    assert!(near.remedy.ends_with(": idgen plan URL --table near --to bigint"), "{}", near.remedy);
}

const A: &str = "6ccd780c-baba-4026-9564-5b8c656024db";
const B: &str = "f81d4fae-7dec-41d0-a765-00a0c91e6bf6";

#[test]
fn mysql_and_mariadb() {
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &Settings::new()).unwrap();
        let text = "CHARACTER SET ascii COLLATE ascii_bin";
        let sql = format!(
            "CREATE TABLE clean (id BINARY(16) PRIMARY KEY, n BIGINT UNSIGNED NOT NULL);
             INSERT INTO clean VALUES (UNHEX('6ccd780cbaba402695645b8c656024db'), 1);
             CREATE TABLE hexadecimal (id CHAR(36) CHARACTER SET ascii COLLATE ascii_general_ci PRIMARY KEY);
             INSERT INTO hexadecimal VALUES ('{A}'), ('{B}');
             CREATE TABLE base64 (id CHAR(22) CHARACTER SET ascii COLLATE ascii_general_ci PRIMARY KEY);
             INSERT INTO base64 VALUES ('bM14DLq6ECaVZFuMZWAk2w');
             CREATE TABLE spelled (id CHAR(36) {text} PRIMARY KEY);
             INSERT INTO spelled VALUES ('{A}'), ('{B}'), (UPPER('{A}'));
             CREATE TABLE cut (id CHAR(16) CHARACTER SET latin1 COLLATE latin1_bin PRIMARY KEY);
             INSERT INTO cut VALUES (UNHEX('6ccd780cbaba402695645b8c656024db')), (UNHEX('7ccd780cbaba402695645b8c656024db')),
               (UNHEX('8ccd780cbaba402695645b8c65602420'));
             CREATE TABLE codes (id CHAR(16) {text} PRIMARY KEY); INSERT INTO codes VALUES ('short'), ('sixteen letters.');
             CREATE TABLE orders (id BINARY(16) PRIMARY KEY); INSERT INTO orders VALUES
               (UNHEX('c232ab00941411ecb3c89f6bdeced846')), (UNHEX('11ec9414c232ab00b3c89f6bdeced846'));
             CREATE TABLE keyless (a INT); CREATE TABLE keyed (a INT NOT NULL UNIQUE); CREATE TABLE listed (a INT NOT NULL) ENGINE = CSV;
             CREATE TABLE near (id TINYINT UNSIGNED AUTO_INCREMENT PRIMARY KEY); INSERT INTO near VALUES (250);
             CREATE TABLE far (id TINYINT UNSIGNED AUTO_INCREMENT PRIMARY KEY); INSERT INTO far VALUES (100);
             CREATE TABLE large (id BIGINT UNSIGNED PRIMARY KEY); INSERT INTO large VALUES (9007199254740993);
             CREATE TABLE negative (id BIGINT PRIMARY KEY); INSERT INTO negative VALUES (-9000000000000000000);
             CREATE TABLE parent (id VARCHAR(36) {text} PRIMARY KEY);
             CREATE TABLE child (id INT PRIMARY KEY, p CHAR(36) {text}, FOREIGN KEY (p) REFERENCES parent (id));
             CREATE TABLE same (id INT PRIMARY KEY, p VARCHAR(36) {text} NOT NULL, FOREIGN KEY (p) REFERENCES parent (id));"
        );
        let (survey, found) = surveyed(&server, &sql);
        let expected = [
            ("base64", Code::EqualUnderCollation),
            ("child", Code::ForeignKeyDiffers),
            ("cut", Code::CutBytes),
            ("keyless", Code::NoPrimaryKey),
            ("large", Code::BeyondJson),
            ("listed", Code::NoPrimaryKey),
            ("near", Code::CounterNearEnd),
            ("negative", Code::SignedOverflow),
            ("negative", Code::BeyondJson),
            ("orders", Code::BothByteOrders),
            ("spelled", Code::TwoSpellings),
        ];
        assert_eq!(found, expected.map(|(table, code)| (table.to_owned(), code)), "{database}");
        assert_names_the_plan(&survey);
        // Other engines add no hidden key.
        let keyless = survey.findings.iter().filter(|finding| finding.code == Code::NoPrimaryKey);
        let hidden: Vec<_> =
            keyless.map(|finding| finding.what.contains("InnoDB adds a hidden key")).collect();
        assert_eq!(hidden, [true, false], "{database}");
        // Small integers and counters need no rows. All others are read.
        let (whole, not_read): (Vec<_>, Vec<_>) = survey.tables.iter().partition(|table| table.whole);
        let mut names: Vec<_> = not_read.iter().map(|table| bare(&table.table)).collect();
        names.sort_unstable();
        assert_eq!(names, ["far", "keyed", "keyless", "listed", "near"], "{database}");
        assert!(whole.iter().all(|table| table.rows == Some(table.rows_read)), "{database}");
        if database == Database::MariaDb {
            let sql = format!(
                "CREATE TABLE old (id UUID PRIMARY KEY);
                 INSERT INTO old VALUES ('c232ab00-9414-11ec-b3c8-9f6bdeced846'), ('c232ab01-9414-11ec-b3c8-9f6bdeced846');
                 CREATE TABLE refers (id UUID PRIMARY KEY REFERENCES old (id)); INSERT INTO refers SELECT id FROM old;
                 CREATE TABLE random (id UUID PRIMARY KEY); INSERT INTO random VALUES ('{A}'), ('{B}');
                 CREATE TABLE new (id UUID PRIMARY KEY); INSERT INTO new VALUES ('019aa3f0-0000-7000-8000-000000000001');"
            );
            assert_eq!(surveyed(&server, &sql).1, [("old".to_owned(), Code::MariadbUuidOrder)]);
        }
    }
}

#[test]
fn postgres() {
    let server = Server::start(Database::Postgres, &Settings::new()).unwrap();
    let sql = format!(
        "CREATE TABLE clean (id uuid PRIMARY KEY, n bigint); INSERT INTO clean VALUES ('{A}', 1), ('{B}', 2);
         CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
         CREATE TABLE base64 (id varchar(22) COLLATE ci PRIMARY KEY); INSERT INTO base64 VALUES ('bM14DLq6ECaVZFuMZWAk2w');
         CREATE TABLE exact (id varchar(22) PRIMARY KEY); INSERT INTO exact VALUES ('bM14DLq6ECaVZFuMZWAk2w');
         CREATE TABLE spelled (id text PRIMARY KEY); INSERT INTO spelled VALUES ('{A}'), ('{B}'), (upper('{A}'));
         CREATE TABLE keyless (a int); CREATE TABLE keyed (a int NOT NULL UNIQUE);
         CREATE TABLE near (id serial PRIMARY KEY); SELECT setval('near_id_seq', 2000000000);
         CREATE TABLE far (id serial PRIMARY KEY); SELECT setval('far_id_seq', 1000000000);
         CREATE SEQUENCE round MAXVALUE 100 CYCLE; CREATE TABLE turns (id int DEFAULT nextval('round') PRIMARY KEY);
         SELECT setval('round', 99);
         CREATE TABLE large (id bigint PRIMARY KEY); INSERT INTO large VALUES (9007199254740993);
         CREATE TABLE parent (id bigint PRIMARY KEY);
         CREATE TABLE child (id int PRIMARY KEY, p int REFERENCES parent);
         CREATE TABLE same (id int PRIMARY KEY, p bigint NOT NULL REFERENCES parent);
         CREATE TABLE many (id uuid PRIMARY KEY); INSERT INTO many SELECT gen_random_uuid() FROM generate_series(1, 20000);
         CREATE TABLE bytes (id bytea PRIMARY KEY); INSERT INTO bytes SELECT decode(replace(id::text, '-', ''), 'hex') FROM many;
         ANALYZE;"
    );
    let (survey, found) = surveyed(&server, &sql);
    let expected = [
        ("base64", Code::EqualUnderCollation),
        ("child", Code::ForeignKeyDiffers),
        ("keyless", Code::NoPrimaryKey),
        ("large", Code::BeyondJson),
        ("near", Code::CounterNearEnd),
        ("spelled", Code::TwoSpellings),
    ];
    assert_eq!(found, expected.map(|(table, code)| (table.to_owned(), code)));
    assert_names_the_plan(&survey);
    for name in ["many", "bytes"] {
        let table = common::table(&survey, name);
        assert_eq!((table.rows, table.rows_read, table.ranges), (Some(20_000), 1_000, 5), "{name}");
    }
}
