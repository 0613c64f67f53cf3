//! Checks what a client sees of each change, and what the server has done.

use futures_util::TryStreamExt;
use idgen_server::adversary::{Adversary, Alteration, Recorded, ResultKind, Rule};
use idgen_server::{Database, Wait};
use sqlx::mysql::MySqlDatabaseError;
use sqlx::{AssertSqlSafe, Connection, Either, Executor, MySqlConnection, Row};

use super::{block_on, server};

/// The results of a text: affected rows and last insert id, the first column of rows, or the number of an error.
async fn ask(connection: &mut MySqlConnection, text: &str) -> String {
    let mut found = Vec::new();
    let mut results = connection.fetch_many(sqlx::raw_sql(AssertSqlSafe(text.to_owned())));
    loop {
        match results.try_next().await {
            Ok(Some(Either::Left(done))) => {
                found.push(format!("{}/{}", done.rows_affected(), done.last_insert_id()));
            }
            Ok(Some(Either::Right(row))) => {
                found.push(row.try_get_unchecked::<u64, _>(0).unwrap().to_string())
            }
            Ok(None) => return found.join(" "),
            Err(error) => {
                let number = error.as_database_error();
                let number = number.map(|error| error.downcast_ref::<MySqlDatabaseError>().number());
                found.push(number.map_or("lost".to_owned(), |number| format!("error {number}")));
                return found.join(" ");
            }
        }
    }
}

async fn changes(database: Database) {
    const INSERT: &str = "INSERT INTO t (n) VALUES (N)";
    const SELECT: &str = "SELECT id FROM t WHERE id > N ORDER BY id";
    let text = "INSERT INTO t (n) VALUES (7), (8); SELECT id FROM t WHERE id > 0 ORDER BY id; DO 0";
    let scratch = server(database).scratch().unwrap();
    let mut direct = MySqlConnection::connect(scratch.url()).await.unwrap();
    let create = "CREATE TABLE t (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL)";
    assert_eq!(ask(&mut direct, create).await, "0/0");
    for (class, alteration, expected) in [
        (INSERT, Alteration::NoAffectedRows, "0/1 1 2 0/0 0/0"),
        (INSERT, Alteration::MoreAffectedRows, "3/1 1 2 0/0 0/0"),
        (INSERT, Alteration::FewerAffectedRows, "1/1 1 2 0/0 0/0"),
        (INSERT, Alteration::NoLastInsertId, "2/0 1 2 0/0 0/0"),
        (INSERT, Alteration::OtherLastInsertId, "2/2 1 2 0/0 0/0"),
        (INSERT, Alteration::Error(1213), "error 1213"),
        (INSERT, Alteration::ResultLost, "lost"),
        (INSERT, Alteration::Silence, "silence"),
        (SELECT, Alteration::NoRows, "2/1 0/0 0/0"),
        (SELECT, Alteration::WithoutFirstRow, "2/1 2 0/0 0/0"),
        (SELECT, Alteration::WithoutLastRow, "2/1 1 0/0 0/0"),
        (SELECT, Alteration::RepeatedRow, "2/1 1 1 2 0/0 0/0"),
        (SELECT, Alteration::Error(1062), "2/1 error 1062"),
        (SELECT, Alteration::ResultLost, "2/1 lost"),
        (SELECT, Alteration::Success, "2/1 1 2 0/0 0/0"),
        (SELECT, Alteration::StatementLost, "lost"),
    ] {
        assert_ne!(ask(&mut direct, "TRUNCATE TABLE t").await, "lost");
        let adversary = Adversary::start(scratch.url()).await.unwrap();
        let mut client = MySqlConnection::connect(adversary.url()).await.unwrap();
        adversary.set_rules(vec![Rule { class: class.to_owned(), skip: 0, alteration }]);
        adversary.watch(true);
        let answer = {
            let mut asked = std::pin::pin!(ask(&mut client, text));
            let limit = std::time::Duration::from_millis(300);
            let wait = Wait::until(format!("the client hears of {alteration}"));
            loop {
                wait.check();
                match tokio::time::timeout(limit, &mut asked).await {
                    Ok(answer) => break answer,
                    // The server has answered, and the client hears nothing of it.
                    Err(_) if alteration == Alteration::Silence && adversary.applied() == [true] => {
                        break "silence".to_owned();
                    }
                    Err(_) => {}
                }
            }
        };
        assert_eq!(answer, expected, "{alteration}");
        assert_eq!(adversary.applied(), [alteration != Alteration::Success], "{alteration}");
        let stored = if alteration == Alteration::StatementLost { 0 } else { 2 };
        let count = ask(&mut direct, "SELECT COUNT(*) FROM t").await;
        assert_eq!(count, format!("{stored} 0/0"), "{alteration}");
        // A rule changes one result. The connection works, unless it was lost.
        if !matches!(answer.as_str(), "lost" | "2/1 lost" | "silence") {
            assert_eq!(ask(&mut client, "SELECT id FROM t WHERE id > 1 ORDER BY id").await, "2 0/0");
        }
    }
}

async fn earlier_results(database: Database) {
    let scratch = server(database).scratch().unwrap();
    let adversary = Adversary::start(scratch.url()).await.unwrap();
    let mut client = MySqlConnection::connect(adversary.url()).await.unwrap();
    let rule = |class: &str, skip, alteration| Rule { class: class.to_owned(), skip, alteration };
    adversary.set_rules(vec![
        rule("SELECT N", 1, Alteration::OldResult),
        rule("SELECT nothing", 0, Alteration::Success),
        rule("execute SELECT ?", 1, Alteration::OldResult),
    ]);
    adversary.watch(true);
    assert_eq!(ask(&mut client, "SELECT 5").await, "5 0/0");
    assert_eq!(ask(&mut client, "SELECT 6").await, "5 0/0");
    assert_eq!(ask(&mut client, "SELECT 6").await, "6 0/0");
    assert_eq!(ask(&mut client, "SELECT nothing").await, "1/0");
    assert_eq!(ask(&mut client, "SELECT nothing").await, "error 1054");
    for (asked, expected) in [(3_u64, 3_u64), (4, 3), (4, 4)] {
        let row = sqlx::query("SELECT ?").bind(asked).fetch_one(&mut client).await.unwrap();
        assert_eq!(row.try_get_unchecked::<u64, _>(0).unwrap(), expected);
    }
    assert_eq!(adversary.applied(), [true; 3]);
    let recorded = adversary.recorded();
    let count = |class: &str| recorded.iter().filter(|result| result.class == class).count();
    assert_eq!(
        ["SELECT N", "SELECT nothing", "prepare SELECT ?", "execute SELECT ?"].map(count),
        [3, 2, 1, 3]
    );
    let first = Recorded { class: "SELECT N".to_owned(), place: 0, result: ResultKind::Rows(1) };
    assert_eq!(recorded[0], first);
}

macro_rules! on_both {
    ($($test:ident: $work:ident, $database:ident;)+) => {$(
        #[test]
        fn $test() {
            block_on($work(Database::$database));
        }
    )+};
}

on_both! {
    changes_on_mysql: changes, MySql;
    changes_on_mariadb: changes, MariaDb;
    earlier_results_on_mysql: earlier_results, MySql;
    earlier_results_on_mariadb: earlier_results, MariaDb;
}
