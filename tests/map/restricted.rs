//! Every command where the server or the privileges of the user forbid something: it works, or says at once what is missing.

use std::time::{Duration, Instant};

use idgen_record::Database;
use idgen_server::{Scratch, Server, Settings};

use super::damaged::{COMMANDS, NEW, run, sql};
use super::{UUID, done};

/// A setting or privileges that forbid something, and the commands that still work.
struct Restriction {
    /// The setting of the server that restricts it, and the statement that ends this.
    setting: Option<(&'static str, &'static str)>,
    /// The server that has the setting; both by default.
    only: Option<Database>,
    /// The privileges of the user on the tables of the map, or those of root.
    privileges: Option<&'static [(&'static str, &'static str)]>,
    /// A part of each error.
    says: &'static str,
    /// The commands that can do their work all the same.
    work: &'static [&'static str],
    /// True if calls wait for its end, up to their time limit.
    passes: bool,
}

const ON_ALL: &[(&str, &str)] = &[("SELECT, INSERT, UPDATE, DELETE", "*")];
const FOUND: &[&str] = &["check", "uuid", "export", "changes", "stats", "install"];
const KNOWN: &[&str] = &["check", "id", "ids", "uuid", "export", "changes", "stats", "install"];
const ALL: &[&str] = &[
    "check", "id", "ids", "register", "uuid", "export", "import", "changes", "stats", "forget", "repair",
    "fence", "install",
];

const NONE: Restriction =
    Restriction { setting: None, only: None, privileges: None, says: "", work: &[], passes: false };
const LACKS: Restriction = Restriction { says: "docs/mapping.md lists the privileges", ..NONE };

const RESTRICTIONS: [Restriction; 9] = [
    Restriction {
        setting: Some(("SET GLOBAL tx_read_only = 1", "SET GLOBAL tx_read_only = 0")),
        only: Some(Database::MariaDb),
        says: "tx_read_only",
        work: KNOWN,
        ..NONE
    },
    Restriction {
        setting: Some(("SET GLOBAL transaction_read_only = 1", "SET GLOBAL transaction_read_only = 0")),
        only: Some(Database::MySql),
        says: "transaction_read_only",
        work: KNOWN,
        ..NONE
    },
    Restriction {
        setting: Some(("SET GLOBAL super_read_only = 1", "SET GLOBAL read_only = 0")),
        only: Some(Database::MySql),
        says: "read-only",
        work: KNOWN,
        passes: true,
        ..NONE
    },
    Restriction {
        setting: Some(("SET GLOBAL read_only = 1", "SET GLOBAL read_only = 0")),
        privileges: Some(ON_ALL),
        says: "read-only",
        work: KNOWN,
        passes: true,
        ..NONE
    },
    Restriction {
        setting: Some((
            "SET GLOBAL enforce_storage_engine = Aria",
            "SET GLOBAL enforce_storage_engine = NULL",
        )),
        only: Some(Database::MariaDb),
        work: ALL,
        ..NONE
    },
    Restriction { privileges: Some(&[("SELECT", "*")]), work: FOUND, ..LACKS },
    Restriction { privileges: Some(&[("SELECT, INSERT, UPDATE, DELETE", "uuid_map")]), ..LACKS },
    Restriction { privileges: Some(&[("SELECT, INSERT", "*")]), work: FOUND, ..LACKS },
    Restriction { privileges: Some(&[]), ..LACKS },
];

/// Each restriction is tried with one index, and on the other server with the other one; `make soak` tries it with both.
fn sweep(database: Database) {
    let is_soak = std::env::var_os("IDGEN_SOAK_OPERATIONS").is_some();
    let server = Server::start(database, &Settings::new()).unwrap();
    let mut wrong = Vec::new();
    for (first, index) in ["unique", "dedup"].into_iter().enumerate() {
        for (number, restriction) in RESTRICTIONS.iter().enumerate() {
            let is_other = (number + first + usize::from(database == Database::MySql)) % 2 == 1;
            if restriction.only.is_some_and(|only| only != database) || is_other && !is_soak {
                continue;
            }
            let scratch = server.scratch().unwrap();
            done(scratch.url(), &["map", "install", "--index", index], "");
            done(scratch.url(), &["map", "ids"], &format!("{UUID}\n{NEW}\n"));
            let url = restriction.user(&server, &scratch, &format!("{index}{number}"));
            let change = |choose: fn((&'static str, &'static str)) -> &'static str| {
                sql(server.url(), &restriction.setting.map(choose).into_iter().collect::<Vec<_>>());
            };
            change(|(set, _)| set);
            for (arguments, input) in COMMANDS {
                let begin = Instant::now();
                // A call that waits is repeated until the end, which at least one attempt must reach.
                let ran = run(&url, arguments, input, if restriction.passes { 5 } else { 60 });
                // There may be nothing to repair, and MariaDB lets every reader look for that.
                let idle = arguments[0] == "repair" && ran.out.contains("nothing to repair");
                let works = idle || restriction.work.contains(&arguments[0]);
                let mut problem = ran.differs(arguments[0], works, restriction.says);
                // On a busy machine, a single attempt can take this long.
                let is_repeated = ran.err.contains(" attempts") && begin.elapsed() > Duration::from_secs(30);
                if !restriction.passes && is_repeated {
                    problem = Some(format!("{arguments:?} is repeated: {}", ran.err));
                }
                if let Some(problem) = problem {
                    let Restriction { setting, privileges, .. } = restriction;
                    wrong.push(format!("{index}, {setting:?} {privileges:?}: {problem}"));
                }
            }
            change(|(_, unset)| unset);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

impl Restriction {
    /// The URL of the restricted user.
    fn user(&self, server: &Server, scratch: &Scratch, user: &str) -> String {
        let Some(grants) = self.privileges else { return scratch.url().to_owned() };
        let (schema, (_, address)) = (scratch.name(), scratch.url().rsplit_once('@').unwrap());
        let mut statements = vec![format!("CREATE USER {user}@'%' IDENTIFIED BY 'Secret-7'")];
        for (privileges, table) in grants {
            statements.push(format!("GRANT {privileges} ON {schema}.{table} TO {user}@'%'"));
        }
        sql(server.url(), &statements);
        format!("mysql://{user}:Secret-7@{address}")
    }
}

#[test]
fn mysql() {
    sweep(Database::MySql);
}

#[test]
fn mariadb() {
    sweep(Database::MariaDb);
}
