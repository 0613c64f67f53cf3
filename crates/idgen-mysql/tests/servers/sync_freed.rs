//! Rows that refer to a row that only one of them may have: a reference is set as soon as another one gives its value back.

use idgen_mysql::sync::Value;
use idgen_server::Database;
use sqlx::Connection as _;

use crate::common::{connect, count, number, on_both};
use crate::sync::{APPLIED, Synced, apply, id};
use crate::sync_rows::{LISTS, delete, put, refers, tables, text};

on_both!(
    references_that_a_unique_index_refused_are_set_when_the_value_is_free,
    references_are_set_by_a_transaction_with_an_older_snapshot,
    a_row_that_arrives_while_its_value_is_freed_gets_its_references
);

/// One note may have each list.
const NOTES: &str = "CREATE TABLE notes (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NULL UNIQUE, \
     FOREIGN KEY (list_id) REFERENCES lists (id))";

/// Two rows refer to a row that has not arrived; a unique index takes one of them. The other one follows as soon as the first gives the value back: by another
/// reference, by its deletion, or with a row that the schema deletes.
async fn references_that_a_unique_index_refused_are_set_when_the_value_is_free(database: Database) {
    let items = "CREATE TABLE items (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NULL, place INT NOT NULL, of_id BIGINT UNSIGNED NULL, \
         UNIQUE KEY once (place, list_id), FOREIGN KEY (list_id) REFERENCES lists (id), FOREIGN KEY (of_id) REFERENCES lists (id) ON DELETE CASCADE)";
    let mut synced = tables(database, &[LISTS, items], &["lists", "items"]).await;
    for way in 0..3 {
        let [wanted, other, first, second] = [0, 1, 2, 3].map(|at| 100 * (way + 1) + at);
        let list = |row| put("lists", row, 1, [("title", text("l"))]);
        let item = |row, number, list, of| {
            put("items", row, number, [("list_id", list), ("place", Value::Int(1)), ("of_id", of)])
        };
        let waiting = [
            list(other),
            item(first, 1, refers(wanted), refers(other)),
            item(second, 1, refers(wanted), Value::Null),
        ];
        assert_eq!(synced.apply(&waiting).await.outcomes(), [APPLIED; 3]);
        assert_eq!(synced.apply(&[list(wanted)]).await.outcomes(), [APPLIED]);
        let open = synced.open().await;
        assert_eq!(open.len(), 1, "{database}, {way}: {open:?}");
        let (row, target) = (open[0].row, open[0].target);
        let taken = if row.0 == id(first) { second } else { first };
        let free = match way {
            0 => item(taken, 2, Value::Null, Value::Null),
            1 => delete("items", taken, 2),
            // The first one goes with its list, unless it is the one whose reference is open.
            _ if taken == first => delete("lists", other, 2),
            _ => delete("items", taken, 2),
        };
        assert_eq!(synced.apply(&[free]).await.outcomes(), [APPLIED]);
        assert_eq!(synced.open().await, [], "{database}, {way}");
        let set = format!("items WHERE id = {} AND list_id = {}", row.1, target.1);
        assert_eq!(synced.count(&set).await, 1, "{database}, {way}");
    }
}

/// The caller has read before, so that plain reads see the tables as they were then.
async fn references_are_set_by_a_transaction_with_an_older_snapshot(database: Database) {
    let Synced { scratch, sync, .. } = tables(database, &[LISTS, NOTES], &["lists", "notes"]).await;
    let mut one = connect(scratch.url()).await;
    let mut two = connect(scratch.url()).await;
    let note = |row| put("notes", row, 1, [("list_id", refers(9))]);
    apply(&sync, &mut two, &[note(1), note(2)]).await;
    let mut transaction = one.begin().await.unwrap();
    assert_eq!(number(&mut transaction, "SELECT COUNT(*) FROM lists").await, Ok(0));
    // One note gets the list, and has the value that the other one waits for.
    apply(&sync, &mut two, &[put("lists", 9, 1, [("title", text("x"))])]).await;
    assert_eq!(count(&mut two, "notes WHERE list_id IS NOT NULL").await, 1, "{database}");
    let freed = [put("notes", 1, 2, [("list_id", Value::Null)])];
    let answer = sync.apply(&mut transaction, &freed).await.unwrap();
    assert_eq!(answer.outcomes(), [APPLIED], "{database}");
    transaction.commit().await.unwrap();
    assert_eq!(count(&mut two, "notes WHERE list_id IS NOT NULL").await, 1, "{database}");
    assert_eq!(count(&mut two, "uuid_map_open").await, 0, "{database}");
}

/// Neither of the two transactions is a victim of the other one.
async fn a_row_that_arrives_while_its_value_is_freed_gets_its_references(database: Database) {
    let Synced { scratch, sync, .. } = tables(database, &[LISTS, NOTES], &["lists", "notes"]).await;
    let mut one = connect(scratch.url()).await;
    let mut two = connect(scratch.url()).await;
    let list = |row| put("lists", row, 1, [("title", text("x"))]);
    let note = |row, of| put("notes", row, 1, [("list_id", refers(of))]);
    apply(&sync, &mut two, &[note(1, 8), note(2, 8), note(3, 9), note(4, 9)]).await;
    apply(&sync, &mut two, &[list(8)]).await;
    let freed = [put("notes", 1, 2, [("list_id", Value::Null)])];
    for list_arrives_first in [true, false] {
        let mut transaction = one.begin().await.unwrap();
        let arrives = [list(if list_arrives_first { 9 } else { 7 })];
        if list_arrives_first {
            assert_eq!(sync.apply(&mut transaction, &arrives).await.unwrap().outcomes(), [APPLIED]);
        } else {
            let freed = [put("notes", 3, 2, [("list_id", Value::Null)])];
            assert_eq!(sync.apply(&mut transaction, &freed).await.unwrap().outcomes(), [APPLIED]);
        }
        let other = async {
            let batch = if list_arrives_first { &freed } else { &arrives };
            apply(&sync, &mut two, batch).await
        };
        let commits = async {
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            transaction.commit().await.unwrap();
        };
        let (answer, ()) = tokio::join!(other, commits);
        assert_eq!(answer.outcomes(), [APPLIED], "{database}");
        let set = count(&mut two, "notes WHERE list_id IS NOT NULL").await;
        assert_eq!(set, 2, "{database}, {list_arrives_first}: {:?}", sync.open_references(9).await.unwrap());
    }
    let set = "notes WHERE list_id IS NOT NULL AND id IN (SELECT id FROM uuid_map)";
    assert_eq!(count(&mut two, set).await, 2, "{database}");
    assert_eq!(count(&mut two, "uuid_map_open").await, 0, "{database}");
}
