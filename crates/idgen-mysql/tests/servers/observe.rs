//! Tests what the map reports while it works: each counter, gauge and event of docs/mapping.md.

use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch, Wait};
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, SharedString, Unit};
use sqlx::{Connection, Executor, Row};
use uuid::Uuid;

use crate::common::{assert_sound, connect, map, run, user};

/// The counted values, by name and label.
#[derive(Default)]
struct Book(Mutex<HashMap<String, Arc<AtomicU64>>>);

impl Book {
    fn cell(&self, key: &Key) -> Arc<AtomicU64> {
        let labels: Vec<String> = key.labels().map(|label| format!(" {}", label.value())).collect();
        self.0.lock().unwrap().entry(format!("{}{}", key.name(), labels.concat())).or_default().clone()
    }

    fn count(&self, name: &str) -> u64 {
        self.0.lock().unwrap().get(name).map_or(0, |cell| cell.load(Ordering::Relaxed))
    }

    fn gauge(&self, name: &str) -> f64 {
        f64::from_bits(self.count(name))
    }
}

impl metrics::Recorder for Book {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.cell(key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.cell(key))
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

/// The lines that a subscriber wrote.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    fn count(&self, level: &str, words: &str) -> usize {
        let text = self.text();
        text.lines().filter(|line| line.contains(&format!("{level} ")) && line.contains(words)).count()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// While there is only one subscriber, `tracing` asks only the subscriber of the thread that first reaches an event
/// whether anybody wants it, and threads of other tests have none. With two subscribers, it asks both.
static SECOND: LazyLock<tracing::Dispatch> =
    LazyLock::new(|| tracing::Dispatch::new(tracing_subscriber::fmt().with_writer(std::io::sink).finish()));

// A runtime on one thread, so that recorder and subscriber belong to this test alone.
#[tokio::test]
async fn mysql_unique() {
    everything_is_reported(Database::MySql, Index::Unique).await;
}

#[tokio::test]
async fn mysql_dedup() {
    everything_is_reported(Database::MySql, Index::Dedup).await;
}

#[tokio::test]
async fn mariadb_unique() {
    everything_is_reported(Database::MariaDb, Index::Unique).await;
}

#[tokio::test]
async fn mariadb_dedup() {
    everything_is_reported(Database::MariaDb, Index::Dedup).await;
}

async fn everything_is_reported(database: Database, index: Index) {
    let (book, lines) = (Book::default(), Lines::default());
    let _recorder = metrics::set_default_local_recorder(&book);
    LazyLock::force(&SECOND);
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_max_level(tracing_subscriber::filter::LevelFilter::DEBUG)
        .with_writer(move || writer.clone())
        .finish();
    let _subscriber = tracing::subscriber::set_default(subscriber);
    let (scratch, map) = map(database, index).await;
    let other = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    let (uuid, another) = (Uuid::new_v4(), Uuid::new_v4());

    calls(&book, &map, &other, [uuid, another]).await;
    lost_connections(&book, &lines, &scratch, &map).await;
    if database == Database::MariaDb {
        log_waits(&book, &scratch, &other, uuid).await;
    }
    if index == Index::Dedup {
        claims_that_stay(&lines, &scratch).await;
    }

    let burned = book.count("idgen_map_ids_burned_total");
    other.fence(6000).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let last = Uuid::new_v4();
    assert!(map.id_of(last).await.unwrap() >= 6000);
    assert!(lines.count("INFO", "new epoch") > 0);
    within_and_elsewhere(&book, &lines, &scratch, &map).await;
    assert!(book.count("idgen_map_ids_burned_total") > burned, "the rest of the block is not used any more");

    let share = |percent: u64| i64::MAX as u64 / 100 * percent;
    let importing = UuidMap::builder().allow_exhausting_import(true).connect(scratch.url()).await.unwrap();
    for (percent, words, warnings) in
        [(79, "ids are used", 0), (81, "80 %", 1), (82, "80 %", 1), (96, "95 %", 1)]
    {
        importing.import(&[(share(percent), Uuid::new_v4())]).await.unwrap();
        assert_eq!(lines.count("WARN", words), warnings, "{percent}: {}", lines.text());
    }
    assert_eq!(book.count("idgen_map_calls_total import"), 4);
    assert_sound(scratch.url()).await;

    let mut root = connect(scratch.url()).await;
    run(&mut root, "UPDATE uuid_map_state SET map_id = x'00112233445566778899aabbccddeeff'").await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert!(map.id_of(Uuid::new_v4()).await.unwrap_err().is_other_map());
    assert!(lines.count("WARN", "the server is refused") > 0);

    assert_eq!(book.gauge("idgen_map_connections_in_use"), 0.0);
    // Statements of the test's own connections are not counted as the map's.
    let text = lines.text();
    let text: Vec<&str> = text.lines().filter(|line| !line.contains("sqlx::query")).collect();
    let text = text.join("\n");
    let (_, password) =
        scratch.url().split_once("://").unwrap().1.split_once('@').unwrap().0.split_once(':').unwrap();
    assert!(!text.contains("Secret-7") && (password.is_empty() || !text.contains(password)), "{text}");
    for line in text.lines().filter(|line| !line.contains("DEBUG ")) {
        for uuid in [uuid, another, last] {
            let (long, short) = (uuid.to_string(), uuid.simple().to_string());
            assert!(!line.contains(&long) && !line.contains(&short), "{line}");
        }
        assert!(!line.contains("00112233"), "{line}");
    }
}

async fn calls(book: &Book, map: &UuidMap, other: &UuidMap, [uuid, another]: [Uuid; 2]) {
    let id = map.id_of(uuid).await.unwrap();
    map.id_of(uuid).await.unwrap();
    assert_eq!(other.ids_of(&[uuid, another]).await.unwrap()[0], id);
    other.register(another).await.unwrap_err();
    other.find(uuid).await.unwrap();
    map.uuid_of(id).await.unwrap();
    for (call, count) in
        [("id_of", 2), ("ids_of", 1), ("register", 1), ("find", 1), ("uuid_of", 1), ("forget", 0)]
    {
        assert_eq!(book.count(&format!("idgen_map_calls_total {call}")), count, "{call}");
    }
    assert_eq!(book.count("idgen_map_new_total"), 2);
    assert_eq!(book.count("idgen_map_found_total"), 3);
    assert_eq!(book.count("idgen_map_cached_total"), 1);
    assert!(book.gauge("idgen_map_block_left uuid_map") > 100.0);
    // One of 2,000 claims is followed by work in the background.
    let wait = Wait::until("no connection is in use");
    while book.gauge("idgen_map_connections_in_use") != 0.0 {
        wait.check();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// An idle connection is used again without a check within a second after its last use.
async fn lost_connections(book: &Book, lines: &Lines, scratch: &Scratch, map: &UuidMap) {
    let mut root = connect(scratch.url()).await;
    let own: u64 = root.fetch_one("SELECT CONNECTION_ID()").await.unwrap().try_get_unchecked(0).unwrap();
    for _ in 0..50 {
        for row in root.fetch_all(sqlx::raw_sql("SHOW PROCESSLIST")).await.unwrap() {
            let thread: u64 = row.try_get_unchecked("Id").unwrap();
            let schema: Option<String> = row.try_get_unchecked("db").unwrap();
            if thread != own && schema.as_deref() == Some(scratch.name()) {
                // The connection may have ended by itself.
                let _ = root.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(format!("KILL {thread}")))).await;
            }
        }
        map.id_of(Uuid::new_v4()).await.unwrap();
        if book.count("idgen_map_retries_total") > 0 && book.count("idgen_map_ids_burned_total") > 0 {
            break;
        }
    }
    assert!(book.count("idgen_map_retries_total") > 0 && book.count("idgen_map_ids_burned_total") > 0);
    assert!(lines.count("DEBUG", "an attempt failed and is repeated") > 0);
    assert!(lines.count("INFO", "a connection was lost") > 0);
    // The event says in which call it happened.
    assert!(lines.count("DEBUG", "id_of:") > 0, "{}", lines.text());
}

async fn within_and_elsewhere(book: &Book, lines: &Lines, scratch: &Scratch, map: &UuidMap) {
    let mut connection = connect(scratch.url()).await;
    let mut transaction = connection.begin().await.unwrap();
    let new = book.count("idgen_map_new_total");
    let (one, two) = (Uuid::new_v4(), Uuid::new_v4());
    map.id_of_within(&mut transaction, one).await.unwrap();
    map.ids_of_within(&mut transaction, &[one, two]).await.unwrap();
    map.register_within(&mut transaction, Uuid::new_v4()).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(book.count("idgen_map_new_total"), new + 3);
    map.forget(one).await.unwrap();
    for call in ["id_of_within", "ids_of_within", "register_within", "forget"] {
        assert_eq!(book.count(&format!("idgen_map_calls_total {call}")), 1, "{call}");
    }
    // Nothing listens on the port of the first node.
    UuidMap::builder().connect_any(["mysql://app@127.0.0.1:1/shop", scratch.url()]).await.unwrap();
    assert!(lines.count("INFO", "moves to another node") > 0, "{}", lines.text());
    assert!(lines.count("DEBUG", "connected") > 0);
}

/// An uncommitted transaction leaves log records that are not on disk.
async fn log_waits(book: &Book, scratch: &Scratch, map: &UuidMap, uuid: Uuid) {
    let mut foreign = connect(scratch.url()).await;
    run(&mut foreign, "CREATE TABLE foreign_rows (id INT PRIMARY KEY AUTO_INCREMENT, text VARCHAR(100))")
        .await;
    run(&mut foreign, "START TRANSACTION").await;
    for _ in 0..200 {
        run(&mut foreign, "INSERT INTO foreign_rows (text) VALUES (REPEAT('x', 100))").await;
        map.find(uuid).await.unwrap().unwrap();
        if book.count("idgen_map_log_waits_total") > 0 {
            return;
        }
    }
    panic!("no wait for the log was counted");
}

/// The user lacks the privilege DELETE.
async fn claims_that_stay(lines: &Lines, scratch: &Scratch) {
    let mut root = connect(scratch.url()).await;
    let url = user(&mut root, scratch, &[("SELECT, INSERT, UPDATE", "*")]).await;
    let map = UuidMap::connect(&url).await.unwrap();
    map.id_of(Uuid::new_v4()).await.unwrap();
    map.close().await.unwrap();
    // Once at the end, and once after one of 2,000 claims.
    assert!((1..=2).contains(&lines.count("WARN", "the privilege DELETE")), "{}", lines.text());
}
