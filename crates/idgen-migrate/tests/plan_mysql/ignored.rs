//! Statements with `IGNORE`, beside a twin that no plan changes and that gets the same statements. MariaDB fires triggers also for rows whose update it has
//! ignored.

use idgen_migrate::plan::{Options, Target};
use idgen_server::Database;

use crate::ledger::world::Servers;
use crate::pair::Pair;
use crate::positions::{OF_MARIADB, OF_MYSQL, TYPES, split};

const SCHEMA: &str = "
    CREATE TABLE orders (id INT NOT NULL PRIMARY KEY, u INT NULL UNIQUE, busy INT NOT NULL,
      changed TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6));
    CREATE TABLE audits (number INT PRIMARY KEY, order_id INT NOT NULL, FOREIGN KEY (order_id) REFERENCES orders (id));
    CREATE TABLE codes (code VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL, order_id INT NOT NULL, u INT NULL UNIQUE,
      v INT NOT NULL, said CHAR(9) CHARACTER SET latin1 COLLATE latin1_general_ci, PRIMARY KEY (code, order_id),
      FOREIGN KEY (order_id) REFERENCES orders (id) ON UPDATE CASCADE);
    INSERT INTO orders (id, u, busy) VALUES (1, 1, 1), (2, 2, 1), (3, 3, 1), (5, 5, 1), (6, NULL, 1), (7, 8, 1), (100, 100, 1), (101, 101, 1), (103, 103, 1);
    INSERT INTO audits VALUES (1, 2), (2, 5), (4, 5);
    INSERT INTO codes VALUES ('a', 1, 1, 1, 'x'), ('b', 1, 2, 1, 'x'), ('b', 2, 4, 1, 'x'), ('c', 3, NULL, 1, 'x');";

const ROWS: &str = "
    SELECT CONCAT_WS(' ', 'order', id, COALESCE(u, '-'), busy, changed) FROM orders
    UNION ALL SELECT CONCAT_WS(' ', 'audit', number, order_id) FROM audits
    UNION ALL SELECT CONCAT_WS(' ', 'code', HEX(code), order_id, COALESCE(u, '-'), v, HEX(said)) FROM codes ORDER BY 1";

/// Statements on rows of all rounds. Some end with an error, of which both schemas must have the same.
fn statements(round: u32) -> Vec<String> {
    let case = if round.is_multiple_of(2) { "LOWER" } else { "UPPER" };
    let of = [
        // Ignored by the primary key, by a unique key, and by a foreign key to the row; rows between them are changed.
        "UPDATE IGNORE orders SET id = 2 WHERE id = 1",
        "UPDATE IGNORE orders SET u = 3, busy = busy + 1",
        "UPDATE IGNORE orders SET u = u + 1, busy = busy + 1 ORDER BY id",
        "UPDATE IGNORE orders SET id = id + 1, busy = busy + 1 WHERE id < 50 ORDER BY id",
        "UPDATE IGNORE orders SET id = id - 1 WHERE id BETWEEN 2 AND 50 ORDER BY id",
        "UPDATE IGNORE orders SET id = id + 50 WHERE id IN (SELECT order_id FROM audits)",
        // The row with the new key has the same values as the one that is ignored.
        "UPDATE IGNORE orders SET id = 1001, u = NULL, busy = 0 WHERE id = 1000",
        // A key that changes for all rows, in an order in which no key is there twice.
        "UPDATE orders SET id = id + 1 WHERE id BETWEEN 100 AND 900 ORDER BY id DESC",
        "UPDATE orders SET id = id - 1 WHERE id BETWEEN 100 AND 900 ORDER BY id",
        // Ignored by a foreign key of the row.
        "UPDATE IGNORE audits SET order_id = order_id + 1",
        "UPDATE IGNORE audits SET number = number + 1, order_id = 4000 ORDER BY number",
        "UPDATE IGNORE audits SET number = number + 1 ORDER BY number",
        // Keys and values of which only the case changes, with and without a reason to ignore it.
        "UPDATE IGNORE codes SET code = CASE(code), u = 4 ORDER BY code, order_id",
        "UPDATE codes SET code = CASE(code), said = CASE(said) WHERE order_id < 3",
        "UPDATE IGNORE codes SET said = CASE(said), v = v + 1, u = 2 ORDER BY code, order_id",
        "UPDATE IGNORE codes SET code = 'a' WHERE order_id = 1 ORDER BY code",
        "UPDATE IGNORE codes SET code = 'd', order_id = 4000 WHERE code = 'c'",
        "UPDATE IGNORE codes SET v = NULL, u = u + 1 ORDER BY u",
        "UPDATE IGNORE codes, orders SET codes.v = 77, orders.u = 3 WHERE codes.code = 'c' AND orders.id = 1",
        // Nothing changes, not even the time; or only that.
        "UPDATE IGNORE orders SET busy = busy",
        "UPDATE IGNORE orders SET changed = '2024-01-01 00:00:00.5', u = 8 ORDER BY id",
        "INSERT IGNORE INTO orders (id, u, busy) VALUES (1, 900, 1), (900, 3, 1), (1000, NULL, 0), (1001, NULL, 0)",
        "INSERT INTO orders (id, u, busy) VALUES (1, 1, 1) ON DUPLICATE KEY UPDATE busy = busy + 1, u = u",
        "INSERT IGNORE INTO orders (id, u, busy) VALUES (1, 1, 1) ON DUPLICATE KEY UPDATE busy = busy + 1, u = 3",
        "REPLACE INTO codes VALUES ('A', 1, 9, 5, 'R'), ('e', 3, 10, 6, 'r')",
        "DELETE IGNORE FROM orders WHERE id IN (2, 5, 900)",
        "UPDATE orders SET u = 3 WHERE id = 7",
        "UPDATE orders SET id = 3 WHERE id = 7",
    ];
    of.iter().map(|sql| sql.replace("CASE(", &format!("{case}("))).collect()
}

/// Columns of all types in a table whose updates are stored and ignored.
fn types(database: Database) -> Vec<(&'static str, &'static str)> {
    let more: &[_] = if database == Database::MySql { &OF_MYSQL } else { &OF_MARIADB };
    let blobs: [(&str, &str); 4] = [
        ("BLOB", "x'00ff','a','a ',REPEAT('x',20000)"),
        ("MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "'a','A','a ',REPEAT('x',20000)"),
        ("JSON", "'{}','{\"a\":1}','[1,2]'"),
        ("GEOMETRY", "POINT(1,2),POINT(2,1),ST_GeomFromText('LINESTRING(0 0,1 1)')"),
    ];
    [&TYPES, more, &blobs].concat()
}

fn types_schema(types: &[(&str, &str)]) -> String {
    let columns: Vec<_> = types
        .iter()
        .enumerate()
        .map(|(at, (of, _))| {
            format!("k{at} {} NULL DEFAULT NULL", of.split(" DEFAULT").next().unwrap_or_default())
        })
        .collect();
    format!(
        "CREATE TABLE kinds (id INT PRIMARY KEY, u INT UNIQUE, {}) ROW_FORMAT = DYNAMIC;
         INSERT INTO kinds (id, u) VALUES (1, 1), (2, 2), (3, 3);",
        columns.join(", ")
    )
}

/// Each value of each type is stored once, and once ignored.
fn types_statements(types: &[(&str, &str)]) -> Vec<String> {
    let values: Vec<_> = types.iter().map(|(_, values)| split(values)).collect();
    let most = values.iter().map(Vec::len).max().unwrap();
    let set = |round: usize| {
        let one =
            |(at, values): (usize, &Vec<String>)| format!("k{at} = {}", values[round % values.len()].trim());
        values.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
    };
    let of = |round: usize| {
        [
            format!("UPDATE kinds SET {} WHERE id = 1", set(round)),
            format!("UPDATE IGNORE kinds SET {}, u = 2 WHERE id <> 2", set(round + 1)),
            format!("UPDATE IGNORE kinds SET {}, u = 4 - u WHERE id = 2", set(round)),
        ]
    };
    (0..most).flat_map(of).chain(["UPDATE kinds SET id = 4 - id ORDER BY id".to_owned()]).collect()
}

fn types_rows(types: &[(&str, &str)]) -> String {
    let shown = (0..types.len()).map(|at| format!("LENGTH(k{at}), CRC32(CAST(k{at} AS BINARY))"));
    format!("SELECT CONCAT_WS(' ', id, u, {}) FROM kinds ORDER BY id", shown.collect::<Vec<_>>().join(", "))
}

fn change(pair: &mut Pair<'_>, statements: &[String], rows: &str) {
    pair.round += 1;
    pair.both(|_| statements.to_vec());
    pair.assert_equal(rows, rows);
}

/// Executes each file of a plan for a table, the renaming twice, and changes rows before and after each.
fn whole(pair: &mut Pair<'_>, table: &str, statements: &dyn Fn(u32) -> Vec<String>, rows: &str) {
    pair.servers.plan(&pair.main, &Options::new(table, Target::Bigint));
    let [rename, verify, finish] = ["rename", "verify", "finish"].map(|step| pair.main.file(step));
    change(pair, &statements(pair.round), rows);
    for file in pair.main.client.files("") {
        pair.main.client.must(&file);
        change(pair, &statements(pair.round), rows);
        if file == rename {
            pair.main.client.must(&format!("undo/{file}"));
            change(pair, &statements(pair.round), rows);
            pair.main.client.must(&verify);
            pair.main.client.must(&file);
            change(pair, &statements(pair.round), rows);
        }
        assert!(file <= finish);
    }
    pair.servers.assert_nothing_left(&pair.main);
}

#[test]
fn rows_that_a_statement_ignores_stay_as_they_are() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let types = types(database);
        for (schema, table, statements, rows) in [
            (SCHEMA.to_owned(), "orders", &statements as &dyn Fn(u32) -> Vec<String>, ROWS.to_owned()),
            (types_schema(&types), "kinds", &|_| types_statements(&types), types_rows(&types)),
        ] {
            let mut pair = Pair::new(&servers, ", sql_mode = ''");
            pair.must(|_| vec![schema.clone()]);
            whole(&mut pair, table, statements, &rows);
        }
    }
}
