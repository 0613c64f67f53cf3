//! Tables as other people make them: a unique key in the place of a primary key, foreign keys of several ids, defaults that are
//! ids, invisible columns. Their shape is that of a network service, whose own schema was changed by hand.

use idgen_migrate::plan::{Options, Target};
use idgen_server::Database;

use crate::ledger::hidden::compared;
use crate::ledger::world::Servers;

const DEFAULT: &str = "6ccd780c-baba-4026-9564-5b8c656024db";

fn schema() -> String {
    let id = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin";
    format!(
        "CREATE TABLE networks (id {id} PRIMARY KEY, name VARCHAR(20));
         CREATE TABLE ports (id {id} PRIMARY KEY, network_id {id} NOT NULL DEFAULT '{DEFAULT}' COMMENT 'it''s', tenant INT NOT NULL,
           standby {id} NULL INVISIBLE, UNIQUE KEY of_network (id, network_id), UNIQUE KEY of_tenant (tenant, id),
           FOREIGN KEY (network_id) REFERENCES networks (id), FOREIGN KEY (standby) REFERENCES networks (id) ON DELETE SET NULL);
         CREATE TABLE bindings (port_id {id} NOT NULL, network_id {id} NULL, host VARCHAR(20), UNIQUE KEY (port_id),
           CONSTRAINT of_port FOREIGN KEY (port_id, network_id) REFERENCES ports (id, network_id) ON DELETE CASCADE ON UPDATE CASCADE);
         CREATE TABLE accounts (tenant INT NOT NULL, number INT NOT NULL, port {id}, UNIQUE KEY one (number, tenant),
           FOREIGN KEY (tenant, port) REFERENCES ports (tenant, id) ON UPDATE CASCADE ON DELETE CASCADE);
         CREATE TABLE samples (id {id} PRIMARY KEY, network_id {id}, j JSON, g GEOMETRY, f FLOAT, d DOUBLE, m DECIMAL(30,10), b BIT(10),
           e ENUM('a', 'b'), s SET('x', 'y'), y YEAR, t TIME(6), ts TIMESTAMP(6) NULL, dt DATETIME(3), bl BLOB, tx LONGTEXT CHARACTER SET utf8mb4,
           u BIGINT UNSIGNED, made INT AS (LENGTH(tx)) STORED, v VARBINARY(16), FOREIGN KEY (network_id) REFERENCES networks (id));
         INSERT INTO networks VALUES ('{DEFAULT}', 'default');
         INSERT INTO samples (id, network_id, tx) VALUES ('{DEFAULT}', NULL, NULL);"
    )
}

#[test]
fn unique_keys_and_keys_of_several_columns_change() {
    let targets = [
        (Database::MySql, Target::Binary16),
        (Database::MariaDb, Target::Binary16),
        (Database::MariaDb, Target::Uuid),
    ];
    for (database, to) in targets {
        change(database, to);
    }
}

fn change(database: Database, to: Target) {
    let servers = Servers::start(database);
    let world = servers.without_plan(&schema());
    for port in 1..=40 {
        servers.sql(&world.scratch, &insert(port, old)).unwrap();
    }
    let made = servers.plan(&world, &Options::new("networks", to));
    assert_eq!(made.tables, ["networks", "ports", "accounts", "bindings", "samples"]);
    let keys = "tells their rows apart: accounts (one), bindings (port_id).";
    assert!(made.notes.iter().any(|note| note.ends_with(keys)), "{:?}", made.notes);
    let client = &world.client;
    let files = client.files("");
    let at = |step: &str| files.iter().position(|file| *file == world.file(step)).unwrap();
    let must = |statements: Vec<String>| {
        for sql in statements {
            let changed = servers.sql(&world.scratch, &sql);
            assert!(changed.as_ref().is_ok_and(|rows| *rows > 0), "{database}: {sql}: {changed:?}");
        }
    };
    let of = |sql: &str| servers.texts(&world.scratch, sql);
    let run = |from: usize, to: usize| files[from..to].iter().for_each(|file| drop(client.must(file)));
    let before = of(&contents("id"));
    assert_eq!(before.len(), 4);
    run(0, at("copy-ports"));
    must(changes(1, old));
    run(at("copy-ports"), at("copy-bindings"));
    must(changes(11, old));
    run(at("copy-bindings"), at("rename") + 1);
    must(changes(21, if to == Target::Uuid { old } else { bytes }));
    run(at("verify-renamed"), at("finish") + 1);
    // Each of the three made a port without a network, moved a port with all that refers to it, and deleted one.
    let shown = |id: &str| {
        if to == Target::Uuid { format!("CAST({id} AS CHAR)") } else { format!("LOWER(HEX({id}))") }
    };
    let of_default = if to == Target::Uuid { DEFAULT.to_owned() } else { DEFAULT.replace('-', "") };
    let networks = format!("SELECT {} FROM ports WHERE tenant = 900", shown("network_id"));
    assert_eq!(of(&networks), [of_default.clone(), of_default.clone(), of_default]);
    let count = "SELECT CONCAT_WS(' ', (SELECT COUNT(*) FROM ports), (SELECT COUNT(*) FROM bindings), (SELECT COUNT(*) FROM accounts), \
                 (SELECT COUNT(*) FROM bindings AS b JOIN ports AS p ON p.id = b.port_id AND p.network_id = b.network_id), \
                 (SELECT COUNT(*) FROM accounts AS a JOIN ports AS p ON p.tenant = a.tenant AND p.id = a.port))";
    assert_eq!(of(count), ["40 37 37 37 37"], "{database}");
    let invisible = "SELECT CONCAT(COLUMN_NAME, ' ', COLUMN_COMMENT) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() \
                     AND TABLE_NAME = 'ports' AND (EXTRA LIKE '%INVISIBLE%' OR COLUMN_COMMENT <> '') ORDER BY ORDINAL_POSITION";
    assert_eq!(of(invisible), ["network_id it's", "standby "]);
    assert_eq!(of(&contents(&shown("id"))), before, "{database}");
    let moved = format!("SELECT {} FROM bindings WHERE host = 'host 22'", shown("port_id"));
    assert_eq!(
        of(&moved).concat().replace('-', ""),
        id(122).replace('-', ""),
        "{database}: the port moved after the renaming"
    );
    servers.assert_nothing_left(&world);
}

/// Four rows that nothing changes, with all that is in them.
fn contents(id: &str) -> String {
    let whole = "CONCAT_WS(' ', j, HEX(ST_AsWKB(g)), f, d, m, b + 0, e, s + 0, y, t, ts, dt, HEX(bl), tx, u, made, HEX(v))";
    let ids = [1, 12, 24, 40].map(|port| format!("'{port:08x}'")).join(", ");
    format!("SELECT {whole} FROM samples WHERE LEFT({id}, 8) IN ({ids}) ORDER BY u, b + 0")
}

fn id(number: u32) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

fn old(id: &str) -> String {
    format!("'{id}'")
}

fn bytes(id: &str) -> String {
    format!("x'{}'", id.replace('-', ""))
}

/// A port in a network of its own, with a binding and an account.
fn insert(port: u32, write: fn(&str) -> String) -> String {
    let (network, port_id) = (write(&id(1000 + port)), write(&id(port)));
    format!(
        "INSERT INTO networks VALUES ({network}, 'network'); \
         INSERT INTO ports (id, network_id, tenant, standby) VALUES ({port_id}, {network}, {port}, {network}); \
         INSERT INTO samples (id, network_id, j, g, f, d, m, b, e, s, y, t, ts, dt, bl, tx, u, v) VALUES ({port_id}, {network}, \
           '{{\"a\": [{port}, null, \"é\"]}}', ST_GeomFromText('POINT({port} 2)'), {port} / 3, {port} / 7, {port} / 11, {port}, 'b', 'x,y', 2026, \
           '01:02:03.000{port}', '2026-03-29 02:30:00.5', '2026-03-29 02:30:00.125', x'00ff{port:04}', 'text é', 18446744073709551615, x'00'); \
         INSERT INTO bindings VALUES ({port_id}, {network}, 'host {port}'); INSERT INTO accounts VALUES ({port}, {port}, {port_id})"
    )
}

/// Changes of ports from this one on.
fn changes(from: u32, write: fn(&str) -> String) -> Vec<String> {
    let of = |number: u32| write(&id(number));
    vec![
        format!("INSERT INTO ports (id, tenant) VALUES ({}, 900)", of(500 + from)),
        format!("UPDATE ports SET id = {} WHERE id = {}", of(101 + from), of(from + 1)),
        format!("UPDATE ports SET tenant = {} WHERE id = {}", 2000 + from, of(from + 2)),
        format!("UPDATE accounts SET number = {} WHERE number = {}", 3000 + from, from + 3),
        format!("UPDATE bindings SET host = 'other' WHERE port_id = {}", of(from + 4)),
        format!(
            "UPDATE samples SET f = f / 3, j = NULL, g = NULL, b = b + 1, tx = CONCAT(tx, '😀') WHERE id = {}",
            of(from + 4)
        ),
        format!("DELETE FROM ports WHERE id = {}", of(from + 5)),
    ]
}

/// Only MySQL takes such a primary key.
#[test]
fn a_generated_column_does_not_tell_rows_apart() {
    let servers = Servers::start(Database::MySql);
    let schema = "CREATE TABLE networks (id CHAR(36) PRIMARY KEY); CREATE TABLE ports (n INT NOT NULL, o CHAR(36), \
                  twice INT AS (2 * n) STORED NOT NULL PRIMARY KEY, FOREIGN KEY (o) REFERENCES networks (id))";
    let world = servers.without_plan(schema);
    let options = Options::new("networks", Target::Binary16);
    let error = servers.plan_error(&world, &options);
    servers.sql(&world.scratch, "ALTER TABLE ports ADD UNIQUE KEY other (n)").unwrap();
    let made = servers.plan(&world, &options);
    assert!(
        made.notes.iter().any(|note| note.ends_with("tells their rows apart: ports (other).")),
        "{:?}",
        made.notes
    );
    assert!(error.contains("ports has neither a primary key"), "{error}");
}

/// The renaming would lose changes of the schema that were made after the plan.
#[test]
fn a_schema_that_was_changed_meanwhile_is_not_renamed() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let world = servers.world_of(&(schema() + &insert(1, old)), "networks");
        let sql = |sql: &str| servers.sql(&world.scratch, sql).unwrap();
        world.until("rename");
        for (change, back, message) in [
            (
                "ALTER TABLE networks ADD INDEX later (name)",
                "ALTER TABLE networks DROP INDEX later",
                "networks is not as it was",
            ),
            (
                "ALTER TABLE accounts ADD later INT",
                "ALTER TABLE accounts DROP later",
                "accounts is not as it was",
            ),
            (
                "CREATE TRIGGER later BEFORE INSERT ON ports FOR EACH ROW SET NEW.tenant = 1",
                "DROP TRIGGER later",
                "ports is not as it was",
            ),
        ] {
            sql(change);
            let error = world.client.execute(&world.file("rename")).expect_err(change);
            assert!(error.contains(message), "{database}: {change}: {error}");
            sql(back);
        }
        // Somebody compared what only SHOW CREATE TABLE shows.
        compared(&servers, &world);
        world.must("rename");
    }
}
