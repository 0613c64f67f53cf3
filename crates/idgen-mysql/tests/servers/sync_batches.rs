//! Batches of changes: how many statements they take, and what rows of one batch do to each other.

use idgen_mysql::Index;
use idgen_mysql::sync::{Change, Outcome, Table, Value};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::on_both;
use crate::sync::{APPLIED, REPEATED, child, id, item, list, sync};
use crate::sync_rows::{put, tables};

on_both!(
    a_batch_takes_few_statements,
    a_refused_row_takes_few_statements,
    rows_of_one_batch_change_and_go_again,
    rows_that_are_refused_are_found_among_others
);

/// Each statement costs the time of a round trip, and they cannot become more unseen.
async fn a_batch_takes_few_statements(database: Database) {
    let mut synced = sync(database, Index::Unique).await;
    let mut counts = Vec::new();
    let items = |from: u128, number: u64| -> Vec<Change> {
        (from..from + 99).map(|at| item(id(at), number, id(1), &format!("{at} {number}"))).collect()
    };
    let new = [vec![list(id(1), 1, "l")], items(100, 1)].concat();
    // New rows; the same again; rows that refer to one that is there; all of them changed; deleted.
    for batch in [
        new.clone(),
        new,
        items(300, 1),
        items(300, 2),
        (300..399).map(|at| Change::delete("items", id(at), 3)).collect(),
    ] {
        let before = synced.statements().await;
        let answer = synced.apply(&batch).await;
        counts.push(synced.statements().await - before);
        assert!(answer.outcomes().iter().all(|outcome| matches!(outcome, Outcome::Applied { .. })));
    }
    // With the one that counts, BEGIN and COMMIT, seven of the claim, two savepoints, the definitions of the tables that are
    // written and of two of the sync, and one now and then that reads a claim back.
    let most = [20, 12, 19, 122, 23];
    assert!(counts.iter().zip(most).all(|(count, most)| *count <= most), "{database}: {counts:?}");
}

/// A device with many rows that are refused must have its answer before its request ends.
async fn a_refused_row_takes_few_statements(database: Database) {
    let schema =
        "CREATE TABLE codes (id BIGINT UNSIGNED PRIMARY KEY, code INT NOT NULL UNIQUE, CHECK (code < 5000))";
    let mut synced = tables(database, &[schema], &["codes"]).await;
    let code = |row: u128, number: u64, code: i64| put("codes", row, number, [("code", Value::Int(code))]);
    let there: Vec<Change> = (1..=300).map(|at| code(at as u128, 1, at)).collect();
    synced.apply(&there).await;
    let mut counts = Vec::new();
    let mut count = async |batch: Vec<Change>, refused: usize| {
        let before = synced.statements().await;
        let answer = synced.apply(&batch).await;
        counts.push(synced.statements().await - before);
        let failed = answer.outcomes().iter().filter(|outcome| **outcome != APPLIED);
        assert_eq!(failed.count(), refused, "{database}");
        answer
    };
    // New rows with the values of others; among rows that are applied; changed rows; and rows that a check refuses.
    let alone = count((1..=300).map(|at| code(1000 + at as u128, 1, at)).collect(), 300).await;
    for (at, outcome) in (1..).zip(alone.outcomes()) {
        assert!(
            matches!(outcome, Outcome::Blocked { row, number: 1, .. } if *row == id(at)),
            "{database}: {outcome:?}"
        );
    }
    let mixed =
        (1..=300).flat_map(|at| [code(2000 + at as u128, 1, at), code(3000 + at as u128, 1, 1000 + at)]);
    count(mixed.collect(), 300).await;
    count((1..=300).map(|at| code(3000 + at as u128, 2, at)).collect(), 300).await;
    count((1..=300).map(|at| code(4000 + at as u128, 1, 6000 + at)).collect(), 300).await;
    let checked = (1..=300)
        .flat_map(|at| [code(5000 + at as u128, 1, 6000 + at), code(6000 + at as u128, 1, 2000 + at)]);
    count(checked.collect(), 300).await;
    // Two statements for each row of an INSERT that is halved, and one for each UPDATE.
    let most = [640, 1250, 345, 640, 1840];
    assert!(counts.iter().zip(most).all(|(count, most)| *count <= most), "{database}: {counts:?}");
}

/// A row is there or not whatever other deletions of the batch do.
async fn rows_of_one_batch_change_and_go_again(database: Database) {
    let mut synced = sync(database, Index::Unique).await;
    synced.run("CREATE TABLE parts (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, text VARCHAR(20) NOT NULL, \
         FOREIGN KEY (list_id) REFERENCES lists (id) ON DELETE CASCADE)",
    )
    .await;
    synced.sync = synced.map.sync(&[Table::new("lists"), Table::new("parts")]).await.unwrap();
    let part = |row: Uuid, number: u64, list: Uuid, text: &str| {
        Change::put("parts", row, number, [("list_id", list.into()), ("text", text.into())])
    };
    let (l, m, a, b, c) = (id(1), id(2), id(3), id(4), id(5));
    // Only the newest change of each row counts, whatever was between it and the first one.
    let batch = [
        list(l, 1, "l"),
        list(m, 1, "m"),
        part(a, 1, l, "a1"),
        part(b, 1, l, "b1"),
        part(c, 1, l, "c1"),
        Change::delete("parts", c, 2),
        part(b, 2, m, "b2"),
        Change::delete("lists", l, 2),
        part(a, 2, m, "a2"),
        part(a, 3, m, "a3"),
        part(b, 3, m, "b3"),
        part(c, 3, m, "c3"),
        list(l, 3, "l3"),
        part(a, 4, l, "a4"),
    ];
    let answer = synced.apply(&batch).await;
    let newest = [1, 10, 11, 12, 13];
    for (at, outcome) in answer.outcomes().iter().enumerate() {
        let older = matches!(outcome, Outcome::Older { .. });
        assert_eq!((*outcome == APPLIED, older), (newest.contains(&at), !newest.contains(&at)), "{at}");
    }
    assert_eq!(synced.apply(&batch[8..]).await.outcomes().len(), 6);
    let texts = "SELECT COUNT(*) FROM parts p JOIN lists l ON l.id = p.list_id \
         WHERE (p.text, l.title) IN (('a4', 'l3'), ('b3', 'm'), ('c3', 'm'))";
    assert_eq!(synced.number(texts).await, Ok(3));
    assert_eq!(synced.number("SELECT COUNT(*) FROM parts").await, Ok(3));
}

/// Columns that only some rows name, and rows that the database refuses among others that it takes.
async fn rows_that_are_refused_are_found_among_others(database: Database) {
    let mut synced = sync(database, Index::Unique).await;
    let l = id(1);
    let mut batch = vec![list(l, 1, "l")];
    for at in 0..40 {
        let row = id(100 + at);
        batch.push(match at % 7 {
            3 => item(row, 1, l, &"x".repeat(201)),
            5 => child(row, 1, l, id(99 + at)),
            _ => item(row, 1, l, "text"),
        });
    }
    for (round, applied) in [APPLIED, REPEATED].into_iter().enumerate() {
        let answer = synced.apply(&batch).await;
        for (at, outcome) in answer.outcomes()[1..].iter().enumerate() {
            match at % 7 {
                3 => {
                    assert!(
                        matches!(outcome, Outcome::Refused(said) if said.contains("holds 200 characters")),
                        "{outcome:?}"
                    )
                }
                _ => assert_eq!(*outcome, applied, "{round} {at}"),
            }
        }
    }
    let as_expected = "SELECT COUNT(*) FROM items WHERE text = 'text' AND parent_id IS NULL OR text IS NULL AND parent_id = id - 1";
    assert_eq!(synced.number(as_expected).await, Ok(34));
    // Updates stop at the one that is refused, and continue after it.
    let again: Vec<Change> = (0..40)
        .filter(|at| at % 7 != 3)
        .map(|at| {
            item(
                id(100 + at),
                2,
                l,
                if at % 10 == 1 { "y" } else { "z" }.repeat(199 + usize::from(at % 10 == 1) * 2).as_str(),
            )
        })
        .collect();
    let answer = synced.apply(&again).await;
    let refused = answer.outcomes().iter().filter(|outcome| matches!(outcome, Outcome::Refused(_))).count();
    let long = "SELECT COUNT(*) FROM items WHERE CHAR_LENGTH(text) = 199";
    assert_eq!(synced.number(long).await, Ok(34 - refused as i64));
    assert!(refused > 0);
}
