//! Servers on which each new session begins with unusual settings: the plan sees all tables, and its files do what they say.

use idgen_migrate::plan::{Options, Target};
use idgen_server::Database;

use crate::ledger::world::{Servers, World};
use crate::shop::{Acknowledged, fill};

/// Settings that MySQL and MariaDB have.
const ODD: &str = "SET GLOBAL autocommit = 0; SET GLOBAL completion_type = 'CHAIN'; SET GLOBAL foreign_key_checks = 0; \
    SET GLOBAL unique_checks = 0; SET GLOBAL sql_safe_updates = 1; SET GLOBAL sql_select_limit = 2; SET GLOBAL sql_big_selects = 0; \
    SET GLOBAL max_join_size = 3; SET GLOBAL sql_auto_is_null = 1; SET GLOBAL time_zone = '+05:00'; \
    SET GLOBAL group_concat_max_len = 4; SET GLOBAL character_set_connection = 'latin1'; SET GLOBAL character_set_client = 'latin1'; \
    SET GLOBAL TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY;";

fn odd(database: Database) -> String {
    let more = match database {
        Database::MySql => {
            "SET GLOBAL max_execution_time = 1; SET GLOBAL sql_require_primary_key = 1; \
             SET GLOBAL show_gipk_in_create_table_and_information_schema = 0; SET GLOBAL sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES,HIGH_NOT_PRECEDENCE,PAD_CHAR_TO_FULL_LENGTH';"
        }
        _ => {
            "SET GLOBAL max_statement_time = 0.05; SET GLOBAL check_constraint_checks = 0; SET GLOBAL default_regex_flags = 'EXTENDED,MULTILINE'; \
             SET GLOBAL sql_mode = 'ORACLE';"
        }
    };
    format!("{ODD}{more}")
}

#[test]
fn the_settings_of_a_server_change_nothing() {
    for (database, to) in [(Database::MySql, Target::Binary16), (Database::MariaDb, Target::Uuid)] {
        let servers = Servers::start(database);
        let world = World::new(&servers.server);
        let rows = servers.runtime.block_on(fill(world.scratch.url(), 1, 400, to));
        let expected = rows.into_iter().next().unwrap();
        let mut own = servers.connect(&world.scratch);
        // A name in UTF-8.
        servers.on(&mut own, "ALTER TABLE customers ADD größe INT NOT NULL DEFAULT 7").unwrap();
        servers.on(&mut own, &odd(database)).unwrap();
        let made = servers.plan(&world, &Options::new("orders", to));
        assert_eq!(made.tables, ["customers", "orders", "items"], "{database}");
        let (client, rename) = (&world.client, world.file("rename"));
        let files = client.files("");
        let before: Vec<_> = files.iter().filter(|file| **file < rename).collect();
        before.iter().for_each(|file| drop(client.must(file)));
        let undo = client.files("undo");
        undo.iter()
            .rev()
            .filter(|file| **file < rename)
            .for_each(|file| drop(client.must(&format!("undo/{file}"))));
        before.iter().for_each(|file| drop(client.must(file)));
        client.must(&rename);
        client.must(&format!("undo/{rename}"));
        files.iter().filter(|file| **file >= rename).for_each(|file| drop(client.must(file)));
        let reset = "SET GLOBAL autocommit = 1; SET GLOBAL sql_select_limit = 18446744073709551615; SET GLOBAL sql_mode = ''; \
            SET GLOBAL TRANSACTION READ WRITE; SET GLOBAL sql_big_selects = 1; SET GLOBAL max_statement_time = 0";
        let reset = if database == Database::MySql {
            reset.replace("max_statement_time", "max_execution_time")
        } else {
            reset.to_owned()
        };
        servers.on(&mut own, &reset).unwrap();
        let found = servers.runtime.block_on(Acknowledged::read(world.scratch.url(), "", to));
        expected.assert_equal(&found, "after the last step");
        servers.assert_nothing_left(&world);
        // The foreign keys and the column are there.
        let child = "INSERT INTO items (id, order_id, busy) VALUES (x'0102030405060708090a0b0c0d0e0f10', x'ffff030405060708090a0b0c0d0e0f10', 1)";
        assert_eq!(servers.on(&mut own, child), Err(1452));
        assert!(servers.on(&mut own, "UPDATE customers SET größe = 8").is_ok_and(|rows| rows > 0));
    }
}

const ID: &str = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL";

/// The copy would number the rows again: a key that is the table's own is not changed, and that of a child stays as it is.
#[test]
fn a_primary_key_that_the_server_hides_is_found() {
    let servers = Servers::start(Database::MySql);
    let schema = format!(
        "SET SESSION sql_generate_invisible_primary_key = 1; CREATE TABLE orders (id {ID}, n INT); ALTER TABLE orders ADD UNIQUE KEY u (id); \
         INSERT INTO orders (id) VALUES (UUID()), (UUID()), (UUID()); CREATE TABLE customers (id {ID} PRIMARY KEY); \
         INSERT INTO customers VALUES (UUID()), (UUID()); CREATE TABLE notes (customer_id {ID}, n INT NOT NULL); \
         ALTER TABLE notes ADD UNIQUE KEY u (customer_id, n), ADD FOREIGN KEY (customer_id) REFERENCES customers (id); \
         INSERT INTO notes (my_row_id, customer_id, n) SELECT 10 * n, id, n FROM customers JOIN (SELECT 7 AS n UNION SELECT 5) AS x \
         WHERE id = (SELECT MIN(id) FROM customers); SET GLOBAL show_gipk_in_create_table_and_information_schema = 0"
    );
    let world = servers.without_plan(&schema);
    let error = servers.plan_error(&world, &Options::new("orders", Target::Binary16));
    assert!(error.contains("the primary key of orders cannot be changed"), "{error}");
    servers.plan(&world, &Options::new("customers", Target::Binary16));
    world.all();
    let mut own = servers.connect(&world.scratch);
    servers.on(&mut own, "SET SESSION show_gipk_in_create_table_and_information_schema = 1").unwrap();
    let kept = "UPDATE notes SET n = 100 + n WHERE my_row_id = 10 * n AND OCTET_LENGTH(customer_id) = 16";
    assert_eq!(servers.on(&mut own, kept), Ok(2));
    servers.assert_nothing_left(&world);
}

/// The new table of a table with only a unique key has no primary key either.
#[test]
fn a_server_that_requires_primary_keys_is_refused_before_anything_is_made() {
    let servers = Servers::start(Database::MySql);
    let schema = format!(
        "CREATE TABLE orders (id {ID} PRIMARY KEY); CREATE TABLE `lines` (order_id {ID}, n INT NOT NULL, UNIQUE KEY (order_id, n), \
         FOREIGN KEY (order_id) REFERENCES orders (id)); INSERT INTO orders VALUES (UUID()); SET GLOBAL sql_require_primary_key = 1"
    );
    let said = servers.world_of(&schema, "orders").client.execute("01-check.sql").unwrap_err();
    assert!(said.contains("sql_require_primary_key is ON") && said.contains("lines"), "{said}");
}
