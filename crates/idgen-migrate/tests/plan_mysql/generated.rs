//! Generated columns and indexes of expressions: the copy computes them again, in a session with other settings than those of clients.

use idgen_migrate::plan::{Options, Target, plan};
use idgen_server::Database;

use crate::ledger::world::Servers;

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
    ("g VARCHAR(20) AS (n / 7) STORED", "div_precision_increment", true),
    ("KEY of_part ((n / 7))", "div_precision_increment", false),
    ("g DATETIME AS (CAST(tm AS DATETIME)) STORED", "the day", true),
    ("KEY of_json ((CAST(j->>'$.at' AS DATETIME)))", "offset", false),
    ("g DATETIME AS (FROM_UNIXTIME(n)) STORED", "time_zone", false),
    ("g DATE AS (STR_TO_DATE(v, '%Y-%m-%d')) STORED", "sql_mode", true),
];

/// Columns that clients see in their own settings, or that have the same value in all of them.
const KEPT: &str = "y INT AS (YEAR(ts)) VIRTUAL, m CHAR(7) AS (DATE_FORMAT(dt, '%Y-%m')) VIRTUAL, s INT AS (n DIV 7) STORED, k VARCHAR(40) AS (CONCAT(v, \
                    '/')) STORED, KEY of_s (s), x DATE AS (CAST(dt AS DATE)) STORED";

#[test]
fn what_depends_on_the_session_is_refused() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let plan_of = |columns: &str| {
            let scratch = servers.server.scratch().unwrap();
            servers
                .sql(&scratch, &format!("CREATE TABLE p (id {ID} PRIMARY KEY, {ROW}, {columns})"))
                .unwrap();
            servers.runtime.block_on(plan(scratch.url(), &Options::new("p", Target::Binary16)))
        };
        for (columns, reason, is_of_mariadb) in REFUSED {
            if database == Database::MySql || is_of_mariadb {
                let error = plan_of(columns).expect_err(columns).to_string();
                assert!(error.contains(reason), "{database}: {columns}: {error}");
            }
        }
        let kept =
            if database == Database::MySql { KEPT.to_owned() } else { KEPT.replace("CHAR(7)", "VARCHAR(7)") };
        plan_of(&kept).unwrap();
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
