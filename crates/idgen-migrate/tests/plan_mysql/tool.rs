//! The arguments of a tool, and why there are none.

use std::os::unix::fs::PermissionsExt;

use idgen_migrate::plan::{Options, Target, Tool};
use idgen_server::Database;

use crate::ledger::world::Servers;

const TABLE: &str = "odd 'orders";
const SCHEMA: &str = "CREATE TABLE `odd 'orders` (`it's` CHAR(36) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY \
    DEFAULT (UUID()) COMMENT 'the order''s id', n INT); INSERT INTO `odd 'orders` (n) VALUES (1), (2), (3)";

fn options(to: Target, tool: Tool) -> Options {
    Options { tool: Some(tool), ..Options::new(TABLE, to) }
}

#[test]
fn the_arguments_change_the_table_as_the_tool_copies_it() {
    let servers = Servers::start(Database::MariaDb);
    let world = servers.without_plan(SCHEMA);
    let made = servers.plan(&world, &options(Target::Uuid, Tool::PtOnlineSchemaChange));
    assert!(made.to_string().contains("02-pt-online-schema-change"), "{made}");
    world.must("check");
    let arguments = called_with(world.folder.path());
    let [first, alter_name, alter, execute, place] = &arguments[..] else { panic!("{arguments:?}") };
    assert_eq!([first, alter_name, execute], ["--no-drop-old-table", "--alter", "--execute"]);
    assert_eq!(*place, format!("F=/etc/login,D={},t={TABLE}", world.scratch.name()));
    // pt-online-schema-change uses the arguments in these statements.
    let copy = format!(
        "CREATE TABLE new LIKE `odd 'orders`; ALTER TABLE new {alter};
         INSERT LOW_PRIORITY IGNORE INTO new (`it's`, n) SELECT `it's`, n FROM `odd 'orders`; INSERT INTO new (n) VALUES (4)"
    );
    servers.sql(&world.scratch, &copy).unwrap();
    let equal = "SELECT COUNT(*) FROM new AS a JOIN `odd 'orders` AS b ON CAST(a.`it's` AS CHAR) = b.`it's` AND a.n = b.n";
    assert_eq!(servers.number(&world.scratch, equal), 3);
    let declared = "SELECT CONCAT(COLUMN_TYPE, ' ', COLUMN_COMMENT) FROM information_schema.COLUMNS \
                    WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'new' AND COLUMN_KEY = 'PRI'";
    assert_eq!(servers.texts(&world.scratch, declared), ["uuid the order's id"]);
    // The check finds what the tool would lose.
    servers.sql(&world.scratch, "INSERT INTO `odd 'orders` VALUES ('no id', 5)").unwrap();
    world.refused("01-check.sql", "no ids");
}

/// The words with which the file calls the tool.
fn called_with(folder: &std::path::Path) -> Vec<String> {
    let fake = folder.join("pt-online-schema-change");
    std::fs::write(&fake, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n").unwrap();
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = std::process::Command::new("sh")
        .args(["02-pt-online-schema-change.sh", "--execute"])
        .current_dir(folder)
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
        .env("MYSQL_CNF", "/etc/login")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn what_a_tool_cannot_do_is_refused_with_the_reason() {
    let servers = Servers::start(Database::MariaDb);
    let child = "; CREATE TABLE child (id INT PRIMARY KEY, o CHAR(36) CHARACTER SET ascii COLLATE ascii_bin, \
                 CONSTRAINT to_orders FOREIGN KEY (o) REFERENCES `odd 'orders` (`it's`))";
    let world = servers.without_plan(&(SCHEMA.to_owned() + child));
    for (to, tool, reason) in [
        (Target::Uuid, Tool::PtOnlineSchemaChange, "(child.to_orders)"),
        (Target::Binary16, Tool::PtOnlineSchemaChange, "cut to 16 bytes"),
        (Target::V7FromNow, Tool::PtOnlineSchemaChange, "copies no row"),
        (Target::Uuid, Tool::GhOst, "not tested on MariaDB"),
    ] {
        let said = servers.plan_error(&world, &options(to, tool));
        assert!(said.contains(reason), "{reason} is not in {said}");
    }
}
