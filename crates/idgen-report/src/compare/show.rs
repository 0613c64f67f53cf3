//! The comparison on the terminal.

use comfy_table::CellAlignment;

use super::{Compared, Difference, Pair, Shown, Side};
use crate::figures::numbers::write_median;
use crate::formats::fitted::{Column, Fitted, fitted, laid_out};
use crate::formats::terminal::{table_width, width};

/// Shown in place of a ratio where figures do not differ.
const NO_DIFFERENCE: &str = "no diff.";

/// The comparison in tables, as wide as the terminal.
pub fn comparison(compared: &Compared) -> String {
    comparison_of(compared, table_width())
}

pub(crate) fn comparison_of(compared: &Compared, table_width: u16) -> String {
    let mut parts = vec![wrapped(&head("A", &compared.a)), wrapped(&head("B", &compared.b))];
    parts.push(differences(compared, table_width));
    parts.extend(compared.cautions.iter().map(|text| wrapped(&format!("Note: {text}"))));
    let shown = compared.shown();
    // The first table gets as many columns as fit, and further tables the others, so that no column is left
    // out.
    let side_by_side = usize::from(table_width.saturating_sub(NAMES) / COLUMN).max(1);
    parts.extend(
        shown.chunks(side_by_side).map(|figures| strategies(&compared.strategies, figures, table_width)),
    );
    for (name, only) in [("A", &compared.only_in_a), ("B", &compared.only_in_b)] {
        if !only.is_empty() {
            parts.push(wrapped(&format!("Only in {name}: {}.", only.join("; "))));
        }
    }
    parts.push(wrapped(&compared.conclusion));
    parts.join("\n")
}

/// The width of the names with the letters A and B, and of one figure.
const NAMES: u16 = 26;
const COLUMN: u16 = 11;

/// Lines are broken only at spaces, so that a path stays in one piece and can be copied.
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

fn differences(compared: &Compared, width: u16) -> String {
    if compared.differences.is_empty() {
        return "Both have the same engine, version, workload, settings and machine.".into();
    }
    let shown = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
    let column = |head: &str, cell: &dyn Fn(&Difference) -> String| Column {
        head: head.into(),
        name: head.into(),
        cells: compared.differences.iter().map(cell).collect(),
    };
    let columns = vec![
        column("", &|line| line.what.clone()),
        column("A", &|line| shown(&line.a)),
        column("B", &|line| shown(&line.b)),
    ];
    let names = compared.differences.iter().map(|line| line.area.title().to_owned()).collect();
    let table = Fitted { head: "differs in", names, columns };
    if table.fits(width) {
        return laid_out(&table, &[0, 1, 2], width, CellAlignment::Left);
    }
    // Each of these columns is needed, so a narrow screen shows them one below the other.
    let lines = compared.differences.iter().map(|line| {
        let (area, what) = (line.area.title(), &line.what);
        wrapped(&format!("Differs in {area}, {what}: A {}; B {}", shown(&line.a), shown(&line.b)))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Three lines for each strategy that has any of the figures: A, B and the ratio.
fn strategies(pairs: &[Pair], figures: &[Shown], width: u16) -> String {
    let has_any = |pair: &&Pair| figures.iter().any(|shown| pair.figure(&shown.name).is_some());
    let pairs: Vec<_> = pairs.iter().filter(has_any).collect();
    let cell = |pair: &Pair, shown: &Shown| {
        pair.figure(&shown.name).map_or_else(String::new, |found| {
            let [a, b] = found.samples().map(|sample| write_median(shown.metric, sample.as_ref()));
            format!("{a}\n{b}\n{}", found.verdict(NO_DIFFERENCE))
        })
    };
    let letters =
        Column { head: String::new(), name: String::new(), cells: vec!["A\nB\nB/A".into(); pairs.len()] };
    let columns = figures.iter().map(|shown| Column {
        head: shown.head.clone(),
        name: shown.title.clone(),
        cells: pairs.iter().map(|pair| cell(pair, shown)).collect(),
    });
    let names = pairs.iter().map(|pair| pair.title.clone()).collect();
    let columns = std::iter::once(letters).chain(columns).collect();
    fitted(&Fitted { head: "strategy", names, columns }, width)
}
