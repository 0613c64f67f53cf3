//! Rows, counters and answers are those of a twin that no plan changes, until the smaller type would be full.

use idgen_migrate::plan::{Options, Target, plan};
use idgen_server::{Scratch, Server};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};
use tokio::runtime::Runtime;

use crate::client::Client;
use crate::shop::execute;
use crate::whole::{left, named};

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

struct Pair<'a> {
    server: &'a Server,
    runtime: &'a Runtime,
    main: Scratch,
    twin: Scratch,
    round: i64,
}

pub fn twin(server: &Server, runtime: &Runtime) {
    let (main, twin) = (server.scratch().unwrap(), server.scratch().unwrap());
    let mut pair = Pair { server, runtime, main, twin, round: 0 };
    pair.both(SCHEMA);
    pair.both("SET sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO'); INSERT INTO orders (id, busy) VALUES (0, 1), (-5, 1)");
    for _ in 0..5 {
        pair.both("INSERT INTO orders (busy) SELECT id FROM orders");
    }
    pair.both("INSERT INTO order_lines (order_id, line) SELECT id, 1 FROM orders WHERE id % 2 = 0");
    pair.both("INSERT INTO parts (order_id) SELECT order_id FROM order_lines");
    pair.both("INSERT INTO audits VALUES (1, 0), (2, NULL)");
    pair.change();
    let folder = tempfile::tempdir().unwrap();
    let made = runtime.block_on(plan(pair.main.url(), &Options::new("orders", Target::Bigint))).unwrap();
    assert_eq!(made.tables, ["orders", "audits", "order_lines", "parts"]);
    assert!(made.notes.iter().any(|note| note.contains("receipts.order_id (INT")), "{:?}", made.notes);
    let stays = "The keys of these tables keep their type, since no foreign key connects them with orders.id: audits, parts.";
    assert!(made.notes.iter().any(|note| note == stays), "{:?}", made.notes);
    made.write(folder.path()).unwrap();
    let client = Client::new(server, pair.main.name(), folder.path());
    let [rename, verify, verify_renamed, finish] =
        ["rename", "verify", "verify-renamed", "finish"].map(|step| named(&client, step));
    for file in client.files("").iter().filter(|file| **file < finish) {
        client.must(file);
        pair.change();
    }
    client.must(&format!("undo/{rename}"));
    pair.change();
    for file in client.files("").iter().filter(|file| **file >= verify && **file < finish) {
        client.must(file);
        pair.change();
    }
    // The counters are there after a crash, too.
    server.kill().unwrap();
    server.start_again().unwrap();
    pair.change();
    // Until the last step, ids fit the old type.
    let rows = pair.of(&pair.main, ROWS).len();
    assert_eq!(pair.main("INSERT INTO orders (id, busy) VALUES (2147483646, 1)"), Ok(1));
    assert_eq!(pair.main(COUNTED), Ok(1));
    assert_eq!([pair.main(COUNTED), pair.main(COUNTED), pair.main(BEYOND)], [Err(1264); 3]);
    assert_eq!(pair.of(&pair.main, ROWS).len(), rows + 2);
    client.must(&verify_renamed);
    client.must(&format!("undo/{rename}"));
    assert!(pair.main(COUNTED).is_err() && pair.main(BEYOND) == Err(1264));
    for file in [&verify, &rename, &verify_renamed] {
        client.must(file);
    }
    assert_eq!(pair.main(BEYOND), Err(1264));
    client.must(&finish);
    assert_eq!(pair.main(BEYOND), Ok(1));
    assert_eq!(pair.main(COUNTED), Ok(1));
    let lines = "INSERT INTO order_lines (order_id, line) SELECT id, 1 FROM orders WHERE id > 2147483647; \
                 INSERT INTO parts (order_id) SELECT order_id FROM order_lines WHERE order_id > 2147483647";
    assert_eq!(pair.main(lines), Ok(4));
    assert_eq!(pair.main("DELETE FROM orders WHERE id > 2147483645"), Ok(4));
    assert_eq!(pair.of(&pair.main, ROWS), pair.of(&pair.twin, ROWS));
    assert_eq!(pair.of(&pair.main, COLUMNS), pair.of(&pair.twin, COLUMNS));
    assert_eq!(runtime.block_on(left(pair.main.url())), Vec::<String>::new());
}

/// A smaller type without a sign, from the beginning to the end.
pub fn unsigned(server: &Server, runtime: &Runtime) {
    let (main, twin) = (server.scratch().unwrap(), server.scratch().unwrap());
    let pair = Pair { server, runtime, main, twin, round: 0 };
    let schema = "CREATE TABLE tickets (id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY);
                  CREATE TABLE seats (number BIGINT UNSIGNED PRIMARY KEY, ticket_id SMALLINT UNSIGNED NULL, FOREIGN KEY (ticket_id) REFERENCES tickets (id));
                  INSERT INTO tickets VALUES (1), (65533); INSERT INTO seats VALUES (1, 1), (2, NULL)";
    pair.main(schema).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let made = runtime.block_on(plan(pair.main.url(), &Options::new("tickets", Target::Bigint))).unwrap();
    let note = "tickets.id is at 65533: 2 ids are left.";
    assert!(made.notes.iter().any(|text| text.contains(note)), "{:?}", made.notes);
    made.write(folder.path()).unwrap();
    let client = Client::new(server, pair.main.name(), folder.path());
    client.files("").iter().for_each(|file| drop(client.must(file)));
    let insert = "INSERT INTO tickets VALUES (0), (0), (0); INSERT INTO seats SELECT 3, MAX(id) FROM tickets";
    assert_eq!(pair.main(insert), Ok(4));
    assert_eq!(pair.of(&pair.main, "SELECT CAST(MAX(ticket_id) AS CHAR) FROM seats"), ["65536"]);
    let types = "SELECT DISTINCT REGEXP_REPLACE(COLUMN_TYPE, '\\\\(.*\\\\)', '') FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()";
    assert_eq!(pair.of(&pair.main, types), ["bigint unsigned"]);
}

impl Pair<'_> {
    fn on(&self, scratch: &Scratch, sql: &str) -> Result<u64, u16> {
        self.runtime.block_on(async {
            let mut own = MySqlConnection::connect(scratch.url()).await.unwrap();
            execute(&mut own, sql).await
        })
    }

    fn main(&self, sql: &str) -> Result<u64, u16> {
        self.on(&self.main, sql)
    }

    /// The statements have the same answer in both schemas.
    fn both(&self, sql: &str) {
        let [main, twin] = [&self.main, &self.twin].map(|scratch| self.on(scratch, sql));
        assert_eq!(main, twin, "{}: {sql}", self.server.database());
        assert!(main.is_ok(), "{}: {sql}: {main:?}", self.server.database());
    }

    fn of(&self, scratch: &Scratch, sql: &str) -> Vec<String> {
        self.runtime.block_on(async {
            let mut own = MySqlConnection::connect(scratch.url()).await.unwrap();
            let rows = own.fetch_all(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.unwrap();
            rows.iter().map(|row| String::from_utf8(row.get_unchecked(0)).unwrap()).collect()
        })
    }

    /// A round of changes, after which both have the same rows.
    fn change(&mut self) {
        self.round += 1;
        let round = self.round;
        let (first, then) = (-100 - round, -1000 - round);
        self.both(&format!(
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
        ));
        assert_eq!(
            self.of(&self.main, ROWS),
            self.of(&self.twin, ROWS),
            "{} round {round}",
            self.server.database()
        );
    }
}
