//! The comparison on the terminal.

use comfy_table::{Cell, CellAlignment};

use super::{Compared, Pair, Side};
use crate::report::numbers::{figure_text, ratio};
use crate::report::published::figure;
use crate::report::terminal::{WIDTH, plain, whole_names, whole_numbers, width};

/// What fits beside the names, in two tables; what is still missing is in the JSON and the page.
const SHOWN: [[&str; 8]; 2] = [
    [
        "rows_per_sec",
        "last_rows_per_sec",
        "reads_per_1k",
        "writes_per_1k",
        "splits_per_1k",
        "distinct_leaves_per_1k",
        "fill_mean",
        "bytes_per_row",
    ],
    [
        "p50_micros",
        "p99_micros",
        "last_reads_per_1k",
        "last_writes_per_1k",
        "disk_reads_per_1k",
        "hit_rate",
        "created_per_1k",
        "redo_bytes_per_row",
    ],
];

/// The comparison in tables, at most [`WIDTH`](crate::report::WIDTH) columns wide.
pub fn comparison(compared: &Compared) -> String {
    let mut parts = vec![wrapped(&head("A", &compared.a)), wrapped(&head("B", &compared.b))];
    parts.push(differences(compared));
    parts.extend(compared.cautions.iter().map(|text| wrapped(&format!("Note: {text}"))));
    // A narrow screen has several tables instead of broken numbers.
    let side_by_side = if width() < WIDTH { 4 } else { SHOWN[0].len() };
    let groups = SHOWN.iter().flat_map(|names| names.chunks(side_by_side));
    parts.extend(groups.filter_map(|names| strategies(&compared.strategies, names)));
    if !compared.cases.is_empty() {
        parts.push(cases(&compared.cases));
    }
    for (name, only) in [("A", &compared.only_in_a), ("B", &compared.only_in_b)] {
        if !only.is_empty() {
            parts.push(wrapped(&format!("Only in {name}: {}.", only.join("; "))));
        }
    }
    parts.join("\n")
}

/// Broken at blanks alone: a path stays in one piece, for the user to copy, and so does a date.
fn wrapped(text: &str) -> String {
    let options = textwrap::Options::new(usize::from(width()))
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(text, options)
}

fn head(letter: &str, side: &Side) -> String {
    format!("{letter}: {}: {} {}, {}", side.name, side.engine.name, side.engine.version, side.started)
}

fn differences(compared: &Compared) -> String {
    if compared.differences.is_empty() {
        return "Both have the same engine, version, workload, settings and machine.".into();
    }
    let mut table = plain();
    table.set_header(["differs in", "", "A", "B"]);
    for line in &compared.differences {
        let cell = |text: &String| if text.is_empty() { "-".to_owned() } else { text.clone() };
        table.add_row([line.area.title().into(), line.what.clone(), cell(&line.a), cell(&line.b)]);
    }
    whole_names(table)
}

/// Three lines for each strategy: A, B and the ratio. Nothing where no strategy has any of these figures.
fn strategies(pairs: &[Pair], names: &[&'static str]) -> Option<String> {
    let mut table = plain();
    let shown: Vec<_> = names
        .iter()
        .filter(|name| pairs.iter().any(|pair| pair.figures.iter().any(|found| found.name == **name)))
        .filter_map(|name| Some((*name, figure(name)?)))
        .collect();
    if shown.is_empty() {
        return None;
    }
    let head = [Cell::new("strategy"), Cell::new("")];
    table.set_header(head.into_iter().chain(shown.iter().map(|(_, figure)| Cell::new(figure.head))));
    for pair in pairs {
        let cells =
            shown.iter().map(|(name, figure)| match pair.figures.iter().find(|found| found.name == *name) {
                Some(found) => {
                    format!("{}\n{}\n{}", figure.write(found.a), figure.write(found.b), ratio(found.ratio))
                }
                None => String::new(),
            });
        let start = [pair.title.clone(), "A\nB\nB/A".into()];
        table.add_row(start.into_iter().chain(cells));
    }
    Some(whole_numbers(table, 2))
}

/// A line for each figure: experiments differ in what they count.
fn cases(pairs: &[Pair]) -> String {
    let mut table = plain();
    table.set_header(["case", "figure", "A", "B", "B/A"]);
    for pair in pairs {
        for found in &pair.figures {
            table.add_row([
                pair.title.clone(),
                found.name.replace('_', " "),
                figure_text(found.a),
                figure_text(found.b),
                ratio(found.ratio),
            ]);
        }
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    // The names are long, and give way too.
    table.trim_fmt()
}
