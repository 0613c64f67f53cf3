//! Runs strategies one after another: insert, read the counters, read the pages, verify, record.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use idgen::source::{Entropy, FixedEntropy};

use crate::engine::{Batch, Engine, Role, Table};
use crate::key::Key;
use crate::measure::{self, Failure, Results, RunRecord, Totals, TreeFigures, Window};
use crate::strategy::{Column, IdKind, Ids, Strategy};
use crate::{Error, Result, Workload};

/// Lets another thread, or a signal, end the runs.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Not cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the runner to stop after the transaction that it is in.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// True after [`Cancel::cancel`].
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::interrupted()) } else { Ok(()) }
    }
}

/// Is told how the runs go on.
pub trait Observer {
    /// A strategy begins.
    fn started(&mut self, strategy: &Strategy);
    /// So many rows of it are in.
    fn inserted(&mut self, rows: u64);
    /// All rows are in; they are being checked and the pages read.
    fn verifying(&mut self);
    /// It is done and recorded, and these are all results so far: the place to save them.
    ///
    /// # Errors
    /// Where they cannot be saved; the runs end with that error.
    fn recorded(&mut self, results: &Results) -> Result<()>;
    /// It failed; the next one begins.
    fn failed(&mut self, failure: &Failure);
}

/// Runs these strategies and adds their records to `results`.
///
/// A strategy that fails is noted and the others go on. Where the user cancels, what was finished
/// stays and `interrupted` is set.
///
/// # Errors
/// Where there is no memory for the keys of so many rows, and those of the observer: a run that fails
/// is a [`Failure`] in the results.
pub fn run(
    engine: &mut dyn Engine,
    strategies: &[&Strategy],
    results: &mut Results,
    cancel: &Cancel,
    observer: &mut dyn Observer,
) -> Result<()> {
    let workload = results.workload.clone();
    // Asked for before the first run: what is missing for one is missing for all.
    drop(room_for_keys(workload.rows)?);
    for strategy in strategies {
        observer.started(strategy);
        match run_one(engine, strategy, &workload, cancel, observer) {
            Ok(record) => results.runs.push(record),
            Err(error) if error.is_interrupted() => results.interrupted = true,
            Err(error) => {
                let failure = Failure { strategy: strategy.name.into(), error: chain(&error) };
                observer.failed(&failure);
                results.failures.push(failure);
            }
        }
        observer.recorded(results)?;
        if results.interrupted {
            break;
        }
    }
    Ok(())
}

/// Runs one strategy, verifies it and records it.
///
/// # Errors
/// Those of the engine and of the check after the run; `is_interrupted` where the user cancelled.
pub fn run_one(
    engine: &mut dyn Engine,
    strategy: &Strategy,
    workload: &Workload,
    cancel: &Cancel,
    observer: &mut dyn Observer,
) -> Result<RunRecord> {
    let mut table = engine.create(strategy, workload)?;
    let mut inserted = room_for_keys(workload.rows)?;
    let windows = insert(&mut *table, strategy, workload, cancel, observer, &mut inserted)?;
    let counters = table.counters()?;

    observer.verifying();
    measure::contents(table.contents()?, workload)?;
    let trees = table.trees()?;
    let mut figures = Vec::with_capacity(trees.len());
    for tree in &trees {
        cancel.check()?;
        let ranks = match in_tree(strategy, tree.role) {
            InTree::AsGiven => measure::keys(&mut *table, tree, &inserted)?,
            InTree::Counted => {
                let mut counted = room_for_keys(workload.rows)?;
                counted.extend((1..=workload.rows).map(Key::Uint));
                measure::keys(&mut *table, tree, &counted)?
            }
        };
        figures.push(TreeFigures::of(tree, &ranks));
    }
    Ok(RunRecord {
        strategy: strategy.into(),
        settings: table.settings()?,
        totals: Totals::of(&windows, &counters, &trees, &figures),
        latency: table.latency(),
        windows,
        trees: figures,
    })
}

/// An empty list for the keys of a run, which are kept until the tables are checked against them.
fn room_for_keys(rows: u64) -> Result<Vec<Key>> {
    let mut keys = Vec::new();
    usize::try_from(rows).ok().and_then(|rows| keys.try_reserve_exact(rows).ok()).ok_or_else(|| {
        let gigabytes = (rows as f64 * size_of::<Key>() as f64 / 1e9).ceil();
        Error::config(format!(
            "no memory for the keys of {rows} rows: they need {gigabytes} GB; choose fewer rows"
        ))
    })?;
    Ok(keys)
}

/// Which keys a tree holds.
enum InTree {
    AsGiven,
    Counted,
}

fn in_tree(strategy: &Strategy, role: Role) -> InTree {
    let counted = strategy.ids == IdKind::AutoIncrement || strategy.column == Column::MappedInteger;
    if role == Role::Rows && counted { InTree::Counted } else { InTree::AsGiven }
}

/// Inserts all rows; keeps the keys in their order. Only the database's work is timed.
fn insert(
    table: &mut dyn Table,
    strategy: &Strategy,
    workload: &Workload,
    cancel: &Cancel,
    observer: &mut dyn Observer,
    inserted: &mut Vec<Key>,
) -> Result<Vec<Window>> {
    let mut ids = Ids::new(strategy, workload)?;
    let mut payload_source = FixedEntropy::new(!workload.seed);
    let mut payloads = vec![0; workload.commit_rows as usize * workload.payload_bytes as usize];
    let mut windows = Vec::new();
    let mut before = table.counters()?;
    let (mut window_rows, mut window_secs, mut commits) = (0, 0.0, 0);
    let mut done = 0;
    while done < workload.rows {
        cancel.check()?;
        let rows = u64::from(workload.commit_rows).min(workload.rows - done);
        let start = inserted.len();
        for _ in 0..rows {
            inserted.push(ids.next_key()?);
        }
        let bytes = &mut payloads[..rows as usize * workload.payload_bytes as usize];
        payload_source.fill(bytes)?;
        let batch = Batch { first: done, keys: &inserted[start..], payloads: bytes };

        let clock = Instant::now();
        table.insert(&batch)?;
        window_secs += clock.elapsed().as_secs_f64();

        done += rows;
        window_rows += rows;
        commits += 1;
        if commits == workload.commits_per_window() || done == workload.rows {
            let after = table.counters()?;
            windows.push(Window::between(&before, &after, done, window_rows, window_secs));
            (before, window_rows, window_secs, commits) = (after, 0, 0.0, 0);
        }
        observer.inserted(done);
    }
    Ok(windows)
}

/// The message of an error and of what caused it.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests;
