//! Errors with numbers of the server, which a trigger can signal, too: the row alone is refused if the server works.

use idgen_mysql::sync::{Change, Value};
use idgen_server::Database;
use sqlx::MySqlConnection;

use crate::common::{connect, connection_list, count, number, on_both, run, until, user};
use crate::sync::{APPLIED, Synced, id};
use crate::sync_driver::Driver;
use crate::sync_rows::{LISTS, is_refused, put, tables, text};

on_both!(a_signal_with_any_number_refuses_its_row, errors_of_the_server_end_the_batch);

/// States and numbers that a server can report of itself, or that no server reports.
const SIGNALS: [(&str, u16); 12] = [
    ("45001", 2001),
    ("45001", 500),
    ("42000", 1226),
    ("99001", 1040),
    ("70100", 1317),
    ("HY000", 1114),
    ("HY000", 3024),
    ("42000", 1044),
    ("08001", 1226),
    ("42000", 1142),
    ("42S02", 1146),
    ("HY000", 1290),
];

async fn a_signal_with_any_number_refuses_its_row(database: Database) {
    let signals: Vec<String> = (1..)
        .zip(SIGNALS)
        .map(|(at, (state, number))| {
            let told = if number == 1142 || number == 1146 { "not zero in ''t''" } else { "not zero, read-only" };
            format!(
                "IF NEW.a = {at} THEN SIGNAL SQLSTATE '{state}' SET MESSAGE_TEXT = '{told}', MYSQL_ERRNO = {number}; END IF;"
            )
        })
        .collect();
    let mut schema =
        vec![LISTS.to_owned(), "CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, a INT NOT NULL)".to_owned()];
    for time in ["INSERT", "UPDATE"] {
        let body = signals.concat();
        schema.push(format!("CREATE TRIGGER on_{time} BEFORE {time} ON t FOR EACH ROW BEGIN {body} END"));
    }
    schema.push(
        "CREATE TRIGGER on_delete BEFORE DELETE ON t FOR EACH ROW BEGIN IF OLD.a = 0 THEN \
         SIGNAL SQLSTATE '42000' SET MESSAGE_TEXT = 'not zero', MYSQL_ERRNO = 1226; END IF; END"
            .to_owned(),
    );
    let mut synced = tables(database, &schema, &["t", "lists"]).await;
    let mut driver = Driver::open(synced.scratch.url(), true, usize::MAX).await;
    let a = |row: u128, number: u64, a: i64| put("t", row, number, [("a", Value::Int(a))]);
    let list = |row: u128, number: u64| put("lists", row, number, [("title", text("l"))]);
    for (at, signal) in (1..).zip(SIGNALS) {
        let row = |row: u128| 100 * at as u128 + row;
        let batch = [list(row(1), 1), a(row(2), 1, at), a(row(3), 1, 0), a(row(4), 1, at), a(row(5), 1, 0)];
        let answer = synced.apply(&batch).await;
        for (place, outcome) in answer.outcomes().iter().enumerate() {
            match place {
                1 | 3 => assert!(is_refused(outcome, "not zero"), "{database} {signal:?}: {answer:?}"),
                _ => assert_eq!(*outcome, APPLIED, "{database} {signal:?}"),
            }
        }
        let batch = [a(row(3), 2, at), list(row(1), 2), a(row(5), 2, 0)];
        let answer = synced.apply(&batch).await;
        assert!(is_refused(&answer.outcomes()[0], "not zero"), "{database} {signal:?}: {answer:?}");
        assert_eq!(answer.outcomes()[1..], [APPLIED, APPLIED], "{database} {signal:?}");
        // A driver that tells no state.
        let answer = synced.sync.apply(&mut driver, &[a(row(6), 1, at), a(row(7), 1, 0)]).await.unwrap();
        assert!(is_refused(&answer.outcomes()[0], "not zero"), "{database} {signal:?}: {answer:?}");
        assert_eq!(answer.outcomes()[1], APPLIED, "{database} {signal:?}");
        run(&mut driver.connection, "COMMIT").await;
        run(&mut driver.connection, "START TRANSACTION").await;
    }
    let answer = synced.apply(&[Change::delete("t", id(103), 9), list(9, 1)]).await;
    assert!(is_refused(&answer.outcomes()[0], "not zero"), "{database}: {answer:?}");
    assert_eq!(answer.outcomes()[1], APPLIED, "{database}");
}

/// A table in memory is full at a size of its own, and not because the server has no space. MySQL refuses such tables in transactions
/// with GTIDs.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_table_of_a_trigger_refuses_its_row() {
    let database = Database::MariaDb;
    let schema = [
        LISTS,
        "CREATE TABLE audit (a CHAR(200) NOT NULL) ENGINE=MEMORY MAX_ROWS=1",
        "CREATE TRIGGER audited BEFORE INSERT ON lists FOR EACH ROW BEGIN IF NEW.title = 'bad' THEN \
         INSERT INTO audit VALUES (''); END IF; END",
    ];
    let mut synced = tables(database, &schema, &["lists"]).await;
    synced.run("SET max_heap_table_size = 16384").await;
    synced.run("ALTER TABLE audit ENGINE=MEMORY").await;
    while sqlx::query("INSERT INTO audit VALUES ('')").execute(&mut synced.connection).await.is_ok() {}
    let list = |row, title| put("lists", row, 1, [("title", text(title))]);
    let answer = synced.apply(&[list(1, "a"), list(2, "bad"), list(3, "b")]).await;
    assert!(is_refused(&answer.outcomes()[1], "audit"), "{database}: {answer:?}");
    assert_eq!([&answer.outcomes()[0], &answer.outcomes()[2]], [&APPLIED; 2], "{database}");
}

/// The session of `connection`, by its number.
async fn session(connection: &mut MySqlConnection) -> i64 {
    number(connection, "SELECT CONNECTION_ID()").await.unwrap()
}

async fn errors_of_the_server_end_the_batch(database: Database) {
    let schema = "CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, a INT NOT NULL UNIQUE)";
    let Synced { scratch, sync, .. } = tables(database, &[schema], &["t"]).await;
    let (mut connection, mut other) = (connect(scratch.url()).await, connect(scratch.url()).await);
    let a = |row: u128, a: i64| put("t", row, 1, [("a", Value::Int(a))]);
    // A query that is killed while it waits for another transaction.
    run(&mut other, "START TRANSACTION").await;
    run(&mut other, "INSERT INTO t VALUES (900, 1)").await;
    let session = session(&mut connection).await;
    run(&mut connection, "START TRANSACTION").await;
    let batch = [a(1, 1), a(2, 2)];
    let kill = async {
        let list = connection_list(database);
        let waits =
            format!("SELECT COUNT(*) FROM {list} WHERE id = {session} AND info LIKE 'INSERT INTO `t`%'");
        until(&mut other, "the batch waits", &waits, |found| found == 1).await;
        run(&mut other, format!("KILL QUERY {session}")).await;
        run(&mut other, "ROLLBACK").await;
    };
    let (ended, ()) = tokio::join!(sync.apply(&mut connection, &batch), kill);
    let error = ended.unwrap_err();
    assert!(error.is_transient() && error.to_string().contains("1317"), "{database}: {error}");
    run(&mut connection, "ROLLBACK").await;
    assert_eq!(count(&mut connection, "t").await, 0, "{database}");
    // A table that the user may not write.
    let grants = [
        ("ALL", "uuid_map"),
        ("ALL", "uuid_map_state"),
        ("ALL", "uuid_map_sync"),
        ("ALL", "uuid_map_row"),
        ("ALL", "uuid_map_open"),
        ("SELECT, UPDATE", "t"),
    ];
    let mut limited = connect(&user(&mut other, &scratch, &grants).await).await;
    run(&mut limited, "START TRANSACTION").await;
    let error = sync.apply(&mut limited, &batch).await.unwrap_err();
    assert!(error.to_string().contains("1142"), "{database}: {error}");
}
