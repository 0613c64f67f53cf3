//! Columns that refer to a changed key without a foreign key are found by their values, in whatever type they are written.

use idgen_migrate::plan::{Options, Target};
use idgen_server::Database;

use crate::ledger::world::Servers;

/// 2,500 orders with an old row each in `log`, of which the first 2,000 are deleted: the oldest 2,000 rows of `log` refer to nothing.
const SCHEMA: &str = "
    CREATE TABLE orders (id CHAR(36) CHARACTER SET ascii PRIMARY KEY);
    CREATE TABLE parts (id BINARY(16) PRIMARY KEY);
    CREATE TABLE log (number INT PRIMARY KEY, about TEXT, part LONGTEXT, raw VARBINARY(20), spare CHAR(36) CHARACTER SET ascii);
    CREATE TABLE bare (upper VARCHAR(255), token CHAR(36), word VARCHAR(200));
    CREATE TABLE `o'dd``` (`an id` BINARY(16), n INT);
    CREATE VIEW seen AS SELECT about FROM log;
    SET SESSION cte_max_recursion_depth = 10000;
    INSERT INTO log (number, about, part) WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 2500)
      SELECT n, CONCAT(INSERT(INSERT(INSERT(LPAD(HEX(n * 7919), 20, '0'), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), '-', '00000000beef'),
        REPLACE(UUID(), '-', '') FROM s;
    UPDATE log SET raw = UNHEX(REPLACE(about, '-', ''));
    INSERT INTO orders SELECT LOWER(about) FROM log WHERE number > 2000;
    INSERT INTO parts SELECT UNHEX(part) FROM log WHERE number > 2450;
    INSERT INTO bare SELECT UPPER(REPLACE(id, '-', '')), UUID(), 'no id' FROM orders LIMIT 30;
    INSERT INTO `o'dd``` SELECT UNHEX(REPLACE(id, '-', '')), 1 FROM orders LIMIT 3;
    ANALYZE TABLE log";

#[test]
fn references_without_a_foreign_key_are_found() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let schema = match database {
            Database::MySql => SCHEMA.to_owned(),
            _ => SCHEMA.replace("cte_max_recursion_depth", "max_recursive_iterations"),
        };
        let world = servers.without_plan(&schema);
        let made = servers.plan(&world, &Options::new("orders", Target::Binary16));
        let begins = |words: &str| {
            let note = made.notes.iter().find(|note| note.starts_with(words));
            note.unwrap_or_else(|| panic!("{words} is not in {:?}", made.notes))
        };
        let found = begins("These columns refer to tables of the plan without a foreign key");
        // The first rows of the log refer to nothing any more.
        for part in [
            "bare.upper (30 of 30 are in orders.id)",
            "o'dd`.an id (3 of 3 are in orders.id)",
            "log.about (50 of 100 are",
            "log.raw (50 of 100 are",
        ] {
            assert!(found.contains(part), "{part} is not in {found}");
        }
        assert!(
            !["log.part", "token", "word", "parts", "seen"].iter().any(|name| found.contains(name)),
            "{found}"
        );
        let others = begins("These columns have no foreign key and hold ids");
        assert!(others.ends_with(": bare.token, log.part."), "{others}");
        assert!(begins("These columns have no foreign key and the type of a key").ends_with(": log.spare."));

        let swapped = servers.plan(&world.another(&servers.server), &Options::new("parts", Target::Swapped));
        let found = swapped.notes.iter().find(|note| note.contains("without a foreign key")).unwrap();
        assert!(found.contains("log.part (") && found.contains("are in parts.id)"), "{found}");
        assert!(!found.contains("orders"), "{found}");
    }
}
