//! Changes applied over a driver that makes a lost connection anew by itself, and repeats the statement there.

use idgen_mysql::sync::{Change, Outcome, Sync, Value};
use idgen_mysql::{DriverAnswer, DriverConnection, DriverError, Index};
use idgen_server::Database;
use sqlx::MySqlConnection;

use crate::common::{connect, number, on_both, run};
use crate::driver;
use crate::sync::{APPLIED, REPEATED, Synced, id, item, list, sync};
use crate::sync_rows::{is_refused, put, tables, text};

on_both!(
    a_driver_that_connects_again_applies_nothing_by_halves,
    a_row_keeps_its_uuid_if_the_table_was_altered,
    a_signal_with_a_number_of_the_server_refuses_its_row
);

/// The connection dies before one of its statements.
pub struct Driver {
    url: String,
    pub connection: MySqlConnection,
    /// False if new connections begin a transaction by themselves.
    autocommit: bool,
    /// The number of statements until the connection dies.
    left: usize,
}

impl Driver {
    pub async fn open(url: &str, autocommit: bool, left: usize) -> Driver {
        let mut connection = connect(url).await;
        begin(&mut connection, autocommit).await;
        Driver { url: url.to_owned(), connection, autocommit, left }
    }
}

async fn begin(connection: &mut MySqlConnection, autocommit: bool) {
    run(connection, if autocommit { "START TRANSACTION" } else { "SET autocommit = 0" }).await;
}

impl DriverConnection for Driver {
    async fn run(&mut self, statement: &str) -> Result<DriverAnswer, DriverError> {
        if self.left == 0 {
            // The server ends the transaction of the connection that is gone; the new one is in none.
            let old = std::mem::replace(&mut self.connection, connect(&self.url).await);
            sqlx::Connection::close(old).await.unwrap();
            if !self.autocommit {
                begin(&mut self.connection, false).await;
            }
        }
        self.left = self.left.wrapping_sub(1);
        driver::answer(&mut self.connection, statement).await
    }
}

/// Applies a batch; false if it failed, and was rolled back.
async fn attempt(sync: &Sync, driver: &mut Driver, batch: &[Change]) -> bool {
    match sync.apply(driver, batch).await {
        Ok(answer) => {
            // A row that is already there is the only reason to refuse one.
            let fine = |outcome: &Outcome| matches!(outcome, Outcome::Applied { .. });
            assert!(answer.outcomes()[..3].iter().all(fine), "{answer:?}");
            assert!(matches!(answer.outcomes()[3], Outcome::Refused(_)), "{answer:?}");
            run(&mut driver.connection, "COMMIT").await;
            true
        }
        Err(error) => {
            assert!(error.is_transient() || error.is_not_in_transaction(), "{error}");
            run(&mut driver.connection, "ROLLBACK").await;
            false
        }
    }
}

/// At each of its statements: with `autocommit`, the repeated statement is committed at once; without it, with what follows.
async fn a_driver_that_connects_again_applies_nothing_by_halves(database: Database) {
    let Synced { scratch, map, sync, .. } = sync(database, Index::Unique).await;
    let mut failed = 0;
    for autocommit in [true, false] {
        for left in 0.. {
            let rows = 10 * (u128::from(autocommit) * 1000 + left as u128);
            let batch = [
                list(id(rows + 1), 1, &rows.to_string()),
                item(id(rows + 2), 1, id(rows + 1), "a"),
                Change::put("notes", id(rows + 3), 1, [("item_id", id(rows + 2).into())]),
                Change::put("lists", id(rows + 4), 1, [("title", Value::Null)]),
            ];
            // An older change, so that this batch changes a row as well.
            let before = list(id(rows + 5), 1, &format!("{rows} old"));
            let mut driver = Driver::open(scratch.url(), autocommit, usize::MAX).await;
            sync.apply(&mut driver, &[before]).await.unwrap();
            run(&mut driver.connection, "COMMIT").await;
            begin(&mut driver.connection, autocommit).await;
            driver.left = left;
            let batch = [&batch[..], &[list(id(rows + 5), 2, &format!("{rows} new"))]].concat();
            let applied = attempt(&sync, &mut driver, &batch).await;
            if !applied {
                failed += 1;
                let mut driver = Driver::open(scratch.url(), autocommit, usize::MAX).await;
                assert!(attempt(&sync, &mut driver, &batch).await, "{left}");
            }
            let mut connection = connect(scratch.url()).await;
            let whole = format!(
                "SELECT COUNT(*) FROM notes n JOIN items i ON i.id = n.item_id JOIN lists l ON l.id = i.list_id \
                 JOIN uuid_map m ON m.id = n.id WHERE l.title = '{rows}'"
            );
            assert_eq!(number(&mut connection, whole).await, Ok(1), "{autocommit} {left}");
            let updated = format!("SELECT COUNT(*) FROM lists WHERE title = '{rows} new'");
            assert_eq!(number(&mut connection, updated).await, Ok(1), "{autocommit} {left}");
            // Nobody has rows that the map does not know.
            for table in ["lists", "items", "notes"] {
                let orphans = format!(
                    "SELECT COUNT(*) FROM {table} t LEFT JOIN uuid_map m ON m.id = t.id WHERE m.id IS NULL"
                );
                assert_eq!(number(&mut connection, orphans).await, Ok(0), "{autocommit} {left} {table}");
            }
            // The connection outlived the batch.
            if driver.left < usize::MAX / 2 && applied {
                break;
            }
        }
    }
    assert!(failed > 20, "{failed}");
    assert_eq!(map.check().await.unwrap(), []);
}

/// The tables are read again in the middle of such a batch, after its pairs were undone together with its rows.
async fn a_row_keeps_its_uuid_if_the_table_was_altered(database: Database) {
    let schema =
        "CREATE TABLE lists (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(20) NOT NULL, old INT NULL)";
    let mut synced = tables(database, &[schema], &["lists"]).await;
    synced.run("ALTER TABLE lists DROP COLUMN old").await;
    let good = put("lists", 1, 1, [("title", text("a"))]);
    let bad = put("lists", 2, 1, [("title", text("b")), ("old", Value::Int(1))]);
    let mut driver = Driver::open(synced.scratch.url(), true, usize::MAX).await;
    let answer = synced.sync.apply(&mut driver, &[good.clone(), bad]).await.unwrap();
    run(&mut driver.connection, "COMMIT").await;
    assert_eq!(answer.outcomes()[0], APPLIED, "{answer:?}");
    assert!(is_refused(&answer.outcomes()[1], "old"), "{answer:?}");
    assert_eq!(synced.map.find(id(1)).await.unwrap(), Some(answer.ids()[&id(1)]));
    begin(&mut driver.connection, true).await;
    let again = synced.sync.apply(&mut driver, &[good]).await.unwrap();
    run(&mut driver.connection, "COMMIT").await;
    assert_eq!(again.outcomes(), [REPEATED]);
    assert_eq!(again.ids()[&id(1)], answer.ids()[&id(1)]);
    assert_eq!(synced.count("lists").await, 1);
    assert_eq!(synced.map.check().await.unwrap(), []);
}

/// The driver tells the number of an error, not its state: these are numbers of servers that go away, are full, or stop a statement.
async fn a_signal_with_a_number_of_the_server_refuses_its_row(database: Database) {
    let schema = [
        "CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, a INT NOT NULL)",
        "CREATE TRIGGER refuse_again BEFORE UPDATE ON t FOR EACH ROW BEGIN IF NEW.a > 0 THEN \
         SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not zero', MYSQL_ERRNO = 1040; END IF; END",
    ];
    let numbers = [1021, 1040, 1053, 1114, 1205, 1213, 1226, 1317, 2006, 2013, 3024];
    let signals = numbers.map(|number| {
        format!("IF NEW.a = {number} THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not zero', MYSQL_ERRNO = {number}; END IF;")
    });
    let insert =
        format!("CREATE TRIGGER refuse BEFORE INSERT ON t FOR EACH ROW BEGIN {} END", signals.concat());
    let Synced { scratch, sync, .. } = tables(database, &[schema[0], &insert, schema[1]], &["t"]).await;
    let mut driver = Driver::open(scratch.url(), true, usize::MAX).await;
    let row = |row: u128, number: u64, a: i64| put("t", row, number, [("a", Value::Int(a))]);
    for (at, number) in (0u128..).zip(numbers) {
        let [bad, good] = [2 * at + 1, 2 * at + 2];
        let answer = sync.apply(&mut driver, &[row(bad, 1, number), row(good, 1, 0)]).await.unwrap();
        assert!(is_refused(&answer.outcomes()[0], "not zero"), "{database} {number}: {answer:?}");
        assert_eq!(answer.outcomes()[1], APPLIED, "{database} {number}");
        let answer = sync.apply(&mut driver, &[row(good, 2, 1)]).await.unwrap();
        assert!(is_refused(&answer.outcomes()[0], "not zero"), "{database} {number}: {answer:?}");
    }
}
