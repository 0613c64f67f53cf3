//! The page of a site.

use std::collections::BTreeMap;

use super::entry::{data, entry, finding};
use super::records::Entry;
use crate::error::Result;
use crate::figures::numbers::{count, probability};
use crate::formats::blocks::{Block, Filter, Page, Part};
use idgen_record::{Metric, Run, smallest_p};

/// The page of these records.
pub(super) fn page(entries: &[Entry]) -> Result<Page> {
    let runs: usize = entries.iter().flat_map(|entry| &entry.results.runs).map(Run::run_count).sum();
    let mut engines: Vec<_> = entries
        .iter()
        .map(|entry| format!("{} {}", entry.results.engine.name, entry.results.engine.version))
        .collect();
    engines.sort();
    engines.dedup();
    let lead = format!(
        "{} records of idgen lab with {} runs, on {}. Every figure on this page is computed from the records, which are beside it.",
        count(entries.len() as u64),
        count(runs as u64),
        engines.join(", ")
    );
    let mut body = vec![Block::heading("findings", "Findings")];
    body.extend(findings(entries));
    body.push(Block::heading("experiments", "Experiments"));
    body.push(Block::folded("How to read the figures", reading()));
    for one in entries {
        body.push(entry(one)?);
    }
    Ok(Page {
        title: "Records of idgen lab".to_owned(),
        heading: "What kinds of keys cost: every recorded run".to_owned(),
        skip: "experiments".into(),
        head: vec![Block::text(lead), Block::Filters(filters(entries))],
        body,
    })
}

/// The findings, by question, in the order of the records.
fn findings(entries: &[Entry]) -> Vec<Block> {
    let mut questions: Vec<(&str, Vec<Block>)> = Vec::new();
    for (entry, found) in entries.iter().filter_map(|entry| Some((entry, finding(entry)?))) {
        let question = entry.results.question.as_str();
        match questions.iter_mut().find(|(other, _)| *other == question) {
            Some((_, findings)) => findings.push(found),
            None => questions.push((question, vec![found])),
        }
    }
    if questions.is_empty() {
        return vec![Block::text("No record compares several strategies.")];
    }
    let group = |(question, findings): (&str, Vec<Block>)| {
        let heading = Block::Heading(3, "".into(), question.to_owned());
        let blocks = std::iter::once(heading).chain(findings).collect();
        Block::Part(Part { data: vec![("group", String::new())], blocks, ..Part::default() })
    };
    questions.into_iter().map(group).collect()
}

fn reading() -> Vec<Block> {
    let [three, five] =
        [3, 5].map(|runs| probability(smallest_p(runs, runs)).trim_start_matches("= ").to_owned());
    vec![Block::list([
        "Each table has one figure. Each point is a run: of several runs of a strategy, the first is at the top. The axis is \
         below the points; on a logarithmic one, values below 1 are drawn at 1."
            .to_owned(),
        "\u{201c}Times the best\u{201d} is the median divided by that of the best strategy for this figure. There is a difference \
         where the ranges of the runs do not overlap and the ratio of the medians is larger than that of the largest to the smallest \
         value of either; of single runs, where the ratio is larger than in about 95 of 100 recorded pairs of runs of one load. \
         Figures that are closer to each other than what an idle database does are not different either, and where the best is \
         as small as that, there is no multiple of it, but \u{201c}differs\u{201d}."
            .to_owned(),
        format!(
            "p is that of an exact two-sided rank test of the runs against those of the best. It is not corrected for the number of \
             strategies, nor for the choice of the best. It cannot be below {three} with three runs of each, and {five} with five."
        ),
        "Rows per second and seconds depend on the machine and on its other work: compare them within one record only.".to_owned(),
    ])]
}

fn filters(entries: &[Entry]) -> Vec<Filter> {
    let mut values: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (name, value) in entries.iter().flat_map(data) {
        let seen = values.entry(name).or_default();
        for value in value.split('|').filter(|value| !value.is_empty()) {
            if !seen.iter().any(|other| other == value) {
                seen.push(value.to_owned());
            }
        }
    }
    let named = [("engine", "Engine"), ("kind", "Kind of key"), ("figure", "Figure"), ("clients", "Clients")];
    let filter = |(name, label): (&'static str, &'static str)| {
        let mut values = values.remove(name).unwrap_or_default();
        values.sort_by_key(|value| (value.parse::<u32>().ok(), value.clone()));
        let text = |value: &String| match name {
            "figure" => Metric::named(value).map_or_else(|| value.clone(), |metric| metric.title.to_owned()),
            _ => value.clone(),
        };
        let options = values.iter().map(|value| (value.clone(), text(value))).collect();
        Filter { name, label, options }
    };
    named.map(filter).into()
}
