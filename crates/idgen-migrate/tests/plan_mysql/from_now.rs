//! Ids of version 7 from now on: the default makes them in the form of the column, and the way back restores the old one.

use idgen_migrate::plan::{Options, Target};
use idgen_server::{Database, Server, Settings};
use uuid::Uuid;

use crate::ledger::world::Servers;

const RANDOM: &str = "UNHEX(CONCAT(HEX(RANDOM_BYTES(6)), '4', SUBSTR(HEX(RANDOM_BYTES(2)), 2), 'a', SUBSTR(HEX(RANDOM_BYTES(8)), 2)))";

/// A column, the value of an old row of version 4 whose bytes are `b`, and an expression for its text.
const COLUMNS: [(&str, &str, &str); 5] = [
    (
        "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin",
        "INSERT(INSERT(INSERT(INSERT(LOWER(HEX(b)), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')",
        "id",
    ),
    (
        "VARCHAR(40) CHARACTER SET utf8mb4",
        "INSERT(INSERT(INSERT(INSERT(HEX(b), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')",
        "id",
    ),
    ("CHAR(32) CHARACTER SET latin1", "LOWER(HEX(b))", "id"),
    ("BINARY(16)", "b", "HEX(id)"),
    ("UUID", "b", "CAST(id AS CHAR)"),
];

#[test]
fn the_default_makes_version_7_in_the_form_of_the_column() {
    for database in Database::MYSQL_FAMILY {
        let servers = servers(database);
        for column in COLUMNS {
            if database == Database::MariaDb || column.0 != "UUID" {
                one_column(&servers, column);
            }
        }
    }
}

/// A plan of this kind copies no rows, so it needs no server that cascades in InnoDB.
fn servers(database: Database) -> Servers {
    Servers { server: Server::start(database, &Settings::new()).unwrap(), runtime: crate::runtime() }
}

fn one_column(servers: &Servers, (declared, old, shown): (&str, &str, &str)) {
    let schema = format!(
        "CREATE TABLE orders (id {declared} NOT NULL PRIMARY KEY COMMENT 'it''s', n INT NOT NULL);
         CREATE TABLE items (id INT PRIMARY KEY, o {declared}, FOREIGN KEY (o) REFERENCES orders (id));
         INSERT INTO orders SELECT {old}, 0 FROM (SELECT {RANDOM} AS b {}) AS made",
        format!("UNION ALL SELECT {RANDOM} ").repeat(40)
    );
    let world = servers.without_plan(&schema);
    let made = servers.plan(&world, &options());
    assert_eq!((made.steps.len(), &made.tables[..]), (1, &["orders".to_owned()][..]));
    assert!(made.facts.iter().any(|fact| fact.contains("41 have ids of version 4")), "{:?}", made.facts);
    let random = "of all random ids sort after it";
    assert!(made.notes.iter().any(|note| note.contains(random)), "{:?}", made.notes);
    let (client, texts) = (&world.client, |sql: &str| servers.texts(&world.scratch, sql));
    let definition = "SELECT GROUP_CONCAT(CONCAT_WS(' ', COLUMN_NAME, COLUMN_TYPE, COLLATION_NAME, IS_NULLABLE, COLUMN_COMMENT, \
                      COLUMN_DEFAULT, EXTRA)) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()";
    let before = texts(definition);
    for _ in 0..2 {
        client.must("01-default.sql");
    }
    // A dump of the table has what is shown here.
    let shown_default = "SELECT COALESCE(COLUMN_DEFAULT, 'hidden') FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() \
                         AND TABLE_NAME = 'orders' AND COLUMN_NAME = 'id'";
    let default = texts(shown_default).concat();
    assert!(default.contains('('), "{declared}: {default}");
    for _ in 0..5 {
        servers.sql(&world.scratch, "INSERT INTO orders (n) VALUES (1), (1)").unwrap();
    }
    let ids = texts(&format!("SELECT {shown} FROM orders WHERE n = 1 ORDER BY id"));
    assert_eq!(ids.len(), 10, "{declared}");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    for id in &ids {
        let uuid: Uuid = id.parse().unwrap();
        assert_eq!(
            (uuid.get_version_num(), uuid.get_variant()),
            (7, uuid::Variant::RFC4122),
            "{declared}: {id}"
        );
        assert!(uuid.get_timestamp().unwrap().to_unix().0.abs_diff(now) < 60, "{declared}: {id}");
    }
    if declared.starts_with("VARCHAR") {
        assert!(ids.iter().all(|id| *id == id.to_uppercase()), "{ids:?}");
    }
    client.must("undo/01-default.sql");
    assert_eq!(texts(definition), before, "{declared}");
    let without = servers.sql(&world.scratch, "INSERT INTO orders (n) VALUES (2)");
    assert!(without.is_err(), "{declared}: the default is still there");
}

#[test]
fn the_way_back_restores_the_old_default() {
    for database in Database::MYSQL_FAMILY {
        let servers = servers(database);
        for (default, expected) in [
            ("(CONCAT('it''s', LEFT(UUID(), 31)))", "it's"),
            ("'it is no id of 36 characters, but ok'", "it is no"),
        ] {
            let schema = format!(
                "CREATE TABLE orders (id VARCHAR(36) PRIMARY KEY DEFAULT {default}, n INT); INSERT INTO orders VALUES (UUID(), 0)"
            );
            let world = servers.world_to(&schema, "orders", Target::V7FromNow);
            world.client.must("01-default.sql");
            world.client.must("undo/01-default.sql");
            servers.sql(&world.scratch, "INSERT INTO orders (n) VALUES (1)").unwrap();
            let shown = servers.texts(&world.scratch, "SELECT id FROM orders WHERE n = 1").concat();
            assert!(shown.starts_with(expected), "{database}: {shown}");
        }
        // A column of another type since the plan.
        let schema = "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, n INT)";
        let world = servers.world_to(schema, "orders", Target::V7FromNow);
        servers.sql(&world.scratch, "ALTER TABLE orders MODIFY id BINARY(16)").unwrap();
        world.refused("01-default.sql", "is not as it was when the plan was made");
    }
}

/// Schemas for which there is no such default, and why.
const REFUSED: [(&str, &str); 4] = [
    ("CREATE TABLE orders (id INT PRIMARY KEY)", "holds no ids of 128 bits"),
    ("CREATE TABLE orders (a INT, b INT, PRIMARY KEY (a, b))", "no primary key of one column"),
    ("CREATE TABLE o (id INT); CREATE VIEW orders AS SELECT * FROM o", "no base table, but VIEW"),
    (
        "CREATE TABLE orders (id BINARY(16) PRIMARY KEY); INSERT INTO orders VALUES \
         (x'11f1aaaa0000111180000000000000aa'), (x'11f1aaab0000222280000000000000aa'), (x'11f1aaac0000333380000000000000aa')",
        "UUID_TO_BIN(id, 1)",
    ),
];

#[test]
fn a_key_without_a_place_for_version_7_is_refused() {
    let servers = servers(Database::MariaDb);
    for (sql, reason) in REFUSED {
        let error = servers.plan_error(&servers.without_plan(sql), &options());
        assert!(error.contains(reason), "{sql}: {error}");
    }
}

fn options() -> Options {
    Options::new("orders", Target::V7FromNow)
}
