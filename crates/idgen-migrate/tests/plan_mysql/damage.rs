//! Damaged data is found before anything is changed, and what the plan cannot do is refused with the reason.

use idgen_migrate::plan::{Options, Target, Tool, plan};
use idgen_mysql::Index;
use idgen_server::Database;

use crate::integers::{map, map_for};
use crate::ledger::world::{Servers, World};
use crate::shop::{SCHEMA, TABLES, fill};

/// A damage that comes after the plan was made, and what the check says.
const DAMAGES: [(&str, &str); 12] = [
    ("INSERT INTO customers (id, name) VALUES ('no id', 'x')", "no ids"),
    ("UPDATE customers SET id = UPPER(id) LIMIT 1", "spelled otherwise"),
    ("INSERT INTO customers (id, name) SELECT UPPER(id), name FROM customers LIMIT 1", "spelled otherwise"),
    ("UPDATE customers SET id = LEFT(id, 35) LIMIT 1", "no ids"),
    (
        "SET foreign_key_checks = 0; INSERT INTO orders (id, customer_id, busy) VALUES (UUID(), UUID(), 1)",
        "no parent",
    ),
    ("SET foreign_key_checks = 0; UPDATE items SET parent = UUID() LIMIT 1", "no parent"),
    (
        "CREATE TRIGGER other BEFORE INSERT ON orders FOR EACH ROW SET NEW.busy = 1",
        "is not as it was when the plan was made",
    ),
    ("ALTER TABLE items ADD note INT", "is not as it was when the plan was made"),
    ("ALTER TABLE items ADD INDEX (busy)", "is not as it was when the plan was made"),
    ("ALTER TABLE items ADD CONSTRAINT few CHECK (busy < 100)", "is not as it was when the plan was made"),
    (
        "ALTER TABLE customers MODIFY name VARCHAR(40) COLLATE utf8mb4_bin NOT NULL",
        "is not as it was when the plan was made",
    ),
    (
        "CREATE TABLE late (id INT PRIMARY KEY, o CHAR(36) CHARACTER SET ascii COLLATE ascii_bin, \
         FOREIGN KEY (o) REFERENCES orders (id))",
        "is not as it was when the plan was made",
    ),
];

/// Damages to the map that a plan with integers needs, and the words of the check.
const DAMAGES_OF_THE_MAP: [(&str, &str); 6] = [
    (
        "UPDATE uuid_map_state SET map_id = x'00000000000040008000000000000000'",
        "not the map that the plan was made for",
    ),
    ("DELETE FROM uuid_map_state", "not the map that the plan was made for"),
    (
        "INSERT INTO uuid_map (id, uuid) VALUES (5000000, x'00000000000040008000000000000000')",
        "not below its next id",
    ),
    ("UPDATE uuid_map_state SET next_id = 9223372036854775700", "too few integers left"),
    (
        "INSERT INTO customers (id, name) VALUES ('ffffffff-ffff-ffff-0000-000000000005', 'x')",
        "marks forgotten UUIDs",
    ),
    (
        "SET foreign_key_checks = 0; INSERT INTO orders (id, customer_id, busy) VALUES (UUID(), UUID(), 1)",
        "no parent",
    ),
];

#[test]
fn damage_is_found_before_anything_is_changed() {
    find(Target::Binary16, &DAMAGES);
}

#[test]
fn damage_is_found_before_integers_are_assigned() {
    find(Target::Integer, &[&DAMAGES[..], &DAMAGES_OF_THE_MAP].concat());
}

fn find(target: Target, damages: &[(&str, &str)]) {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::with_runtime(database, crate::workers(1));
        for (damage, message) in crate::sample(database, damages) {
            let world = filled(&servers, target);
            run(&servers, &world, damage);
            let before = servers.number(&world.scratch, OBJECTS);
            let error = world.client.execute("01-check.sql").expect_err(damage);
            assert!(error.contains(message), "{database}: {damage}: {error}");
            assert_eq!(servers.number(&world.scratch, OBJECTS), before);
        }
    }
}

/// A plan for the shop, whose check succeeds.
fn filled(servers: &Servers, target: Target) -> World {
    let world = World::new(&servers.server);
    servers.runtime.block_on(async {
        let rows = fill(world.scratch.url(), 1, 100, target).await;
        map_for(target, world.scratch.url(), Index::Unique, &rows).await;
    });
    servers.plan(&world, &Options::new("orders", target));
    world.must("check");
    world
}

#[test]
fn what_the_type_uuid_does_not_accept_is_found() {
    let servers = Servers::start(Database::MariaDb);
    let world = filled(&servers, Target::Uuid);
    // Version 8, and a byte of the variant that MariaDB takes for that of another layout.
    let odd = "INSERT INTO customers (id, name) VALUES ('01a2b3c4-0000-8000-8000-000000000000', 'x')";
    run(&servers, &world, odd);
    let error = world.client.execute("01-check.sql").unwrap_err();
    assert!(error.contains("MariaDB's type UUID does not accept the values above"), "{error}");
}

/// Schemas that cannot be changed, and why.
const REFUSED: [(&str, &str); 19] = [
    ("CREATE TABLE orders (id INT PRIMARY KEY)", "cannot be changed"),
    ("CREATE TABLE orders (id BINARY(16) PRIMARY KEY)", "already"),
    ("CREATE TABLE orders (id CHAR(36) PRIMARY KEY) ENGINE = MyISAM", "not in InnoDB"),
    (
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY); CREATE TABLE lines_of (id INT PRIMARY KEY, o CHAR(36), \
         FOREIGN KEY (o) REFERENCES orders (id) ON UPDATE SET NULL)",
        "ON UPDATE SET NULL: when a client writes an id of orders in another spelling",
    ),
    (
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, o CHAR(36), FOREIGN KEY (o) REFERENCES orders (id) ON DELETE CASCADE)",
        "ON DELETE CASCADE",
    ),
    (
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, n INT); CREATE TRIGGER t BEFORE INSERT ON orders FOR EACH ROW SET NEW.n = 1",
        "the trigger t",
    ),
    (
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, o CHAR(36)); CREATE TABLE other (id CHAR(36) PRIMARY KEY, o CHAR(36), \
         FOREIGN KEY (o) REFERENCES orders (id)); ALTER TABLE orders ADD FOREIGN KEY (o) REFERENCES other (id)",
        "form a circle",
    ),
    (
        "CREATE TABLE orders (id CHAR(36), n INT UNIQUE); INSERT INTO orders VALUES (UUID(), 1)",
        "primary key of orders cannot",
    ),
    (
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY); CREATE TABLE free (o CHAR(36), UNIQUE (o), FOREIGN KEY (o) REFERENCES orders (id))",
        "free has neither a primary key nor a unique key without NULL",
    ),
    (
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, CONSTRAINT whole CHECK (CHAR_LENGTH(id) = 36))",
        "the check constraint whole of orders reads orders.id",
    ),
    (
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, short CHAR(8) AS (LEFT(id, 8)) VIRTUAL)",
        "the generated column orders.short reads orders.id",
    ),
    (
        "CREATE TABLE orders (`i'd` VARCHAR(36) PRIMARY KEY, g VARCHAR(80) AS (HEX(`i'd`)) VIRTUAL)",
        "the generated column orders.g reads orders.i'd",
    ),
    (
        "CREATE TABLE orders (id VARCHAR(36) PRIMARY KEY, shown VARBINARY(80) DEFAULT (CONCAT('order ', id)))",
        "the default of orders.shown reads orders.id",
    ),
    (
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, KEY begins (id(8)))",
        "index begins of orders holds only the first 8",
    ),
    (
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, FULLTEXT KEY words (id))",
        "index words of orders holds the words of id",
    ),
    (
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, o CHAR(36) NOT NULL DEFAULT 'none', FOREIGN KEY (o) REFERENCES orders (id))",
        "the default of orders.o is 'none', which is no id: drop it first (ALTER TABLE `orders` ALTER COLUMN `o` DROP DEFAULT)",
    ),
    (
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, o CHAR(36), p CHAR(36), UNIQUE (id, o), FOREIGN KEY (o, p) REFERENCES orders (id, o))",
        "and refers to its own table",
    ),
    (
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, o CHAR(36), CONSTRAINT k FOREIGN KEY (o) REFERENCES orders (id)); \
         CREATE TABLE u (n INT PRIMARY KEY, m INT, CONSTRAINT k_plan FOREIGN KEY (m) REFERENCES u (n))",
        "the table u has a foreign key k_plan already",
    ),
    ("CREATE TABLE orders (id CHAR(36) PRIMARY KEY, ID_TEXT INT)", "orders.ID_TEXT is there already"),
];

/// Schemas with properties that only one of the two servers has, and the words of the refusal.
const REFUSED_BY_ONE: [(Database, &str, &str); 7] = [
    (
        Database::MySql,
        "SET restrict_fk_on_non_standard_key = OFF; CREATE TABLE orders (id CHAR(36) PRIMARY KEY, n CHAR(36), KEY (n)); \
         CREATE TABLE items (id INT PRIMARY KEY, n CHAR(36), CONSTRAINT of_n FOREIGN KEY (n) REFERENCES orders (n))",
        "the foreign key of_n of items refers to n, which no unique key of orders consists of",
    ),
    (
        Database::MySql,
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY); ALTER TABLE orders ALTER COLUMN id SET DEFAULT (UUID())",
        "the default of orders.id is an expression that MySQL does not show",
    ),
    (
        Database::MySql,
        "CREATE TABLE orders (id CHAR(36) COLUMN_FORMAT DYNAMIC PRIMARY KEY)",
        "orders.id has COLUMN_FORMAT or STORAGE",
    ),
    (
        Database::MariaDb,
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY); CREATE TABLE prices (id INT PRIMARY KEY, o CHAR(36), first DATE, last DATE, \
         PERIOD FOR valid (first, last), UNIQUE (o, valid WITHOUT OVERLAPS), FOREIGN KEY (o) REFERENCES orders (id))",
        "the table prices has a period",
    ),
    (
        Database::MariaDb,
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY); CREATE TABLE lost (id INT PRIMARY KEY, o CHAR(36), \
         FOREIGN KEY (o) REFERENCES orders (id)); RENAME TABLE lost TO rows_of_orders_that_were_cancelled_before_their_payment_arrived",
        "has a name that the server made and shows in two forms, because it is longer than 64 characters",
    ),
    (
        Database::MariaDb,
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY); CREATE TABLE kept (id INT PRIMARY KEY, o CHAR(36), \
         FOREIGN KEY (o) REFERENCES orders (id)) WITH SYSTEM VERSIONING",
        "the table kept is no base table, but SYSTEM VERSIONED",
    ),
    (
        Database::MariaDb,
        "CREATE TABLE orders (id CHAR(36) PRIMARY KEY) DATA DIRECTORY = '/tmp'",
        "the table orders has a DATA DIRECTORY",
    ),
];

/// One attempt shows all reasons.
const REFUSED_AT_ONCE: &str = "CREATE TABLE orders (id CHAR(36) PRIMARY KEY, CHECK (id <> ''), short CHAR(8) AS (LEFT(id, 8)) VIRTUAL);
    CREATE TABLE free (o CHAR(36), FOREIGN KEY (o) REFERENCES orders (id)); CREATE TRIGGER t BEFORE INSERT ON free FOR EACH ROW SET NEW.o = NULL";

#[test]
fn what_cannot_be_planned_is_refused_with_the_reason() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let with_texts = Options { keep_text: true, ..Options::new("orders", Target::Binary16) };
        let of_one = REFUSED_BY_ONE.iter().filter(|(one, ..)| *one == database);
        for (sql, reason) in REFUSED.into_iter().chain(of_one.map(|&(_, sql, reason)| (sql, reason))) {
            let world = World::new(&servers.server);
            run(&servers, &world, sql);
            let made = servers.runtime.block_on(plan(world.scratch.url(), &with_texts));
            let error = made.expect_err(sql).to_string();
            assert!(error.contains(reason), "{database}: {sql}: {error}");
        }
        let world = World::new(&servers.server);
        run(&servers, &world, REFUSED_AT_ONCE);
        let error = servers.plan_error(&world, &Options::new("orders", Target::Binary16));
        let lines: Vec<_> = error.lines().collect();
        assert_eq!(lines[0], "the keys cannot be changed yet:");
        for part in
            ["the table free has neither", "the trigger t", "the generated column", "the check constraint"]
        {
            let of = lines.iter().filter(|line| line.starts_with("- ") && line.contains(part));
            assert_eq!(of.count(), 1, "{part} in {lines:?}");
        }
        assert_eq!(lines.len(), 5, "{lines:?}");

        let world = servers.without_plan(SCHEMA);
        for sql in [
            "CREATE VIEW shown AS SELECT id FROM orders; CREATE VIEW other AS SELECT 'reorders' AS one",
            "CREATE PROCEDURE p() SELECT COUNT(*) FROM Items",
            "CREATE TABLE audit (id INT PRIMARY KEY, entity_id CHAR(36))",
        ] {
            run(&servers, &world, sql);
        }
        let made = servers.plan(&world, &Options::new(TABLES[0], Target::Binary16));
        assert_eq!(made.tables, ["customers", "orders", "items"]);
        assert!(made.notes.iter().any(|note| note.ends_with(": audit.entity_id.")), "{:?}", made.notes);
        let programs = ": procedure p, view shown.";
        assert!(made.notes.iter().any(|note| note.ends_with(programs)), "{:?}", made.notes);
        let error = servers.plan_error(&world, &Options::new("none", Target::Binary16));
        assert!(error.contains("no table \"none\""), "{error}");
    }
}

#[test]
fn integers_need_a_map_and_names() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let world = servers.without_plan(SCHEMA);
        let refused = |options: &Options| servers.plan_error(&world, options);
        let options = Options::new("orders", Target::Integer);
        let error = refused(&options);
        assert!(
            error.contains("none with the name \"uuid_map\"") && error.contains("idgen map install"),
            "{error}"
        );
        servers.runtime.block_on(map(world.scratch.url(), Index::Unique, &[]));
        let made = servers.plan(&world, &options);
        let columns = "orders.customer_id_int, orders.id_int";
        assert!(made.notes.iter().any(|note| note.contains(columns)), "{:?}", made.notes);
        let unprepared = [
            (Options { map: "other".to_owned(), ..options.clone() }, "none with the name \"other\""),
            (Options { keep_text: true, ..options.clone() }, "--keep-text is not needed with --to integer"),
            (Options { tool: Some(Tool::GhOst), ..options.clone() }, "takes no integers from a map"),
        ];
        for (options, reason) in unprepared {
            let error = refused(&options);
            assert!(error.contains(reason), "{error}");
        }
        for (change, reason) in [
            ("UPDATE uuid_map_state SET version = 3", "has version 3"),
            (
                "UPDATE uuid_map_state SET version = 2; ALTER TABLE orders ADD customer_id_int INT",
                "orders.customer_id_int is there already",
            ),
            ("DELETE FROM uuid_map_state", "uuid_map_state has no row"),
        ] {
            run(&servers, &world, change);
            let error = refused(&options);
            assert!(error.contains(reason), "{change}: {error}");
        }
    }
}

fn run(servers: &Servers, world: &World, sql: &str) {
    servers.sql(&world.scratch, &format!("SET foreign_key_checks = 0; {sql}")).unwrap();
}

const OBJECTS: &str = "(SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()) \
    + (SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE())";
