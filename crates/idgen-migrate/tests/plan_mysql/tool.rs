//! The arguments of a tool, and why there are none.

use std::os::unix::fs::PermissionsExt;

use idgen_migrate::plan::{Options, Target, Tool, plan};
use idgen_server::{Database, Server, Settings};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor};

use crate::client::Client;

const TABLE: &str = "odd 'orders";
const SCHEMA: &str = "CREATE TABLE `odd 'orders` (`it's` CHAR(36) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY \
    DEFAULT (UUID()) COMMENT 'the order''s id', n INT); INSERT INTO `odd 'orders` (n) VALUES (1), (2), (3)";

fn options(to: Target, tool: Tool) -> Options {
    Options { tool: Some(tool), ..Options::new(TABLE, to) }
}

#[test]
fn the_arguments_change_the_table_as_the_tool_copies_it() {
    let server = Server::start(Database::MariaDb, &Settings::new()).unwrap();
    let scratch = server.scratch().unwrap();
    let runtime = crate::runtime();
    let folder = tempfile::tempdir().unwrap();
    let mut connection = runtime.block_on(async {
        let mut connection = MySqlConnection::connect(scratch.url()).await.unwrap();
        connection.execute(sqlx::raw_sql(SCHEMA)).await.unwrap();
        let made = plan(scratch.url(), &options(Target::Uuid, Tool::PtOnlineSchemaChange)).await.unwrap();
        assert!(made.to_string().contains("02-pt-online-schema-change"), "{made}");
        made.write(folder.path()).unwrap();
        connection
    });
    let client = Client::new(&server, scratch.name(), folder.path());
    client.must("01-check.sql");
    let arguments = called_with(folder.path());
    let [first, alter_name, alter, execute, place] = &arguments[..] else { panic!("{arguments:?}") };
    assert_eq!([first, alter_name, execute], ["--no-drop-old-table", "--alter", "--execute"]);
    assert_eq!(*place, format!("F=/etc/login,D={},t={TABLE}", scratch.name()));
    // pt-online-schema-change uses the arguments in these statements.
    let copy = format!(
        "CREATE TABLE new LIKE `odd 'orders`; ALTER TABLE new {alter};
         INSERT LOW_PRIORITY IGNORE INTO new (`it's`, n) SELECT `it's`, n FROM `odd 'orders`; INSERT INTO new (n) VALUES (4)"
    );
    runtime.block_on(connection.execute(sqlx::raw_sql(AssertSqlSafe(copy)))).unwrap();
    let equal = "SELECT COUNT(*) FROM new AS a JOIN `odd 'orders` AS b ON CAST(a.`it's` AS CHAR) = b.`it's` AND a.n = b.n";
    let equal: i64 = runtime.block_on(sqlx::query_scalar(equal).fetch_one(&mut connection)).unwrap();
    assert_eq!(equal, 3);
    let declared = "SELECT CONCAT(COLUMN_TYPE, ' ', COLUMN_COMMENT) FROM information_schema.COLUMNS \
                    WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'new' AND COLUMN_KEY = 'PRI'";
    let declared: String = runtime.block_on(sqlx::query_scalar(declared).fetch_one(&mut connection)).unwrap();
    assert_eq!(declared, "uuid the order's id");
    // The check finds what the tool would lose.
    runtime.block_on(connection.execute("INSERT INTO `odd 'orders` VALUES ('no id', 5)")).unwrap();
    let error = client.execute("01-check.sql").unwrap_err();
    assert!(error.contains("no ids"), "{error}");
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
    let server = Server::start(Database::MariaDb, &Settings::new()).unwrap();
    let scratch = server.scratch().unwrap();
    let runtime = crate::runtime();
    let refused = |to, tool| {
        let error = runtime.block_on(plan(scratch.url(), &options(to, tool))).unwrap_err();
        error.to_string()
    };
    runtime.block_on(async {
        let mut connection = MySqlConnection::connect(scratch.url()).await.unwrap();
        let child = "; CREATE TABLE child (id INT PRIMARY KEY, o CHAR(36) CHARACTER SET ascii COLLATE ascii_bin, \
                     CONSTRAINT to_orders FOREIGN KEY (o) REFERENCES `odd 'orders` (`it's`))";
        connection.execute(sqlx::raw_sql(AssertSqlSafe(SCHEMA.to_owned() + child))).await.unwrap();
    });
    assert!(refused(Target::Uuid, Tool::PtOnlineSchemaChange).contains("(child.to_orders)"));
    assert!(refused(Target::Binary16, Tool::PtOnlineSchemaChange).contains("cut to 16 bytes"));
    assert!(refused(Target::V7FromNow, Tool::PtOnlineSchemaChange).contains("copies no row"));
    assert!(refused(Target::Uuid, Tool::GhOst).contains("not tested on MariaDB"));
}
