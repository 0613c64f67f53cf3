//! The call of a tool that changes one table, in place of the steps of the plan.

use super::catalog::Catalog;
use super::form::Form;
use super::graph::Graph;
use super::quote::{literal, name};
use super::texts::Texts;
use crate::plan::data::{Command, Target, Tool};
use crate::plan::options::Options;
use idgen_database::{Error, Result};

/// Refuses what no tool can do, before anything is read.
pub(super) fn refuse(options: &Options) -> Result<()> {
    let Some(tool) = options.tool else { return Ok(()) };
    let tool_name = tool.name();
    if options.to == Target::V7FromNow {
        return Err(Error::new(format!(
            "--for {tool_name} is not needed: --to v7-from-now copies no row. Plan without --for"
        )));
    }
    if options.to == Target::Bigint {
        return Err(Error::new(format!(
            "--for {tool_name} is only for --to uuid: {tool_name} changes one table, and the columns that refer to its key would stay \
             smaller. Plan without --for"
        )));
    }
    if options.to == Target::Integer {
        return Err(Error::new(format!(
            "{tool_name} copies each column as it is, and takes no integers from a map. Plan without --for"
        )));
    }
    if options.to != Target::Uuid {
        return Err(Error::new(format!(
            "{tool_name} cannot change keys to {}: it copies each column as it is, with INSERT IGNORE, so 36 characters are cut to 16 \
             bytes and not converted. Only MariaDB's type UUID (--to uuid) converts texts by itself. Plan without --for",
            options.to.name()
        )));
    }
    if tool == Tool::GhOst {
        return Err(Error::new(
            "--for gh-ost is refused: it replays the binary log with the texts of the old key, and this was not tested on MariaDB. \
             Plan with --for pt-online-schema-change, or without --for",
        ));
    }
    if options.keep_text {
        return Err(Error::new(format!("--keep-text is not written for {tool_name}: plan without --for")));
    }
    Ok(())
}

/// Refuses tables that a tool cannot change alone.
pub(super) fn refuse_graph(options: &Options, catalog: &Catalog, graph: &Graph) -> Result<()> {
    let Some(tool) = options.tool else { return Ok(()) };
    let tool = tool.name();
    let foreign = catalog.foreign.iter().filter(|key| graph.concerns(key));
    let foreign: Vec<_> = foreign.map(|key| format!("{}.{}", key.table, key.name)).collect();
    if !foreign.is_empty() {
        return Err(Error::new(format!(
            "{tool} changes one table, and {} has foreign keys ({}), whose tables must change with it. Plan without --for",
            options.table,
            foreign.join(", ")
        )));
    }
    if graph.keys.values().any(|form| *form == Form::Bytes) {
        return Err(Error::new(format!(
            "--for {tool} is for keys of text, and {} has bytes. Plan without --for",
            options.table
        )));
    }
    if [&options.table, &catalog.schema].iter().any(|name| name.contains([',', '='])) {
        return Err(Error::new(format!(
            "{tool} takes no names with commas or equal signs: rename {}, or plan without --for",
            options.table
        )));
    }
    Ok(())
}

/// The call of the tool that was asked for.
pub(super) fn command(texts: &Texts<'_>) -> Result<Option<Command>> {
    let (options, catalog) = (texts.options, texts.catalog);
    let Some(tool) = options.tool else { return Ok(None) };
    let mut changes = Vec::new();
    for (table, column) in texts.graph.keys.keys() {
        let of = catalog.table(table)?.column(column);
        changes.extend(of.and_then(|column| {
            let conversion = texts.conversion(table, column)?;
            let default = match column.default.as_str() {
                "" => String::new(),
                default => format!(" DEFAULT ({})", conversion.forward(default)),
            };
            let comment = match column.comment.as_str() {
                "" => String::new(),
                comment => format!(" COMMENT {}", literal(comment)),
            };
            Some(format!(
                "MODIFY COLUMN {} {} NOT NULL{default}{comment}",
                name(&column.name),
                conversion.new_type()
            ))
        }));
    }
    let script = format!(
        "#!/bin/sh\n\
         # The login and the password are read from the section [client] of this file, never from the command line.\n\
         set -eu\n\
         cnf=${{MYSQL_CNF:-$HOME/.my.cnf}}\n\
         exec {} --no-drop-old-table \\\n  --alter {} \\\n  \"$@\" \\\n  \"F=$cnf\",D={},t={}\n",
        tool.name(),
        shell(&changes.join(", ")),
        shell(&catalog.schema),
        shell(&options.table)
    );
    Ok(Some(Command { tool, purpose: purpose(tool, &options.table), script }))
}

pub(super) fn notes(references: Vec<String>) -> Vec<String> {
    let mut notes = vec![
        "Execute the check immediately before the tool. The tool copies with INSERT IGNORE, and a text that is no id cannot become \
         a UUID."
            .to_owned(),
        "Try it on a copy of the database first. When the tool has exchanged the tables, the applications read and write the type \
         UUID; have that version ready."
            .to_owned(),
        "The old table stays under its new name, but nothing keeps it current after the exchange, so going back loses the \
         changes since then. A plan without --for has a way back that loses nothing."
            .to_owned(),
    ];
    notes.extend(references);
    notes
}

fn purpose(tool: Tool, table: &str) -> String {
    format!(
        "Calls {} for {table}. The options that you add are passed on: `--dry-run` first, then `--execute`; without either it \
         only checks. Write the host, the user and the password to ~/.my.cnf, or to a file that MYSQL_CNF names. To stop, \
         interrupt it; then drop its triggers and its new table as it says, and begin again. The old table is not dropped.",
        tool.name()
    )
}

/// A word for `sh`.
fn shell(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
