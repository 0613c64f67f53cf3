//! Prints the tables to the terminal and into the guide.

use std::fmt::Write;
use std::path::Path;

use idgen_record::thousands;
use idgen_server::Server;

use crate::server::{NewTable, Switched};
use crate::{CHECKPOINTS, Failure, MINUTES};

const BEGIN: &str = "<!-- begin postgres -->";
const END: &str = "<!-- end postgres -->";

pub fn markdown(
    server: &Server,
    rows: u64,
    new: &[NewTable],
    switched: &[Switched],
) -> Result<String, Failure> {
    let mut text = format!(
        "Written by `make bench-postgres`: {}, tables of {} rows with 100 bytes of payload, {} rows per simulated \
         minute,\none client that sends statements of 10,000 rows.\n",
        server.version(),
        thousands(rows),
        thousands(rows / MINUTES),
    );
    writeln!(
        text,
        "\n| key | columns | leaf pages | predicted | density, % | 10th percentile, % | index bytes per row | heap bytes per row |\n\
         |---|---|---:|---:|---:|---:|---:|---:|"
    )?;
    for table in new {
        let index = &table.index;
        let per_row = |bytes: i64| bytes as f64 / index.rows as f64;
        writeln!(
            text,
            "| {} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} |",
            table.name,
            table.columns,
            thousands(index.leaf_pages as u64),
            thousands(index.predicted_leaf_pages),
            index.density,
            index.density_p10,
            per_row(index.bytes),
            per_row(index.heap_bytes),
        )?;
    }
    writeln!(
        text,
        "\nBytes of the write-ahead log per row, of the whole table and of its index, counted from a checkpoint over the \
         simulated minutes that the column names:\n"
    )?;
    let heads: Vec<String> =
        CHECKPOINTS.iter().map(|minutes| format!("{minutes} min | index | predicted")).collect();
    writeln!(
        text,
        "| key | columns | {} |\n|---|---|{}",
        heads.join(" | "),
        "---:|".repeat(3 * CHECKPOINTS.len())
    )?;
    for table in new {
        write!(text, "| {} | {} |", table.name, table.columns)?;
        for log in &table.log {
            write!(
                text,
                " {:.0} | {:.0} | {:.0} |",
                log.bytes_per_row, log.index_bytes_per_row, log.predicted_index_bytes_per_row
            )?;
        }
        text.push('\n');
    }
    writeln!(
        text,
        "\nThe index of a table that held {} rows of version 4 in {} leaf pages, after as many rows of another kind:\n",
        thousands(rows),
        thousands(switched.first().map_or(0, |table| table.before.leaf_pages as u64)),
    )?;
    writeln!(
        text,
        "| new rows | leaf pages | predicted | density, % | against v4 |\n|---|---:|---:|---:|---:|"
    )?;
    let stayed = switched.first().map_or(1, |table| table.after.leaf_pages) as f64;
    for table in switched {
        let after = &table.after;
        writeln!(
            text,
            "| {} | {} | {} | {:.1} | {:+.0} % |",
            table.name,
            thousands(after.leaf_pages as u64),
            thousands(after.predicted_leaf_pages),
            after.density,
            100.0 * (after.leaf_pages as f64 / stayed - 1.0),
        )?;
    }
    Ok(text)
}

/// Fails if the file does not have the marks.
pub fn check_marks(path: &Path) -> Result<(), Failure> {
    between_marks(&std::fs::read_to_string(path)?, "").map(drop)
}

/// Replaces the text between the marks.
pub fn write(path: &Path, tables: &str) -> Result<(), Failure> {
    let text = between_marks(&std::fs::read_to_string(path)?, tables)?;
    Ok(std::fs::write(path, text)?)
}

fn between_marks(text: &str, tables: &str) -> Result<String, Failure> {
    let missing = || format!("the file has no marks {BEGIN} and {END}");
    let (before, rest) = text.split_once(BEGIN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    Ok(format!("{before}{BEGIN}\n{}\n{END}{after}", tables.trim_end()))
}
