//! Generated columns and indexes of expressions: the copy computes them again, in a session with other settings than those of clients.

use idgen_migrate::plan::{Options, Target, plan};
use idgen_server::Database;

use crate::ledger::world::{Servers, text};

const ID: &str = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin";
const ROW: &str = "ts TIMESTAMP NULL, dt DATETIME(6), d DATE, tm TIME, n INT, v VARCHAR(30), j JSON";

/// Columns and indexes that are refused, and a word of the reason; and whether MariaDB takes them at all.
const REFUSED: [(&str, &str, bool); 13] = [
    ("g DATE AS (DATE(ts)) STORED", "TIMESTAMP ts", true),
    ("g DATE AS (DATE(ts)) VIRTUAL, KEY of_g (g)", "is in the index of_g", true),
    ("y INT AS (YEAR(ts)) VIRTUAL, g INT AS (y + 1) STORED", "reads y, which reads the TIMESTAMP ts", true),
    ("CHECK (HOUR(ts) < 25)", "the check constraint", true),
    ("KEY of_day ((DATE(ts)))", "the index of_day", false),
    ("g VARCHAR(20) AS (DAYNAME(d)) STORED", "lc_time_names", false),
    ("g VARCHAR(20) AS (DATE_FORMAT(d, '%Y %M')) STORED", "lc_time_names", false),
    ("g DECIMAL(20,10) AS (n / 7) VIRTUAL, KEY of_g (g)", "div_precision_increment", true),
    ("KEY of_part ((n / 7))", "div_precision_increment", false),
    ("g DATETIME AS (CAST(tm AS DATETIME)) STORED", "the day", true),
    ("KEY of_json ((CAST(j->>'$.at' AS DATETIME)))", "offset", false),
    ("g DATETIME AS (FROM_UNIXTIME(n)) STORED", "time_zone", false),
    ("g DATE AS (STR_TO_DATE(v, '%Y-%m-%d')) STORED", "sql_mode", true),
];

/// Columns that clients see in their own settings, or that have the same value in all of them.
const KEPT: &str = "y INT AS (YEAR(ts)) VIRTUAL, m CHAR(7) AS (DATE_FORMAT(dt, '%Y-%m')) VIRTUAL, s INT AS (n DIV 7) STORED, k VARCHAR(40) AS (CONCAT(v, \
                    '/')) STORED, KEY of_s (s), x DATE AS (CAST(dt AS DATE)) STORED, tax DECIMAL(20,4) AS (n * 19 / 100) STORED, until_ts TIMESTAMP NULL, \
                    gone TINYINT AS (IF(ts IS NULL, 1, NULL)) VIRTUAL, UNIQUE KEY of_gone (v, gone), begins DATETIME AS (TIMESTAMP(d, tm)) STORED, \
                    CHECK (until_ts > ts), CHECK ((n = 1) = (ts IS NOT NULL))";

#[test]
fn what_depends_on_the_session_is_refused() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let plan_of = |columns: &str| {
            let schema = format!("CREATE TABLE p (id {ID} PRIMARY KEY, {ROW}, {columns})");
            let world = servers.without_plan(&schema);
            servers.runtime.block_on(plan(world.scratch.url(), &Options::new("p", Target::Binary16)))
        };
        for (columns, reason, is_of_mariadb) in REFUSED {
            if database == Database::MySql || is_of_mariadb {
                let Err(error) = plan_of(columns) else { panic!("{database}: {columns} is planned") };
                let error = error.to_string();
                assert!(error.contains(reason), "{database}: {columns}: {error}");
            }
        }
        let kept =
            if database == Database::MySql { KEPT.to_owned() } else { KEPT.replace("CHAR(7)", "VARCHAR(7)") };
        if let Err(error) = plan_of(&kept) {
            panic!("{database}: {error}");
        }
    }
}

/// A setting of one session, which nobody who makes a plan can know. Its value is found before the renaming.
#[test]
fn stored_columns_are_compared() {
    let servers = Servers::start(Database::MySql);
    let schema = format!(
        "CREATE TABLE p (id {ID} PRIMARY KEY, c CHAR(5), g INT AS (CHAR_LENGTH(CONCAT(c, '|'))) STORED);
         INSERT INTO p (id, c) VALUES (UUID(), 'a'); SET sql_mode = 'PAD_CHAR_TO_FULL_LENGTH'; INSERT INTO p (id, c) VALUES (UUID(), 'a')"
    );
    let world = servers.world_of(&schema, "p");
    world.until("verify");
    let said = world.client.execute(&world.file("verify")).unwrap_err();
    assert!(said.contains("missing or different") && said.contains("\tg\n"), "{said}");
    world.back_to("new-tables");
    servers.assert_rows(&world, "p WHERE g = 2", 1, "a mode of one session");
    servers.assert_rows(&world, "p WHERE g = 6", 1, "a mode of one session");
}

/// Columns and indexes that are computed of a value which a strict mode refuses (too long, out of range, no number), with such a value, and true if MariaDB takes them, too.
const LAX: [(&str, &str, bool); 6] = [
    ("v VARCHAR(20), g INT AS (CAST(v AS UNSIGNED)) STORED", "'12abc'", true),
    ("v VARCHAR(20), g CHAR(3) AS (v) STORED", "'abcdef'", true),
    ("v TINYINT, g TINYINT AS (v * 2) STORED", "100", true),
    ("v TINYINT, g TINYINT AS (v * 2) VIRTUAL", "100", false),
    ("v VARCHAR(20), KEY of_v ((CAST(v AS UNSIGNED)))", "'12abc'", false),
    ("v VARCHAR(20), CHECK (CAST(v AS UNSIGNED) < 100)", "'12abc'", true),
];

/// Sessions without a strict mode write what they wrote before, during the whole change and after it.
#[test]
fn sessions_without_a_strict_mode_can_write() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let cases: Vec<_> = LAX.into_iter().filter(|case| database == Database::MySql || case.2).collect();
        let mut schema = format!(
            "SET sql_mode = ''; CREATE TABLE p (id {ID} PRIMARY KEY, n INT); INSERT INTO p VALUES ('{}', 1);",
            text(1)
        );
        for (at, (columns, value, _)) in cases.iter().enumerate() {
            schema += &format!(
                "CREATE TABLE c{at} (id INT PRIMARY KEY, p_id {ID}, {columns}, FOREIGN KEY (p_id) REFERENCES p (id));
                 INSERT INTO c{at} (id, p_id, v) VALUES (1, '{}', {value});",
                text(1)
            );
        }
        let world = servers.world_of(&schema, "p");
        let write = |id: i64, parent: &str| {
            for (at, (columns, value, _)) in cases.iter().enumerate() {
                let insert = format!("INSERT INTO c{at} (id, p_id, v) VALUES ({id}, {parent}, {value})");
                servers
                    .sql(&world.scratch, &format!("SET sql_mode = ''; {insert}"))
                    .unwrap_or_else(|error| panic!("{database}: {columns}: {error}"));
                let update = format!(
                    "SET sql_mode = ''; UPDATE c{at} SET v = {value}, p_id = {parent} WHERE id = {id}"
                );
                servers.sql(&world.scratch, &update).unwrap();
                // Where the server refuses it, it does so as before.
                let strict = insert.replacen(&format!("({id},"), &format!("({},", id + 1000), 1);
                let refused =
                    servers.sql(&world.scratch, &format!("SET sql_mode = 'STRICT_ALL_TABLES'; {strict}"));
                assert!(refused.is_err(), "{database}: {columns}");
            }
        };
        world.until("verify");
        write(2, &format!("'{}'", text(1)));
        let unreadable = "SET sql_mode = ''; INSERT INTO c0 (id, p_id, v) VALUES (9, 'no id', 1)";
        assert!(servers.sql(&world.scratch, unreadable).is_err());
        world.between("verify", "verify-renamed");
        write(3, &format!("UNHEX(REPLACE('{}', '-', ''))", text(1)));
        world.between("verify-renamed", "finish");
        world.must("finish");
        for (at, (columns, ..)) in cases.iter().enumerate() {
            servers.assert_rows(&world, &format!("c{at}"), 3, columns);
        }
    }
}

/// Without a strict mode, a trigger for the way back would store the largest value of the old type.
#[test]
fn ids_beyond_the_old_type_are_refused_beside_expressions() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let schema = "CREATE TABLE p (id INT PRIMARY KEY, v TINYINT, g TINYINT AS (v * 2) STORED); INSERT INTO p (id, v) VALUES (1, 1)";
        let world = servers.world_to(schema, "p", Target::Bigint);
        let (client, scratch) = (&world.client, &world.scratch);
        let files = client.files("");
        let renamed = files.iter().position(|file| file.contains("-rename")).unwrap();
        client.execute_together(files[..=renamed].iter().cloned()).unwrap();
        for write in ["INSERT INTO p (id, v) VALUES (2147483648, 1)", "UPDATE p SET id = -2147483649"] {
            assert_eq!(
                servers.sql(scratch, &format!("SET sql_mode = ''; {write}")),
                Err(1264),
                "{database}: {write}"
            );
        }
        servers
            .sql(
                scratch,
                "SET sql_mode = ''; INSERT INTO p (id, v) VALUES (-2147483648, 100), (2147483647, 100)",
            )
            .unwrap();
        client.must(&files[renamed + 1]);
        client.must(&format!("undo/{}", files[renamed]));
        assert_eq!(servers.number(scratch, "SELECT COUNT(*) FROM p WHERE g IN (2, 127)"), 3);
    }
}

/// Without a strict mode, an id that the type UUID does not accept would be stored as zeros: neither the triggers nor the copy do that.
#[test]
fn ids_that_cannot_be_converted_are_refused_beside_expressions() {
    let servers = Servers::start(Database::MariaDb);
    let schema = format!(
        "CREATE TABLE p (id {ID} PRIMARY KEY, v TINYINT, g TINYINT AS (v * 2) STORED); INSERT INTO p (id, v) VALUES ('{}', 1)",
        text(1)
    );
    let world = servers.world_to(&schema, "p", Target::Uuid);
    let client = &world.client;
    let sql = |sql: &str| servers.sql(&world.scratch, sql);
    let files = client.files("");
    let copy = files.iter().position(|file| file.contains("-copy-")).unwrap();
    client.execute_together(files[..copy - 1].iter().cloned()).unwrap();
    // Version 8, and a byte of the variant that MariaDB takes for that of another layout.
    let odd = "01a2b3c4-0000-8000-8000-000000000000";
    let insert = format!("SET sql_mode = ''; INSERT INTO p (id, v) VALUES ('{odd}', 1)");
    // After the check and before the triggers.
    sql(&insert).unwrap();
    client.must(&files[copy - 1]);
    let said = client.execute(&files[copy]).unwrap_err();
    assert!(said.contains("p: a value is no id, or is spelled otherwise than most"), "{said}");
    let update = format!("SET sql_mode = ''; UPDATE p SET id = '{odd}' WHERE id = '{}'", text(1));
    sql(&format!("DELETE FROM p WHERE id = '{odd}'")).unwrap();
    assert_eq!(sql(&update), Err(1644));
    assert_eq!(sql(&insert), Err(1644));
    client.execute_together(files[copy..].iter().cloned()).unwrap();
    assert_eq!(servers.number(&world.scratch, "SELECT COUNT(*) FROM p"), 1);
}
