//! An adversary between the map and its server changes one answer at a time, in every statement that the map sends. The map
//! then gives the right answer or an error.
//!
//! `matrix` says which runs there are, `scenes` what a run consists of, and `ledger` what is right.
//! By default, a sample of the changes is made, the same one each time; `IDGEN_ADVERSARY=7` makes another sample.
//! `IDGEN_ADVERSARY=each` makes each change of each statement, in at most two scenes, and `complete` changes each result of
//! each scene. With the name of a scene, as in `IDGEN_ADVERSARY=Import`, only that scene is played.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod client;
#[path = "../servers/driver.rs"]
mod driver;
mod faults;
mod ledger;
mod matrix;
mod operations;
mod proxied;
mod scenes;
mod sources;
mod tables;

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use idgen_mysql::Index;
use idgen_server::adversary::Alteration;
use idgen_server::{Database, Server, Settings};

use matrix::Extent;
use scenes::Scene;

fn server(database: Database) -> &'static Server {
    static MYSQL: OnceLock<Server> = OnceLock::new();
    static MARIADB: OnceLock<Server> = OnceLock::new();
    let cell = if database == Database::MySql { &MYSQL } else { &MARIADB };
    // A transaction that a call leaves open by mistake keeps nobody waiting for long.
    let settings = Settings::new().buffer_pool_mib(64).option("max_connections", "500");
    let settings = settings.option("innodb_lock_wait_timeout", "3");
    cell.get_or_init(|| Server::start(database, &settings).unwrap())
}

/// A runtime whose threads have room for the calls of a whole run in a build without optimization.
fn block_on(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).thread_stack_size(16 << 20).enable_all().build().unwrap().block_on(test);
}

/// A sample is one of so many changes.
const ONE_OF: u64 = 12;

/// Returns the scenes that are played, and the part of the changes that is made in them.
fn chosen() -> (Vec<Scene>, Extent) {
    let chosen = std::env::var("IDGEN_ADVERSARY").unwrap_or_default();
    let sample = |number| (Scene::ALL.to_vec(), Extent::Sample { one_of: ONE_OF, number });
    match &*chosen {
        "" => sample(0),
        "each" => (Scene::ALL.to_vec(), Extent::Each),
        "complete" => (Scene::ALL.to_vec(), Extent::Complete),
        name => match (chosen.parse(), Scene::ALL.into_iter().find(|scene| format!("{scene:?}") == name)) {
            (Ok(number), _) => sample(number),
            (_, Some(scene)) => (vec![scene], Extent::Each),
            _ => panic!("IDGEN_ADVERSARY={name} is no number, no scene, and neither 'each' nor 'complete'"),
        },
    }
}

async fn no_answer_can_be_wrong(database: Database, index: Index) {
    let (scenes, extent) = chosen();
    let findings = matrix::matrix(server(database), index, &scenes, extent).await;
    println!(
        "{database}, {index}, {extent:?}: {} runs, {} classes of statements, {} changes of them",
        findings.runs,
        findings.seen.len(),
        findings.changed.len()
    );
    let (limits, violations): (Vec<_>, Vec<_>) = findings
        .violations
        .keys()
        .partition(|(scene, class, alteration)| is_limit(*scene, class, *alteration));
    println!("  {} changes have wrong answers that nothing prevents: {limits:#?}", limits.len());
    let text = findings.text(&violations);
    assert!(text.is_empty(), "{} violations\n{text}", violations.len());
    assert!(!findings.changed.is_empty(), "no run changed anything");
    if scenes.len() == Scene::ALL.len() && matches!(extent, Extent::Each | Extent::Complete) {
        let missed: Vec<_> = findings.wanted.difference(&findings.changed).collect();
        assert!(missed.is_empty(), "changes that no run made: {missed:#?}");
        every_statement_was_sent(findings.seen);
    }
}

/// The changes after which an answer may be wrong. Another driver sends each statement by itself, so the pair of a single new
/// UUID rests on its word that the `INSERT` was done. With `unique`, only one more round trip would show that the server
/// refused the row: see docs/mapping.md. With `dedup`, the claim has decided before.
fn is_limit(scene: Scene, class: &str, alteration: Alteration) -> bool {
    let single = class.ends_with(" INTO `uuid_map` (id, uuid) VALUES (N,X)");
    scene == Scene::WithinDriver && alteration == Alteration::Success && single
}

/// Compares all classes with the sources, once those of both servers and both indexes are there.
fn every_statement_was_sent(seen: BTreeSet<String>) {
    static ALL: Mutex<(usize, BTreeSet<String>)> = Mutex::new((0, BTreeSet::new()));
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    all.0 += 1;
    all.1.extend(seen);
    if all.0 == 4 {
        let left = sources::not_sent(&all.1);
        assert!(left.is_empty(), "no run sends these statements: {left:#?}\n{:#?}", all.1);
    }
}

macro_rules! everywhere {
    ($($name:ident: $database:ident, $index:ident;)+) => {$(
        #[test]
        fn $name() {
            block_on(no_answer_can_be_wrong(Database::$database, Index::$index));
        }
    )+};
}

everywhere! {
    mysql_unique: MySql, Unique;
    mysql_dedup: MySql, Dedup;
    mariadb_unique: MariaDb, Unique;
    mariadb_dedup: MariaDb, Dedup;
}
