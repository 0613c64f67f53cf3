//! Rows, counters and answers are those of a twin that no plan changes, until the smaller type would be full.

use idgen_migrate::plan::{Options, Target};

use crate::ledger::world::Servers;
use crate::pair::Pair;

const SCHEMA: &str = "
    CREATE TABLE orders (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'a key', busy INT NOT NULL, up INT NULL,
      FOREIGN KEY (up) REFERENCES orders (id) ON DELETE SET NULL);
    CREATE TABLE order_lines (order_id INT NOT NULL, line SMALLINT UNSIGNED NOT NULL, twice BIGINT AS (2 * order_id) VIRTUAL,
      PRIMARY KEY (order_id, line),
      FOREIGN KEY (order_id) REFERENCES orders (id) ON DELETE CASCADE ON UPDATE CASCADE);
    CREATE TABLE parts (id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, order_id INT NULL DEFAULT 0,
      line SMALLINT UNSIGNED NOT NULL DEFAULT 1,
      FOREIGN KEY (order_id, line) REFERENCES order_lines (order_id, line) ON DELETE CASCADE ON UPDATE CASCADE);
    CREATE TABLE audits (number INT PRIMARY KEY, order_id INT NULL, CONSTRAINT few CHECK (order_id > -5000), FOREIGN KEY (order_id) REFERENCES orders (id));
    CREATE TABLE receipts (number INT PRIMARY KEY, order_id INT NOT NULL);";

const ROWS: &str = "
    SELECT CONCAT_WS(' ', 'order', id, busy, COALESCE(up, '-')) FROM orders
    UNION ALL SELECT CONCAT_WS(' ', 'line', order_id, line, twice) FROM order_lines
    UNION ALL SELECT CONCAT_WS(' ', 'audit', number, order_id) FROM audits
    UNION ALL SELECT CONCAT_WS(' ', 'part', id, COALESCE(order_id, '-'), line) FROM parts ORDER BY 1";

const COLUMNS: &str = "
    SELECT CONCAT_WS(' ', TABLE_NAME, COLUMN_NAME, IF(COLUMN_NAME IN ('id', 'up', 'order_id') AND TABLE_NAME <> 'receipts' AND DATA_TYPE = 'int',
      'bigint', DATA_TYPE), COLUMN_TYPE LIKE '%unsigned', IS_NULLABLE, COLUMN_DEFAULT, EXTRA, COLUMN_COMMENT, GENERATION_EXPRESSION)
    FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1";

/// A statement that fails in a type of 32 bits, and one whose id the server gives.
const BEYOND: &str = "INSERT INTO orders (id, busy) VALUES (2147483648, 1)";
const COUNTED: &str = "INSERT INTO orders (busy) VALUES (1)";

fn must(pair: &Pair<'_>, sql: &str) {
    pair.must(|_| vec![sql.to_owned()]);
}

pub fn twin(servers: &Servers) {
    let mut pair = Pair::new(servers, "");
    must(&pair, SCHEMA);
    must(
        &pair,
        "SET sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO'); INSERT INTO orders (id, busy) VALUES (0, 1), (-5, 1)",
    );
    for _ in 0..5 {
        must(&pair, "INSERT INTO orders (busy) SELECT id FROM orders");
    }
    must(&pair, "INSERT INTO order_lines (order_id, line) SELECT id, 1 FROM orders WHERE id % 2 = 0");
    must(&pair, "INSERT INTO parts (order_id) SELECT order_id FROM order_lines");
    must(&pair, "INSERT INTO audits VALUES (1, 0), (2, NULL)");
    change(&mut pair);
    let made = servers.plan(&pair.main, &Options::new("orders", Target::Bigint));
    assert_eq!(made.tables, ["orders", "audits", "order_lines", "parts"]);
    assert!(made.notes.iter().any(|note| note.contains("receipts.order_id (INT")), "{:?}", made.notes);
    let stays = "The keys of these tables keep their type, since no foreign key connects them with orders.id: audits, parts.";
    assert!(made.notes.iter().any(|note| note == stays), "{:?}", made.notes);
    let [rename, verify, verify_renamed, finish] =
        ["rename", "verify", "verify-renamed", "finish"].map(|step| pair.main.file(step));
    let files = pair.main.client.files("");
    for file in files.iter().filter(|file| **file < finish) {
        pair.main.client.must(file);
        change(&mut pair);
    }
    pair.main.client.must(&format!("undo/{rename}"));
    change(&mut pair);
    for file in files.iter().filter(|file| **file >= verify && **file < finish) {
        pair.main.client.must(file);
        change(&mut pair);
    }
    // The counters are there after a crash, too.
    servers.server.kill().unwrap();
    servers.server.start_again().unwrap();
    change(&mut pair);
    // Until the last step, ids fit the old type.
    let main = |sql: &str| servers.sql(&pair.main.scratch, sql);
    let rows = || servers.texts(&pair.main.scratch, ROWS).len();
    let before = rows();
    assert_eq!(main("INSERT INTO orders (id, busy) VALUES (2147483646, 1)"), Ok(1));
    assert_eq!(main(COUNTED), Ok(1));
    assert_eq!([main(COUNTED), main(COUNTED), main(BEYOND)], [Err(1264); 3]);
    assert_eq!(rows(), before + 2);
    pair.main.client.must(&verify_renamed);
    pair.main.client.must(&format!("undo/{rename}"));
    assert!(main(COUNTED).is_err() && main(BEYOND) == Err(1264));
    for file in [&verify, &rename, &verify_renamed] {
        pair.main.client.must(file);
    }
    assert_eq!(main(BEYOND), Err(1264));
    pair.main.client.must(&finish);
    assert_eq!(main(BEYOND), Ok(1));
    assert_eq!(main(COUNTED), Ok(1));
    let lines = "INSERT INTO order_lines (order_id, line) SELECT id, 1 FROM orders WHERE id > 2147483647; \
                 INSERT INTO parts (order_id) SELECT order_id FROM order_lines WHERE order_id > 2147483647";
    assert_eq!(main(lines), Ok(4));
    assert_eq!(main("DELETE FROM orders WHERE id > 2147483645"), Ok(4));
    pair.assert_equal(ROWS, ROWS);
    pair.assert_equal(COLUMNS, COLUMNS);
    servers.assert_nothing_left(&pair.main);
}

/// A smaller type without a sign, from the beginning to the end.
pub fn unsigned(servers: &Servers) {
    let schema = "CREATE TABLE tickets (id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY);
                  CREATE TABLE seats (number BIGINT UNSIGNED PRIMARY KEY, ticket_id SMALLINT UNSIGNED NULL, FOREIGN KEY (ticket_id) REFERENCES tickets (id));
                  INSERT INTO tickets VALUES (1), (65533); INSERT INTO seats VALUES (1, 1), (2, NULL)";
    let world = servers.without_plan(schema);
    let made = servers.plan(&world, &Options::new("tickets", Target::Bigint));
    let note = "tickets.id is at 65533: 2 ids are left.";
    assert!(made.notes.iter().any(|text| text.contains(note)), "{:?}", made.notes);
    world.all();
    let insert = "INSERT INTO tickets VALUES (0), (0), (0); INSERT INTO seats SELECT 3, MAX(id) FROM tickets";
    assert_eq!(servers.sql(&world.scratch, insert), Ok(4));
    assert_eq!(servers.texts(&world.scratch, "SELECT CAST(MAX(ticket_id) AS CHAR) FROM seats"), ["65536"]);
    let types = "SELECT DISTINCT REGEXP_REPLACE(COLUMN_TYPE, '\\\\(.*\\\\)', '') FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()";
    assert_eq!(servers.texts(&world.scratch, types), ["bigint unsigned"]);
}

/// A round of changes, after which both have the same rows.
fn change(pair: &mut Pair<'_>) {
    pair.round += 1;
    let round = i64::from(pair.round);
    let (first, then) = (-100 - round, -1000 - round);
    let sql = format!(
        "INSERT INTO orders (busy, up) VALUES ({round}, 0), ({round}, -5);
         INSERT INTO order_lines (order_id, line) VALUES (LAST_INSERT_ID(), 1), (LAST_INSERT_ID(), 2);
         INSERT INTO parts (order_id) SELECT MAX(order_id) FROM order_lines;
         INSERT INTO parts VALUES ();
         INSERT INTO orders (id, busy) VALUES ({first}, {round});
         INSERT INTO order_lines (order_id, line) VALUES ({first}, 1);
         INSERT INTO parts (order_id) VALUES ({first});
         UPDATE orders SET id = {then} WHERE id = {first};
         UPDATE orders SET busy = busy + 1 WHERE id % 3 = 0;
         UPDATE orders SET up = {then} WHERE id = 0;
         DELETE FROM orders WHERE id IN ({}, {});
         REPLACE INTO orders (id, busy) VALUES (3, {round});
         UPDATE IGNORE orders SET id = id + 1, busy = 0 WHERE id BETWEEN 1 AND 9 ORDER BY id;
         UPDATE IGNORE audits SET number = 1, order_id = NULL WHERE number = 2;
         UPDATE IGNORE audits SET order_id = 99999999;
         UPDATE IGNORE parts SET line = line + 76 ORDER BY id;
         INSERT IGNORE INTO audits VALUES (1, 3), (2, 99999999);
         BEGIN; INSERT INTO orders (busy) VALUES (1), (2), (3); ROLLBACK;
         INSERT INTO orders (busy) VALUES (1); DELETE FROM orders WHERE id = LAST_INSERT_ID()",
        2 * round,
        -1002 - round
    );
    must(pair, &sql);
    pair.assert_equal(ROWS, ROWS);
}
