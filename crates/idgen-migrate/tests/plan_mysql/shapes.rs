//! Integers where keys have other shapes: a primary key that refers to another table, alone or with more columns, ids that are
//! no primary key, rows that refer to rows of their own table, and a map with ids of 32 bits.

use idgen_migrate::plan::{Options, Target, plan};
use idgen_mysql::{IdWidth, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::client::address;
use crate::ledger::world::{Servers, World};

const ID: &str = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL";

fn schema() -> String {
    format!(
        "CREATE TABLE customers (n INT AUTO_INCREMENT PRIMARY KEY, public {ID} UNIQUE);
         CREATE TABLE orders (id {ID} PRIMARY KEY, customer {ID}, root {ID},
           FOREIGN KEY (customer) REFERENCES customers (public) ON UPDATE CASCADE,
           FOREIGN KEY (root) REFERENCES orders (id));
         CREATE TABLE details (id {ID} PRIMARY KEY, note INT, FOREIGN KEY (id) REFERENCES orders (id) ON DELETE CASCADE);
         CREATE TABLE parts (order_id {ID}, place INT, v INT, PRIMARY KEY (order_id, place),
           FOREIGN KEY (order_id) REFERENCES orders (id) ON DELETE CASCADE);"
    )
}

/// Rows whose roots come later in the order of the copy, so they have no integer yet when the row is copied.
fn rows() -> (Vec<String>, String) {
    let mut ids: Vec<String> = (0..400).map(|_| Uuid::new_v4().to_string()).collect();
    ids.sort();
    let customer = &ids[0];
    let mut sql =
        format!("SET foreign_key_checks = 0; INSERT INTO customers (public) VALUES ('{customer}');");
    for (at, id) in ids.iter().enumerate() {
        let root = &ids[399 - at];
        sql += &format!("INSERT INTO orders VALUES ('{id}', '{customer}', '{root}');");
        sql += &format!("INSERT INTO parts VALUES ('{id}', 1, {at}), ('{id}', 2, {at});");
        if at % 2 == 0 {
            sql += &format!("INSERT INTO details VALUES ('{id}', {at});");
        }
    }
    (ids, sql + "SET foreign_key_checks = 1;")
}

#[test]
fn keys_of_other_shapes_get_integers() {
    for database in Database::MYSQL_FAMILY {
        one(database);
    }
}

fn one(database: Database) {
    let servers = Servers::with_runtime(database, crate::workers(1));
    let (ids, sql) = rows();
    let world = servers.without_plan(&(schema() + &sql));
    let client = &world.client;
    servers.runtime.block_on(async {
        let map = UuidMap::builder().table("pairs").id_width(IdWidth::Bits32);
        map.connect(world.scratch.url()).await.unwrap().install().await.unwrap();
    });
    let options = Options { map: "pairs".to_owned(), ..Options::new("orders", Target::Integer) };
    assert_eq!(servers.plan(&world, &options).tables, ["customers", "orders", "details", "parts"]);
    let files = client.files("");
    let at = |name: &str| files.iter().position(|file| file[3..] == format!("{name}.sql")).unwrap();
    let must = |statements: &[String]| {
        for sql in statements {
            let changed = servers.sql(&world.scratch, sql);
            assert!(changed.is_ok_and(|rows| rows > 0), "{database}: {sql}: {changed:?}");
        }
    };
    let (verify, rename) = (at("verify"), at("rename"));
    files[..verify].iter().for_each(|file| drop(client.must(file)));
    let (new, customer) = (Uuid::new_v4(), Uuid::new_v4());
    must(&[
        format!("UPDATE customers SET public = '{customer}'"),
        format!("INSERT INTO orders VALUES ('{new}', '{customer}', '{new}')"),
        format!("INSERT INTO details VALUES ('{new}', 1)"),
        format!("INSERT INTO parts VALUES ('{new}', 1, 1), ('{new}', 2, 2)"),
        format!("UPDATE parts SET order_id = '{new}', place = 9 WHERE order_id = '{}' AND place = 1", ids[7]),
        format!("UPDATE parts SET v = 70 WHERE order_id = '{}'", ids[7]),
        format!("DELETE FROM parts WHERE order_id = '{}' AND place = 2", ids[8]),
        format!("DELETE FROM details WHERE id = '{}'", ids[8]),
        format!("UPDATE orders SET root = '{new}' WHERE id = '{}'", ids[9]),
    ]);
    let show = client.must(&files[verify]);
    assert!(show.contains("401") && show.contains("801"), "{database}: {show}");
    files[verify + 1..=rename].iter().for_each(|file| drop(client.must(file)));
    let of =
        |id: &str| format!("(SELECT m.id FROM pairs AS m WHERE m.uuid = UNHEX(REPLACE('{id}', '-', '')))");
    must(&[
        format!("UPDATE parts SET v = 71 WHERE order_id_int = {}", of(&ids[7])),
        format!("UPDATE parts SET place = 5 WHERE order_id_int = {} AND place = 2", of(&ids[10])),
        format!("INSERT INTO parts (order_id_int, place, v) VALUES ({}, 3, 3)", of(&ids[11])),
        format!("DELETE FROM details WHERE id_int = {}", of(&ids[12])),
        format!("UPDATE orders SET root_int = {} WHERE id = '{}'", of(&ids[14]), ids[13]),
        format!("DELETE FROM parts WHERE order_id_int = {} AND place = 1", of(&ids[15])),
    ]);
    client.must(&files[rename + 1]);
    client.must(&format!("undo/{}", files[rename]));
    client.must(&files[verify]);
    must(&[format!("UPDATE parts SET v = 72 WHERE order_id = '{}'", ids[7])]);
    files[rename..].iter().for_each(|file| drop(client.must(file)));
    let wrong = "SELECT COUNT(*) FROM orders AS o LEFT JOIN pairs AS m ON m.id = o.id_int \
                 WHERE NOT (m.uuid <=> UNHEX(REPLACE(o.id, '-', '')))";
    assert_eq!(servers.number(&world.scratch, wrong), 0);
    let width = "SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME LIKE '%_int' \
                 AND DATA_TYPE = 'int'";
    assert_eq!(servers.number(&world.scratch, width), 6);
}

#[test]
fn a_size_does_not_come_from_statistics_that_are_older_than_the_rows() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let World { scratch, .. } = World::new(&servers.server);
        let options = Options::new("orders", Target::Binary16);
        let facts = |url: &str| servers.runtime.block_on(plan(url, &options)).unwrap().facts.concat();
        let rows = vec!["(UUID(), REPEAT('x', 1000))"; 3_000].join(", ");
        let schema = format!(
            "CREATE TABLE orders (id {ID} PRIMARY KEY, v TEXT) STATS_PERSISTENT = 1, STATS_AUTO_RECALC = 0;
             INSERT INTO orders VALUES {rows};
             CREATE USER reader IDENTIFIED BY 'reads'; GRANT ALL ON `{}`.* TO reader",
            scratch.name()
        );
        servers.sql(&scratch, &schema).unwrap();
        let said = facts(scratch.url());
        assert!(said.contains("3000 rows") && said.contains(" MiB") && !said.contains(" 0.0 MiB"), "{said}");
        assert!(said.contains("a binary log of rows gets less than that"), "{said}");
        let [user, password, ..] = address(scratch.url());
        let reader = scratch.url().replacen(&format!("{user}:{password}@"), "reader:reads@", 1);
        let said = facts(&reader);
        assert!(said.contains("statistics do not show") && !said.contains("MiB"), "{said}");
    }
}

#[test]
fn formats_of_rows_and_the_order_of_columns_stay() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let schema = format!(
            "SET GLOBAL innodb_default_row_format = compact; CREATE TABLE orders (id {ID} PRIMARY KEY, n INT);
             CREATE TABLE lines_ (id INT PRIMARY KEY, order_id {ID}, FOREIGN KEY (order_id) REFERENCES orders (id)) ROW_FORMAT = REDUNDANT;
             SET GLOBAL innodb_default_row_format = dynamic; INSERT INTO orders VALUES (UUID(), 1)"
        );
        let world = servers.without_plan(&schema);
        servers.plan(&world, &Options { keep_text: true, ..Options::new("orders", Target::Binary16) });
        world.all();
        let kept = "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND \
                    (TABLE_NAME, ROW_FORMAT) IN (('orders', 'Compact'), ('lines_', 'Redundant'))";
        assert_eq!(servers.number(&world.scratch, kept), 2, "{database}");
        // The texts are there for those who name them.
        let insert = "INSERT INTO orders VALUES (UNHEX(REPLACE(UUID(), '-', '')), 2)";
        assert_eq!(servers.sql(&world.scratch, insert), Ok(1), "{database}");
        let texts = "SELECT COUNT(*) FROM orders WHERE id_text RLIKE '^[0-9a-f-]{36}$'";
        assert_eq!(servers.number(&world.scratch, texts), 2, "{database}");
    }
}

#[test]
fn what_the_copy_cannot_follow_is_found_before_it() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let schema = |more: &str| format!("CREATE TABLE orders (id {ID} PRIMARY KEY, n INT); {more}");
        let tags = format!(
            "CREATE TABLE tags (k VARCHAR(20), order_id {ID}, PRIMARY KEY (k(3), order_id), FOREIGN KEY (order_id) REFERENCES orders (id))"
        );
        let world = servers.without_plan(&schema(&tags));
        let said = servers.plan_error(&world, &Options::new("orders", Target::Binary16));
        assert!(said.contains("the primary key of the table tags holds only the first"), "{said}");
        let days = format!(
            "CREATE TABLE days (d DATE, order_id {ID}, PRIMARY KEY (d, order_id), FOREIGN KEY (order_id) REFERENCES orders (id));
             INSERT INTO orders VALUES (UUID(), 1); SET sql_mode = 'ALLOW_INVALID_DATES'; INSERT INTO days SELECT '0000-00-00', id FROM orders;
             INSERT INTO days SELECT '2024-02-31', id FROM orders"
        );
        let said = servers.world_of(&schema(&days), "orders").client.execute("01-check.sql").unwrap_err();
        assert!(
            said.contains("2024-02-31") && !said.contains("0000-00-00") && said.contains("are in no month"),
            "{said}"
        );
        for charset in ["ucs2", "utf16", "utf32"] {
            let wide = format!(
                "CREATE TABLE orders (id VARCHAR(36) CHARACTER SET {charset} PRIMARY KEY); INSERT INTO orders VALUES (UUID())"
            );
            let said =
                servers.plan_error(&servers.without_plan(&wide), &Options::new("orders", Target::Binary16));
            assert!(said.contains(&format!("orders.id is in the character set {charset}")), "{said}");
        }
    }
}
