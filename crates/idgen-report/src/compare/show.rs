//! The comparison on the terminal.

use comfy_table::{Cell, CellAlignment};
use idgen_record::Metric;

use super::{Compared, Pair, Side};
use crate::numbers::{figure_text, ratio, write};
use crate::terminal::{WIDTH, plain, whole_names, whole_numbers, width};

/// Figures beside the names in a table; on a narrow screen half as many, in place of broken numbers.
const SIDE_BY_SIDE: usize = 8;

/// The comparison in tables, at most [`WIDTH`](crate::WIDTH) columns wide.
pub fn comparison(compared: &Compared) -> String {
    let mut parts = vec![wrapped(&head("A", &compared.a)), wrapped(&head("B", &compared.b))];
    parts.push(differences(compared));
    parts.extend(compared.cautions.iter().map(|text| wrapped(&format!("Note: {text}"))));
    let side_by_side = if width() < WIDTH { SIDE_BY_SIDE / 2 } else { SIDE_BY_SIDE };
    let has = |metric: &&Metric| compared.strategies.iter().any(|pair| pair.figure(metric).is_some());
    let shown: Vec<_> = Metric::compared().filter(has).collect();
    parts.extend(shown.chunks(side_by_side).map(|metrics| strategies(&compared.strategies, metrics)));
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

/// Three lines for each strategy: A, B and the ratio.
fn strategies(pairs: &[Pair], metrics: &[&'static Metric]) -> String {
    let mut table = plain();
    let head = [Cell::new("strategy"), Cell::new("")];
    table.set_header(head.into_iter().chain(metrics.iter().map(|metric| Cell::new(metric.head))));
    for pair in pairs {
        let cells = metrics.iter().map(|metric| match pair.figure(metric) {
            Some(found) => {
                let write = |value| write(metric.unit, value);
                format!("{}\n{}\n{}", write(found.a), write(found.b), ratio(found.ratio))
            }
            None => String::new(),
        });
        let start = [pair.title.clone(), "A\nB\nB/A".into()];
        table.add_row(start.into_iter().chain(cells));
    }
    whole_numbers(table, 2)
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
