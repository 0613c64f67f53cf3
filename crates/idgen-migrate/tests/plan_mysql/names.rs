//! Tables whose names look like those of others, or have other characters than letters, digits and `_`.

use idgen_migrate::plan::{Options, Target};
use idgen_server::Database;

use crate::ledger::world::{Servers, World};

const ID: &str = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL";

/// The table of the plan, tables that look like it, and a child of it.
const TABLES: [(&str, &[&str], Option<&str>); 5] = [
    ("a_b", &["axb", "A_b", "a_b_new"], None),
    ("注文", &["注語", "文"], None),
    ("x$-y", &["x$.y"], None),
    ("cafe", &["caff"], Some("café")),
    ("P", &[], Some("p")),
];

#[test]
fn tables_whose_names_look_alike_are_others() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        for (table, others, child) in crate::sample(database, TABLES) {
            let world = World::new(&servers.server);
            // `_` is any character in a pattern.
            let neighbor = world.scratch.name().replacen('_', "x", 1);
            assert_ne!(neighbor, world.scratch.name());
            let mut own = servers.connect(&world.scratch);
            let mut sql = |sql: &str| {
                servers.on(&mut own, sql).unwrap_or_else(|code| panic!("{database}: {sql}: {code}"))
            };
            sql(&format!(
                "CREATE TABLE `{table}` (id {ID} PRIMARY KEY, n INT); INSERT INTO `{table}` VALUES (UUID(), 1), (UUID(), 2); \
                 CREATE DATABASE `{neighbor}`; CREATE TABLE `{neighbor}`.`{table}` (k INT)"
            ));
            others.iter().for_each(|other| _ = sql(&format!("CREATE TABLE `{other}` (k INT)")));
            if let Some(child) = child {
                sql(&format!(
                    "CREATE TABLE `{child}` (id {ID} PRIMARY KEY, r {ID}, FOREIGN KEY (r) REFERENCES `{table}` (id) ON DELETE CASCADE); \
                     INSERT INTO `{child}` SELECT UUID(), id FROM `{table}`"
                ));
            }
            servers.plan(&world, &Options::new(table, Target::Binary16));
            for file in world.client.files("") {
                // Changes of another table do not matter to the plan.
                sql(&format!("TRUNCATE `{neighbor}`.`{table}`"));
                others.iter().for_each(|other| _ = sql(&format!("TRUNCATE `{other}`")));
                if file.ends_with("-verify.sql") {
                    let id = "'0000000a-0000-4000-8000-000000000000'";
                    sql(&format!("INSERT INTO `{table}` VALUES ({id}, 3)"));
                    child
                        .iter()
                        .for_each(|child| _ = sql(&format!("INSERT INTO `{child}` VALUES ({id}, {id})")));
                }
                world.client.must(&file);
            }
            for table in std::iter::once(table).chain(child) {
                let counted = format!("DELETE FROM `{table}` WHERE LENGTH(id) = 16");
                if child.is_none_or(|child| child == table) {
                    assert_eq!(sql(&counted), 3, "{database}: {table}");
                }
            }
            sql(&format!("DROP DATABASE `{neighbor}`"));
        }
    }
}

/// A table that is emptied or rebuilt is another one, whatever its name is and wherever it is stored. MySQL does not show the number of
/// such a name in a tablespace of several tables, so it is refused there.
#[test]
fn a_table_with_an_odd_name_that_was_emptied_is_noticed() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        for (table, own_tablespace) in [("注 文", "ON"), ("plain", "OFF"), ("注 文", "OFF")] {
            let schema = format!(
                "SET GLOBAL innodb_file_per_table = {own_tablespace}; CREATE TABLE `{table}` (id {ID} PRIMARY KEY); \
                 INSERT INTO `{table}` VALUES (UUID())"
            );
            let world = servers.world_of(&schema, table);
            let (client, sql) = (&world.client, |sql: &str| servers.sql(&world.scratch, sql).unwrap());
            if database == Database::MySql && (table, own_tablespace) == ("注 文", "OFF") {
                let said = client.execute("01-check.sql").unwrap_err();
                assert!(said.contains("shares its tablespace"), "{said}");
                continue;
            }
            for file in client.files("") {
                if file.ends_with("-new-tables.sql") && (database, table) == (Database::MySql, "注 文") {
                    // The new table would be made where MySQL hides its number, and nobody would notice that it was emptied.
                    sql("SET GLOBAL innodb_file_per_table = OFF");
                    let said = client.execute(&file).unwrap_err();
                    assert!(said.contains("_new shares its tablespace") && said.contains("= ON"), "{said}");
                    sql("SET GLOBAL innodb_file_per_table = ON");
                }
                if file.ends_with("-rename.sql") {
                    sql(&format!("TRUNCATE `{table}`"));
                    let said = client.execute(&file).unwrap_err();
                    assert!(said.contains("or rebuilt since"), "{database}: {said}");
                    break;
                }
                client.must(&file);
            }
        }
    }
}
