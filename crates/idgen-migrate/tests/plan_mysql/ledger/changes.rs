//! Changes by others between two files: they are refused with a list, and nothing is undone without a message.

use idgen_server::Database;

use crate::ledger::hidden::{self, compared};
use crate::ledger::world::Servers;

/// Changes by somebody between the plan and the renaming, each with the statement that takes it back.
const CHANGES: [(&str, &str); 12] = [
    ("ALTER TABLE p ALTER COLUMN n SET DEFAULT 7", "ALTER TABLE p ALTER COLUMN n SET DEFAULT 1"),
    (
        "ALTER TABLE p MODIFY t TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP",
        "ALTER TABLE p MODIFY t TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP",
    ),
    (
        "ALTER TABLE p MODIFY n INT NOT NULL DEFAULT 1 COMMENT 'new '",
        "ALTER TABLE p MODIFY n INT NOT NULL DEFAULT 1",
    ),
    ("ALTER TABLE p COMMENT 'new'", "ALTER TABLE p COMMENT ''"),
    ("ALTER TABLE p ROW_FORMAT = REDUNDANT", "ALTER TABLE p ROW_FORMAT = DEFAULT"),
    ("ALTER TABLE p ADD KEY of_time (t, n DESC)", "ALTER TABLE p DROP KEY of_time"),
    ("ALTER TABLE p ALTER INDEX of_n INVISIBLE", "ALTER TABLE p ALTER INDEX of_n VISIBLE"),
    (
        "ALTER TABLE p DROP CONSTRAINT few, ADD CONSTRAINT few CHECK (n < 2000)",
        "ALTER TABLE p DROP CONSTRAINT few, ADD CONSTRAINT few CHECK (n < 1000)",
    ),
    (
        "ALTER TABLE c DROP FOREIGN KEY of_p; ALTER TABLE c ADD CONSTRAINT of_p FOREIGN KEY (p_id) REFERENCES p (id) ON DELETE RESTRICT",
        "ALTER TABLE c DROP FOREIGN KEY of_p; ALTER TABLE c ADD CONSTRAINT of_p FOREIGN KEY (p_id) REFERENCES p (id) ON DELETE CASCADE",
    ),
    (
        "ALTER TABLE c DROP FOREIGN KEY of_p",
        "ALTER TABLE c ADD CONSTRAINT of_p FOREIGN KEY (p_id) REFERENCES p (id) ON DELETE CASCADE",
    ),
    (
        "CREATE TABLE x_plan_new (id INT PRIMARY KEY, o CHAR(36) CHARACTER SET ascii COLLATE ascii_bin, FOREIGN KEY (o) REFERENCES p (id))",
        "DROP TABLE x_plan_new",
    ),
    ("CREATE TRIGGER other BEFORE INSERT ON p FOR EACH ROW SET NEW.n = 1", "DROP TRIGGER other"),
];

/// Changes by somebody between the renaming and its way back, each with the statement that takes it back.
const LATER: [(&str, &str); 7] = [
    ("ALTER TABLE p ADD later INT", "ALTER TABLE p DROP later"),
    ("CREATE TRIGGER other BEFORE INSERT ON c FOR EACH ROW SET NEW.v = 1", "DROP TRIGGER other"),
    ("ALTER TABLE c ADD INDEX later (v)", "ALTER TABLE c DROP INDEX later"),
    ("ALTER TABLE c ADD UNIQUE KEY later (id, v)", "ALTER TABLE c DROP INDEX later"),
    ("ALTER TABLE p COMMENT 'new'", "ALTER TABLE p COMMENT ''"),
    ("ALTER TABLE p ROW_FORMAT = REDUNDANT", "ALTER TABLE p ROW_FORMAT = DEFAULT"),
    ("CREATE TABLE late (o BINARY(16) PRIMARY KEY, FOREIGN KEY (o) REFERENCES p (id))", "DROP TABLE late"),
];

pub fn changes_by_others(servers: &Servers) {
    let world = servers.world();
    let database = servers.server.database();
    let rename = world.file("rename");
    world.until("rename");
    let written = |sql: &str| match database {
        Database::MySql => sql.to_owned(),
        _ => sql.replace("of_n INVISIBLE", "of_n IGNORED").replace("of_n VISIBLE", "of_n NOT IGNORED"),
    };
    for (change, back) in crate::sample(database, CHANGES) {
        servers.sql(&world.scratch, &written(change)).unwrap();
        let said = world.client.execute(&rename).expect_err(change);
        assert!(said.contains("is not as it was when the plan was made"), "{change}: {said}");
        servers.sql(&world.scratch, &written(back)).unwrap();
    }
    compared(servers, &world);
    // The new tables belong to the plan, too.
    let index = format!("ALTER TABLE {} DROP INDEX of_n", world.client.made("p", "new"));
    servers.sql(&world.scratch, &index).unwrap();
    world.refused(&rename, "is not what the step triggers-back left");
    servers
        .sql(&world.scratch, &format!("ALTER TABLE {} ADD INDEX of_n (n)", world.client.made("p", "new")))
        .unwrap();
    // Rebuilt by all these changes; the rows are compared again.
    let said = world.client.execute(&rename);
    if let Err(said) = said {
        assert!(said.contains("undo to undo/"), "{said}");
        world.back_to("triggers-p");
        world.between("triggers-p", "rename");
        world.must("rename");
    }
    // A grant made now is there after the way back.
    let reader = format!("r_{}", world.client.id());
    let grant = format!("CREATE USER {reader} IDENTIFIED BY 'of a test'; GRANT SELECT ON p TO {reader}");
    servers.sql(&world.scratch, &grant).unwrap();
    for (change, back) in crate::sample(database, LATER) {
        servers.sql(&world.scratch, change).unwrap();
        let said = world.client.execute(&format!("undo/{rename}")).expect_err(change);
        assert!(said.contains("something was made since the renaming"), "{change}: {said}");
        servers.sql(&world.scratch, back).unwrap();
    }
    compared(servers, &world);
    let undo = format!("undo/{rename}");
    if world.client.execute(&undo).is_err() {
        world.must("verify-renamed");
        world.client.must(&undo);
    }
    servers.assert_rows(&world, "p", 8, "changes by others");
    servers.assert_rows(&world, "c", 8, "changes by others");
    let granted = world.client_of(&servers.server, &reader);
    assert_eq!(granted.execute_text("SELECT COUNT(*) AS n FROM p").unwrap(), "n\n8\n");
    servers.sql(&world.scratch, &format!("DROP USER {reader}")).unwrap();
    truncated(servers);
    hidden::hidden_changes(servers);
}

/// Triggers do not see TRUNCATE TABLE.
fn truncated(servers: &Servers) {
    let world = servers.world();
    world.until("rename");
    let truncate = |table: &str| format!("SET SESSION foreign_key_checks = 0; TRUNCATE TABLE {table}");
    servers.sql(&world.scratch, &truncate("c")).unwrap();
    // MariaDB numbers the indexes anew, too.
    let said = match servers.server.database() {
        Database::MySql => "truncated",
        _ => "altered or rebuilt",
    };
    world.refused(&world.file("rename"), said);
    world.back_to("new-tables");
    world.until("rename");
    world.must("rename");
    servers
        .sql(&world.scratch, &format!("INSERT INTO c (id, p_id) SELECT id, id FROM p; {}", truncate("p")))
        .unwrap();
    world.refused(&format!("undo/{}", world.file("rename")), said);
    world.refused(&world.file("verify-renamed"), "missing or different");
    world.refused(&world.file("finish"), "has not succeeded");
    servers.assert_rows(&world, &world.client.made("p", "old"), 8, "truncated");
}
