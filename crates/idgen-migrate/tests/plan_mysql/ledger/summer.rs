//! The server lists transactions with local times, which are repeated for an hour at the end of daylight saving time.

use std::time::Duration;

use idgen_server::{Database, Server, Wait};
use jiff::{Timestamp, tz::TimeZone};

use crate::cascades::cascades_in_innodb;
use crate::ledger::world::Servers;

/// A transaction of the last minute of summer time seems to begin an hour after it did.
pub fn the_hour_that_comes_twice(database: Database) {
    let end = Timestamp::now() + Duration::from_secs(25);
    // The rule has the local time of summer, and counts days from 0.
    let local = (end + Duration::from_secs(3_600)).to_zoned(TimeZone::UTC);
    let rule = format!("{}/{}", local.day_of_year() - 1, local.strftime("%H:%M:%S"));
    let settings = cascades_in_innodb(database).zone(format!("AAA0BBB-1,0/0,{rule}"));
    let servers = Servers { server: Server::start(database, &settings).unwrap(), runtime: crate::runtime() };
    let world = servers.world();
    world.until("copy-c");
    let mut own = servers.connect(&world.scratch);
    servers.on(&mut own, "START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
    let is_over = "CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', 'SYSTEM') = UTC_TIMESTAMP()";
    let wait = Wait::until("summer time has ended");
    while servers.number(&world.scratch, is_over) == 0 {
        wait.check();
        std::thread::sleep(Duration::from_millis(200));
    }
    for step in ["copy-c", "own-references", "verify", "triggers-back"] {
        world.must(step);
    }
    world.refused(&world.file("rename"), "began before the copy ended");
    servers.on(&mut own, "ROLLBACK").unwrap();
    drop(own);
    std::thread::sleep(Duration::from_millis(150));
    world.must("rename");
}
