//! Every statement of the map, with every change of its result: one run each.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use idgen_mysql::Index;
use idgen_server::Server;
use idgen_server::adversary::{Adversary, Alteration, Recorded, ResultKind, Rule};

use super::client::{Client, LATE};
use super::ledger::Ledger;
use super::scenes::Scene;
use super::tables::{SEEDS, Tables, seed};

/// Runs that wait at the same time, mostly for a disk or a time limit.
const WORKERS: usize = 16;

/// In how many scenes the results of one class are changed, unless all are. What a connection sends when it is made counts
/// as one scene.
const SCENES_EACH: usize = 2;

/// One run: a scene in which results are changed.
#[derive(Clone, Debug)]
pub struct Run {
    pub scene: Scene,
    pub rules: Vec<Rule>,
}

/// The results of one run.
#[derive(Debug, Default)]
pub struct Report {
    pub recorded: Vec<Recorded>,
    pub applied: Vec<bool>,
    pub violations: Vec<String>,
    pub said: Vec<String>,
}

impl Run {
    pub async fn play(&self, tables: &mut Tables, url: &str, index: Index) -> Report {
        tables.reset().await;
        let adversary = Adversary::start(url).await.unwrap();
        adversary.set_rules(self.rules.clone());
        let mut ledger = Ledger::default();
        if self.scene != Scene::Install {
            (1..=SEEDS).for_each(|id| ledger.acknowledge("seed", seed(id), id));
        }
        let mut client = Client::new(&adversary, tables, &mut ledger, index);
        Box::pin(client.opening(self.scene)).await;
        adversary.watch(true);
        Box::pin(client.play(self.scene)).await;
        adversary.watch(false);
        Box::pin(client.finale()).await;
        let (recorded, applied) = (adversary.recorded(), adversary.applied());
        // No connection of the run holds a lock any more.
        drop(adversary);
        ledger.compare(&tables.stored().await);
        if self.scene.makes_tables() {
            tables.make().await;
        }
        let (violations, said) = ledger.end();
        Report { recorded, applied, violations, said }
    }
}

/// The findings on one server with one index.
#[derive(Default)]
pub struct Findings {
    pub runs: usize,
    /// The violations, by scene, class and change.
    pub violations: BTreeMap<(Scene, String, Alteration), Vec<String>>,
    /// All classes that the map sent.
    pub seen: BTreeSet<String>,
    /// The changes that were made, of each class.
    pub changed: BTreeSet<(String, Alteration)>,
    /// The changes that can be made, of each class.
    pub wanted: BTreeSet<(String, Alteration)>,
}

/// The part of the changes that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// One of this many, chosen by a number: the same ones for the same number.
    Sample { one_of: u64, number: u64 },
    /// Changes of the first result of each kind among several of one class, in at most [`SCENES_EACH`] scenes.
    Each,
    /// All.
    Complete,
}

/// Plays scenes without a change, and then with changes. Wrong answers are printed when they are found.
pub async fn matrix(server: &'static Server, index: Index, scenes: &[Scene], extent: Extent) -> Findings {
    let mut findings = Findings::default();
    let runs = scenes.iter().map(|scene| Run { scene: *scene, rules: Vec::new() }).collect();
    let mut next = Vec::new();
    let salt = format!("{} {index}", server.database());
    let mut planned =
        Planned { extent, salt, runs: HashSet::new(), scenes: HashMap::new(), opening: HashSet::new() };
    let mut unchanged = all(server, index, runs).await;
    unchanged.sort_by_key(|(run, _)| run.scene);
    for (run, report) in unchanged {
        let (violations, said) = (&report.violations, &report.said);
        assert!(violations.is_empty(), "{:?} without a change: {violations:#?}\n{said:#?}", run.scene);
        plan(&run, &report.recorded, &mut planned, &mut findings, &mut next);
    }
    // Statements that are only sent after a change are changed in a second round, and so on.
    while !next.is_empty() {
        let reports = all(server, index, std::mem::take(&mut next)).await;
        for (run, report) in reports {
            findings.runs += 1;
            for (rule, applied) in run.rules.iter().zip(&report.applied) {
                if *applied {
                    findings.changed.insert((rule.class.clone(), rule.alteration));
                }
            }
            if run.rules.len() < 3 {
                let new: Vec<Recorded> = report
                    .recorded
                    .iter()
                    .filter(|result| !findings.seen.contains(&result.class))
                    .cloned()
                    .collect();
                plan(&run, &new, &mut planned, &mut findings, &mut next);
            }
            if !report.violations.is_empty() {
                let last = run.rules.last().expect("a rule of each run");
                let key = (run.scene, last.class.clone(), last.alteration);
                let (violations, said) = (&report.violations, &report.said);
                println!("{:?} {:?}: {violations:#?}\n{said:#?}", run.scene, run.rules);
                findings.violations.entry(key).or_default().extend(report.violations);
            }
        }
    }
    findings
}

/// Plans a run for each change of each of these results.
fn plan(
    run: &Run,
    recorded: &[Recorded],
    planned: &mut Planned,
    findings: &mut Findings,
    next: &mut Vec<Run>,
) {
    let extent = planned.extent;
    for result in recorded.iter().filter(|result| is_sent_each_time(run, &result.class, extent)) {
        findings.seen.insert(result.class.clone());
        for alteration in
            Alteration::ALL.into_iter().filter(|alteration| alteration.applies_to(result.result))
        {
            // Without an earlier result there is no old one.
            if alteration != Alteration::OldResult {
                findings.wanted.insert((result.class.clone(), alteration));
            }
            // Statements that are only sent after a change are changed once for each kind of result.
            let each = planned.extent != Extent::Complete || !run.rules.is_empty();
            let place = if each { kind(result.result) } else { result.place };
            if planned.insert(run.scene, &result.class, place, alteration) {
                let rule = Rule { class: result.class.clone(), skip: result.place, alteration };
                let rules = run.rules.iter().cloned().chain([rule]).collect();
                next.push(Run { scene: run.scene, rules });
            }
        }
    }
}

/// Returns true if a run of these sends such a statement again, and not only by chance. A client pushes the server's
/// log to disk if the server has not done so itself in time: each time if it does not say how far its log is written. A
/// client reads the state that may have changed if the last reading was a second ago: each time after a pause, and for
/// a check.
fn is_sent_each_time(run: &Run, class: &str, extent: Extent) -> bool {
    let unknown =
        |rule: &Rule| rule.class.contains("'Innodb_lsn_flushed'") && rule.alteration == Alteration::NoRows;
    if class.starts_with("INSERT INTO uuid_map_sync") {
        return run.rules.iter().any(unknown);
    }
    let reads_again = class.contains("' AS watch,") || class.starts_with("SELECT @@autocommit AS");
    let each_time = matches!(run.scene, Scene::Pause | Scene::Check);
    !reads_again || each_time || extent == Extent::Complete
}

/// Changes after which an answer was wrong once, which every sample has: the end of the class, and where it was found.
const ONCE_WRONG: [(Scene, &str, Alteration); 2] = [
    (Scene::WithinCommit, " INTO `uuid_map` (id, uuid) VALUES (N,X)", Alteration::Error(1062)),
    (Scene::WithinMany, " INTO `uuid_map` (id, uuid) VALUES (N,X)", Alteration::Error(1062)),
];

fn was_wrong(scene: Scene, class: &str, alteration: Alteration) -> bool {
    ONCE_WRONG.iter().any(|(at, end, how)| *at == scene && *how == alteration && class.ends_with(end))
}

/// The runs that are planned.
struct Planned {
    extent: Extent,
    /// The server and the index, so that each has a sample of its own.
    salt: String,
    runs: HashSet<(Scene, String, usize, Alteration)>,
    scenes: HashMap<(String, usize, Alteration), usize>,
    /// The classes of a connection that is made.
    opening: HashSet<String>,
}

impl Planned {
    /// Plans a run; returns true if it was not planned before and is needed.
    fn insert(&mut self, scene: Scene, class: &str, place: usize, alteration: Alteration) -> bool {
        if !self.runs.insert((scene, class.to_owned(), place, alteration)) {
            return false;
        }
        if scene == Scene::Open {
            self.opening.insert(class.to_owned());
        }
        if self.extent == Extent::Complete {
            return true;
        }
        let most = if self.opening.contains(class) { 1 } else { SCENES_EACH };
        let scenes = self.scenes.entry((class.to_owned(), place, alteration)).or_default();
        *scenes += 1;
        let salt = &self.salt;
        let chosen = match self.extent {
            Extent::Sample { one_of, number } => {
                let name = format!("{number} {salt} {scene:?} {class} {place} {alteration}");
                u64::from(crc32fast::hash(name.as_bytes())) % one_of == 0
            }
            _ => true,
        };
        (chosen || was_wrong(scene, class, alteration)) && *scenes <= most
    }
}

fn kind(result: ResultKind) -> usize {
    match result {
        ResultKind::Done { .. } => 0,
        ResultKind::Rows(0) => 1,
        ResultKind::Rows(_) => 2,
        ResultKind::Error(_) => 3,
    }
}

/// Plays runs, several at the same time.
pub async fn all(server: &'static Server, index: Index, runs: Vec<Run>) -> Vec<(Run, Report)> {
    let queue = Arc::new(Mutex::new(VecDeque::from(runs)));
    let workers: Vec<_> = (0..WORKERS)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move {
                let mut done = Vec::new();
                let take = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some(mut run) = take() else { return done };
                let scratch = server.scratch().unwrap();
                let url = scratch.url().to_owned();
                let mut tables = Tables::new(&url, index).await;
                // On a busy machine, a run that fails before anything is changed is played again.
                let mut late = 0;
                loop {
                    let report = match one(run.clone(), tables, url.clone(), index).await {
                        Ok((report, same)) => {
                            tables = same;
                            report
                        }
                        Err(panic) => {
                            tables = Tables::new(&url, index).await;
                            late += 1;
                            if panic.starts_with(LATE) && late < 30 {
                                continue;
                            }
                            Report { violations: vec![format!("panic: {panic}")], ..Report::default() }
                        }
                    };
                    late = 0;
                    done.push((run, report));
                    let Some(other) = take() else { return done };
                    run = other;
                }
            })
        })
        .collect();
    let mut done = Vec::new();
    for worker in workers {
        done.extend(worker.await.unwrap());
    }
    done
}

/// A run in a task of its own, whose panic is an error.
async fn one(run: Run, mut tables: Tables, url: String, index: Index) -> Result<(Report, Tables), String> {
    let played = tokio::spawn(async move { (run.play(&mut tables, &url, index).await, tables) }).await;
    played.map_err(|error| match error.try_into_panic() {
        Ok(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
        }
        Err(error) => error.to_string(),
    })
}

impl Findings {
    /// A line for each of these statements and changes, with what was wrong then.
    pub fn text(&self, chosen: &[&(Scene, String, Alteration)]) -> String {
        let mut text = String::new();
        for (key, violations) in self.violations.iter().filter(|(key, _)| chosen.contains(key)) {
            let (scene, class, alteration) = key;
            let _ = writeln!(text, "{scene:?} | {alteration} | {class}");
            let different: BTreeSet<&String> = violations.iter().collect();
            for violation in different.into_iter().take(4) {
                let _ = writeln!(text, "    {violation}");
            }
        }
        text
    }
}
