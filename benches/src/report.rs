//! The tables: for the terminal, and for the sections of a Markdown file, which are replaced one by one.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use comfy_table::{CellAlignment, Table, TableStyle, presets};

use crate::case::{Group, Section, Target};
use crate::machine;
use crate::runner::{Effort, Measured};

const HEAD: &str = "# Speed

This file is written by `make bench-speed`; each section names its machine and its command. Absolute \
figures belong to that machine; the ratios can be compared better with other machines. The figures do \
not show batches of other sizes, cold caches, or the effect on the rest of a program.
";

/// Writes one section of the report, and keeps the others.
///
/// # Errors
///
/// If the file cannot be read or written.
pub fn write_section(path: &Path, name: &str, body: &str) -> Result<()> {
    let old = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => HEAD.to_owned(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
    }
    std::fs::write(path, with_section(&old, name, body))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn with_section(text: &str, name: &str, body: &str) -> String {
    let (begin, end) = (format!("<!-- begin {name} -->"), format!("<!-- end {name} -->"));
    let section = format!("{begin}\n{}\n{end}", body.trim_end());
    if let Some((before, rest)) = text.split_once(&begin)
        && let Some((_, after)) = rest.split_once(&end)
    {
        return format!("{before}{section}{after}");
    }
    format!("{}\n\n{section}\n", text.trim_end())
}

/// The section of a run, with its command and machine.
pub fn speed_section(section: &Section, effort: &Effort, results: &[(Group, Vec<Measured>)]) -> String {
    let mut text = format!(
        "## {}\n\n{}\n\nThe figures are medians over {} rounds, in which the implementations take turns of {} µs; `±` is half \
         the distance between the quartiles. `make bench-speed` runs \
         `cargo run --release -p idgen-bench -- speed {} --write docs/speed.md`. Measured on: {}.\n",
        title(section.name),
        section.about,
        effort.rounds,
        effort.turn.as_micros(),
        section.name,
        machine::line(),
    );
    for (group, measured) in results {
        let _ = write!(
            text,
            "\n### {}\n\n{}\n",
            title(group.name),
            table(group, measured, presets::ASCII_MARKDOWN)
        );
        for line in target_lines(group, measured) {
            let _ = write!(text, "\n- {line}");
        }
        if !group.targets.is_empty() {
            text.push('\n');
        }
    }
    text
}

/// The table of a group for the terminal.
pub fn group_table(group: &Group, measured: &[Measured]) -> String {
    let mut text = format!("{}\n{}\n", group.name, table(group, measured, presets::ASCII_MARKDOWN));
    for line in target_lines(group, measured) {
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// If there are several of our cases, only those with a target have a column of multiples.
const MOST_COLUMNS: usize = 3;

fn table(group: &Group, measured: &[Measured], style: TableStyle) -> Table {
    let mut ours: Vec<_> = group.cases.iter().filter(|case| case.is_ours()).map(|case| case.name).collect();
    if ours.len() > MOST_COLUMNS {
        ours.retain(|name| group.targets.iter().any(|target| target.ours == *name));
    }
    let mut table = Table::new();
    table.load_style(style);
    let mut header = vec!["".to_owned(), "ns per id".to_owned(), "±".to_owned()];
    header.extend(ours.iter().map(|name| format!("as a multiple of {name}")));
    table.set_header(header);
    for row in measured {
        let mut cells =
            vec![row.name.to_owned(), format!("{:.2}", row.ns), format!("{:.1} %", row.spread_percent)];
        cells.extend(
            ours.iter()
                .map(|name| time(measured, name).map_or(String::new(), |ns| format!("{:.2}", row.ns / ns))),
        );
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn target_lines(group: &Group, measured: &[Measured]) -> Vec<String> {
    group.targets.iter().filter_map(|target| target_line(target, measured)).collect()
}

fn target_line(target: &Target, measured: &[Measured]) -> Option<String> {
    let reached = time(measured, target.peer)? / time(measured, target.ours)?;
    let verdict = if reached >= target.times { "reached" } else { "missed" };
    if target.times <= 1.0 {
        return Some(format!(
            "`{}` may take {:.2} times as long as `{}`: {verdict}, {:.2}",
            target.ours,
            1.0 / target.times,
            target.peer,
            1.0 / reached
        ));
    }
    Some(format!(
        "`{}` should take {} times as long as `{}`: {verdict}, {reached:.2}",
        target.peer, target.times, target.ours
    ))
}

fn time(measured: &[Measured], name: &str) -> Option<f64> {
    measured.iter().find(|row| row.name == name).map(|row| row.ns)
}

/// The name with a capital letter.
pub fn title(name: &str) -> String {
    let mut characters = name.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_replaced_where_they_are_and_added_at_the_end() {
        let one = with_section("# Head\n", "a", "first\n");
        assert_eq!(one, "# Head\n\n<!-- begin a -->\nfirst\n<!-- end a -->\n");
        let two = with_section(&one, "b", "second");
        let again = with_section(&two, "a", "changed");
        assert_eq!(
            again,
            "# Head\n\n<!-- begin a -->\nchanged\n<!-- end a -->\n\n<!-- begin b -->\nsecond\n<!-- end b -->\n"
        );
        assert_eq!(with_section(&again, "b", "second"), again);
    }

    #[test]
    fn targets_say_what_was_reached() {
        let row = |name, ns| Measured { name, ns, spread_percent: 1.0, rounds: Vec::new() };
        let measured = [row("idgen", 2.0), row("peer", 3.0)];
        let line = |times| target_line(&Target { ours: "idgen", peer: "peer", times }, &measured);
        assert_eq!(
            line(1.5).as_deref(),
            Some("`peer` should take 1.5 times as long as `idgen`: reached, 1.50")
        );
        assert!(line(1.6).is_some_and(|text| text.contains("missed, 1.50")));
    }
}
