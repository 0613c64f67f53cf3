//! Every command on damaged maps: scripts can trust the exit code, and the error says what is wrong.

use std::time::{Duration, Instant};

use idgen_record::Database;
use idgen_server::{Server, Settings};
use sqlx::{AssertSqlSafe, Connection, Executor};

use super::{Ran, UUID, done, idgen};

pub(super) const NEW: &str = "7d2f1c0e-0000-4000-8000-00000000000a";

/// The arguments and the standard input of each command.
pub(super) const COMMANDS: [(&[&str], &str); 13] = [
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

/// A damaged map, and the commands that still work on it.
struct Damage {
    /// The statements that do the damage.
    sql: &'static [&'static str],
    /// A part of each error.
    says: &'static str,
    /// The commands that can do their work all the same.
    work: &'static [&'static str],
    /// The index and the width of the ids, if only one of them is damaged so.
    only: &'static [&'static str],
}

const READ: &[&str] = &["uuid", "export", "import", "changes", "stats", "forget", "fence"];

const DAMAGES: [Damage; 16] = [
    Damage { sql: &["DELETE FROM uuid_map_state"], says: "restore it from a backup", work: &[], only: &[] },
    Damage { sql: &["DROP TABLE uuid_map_state"], says: "restore", work: &[], only: &[] },
    Damage { sql: &["DROP TABLE uuid_map"], says: "restore", work: &[], only: &[] },
    Damage {
        sql: &["ALTER TABLE uuid_map_state ENGINE = MyISAM"],
        says: "uuid_map_state is not one this version can use: its engine is MyISAM, not InnoDB",
        work: &[],
        only: &[],
    },
    Damage {
        sql: &["CREATE TRIGGER bad BEFORE INSERT ON uuid_map FOR EACH ROW SET NEW.id = NEW.id + 1"],
        says: "its trigger bad changes the column id",
        work: &[],
        only: &[],
    },
    Damage {
        sql: &["RENAME TABLE uuid_map TO moved", "CREATE VIEW uuid_map AS SELECT * FROM moved"],
        says: "uuid_map is not one this version can use",
        work: &[],
        only: &[],
    },
    Damage {
        sql: &["UPDATE uuid_map_state SET version = 9"],
        says: "use the newer program",
        work: &[],
        only: &[],
    },
    Damage {
        sql: &["UPDATE uuid_map_state SET next_id = 2"],
        says: "2",
        work: &[
            "id", "ids", "register", "uuid", "export", "import", "changes", "stats", "forget", "repair",
            "fence",
        ],
        only: &[],
    },
    Damage {
        sql: &["UPDATE uuid_map_state SET next_id = 9223372036854775999"],
        says: "9223372036854775999",
        work: READ,
        only: &[],
    },
    Damage {
        sql: &["UPDATE uuid_map_state SET next_id = 9223372036854775808"],
        says: "no id is left: table uuid_map_state has assigned all 64-bit ids",
        work: &["id", "ids", "uuid", "export", "import", "changes", "stats", "forget", "install"],
        only: &[],
    },
    Damage {
        sql: &["UPDATE uuid_map_state SET next_id = 4294967296"],
        says: "no id is left: table uuid_map_state has assigned all 32-bit ids",
        work: &["id", "ids", "uuid", "export", "import", "changes", "stats", "forget", "install"],
        only: &["--id-bits", "32"],
    },
    Damage {
        sql: &["DROP TABLE uuid_map_claim"],
        says: "there is no table uuid_map_claim: call install",
        work: &["install"],
        only: &["--index", "dedup"],
    },
    Damage {
        sql: &["DROP TABLE uuid_map_sync"],
        says: "there is no table uuid_map_sync: call install",
        work: &["install"],
        only: &[],
    },
    Damage {
        sql: &["UPDATE uuid_map_state SET epoch = 0"],
        says: "the epoch in uuid_map_state is 0: epochs begin at 1; call fence (idgen map fence)",
        work: &["id", "ids", "register", "uuid", "export", "import", "changes", "stats", "forget", "fence"],
        only: &[],
    },
    Damage { sql: OLDER, says: "it was restored or replaced by an older copy", work: &["fence"], only: &[] },
    Damage {
        sql: &["DELETE FROM uuid_map"],
        says: "it was restored or replaced by an older copy",
        work: &["fence"],
        only: &[],
    },
];

/// The table of the pairs as it was when it had one pair.
const OLDER: &[&str] = &[
    "CREATE TABLE older LIKE uuid_map",
    "INSERT INTO older (id, uuid) SELECT id, uuid FROM uuid_map WHERE id = 1",
    "RENAME TABLE uuid_map TO newer, older TO uuid_map",
];

pub(super) fn sql(url: &str, statements: &[impl AsRef<str>]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = sqlx::MySqlConnection::connect(url).await.unwrap();
        for statement in statements {
            connection.execute(sqlx::raw_sql(AssertSqlSafe(statement.as_ref().to_owned()))).await.unwrap();
        }
    });
}

/// Runs a command, which ends after this many seconds.
pub(super) fn run(url: &str, arguments: &[&str], input: &str, seconds: u32) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let position = folder.path().join("position");
    let mut all = vec!["map"];
    all.extend(
        arguments.iter().map(|text| if *text == "POSITION" { position.to_str().unwrap() } else { text }),
    );
    let seconds = seconds.to_string();
    all.extend(["--timeout-secs", &seconds]);
    let begin = Instant::now();
    let ran = idgen(url, &all, input);
    assert!(begin.elapsed() < Duration::from_secs(300), "{arguments:?} hangs");
    ran
}

/// Each damage is done with one index, and on the other server with the other one; `make soak` does it with both.
fn sweep(database: Database) {
    let is_soak = std::env::var_os("IDGEN_SOAK_OPERATIONS").is_some();
    let server = Server::start(database, &Settings::new()).unwrap();
    let mut wrong = Vec::new();
    for (first, index) in ["unique", "dedup"].into_iter().enumerate() {
        for (at, damage) in DAMAGES.iter().enumerate() {
            let is_other = (at + usize::from(database == Database::MySql)) % 2 != first;
            if is_other && damage.only.is_empty() && !is_soak {
                continue;
            }
            if damage.only.first() == Some(&"--index") && damage.only != ["--index", index] {
                continue;
            }
            let damaged = || {
                let scratch = server.scratch().unwrap();
                let mut install = vec!["map", "install", "--index", index];
                install.extend(damage.only.iter().filter(|_| damage.only[0] != "--index"));
                done(scratch.url(), &install, "");
                done(scratch.url(), &["map", "ids"], &format!("{UUID}\n{NEW}\n"));
                sql(scratch.url(), damage.sql);
                scratch
            };
            let mut scratch = damaged();
            for (arguments, input) in COMMANDS {
                let works = damage.work.contains(&arguments[0]);
                let ran = run(scratch.url(), arguments, input, 60);
                if let Some(problem) = ran.differs(arguments[0], works, damage.says) {
                    wrong.push(format!("{index}, {:?}: {problem}", damage.sql));
                }
                if ran.code == 0 {
                    scratch = damaged();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    implausible_next_id(&server);
}

impl Ran {
    /// Describes the exit code or the output if it is wrong for a command that works, or that must say why it
    /// does not; `None` if it is right.
    pub(super) fn differs(&self, command: &str, works: bool, says: &str) -> Option<String> {
        let Ran { code, out, err } = self;
        let (findings, none) = if command == "check" { (out, err) } else { (err, out) };
        // A table that is not there is an error of a check, too.
        let said = findings.contains(says) || err.contains(says);
        let right = match works {
            true => *code == 0,
            false => *code == 1 && said && (none.is_empty() || findings.is_empty()),
        };
        let strange = err.contains("error: warning") || err.contains("panicked");
        (!right || strange).then(|| format!("{command}: {code}\n{out}{err}"))
    }
}

/// Tests that the remedy of the error helps.
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
    sweep(Database::MySql);
}

#[test]
fn mariadb() {
    sweep(Database::MariaDb);
}
