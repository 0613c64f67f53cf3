//! A server and two devices on a real database: the server is killed, answers are lost, and each row arrives once.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod process;
mod request;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use flate2::{Compression, write::GzEncoder};
use idgen_outbox::Outbox;
use idgen_server::{Database, Scratch, Server, Settings, Wait};
use idgen_sync_server::device::{Device, body};
use idgen_sync_server::server::LARGEST_BODY;
use serde_json::{Value, json};
use sqlx::{Connection, MySqlConnection, Row};
use uuid::Uuid;

use process::{Process, TOKEN};
use request::{answer, authorized, request};

fn start(scratch: &Scratch) -> Process {
    Process::start(scratch.url(), Stdio::inherit()).unwrap()
}

/// Rows, changes and deletions; some batches are sent without waiting for an answer.
fn work(mut device: Device, url: &Mutex<String>, killing: &AtomicBool, seed: u64) -> Device {
    let mut random = fastrand::Rng::with_seed(seed);
    let current = || url.lock().unwrap().clone();
    let mut round = 0;
    while round < 40 || killing.load(Ordering::Relaxed) {
        round += 1;
        let list = device.add_list(&format!("list {round}")).unwrap();
        let items: Vec<Uuid> =
            (0..3).map(|at| device.add_item(list, &format!("item {at}")).unwrap()).collect();
        device.check_off(items[0]).unwrap();
        if random.bool() {
            device.delete("items", items[1]).unwrap();
        }
        if random.u8(..3) == 0 {
            // The device loses its connection, before the server has answered or even read the batch.
            let batch = device.next_batch(5_000).unwrap();
            drop(request(&current(), &authorized(), &body(&batch).unwrap()));
        }
        // Errors are of a server that is not there.
        let _ = device.send(&current(), TOKEN);
    }
    let wait = Wait::until("a server takes all changes");
    loop {
        wait.check();
        match device.send(&current(), TOKEN) {
            Ok(true) => {}
            Ok(false) => return device,
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// One change that cannot be read leaves those beside it alone, and a full outbox empties within the limits of the server.
#[test]
fn no_change_stops_the_others_and_every_outbox_empties() {
    let (_server, scratch) = database();
    let folder = tempfile::tempdir().unwrap();
    let process = start(&scratch);
    let good = |at: u32| {
        format!(
            r#"{{"table":"lists","row":"0190b0a0-0000-7000-8000-{at:012}","number":"1","operation":"put","columns":{{"title":"t"}}}}"#
        )
    };
    let with = |title: &str| good(9).replace(r#""t""#, title);
    let changes = [
        good(1),
        with(r#""half \ud83d""#),
        with("123456789012345678901"),
        with("[1]"),
        with("1e999"),
        r#"{"table":"lists"}"#.to_owned(),
        "7".to_owned(),
        good(2),
    ];
    let body = format!(r#"{{"changes":[{}]}}"#, changes.join(","));
    let (status, said) = answer(&process.url, &authorized(), body.as_bytes());
    let said = String::from_utf8_lossy(&said).into_owned();
    assert_eq!(status, 200, "{said}");
    let said: Value = serde_json::from_str(&said).unwrap();
    let outcomes: Vec<&str> = said["outcomes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|outcome| outcome["outcome"].as_str().unwrap())
        .collect();
    let bad = vec!["refused"; changes.len() - 2];
    assert_eq!(outcomes, [&["applied"][..], &bad, &["applied"]].concat());
    assert_eq!(said["limits"]["changes"], 1000);

    // More small changes than the server takes at once, a change that is larger than it takes, and one that waits for ever.
    let mut device =
        Device::open(&folder.path().join("full.sqlite")).unwrap().with_batches(4_000, 2 * LARGEST_BODY);
    let lists: Vec<Uuid> = (0..1_200).map(|at| device.add_list(&at.to_string()).unwrap()).collect();
    device.add_list(&"x".repeat(LARGEST_BODY)).unwrap();
    let nowhere = idgen::v7();
    device
        .database()
        .execute("INSERT INTO lists VALUES (?1, 'of another device')", [nowhere.to_string()])
        .unwrap();
    device.add_item(nowhere, "waits").unwrap();
    let mut rounds = 0;
    while device.send(&process.url, TOKEN).unwrap() {
        rounds += 1;
        assert!(rounds < 20, "{:?}", device.left());
    }
    let (pending, refused) = device.left().unwrap();
    assert_eq!((pending, refused.len()), (1, 1), "{refused:?}");
    assert!(refused[0].contains("bytes"), "{refused:?}");
    assert!(device.waiting().unwrap()[0].contains(&nowhere.to_string()));
    for list in &lists {
        device.delete("lists", *list).unwrap();
    }
    while device.send(&process.url, TOKEN).unwrap() {
        rounds += 1;
        assert!(rounds < 40, "{:?}", device.left());
    }
    assert_eq!(device.left().unwrap().0, 1);

    // The server is restored from a backup: it has nothing any more.
    block_on(async {
        let mut connection = MySqlConnection::connect(scratch.url()).await.unwrap();
        for table in ["items", "lists", "uuid_map_row", "uuid_map_open"] {
            let empty = sqlx::raw_sql(sqlx::AssertSqlSafe(format!("DELETE FROM {table}")));
            sqlx::Executor::execute(&mut connection, empty).await.unwrap();
        }
    });
    let kept = device.add_list("kept").unwrap();
    while device.send(&process.url, TOKEN).unwrap() {}
    assert_eq!(device.resend().unwrap(), 1_201);
    while device.send(&process.url, TOKEN).unwrap() {}
    assert_eq!(device.left().unwrap().0, 1);
    assert_eq!(block_on(rows_there(scratch.url())).into_keys().collect::<Vec<_>>(), [kept.to_string()]);
    process.stop();
}

/// The answer to a batch that took too long says how much to send next time.
#[test]
fn a_batch_that_takes_too_long_is_halved() {
    let (_server, scratch) = database();
    let folder = tempfile::tempdir().unwrap();
    let process = start(&scratch);
    let mut device = Device::open(&folder.path().join("slow.sqlite")).unwrap();
    for at in 0..20 {
        device.add_list(&at.to_string()).unwrap();
    }
    let batch = device.next_batch(1 << 20).unwrap();
    let (status, said) = block_on(async {
        let mut connection = MySqlConnection::connect(scratch.url()).await.unwrap();
        sqlx::Executor::execute(&mut connection, sqlx::raw_sql("LOCK TABLES lists WRITE")).await.unwrap();
        answer(&process.url, &authorized(), &body(&batch).unwrap())
    });
    let said: Value = serde_json::from_slice(&said).unwrap();
    assert_eq!((status, &said["limits"]["changes"]), (503, &json!(10)), "{said}");
    while device.send(&process.url, TOKEN).unwrap() {}
    assert_eq!(device.left().unwrap().0, 0);
    process.stop();
}

/// A device's rows: of each table, the texts by UUID.
fn rows_of(device: &Device) -> BTreeMap<String, String> {
    let mut rows = BTreeMap::new();
    for statement in
        ["SELECT id, title FROM lists", "SELECT id, list_id || ' ' || title || ' ' || done FROM items"]
    {
        let mut statement = device.database().prepare(statement).unwrap();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            assert!(rows.insert(row.get(0).unwrap(), row.get(1).unwrap()).is_none());
        }
    }
    rows
}

/// The same of the server, where integers are keys.
async fn rows_there(url: &str) -> BTreeMap<String, String> {
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    let mut rows = BTreeMap::new();
    for statement in [
        "SELECT m.uuid, NULL, l.title, 0 FROM lists l LEFT JOIN uuid_map m ON m.id = l.id",
        "SELECT m.uuid, p.uuid, i.title, CAST(i.done AS SIGNED) FROM items i LEFT JOIN uuid_map m ON m.id = i.id \
         LEFT JOIN lists l ON l.id = i.list_id LEFT JOIN uuid_map p ON p.id = l.id",
    ] {
        for row in sqlx::query(statement).fetch_all(&mut connection).await.unwrap() {
            let uuid = |bytes: &[u8]| Uuid::from_slice(bytes).unwrap().to_string();
            let (key, title, done): (Vec<u8>, String, i64) = (row.get(0), row.get(2), row.get(3));
            let text = match row.get::<Option<Vec<u8>>, _>(1) {
                Some(list) => format!("{} {title} {done}", uuid(&list)),
                None => title,
            };
            assert!(rows.insert(uuid(&key), text).is_none());
        }
    }
    rows
}

fn database() -> (Server, Scratch) {
    let server = Server::start(Database::MySql, &Settings::new().buffer_pool_mib(64)).unwrap();
    let scratch = server.scratch().unwrap();
    (server, scratch)
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(work)
}

#[test]
fn each_row_arrives_once_and_bad_requests_are_refused() {
    let (_server, scratch) = database();
    let folder = tempfile::tempdir().unwrap();
    let mut process = start(&scratch);
    let url = Arc::new(Mutex::new(process.url.clone()));
    let killing = Arc::new(AtomicBool::new(true));
    let devices: Vec<_> = (0..2)
        .map(|at| {
            let device = Device::open(&folder.path().join(format!("{at}.sqlite"))).unwrap();
            let (url, killing) = (url.clone(), killing.clone());
            thread::spawn(move || work(device, &url, &killing, at))
        })
        .collect();
    for _ in 0..5 {
        thread::sleep(Duration::from_millis(300));
        process.kill();
        process = start(&scratch);
        url.lock().unwrap().clone_from(&process.url);
    }
    killing.store(false, Ordering::Relaxed);
    let mut expected = BTreeMap::new();
    for device in devices {
        let device = device.join().unwrap();
        assert_eq!(device.left().unwrap(), (0, Vec::new()));
        expected.extend(rows_of(&device));
    }
    // A batch whose device went away may still be in its transaction.
    bad_requests_are_refused(&process.url);
    process.stop();
    assert!(expected.len() > 200, "{}", expected.len());
    assert_eq!(block_on(rows_there(scratch.url())), expected);
}

fn bad_requests_are_refused(url: &str) {
    let change = |row: &str, columns: Value| json!({ "table": "lists", "row": row, "number": "1", "operation": "put", "columns": columns });
    let all = |changes: &[Value]| json!({ "changes": changes }).to_string().into_bytes();
    let row = "0190b0a0-0000-7000-8000-000000000001";
    let title = |title: &str| change(row, json!({ "title": title }));
    let large = all(&[title(&"x".repeat(LARGEST_BODY))]);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&large).unwrap();
    let packed = packed.finish().unwrap();
    assert!(packed.len() < LARGEST_BODY / 50);
    let gzip = format!("{}Content-Encoding: gzip\r\n", authorized());
    let text_number = |number: Value| {
        let mut change = title("x");
        change["number"] = number;
        all(&[change])
    };
    for (headers, body, status, words) in [
        ("", all(&[title("x")]), 401, "token"),
        ("Authorization: Bearer wrong\r\n", all(&[title("x")]), 401, "token"),
        (&authorized(), b"{".to_vec(), 400, "JSON"),
        (&authorized(), [all(&[title("x")]), b"NaN".to_vec()].concat(), 400, "JSON"),
        (&authorized(), b"{\"changes\": [{}, {\"number\": NaN}]}".to_vec(), 400, "in change 2"),
        (&authorized(), all(&[json!({ "table": "lists" })]), 200, "missing field"),
        (&authorized(), large, 413, "large"),
        // A few bytes that become many.
        (&gzip, packed, 413, "large"),
        (&authorized(), text_number(json!(1)), 200, "string"),
        (&authorized(), text_number(json!("+1")), 200, "no integer"),
        (&authorized(), text_number(json!("18446744073709551616")), 200, "no integer"),
        (&authorized(), all(&[change(row, json!({ "title": [] }))]), 200, "a text, a number"),
        (&authorized(), all(&vec![title("x"); 1_001]), 413, "\"changes\":1000"),
        (&authorized(), all(&[title(&"x".repeat(201))]), 200, "refused"),
        (&authorized(), all(&[change("nobody", json!({}))]), 200, "canonical"),
        (&authorized(), all(&[]), 200, "[]"),
    ] {
        let (found, said) = answer(url, headers, &body);
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(found, status, "{said}");
        assert!(said.contains(words), "{words}: {said}");
    }
}

/// More rows than a batch has exchange their unique codes: they are one batch, up to what the server takes.
#[test]
fn a_large_circle_of_exchanged_values_is_one_batch() {
    let (_server, scratch) = database();
    let process = start(&scratch);
    let folder = tempfile::tempdir().unwrap();
    let mut device = Device::open(&folder.path().join("circle.sqlite")).unwrap().with_batches(50, 20_000);
    let list = device.add_list("l").unwrap();
    let item = device.add_item(list, "i").unwrap();
    let notes: Vec<Uuid> = (0..120).map(|code| device.add_note(item, code).unwrap()).collect();
    while device.send(&process.url, TOKEN).unwrap() {}
    let outbox = Outbox::open(device.database()).unwrap();
    let transaction = device.database().unchecked_transaction().unwrap();
    for (at, note) in (1_u64..).zip(&notes) {
        let code = json!((at % 120).to_string());
        outbox.put(&transaction, "notes", *note, [("code", code)]).unwrap();
    }
    transaction.commit().unwrap();
    let wait = Wait::until("the circle is sent");
    while device.left().unwrap().0 > 0 {
        wait.check();
        if !device.send(&process.url, TOKEN).unwrap() {
            thread::sleep(Duration::from_millis(50));
        }
    }
    assert!(device.left().unwrap().1.is_empty(), "{:?}", device.left().unwrap());
}

/// A number of JSON whose digits a `DOUBLE` does not keep would be another one in a `DECIMAL` column.
#[test]
fn numbers_with_more_digits_than_a_double_are_refused() {
    let (_server, scratch) = database();
    let process = start(&scratch);
    block_on(async {
        let mut connection = MySqlConnection::connect(scratch.url()).await.unwrap();
        sqlx::query("ALTER TABLE lists ADD price DECIMAL(20,2) NULL").execute(&mut connection).await.unwrap();
    });
    for (at, (price, applies)) in [
        ("12345678901234567.89", false),
        ("0.10000000000000000001", false),
        ("1e-400", false),
        ("0.25", true),
        ("1.10", true),
        ("0.10000000000000001", true),
        ("\"12345678901234567.89\"", true),
    ]
    .iter()
    .enumerate()
    {
        let body = format!(
            "{{\"changes\":[{{\"table\":\"lists\",\"row\":\"01900000-0000-7000-8000-{at:012x}\",\"number\":\"1\",\
             \"operation\":\"put\",\"columns\":{{\"title\":\"l\",\"price\":{price}}}}}]}}"
        );
        let (status, said) = answer(&process.url, &authorized(), body.as_bytes());
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(status, 200, "{said}");
        assert_eq!(said.contains("\"applied\""), *applies, "{price}: {said}");
        assert!(*applies || said.contains("send it as text"), "{price}: {said}");
    }
}
