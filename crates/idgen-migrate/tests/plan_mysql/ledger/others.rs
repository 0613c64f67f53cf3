//! Tables that the account of the plan cannot see, and rights that its triggers do not have.

use idgen_migrate::plan::{Options, Target};
use idgen_server::Database;

use crate::ledger::world::{Servers, World};

pub fn tables_and_rights_of_others(servers: &Servers) {
    children_in_another_schema(servers);
    if servers.server.database() == Database::MariaDb {
        rights_by_a_role(servers);
    }
}

fn as_account(servers: &Servers, world: World, account: &str) -> World {
    World { client: world.client_of(&servers.server, account), ..world }
}

/// A child of another schema, for which the account has no right.
fn children_in_another_schema(servers: &Servers) {
    let world = servers.world();
    let schema = world.scratch.name().to_owned();
    let (account, other) = (format!("o_{}", world.client.id()), format!("{schema}_x"));
    let sql = |world: &World, sql: &str| servers.sql(&world.scratch, sql).unwrap();
    sql(
        &world,
        &format!(
            "CREATE USER {account}@'%' IDENTIFIED BY 'of a test'; GRANT ALL ON {schema}.* TO {account}@'%'; \
             GRANT PROCESS, SUPER ON *.* TO {account}@'%'; CREATE DATABASE {other}"
        ),
    );
    let world = as_account(servers, world, &account);
    world.until("verify");
    another_plan(servers, &world);
    let child = |to: &str| {
        format!(
            "CREATE TABLE {other}.child (id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, \
             FOREIGN KEY (id) REFERENCES {schema}.{to} (id) ON DELETE CASCADE)"
        )
    };
    sql(&world, &child("p"));
    world.between("verify", "rename");
    world.refused(&world.file("rename"), "not as it was when the plan was made");
    sql(&world, &format!("DROP TABLE {other}.child"));
    world.between("rename", "finish");
    sql(&world, &child(&world.beside(servers, "p", "old")));
    world.refused(&world.file("finish"), "is dropped now");
    // The way back is there.
    assert_eq!(sql(&world, "UPDATE p SET n = 2"), 8);
    servers.assert_rows(&world, &format!("{} WHERE n = 2", world.beside(servers, "p", "old")), 8, "refused");
    sql(&world, &format!("DROP TABLE {other}.child"));
    world.must("finish");
    sql(&world, &format!("DROP DATABASE {other}; DROP USER {account}@'%'"));
}

/// A plan for a table of a plan that is at work says so, and does not advise to drop what the other one needs.
fn another_plan(servers: &Servers, world: &World) {
    let said = servers.plan_error(world, &Options::new("c", Target::Binary16));
    assert!(
        said.contains("another plan of idgen is at work on the table c") && !said.contains("Drop it"),
        "{said}"
    );
}

/// Each change of a client would fail, because triggers execute as their definer without its roles.
fn rights_by_a_role(servers: &Servers) {
    let world = servers.world();
    let schema = world.scratch.name().to_owned();
    let (account, role) = (format!("a_{}", world.client.id()), format!("r_{}", world.client.id()));
    let sql = |world: &World, sql: &str| servers.sql(&world.scratch, sql).unwrap();
    sql(
        &world,
        &format!(
            "CREATE USER {account}@'%' IDENTIFIED BY 'of a test'; CREATE ROLE {role}; GRANT ALL ON {schema}.* TO {role}; \
             GRANT {role} TO {account}@'%'; SET DEFAULT ROLE {role} FOR {account}@'%'; GRANT PROCESS ON *.* TO {account}@'%'"
        ),
    );
    let world = as_account(servers, world, &account);
    world.refused(&world.file("check"), "by its role alone");
    sql(&world, &format!("GRANT ALL ON {schema}.* TO {account}@'%'"));
    world.until("rename");
    sql(&world, &format!("UPDATE p SET n = 2; DROP USER {account}@'%'; DROP ROLE {role}"));
}
