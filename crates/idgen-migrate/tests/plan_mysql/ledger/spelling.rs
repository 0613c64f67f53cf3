//! Ids in another spelling than most, under a collation that takes them for the same and beside one that does not.

use crate::ledger::world::{Servers, text};

const SCHEMA: &str = "CREATE TABLE c (id VARCHAR(36) PRIMARY KEY, name VARCHAR(20)) DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_general_ci;
    CREATE TABLE o (n INT PRIMARY KEY, cid VARCHAR(36), v INT, CONSTRAINT of_c FOREIGN KEY (cid) REFERENCES c (id))
      DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_general_ci;";

fn insert(id: &str, name: &str) -> String {
    format!("INSERT INTO c VALUES ('{id}', '{name}')")
}

/// An id is refused if it would get the key of another one, or if the way back would not find its row; capital letters stay as they are.
pub fn spellings(servers: &Servers) {
    let (first, capitals) = (text(0xa1), text(0xd4).to_uppercase());
    let without_hyphens = text(0xe5).replace('-', "");
    let world = servers.world_of(&format!("{SCHEMA} {}", insert(&first, "a")), "c");
    let sql = |sql: &str| servers.sql(&world.scratch, sql);
    world.until("verify");
    sql(&insert(&capitals, "d")).unwrap();
    sql(&format!("INSERT INTO o VALUES (1, '{capitals}', 1), (2, '{}', 1)", capitals.to_lowercase()))
        .unwrap();
    assert_eq!(sql(&insert(&without_hyphens, "e")), Err(1644));
    assert_eq!(sql(&format!("UPDATE c SET id = '{without_hyphens}' WHERE name = 'a'")), Err(1644));
    sql(&format!("INSERT INTO o VALUES (3, '{first}', 1)")).unwrap();
    assert_eq!(sql(&format!("UPDATE o SET cid = '{}' WHERE n = 3", first.replace('-', ""))), Err(1452));
    world.between("verify", "finish");
    // The application's writes reach the rows of both tables, whichever letters the old ones have.
    assert_eq!(sql("UPDATE c SET name = 'changed'"), Ok(2));
    assert_eq!(sql("UPDATE o SET v = 9"), Ok(3));
    world.must("verify-renamed");
    world.client.must(&format!("undo/{}", world.file("rename")));
    let of = |rows: i64, table: &str| servers.assert_rows(&world, table, rows, "after the way back");
    of(2, "c WHERE name = 'changed'");
    of(1, &format!("c WHERE BINARY id = '{capitals}'"));
    of(3, "o WHERE v = 9");
    of(1, &format!("o WHERE BINARY cid = '{capitals}'"));

    // Two ids that become one, and columns that do not tell them apart.
    let world = servers.world_of(&format!("{SCHEMA} {}", insert(&first, "a")), "c");
    world.until("new-tables");
    servers.sql(&world.scratch, &insert(&first.replace('-', ""), "a")).unwrap();
    world.between("new-tables", "verify");
    world.refused(&world.file("verify"), "missing or different");
    servers.assert_rows(&world, "c", 2, "before the renaming");
}
