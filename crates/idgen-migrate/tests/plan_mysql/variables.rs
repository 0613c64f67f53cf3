//! Each variable that a session has a value of is in a list that says what protects a plan from it, so that somebody looks at those of a new version.

use std::collections::{BTreeMap, BTreeSet};

use idgen_migrate::plan::{Options, Target};
use idgen_server::Database;

use crate::ledger::world::Servers;

const LIST: &str = include_str!("variables.txt");

/// The parts of these statements that set variables without naming them as the server does.
const OTHERWISE: [(&str, &[&str]); 2] = [
    (
        "SET NAMES ",
        &[
            "character_set_client",
            "character_set_connection",
            "character_set_results",
            "collation_connection",
        ],
    ),
    (
        "SET SESSION TRANSACTION ",
        &["transaction_isolation", "transaction_read_only", "tx_isolation", "tx_read_only"],
    ),
];

#[test]
fn each_variable_of_a_session_is_classified() {
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    let classes: BTreeMap<&str, &str> = lines
        .map(|line| {
            let mut words = line.split(' ');
            (words.next().unwrap(), words.next().unwrap())
        })
        .collect();
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let sql = match database {
            Database::MySql => {
                "SELECT VARIABLE_NAME FROM performance_schema.variables_metadata WHERE VARIABLE_SCOPE <> 'GLOBAL'"
            }
            _ => {
                "SELECT LOWER(VARIABLE_NAME) FROM information_schema.SYSTEM_VARIABLES WHERE VARIABLE_SCOPE <> 'GLOBAL' AND READ_ONLY = 'NO'"
            }
        };
        let world = servers.without_plan("CREATE TABLE t (id INT PRIMARY KEY)");
        let names: BTreeSet<_> = servers.texts(&world.scratch, sql).into_iter().collect();
        let made = servers.plan(&world, &Options::new("t", Target::Bigint));
        let set: Vec<String> = made.session.into_iter().map(|statement| statement.sql).collect();
        assert!(names.len() > 100, "{database}: {names:?}");
        let unknown: Vec<_> = names.iter().filter(|name| !classes.contains_key(name.as_str())).collect();
        assert!(
            unknown.is_empty(),
            "{database} has variables that tests/plan_mysql/variables.txt does not have: {unknown:?}"
        );
        for name in names.iter().filter(|name| classes[name.as_str()] == "set") {
            let is_named = |sql: &String| sql.contains(&format!(" {name} = "));
            let is_otherwise = |sql: &String| {
                OTHERWISE
                    .iter()
                    .any(|(begins, names)| sql.starts_with(begins) && names.contains(&name.as_str()))
            };
            assert!(
                set.iter().any(|sql| is_named(sql) || is_otherwise(sql)),
                "{database}: no file sets {name}"
            );
        }
    }
}
