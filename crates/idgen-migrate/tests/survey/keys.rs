//! Keys whose values show little: those of empty tables, as an app has just made them, and hashes. Tables that two ranges cover.

use idgen_migrate::survey::{Kind, Options, Survey, survey};
use idgen_server::{Database, Server, Settings};

use crate::common::table;
use crate::unknown;

/// Neutron and Keystone of OpenStack have such tables.
const TABLES: &str = "
    CREATE TABLE networks (id VARCHAR(36) PRIMARY KEY, standard_attr_id BIGINT NOT NULL UNIQUE);
    CREATE TABLE bindings (network_id VARCHAR(36) NOT NULL, agent_id VARCHAR(64) NOT NULL, area VARCHAR(64) NOT NULL,
      PRIMARY KEY (network_id, agent_id, area), FOREIGN KEY (network_id) REFERENCES networks (id));
    CREATE TABLE users (id VARCHAR(64) PRIMARY KEY, boss VARCHAR(64), FOREIGN KEY (boss) REFERENCES users (id));
    CREATE TABLE collections (name VARCHAR(64) PRIMARY KEY, part_of VARCHAR(64), FOREIGN KEY (part_of) REFERENCES collections (name));
    CREATE TABLE options (user_id VARCHAR(64) NOT NULL, option_id VARCHAR(4) NOT NULL, PRIMARY KEY (user_id, option_id));
    CREATE TABLE plain (code CHAR(32) PRIMARY KEY);
    CREATE TABLE pages (title VARCHAR(255) PRIMARY KEY);
    CREATE TABLE version (version_num VARCHAR(32) PRIMARY KEY); INSERT INTO version VALUES ('99de3849d860');
    CREATE TABLE mapped (public_id VARCHAR(64) PRIMARY KEY, content CHAR(40) NOT NULL);
    INSERT INTO mapped VALUES
      ('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'a9993e364706816aba3e25717850c26c9cd0d89d'),
      ('2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae', '0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33');
    CREATE TABLE longer (id VARCHAR(128) PRIMARY KEY);
    INSERT INTO longer VALUES ('REPEATED');
    CREATE TABLE middle (id CHAR(36) PRIMARY KEY);
";

async fn check(url: &str) {
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let rows: Vec<String> =
        (0..300_u32).map(|n| format!("('{:08x}-baba-4026-9564-5b8c656024db')", n * 14_000_000)).collect();
    let sql = TABLES.replace("REPEATED", &digest.repeat(2))
        + &format!("INSERT INTO middle VALUES {};", rows.join(", "));
    unknown::run(url, &sql).await;
    let found = survey(url, &Options::default()).await.unwrap();
    let names = |name: &str| -> Vec<&str> {
        table(&found, name).columns.iter().map(|column| column.column.as_str()).collect()
    };
    assert_eq!(names("networks"), ["id", "standard_attr_id"], "{url}");
    assert_eq!(names("bindings"), ["network_id", "agent_id", "area"], "{url}");
    assert_eq!(
        (names("users"), names("options"), names("plain")),
        (vec!["id", "boss"], vec!["user_id", "option_id"], vec!["code"]),
        "{url}"
    );
    assert_eq!(
        (names("pages"), names("version"), names("longer"), names("collections")),
        (vec!["title"], vec!["version_num"], vec!["id"], vec!["name", "part_of"]),
        "{url}: a key that nobody decodes is one"
    );
    assert_eq!(names("mapped"), ["public_id"], "{url}: a hash beside the key is content");
    digests(&found, url);
    let middle = table(&found, "middle");
    assert_eq!(
        (middle.rows, middle.rows_read, middle.ranges, middle.whole),
        (Some(300), 300, 2, true),
        "{url}: the first 200 rows and the last 200 are all"
    );
}

fn digests(found: &Survey, url: &str) {
    let key = &table(found, "mapped").columns[0];
    assert_eq!((key.kinds[0].kind, key.kinds[0].values), (Kind::Digest, 2), "{url}");
    let cost = key.cost.as_ref().unwrap();
    assert_eq!(
        (cost.table_bytes / 2, cost.bytes_as_16),
        (cost.value_bytes as u64, None),
        "{url}: 256 bits are no 128"
    );
}

#[test]
fn keys_of_empty_tables_and_hashes_and_a_table_of_two_ranges() {
    let runtime = crate::common::runtime();
    for database in Database::MYSQL_FAMILY.into_iter().chain([Database::Postgres]) {
        let server = Server::start(database, &Settings::new()).unwrap();
        runtime.block_on(check(server.scratch().unwrap().url()));
        runtime.block_on(unknown::check(Some(database), server.scratch().unwrap().url()));
        runtime.block_on(unknown::truncated(Some(database), server.scratch().unwrap().url()));
    }
}

#[test]
fn keys_of_sqlite() {
    let runtime = crate::common::runtime();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    runtime.block_on(check(&file("keys.db")));
    runtime.block_on(unknown::check(None, &file("unknown.db")));
    runtime.block_on(unknown::truncated(None, &file("truncated.db")));
}
