//! Checks that the SQL functions compute what the library computes.

use idgen::codec::{base64, hyphenated};
use idgen::source::{Clock, SystemClock};
use idgen::{Interval, Prefix, Timestamp, bounds};
use idgen_mysql::functions::{self, Dialect};
use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch};
use sqlx::{Executor, MySqlConnection, Row};
use uuid::Uuid;

use crate::common::{connect, everywhere, map, of_two, run};

everywhere!(
    codecs_agree,
    week_prefixes_agree,
    week_uuids_are_uuids,
    bounds_agree,
    the_map_is_found,
    scripts_run_in_any_mode
);

async fn with_functions(database: Database, index: Index) -> (Scratch, UuidMap, MySqlConnection) {
    let (scratch, map) = map(database, index).await;
    let mut connection = connect(scratch.url()).await;
    let dialect = of_two(database, Dialect::MySql, Dialect::MariaDb);
    // Runs it twice: the script replaces existing functions.
    for _ in 0..2 {
        for statement in functions::statements(dialect, "uuid_map", index).unwrap() {
            run(&mut connection, statement).await;
        }
    }
    (scratch, map, connection)
}

async fn text(
    connection: &mut MySqlConnection,
    function: &'static str,
    argument: &str,
) -> Result<Option<String>, sqlx::Error> {
    connection.fetch_one(sqlx::query(function).bind(argument)).await?.try_get(0)
}

fn vectors() -> serde_json::Value {
    serde_json::from_str(include_str!("../vectors/mysql-9.7.json")).unwrap()
}

async fn codecs_agree(database: Database, index: Index) {
    let (_scratch, _map, mut connection) = with_functions(database, index).await;
    for vector in vectors()["codec"].as_array().unwrap() {
        let (uuid, expected) = (vector["uuid"].as_str().unwrap(), vector["base64"].as_str().unwrap());
        let id = hyphenated::decode(uuid).unwrap();
        assert_eq!(base64::to_string(&id), expected);
        for spelling in [uuid, &uuid.to_uppercase()] {
            let found = text(&mut connection, "SELECT idgen_to_base64(?)", spelling).await.unwrap();
            assert_eq!(found.as_deref(), Some(expected));
        }
        let found = text(&mut connection, "SELECT LOWER(HEX(idgen_from_base64(?)))", expected).await.unwrap();
        assert_eq!(found, Some(id.simple().to_string()));
    }
    // The functions refuse what the library refuses.
    for bad in [
        "",
        "bM14DLq6ECaVZFuMZWAk2x",
        "bM14DLq6ECaVZFuMZWAk2",
        "bM14DLq6ECaVZFuMZWAk2ww",
        "bM14DLq6ECaVZFuMZWAk2!",
        "bM14DLq6ECaVZFuMZWAk==",
        "bM14DLq6ECaVZFuMZWAk2w==",
        "bM14DLq6ECaVZFuMZWAk2\u{e9}",
        "bM14DLq6ECaVZFuMZWAk2\n",
    ] {
        assert!(base64::decode(bad).is_err());
        let error = text(&mut connection, "SELECT HEX(idgen_from_base64(?))", bad).await.unwrap_err();
        // MariaDB's own error names a position behind two characters that the function added.
        assert!(
            error.to_string().contains("idgen: not the 22 characters of a UUID in base64"),
            "{bad}: {error}"
        );
    }
    for good in [
        "6CCD780C-BABA-1026-9564-5b8c656024db",
        "{6ccd780c-baba-1026-9564-5b8c656024db}",
        "6ccd780cbaba102695645b8c656024db",
        "6CCD780CBABA102695645B8C656024DB",
    ] {
        let found = text(&mut connection, "SELECT LOWER(HEX(idgen_bytes(?)))", good).await.unwrap();
        assert_eq!(found.as_deref(), Some("6ccd780cbaba102695645b8c656024db"), "{good}");
    }
    for bad in [
        "",
        "6ccd780c-baba-1026-9564-5b8c656024dg",
        "6ccd780cbaba102695645b8c656024dg",
        "6ccd780cbaba102695645b8c656024db\n",
        "{6ccd780cbaba102695645b8c656024db}",
        "{6ccd780c-baba-1026-9564-5b8c656024db",
        "6ccd780c-baba-1026-9564-5b8c656024db}",
        "{{6ccd780c-baba-1026-9564-5b8c656024db}}",
        "[6ccd780c-baba-1026-9564-5b8c656024db]",
        "6ccd780c-baba-1026-9564-5b8c656024db ",
    ] {
        let found = text(&mut connection, "SELECT HEX(idgen_bytes(?))", bad).await;
        assert!(found.is_err(), "{bad}: {found:?}");
    }
    let null = connection.fetch_one("SELECT idgen_bytes(NULL) IS NULL AND idgen_from_base64(NULL) IS NULL AND idgen_to_base64(NULL) IS NULL").await.unwrap();
    assert_eq!(null.get::<i64, _>(0), 1);
}

/// Runs a script as the servers' command-line clients do.
async fn run_script(connection: &mut MySqlConnection, script: &str) {
    let (mut delimiter, mut statement) = (";".to_owned(), String::new());
    for line in script.lines() {
        if let Some(new) = line.strip_prefix("DELIMITER ") {
            new.clone_into(&mut delimiter);
            continue;
        }
        statement.push_str(line);
        statement.push('\n');
        if let Some(whole) = statement.trim_end().strip_suffix(&delimiter) {
            run(connection, whole.to_owned()).await;
            statement.clear();
        }
    }
    assert_eq!(statement.trim(), "");
}

/// In the mode ORACLE, MariaDB parses functions in another syntax, and a function keeps the mode in which it was
/// created.
async fn scripts_run_in_any_mode(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let mut connection = connect(scratch.url()).await;
    let (dialect, modes) = of_two(
        database,
        (Dialect::MySql, &["ANSI", ""][..]),
        (Dialect::MariaDb, &["ORACLE", "ANSI", ""][..]),
    );
    let uuid = Uuid::new_v4();
    let id = map.id_of(uuid).await.unwrap();
    for mode in modes {
        run(&mut connection, format!("SET SESSION sql_mode = '{mode}'")).await;
        let before = text(&mut connection, "SELECT CONCAT(@@sql_mode, ?)", "").await.unwrap();
        run_script(&mut connection, &functions::script(dialect, "uuid_map", index).unwrap()).await;
        let after = text(&mut connection, "SELECT CONCAT(@@sql_mode, ?)", "").await.unwrap();
        assert_eq!(before, after, "the script leaves another mode behind");
        let found = text(&mut connection, "SELECT CAST(idgen_find(?) AS CHAR)", &uuid.to_string()).await;
        assert_eq!(found.unwrap(), Some(id.to_string()), "{mode}");
    }
}

async fn week_prefixes_agree(database: Database, index: Index) {
    let (_scratch, _map, mut connection) = with_functions(database, index).await;
    // Another default week mode must not change the prefix.
    run(&mut connection, "SET SESSION default_week_format = 3").await;
    let vectors = vectors();
    let vectors = vectors["week_prefix"].as_array().unwrap();
    assert!(vectors.len() > 200);
    for vector in vectors {
        let time = vector["utc"].as_str().unwrap().replace('T', " ").replace('Z', "");
        let found = text(&mut connection, "SELECT idgen_week_prefix(?)", &time).await.unwrap();
        assert_eq!(found.as_deref(), vector["prefix"].as_str(), "{time}");
        // MySQL rounds a time to the digits of its type: the last half second of a week was one of the next week.
        let found = text(&mut connection, "SELECT idgen_week_prefix(?)", &format!("{time}.999999")).await;
        assert_eq!(found.unwrap().as_deref(), vector["prefix"].as_str(), "{time}.999999");
    }
}

async fn week_uuids_are_uuids(database: Database, index: Index) {
    let (_scratch, _map, mut connection) = with_functions(database, index).await;
    // The session's time zone must not matter.
    run(&mut connection, "SET SESSION time_zone = '+13:00'").await;
    let prefix = || Prefix::MD5_WEEK_UTC.at(Interval::Week, SystemClock.now()).1;
    let mut all = Vec::new();
    for _ in 0..100 {
        let before = prefix();
        let row = connection.fetch_one("SELECT idgen_week_uuid()").await.unwrap();
        let after = prefix();
        let text: String = row.get(0);
        let uuid = hyphenated::decode(&text).unwrap();
        assert_eq!(text, uuid.to_string());
        assert_eq!((uuid.get_version_num(), uuid.get_variant()), (4, uuid::Variant::RFC4122));
        let found = u16::from_be_bytes([uuid.as_bytes()[0], uuid.as_bytes()[1]]);
        assert!(found == before || found == after, "{text}");
        all.push(uuid);
    }
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 100);
    // The formula with NOW() takes the week of the session: `--utc-offset` is for that.
    let session = Prefix::Md5Week { utc_offset_secs: 13 * 3_600 };
    let session = || format!("{:04x}", session.at(Interval::Week, SystemClock.now()).1);
    let before = session();
    let found =
        text(&mut connection, "SELECT idgen_week_prefix(NOW() + INTERVAL ? SECOND)", "0").await.unwrap();
    assert!(found == Some(before) || found == Some(session()), "{found:?}");
}

async fn bounds_agree(database: Database, index: Index) {
    let (_scratch, _map, mut connection) = with_functions(database, index).await;
    // The session's time zone must not matter.
    run(&mut connection, "SET SESSION time_zone = '-05:00'").await;
    for time in [
        "1970-01-01T00:00:00Z",
        "2026-03-08T02:30:00Z",
        "2026-11-21T12:00:00.123456Z",
        "2038-01-19T03:14:08Z",
        "2106-02-07T06:28:15.999999Z",
        "5236-03-31T21:21:00.684697Z",
        "9999-12-31T23:59:59.999999Z",
    ] {
        let moment: Timestamp = time.parse().unwrap();
        let sql = time.replace('T', " ").replace('Z', "");
        // A microsecond, the finest time of a server, has ten ticks.
        let times = moment..moment.saturating_add(std::time::Duration::from_micros(1));
        let hex = |range: std::ops::RangeInclusive<Uuid>| {
            (range.start().simple().to_string(), range.end().simple().to_string())
        };
        let last_tick =
            Timestamp::from_gregorian_ticks(u64::MAX).saturating_add(std::time::Duration::from_nanos(100));
        let gregorian = times.start..times.end.min(last_tick);
        let swapped = bounds::v1_swapped(gregorian.clone()).map(|range| {
            let [first, last] = [*range.start(), *range.end()].map(Uuid::from_bytes);
            hex(first..=last)
        });
        for (kind, expected) in [
            ("v6", bounds::v6(gregorian).map(hex)),
            ("v7", bounds::v7(times.clone()).map(hex)),
            ("ulid", bounds::ulid(times.clone()).map(hex)),
            ("v1-swapped", swapped),
        ] {
            let query = "SELECT LOWER(CONCAT(HEX(idgen_first_id(?, ?)), HEX(idgen_last_id(?, ?))))";
            let query = sqlx::query(query).bind(kind).bind(&sql).bind(kind).bind(&sql);
            let found = connection.fetch_one(query).await.and_then(|row| row.try_get::<String, _>(0));
            match expected {
                Ok((first, last)) => assert_eq!(found.unwrap(), first + &last, "{kind} {time}"),
                Err(_) => {
                    assert!(found.unwrap_err().to_string().contains("cannot hold the time"), "{kind} {time}")
                }
            }
        }
        let query = "SELECT CONCAT(idgen_first_short(?), ' ', idgen_last_short(?))";
        let query = sqlx::query(query).bind(&sql).bind(&sql);
        let found = connection.fetch_one(query).await.and_then(|row| row.try_get::<String, _>(0));
        match bounds::short(times) {
            Ok(range) => assert_eq!(found.unwrap(), format!("{} {}", range.start(), range.end()), "{time}"),
            Err(_) => assert!(found.unwrap_err().to_string().contains("cannot hold the time"), "{time}"),
        }
    }
    for wrong in ["SELECT HEX(idgen_first_id('v4', ?))", "SELECT HEX(idgen_last_id('v8', ?))"] {
        assert!(text(&mut connection, wrong, "2026-11-21").await.is_err(), "{wrong}");
    }
    assert!(text(&mut connection, "SELECT HEX(idgen_first_id('v7', ?))", "1969-12-31").await.is_err());
    assert_eq!(text(&mut connection, "SELECT HEX(idgen_first_id(?, NULL))", "v7").await.unwrap(), None);
}

async fn the_map_is_found(database: Database, index: Index) {
    let (_scratch, map, mut connection) = with_functions(database, index).await;
    let uuid = Uuid::new_v4();
    let find = "SELECT CAST(idgen_find(?) AS CHAR)";
    assert_eq!(text(&mut connection, find, &uuid.to_string()).await.unwrap(), None);
    let id = map.id_of(uuid).await.unwrap();
    assert_eq!(
        text(&mut connection, find, &uuid.to_string().to_uppercase()).await.unwrap(),
        Some(id.to_string())
    );
    let bytes = connection
        .fetch_one(sqlx::query("SELECT CAST(idgen_find(?) AS CHAR)").bind(&uuid.as_bytes()[..]))
        .await
        .unwrap();
    assert_eq!(bytes.get::<Option<String>, _>(0), Some(id.to_string()));
    let back = "SELECT idgen_uuid_of(?)";
    assert_eq!(text(&mut connection, back, &id.to_string()).await.unwrap(), Some(uuid.to_string()));
    assert_eq!(text(&mut connection, back, &(id + 1).to_string()).await.unwrap(), None);
    map.forget(uuid).await.unwrap();
    assert_eq!(text(&mut connection, back, &id.to_string()).await.unwrap(), None);
    // The functions of the other index fail instead of scanning the whole table.
    let (dialect, other) = match (database, index) {
        (Database::MySql, Index::Dedup) => (Dialect::MySql, Index::Unique),
        (Database::MySql, _) => (Dialect::MySql, Index::Dedup),
        (_, Index::Dedup) => (Dialect::MariaDb, Index::Unique),
        (_, _) => (Dialect::MariaDb, Index::Dedup),
    };
    for statement in functions::statements(dialect, "uuid_map", other).unwrap() {
        run(&mut connection, statement).await;
    }
    let error = text(&mut connection, find, &uuid.to_string()).await.unwrap_err();
    assert!(error.to_string().contains("1176") || error.to_string().contains("1054"), "{error}");
}

#[test]
fn the_script_is_for_a_command_line_client() {
    let script = functions::script(Dialect::MySql, "uuid_map", Index::Unique).unwrap();
    assert!(script.contains(";\nDELIMITER //\nDROP FUNCTION IF EXISTS idgen_bytes\n//\n"), "{script}");
    assert!(script.ends_with("//\nDELIMITER ;\nSET SESSION sql_mode = @idgen_sql_mode;\n"));
    assert!(!script.contains("MD5(CONCAT(YEAR(p_time)"), "MySQL 9.7 has no MD5()");
    assert!(functions::script(Dialect::MySql, "x; DROP", Index::Unique).is_err());
}
