//! The survey of a tablespace file as text.

use std::fmt::{self, Write};

use innodb_pages::{Distribution, IndexTree, Level, SpaceKind, Survey, Writer};

use crate::formats::fitted::{Column, Fitted, fitted};
use crate::formats::terminal::table_width;

/// The figures of a file: which server wrote it, the kinds of its pages, and a table for each index.
pub fn survey(survey: &Survey) -> String {
    let mut text = String::new();
    write(&mut text, survey).expect("writing into a String cannot fail");
    text
}

fn write(out: &mut String, survey: &Survey) -> fmt::Result {
    let writer = match survey.format.writer {
        Writer::Mysql => "MySQL 8.0 or later",
        Writer::Mariadb => "MariaDB 10.4 or later",
        Writer::Either => "MySQL before 8.0, or MariaDB with innodb_checksum_algorithm=crc32",
    };
    let (pages, page_size) = (survey.pages, survey.format.page_size);
    match survey.kind {
        SpaceKind::Tables => {}
        SpaceKind::Undo => writeln!(out, "Undo tablespace: it holds undo logs and no rows.")?,
        SpaceKind::System => writeln!(out, "System tablespace (ibdata1): its indexes belong to the server.")?,
    }
    writeln!(out, "Written by {writer}; {pages} pages of {page_size} bytes.")?;
    let kinds: Vec<_> = survey.kinds.iter().map(|(kind, pages)| format!("{pages} {kind}")).collect();
    writeln!(out, "In use: {}. Free: {}.", kinds.join(", "), survey.free_pages)?;
    for tree in &survey.indexes {
        writeln!(out)?;
        index(out, tree)?;
    }
    Ok(())
}

fn index(out: &mut String, tree: &IndexTree) -> fmt::Result {
    let kind = match (tree.clustered, tree.spatial) {
        (true, _) => "clustered index",
        (false, true) => "spatial index",
        (false, false) => "secondary index",
    };
    let name = tree.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
    writeln!(
        out,
        "{kind}{name} (number {}, root page {}):\n{} records of {:.1} bytes, {:.1} bytes of pages each",
        tree.id, tree.root, tree.records, tree.record_bytes, tree.page_bytes_per_record
    )?;
    writeln!(out, "{}", fitted(&levels(tree), table_width()))?;
    writeln!(out, "Leaves by fill, 0 to 100 %:  {}", sparkline(&tree.leaf().fill))?;
    writeln!(out, "Leaves followed by their neighbor in the file: {:.0} %", 100.0 * tree.in_file_order)
}

/// A line for each level of a tree, the root first.
fn levels(tree: &IndexTree) -> Fitted<'static> {
    let levels = || tree.levels.iter().rev();
    let column = |head: &str, cell: &dyn Fn(&Level) -> String| Column {
        head: head.into(),
        name: head.replace('\n', " "),
        cells: levels().map(cell).collect(),
    };
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
    Fitted {
        head: "level",
        names: levels()
            .map(|level| if level.level == 0 { "0, leaves".into() } else { level.level.to_string() })
            .collect(),
        columns: vec![
            column("pages", &|level| level.pages.to_string()),
            column("records", &|level| level.records.to_string()),
            column("fill %\nmean", &|level| percent(level.fill.mean)),
            column("fill %\np10", &|level| percent(level.fill.p10)),
            column("fill %\nmedian", &|level| percent(level.fill.median)),
            column("MB of redo\nsince, median", &|level| megabytes(level.age.median)),
            column("MB of redo\nsince, p90", &|level| megabytes(level.age.p90)),
        ],
    }
}

/// The histogram as twenty small bars. A bar above zero is always visible.
fn sparkline(fill: &Distribution) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = fill.histogram.iter().copied().max().unwrap_or(0).max(1);
    fill.histogram
        .iter()
        .map(
            |&pages| {
                if pages == 0 { '·' } else { BARS[((pages * 8).div_ceil(most) as usize).clamp(1, 8) - 1] }
            },
        )
        .collect()
}
