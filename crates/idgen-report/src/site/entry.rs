//! Draws a record on the page of a site.

use std::collections::BTreeSet;

use super::figure::{block, data_of, figures};
use super::records::Entry;
use crate::error::Result;
use crate::figures::answer::answer;
use crate::figures::finding::Answer;
use crate::figures::grid::Data;
use crate::figures::numbers::count;
use crate::formats::blocks::{Block, Look, Part, Span};
use crate::formats::report::{all_tables, beside_published, explained, head, set, tables};

/// Returns the values by which the filters show and hide an entry and its finding.
pub(super) fn data(entry: &Entry) -> Data {
    let results = &entry.results;
    let of_runs = results.runs.iter().flat_map(|run| data_of(results, run));
    let mut data = vec![("engine", results.engine.name.clone())];
    for filter in ["kind", "clients"] {
        let values = of_runs.clone().filter(|(name, _)| *name == filter).map(|(_, value)| value);
        data.push((filter, joined(values)));
    }
    data.push(("figure", joined(figures(results).into_iter().map(|metric| metric.name.to_owned()))));
    data
}

fn joined(values: impl Iterator<Item = String>) -> String {
    let mut seen = BTreeSet::new();
    values.filter(|value| seen.insert(value.clone())).collect::<Vec<_>>().join("|")
}

/// The first finding of the record, behind a link to its entry; `None` where it has none.
pub(super) fn finding(entry: &Entry) -> Option<Block> {
    let first = answer(&entry.results)?.parts.into_iter().next()?;
    let text = Answer { parts: vec![first], rest: String::new() }.to_string();
    let engine = &entry.results.engine;
    let link = Span::Link(format!("#{}", entry.id), entry.name.clone());
    let rest = format!(" {} {}: {text}", engine.name, engine.version);
    let blocks = vec![Block::Text(Look::Plain, vec![link, rest.into()])];
    Some(Block::Part(Part { data: data(entry), blocks, ..Part::default() }))
}

/// The entry: what was found, the figures with all runs, and what a reader needs to check them or to run it again.
pub(super) fn entry(entry: &Entry) -> Result<Block> {
    let results = &entry.results;
    let mut blocks = vec![Block::Heading(3, "".into(), results.question.clone())];
    blocks.extend(head(results));
    let prefixed = |blocks: Vec<Block>| blocks.into_iter().map(|block| block.within(&entry.id));
    blocks.extend(prefixed(beside_published(results)));
    let figures = figures(results).into_iter();
    blocks.extend(figures.map(|metric| block(results, metric, &format!("{}-{}", entry.id, metric.name))));
    if results.has_any() && !results.notes.is_empty() {
        blocks.push(Block::text(results.notes.as_str()));
    }
    let all: Vec<_> = prefixed(all_tables(results)).collect();
    blocks.extend((!all.is_empty()).then(|| Block::folded("All figures", all)));
    let explained = explained(results).into_iter().filter(|block| !matches!(block, Block::Heading(..)));
    let explained: Vec<_> = explained.collect();
    let names = if results.times_statements() { "The statements" } else { "The strategies" };
    blocks.extend((!explained.is_empty()).then(|| Block::folded(names, explained)));
    let set = std::iter::once(set(results)).chain(tables(results)).collect();
    blocks.push(Block::folded("The machine and the settings of the server", set));
    blocks.push(Block::Words(source(entry)));
    Ok(Block::Part(Part {
        id: entry.id.clone(),
        data: data(entry),
        name: Some(format!("{}: {}", entry.name, summary(entry))),
        blocks,
    }))
}

/// The command, the record and where it comes from.
fn source(entry: &Entry) -> Vec<(Span, Vec<Span>)> {
    let file = &entry.file;
    let commit = match &file.commit {
        Some(commit) => Span::Code(commit.clone()),
        None => "not known: the record was in no commit of a checkout with its history".into(),
    };
    let of_line = match entry.name.rsplit_once(", line ") {
        Some((_, line)) if file.link.ends_with(".jsonl.gz") => format!(", line {line}"),
        _ => String::new(),
    };
    let name = file.link.rsplit('/').next().unwrap_or(&file.link).to_owned();
    vec![
        ("Command".into(), vec![Span::Code(entry.results.command.clone())]),
        ("Record".into(), vec![Span::Link(file.link.clone(), name), of_line.into()]),
        ("SHA-256 of the file".into(), vec![Span::Code(file.sha256.clone())]),
        ("Commit of the record".into(), vec![commit]),
    ]
}

/// Names the server and counts rows, strategies and runs, in a line.
fn summary(entry: &Entry) -> String {
    let results = &entry.results;
    let (strategies, runs) =
        (results.runs.len(), results.runs.iter().map(idgen_record::Run::run_count).sum::<usize>());
    let several = |number: usize, one: &str, many: &str| match number {
        1 => format!("1 {one}"),
        number => format!("{} {many}", count(number as u64)),
    };
    let rows = match results.times_statements() {
        true => String::new(),
        false => format!("{} rows, ", count(results.workload.rows)),
    };
    let what = if results.times_statements() { ["case", "cases"] } else { ["strategy", "strategies"] };
    format!(
        "{} {}, {rows}{}, {}",
        results.engine.name,
        results.engine.version,
        several(strategies, what[0], what[1]),
        several(runs, "run", "runs")
    )
}
