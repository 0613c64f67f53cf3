//! Changes of rows, applied once.

use std::time::Duration;

use idgen_mysql::sync::{Answer, Change, Intake, OpenReference, Outcome, Sync, Table, Value};
use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch};
use sqlx::{Connection, MySqlConnection, Row};
use uuid::Uuid;

use crate::common::{connect, count, everywhere, map, number, on_both, run};

everywhere!(a_batch_in_any_order_is_applied_once);
on_both!(
    references_stay_open_until_their_rows_arrive,
    a_change_is_refused_alone,
    the_newest_change_of_a_row_counts,
    deletions_end_with_the_parents,
    tables_that_cannot_be_synced_are_refused
);

const SCHEMA: [&str; 3] = [
    "CREATE TABLE lists (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(20) NOT NULL UNIQUE)",
    "CREATE TABLE items (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, \
     parent_id BIGINT UNSIGNED NULL, text VARCHAR(200) NULL, length INT AS (CHAR_LENGTH(text)) VIRTUAL, \
     FOREIGN KEY (list_id) REFERENCES lists (id), FOREIGN KEY (parent_id) REFERENCES items (id))",
    "CREATE TABLE notes (id BIGINT UNSIGNED PRIMARY KEY, item_id BIGINT UNSIGNED NULL, list_id BIGINT UNSIGNED NULL, \
     score DOUBLE NULL, data VARBINARY(100) NULL, FOREIGN KEY (item_id) REFERENCES items (id))",
];

/// A schema with a map and a sync of some tables, and a connection that sends changes.
pub struct Synced {
    pub map: UuidMap,
    pub sync: Sync,
    pub connection: MySqlConnection,
    /// Dropped last: the schema cannot be dropped while the connection is in a transaction.
    pub scratch: Scratch,
}

impl Synced {
    pub async fn apply(&mut self, batch: &[Change]) -> Answer {
        apply(&self.sync, &mut self.connection, batch).await
    }

    /// The error of a batch that is not applied.
    pub async fn error(&mut self, batch: &[Change]) -> idgen_mysql::Error {
        self.sync.apply(&mut self.connection, batch).await.unwrap_err()
    }

    /// The references whose rows have not arrived.
    pub async fn open(&self) -> Vec<OpenReference> {
        self.sync.open_references(10).await.unwrap()
    }

    pub async fn run(&mut self, statement: impl Into<String>) {
        run(&mut self.connection, statement).await;
    }

    pub async fn number(&mut self, statement: impl Into<String>) -> Result<i64, u16> {
        number(&mut self.connection, statement).await
    }

    /// The statements of the connection so far, by the server's count.
    pub async fn statements(&mut self) -> i64 {
        let status = sqlx::query("SHOW SESSION STATUS LIKE 'Questions'");
        status.fetch_one(&mut self.connection).await.unwrap().get::<String, _>(1).parse().unwrap()
    }

    /// The rows of a table, or of a table with a condition.
    pub async fn count(&mut self, what: &str) -> i64 {
        count(&mut self.connection, what).await
    }
}

pub async fn sync(database: Database, index: Index) -> Synced {
    let (scratch, map) = map(database, index).await;
    let sync = sync_of(&map, scratch.url()).await;
    let connection = connect(scratch.url()).await;
    Synced { scratch, map, sync, connection }
}

pub fn synced_tables() -> [Table; 3] {
    [Table::new("notes").refers("list_id", "lists"), Table::new("items"), Table::new("lists")]
}

/// The tables of the tests, and a sync of them.
pub async fn sync_of(map: &UuidMap, url: &str) -> Sync {
    let mut connection = connect(url).await;
    for statement in SCHEMA {
        run(&mut connection, statement).await;
    }
    let tables = synced_tables();
    let error = map.sync(&tables).await.unwrap_err();
    assert!(error.is_not_installed() && error.to_string().contains("install_sync"), "{error}");
    map.install_sync().await.unwrap();
    map.install_sync().await.unwrap();
    map.sync(&tables).await.unwrap()
}

pub async fn apply(sync: &Sync, connection: &mut MySqlConnection, batch: &[Change]) -> Answer {
    let mut transaction = connection.begin().await.unwrap();
    let answer = sync.apply(&mut transaction, batch).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(answer.outcomes().len(), batch.len());
    answer
}

pub const APPLIED: Outcome = Outcome::Applied { repeated: false };
pub const REPEATED: Outcome = Outcome::Applied { repeated: true };

pub fn id(number: u128) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | number)
}

pub fn list(row: Uuid, number: u64, title: &str) -> Change {
    Change::put("lists", row, number, [("title", title.into())])
}

pub fn item(row: Uuid, number: u64, list: Uuid, text: &str) -> Change {
    Change::put("items", row, number, [("list_id", list.into()), ("text", text.into())])
}

pub fn child(row: Uuid, number: u64, list: Uuid, parent: Uuid) -> Change {
    Change::put("items", row, number, [("list_id", list.into()), ("parent_id", parent.into())])
}

async fn a_batch_in_any_order_is_applied_once(database: Database, index: Index) {
    let mut synced = sync(database, index).await;
    let (l, a, b, n) = (id(1), id(2), id(3), id(4));
    let note = Change::put(
        "notes",
        n,
        7,
        [
            ("item_id", b.into()),
            ("list_id", Value::Null),
            ("score", Value::Float(0.5)),
            ("data", Value::Bytes(vec![0, 255, 39])),
        ],
    );
    let batch = [note, child(b, 1, l, a), item(a, 1, l, "'\\\"; -- é"), list(l, 1, "shopping")];
    let mut transaction = synced.connection.begin().await.unwrap();
    synced.sync.apply(&mut transaction, &batch).await.unwrap();
    transaction.rollback().await.unwrap();
    assert_eq!(synced.number("SELECT COUNT(*) FROM lists, items, notes").await, Ok(0));

    let answer = synced.apply(&batch).await;
    assert_eq!(answer.outcomes(), vec![APPLIED; 4]);
    assert_eq!(answer.ids().len(), 4);
    for (uuid, id) in answer.ids() {
        assert_eq!(synced.map.find(*uuid).await.unwrap(), Some(*id));
    }
    let ids = answer.ids().clone();
    let joined = format!(
        "SELECT COUNT(*) FROM notes n JOIN items c ON c.id = n.item_id JOIN items p ON p.id = c.parent_id \
         JOIN lists l ON l.id = p.list_id WHERE n.id = {} AND l.id = {} AND n.data = x'00ff27' AND n.score = 0.5 \
         AND p.text = _utf8mb4 x'{}' AND n.list_id IS NULL",
        ids[&n], ids[&l], "275c223b202d2d20c3a9"
    );
    assert_eq!(synced.number(joined.clone()).await, Ok(1));

    // Again: cut anew, in another order, beside a newer change and an older one.
    let again = [batch[3].clone(), list(l, 3, "food"), batch[0].clone(), list(l, 2, "never")];
    let answer = synced.apply(&again).await;
    // Only the newest change of a row counts.
    let older = Outcome::Older { newest: 3 };
    assert_eq!(answer.outcomes(), [older.clone(), APPLIED, REPEATED, older.clone()]);
    assert_eq!(answer.ids()[&l], ids[&l]);
    let answer = synced.apply(&again).await;
    assert_eq!(answer.outcomes(), [older.clone(), REPEATED, REPEATED, older]);
    assert_eq!(synced.number("SELECT COUNT(*) FROM lists WHERE title = 'food'").await, Ok(1));

    let answer = synced.apply(&[list(l, 3, "other"), list(l, 3, "food")]).await;
    let Outcome::Refused(reason) = &answer.outcomes()[0] else { panic!("{answer:?}") };
    assert!(reason.contains(&l.to_string()) && reason.contains("number 3"), "{reason}");
    assert_eq!(answer.outcomes()[1], REPEATED);
    let empty = synced.apply(&[]).await;
    assert!(empty.outcomes().is_empty() && empty.ids().is_empty());
    assert!(synced.error(&[list(l, 4, "x")]).await.is_not_in_transaction());
    let many = vec![list(l, 3, "food"); Sync::LARGEST_BATCH + 1];
    assert!(synced.error(&many).await.is_config());
}

async fn references_stay_open_until_their_rows_arrive(database: Database) {
    let mut synced = sync(database, Index::Unique).await;
    let (l, a, b, n) = (id(1), id(2), id(3), id(4));
    // NOT NULL with a foreign key: waits. A foreign key that may be NULL: NULL for now. Without a foreign key: its integer.
    let batch =
        [item(a, 1, l, "milk"), Change::put("notes", n, 1, [("item_id", b.into()), ("list_id", l.into())])];
    let answer = synced.apply(&batch).await;
    assert!(
        matches!(&answer.outcomes()[0], Outcome::Waits { table, row, .. } if table == "lists" && *row == l),
        "{answer:?}"
    );
    assert_eq!(answer.outcomes()[1], APPLIED);
    let ids = answer.ids().clone();
    assert_eq!(synced.map.find(l).await.unwrap(), Some(ids[&l]));
    let as_stored = format!("SELECT COUNT(*) FROM notes WHERE item_id IS NULL AND list_id = {}", ids[&l]);
    assert_eq!(synced.number(as_stored).await, Ok(1));
    let open = synced.open().await;
    assert_eq!(open.len(), 2);
    for (reference, (column, table, target)) in
        open.iter().zip([("item_id", "items", b), ("list_id", "lists", l)])
    {
        assert_eq!((reference.table.as_str(), reference.row), ("notes", (n, ids[&n])));
        assert_eq!((reference.column.as_str(), reference.target_table.as_str()), (column, table));
        assert_eq!(reference.target, (target, ids[&target]));
        assert!(reference.age < Duration::from_secs(60));
    }
    assert_eq!(synced.sync.open_references(1).await.unwrap().len(), 1);

    // A circle of two new rows, of which each refers to the other; and the row that was waited for.
    let batch = [child(a, 2, l, b), child(b, 1, l, a), list(l, 1, "shopping")];
    let answer = synced.apply(&batch).await;
    assert_eq!(answer.outcomes(), vec![APPLIED; 3]);
    assert_eq!(synced.open().await, []);
    let resolved =
        format!("SELECT COUNT(*) FROM notes WHERE item_id = {} AND list_id = {}", ids[&b], ids[&l]);
    assert_eq!(synced.number(resolved).await, Ok(1));
    let circle = "SELECT COUNT(*) FROM items x JOIN items y ON x.parent_id = y.id AND y.parent_id = x.id";
    assert_eq!(synced.number(circle).await, Ok(2));

    // A newer change refers elsewhere, and the old target no longer matters; a row may refer to itself.
    let (late, later) = (id(8), id(9));
    synced.apply(&[child(a, 3, l, late)]).await;
    assert_eq!(synced.open().await.len(), 1);
    synced.apply(&[child(a, 4, l, a), child(later, 1, l, later)]).await;
    assert_eq!(synced.open().await, []);
    synced.apply(&[child(late, 1, l, b)]).await;
    let own = "SELECT COUNT(*) FROM items WHERE parent_id = id";
    assert_eq!(synced.number(own).await, Ok(2));
    // The reference of a row that is deleted is not open any more.
    synced.apply(&[child(late, 2, l, id(99))]).await;
    synced.apply(&[Change::delete("items", late, 3)]).await;
    assert_eq!(synced.open().await, []);
}

async fn a_change_is_refused_alone(database: Database) {
    let mut synced = sync(database, Index::Unique).await;
    let foreign = id(77);
    synced.sync = synced.sync.clone().intake(Intake::default().owner(move |change| {
        match change.row == foreign.to_string() {
            true => Err("the row belongs to another tenant".to_owned()),
            false => Ok(()),
        }
    }));
    let text = |row: &str| Change { row: row.to_owned(), ..list(id(1), 1, "x") };
    let l = id(1);
    let future = Uuid::from_u128(0x0FFF_0000_0000_7000_8000_0000_0000_0001);
    let bad = [
        (text("0190000000007000800000000000000A"), "canonical"),
        (text("00000000-0000-0000-0000-000000000000"), "nil"),
        (text("ffffffff-ffff-ffff-0000-000000000007"), "variant"),
        (list(future, 1, "x"), "in the future"),
        (list(foreign, 1, "x"), "another tenant"),
        (item(id(2), 1, future, "x"), "its column list_id"),
        (Change { table: "users".to_owned(), ..list(id(3), 1, "x") }, "not a table of the sync"),
        (list(id(4), 0, "x"), "begin at 1"),
        (Change::put("items", id(5), 1, [("list_id", Value::Int(7))]), "by the text of a UUID"),
        (Change::put("items", id(6), 1, [("length", Value::Int(7))]), "can be set"),
        (Change::put("lists", id(6), 1, [("id", Value::Int(7))]), "can be set"),
        (Change::put("notes", id(6), 1, [("score", Value::Float(f64::NAN))]), "finite"),
        (Change { values: list(l, 1, "x").values, ..Change::delete("lists", id(6), 1) }, "sets no columns"),
        (list(id(10), 1, "a title that is longer than its column"), "holds 20 characters"),
        (Change::put("lists", id(12), 1, [("title", Value::Null)]), "refuses its values"),
        (Change::put("lists", id(13), 1, []), "refuses its values"),
    ];
    let mut batch = vec![list(l, 1, "taken"), item(id(20), 1, l, "before")];
    batch.extend(bad.iter().map(|(change, _)| change.clone()));
    batch.push(item(id(21), 1, l, "after"));
    for applied in [APPLIED, REPEATED] {
        let answer = synced.apply(&batch).await;
        let outcomes = answer.outcomes();
        for (outcome, (change, words)) in outcomes[2..].iter().zip(&bad) {
            assert!(
                matches!(outcome, Outcome::Refused(said) if said.contains(words)),
                "{change:?}: {outcome:?}"
            );
        }
        assert_eq!([&outcomes[0], &outcomes[1], outcomes.last().unwrap()], [&applied; 3]);
        assert!(!answer.ids().contains_key(&future) && !answer.ids().contains_key(&foreign));
    }
    assert_eq!(synced.map.find(foreign).await.unwrap(), None);
    assert_eq!(synced.number("SELECT COUNT(*) FROM lists").await, Ok(1));
    assert_eq!(synced.number("SELECT COUNT(*) FROM items").await, Ok(2));
    // A refused change leaves nothing behind, and the same number can be used again.
    assert_eq!(synced.number("SELECT COUNT(*) FROM uuid_map_row WHERE number = 0").await, Ok(0));
    assert_eq!(synced.apply(&[list(id(10), 1, "short")]).await.outcomes(), [APPLIED]);
    // An update that the database refuses leaves the row as it was.
    let answer = synced.apply(&[list(id(10), 2, "taken"), list(id(14), 1, "free")]).await;
    assert!(
        matches!(answer.outcomes(), [Outcome::Blocked { row, .. }, Outcome::Applied { .. }] if *row == l),
        "{answer:?}"
    );

    synced.run("SET SESSION sql_mode = ''").await;
    let mut transaction = synced.connection.begin().await.unwrap();
    let error = synced.sync.apply(&mut transaction, &batch).await.unwrap_err();
    assert!(error.is_config() && error.to_string().contains("sql_mode"), "{error}");
}

/// Only the newest change of a row counts. If it cannot be applied, the one before it is, until it can.
async fn the_newest_change_of_a_row_counts(database: Database) {
    let mut synced = sync(database, Index::Unique).await;
    let (l, m, a) = (id(1), id(2), id(3));
    // The older change waits, and no longer matters.
    let batch = [list(m, 1, "m"), item(a, 1, l, "one"), item(a, 2, m, "two")];
    let answer = synced.apply(&batch).await;
    assert_eq!(answer.outcomes(), [APPLIED, Outcome::Older { newest: 2 }, APPLIED]);
    // The newest one waits or is refused, and the older one is applied.
    let batch = [item(a, 3, m, "three"), item(a, 4, l, "four"), item(a, 5, m, &"x".repeat(201))];
    let answer = synced.apply(&batch).await;
    let [APPLIED, Outcome::Waits { row, .. }, Outcome::Refused(_)] = answer.outcomes() else {
        panic!("{answer:?}");
    };
    assert_eq!(*row, l);
    assert_eq!(synced.number("SELECT COUNT(*) FROM items WHERE text = 'three'").await, Ok(1));
    // The change waited for an older change of its own batch.
    let again = [batch[1].clone(), list(l, 1, "l"), list(l, 2, &"x".repeat(30)), child(id(4), 1, m, a)];
    let answer = synced.apply(&again).await;
    assert!(matches!(answer.outcomes(), [APPLIED, APPLIED, Outcome::Refused(_), APPLIED]), "{answer:?}");
    assert_eq!(synced.number("SELECT COUNT(*) FROM items WHERE text = 'four'").await, Ok(1));
    assert_eq!(synced.open().await, []);
}

async fn deletions_end_with_the_parents(database: Database) {
    let mut synced = sync(database, Index::Unique).await;
    let (l, a, b, c) = (id(1), id(2), id(3), id(4));
    let batch = [list(l, 1, "l"), item(a, 1, l, "a"), child(b, 1, l, a), child(c, 1, l, b)];
    synced.apply(&batch).await;
    let answer = synced.apply(&[Change::delete("lists", l, 2)]).await;
    assert!(
        matches!(&answer.outcomes()[0], Outcome::Blocked { table, .. } if table == "items"),
        "{answer:?}"
    );
    let all = [
        Change::delete("lists", l, 2),
        Change::delete("items", a, 2),
        Change::delete("items", b, 2),
        Change::delete("items", c, 2),
    ];
    assert_eq!(synced.apply(&all).await.outcomes(), vec![APPLIED; 4]);
    assert_eq!(synced.apply(&all).await.outcomes(), vec![REPEATED; 4]);
    // Changes that are sent again do not bring the rows back, and a newer change does.
    let answer = synced.apply(&batch).await;
    assert_eq!(answer.outcomes(), vec![Outcome::Older { newest: 2 }; 4]);
    assert_eq!(synced.number("SELECT COUNT(*) FROM lists, items").await, Ok(0));
    assert_eq!(synced.apply(&[list(l, 3, "back")]).await.outcomes(), [APPLIED]);
    assert_eq!(synced.number("SELECT COUNT(*) FROM lists").await, Ok(1));
    // A row that never came.
    assert_eq!(synced.apply(&[Change::delete("items", id(9), 1)]).await.outcomes(), [APPLIED]);
}

async fn tables_that_cannot_be_synced_are_refused(database: Database) {
    let Synced { scratch: _scratch, map, sync, mut connection } = sync(database, Index::Unique).await;
    let expected = "lists: key id\n  other columns: title\n\
         items: key id\n  list_id refers to lists by a foreign key\n  parent_id refers to items by a foreign key, may be NULL\n  \
         other columns: text\n\
         notes: key id\n  item_id refers to items by a foreign key, may be NULL\n  list_id refers to lists as declared, may be \
         NULL\n  other columns: data, score\n";
    assert_eq!(sync.describe(), expected);
    for statement in [
        "CREATE TABLE two (a BIGINT UNSIGNED, b BIGINT UNSIGNED, PRIMARY KEY (a, b))",
        "CREATE TABLE auto (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY)",
        "CREATE TABLE narrow (id INT UNSIGNED PRIMARY KEY)",
        "CREATE TABLE texts (id CHAR(36) PRIMARY KEY)",
        "CREATE TABLE named (id BIGINT UNSIGNED PRIMARY KEY, other INT UNSIGNED, UNIQUE KEY (other))",
        "CREATE TABLE by_other (id BIGINT UNSIGNED PRIMARY KEY, named BIGINT UNSIGNED)",
        "ALTER TABLE named MODIFY other BIGINT UNSIGNED",
        "ALTER TABLE by_other ADD FOREIGN KEY (named) REFERENCES named (other)",
    ] {
        run(&mut connection, statement).await;
    }
    for (tables, words) in [
        (vec![], "at least one"),
        (vec![Table::new("lists"), Table::new("lists")], "once"),
        (vec![Table::new("nothing")], "no such table"),
        (vec![Table::new("a`b")], "may have only"),
        (vec![Table::new("two")], "one column, and has 2"),
        (vec![Table::new("auto")], "AUTO_INCREMENT"),
        (vec![Table::new("narrow")], "cannot hold the 64-bit ids"),
        (vec![Table::new("texts")], "cannot hold"),
        (vec![Table::new("named"), Table::new("by_other")], "must refer to the key of named"),
        (vec![Table::new("lists").refers("none", "lists")], "no column none"),
        (vec![Table::new("lists").refers("title", "lists")], "cannot hold"),
        (vec![Table::new("lists").refers("id", "lists")], "is a key"),
        (vec![Table::new("notes").refers("list_id", "lists")], "not a table of the sync"),
    ] {
        let error = map.sync(&tables).await.unwrap_err();
        assert!(error.is_config() && error.to_string().contains(words), "{tables:?}: {error}");
    }
    // A declared reference may get a foreign key later.
    run(&mut connection, "ALTER TABLE notes ADD FOREIGN KEY (list_id) REFERENCES lists (id)").await;
    let tables = [Table::new("notes").refers("list_id", "lists"), Table::new("lists")];
    let described = map.sync(&tables).await.unwrap().describe();
    assert!(described.contains("list_id refers to lists by a foreign key"), "{described}");
    run(&mut connection, "ALTER TABLE uuid_map_row DROP PRIMARY KEY").await;
    assert!(map.sync(&[Table::new("lists")]).await.unwrap_err().is_schema());
}
