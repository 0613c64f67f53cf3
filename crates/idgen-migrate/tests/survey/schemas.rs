//! Schemas as others make them: reserved words as names, prefixes of indexes, full-text and partial indexes, generated and invisible
//! columns, partitions, inheritance, domains, names in another case. The figures are compared with counts by hand.

use idgen_migrate::survey::{Cost, Kind, Options, Survey};
use idgen_server::{Database, Server, Settings};

use crate::common::{run, surveyed, table};

fn surveyed_on(server: &Server, sql: &str) -> Survey {
    let scratch = server.scratch().unwrap();
    run(scratch.url(), sql);
    surveyed(scratch.url(), &Options::default())
}

fn cost(survey: &Survey, name: &str, column: &str) -> Cost {
    let columns = &table(survey, name).columns;
    let found = columns.iter().find(|one| one.column == column);
    found.and_then(|column| column.cost.clone()).unwrap_or_else(|| panic!("{name}.{column} in {columns:?}"))
}

const A: &str = "6ccd780c-baba-4026-9564-5b8c656024db";
const B: &str = "f81d4fae-7dec-41d0-a765-00a0c91e6bf6";

#[test]
fn mysql_and_mariadb() {
    let text = "CHARACTER SET ascii COLLATE ascii_bin NOT NULL";
    let days = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 \
                UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";
    for database in Database::MYSQL_FAMILY {
        let invisible = "INVISIBLE";
        let sql = format!(
            "CREATE TABLE `order` (`select` CHAR(36) {text} PRIMARY KEY, `na``me` VARCHAR(200), tag CHAR(36) {text} {invisible}
               DEFAULT '{A}', upper_id CHAR(36) AS (UPPER(`select`)) VIRTUAL,
               KEY beginning (`select`(8)), KEY other (`na``me`(10)), FULLTEXT KEY words (`na``me`));
             INSERT INTO `order` (`select`, `na``me`) VALUES ('{A}', 'one'), ('{B}', 'two');
             CREATE TABLE line (id INT AUTO_INCREMENT PRIMARY KEY, o CHAR(36) CHARACTER SET ascii COLLATE ascii_bin,
               FOREIGN KEY (O) REFERENCES `order` (`SELECT`));
             INSERT INTO line (o) VALUES ('{A}'), ('{A}'), (NULL), (NULL);
             CREATE TABLE parts (id BINARY(16), year INT, PRIMARY KEY (id, year))
               PARTITION BY RANGE (year) (PARTITION `p-1` VALUES LESS THAN (2000), PARTITION p2 VALUES LESS THAN (3000));
             INSERT INTO parts VALUES (UNHEX(REPLACE('{A}', '-', '')), 1999), (UNHEX(REPLACE('{B}', '-', '')), 2026);
             CREATE TABLE day (at DATETIME, id CHAR(36) {text}, PRIMARY KEY (at, id));
             INSERT INTO day SELECT '2026-01-01' + INTERVAL a.d * 100 + b.d * 10 + c.d HOUR, UUID() FROM {days} a, {days} b, {days} c;
             CREATE TABLE titles (title VARBINARY(255) PRIMARY KEY); INSERT INTO titles VALUES ('Main_Page');
             CREATE VIEW shown AS SELECT * FROM `order`;
             ANALYZE TABLE parts, day"
        );
        let server = Server::start(database, &Settings::new()).unwrap();
        let found = surveyed_on(&server, &sql);
        assert_eq!(found.unseen, Vec::<String>::new());
        assert_eq!(found.tables_seen, 5, "no view: {:?}", found.tables);
        let order = cost(&found, "order", "select");
        // Two indexes with the primary key of 36 bytes, and one with 8 bytes of it more; words are in tables of their own.
        assert_eq!(
            (order.table_bytes, order.indexes, order.index_bytes),
            (72, 2, 2 * (36 + 8) + 2 * 36),
            "{database}"
        );
        // Two of four rows refer to it, in the table and in its index.
        assert_eq!((order.references, order.reference_bytes), (1, 2 * 2 * 36), "{database}");
        let names: Vec<_> = table(&found, "order").columns.iter().map(|one| one.column.as_str()).collect();
        assert_eq!(names, ["select", "tag", "upper_id"], "{database}");
        let parts = cost(&found, "parts", "id");
        assert_eq!(
            (parts.pages, parts.leaf_pages),
            (Some(2), Some(2)),
            "{database}: a page of each partition"
        );
        let day = table(&found, "day");
        assert_eq!((day.rows_read, day.ranges), (400, 2), "{database}: nothing lies between two times");
        let titles = &table(&found, "titles").columns[0];
        assert_eq!((titles.kinds[0].kind, titles.kinds[0].values), (Kind::Bytes, 1), "{database}");
    }
}

#[test]
fn postgres() {
    let sql = "CREATE SCHEMA other; CREATE DOMAIN other.code AS uuid NOT NULL; CREATE DOMAIN letters AS varchar(36);
         CREATE TABLE \"Order\" (\"select\" other.code PRIMARY KEY, n int, body text, is_open boolean);
         INSERT INTO \"Order\" SELECT gen_random_uuid(), g, 'text', g <= 10 FROM generate_series(1, 100) g;
         CREATE INDEX carrying ON \"Order\" (n) INCLUDE (\"select\");
         CREATE INDEX few ON \"Order\" (\"select\", n) WHERE is_open;
         CREATE INDEX summary ON \"Order\" USING brin (\"select\");
         CREATE INDEX expression ON \"Order\" ((\"select\"::text));
         CREATE TABLE other.\"Order\" (id letters PRIMARY KEY, o uuid REFERENCES \"Order\");
         INSERT INTO other.\"Order\" SELECT gen_random_uuid()::text, CASE WHEN n <= 50 THEN \"select\" END FROM \"Order\";
         CREATE TABLE base (id uuid PRIMARY KEY); CREATE TABLE derived (PRIMARY KEY (id)) INHERITS (base);
         INSERT INTO base SELECT gen_random_uuid() FROM generate_series(1, 3);
         INSERT INTO derived SELECT gen_random_uuid() FROM generate_series(1, 5);
         CREATE TABLE parts (id uuid, year int, PRIMARY KEY (id, year)) PARTITION BY RANGE (year);
         CREATE TABLE \"parts 1999\" PARTITION OF parts FOR VALUES FROM (1999) TO (2000);
         INSERT INTO parts VALUES (gen_random_uuid(), 1999);
         CREATE TABLE day (at timestamptz, id uuid, PRIMARY KEY (at, id));
         INSERT INTO day SELECT now() + g * interval '1 hour', gen_random_uuid() FROM generate_series(1, 1000) g;
         CREATE TABLE numbers (a int PRIMARY KEY, b int NOT NULL); INSERT INTO numbers VALUES (1, 2);
         CREATE VIEW shown AS SELECT * FROM base; CREATE MATERIALIZED VIEW kept AS SELECT * FROM base;
         CREATE FOREIGN DATA WRAPPER far; CREATE SERVER away FOREIGN DATA WRAPPER far;
         CREATE FOREIGN TABLE elsewhere (id uuid) SERVER away; ANALYZE;";
    let server = Server::start(Database::Postgres, &Settings::new()).unwrap();
    let found = surveyed_on(&server, sql);
    assert_eq!(
        found.unseen,
        [
            "elsewhere: a foreign table, whose rows another server has",
            "parts as a whole: it is partitioned, and its partitions are surveyed as tables"
        ]
    );
    assert_eq!(found.tables_seen, 7, "no views, and partitions without what they are parts of");
    let order = cost(&found, "Order", "select");
    // The key, the index that includes it, and ten rows of the partial one.
    assert_eq!((order.table_bytes, order.indexes, order.index_bytes), (1_600, 3, 1_600 * 2 + 160));
    assert_eq!((order.references, order.reference_bytes), (1, 50 * 16), "no index carries the reference");
    assert_eq!(cost(&found, "other.Order", "id").value_bytes, 37.0);
    let rows = |name: &str| (table(&found, name).rows, table(&found, name).rows_read);
    assert_eq!(
        (rows("base"), rows("derived"), rows("parts 1999")),
        ((Some(3), 3), (Some(5), 5), (Some(1), 1))
    );
    assert_eq!((table(&found, "day").rows_read, table(&found, "day").ranges), (400, 2));
    // Integers are not read.
    assert_eq!(rows("numbers"), (Some(1), 0));
    let kinds = &table(&found, "numbers").columns[0].kinds;
    assert_eq!(
        kinds.iter().map(|share| (share.kind, share.values)).collect::<Vec<_>>(),
        [(Kind::Counted, 0)]
    );
    assert!(found.statements.iter().all(|one| !one.sql.contains("\"numbers\"")), "{:?}", found.statements);
}

#[test]
fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let sql = format!(
        "CREATE TABLE Orders (ID TEXT PRIMARY KEY, open INT) WITHOUT ROWID;
         CREATE INDEX open ON orders (ID) WHERE open;
         CREATE TABLE \"li\"\"ne\" (n INTEGER PRIMARY KEY, o TEXT REFERENCES ORDERS (id));
         INSERT INTO orders VALUES ('{A}', 1), ('{B}', 0); INSERT INTO \"li\"\"ne\" (o) VALUES ('{A}'), (NULL);
         CREATE VIEW shown AS SELECT * FROM orders; CREATE TEMP TABLE passing (id TEXT PRIMARY KEY);
         CREATE VIRTUAL TABLE words USING fts5(body); ANALYZE;"
    );
    rusqlite::Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
    let options = Options { rows: 1, starts: 1, ..Options::default() };
    let found = surveyed(path.to_str().unwrap(), &options);
    assert_eq!(found.tables_seen, 2, "{:?}", found.tables);
    // The partial index has one row, the table two.
    assert_eq!(table(&found, "Orders").rows, Some(2));
    assert_eq!(cost(&found, "Orders", "ID").references, 1);
}
