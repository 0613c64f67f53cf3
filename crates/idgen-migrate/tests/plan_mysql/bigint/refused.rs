//! Tests what is refused, with one sentence.

use idgen_migrate::plan::{Options, Target, Tool};
use idgen_server::Database;

use crate::ledger::world::Servers;

const SCHEMA: &str = "
    CREATE TABLE large (id BIGINT UNSIGNED PRIMARY KEY);
    CREATE TABLE texts (id VARCHAR(40) PRIMARY KEY);
    CREATE TABLE pairs (a INT, b INT, PRIMARY KEY (a, b));
    CREATE TABLE keyless (a INT);
    CREATE TABLE orders (id INT PRIMARY KEY);
    CREATE TABLE checked (id INT PRIMARY KEY CHECK (id > 0));";

pub fn refused(servers: &Servers) {
    let world = servers.without_plan(SCHEMA);
    let said = |options: Options| servers.plan_error(&world, &options);
    let to = |table: &str| Options::new(table, Target::Bigint);
    for (table, what) in [
        ("large", "large.id is BIGINT"),
        ("texts", "texts.id is VARCHAR(40): --to bigint changes keys of TINYINT, SMALLINT, MEDIUMINT or INT"),
        ("pairs", "the primary key of pairs has 2 columns (a, b)"),
        ("keyless", "the table keyless has no primary key: there is no key to change"),
        ("none", "has no table \"none\""),
    ] {
        let said = said(to(table));
        assert!(said.contains(what), "{table}: {said}");
    }
    assert!(said(to("large")).ends_with(" already"));
    let said_of = said(Options { keep_text: true, ..to("orders") });
    assert!(said_of.starts_with("--keep-text does not apply to --to bigint"), "{said_of}");
    let said_of = said(Options { tool: Some(Tool::GhOst), ..to("orders") });
    assert!(said_of.starts_with("--for gh-ost is only for --to uuid"), "{said_of}");
    // MySQL makes it a constraint of the table.
    if servers.server.database() == Database::MariaDb {
        let said = said(to("checked"));
        assert!(said.contains("checked.id has a check constraint in its declaration"), "{said}");
    } else {
        servers.plan(&world, &to("checked"));
    }
}
