//! Changes that only `SHOW CREATE TABLE` shows: a file sees that the table was altered, and is refused.

use idgen_migrate::plan::status::Reader;
use idgen_migrate::plan::{Options, Target};
use idgen_server::Database;

use crate::ledger::world::{Servers, World};

/// A change that only `SHOW CREATE TABLE` shows on both servers, and the statement that takes it back.
const HIDDEN: [(&str, &str); 2] = [
    (
        "ALTER TABLE q DROP KEY of_n; ALTER TABLE q ADD KEY of_n (n) USING HASH",
        "ALTER TABLE q DROP KEY of_n; ALTER TABLE q ADD KEY of_n (n)",
    ),
    (
        "ALTER TABLE q DROP KEY of_n; ALTER TABLE q ADD KEY of_n (n) KEY_BLOCK_SIZE = 8",
        "ALTER TABLE q DROP KEY of_n; ALTER TABLE q ADD KEY of_n (n)",
    ),
];
/// Hidden changes of properties that MariaDB does not have, or shows in a view.
const HIDDEN_ON_MYSQL: [(&str, &str); 3] = [
    (
        "ALTER TABLE q DROP KEY of_words; ALTER TABLE q ADD FULLTEXT KEY of_words (words) WITH PARSER ngram",
        "ALTER TABLE q DROP KEY of_words; ALTER TABLE q ADD FULLTEXT KEY of_words (words)",
    ),
    ("ALTER TABLE q MODIFY n INT COLUMN_FORMAT FIXED", "ALTER TABLE q MODIFY n INT"),
    ("ALTER TABLE q MODIFY n INT STORAGE DISK", "ALTER TABLE q MODIFY n INT"),
];

/// No view of the catalog shows these changes, so a file only sees that the table was altered.
pub fn hidden_changes(servers: &Servers) {
    let is_mysql = servers.server.database() == Database::MySql;
    let world = servers.world();
    servers
        .sql(
            &world.scratch,
            "ALTER TABLE q ADD words TEXT, ADD KEY of_n (n), ADD FULLTEXT KEY of_words (words)",
        )
        .unwrap();
    let world = world.another(&servers.server);
    servers.plan(&world, &Options::new("q", Target::Binary16));
    world.until("rename");
    let (rename, refused) = (world.file("rename"), "the tables above were altered or rebuilt since");
    let seen = match is_mysql {
        true => {
            "SELECT UNIX_TIMESTAMP(CREATE_TIME) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'q'"
        }
        false => {
            "SELECT GROUP_CONCAT(i.INDEX_ID ORDER BY i.INDEX_ID) FROM information_schema.INNODB_SYS_INDEXES AS i JOIN \
             information_schema.INNODB_SYS_TABLES AS t ON t.TABLE_ID = i.TABLE_ID WHERE t.NAME = CONCAT(DATABASE(), '/q')"
        }
    };
    // MySQL does not keep USING HASH.
    let shown = if is_mysql { "ngram" } else { "USING HASH" };
    let of_mysql = HIDDEN_ON_MYSQL.into_iter().filter(|_| is_mysql);
    let all: Vec<_> = HIDDEN.into_iter().chain(of_mysql).collect();
    for (change, back) in &all {
        servers.sql(&world.scratch, change).unwrap();
        let said = world.client.execute(&rename).expect_err(change);
        assert!(said.contains(refused), "{change}: {said}");
        if change.contains(shown) {
            let blocked = blocked(servers, &world);
            assert!(blocked.contains("q was altered") && blocked.contains(shown), "{blocked}");
        }
        servers.sql(&world.scratch, back).unwrap();
        // Recorded again, after the second of the change.
        let record = format!(
            "DO SLEEP(1); UPDATE {} SET seen = ({seen}) WHERE side = 'old'",
            world.client.own("altered")
        );
        servers.sql(&world.scratch, &record).unwrap();
    }
    // The new tables are made like the old ones, so nothing is lost.
    servers.sql(&world.scratch, all[0].0).unwrap();
    world.back_to("new-tables");
    world.until("rename");
    world.must("rename");
    servers.sql(&world.scratch, &format!("DO SLEEP(1); {}", all[0].1)).unwrap();
    world.refused(&format!("undo/{rename}"), refused);
    compared(servers, &world);
    if world.client.execute(&format!("undo/{rename}")).is_err() {
        world.must("verify-renamed");
        world.client.must(&format!("undo/{rename}"));
    }
    servers.assert_rows(&world, "q", 8, "hidden changes");
}

/// The reasons for which `plan status` expects the next file to be refused. Everything that it reads must be readable.
fn blocked(servers: &Servers, world: &World) -> String {
    servers.runtime.block_on(async {
        let mut reader = Reader::open(world.scratch.url()).await.unwrap();
        let plans = reader.read().await.unwrap();
        reader.close().await;
        let own = plans.into_iter().find(|plan| plan.id == world.client.id()).unwrap();
        assert_eq!(own.unread, Vec::<String>::new());
        own.blocked.join("\n")
    })
}

/// Records, as the README of the plan says, that somebody has compared the properties that only SHOW CREATE TABLE
/// shows.
pub fn compared(servers: &Servers, world: &World) {
    servers.sql(&world.scratch, &format!("DELETE FROM {}", world.client.own("altered"))).unwrap();
}
