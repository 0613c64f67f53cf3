//! Changes of the tables that no application uses at the moment: the new ones before the renaming, the old ones after it.

use crate::ledger::world::Servers;

/// A step is refused before the application would use a table that lacks an index, a default or a foreign key.
pub fn the_side_that_is_not_in_use(servers: &Servers) {
    let world = servers.world();
    let sql = |sql: &str| servers.sql(&world.scratch, sql).unwrap();
    world.until("triggers-p");
    // The triggers would be for the table as it was.
    sql("ALTER TABLE p MODIFY n BIGINT NOT NULL DEFAULT 1");
    world.refused(&world.file("triggers-p"), "not as it was when the plan was made");
    sql("ALTER TABLE p MODIFY n INT NOT NULL DEFAULT 1");
    // The definition alone shows no difference, but the new tables were made of the other one.
    world.back_to("new-tables");
    world.until("triggers-back");

    let new = world.beside(servers, "p", "new");
    let triggers = world.file("triggers-back");
    for (change, back) in [
        ("DROP INDEX of_n", "ADD INDEX of_n (n)"),
        ("ALTER n DROP DEFAULT", "ALTER n SET DEFAULT 1"),
        ("ADD INDEX mine (n, t)", "DROP INDEX mine"),
    ] {
        sql(&format!("ALTER TABLE {new} {change}"));
        world.refused(&triggers, "is not what");
        sql(&format!("ALTER TABLE {new} {back}"));
    }
    world.between("triggers-back", "finish");

    let old = world.beside(servers, "p", "old");
    let undo = format!("undo/{}", world.file("rename"));
    sql(&format!("ALTER TABLE {old} DROP INDEX of_n"));
    world.refused(&undo, "not as it was when the plan was made");
    servers.assert_rows(&world, "p WHERE LENGTH(id) = 16", 8, "renamed");

    // A foreign key to the own table, which comes after the others.
    let world = servers.world();
    world.until("triggers-back");
    let new = world.beside(servers, "c", "new");
    let key = format!(
        "(SELECT CONSTRAINT_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() \
         AND TABLE_NAME = '{new}' AND REFERENCED_TABLE_NAME = '{new}')"
    );
    let drop = format!(
        "SET @own = CONCAT('ALTER TABLE {new} DROP FOREIGN KEY ', {key}); PREPARE own FROM @own; EXECUTE own"
    );
    servers.sql(&world.scratch, &drop).unwrap();
    world.refused(&world.file("triggers-back"), "a foreign key of the new table to itself is gone");
    world.client.must(&format!("undo/{}", world.file("own-references")));
    world.between("own-references", "finish");
}
