//! Leases of device numbers.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use idgen::Timestamp;
use idgen_mysql::{DeviceLeases, Index, Lease, UuidMap};
use idgen_server::{Database, Scratch};
use uuid::Uuid;

use crate::common::{connect, kill_connections, map, number, on_both, run, server};

on_both!(
    a_device_keeps_its_number,
    a_number_rests_before_another_device_gets_it,
    a_clock_that_is_wrong_repeats_no_second,
    all_numbers_taken_says_when_one_is_free,
    clients_never_lease_a_number_twice,
    a_restored_table_leases_no_number_twice,
    a_table_without_its_keys_is_refused
);

const MINUTE: Duration = Duration::from_secs(60);

async fn leases(database: Database) -> (Scratch, UuidMap, DeviceLeases) {
    let (scratch, map) = map(database, Index::Unique).await;
    let leases = map.device_leases();
    leases.install().await.unwrap();
    leases.install().await.unwrap();
    (scratch, map, leases)
}

fn secs(time: Timestamp) -> i64 {
    time.unix_secs()
}

async fn renew(leases: &DeviceLeases, lease: &Lease) -> idgen_mysql::Result<Lease> {
    leases.renew(lease.device(), lease.number(), lease.term()).await
}

async fn release(leases: &DeviceLeases, lease: &Lease, last: Timestamp) -> idgen_mysql::Result<bool> {
    leases.release(lease.device(), lease.number(), lease.term(), last).await
}

/// The number stays the same for any request, and however often the device makes one.
async fn a_device_keeps_its_number(database: Database) {
    let (scratch, map, leases) = leases(database).await;
    let short = map.device_leases().duration(MINUTE);
    let (device, other) = (Uuid::new_v4(), Uuid::new_v4());
    let first = short.lease(device).await.unwrap();
    assert_eq!((first.device(), first.term()), (device, 1));
    assert_eq!(first.grant().number(), first.number());
    let lost_answer = short.lease(device).await.unwrap();
    assert_eq!((lost_answer.number(), lost_answer.not_before()), (first.number(), first.not_before()));
    assert_ne!(leases.lease(other).await.unwrap().number(), first.number());

    let renewed = renew(&leases, &first).await.unwrap();
    assert_eq!((renewed.number(), renewed.term()), (first.number(), 1));
    assert!(secs(renewed.not_after()) - secs(first.not_after()) > 29 * 86_400);
    // Never shorter than what the device knows.
    assert_eq!(short.lease(device).await.unwrap(), renewed);

    // A release that is repeated, or arrives late, does not end a later lease.
    let error = release(&leases, &first, renewed.not_after().saturating_add(MINUTE)).await.unwrap_err();
    assert!(error.is_config() && error.to_string().contains("the lease is from"), "{error}");
    let last = Timestamp::from_unix_secs(secs(first.not_before()) + 7);
    assert!(release(&leases, &first, last).await.unwrap());
    assert!(!release(&leases, &first, last).await.unwrap());
    let error = renew(&leases, &first).await.unwrap_err();
    assert!(error.is_lease_lost() && error.to_string().contains("it was released or ended"), "{error}");
    let again = leases.lease(device).await.unwrap();
    assert_eq!((again.number(), again.term()), (first.number(), 2));
    assert!(!release(&leases, &first, last).await.unwrap());

    assert_eq!(leases.expire(Uuid::new_v4()).await.unwrap(), None);
    let expired = leases.expire(device).await.unwrap().unwrap();
    let (now, all) = leases.list().await.unwrap();
    assert!(secs(expired.not_after()) <= secs(now) && expired.term() == 3);
    assert_eq!(leases.expire(device).await.unwrap(), Some(expired));
    assert!(renew(&leases, &again).await.unwrap_err().is_lease_lost());
    assert_eq!(all.len(), 2);
    assert!(all.contains(&expired) && all.is_sorted_by_key(Lease::number));

    for marker in [Uuid::nil(), Uuid::max()] {
        assert!(leases.lease(marker).await.unwrap_err().is_config());
    }
    let reader = UuidMap::builder().read_only(true).connect(scratch.url()).await.unwrap();
    assert!(reader.device_leases().lease(device).await.unwrap_err().to_string().contains("read_only"));
    assert!(reader.map_id().await.is_ok());
}

/// Takes every number except those of the given leases, for good.
async fn take_all_others(scratch: &Scratch) {
    let mut connection = connect(scratch.url()).await;
    run(&mut connection, "CREATE TEMPORARY TABLE digit (n INT UNSIGNED PRIMARY KEY)").await;
    let digits: Vec<String> = (0..256).map(|n| format!("({n})")).collect();
    run(&mut connection, format!("INSERT INTO digit VALUES {}", digits.join(","))).await;
    run(&mut connection, "CREATE TEMPORARY TABLE other (n INT UNSIGNED PRIMARY KEY)").await;
    run(&mut connection, "INSERT INTO other SELECT n * 256 FROM digit").await;
    run(
        &mut connection,
        "INSERT INTO uuid_map_lease (number, device, term, first_sec, last_sec) \
         SELECT digit.n + other.n, UNHEX(LPAD(HEX(65536 + digit.n + other.n), 32, '0')), 1, 1, 4294967295 FROM digit, other \
         ON DUPLICATE KEY UPDATE number = uuid_map_lease.number",
    )
    .await;
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM uuid_map_lease").await, Ok(65_536));
}

async fn a_number_rests_before_another_device_gets_it(database: Database) {
    let (scratch, map, leases) = leases(database).await;
    let (device, other) = (Uuid::new_v4(), Uuid::new_v4());
    let held = leases.lease(device).await.unwrap();
    take_all_others(&scratch).await;
    let mut connection = connect(scratch.url()).await;
    let end = async |connection: &mut _, ago: i64| {
        let (now, _) = leases.list().await.unwrap();
        let last = secs(now) - ago;
        let statement = "UPDATE uuid_map_lease SET first_sec = 5, last_sec = ";
        run(connection, format!("{statement}{last} WHERE number = {}", held.number())).await;
        last
    };
    // The lease has ended, but the number rests for a day.
    let last = end(&mut connection, 3_600).await;
    let error = leases.lease(other).await.unwrap_err();
    assert!(error.is_no_number_free(), "{error}");
    assert_eq!(error.next_free_number_at().map(secs), Some(last + 86_401));
    // Meanwhile its holder can have it again.
    assert_eq!(leases.lease(device).await.unwrap().number(), held.number());
    assert!(leases.lease(other).await.unwrap_err().is_no_number_free());

    let last = end(&mut connection, 86_403).await;
    let given = leases.lease(other).await.unwrap();
    assert_eq!((given.number(), given.term()), (held.number(), held.term() + 1));
    assert!(secs(given.not_before()) > last);
    let error = renew(&leases, &held).await.unwrap_err();
    assert!(error.is_lease_lost() && error.to_string().contains("went to another device"), "{error}");
    assert!(!release(&leases, &held, held.not_before()).await.unwrap());
    assert!(map.device_leases().lease(device).await.unwrap_err().is_no_number_free());
}

/// The seconds of two leases never overlap, even if clients choose no margin at all.
async fn a_clock_that_is_wrong_repeats_no_second(database: Database) {
    let (scratch, map, leases) = leases(database).await;
    let careless = map.device_leases().margin(Duration::ZERO).duration(Duration::ZERO);
    let held = careless.lease(Uuid::new_v4()).await.unwrap();
    take_all_others(&scratch).await;
    let mut connection = connect(scratch.url()).await;
    let mut before = held;
    for round in 0..5 {
        // Leases the number as soon as the server's clock allows it.
        let next = loop {
            match careless.lease(Uuid::new_v4()).await {
                Ok(lease) => break lease,
                Err(error) => assert!(error.is_no_number_free(), "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        assert_eq!(next.number(), before.number());
        assert!(next.not_before() > before.not_after(), "{round}: {next:?} after {before:?}");
        before = next;
    }
    // The clock of the server was ahead, and is right again: nothing is taken from the holder.
    let ahead = secs(leases.list().await.unwrap().0) + 1_000_000_000;
    let statement =
        format!("UPDATE uuid_map_lease SET last_sec = {ahead} WHERE number = {}", before.number());
    run(&mut connection, statement).await;
    assert_eq!(secs(renew(&leases, &before).await.unwrap().not_after()), ahead);
    assert!(careless.lease(Uuid::new_v4()).await.unwrap_err().is_no_number_free());
}

async fn all_numbers_taken_says_when_one_is_free(database: Database) {
    let (scratch, map, leases) = leases(database).await;
    take_all_others(&scratch).await;
    let mut connection = connect(scratch.url()).await;
    run(&mut connection, "UPDATE uuid_map_lease SET last_sec = 2000000000 WHERE number = 777").await;
    let error = leases.lease(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_no_number_free());
    assert_eq!(error.next_free_number_at().map(secs), Some(2_000_086_401));
    assert!(error.to_string().contains("at 2033-05-19T03:33:21Z"), "{error}");
    // The last number that was never leased is found.
    run(&mut connection, "DELETE FROM uuid_map_lease WHERE number = 40000").await;
    let last = map.device_leases().duration(Duration::MAX).lease(Uuid::new_v4()).await.unwrap();
    assert_eq!((last.number(), secs(last.not_after())), (40_000, i64::from(u32::MAX)));
}

/// Many clients, few free numbers, and connections that the server closes at any time, also during a commit.
async fn clients_never_lease_a_number_twice(database: Database) {
    const FREE: usize = 30;
    let (scratch, _, _) = leases(database).await;
    take_all_others(&scratch).await;
    let mut connection = connect(scratch.url()).await;
    // Some were never leased, the others have rested.
    run(&mut connection, "DELETE FROM uuid_map_lease WHERE number < 10").await;
    run(&mut connection, "UPDATE uuid_map_lease SET last_sec = 1000 WHERE number BETWEEN 100 AND 119").await;

    let done = Arc::new(AtomicBool::new(false));
    let (root, schema) = (server(database).url().to_owned(), scratch.name().to_owned());
    let killer = tokio::spawn({
        let done = done.clone();
        async move {
            let mut root = connect(&root).await;
            // Often, but with time in between for attempts that succeed.
            for _ in 0..20 {
                if done.load(Ordering::SeqCst) {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(fastrand::u64(100..800))).await;
                kill_connections(&mut root, database, &schema).await;
            }
        }
    });
    // Each device asks through two clients at the same time.
    let devices: Vec<Uuid> = (0..FREE + 10).map(|_| Uuid::new_v4()).collect();
    let mut tasks = Vec::new();
    for client in 0..4 {
        let map = UuidMap::builder().timeout(MINUTE).connect(scratch.url()).await.unwrap();
        let asked: Vec<Uuid> = devices
            .iter()
            .enumerate()
            .filter(|(at, _)| at % 2 == client % 2)
            .map(|(_, uuid)| *uuid)
            .collect();
        tasks.push(tokio::spawn(async move {
            let leases = map.device_leases();
            let mut got = Vec::new();
            for device in asked {
                match leases.lease(device).await {
                    Ok(lease) => got.push(lease),
                    Err(error) => assert!(error.is_no_number_free(), "{error}"),
                }
            }
            got
        }));
    }
    let mut numbers: HashMap<Uuid, u16> = HashMap::new();
    for task in tasks {
        for lease in task.await.unwrap() {
            assert_eq!(*numbers.entry(lease.device()).or_insert(lease.number()), lease.number());
        }
    }
    done.store(true, Ordering::SeqCst);
    killer.await.unwrap();
    assert_eq!(numbers.len(), FREE);
    assert_eq!(numbers.values().collect::<HashSet<_>>().len(), FREE);
    assert!(numbers.values().all(|number| *number < 10 || (100..120).contains(number)), "{numbers:?}");
}

async fn a_table_without_its_keys_is_refused(database: Database) {
    let (scratch, map) = map(database, Index::Unique).await;
    let leases = map.device_leases();
    let device = Uuid::new_v4();
    let error = leases.lease(device).await.unwrap_err();
    assert!(error.is_not_installed() && error.to_string().contains("idgen map lease install"), "{error}");
    let mut connection = connect(scratch.url()).await;
    leases.install().await.unwrap();

    // The stored lease is read back.
    run(
        &mut connection,
        "CREATE TRIGGER other BEFORE INSERT ON uuid_map_lease FOR EACH ROW SET NEW.number = NEW.number ^ 1",
    )
    .await;
    let error = leases.lease(device).await.unwrap_err();
    assert!(error.is_damaged() && error.to_string().contains("a trigger"), "{error}");
    run(&mut connection, "DROP TRIGGER other").await;
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM uuid_map_lease").await, Ok(0));

    for (change, words) in [
        ("ALTER TABLE uuid_map_lease DROP KEY device", "no UNIQUE KEY `device` (`device`)"),
        ("ALTER TABLE uuid_map_lease ADD UNIQUE KEY device (device, number)", "no UNIQUE KEY"),
        (
            "ALTER TABLE uuid_map_lease DROP KEY device, ADD UNIQUE KEY device (device), DROP PRIMARY KEY",
            "PRIMARY KEY",
        ),
        ("RENAME TABLE uuid_map_lease TO real_lease", "idgen map lease install"),
        ("CREATE VIEW uuid_map_lease AS SELECT * FROM real_lease", "a view"),
    ] {
        run(&mut connection, change).await;
        let error = leases.lease(device).await.unwrap_err().to_string();
        assert!(error.contains(words), "{change}: {error}");
        if !change.starts_with("RENAME") {
            assert!(leases.install().await.unwrap_err().is_schema(), "{change}");
        }
    }
}

/// The statements of docs/sync.md, as they are written there.
async fn a_restored_table_leases_no_number_twice(database: Database) {
    let (scratch, _, leases) = leases(database).await;
    let mut connection = connect(scratch.url()).await;
    let (old, running) = (Uuid::new_v4(), Uuid::new_v4());
    // In the backup: a lease that ended long ago, and one that runs.
    let ended = leases.lease(old).await.unwrap().number();
    let lease = leases.lease(running).await.unwrap();
    let long_ago = format!("UPDATE uuid_map_lease SET first_sec = 1, last_sec = 100 WHERE number = {ended}");
    run(&mut connection, long_ago).await;
    // After it, another device has got that number, and all others may be held by devices without a row.
    let docs = include_str!("../../../../docs/sync.md");
    let (_, recipe) = docs.split_once("<!-- begin restored leases -->\n```sql\n").unwrap();
    let (recipe, _) = recipe.split_once("```").unwrap();
    run(&mut connection, recipe).await;
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM uuid_map_lease").await, Ok(65_536));
    for device in [old, running, Uuid::new_v4()] {
        let error = leases.lease(device).await.unwrap_err();
        assert!(error.is_no_number_free(), "{error}");
        let free = error.next_free_number_at().unwrap();
        let now = number(&mut connection, "SELECT UNIX_TIMESTAMP()").await.unwrap();
        assert!(secs(free) > now + 7_776_000, "{free}");
    }
    assert!(renew(&leases, &lease).await.unwrap_err().is_lease_lost());
    // When all unknown leases have ended, numbers are given out again, for times after those.
    run(&mut connection, "UPDATE uuid_map_lease SET last_sec = UNIX_TIMESTAMP() - 90000").await;
    let again = leases.lease(old).await.unwrap();
    assert!(again.term() > 1);
}
