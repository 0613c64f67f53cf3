//! `idgen map` and `idgen sql` from end to end, on both servers.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod damaged;
mod restricted;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use idgen_record::Database;
use idgen_server::{Server, Settings};
use sqlx::{Connection, Executor};

const UUID: &str = "6ccd780c-baba-1026-9564-5b8c656024db";

struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn idgen(url: &str, arguments: &[&str], input: &str) -> Ran {
    let mut command = Command::cargo_bin("idgen").unwrap();
    let output = command.env("IDGEN_MAP_URL", url).args(arguments).write_stdin(input).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let ran =
        Ran { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) };
    let password = url.split([':', '@']).nth(2).unwrap();
    assert!(!ran.out.contains(password) && !ran.err.contains(password), "{}{}", ran.out, ran.err);
    ran
}

fn done(url: &str, arguments: &[&str], input: &str) -> String {
    let ran = idgen(url, arguments, input);
    assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.err);
    ran.out
}

fn end_to_end(database: Database) {
    let server = Server::start(database, &Settings::new().tls(database == Database::MariaDb)).unwrap();
    for index in ["unique", "dedup"] {
        let scratch = server.scratch().unwrap();
        let url = scratch.url();

        let early = idgen(url, &["map", "id", UUID], "");
        assert_eq!(early.code, 1);
        assert!(early.err.contains("idgen map install"), "{}", early.err);
        for _ in 0..2 {
            let installed = done(url, &["map", "install", "--index", index, "--id-bits", "32"], "");
            let expected =
                format!("Installed: index {index}, 32-bit ids, on {database} {}.\n", server.version());
            assert_eq!(installed, expected);
        }

        assert_eq!(done(url, &["map", "id", UUID], ""), "1\n");
        // What can only be a UUID, as servers print it too; other formats only by name.
        let texts = "0x6CCD780CBABA102695645B8C656024DB\n\\x6ccd780cbaba102695645b8c656024db\nURN:UUID:6ccd780c-baba-1026-9564-5b8c656024db\n";
        assert_eq!(done(url, &["map", "id"], texts), "1\n1\n1\n");
        assert_eq!(done(url, &["map", "id", "--from", "base64"], "bM14DLq6ECaVZFuMZWAk2w\n"), "1\n");
        for text in [
            "42",
            "0",
            "1234567890123456789012",
            "bM14DLq6ECaVZFuMZWAk2w",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "82345678901234567890123456",
        ] {
            for command in ["id", "ids", "register", "forget"] {
                let refused = idgen(url, &["map", command], &format!("{text}\n"));
                let line = if command == "register" { "" } else { "\n" };
                assert_eq!((refused.code, refused.out.as_str()), (1, line), "{command} {text}");
                assert!(refused.err.contains("name the format"), "{command} {text}: {}", refused.err);
            }
        }
        let count = done(url, &["map", "export"], "").lines().count();
        assert_eq!(count, 1, "a text that is not a UUID has no pair");
        let again = idgen(url, &["map", "register", UUID], "");
        assert_eq!((again.code, again.out.as_str()), (1, ""));
        assert!(again.err.contains("with the id 1"), "{}", again.err);
        assert_eq!(done(url, &["map", "uuid", "1"], ""), format!("{UUID}\n"));
        let missing = idgen(url, &["map", "uuid", "1", "77"], "");
        assert_eq!((missing.code, missing.out), (1, format!("{UUID}\n\n")));
        assert!(missing.err.contains("no UUID has the id 77"), "{}", missing.err);
        assert_eq!(done(url, &["map", "uuid"], "\u{feff}1\r\n1\n"), format!("{UUID}\n{UUID}\n"));
        assert_eq!(done(url, &["map", "uuid"], ""), "");
        let holed = idgen(url, &["map", "uuid"], "1\n77\n+1\n01\n\n1_0\n1");
        assert_eq!((holed.code, holed.out), (1, format!("{UUID}\n\n\n\n\n\n{UUID}\n")));
        for says in ["no UUID has the id 77", "line 3: '+1'", "line 4: '01'", "line 5: ''", "line 6: '1_0'"] {
            assert!(holed.err.contains(says), "{says}: {}", holed.err);
        }

        let mut uuids: Vec<String> =
            (1..=2500_u128).map(|n| uuid::Uuid::from_u128(n << 64).to_string()).collect();
        uuids.push(UUID.to_owned());
        let ids = done(url, &["map", "ids"], &uuids.join("\n"));
        assert_eq!(ids.lines().count(), 2501);
        assert_eq!(ids.lines().last(), Some("1"));
        assert_eq!(done(url, &["map", "ids"], &uuids.join("\n")), ids);
        // Each line of the input has one line of output, even a bad one.
        for command in ["id", "ids"] {
            let holed = idgen(url, &["map", command], &format!("{UUID}\nnonsense\n\n{}\n", uuids[0]));
            let first = ids.lines().next().unwrap();
            assert_eq!((holed.code, holed.out), (1, format!("1\n\n\n{first}\n")), "{command}");
            assert!(holed.err.contains("line 2") && holed.err.contains("line 3"), "{}", holed.err);
        }

        let pairs = done(url, &["map", "export"], "");
        assert_eq!(pairs.lines().count(), 2501);
        assert!(pairs.starts_with(&format!("1\t{UUID}\n")));
        let last = pairs.lines().nth(1999).unwrap().split('\t').next().unwrap();
        assert_eq!(done(url, &["map", "export", "--after", last], "").lines().count(), 501);

        let other = ["--table", "other"];
        done(url, &[&["map", "install"], &other[..]].concat(), "");
        let import = [&["map", "import"], &other[..]].concat();
        let first = idgen(url, &import, &pairs);
        assert_eq!(first.err, "note: 2501 pairs imported, 0 were already present\n");
        let second = idgen(url, &import, &pairs);
        assert_eq!(second.err, "note: 0 pairs imported, 2501 were already present\n");
        assert_eq!(done(url, &[&["map", "export"], &other[..]].concat(), ""), pairs);
        for number in
            ["9_0_0_0_1", "+90002", "090003", "-1", "90K", " 90004", "90005 ", "", "18446744073709551616"]
        {
            let bad = idgen(url, &import, &format!("{number}\t7d2f1c0e-0000-4000-8000-000000000009\n"));
            assert_eq!(bad.code, 1, "{number}");
            assert!(bad.err.contains("line 1 is not an id, a tab and a UUID"), "{number}: {}", bad.err);
            assert!(bad.err.contains("is not a whole number"), "{number}: {}", bad.err);
        }
        assert_eq!(done(url, &[&["map", "export"], &other[..]].concat(), ""), pairs);
        // A byte order mark that is not at the beginning, as after `cat` of two files.
        let bad = idgen(url, &import, &format!("1\t{UUID}\n\u{feff}2\t{UUID}\n"));
        assert!(bad.code == 1 && bad.err.contains("line 2 is not"), "{}", bad.err);
        assert!(
            bad.err.contains("'\\u{feff}2' is not") && bad.err.contains("a byte order mark"),
            "{}",
            bad.err
        );
        let bad = idgen(url, &import, "1\tnonsense\n");
        assert_eq!(bad.code, 1);
        assert!(bad.err.contains("line 1 is not an id, a tab and a UUID"), "{}", bad.err);
        let conflict = idgen(url, &import, &format!("2\t{UUID}\n"));
        assert_eq!(conflict.code, 1);
        assert!(conflict.err.contains("the map has the id 1"), "{}", conflict.err);
        // The line of the pair, and what is in the map.
        let late: String = pairs.lines().take(1500).map(|line| format!("{line}\n")).collect();
        let conflict = idgen(url, &import, &format!("{late}2\t{UUID}\n"));
        assert_eq!(conflict.code, 1);
        let line = "line 1501: ";
        assert!(conflict.err.contains(line), "{}", conflict.err);
        assert!(conflict.err.contains("the 999 pairs before line 1000 were imported"), "{}", conflict.err);

        let stats = done(url, &["map", "stats", "--json"], "");
        assert!(stats.contains("\"max_id\":4294967295") && stats.contains(index), "{stats}");
        assert!(done(url, &["map", "stats"], "").contains("next id"));
        while_it_waits_for_input(url, index);
        upkeep(url, index);
        few_ids_left(url);
    }
}

/// A map of 32-bit ids.
fn few_ids_left(url: &str) {
    let most = idgen(url, &["map", "import"], "3500000000\t7d2f1c0e-0000-4000-8000-000000000001\n");
    assert_eq!(most.code, 0, "{}", most.err);
    assert!(most.err.contains("more than 80 % of the map's ids are used"), "{}", most.err);
    let last = "4294967295\t7d2f1c0e-0000-4000-8000-000000000002\n";
    let refused = idgen(url, &["map", "import"], last);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("--allow-exhaustion"), "{}", refused.err);
    done(url, &["map", "import", "--allow-exhaustion"], last);
    let check = idgen(url, &["map", "check"], "");
    assert!(check.code == 1 && check.out.contains("broken: no id is left"), "{}", check.out);
}

/// Short runs use up no ids, each change is printed once, and a forgotten UUID is not exported.
fn upkeep(url: &str, index: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("position");
    let table = ["--table", "upkeep"];
    let run = |arguments: &[&str]| done(url, &[&["map"], arguments, &table[..]].concat(), "");
    let changes = || run(&["changes", "--position", file.to_str().unwrap()]);
    run(&["install", "--index", index]);
    let uuids = [1_u128, 2, 3].map(|n| uuid::Uuid::from_u128(n << 70).to_string());
    for (id, uuid) in (1..).zip(&uuids) {
        assert_eq!(run(&["id", uuid]), format!("{id}\n"));
    }
    let pair = |id: usize| format!("{id}\t{}\n", uuids[id - 1]);
    assert_eq!(changes(), [1, 2, 3].map(pair).concat());
    assert_eq!(changes(), "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "4-\n");
    assert_eq!(run(&["forget", &uuids[1]]), "2\n");
    assert_eq!(run(&["forget", &uuids[1]]), "\n");
    assert_eq!(run(&["export"]), pair(1) + &pair(3));
    assert_eq!(run(&["id", &uuids[1]]), "4\n");
    assert_eq!(changes(), format!("4\t{}\n", uuids[1]));
    std::fs::write(&file, "nonsense").unwrap();
    let bad =
        idgen(url, &[&["map", "changes", "--position", file.to_str().unwrap()], &table[..]].concat(), "");
    assert!(bad.code == 1 && bad.err.contains("does not contain a position"), "{}", bad.err);

    assert_eq!(run(&["check"]), "The map is in order.\n");
    assert_eq!(run(&["repair"]), "There was nothing to repair.\n");
    let sql = |statement: &'static str| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut connection = sqlx::MySqlConnection::connect(url).await.unwrap();
            connection.execute(statement).await.unwrap();
        });
    };
    sql("UPDATE upkeep_state SET next_id = 2");
    let bad = idgen(url, &[&["map", "check"], &table[..]].concat(), "");
    assert_eq!(bad.code, 1);
    assert!(bad.out.starts_with("repairable: the next id is 2, and upkeep has ids up to 4"), "{}", bad.out);
    let json = idgen(url, &[&["map", "check", "--json"], &table[..]].concat(), "").out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["severity"], "repairable");
    assert!(run(&["repair"]).contains("raised the next id to 5\n"));
    // An id is digits only.
    let grouped = idgen(url, &[&["map", "fence", "--next-id", "1_000"], &table[..]].concat(), "");
    assert_eq!(grouped.code, 2, "{}", grouped.err);
    assert_eq!(run(&["fence", "--next-id", "1000"]), "The next id is 1000.\n");
    assert_eq!(run(&["check"]), "The map is in order.\n");
}

/// The input stays open, as of a pipe from `tail -f`.
fn while_it_waits_for_input(url: &str, index: &str) {
    let table = ["--table", "waiting"];
    done(url, &[&["map", "install", "--index", index], &table[..]].concat(), "");
    let start = |command: &str| {
        let mut program = std::process::Command::new(assert_cmd::cargo::cargo_bin!("idgen"));
        program.env("IDGEN_MAP_URL", url).args(["map", command]).args(table);
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    };
    let begin = Instant::now();
    let in_time = || assert!(begin.elapsed() < Duration::from_secs(300), "{index}: nothing happens");

    // The id of a line is printed before the next line is there.
    let mut register = start("register");
    let mut input = register.stdin.take().unwrap();
    writeln!(input, "{UUID}").unwrap();
    let mut output = BufReader::new(register.stdout.take().unwrap());
    let line = std::thread::spawn(move || {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        line
    });
    while !line.is_finished() {
        in_time();
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(line.join().unwrap(), "1\n");
    drop(input);
    assert!(register.wait().unwrap().success());

    // Old claims are removed in the background, even while the command waits for input.
    let mut ids = start("ids");
    let mut input = ids.stdin.take().unwrap();
    for n in 1..=3_000_u128 {
        writeln!(input, "{}", uuid::Uuid::from_u128(n)).unwrap();
    }
    input.flush().unwrap();
    let made = |stats: &serde_json::Value| stats["next_id"].as_u64() > Some(2_900);
    let few_claims = |stats: &serde_json::Value| stats["claims"].as_u64().unwrap_or(0) < 2_000;
    loop {
        let stats = done(url, &[&["map", "stats", "--json"], &table[..]].concat(), "");
        let stats = serde_json::from_str(&stats).unwrap();
        if made(&stats) && few_claims(&stats) {
            break;
        }
        in_time();
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(input);
    assert!(ids.wait_with_output().unwrap().status.success());
}

#[test]
fn mysql() {
    end_to_end(Database::MySql);
}

#[test]
fn mariadb() {
    end_to_end(Database::MariaDb);
}

#[test]
fn a_server_that_is_not_there_is_named_without_the_password() {
    let url = "mysql://root:s3cret@127.0.0.1:1/x";
    let ran = idgen(url, &["map", "id", UUID, "--timeout-secs", "0"], "");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("could not connect"), "{}", ran.err);
    assert!(ran.err.contains("127.0.0.1:1: ") && ran.err.contains("refused"), "{}", ran.err);
    assert!(!ran.err.contains("s3cret"), "{}", ran.err);
    // The causes of an error are part of its message: they are not printed again.
    assert_eq!(ran.err.matches("refused").count(), 1, "{}", ran.err);
}

#[test]
fn sql_scripts_are_printed() {
    for server in ["mysql", "mariadb"] {
        let script = done("mysql://a:s3cret@c/x", &["sql", "--server", server], "");
        assert!(script.contains(";\nDELIMITER //\n"), "{script}");
        assert_eq!(script.matches("CREATE FUNCTION").count(), 11);
    }
    let bad = idgen("mysql://a:s3cret@c/x", &["sql", "--server", "mysql", "--table", "x y"], "");
    assert_eq!(bad.code, 2);
}

/// Numbers of devices: leased again, renewed, released, ended and listed.
fn leases(database: Database) {
    const OTHER: &str = "019aba2e-5f3c-7d21-8a44-1d8fa3b0c5e7";
    let server = Server::start(database, &Settings::new().tls(database == Database::MySql)).unwrap();
    let scratch = server.scratch().unwrap();
    let url = scratch.url();
    done(url, &["map", "install"], "");
    let early = idgen(url, &["map", "lease", "take", UUID], "");
    assert!(early.code == 1 && early.err.contains("idgen map lease install"), "{}", early.err);
    for _ in 0..2 {
        assert_eq!(done(url, &["map", "lease", "install"], ""), "The table of leases is installed.\n");
    }
    assert!(done(url, &["map", "lease", "list"], "").starts_with("No number is leased."));
    assert_eq!(done(url, &["map", "lease", "expire", UUID], ""), "The device has no lease.\n");

    let json = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let first = json(&done(url, &["map", "lease", "take", UUID, "--secs", "60", "--json"], ""));
    assert_eq!((&first["device"], &first["term"]), (&UUID.into(), &1.into()));
    let number = first["number"].to_string();
    let other = done(url, &["map", "lease", "take", OTHER], "");
    assert!(
        other.contains(&format!(" term 1 of {OTHER} from ")) && !other.starts_with(&format!("{number} ")),
        "{other}"
    );
    let held = ["--number", &number, "--term", "1"];
    let renewed = json(&done(url, &[&["map", "lease", "renew", UUID, "--json"], &held[..]].concat(), ""));
    assert_eq!((&renewed["number"], &renewed["not_before"]), (&first["number"], &first["not_before"]));
    assert!(renewed["not_after"].as_str() > first["not_after"].as_str());
    assert_eq!(done(url, &["map", "lease", "list"], "").lines().count(), 2);

    let last = first["not_before"].as_str().unwrap();
    let release = [&["map", "lease", "release", UUID, "--last", last], &held[..]].concat();
    assert_eq!(done(url, &release, ""), "The lease is released.\n");
    assert!(done(url, &release, "").starts_with("There was nothing to release"));
    let lost = idgen(url, &[&["map", "lease", "renew", UUID], &held[..]].concat(), "");
    assert!(lost.code == 1 && lost.err.contains("lease a number again"), "{}", lost.err);
    let ended = json(&done(url, &["map", "lease", "expire", OTHER, "--json", "--margin-secs", "0"], ""));
    assert_eq!(ended["term"], 2);
    for wrong in [&["map", "lease", "take", "no-uuid"][..], &["map", "lease", "take", UUID, "--secs", "0"]] {
        assert_eq!(idgen(url, wrong, "").code, 2, "{wrong:?}");
    }
}

#[test]
fn leases_mysql() {
    leases(Database::MySql);
}

#[test]
fn leases_mariadb() {
    leases(Database::MariaDb);
}

#[test]
fn a_sync_is_described() {
    let server = Server::start(Database::MySql, &Settings::new()).unwrap();
    let scratch = server.scratch().unwrap();
    let url = scratch.url();
    done(url, &["map", "install"], "");
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let mut connection = sqlx::MySqlConnection::connect(url).await.unwrap();
        for table in
            ["lists (id BIGINT PRIMARY KEY)", "items (id BIGINT PRIMARY KEY, list BIGINT, text TEXT)"]
        {
            let statement = format!("CREATE TABLE {table}");
            connection.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(statement))).await.unwrap();
        }
    });
    let describe = ["map", "sync", "describe", "items", "lists", "--refers", "items.list=lists"];
    let early = idgen(url, &describe, "");
    assert!(early.code == 1 && early.err.contains("idgen map sync install"), "{}", early.err);
    assert_eq!(done(url, &["map", "sync", "install"], ""), "The tables of the sync are installed.\n");
    let expected = "lists: key id\n  other columns: \nitems: key id\n  list refers to lists as declared, may be NULL\n  \
                    other columns: text\n";
    assert_eq!(done(url, &describe, ""), expected);
    assert_eq!(done(url, &["map", "sync", "open", "items", "lists", "--json"], ""), "");
    for wrong in [&["map", "sync", "describe"][..], &["map", "sync", "describe", "items", "--refers", "list"]]
    {
        assert_eq!(idgen(url, wrong, "").code, 2, "{wrong:?}");
    }
    let other = idgen(url, &["map", "sync", "describe", "lists", "--refers", "items.list=lists"], "");
    assert!(other.code == 1 && other.err.contains("not among the tables"), "{}", other.err);
}
