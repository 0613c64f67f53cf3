//! Compares what `simulate` and `advise` predict for 200 loads with what they predicted when the file beside this one was
//! written, so that a change of the code that should change no figure changes none.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod loads;
#[path = "../sample/mod.rs"]
mod sample;

use std::collections::HashSet;
use std::fmt::Write as _;

use btree_model::TreeState;
use idgen_lab::advise::{Advice, Candidate, IdsFrom, advise};
use idgen_lab::forecast::{Load, Model, Options, predict};
use loads::{Planned, loads};
use sample::sample;

/// The predictions, one line per load and question.
const KEPT: &str = include_str!("kept.tsv");

/// Five digits: the figures of a model are whole numbers and their ratios.
fn digits(line: &mut String, figures: &[f64]) {
    for figure in figures {
        write!(line, " {figure:.4e}").unwrap();
    }
}

fn tree(line: &mut String, tree: &TreeState) {
    write!(line, "\t{} {}", tree.rows, tree.leaf_pages).unwrap();
    digits(line, &[tree.fill.mean, tree.fill.p10, tree.page_bytes_per_row]);
}

/// The load, with the options that its database has.
fn load(of: &Planned) -> Load {
    let model = Model::of(of.database).unwrap();
    let server = (model.settings)(Options {
        pool_bytes: Some(of.pool_bytes),
        page_bytes: Some(of.page_bytes),
        checkpoint_secs: Some(of.checkpoint_secs),
        device_iops: of.iops,
    });
    let Planned { rows, row_bytes, rate, writers, commit_rows, existing, .. } = *of;
    let id_rate = of.id_rate.filter(|_| of.database.speaks_mysql());
    let usual = Load::new(rows, server);
    Load { row_bytes, rate, id_rate, writers, commit_rows, existing, ..usual }
}

fn simulated(of: &Planned) -> idgen_lab::Result<String> {
    of.strategy.check(of.database)?;
    let forecast = predict(of.strategy, &load(of))?;
    let mut line = String::new();
    tree(&mut line, &forecast.tree);
    match forecast.heap_bytes_per_row {
        Some(heap) => digits(&mut line, &[heap]),
        None => write!(line, " {}", forecast.record_bytes).unwrap(),
    }
    let windows = &forecast.windows;
    for part in [windows[0], windows[windows.len() / 2], windows[windows.len() - 1]] {
        write!(line, "\t{}", part.rows).unwrap();
        digits(&mut line, &[part.splits_per_1k, part.distinct_leaves_per_1k]);
        let pool = part.pool;
        digits(&mut line, &[pool.reads_per_1k, pool.writes_per_1k, pool.created_per_1k]);
        if let Some(log) = part.log {
            digits(&mut line, &[log.log_bytes_per_row, log.index_log_bytes_per_row, log.images_per_1k]);
        }
    }
    Ok(line)
}

/// No key of the table, made by whom the recommended one is made, is clearly better in one figure and not worse in the other.
/// If one is slightly better in both, the advice says why it is not recommended.
fn agrees_with_its_table(advice: &Advice, of: &Planned) {
    /// Pages per second that are too few to matter.
    const FREE: f64 = 20.0;
    let figures = |one: &Candidate| {
        let pages = one.pages.device_pages_per_sec.max(FREE);
        (one.log.map_or(pages, |log| pages - FREE + log.log_pages_per_sec), one.tree_bytes)
    };
    let made_by_server = |name: &str| name == "auto-increment";
    let best = advice.candidates.iter().find(|one| one.strategy == advice.recommended).unwrap();
    let (work, space) = figures(best);
    let others = advice.candidates.iter().filter(|one| one.strategy != best.strategy);
    for other in others.filter(|one| made_by_server(one.strategy) == made_by_server(best.strategy)) {
        let (other_work, other_space) = figures(other);
        // A prefix needs a key, or names for the clients.
        let smaller = if other.strategy.starts_with("minute-") { 0.8 } else { 0.96 };
        let better = (other_work < 0.85 * work && other_space <= space)
            || (other_work <= work && other_space < smaller * space);
        assert!(!better, "{of:?}: {other:?} is better than {best:?}");
        if other_work <= work && other_space <= space && (other_work, other_space) != (work, space) {
            let said = advice.to_string().contains("the difference is too small");
            assert!(said, "{of:?}: nothing is said of {other:?}, which costs less than {best:?}: {advice}");
        }
    }
}

fn advised(of: &Planned, from: IdsFrom) -> idgen_lab::Result<String> {
    let advice = advise(&load(of), from)?;
    agrees_with_its_table(&advice, of);
    let chosen = [Some(advice.recommended), advice.from_server, advice.hiding];
    let mut line = format!("\t{} {}", chosen.map(|one| one.unwrap_or("-")).join(" "), advice.scale);
    for one in &advice.candidates {
        write!(line, "\t{}", one.strategy).unwrap();
        digits(&mut line, &[one.tree_bytes]);
        digits(&mut line, one.heap_bytes.as_slice());
        digits(&mut line, &[one.fill]);
        let pages = one.pages;
        digits(&mut line, &[pages.reads_per_1k, pages.writes_per_1k, pages.device_pages_per_sec]);
        if let Some(log) = one.log {
            digits(&mut line, &[log.log_bytes_per_row, log.images_per_1k]);
        }
    }
    Ok(line)
}

#[test]
fn two_hundred_loads_are_predicted_as_before() {
    let mut found = String::new();
    let loads = loads();
    // A sample of one in three comes to each database and to each maker of ids.
    let asked: HashSet<usize> = sample(3, 0, 0..loads.len()).collect();
    for (number, load) in loads.iter().enumerate().filter(|(number, _)| asked.contains(number)) {
        let from = [IdsFrom::Either, IdsFrom::Clients, IdsFrom::Either, IdsFrom::Either, IdsFrom::Server]
            [number % 5];
        let mut say = |question: &str, answer: idgen_lab::Result<String>| {
            let answer = answer.unwrap_or_else(|error| {
                assert!(error.is_config(), "{load:?}: {error}");
                "\trefused".to_owned()
            });
            writeln!(found, "{number}\t{question} {} {}{answer}", load.database.id(), load.strategy.name)
                .unwrap();
        };
        // The large loads are for advice.
        if load.rows < 1_000_000 {
            say("simulate", simulated(load));
        }
        say("advise", advised(load, from));
    }
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/forecasts.tsv");
    std::fs::write(path, &found).unwrap();
    let of_load = |line: &&str| {
        line.split_once('\t').is_some_and(|(number, _)| asked.contains(&number.parse().unwrap()))
    };
    let kept: Vec<&str> = KEPT.lines().filter(of_load).collect();
    let changed: Vec<_> = found.lines().zip(&kept).filter(|(found, kept)| found != *kept).collect();
    assert!(
        changed.is_empty(),
        "{} lines changed, all are in {path}: {:#?}",
        changed.len(),
        &changed[..changed.len().min(3)]
    );
    assert_eq!(found.lines().count(), kept.len(), "{path}");
}
