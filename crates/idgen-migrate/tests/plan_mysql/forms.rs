//! Each way in which a column can hold ids becomes each target and back, in keys of one column and of several.

use std::collections::BTreeMap;

use idgen_migrate::plan::{Options, Target, plan};
use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Server};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};
use uuid::Uuid;

use crate::cascades::cascades_in_innodb;
use crate::ledger::world::World;
use crate::shop::{execute, id, swapped, text};

/// A type of a column, and how it writes an id.
type Form = (&'static str, fn(u128) -> String);

/// Its collation ignores case, and half of the ids are in upper case.
const MIXED: &str = "VARCHAR(36) CHARACTER SET latin1";

const FORMS: [Form; 5] = [
    ("CHAR(36) CHARACTER SET ascii COLLATE ascii_bin", |id| format!("'{}'", text(id))),
    ("VARCHAR(40) CHARACTER SET utf8mb4", |id| format!("'{}'", text(id).to_uppercase())),
    ("CHAR(32) CHARACTER SET latin1", |id| format!("'{id:032x}'")),
    ("BINARY(16)", |id| format!("x'{id:032X}'")),
    (MIXED, |id| format!("'{}'", if id % 2 == 0 { text(id) } else { text(id).to_uppercase() })),
];

#[test]
fn mysql() {
    all(Database::MySql, &[Target::Binary16, Target::Swapped], Index::Unique);
}

#[test]
fn mariadb() {
    all(Database::MariaDb, &[Target::Binary16, Target::Swapped, Target::Uuid], Index::Unique);
}

// The expressions of the map are the same on both servers, so `make test` executes one.
#[test]
#[ignore = "minutes: make soak executes it"]
fn integers_on_mysql() {
    all(Database::MySql, &[Target::Integer], Index::Unique);
}

#[test]
fn integers_on_mariadb() {
    all(Database::MariaDb, &[Target::Integer], Index::Dedup);
}

/// The index is that of the map, for integers.
fn all(database: Database, targets: &[Target], index: Index) {
    let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
    let runtime = crate::workers(1);
    let all = targets.iter().flat_map(|to| FORMS.map(|form| (*to, form)));
    // BINARY(16) has the bytes of the target already.
    let changed = all.filter(|(to, form)| !(form.0 == "BINARY(16)" && *to == Target::Binary16));
    for (to, form) in crate::sample(database, changed) {
        runtime.block_on(one(&server, form, to, index));
    }
}

/// The new type's way of writing an id.
fn new(to: Target) -> fn(u128) -> String {
    match to {
        Target::Swapped => |id| format!("x'{:032X}'", swapped(id)),
        Target::Uuid => |id| format!("'{}'", text(id)),
        _ => |id| format!("x'{id:032X}'"),
    }
}

async fn one(server: &Server, (declared, old): Form, to: Target, index: Index) {
    let World { client, scratch, folder } = World::new(server);
    let mut connection = MySqlConnection::connect(scratch.url()).await.unwrap();
    let schema = format!(
        "CREATE TABLE orders (id {declared} NOT NULL PRIMARY KEY, n INT NOT NULL);
         CREATE TABLE products (shop INT, number INT, PRIMARY KEY (shop, number)); INSERT INTO products VALUES (1, 1), (1, 2);
         CREATE TABLE order_lines (order_id {declared} NOT NULL, line INT NOT NULL, shop INT, number INT,
           PRIMARY KEY (order_id, line), FOREIGN KEY (order_id) REFERENCES orders (id) ON DELETE CASCADE ON UPDATE CASCADE,
           CONSTRAINT line_product FOREIGN KEY (shop, number) REFERENCES products (shop, number))"
    );
    execute(&mut connection, &schema).await.unwrap();
    let map = crate::integers::map_for(to, scratch.url(), index, &[]).await;
    // With integers, the ids stay as they are written.
    let new = if map.is_some() { old } else { new(to) };
    let is_mixed = declared == MIXED;
    let mut rows =
        Rows { random: fastrand::Rng::with_seed(7), to, ids: BTreeMap::new(), is_mixed, map: None };
    for _ in 0..40 {
        rows.insert(&mut connection, old).await;
    }
    let made = plan(scratch.url(), &Options::new("orders", to)).await.unwrap();
    assert_eq!(made.tables, ["orders", "order_lines"], "{declared}");
    let several = "in the column in parentheses are copied in one transaction: order_lines (order_id).";
    assert!(made.notes.iter().any(|note| note.contains(several)), "{:?}", made.notes);
    made.write(folder.path()).unwrap();
    let run = |from: &str, to: &str| {
        let files = client.files("").into_iter().filter(|file| file[..] >= *from && file[..] <= *to);
        tokio::task::block_in_place(|| client.execute_together(files))
            .unwrap_or_else(|error| panic!("{declared}: {error}"))
    };
    let file = |step: &str| crate::whole::named(&client, step);
    run("", &file("triggers-orders"));
    rows.change(&mut connection, old).await;
    run(&file("copy-orders"), &file("copy-order_lines"));
    rows.change(&mut connection, old).await;
    run(&file("verify"), &file("rename"));
    rows.map = map;
    rows.change(&mut connection, new).await;
    run(&file("verify-renamed"), &file("verify-renamed"));
    rows.expect(&mut connection, "", new).await;
    rows.expect(&mut connection, &client.made("", "old"), old).await;
    run(&file("finish"), &file("finish"));
    rows.expect(&mut connection, "", new).await;
    assert_eq!(crate::whole::left(scratch.url()).await, Vec::<String>::new());
}

struct Rows {
    random: fastrand::Rng,
    to: Target,
    ids: BTreeMap<u128, u32>,
    is_mixed: bool,
    /// With integers, after the renaming.
    map: Option<UuidMap>,
}

impl Rows {
    /// An order with two lines.
    async fn insert(&mut self, connection: &mut MySqlConnection, write: fn(u128) -> String) {
        let (new, n) = (id(&mut self.random, self.to), self.random.u32(..1000));
        self.ids.insert(new, n);
        let id = write(new);
        // Under a collation that ignores case, a row may refer to its parent in another spelling.
        let to = if self.is_mixed { id.to_lowercase() } else { id.clone() };
        let sql = match self.integer(new).await {
            None => format!(
                "INSERT INTO orders VALUES ({id}, {n}); INSERT INTO order_lines VALUES ({to}, 1, 1, 2), ({to}, 2, NULL, 7)"
            ),
            Some(integer) => format!(
                "INSERT INTO orders (id, id_int, n) VALUES ({id}, {integer}, {n}); \
                 INSERT INTO order_lines VALUES ({integer}, 1, 1, 2), ({integer}, 2, NULL, 7)"
            ),
        };
        execute(connection, &sql).await.unwrap();
    }

    /// The integer that the map has for an id.
    async fn integer(&self, id: u128) -> Option<u64> {
        match &self.map {
            Some(map) => Some(map.id_of(Uuid::from_u128(id)).await.unwrap()),
            None => None,
        }
    }

    /// An insert, an update, an update of a key and a deletion.
    async fn change(&mut self, connection: &mut MySqlConnection, write: fn(u128) -> String) {
        self.insert(connection, write).await;
        let ids: Vec<u128> = self.ids.keys().copied().collect();
        let [changed, moved, deleted] = [3, 11, 17].map(|at| ids[at]);
        let to = id(&mut self.random, self.to);
        let integer =
            self.integer(to).await.map(|integer| format!(", id_int = {integer}")).unwrap_or_default();
        let sql = format!(
            "UPDATE orders SET n = 5000 WHERE id = {}; UPDATE orders SET id = {}{integer} WHERE id = {}; \
             DELETE FROM orders WHERE id = {}",
            write(changed),
            write(to),
            write(moved),
            write(deleted)
        );
        execute(connection, &sql).await.unwrap();
        self.ids.insert(changed, 5000);
        let n = self.ids.remove(&moved).unwrap();
        self.ids.insert(to, n);
        self.ids.remove(&deleted).unwrap();
    }

    async fn expect(&self, connection: &mut MySqlConnection, ending: &str, write: fn(u128) -> String) {
        let shown = |column: &str| {
            format!(
                "IF(LENGTH({column}) = 16, CONCAT('x''', HEX({column}), ''''), CONCAT('''', {column}, ''''))"
            )
        };
        // An integer is shown as its id in the table and in the map.
        let (lines, id_of_line) = match self.map.is_some() && ending.is_empty() {
            true => {
                let bytes = "(LENGTH(o.id) = 16 AND o.id = m.uuid OR UNHEX(REPLACE(o.id, '-', '')) = m.uuid)";
                let of_map = format!("JOIN uuid_map AS m ON m.id = o.id_int AND {bytes}");
                (format!("order_lines AS l JOIN orders AS o ON o.id_int = l.order_id_int {of_map}"), "o.id")
            }
            false => (format!("order_lines{ending}"), "order_id"),
        };
        let sql = format!(
            "SELECT CONVERT({} USING utf8mb4), CAST(n AS CHAR) FROM orders{ending} UNION ALL \
             SELECT CONVERT({} USING utf8mb4), CONCAT(line, COALESCE(shop, '-'), number) FROM {lines}",
            shown("id"),
            shown(id_of_line)
        );
        let read = connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(sql.clone()))).await.unwrap();
        let cell = |row: &sqlx::mysql::MySqlRow, at| String::from_utf8(row.get_unchecked(at)).unwrap();
        // The way back writes all ids alike.
        let spelled = |id: String| if self.is_mixed { id.to_lowercase() } else { id };
        let mut found: Vec<_> = read.iter().map(|row| (spelled(cell(row, 0)), cell(row, 1))).collect();
        found.sort();
        let lines = self.ids.iter().flat_map(|(id, n)| {
            [n.to_string(), "112".to_owned(), "2-7".to_owned()].map(|value| (spelled(write(*id)), value))
        });
        let mut expected: Vec<_> = lines.collect();
        expected.sort();
        assert_eq!(found, expected, "{sql}");
    }
}
