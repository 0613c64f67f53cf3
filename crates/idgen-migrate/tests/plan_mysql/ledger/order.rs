//! Steps that are left out, repeated or failed, lost triggers, two plans and poolers.

use idgen_migrate::plan::{Options, Target};
use idgen_server::Database;

use crate::ledger::world::{Servers, text};

pub fn in_any_order(servers: &Servers) {
    lost_triggers(servers);
    failed_verifications(servers);
    steps_left_out(servers);
    two_plans(servers);
    poolers(servers);
    accounts(servers);
    long_names(servers);
}

/// SIGNAL cuts a message after 128 characters: what the reader needs comes before.
fn long_names(servers: &Servers) {
    let table = "n".repeat(64);
    let schema =
        format!("CREATE TABLE {table} (id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY)");
    let world = servers.world_of(&schema, &table);
    let copy = format!("copy-{table}");
    world.until(&copy);
    servers.sql(&world.scratch, &format!("TRUNCATE TABLE {table}")).unwrap();
    world.refused(&world.file(&copy), "nnnn.sql, then execute it again: ");
}

/// The step that makes the triggers empties the new table, so it is refused once the copy has begun.
fn lost_triggers(servers: &Servers) {
    let world = servers.world();
    let (rename, triggers) = (world.file("rename"), world.file("triggers-p"));
    world.until("rename");
    servers.sql(&world.scratch, &format!("DROP TRIGGER {}", world.client.made("p", "fu"))).unwrap();
    world.refused(&rename, "triggers of the plan on p are missing");
    world.refused(&triggers, "this step is done");
    world.refused(&rename, "triggers of the plan on p are missing");
    world.refused(&world.file("verify"), "undo to undo/");
    world.refused(&world.file("copy-p"), "this step is done");
    world.refused(&format!("undo/{triggers}"), "later steps stand");
    servers.assert_rows(&world, "p", 8, "lost triggers");
    // Rows that clients changed without the trigger are there after another copy.
    servers.sql(&world.scratch, "UPDATE p SET n = 77").unwrap();
    world.back_to("triggers-p");
    world.between("triggers-p", "rename");
    world.must("rename");
    assert_eq!(servers.number(&world.scratch, "SELECT COUNT(*) FROM p WHERE n = 77"), 8);
    // The way back needs the other triggers.
    servers.sql(&world.scratch, &format!("DROP TRIGGER {}", world.client.made("c", "bi"))).unwrap();
    world.refused(&format!("undo/{rename}"), "a table or trigger was dropped");
    world.refused(&world.file("verify-renamed"), "triggers of the plan on c are missing");
    world.refused(&world.file("finish"), "has not succeeded");
    servers.assert_rows(&world, "c", 8, "lost triggers");
}

fn failed_verifications(servers: &Servers) {
    let world = servers.world();
    world.until("verify");
    let new = world.client.made("c", "new");
    servers.sql(&world.scratch, &format!("DELETE FROM {new} LIMIT 3")).unwrap();
    world.refused(&world.file("verify"), "missing or different");
    world.must("triggers-back");
    world.refused(&world.file("rename"), "has not succeeded since the last change");
    world.back_to("copy-c");
    for step in ["copy-c", "own-references", "verify", "triggers-back"] {
        world.must(step);
    }
    // Nobody sees this; the verification after the renaming does.
    servers.sql(&world.scratch, &format!("DELETE FROM {new} LIMIT 3")).unwrap();
    world.must("rename");
    world.refused(&world.file("finish"), "has not succeeded since the renaming");
    world.refused(&world.file("verify-renamed"), "missing or different");
    world.refused(&world.file("finish"), "has not succeeded since the renaming");
    world.client.must(&format!("undo/{}", world.file("rename")));
    servers.assert_rows(&world, "c", 8, "failed verifications");
}

fn steps_left_out(servers: &Servers) {
    let world = servers.world();
    world.refused(&world.file("new-tables"), "the first file is 01-check.sql");
    world.refused(&world.file("finish"), "the first file is 01-check.sql");
    world.until("own-references");
    for step in ["verify", "triggers-back", "rename", "verify-renamed", "finish"] {
        world.refused(&world.file(step), "own-references.sql is not done: execute it first");
    }
    world.refused(&format!("undo/{}", world.file("rename")), "there is nothing to undo here");
    world.must("own-references");
    world.refused(&world.file("rename"), "is not done: execute it first");
    world.must("verify");
    world.must("triggers-back");
    world.must("rename");
    world.refused(&world.file("rename"), "this step is done: go on with");
    world.refused(&world.file("check"), "the tables are renamed");
    world.refused(&world.file("verify"), "the tables are renamed");
    world.must("verify-renamed");
    world.must("finish");
    servers.assert_nothing_left(&world);
    for file in world.client.files("") {
        if file != "01-check.sql" {
            world.refused(&file, "undone or finished");
        }
    }
    world.refused("01-check.sql", "is not as it was when the plan was made");
    servers.assert_rows(&world, "p", 8, "after the last step");
    let own = "SELECT COUNT(*) FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'c' \
               AND REFERENCED_TABLE_NAME = 'c'";
    assert_eq!(servers.number(&world.scratch, own), 1);
}

/// Two plans of one schema whose files are executed in turns share nothing.
fn two_plans(servers: &Servers) {
    let world = servers.world();
    let second = world.another(&servers.server);
    servers.plan(&second, &Options::new("q", Target::Binary16));
    assert_ne!(world.client.id(), second.client.id());
    world.until("triggers-back");
    second.until("rename");
    world.must("triggers-back");
    second.must("rename");
    second.must("verify-renamed");
    servers.sql(&world.scratch, &format!("INSERT INTO p (id) VALUES ('{}')", text(9))).unwrap();
    world.must("rename");
    servers
        .sql(
            &world.scratch,
            "INSERT INTO q VALUES (x'0102030405060708090a0b0c0d0e0f10', 5); DELETE FROM c LIMIT 1",
        )
        .unwrap();
    second.must("finish");
    servers.sql(&world.scratch, "UPDATE p SET n = 3").unwrap();
    world.client.must(&format!("undo/{}", world.file("rename")));
    for (table, rows) in [("p", 9), ("c", 7), ("q", 9)] {
        servers.assert_rows(&world, table, rows, "two plans");
    }
    assert_eq!(servers.number(&world.scratch, "SELECT COUNT(*) FROM p WHERE n = 3"), 9);
}

/// The statements of a file reach more than one session.
fn poolers(servers: &Servers) {
    let world = servers.world();
    let pieces = world.client.statements("01-check.sql");
    let marker = pieces.iter().position(|piece| piece.contains("_session = CONNECTION_ID()$$")).unwrap();
    let others: String =
        std::iter::once("DELIMITER $$\n").chain(pieces[marker + 1..].iter().map(String::as_str)).collect();
    let said = world.client.execute_text(&others).unwrap_err();
    assert!(said.contains("this connection goes through a pooler"), "{said}");
}

/// An account that cannot see the numbers of tables gets an error before anything is made.
fn accounts(servers: &Servers) {
    let world = servers.world();
    let account = format!("u_{}", world.client.id());
    let make = format!(
        "CREATE USER {account}@'%' IDENTIFIED BY 'of a test'; GRANT ALL ON {}.* TO {account}@'%'",
        world.scratch.name()
    );
    servers.sql(&world.scratch, &make).unwrap();
    let client = world.client_of(&servers.server, &account);
    // MySQL asks for the privilege when a procedure that reads the foreign keys of all schemas is made, before ours can.
    let words = match servers.server.database() {
        Database::MySql => "you need (at least one of) the PROCESS privilege(s)".to_owned(),
        _ => format!("lacks the privilege PROCESS: execute GRANT PROCESS ON *.* TO {account}@%"),
    };
    for file in ["01-check.sql".to_owned(), world.file("new-tables")] {
        let said = client.execute(&file).unwrap_err();
        assert!(said.contains(&words), "{said}");
    }
    assert_eq!(
        servers.number(
            &world.scratch,
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"
        ),
        3
    );
    servers.sql(&world.scratch, &format!("GRANT PROCESS ON *.* TO {account}@'%'")).unwrap();
    client.execute("01-check.sql").unwrap();
    servers.sql(&world.scratch, &format!("DROP USER {account}@'%'")).unwrap();
}
