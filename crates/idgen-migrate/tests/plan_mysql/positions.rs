//! The copy and the verification follow the first column of a key, whatever its type is: some types are sorted otherwise than they are compared.

use idgen_server::Database;

use crate::ledger::world::Servers;

const ID: &str = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL";

/// Types of both servers, and values of them, beginning with those whose numbers are sorted and whose texts are compared. The first value gets the most rows.
pub const TYPES: [(&str, &str); 27] = [
    ("ENUM('z','a','m')", "'z','m','a'"),
    ("ENUM('10','9','b','') CHARACTER SET latin1", "'10','9','','b'"),
    ("SET('z','a','m')", "'z','z,a','','m','a'"),
    ("SET('z','a','m') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", "'z,m','a','m'"),
    ("BIT(10)", "b'1',b'0',b'1000000000',b'1111111111'"),
    ("BIT(64)", "18446744073709551615,9223372036854775808,1"),
    ("TINYINT", "0,-128,127"),
    ("BIGINT UNSIGNED", "9223372036854775808,18446744073709551615,0"),
    ("INT(5) ZEROFILL", "7,0,4294967295"),
    ("FLOAT", "-0.0,0.1,-0.1,3.4e38,16777217"),
    ("DOUBLE", "-0.0,0.1,-0.1,1.7e308,2.3e-308"),
    ("DECIMAL(65,30)", "0.1,-0.1,99999999999999999999999999999999999.1"),
    ("YEAR", "2000,0,1901,2155"),
    ("TIME(6)", "'00:00:00.000001','-838:59:59','838:59:59','-00:00:00.000001'"),
    ("DATE", "'2024-01-01','0000-00-00','9999-12-31','2024-00-00'"),
    ("DATETIME(6)", "'2024-10-27 02:30:00.000001','0000-00-00','9999-12-31 23:59:59.999999'"),
    (
        "TIMESTAMP(3) DEFAULT '2000-01-01'",
        "'2024-10-27 01:30:00.001','2024-10-27 00:30:00','1970-01-02','2038-01-18'",
    ),
    ("BINARY(4)", "'a ','','a',x'ff00'"),
    ("VARBINARY(20)", "'a ','a','',x'00',x'6100'"),
    ("CHAR(20) CHARACTER SET latin1 COLLATE latin1_german2_ci", "'s','','B ','\u{df}','z','\u{c4}'"),
    ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", "'b ','\u{1f600}','\u{e9}','Z'"),
    (
        "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
        "'B ','','\u{e9}','\u{df}','z','\u{d6}'",
    ),
    ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_hungarian_ci", "'cs','ccs','cz','c','d','ddzs'"),
    ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_czech_ci", "'ch','c','h','cz','i'"),
    ("VARCHAR(20) CHARACTER SET latin1", "'a\\t','a','b'"),
    // Longer than what a sort of the server compares.
    ("VARCHAR(1200) CHARACTER SET latin1", "CONCAT(REPEAT('x',1150),'b'),CONCAT(REPEAT('x',1150),'a'),'y'"),
    (
        "VARCHAR(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
        "CONCAT(REPEAT('x',650),'b'),CONCAT(REPEAT('x',650),'a'),'y'",
    ),
];

pub const OF_MARIADB: [(&str, &str); 3] = [
    ("INET6", "'::1','::','ffff::','::ffff:1.2.3.4'"),
    (
        "UUID",
        "'6ccd780c-baba-1026-9564-5b8c656024db','01a213d1-e64b-7a39-8bf4-d1b7743ca2e1','00000000-0000-0000-0000-000000000000'",
    ),
    ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin", "'a','a ','a\\t','Z'"),
];

pub const OF_MYSQL: [(&str, &str); 2] = [
    ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci", "'a','a ','a\\t','Z'"),
    ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin", "'a','a ','a\\t','Z'"),
];

/// A table for each type, of whose key a column of it is the first, with more rows of each value than the first chunks have.
fn schema(types: &[(&str, &str)]) -> String {
    let mut sql = format!(
        "SET sql_mode = ''; CREATE TABLE orders (id {ID} PRIMARY KEY, n INT);
         INSERT INTO orders WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 130) SELECT UUID(), n FROM s;"
    );
    for (at, (of, values)) in types.iter().enumerate() {
        let (of, default) = of.split_once(" DEFAULT").unwrap_or((of, ""));
        let default = if default.is_empty() { String::new() } else { format!(" DEFAULT{default}") };
        sql += &format!(
            "CREATE TABLE k{at} (k {of} NOT NULL{default}, order_id {ID}, v INT, PRIMARY KEY (k, order_id),
               FOREIGN KEY (order_id) REFERENCES orders (id)) ROW_FORMAT = DYNAMIC;"
        );
        for value in split(values) {
            sql += &format!("INSERT INTO k{at} SELECT {value}, id, n FROM orders;");
        }
    }
    sql
}

/// The values of a list, whose texts and calls may contain commas.
pub fn split(values: &str) -> Vec<String> {
    let (mut all, mut depth, mut is_text) = (vec![String::new()], 0, false);
    for c in values.chars() {
        match c {
            '\'' => is_text = !is_text,
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 && !is_text => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        all.last_mut().unwrap().push(c);
    }
    all
}

#[test]
fn no_row_is_lost_whatever_the_type_of_the_first_column_is() {
    for database in Database::MYSQL_FAMILY {
        let more: &[_] = if database == Database::MySql { &OF_MYSQL } else { &OF_MARIADB };
        // Those that are sorted otherwise than they are compared, and some of the others; all of them in the soak.
        let others = crate::sample(database, [&TYPES[4..], more].concat());
        let types: Vec<_> = TYPES[..4].iter().copied().chain(others).collect();
        let servers = Servers::start(database);
        let world = servers.world_of(&schema(&types), "orders");
        let rows = |at: usize| {
            let sql =
                format!("SELECT COUNT(*) * 1000000 + SUM(CRC32(CAST(k AS BINARY))) DIV 1000 FROM k{at}");
            servers.number(&world.scratch, &sql)
        };
        let before: Vec<_> = (0..types.len()).map(rows).collect();
        world.until("finish");
        for (at, before) in before.into_iter().enumerate() {
            assert_eq!(rows(at), before, "{database}: {}", types[at].0);
            servers.assert_rows(
                &world,
                &format!("k{at}"),
                130 * split(types[at].1).len() as i64,
                types[at].0,
            );
        }
    }
}

/// The chunks are left out of the verification, as if no row were in any of them.
#[test]
fn the_verification_does_not_rest_on_its_chunks() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let world = servers.world();
        for (from, step, side) in [("check", "verify", "new"), ("verify", "verify-renamed", "old")] {
            world.between(from, step);
            let other = world.beside(&servers, "c", side);
            let remove = format!(
                "CREATE TABLE gone_{side} AS SELECT * FROM {other} LIMIT 1; DELETE FROM {other} WHERE id = (SELECT id FROM gone_{side})"
            );
            servers.sql(&world.scratch, &remove).unwrap();
            let whole = world.client.statements(&world.file(step)).concat();
            let without = whole.replace("_last IS NULL THEN", "_last IS NULL OR TRUE THEN");
            assert_ne!(whole, without);
            let said = world.client.execute_text(&without).unwrap_err();
            assert!(said.contains("different numbers of rows"), "{database}: {said}");
            servers.sql(&world.scratch, &format!("INSERT INTO {other} SELECT * FROM gone_{side}")).unwrap();
            world.must(step);
        }
    }
}

/// A foreign key with a cascade moves rows without triggers. Here all rows are behind the position of the copy.
#[test]
fn rows_that_a_cascade_moved_behind_the_position_are_copied() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let schema = format!(
            "CREATE TABLE orders (id {ID} PRIMARY KEY, n INT);
             CREATE TABLE parts (order_id {ID}, place INT, v INT, PRIMARY KEY (order_id, place),
               FOREIGN KEY (order_id) REFERENCES orders (id) ON UPDATE CASCADE);
             INSERT INTO orders WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 300) SELECT UUID(), n FROM s;
             INSERT INTO parts SELECT id, 1, n FROM orders; INSERT INTO parts SELECT id, 2, n FROM orders"
        );
        let world = servers.world_of(&schema, "orders");
        world.until("copy-parts");
        let position = world.beside(&servers, "parts", "at");
        // As if the copy had passed these places before there were rows.
        servers
            .sql(
                &world.scratch,
                &format!("UPDATE {position} SET copied_to = 'f'; UPDATE orders SET id = CONCAT('0', SUBSTR(id, 2)) WHERE n < 100"),
            )
            .unwrap();
        world.between("copy-parts", "finish");
        servers.assert_rows(
            &world,
            "parts AS p JOIN orders AS o ON o.id = p.order_id AND o.n = p.v",
            600,
            "moved rows",
        );
    }
}

/// When summer time ends, an hour is there twice. The server finds the row of the first one where the second one is meant.
#[test]
fn times_that_a_zone_has_twice_lose_no_row() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let schema = format!(
            "INSERT INTO mysql.time_zone VALUES (900, 'N'); INSERT INTO mysql.time_zone_name VALUES ('Test/Zone', 900);
             INSERT INTO mysql.time_zone_transition VALUES (900, 1, 1), (900, 1711846800, 2), (900, 1729990800, 1);
             INSERT INTO mysql.time_zone_transition_type VALUES (900, 1, 3600, 0, 'CET'), (900, 2, 7200, 1, 'CEST');
             SET time_zone = '+00:00'; CREATE TABLE orders (id {ID} PRIMARY KEY, n INT);
             CREATE TABLE events (order_id {ID}, at TIMESTAMP NOT NULL DEFAULT '2000-01-01', v INT, PRIMARY KEY (order_id, at),
               FOREIGN KEY (order_id) REFERENCES orders (id));
             INSERT INTO orders VALUES (UUID(), 1); INSERT INTO events SELECT id, '2024-10-27 00:30:00', 1 FROM orders;
             INSERT INTO events SELECT id, '2024-10-27 01:30:00', 2 FROM orders"
        );
        let world = servers.world_of(&schema, "orders");
        world.until("verify");
        let in_zone =
            |zone: &str, sql: &str| servers.sql(&world.scratch, &format!("SET time_zone = '{zone}'; {sql}"));
        in_zone("Test/Zone", "UPDATE events SET v = 10 WHERE v = 1").unwrap();
        assert_eq!(in_zone("Test/Zone", "DELETE FROM events WHERE v = 2"), Err(1644), "{database}");
        assert_eq!(in_zone("Test/Zone", "UPDATE events SET v = 20 WHERE v = 2"), Err(1644), "{database}");
        in_zone("+00:00", "UPDATE events SET v = 20 WHERE v = 2").unwrap();
        in_zone("Test/Zone", "DELETE FROM events WHERE v = 10").unwrap();
        world.between("verify", "verify-renamed");
        in_zone("+00:00", "INSERT INTO events SELECT order_id, '2024-10-27 00:30:00', 30 FROM events")
            .unwrap();
        assert_eq!(in_zone("Test/Zone", "DELETE FROM events WHERE v = 20"), Err(1644), "{database}");
        world.must("verify-renamed");
        servers.assert_rows(&world, "events", 2, "a time that is there twice");
    }
}
