//! MariaDB with `innodb_snapshot_isolation`, the default of 11.6 and later: a transaction ends with error 1020 if it changes a row that is newer than
//! its snapshot. Rows of the plan are, and clients have not read them.

use idgen_server::{Database, Server};

use crate::cascades::cascades_in_innodb;
use crate::ledger::world::{Servers, text};

#[test]
fn a_snapshot_that_is_older_than_the_copy_is_no_obstacle() {
    let settings = cascades_in_innodb(Database::MariaDb).option("innodb_snapshot_isolation", "ON");
    let servers =
        Servers { server: Server::start(Database::MariaDb, &settings).unwrap(), runtime: crate::runtime() };
    let world = servers.world();
    let [mut client, mut other] = [servers.connect(&world.scratch), servers.connect(&world.scratch)];
    let begin = "START TRANSACTION; SELECT * FROM q";
    // A snapshot from before the new table was made ends with error 1412, whatever the setting.
    world.until("copy-p");
    servers.on(&mut client, begin).unwrap();
    world.must("copy-p");
    let changes =
        |sql: &str| sql.replace("FIRST", &text(1)).replace("THIRD", &text(3)).replace("NEW", &text(20));
    servers
        .on(&mut client, &changes("UPDATE p SET n = n + 1; DELETE FROM p WHERE id = 'THIRD'; COMMIT"))
        .unwrap();
    world.must("triggers-c");
    servers.on(&mut client, begin).unwrap();
    world.must("copy-c");
    let of_child = "UPDATE c SET v = v + 1; DELETE FROM c WHERE id = 'FIRST'; INSERT INTO c (id, p_id) VALUES ('NEW', 'FIRST'); COMMIT";
    servers.on(&mut client, &changes(of_child)).unwrap();
    // Rows of the application are as isolated as before, also those after the first one that fires a trigger.
    servers.on(&mut client, begin).unwrap();
    servers.on(&mut other, &format!("UPDATE p SET n = 500 WHERE id = '{}'", text(5))).unwrap();
    assert_eq!(servers.on(&mut client, "UPDATE p SET n = n + 1"), Err(1020));
    servers.on(&mut client, "ROLLBACK").unwrap();
    world.between("own-references", "finish");
    servers.assert_rows(&world, "p", 7, "a snapshot");
    servers.assert_rows(&world, "c", 7, "a snapshot");
}
