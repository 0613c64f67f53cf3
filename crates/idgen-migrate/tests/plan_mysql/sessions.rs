//! Servers on which each new session begins with unusual settings: the plan sees all tables, and its files do what they say.

use idgen_migrate::plan::{Options, Target, plan};
use idgen_server::{Database, Server};
use sqlx::Connection;
use sqlx::mysql::MySqlConnection;

use crate::cascades::cascades_in_innodb;
use crate::client::Client;
use crate::shop::{Acknowledged, execute, fill};
use crate::whole::{left, named};

/// Settings that MySQL and MariaDB have.
const ODD: &str = "SET GLOBAL autocommit = 0; SET GLOBAL completion_type = 'CHAIN'; SET GLOBAL foreign_key_checks = 0; \
    SET GLOBAL unique_checks = 0; SET GLOBAL sql_safe_updates = 1; SET GLOBAL sql_select_limit = 2; SET GLOBAL sql_big_selects = 0; \
    SET GLOBAL max_join_size = 3; SET GLOBAL sql_auto_is_null = 1; SET GLOBAL time_zone = '+05:00'; \
    SET GLOBAL group_concat_max_len = 4; SET GLOBAL character_set_connection = 'latin1'; SET GLOBAL character_set_client = 'latin1'; \
    SET GLOBAL TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY;";

fn odd(database: Database) -> String {
    let more = match database {
        Database::MySql => {
            "SET GLOBAL max_execution_time = 1; SET GLOBAL sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES,HIGH_NOT_PRECEDENCE,PAD_CHAR_TO_FULL_LENGTH';"
        }
        _ => {
            "SET GLOBAL max_statement_time = 0.05; SET GLOBAL check_constraint_checks = 0; SET GLOBAL sql_mode = 'ORACLE';"
        }
    };
    format!("{ODD}{more}")
}

#[test]
fn the_settings_of_a_server_change_nothing() {
    for (database, to) in [(Database::MySql, Target::Binary16), (Database::MariaDb, Target::Uuid)] {
        let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
        let scratch = server.scratch().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let runtime = crate::runtime();
        let client = Client::new(&server, scratch.name(), folder.path());
        let (mut own, expected) = runtime.block_on(async {
            let rows = fill(scratch.url(), 1, 400, to).await;
            let mut own = MySqlConnection::connect(scratch.url()).await.unwrap();
            // A name in UTF-8.
            execute(&mut own, "ALTER TABLE customers ADD größe INT NOT NULL DEFAULT 7").await.unwrap();
            execute(&mut own, &odd(database)).await.unwrap();
            let made = plan(scratch.url(), &Options::new("orders", to)).await.unwrap();
            assert_eq!(made.tables, ["customers", "orders", "items"], "{database}");
            made.write(folder.path()).unwrap();
            (own, rows.into_iter().next().unwrap())
        });
        let rename = named(&client, "rename");
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
        runtime.block_on(async {
            let reset = "SET GLOBAL autocommit = 1; SET GLOBAL sql_select_limit = 18446744073709551615; SET GLOBAL sql_mode = ''; \
                SET GLOBAL TRANSACTION READ WRITE; SET GLOBAL sql_big_selects = 1; SET GLOBAL max_statement_time = 0";
            let reset = if database == Database::MySql { reset.replace("max_statement_time", "max_execution_time") } else { reset.to_owned() };
            execute(&mut own, &reset).await.unwrap();
            let found = Acknowledged::read(scratch.url(), "", to).await;
            expected.assert_equal(&found, "after the last step");
            assert_eq!(left(scratch.url()).await, Vec::<String>::new());
            // The foreign keys and the column are there.
            let child = "INSERT INTO items (id, order_id, busy) VALUES (x'0102030405060708090a0b0c0d0e0f10', x'ffff030405060708090a0b0c0d0e0f10', 1)";
            assert_eq!(execute(&mut own, child).await, Err(1452));
            assert!(execute(&mut own, "UPDATE customers SET größe = 8").await.is_ok_and(|rows| rows > 0));
        });
    }
}
