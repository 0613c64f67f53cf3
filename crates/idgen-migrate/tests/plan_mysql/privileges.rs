//! A plan names what uses its tables in other schemas, and the parts of the catalog that its account may not see.

use idgen_migrate::plan::{Options, Plan, Target, plan};
use idgen_server::{Database, Scratch, Server};
use sqlx::Connection;
use sqlx::mysql::MySqlConnection;

use crate::cascades::cascades_in_innodb;
use crate::client::{Client, address};
use crate::shop::execute;

const ID: &str = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL";

fn run(url: &str, sql: &str) {
    crate::runtime().block_on(async {
        let mut own = MySqlConnection::connect(url).await.unwrap();
        execute(&mut own, sql).await.unwrap();
    });
}

fn planned(url: &str, table: &str, to: Target) -> Result<Plan, String> {
    crate::runtime().block_on(plan(url, &Options::new(table, to))).map_err(|error| error.to_string())
}

/// The URL of an account with these grants, in which `{schema}` is the scratch schema.
fn account(scratch: &Scratch, user: &str, grants: &str) -> String {
    let grants = grants.replace("{schema}", scratch.name()).replace("{user}", user);
    let sql = format!(
        "DROP USER IF EXISTS {user}; CREATE USER {user} IDENTIFIED BY 'reads'; GRANT USAGE ON *.* TO {user}; {grants}"
    );
    run(scratch.url(), &sql);
    let [root, password, ..] = address(scratch.url());
    scratch.url().replacen(&format!("{root}:{password}@"), &format!("{user}:reads@"), 1)
}

/// Returns the README of a plan, its first file.
fn said(made: &Plan) -> String {
    made.files().swap_remove(0).1
}

fn programs(schema: &str) -> String {
    format!(
        "CREATE TABLE `odd-orders` (id {ID} PRIMARY KEY, n INT); CREATE TABLE other (id INT PRIMARY KEY);
         CREATE VIEW v AS SELECT id FROM `odd-orders`; CREATE TRIGGER tr AFTER INSERT ON other FOR EACH ROW UPDATE `odd-orders` SET n = 1;
         CREATE PROCEDURE pr() SELECT n FROM `odd-orders`;
         CREATE FUNCTION fu() RETURNS INT READS SQL DATA RETURN (SELECT COUNT(*) FROM `odd-orders`);
         CREATE EVENT ev ON SCHEDULE EVERY 1 DAY DO UPDATE {schema}.`odd-orders` SET n = 2;
         INSERT INTO `odd-orders` VALUES (UUID(), 1)"
    )
}

#[test]
fn programs_of_other_schemas_are_named() {
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
        let (scratch, rep) = (server.scratch().unwrap(), server.scratch().unwrap());
        let (shop, other) = (scratch.name(), rep.name());
        run(scratch.url(), &format!("SET GLOBAL log_bin_trust_function_creators = 1; {}", programs(shop)));
        run(
            rep.url(),
            &format!(
                "CREATE TABLE paid (oid CHAR(36)); CREATE TABLE `odd-orders` (id INT PRIMARY KEY);
                 CREATE VIEW mine AS SELECT o.id, o.n FROM {shop}.`odd-orders` AS o; CREATE VIEW own AS SELECT * FROM `odd-orders`;
                 CREATE TRIGGER tr AFTER INSERT ON paid FOR EACH ROW UPDATE {shop}.`odd-orders` SET n = 100 WHERE id = NEW.oid;
                 CREATE PROCEDURE pr() DELETE FROM {shop}.`odd-orders`;
                 CREATE EVENT ev ON SCHEDULE EVERY 1 DAY DO UPDATE {shop}.`odd-orders` SET n = 2"
            ),
        );
        let made = planned(scratch.url(), "odd-orders", Target::Binary16).unwrap();
        let readme = said(&made);
        let named = format!(
            "from the renaming on; check that they can: event ev, function fu, procedure pr, trigger tr, view v, event {other}.ev, \
             procedure {other}.pr, trigger {other}.tr, view {other}.mine."
        );
        assert!(readme.contains(&named), "{database}: {readme}");
        let searched = "Only the columns of this schema were searched for ids of the tables of the plan.";
        let unread = made.unread.concat();
        assert!(unread.contains(searched) && readme.contains(searched), "{database}: {unread}");
        assert!(!unread.contains("lacks"), "{database}: {unread}");
    }
}

/// The grants with which an account sees everything, beside `PROCESS`.
fn all(database: Database) -> &'static str {
    match database {
        Database::MySql => {
            "GRANT SELECT, SHOW VIEW, EVENT, TRIGGER ON *.* TO {user}; GRANT SHOW_ROUTINE ON *.* TO {user}"
        }
        _ => "GRANT SELECT, SHOW VIEW, EVENT, TRIGGER ON *.* TO {user}",
    }
}

#[test]
fn what_an_account_may_not_see_is_said() {
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
        let scratch = server.scratch().unwrap();
        run(
            scratch.url(),
            &format!("SET GLOBAL log_bin_trust_function_creators = 1; {}", programs(scratch.name())),
        );
        let routines = if database == Database::MySql { "SHOW_ROUTINE" } else { "SELECT on mysql.proc" };
        let of = |user: &str, grants: &str| {
            let made = planned(&account(&scratch, user, grants), "odd-orders", Target::Binary16).unwrap();
            let (readme, json) = (said(&made), serde_json::to_string(&made).unwrap());
            for unread in &made.unread {
                assert!(readme.contains(unread) && made.to_string().contains(unread), "{database}: {readme}");
                assert!(json.contains(&serde_json::to_string(unread).unwrap()), "{database}: {json}");
            }
            made
        };
        let lacks = |made: &Plan| -> Vec<String> {
            made.unread
                .iter()
                .filter(|one| one.contains(" lacks ") && !one.contains("statistics"))
                .cloned()
                .collect()
        };
        let reader = of("reads_only", "GRANT SELECT ON {schema}.* TO {user}");
        let here = format!(
            "Not read: the view v, the routines, the events and the triggers of the schema {}: the account that made this plan lacks \
             SHOW VIEW, {routines}, EVENT and TRIGGER.",
            scratch.name()
        );
        assert!(lacks(&reader)[0].starts_with(&here), "{database}: {:?}", reader.unread);
        let elsewhere = "Not read: schemas that the account that made this plan does not see";
        assert!(
            reader.unread.iter().any(|one| one.starts_with(elsewhere)),
            "{database}: {:?}",
            reader.unread
        );
        assert!(!said(&reader).contains("These name the tables"), "{database}");

        // The texts of routines that somebody else made are hidden from the owner of a schema, too.
        let owner = of("owns", "GRANT ALL ON {schema}.* TO {user}");
        let here = "Not read: the function fu and the procedure pr of the schema";
        assert!(lacks(&owner)[0].starts_with(here), "{database}: {:?}", owner.unread);
        assert!(said(&owner).contains("check that they can: event ev, trigger tr, view v."), "{database}");

        let complete = of("reads_all", all(database));
        assert_eq!(lacks(&complete), Vec::<String>::new(), "{database}");
        let named = "check that they can: event ev, function fu, procedure pr, trigger tr, view v.";
        assert!(said(&complete).contains(named), "{database}: {}", said(&complete));

        // Privileges by a role that is active.
        let role = "DROP ROLE IF EXISTS of_readers; CREATE ROLE of_readers; \
                    GRANT SELECT, SHOW VIEW, EVENT, TRIGGER, EXECUTE ON {schema}.* TO of_readers; GRANT of_readers TO {user}; ";
        let active = match database {
            Database::MySql => "SET DEFAULT ROLE of_readers TO {user}",
            _ => "SET DEFAULT ROLE of_readers FOR {user}",
        };
        let by_role = of("by_role", &format!("{role}{active}"));
        assert!(lacks(&by_role)[0].starts_with(here), "{database}: {:?}", by_role.unread);

        let from_now = planned(
            &account(&scratch, "reads_only", "GRANT SELECT ON {schema}.* TO {user}"),
            "odd-orders",
            Target::V7FromNow,
        );
        assert!(
            from_now.unwrap().unread.concat().starts_with("Not read: the triggers of the table"),
            "{database}"
        );
        run(
            scratch.url(),
            "DROP USER reads_only, owns, reads_all, by_role; DROP ROLE of_readers; DROP FUNCTION fu; DROP PROCEDURE pr",
        );
    }
}

/// MariaDB hides the rules of foreign keys, and of which table a check constraint is, from an account that has only `SELECT`.
#[test]
fn a_foreign_key_is_not_lost_to_an_account_that_only_reads() {
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
        let scratch = server.scratch().unwrap();
        run(
            scratch.url(),
            &format!(
                "CREATE TABLE customers (id {ID} PRIMARY KEY); CREATE TABLE orders (id {ID} PRIMARY KEY, customer_id {ID},
                 CONSTRAINT fk FOREIGN KEY (customer_id) REFERENCES customers (id) ON DELETE CASCADE);
                 CREATE TABLE alone (id {ID} PRIMARY KEY, n INT, CONSTRAINT few CHECK (n < 9));
                 INSERT INTO customers VALUES (UUID()); INSERT INTO orders SELECT UUID(), id FROM customers; INSERT INTO alone VALUES (UUID(), 1)"
            ),
        );
        let reader = account(&scratch, "of_keys", "GRANT SELECT ON {schema}.* TO {user}");
        for to in [Target::Binary16, Target::V7FromNow] {
            match (database, planned(&reader, "orders", to)) {
                (Database::MySql, made) => assert!(made.unwrap().tables.contains(&"orders".to_owned())),
                (_, refused) => {
                    let error = refused.unwrap_err();
                    let why = format!("GRANT SHOW VIEW ON `{}`.*", scratch.name());
                    assert!(error.contains("the foreign key fk of orders are hidden"), "{error}");
                    assert!(error.contains(&why), "{error}");
                }
            }
            match (database, planned(&reader, "alone", to)) {
                (Database::MySql, made) => assert_eq!(made.unwrap().tables, ["alone"]),
                (_, refused) => {
                    assert!(refused.unwrap_err().contains("the constraints of alone are hidden"))
                }
            }
        }
        // With the grant of the message, the files are those that a server executes.
        let grants = "GRANT SELECT, SHOW VIEW, TRIGGER ON {schema}.* TO {user}";
        for (table, tables) in [("orders", &["customers", "orders"][..]), ("alone", &["alone"])] {
            let made = planned(&account(&scratch, "of_keys", grants), table, Target::Binary16).unwrap();
            assert_eq!(made.tables, tables, "{database}");
            let folder = tempfile::tempdir().unwrap();
            let client = Client::new(&server, scratch.name(), folder.path());
            made.write(folder.path()).unwrap();
            client.must(&client.files("")[0]);
        }
        run(scratch.url(), "DROP USER of_keys");
    }
}

/// A file executes with all active roles, and the triggers that it makes only with default roles (MySQL) or none (MariaDB). Each change of a client would
/// fail.
#[test]
fn rights_by_a_role_that_triggers_do_not_have_are_refused() {
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
        let scratch = server.scratch().unwrap();
        let is_mysql = database == Database::MySql;
        run(
            scratch.url(),
            "CREATE TABLE orders (id INT PRIMARY KEY, n INT); INSERT INTO orders VALUES (1, 1)",
        );
        let folder = tempfile::tempdir().unwrap();
        let options = Options::new("orders", Target::Bigint);
        crate::runtime().block_on(plan(scratch.url(), &options)).unwrap().write(folder.path()).unwrap();
        let active = match is_mysql {
            true => "SET GLOBAL activate_all_roles_on_login = ON",
            false => "SET DEFAULT ROLE of_operators FOR {user}",
        };
        account(
            &scratch,
            "operates",
            &format!(
                "DROP ROLE IF EXISTS of_operators; CREATE ROLE of_operators; GRANT ALL ON *.* TO of_operators; GRANT of_operators TO {{user}}; {active}"
            ),
        );
        let client = Client::new(&server, scratch.name(), folder.path()).of("operates", "reads");
        let files = client.files("");
        let refused = |file: &str| {
            let said = client.execute(file).unwrap_err();
            let why =
                if is_mysql { "ALTER USER … DEFAULT ROLE ALL" } else { "triggers execute without roles" };
            assert!(said.contains(why) && said.contains("TRIGGER"), "{database}: {said}");
        };
        refused(&files[0]);
        if is_mysql {
            // The session of a later file may have another role than that of the first one.
            run(scratch.url(), "GRANT ALL ON *.* TO operates");
            client.must(&files[0]);
            client.must(&files[1]);
            run(scratch.url(), "REVOKE ALL ON *.* FROM operates");
            refused(&files[2]);
            run(scratch.url(), "ALTER USER operates DEFAULT ROLE ALL");
            client.must(&files[2]);
            run(scratch.url(), "UPDATE orders SET n = 2; SET GLOBAL activate_all_roles_on_login = OFF");
            run(scratch.url(), "UPDATE orders SET n = 3");
        } else {
            run(scratch.url(), "UPDATE orders SET n = 2");
        }
        run(scratch.url(), "DROP ROLE of_operators; DROP USER operates");
    }
}
