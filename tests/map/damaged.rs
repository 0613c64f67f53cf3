//! Every command on damaged maps: scripts can trust the exit code, and the error says what is wrong.

use std::time::{Duration, Instant};

use idgen_server::{Flavor, Server, Settings};
use sqlx::{Connection, Executor};

use super::{Ran, UUID, done, idgen};

const NEW: &str = "7d2f1c0e-0000-4000-8000-00000000000a";

/// The arguments and the standard input of each command.
const COMMANDS: [(&[&str], &str); 13] = [
    (&["check"], ""),
    (&["id", UUID], ""),
    (&["ids"], "7d2f1c0e-0000-4000-8000-00000000000a\n6ccd780c-baba-1026-9564-5b8c656024db\n"),
    (&["register", "7d2f1c0e-0000-4000-8000-00000000000b"], ""),
    (&["uuid", "1"], ""),
    (&["export"], ""),
    (&["import"], "4\t7d2f1c0e-0000-4000-8000-00000000000c\n"),
    (&["changes", "--position", "POSITION"], ""),
    (&["stats"], ""),
    (&["forget", NEW], ""),
    (&["repair"], ""),
    (&["fence", "--next-id", "500"], ""),
    (&["install"], ""),
];

/// What is wrong with a map.
struct Damage {
    /// What does the damage.
    sql: &'static [&'static str],
    /// What the errors say.
    says: &'static str,
    /// The commands that can do their work all the same.
    work: &'static [&'static str],
}

const READ: &[&str] = &["uuid", "export", "import", "changes", "stats", "forget", "fence"];

const DAMAGES: [Damage; 10] = [
    Damage { sql: &["DELETE FROM uuid_map_state"], says: "restore it from a backup", work: &[] },
    Damage { sql: &["DROP TABLE uuid_map_state"], says: "restore", work: &[] },
    Damage { sql: &["DROP TABLE uuid_map"], says: "restore", work: &[] },
    Damage {
        sql: &["ALTER TABLE uuid_map_state ENGINE = MyISAM"],
        says: "uuid_map_state is not one this version can use: its engine is MyISAM, not InnoDB",
        work: &[],
    },
    Damage {
        sql: &["CREATE TRIGGER bad BEFORE INSERT ON uuid_map FOR EACH ROW SET NEW.id = NEW.id + 1"],
        says: "its trigger bad changes the column id",
        work: &[],
    },
    Damage {
        sql: &["RENAME TABLE uuid_map TO moved", "CREATE VIEW uuid_map AS SELECT * FROM moved"],
        says: "uuid_map is not one this version can use",
        work: &[],
    },
    Damage { sql: &["UPDATE uuid_map_state SET version = 9"], says: "use the newer program", work: &[] },
    Damage {
        sql: &["UPDATE uuid_map_state SET next_id = 2"],
        says: "2",
        work: &[
            "id", "ids", "register", "uuid", "export", "import", "changes", "stats", "forget", "repair",
            "fence",
        ],
    },
    Damage {
        sql: &["UPDATE uuid_map_state SET next_id = 9223372036854775999"],
        says: "9223372036854775999",
        work: READ,
    },
    Damage {
        sql: &["UPDATE uuid_map_state SET next_id = 9223372036854775808"],
        says: "no id is left: table uuid_map_state has assigned all 64-bit ids",
        work: &["id", "ids", "uuid", "export", "import", "changes", "stats", "forget", "install"],
    },
];

fn sql(url: &str, statements: &[&'static str]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = sqlx::MySqlConnection::connect(url).await.unwrap();
        for statement in statements {
            connection.execute(*statement).await.unwrap();
        }
    });
}

fn run(url: &str, arguments: &[&str], input: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let position = folder.path().join("position");
    let mut all = vec!["map"];
    all.extend(
        arguments.iter().map(|text| if *text == "POSITION" { position.to_str().unwrap() } else { text }),
    );
    all.extend(["--timeout-secs", "2"]);
    let begin = Instant::now();
    let ran = idgen(url, &all, input);
    assert!(begin.elapsed() < Duration::from_secs(60), "{arguments:?} hangs");
    ran
}

fn sweep(flavor: Flavor) {
    let server = Server::start(flavor, &Settings::new()).unwrap();
    for strategy in ["unique", "dedup"] {
        for damage in &DAMAGES {
            let damaged = || {
                let scratch = server.scratch().unwrap();
                done(scratch.url(), &["map", "install", "--strategy", strategy], "");
                done(scratch.url(), &["map", "ids"], &format!("{UUID}\n{NEW}\n"));
                sql(scratch.url(), damage.sql);
                scratch
            };
            let mut scratch = damaged();
            for (arguments, input) in COMMANDS {
                let (command, url) = (arguments[0], scratch.url());
                let ran = run(url, arguments, input);
                let Ran { code, out, err } = &ran;
                let said = format!("{strategy}, {:?}, {command}: {code}\n{out}{err}", damage.sql);
                assert!(!err.contains("error: warning") && !err.contains("panicked"), "{said}");
                if damage.work.contains(&command) {
                    assert_eq!(*code, 0, "{said}");
                    scratch = damaged();
                    continue;
                }
                assert_eq!(*code, 1, "{said}");
                let (findings, none) = if command == "check" { (out, err) } else { (err, out) };
                // A table that is not there is an error of a check, too.
                assert!(findings.contains(damage.says) || err.contains(damage.says), "{said}");
                assert!(none.is_empty() || findings.is_empty(), "{said}");
            }
        }
    }
    implausible_next_id(&server);
}

/// What the error advises helps.
fn implausible_next_id(server: &Server) {
    let scratch = server.scratch().unwrap();
    let url = scratch.url();
    done(url, &["map", "install"], "");
    done(url, &["map", "id", UUID], "");
    sql(url, &["UPDATE uuid_map_state SET next_id = 9223372036854775999"]);
    assert_eq!(done(url, &["map", "fence", "--next-id", "500"], ""), "The next id is 500.\n");
    assert_eq!(done(url, &["map", "check"], ""), "The map is in order.\n");
    assert_eq!(done(url, &["map", "id", NEW], ""), "500\n");
}

#[test]
fn mysql() {
    sweep(Flavor::MySql);
}

#[test]
fn mariadb() {
    sweep(Flavor::MariaDb);
}
