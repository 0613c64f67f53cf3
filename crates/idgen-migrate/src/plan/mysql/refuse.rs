//! Finds everything that a plan does not support. All of it is listed at once, and there is no plan.

use super::catalog::{Catalog, Column, Part, Table};
use super::dependent;
use super::form::Form;
use super::graph::{Graph, not_innodb};
use super::hidden;
use super::quote::{LONGEST, name};
use super::session::Session;
use crate::charset::least_bytes;
use crate::plan::data::{Engine, Target};
use crate::plan::options::Options;
use crate::plan::reasons::of_reasons;
use crate::programs::Program;
use idgen_database::Result;
use idgen_database::catalog::ForeignKey;
use idgen_database::catalog::mysql::IndexPart;

/// Each trigger of a plan has these words, with which it fails where its plan is damaged (templates/phase.sql).
const OF_PLAN: &str = "idgen plan: the table of the phase has no row";

pub(super) async fn check(
    session: &mut Session,
    catalog: &Catalog,
    graph: &Graph,
    options: &Options,
) -> Result<()> {
    let mut reasons: Vec<String> = graph.order.iter().filter_map(|name| of_table(catalog, name)).collect();
    for (table, trigger) in catalog.triggers.iter().filter(|(table, _)| graph.order.contains(table)) {
        let mut programs = catalog.programs.iter().filter(|one| one.schema == catalog.schema);
        let is_it = |one: &Program| one.kind == "trigger" && one.name == *trigger;
        reasons.push(match programs.any(|program| is_it(program) && program.text.contains(OF_PLAN)) {
            true => format!(
                "another plan of idgen is at work on the table {table} (its trigger {trigger}): execute it to its end, or undo it, and plan again"
            ),
            false => format!(
                "the table {table} has the trigger {trigger}: after the renaming it would belong to the old table. Drop it, and create \
                 it for the new table after the last step"
            ),
        });
    }
    if !graph.circle.is_empty() {
        let names: Vec<_> = graph.circle.iter().map(String::as_str).collect();
        reasons.push(format!(
            "the foreign keys of {} form a circle, so no order of copying keeps them valid: drop one of them for the time of the \
             change",
            names.join(", ")
        ));
    }
    for key in catalog.foreign.iter().filter(|key| graph.concerns(key)) {
        reasons.extend(of_foreign_key(catalog, graph, options, key));
    }
    for ((table, column), form) in &graph.keys {
        let Some(table) = catalog.tables.get(table) else { continue };
        let Some(column) = table.column(column) else { continue };
        reasons.extend(match form {
            Form::Integer => of_integer(table, column).into_iter().collect(),
            _ => of_column(table, column),
        });
        let is_replaced = options.to == Target::Integer && refers(catalog, table, column);
        reasons.extend(of_default(table, column, *form, is_replaced));
        if options.to == Target::Binary16 && *form == Form::Bytes {
            reasons.push(format!("{}.{} is BINARY(16) already", table.name, column.name));
        }
    }
    reasons.extend(hidden::conditions(session, catalog, &graph.order).await?);
    reasons.extend(dependent::reasons(session, catalog, &graph.order).await?);
    reasons.extend(of_definitions(session, graph).await?);
    reasons.extend(of_parents(session, catalog, graph).await?);
    of_reasons(&reasons)
}

/// Finds the reasons that only the server's own definition of a table shows. MariaDB accepts no INSERT … ON DUPLICATE
/// KEY UPDATE in a table with `WITHOUT OVERLAPS`, and CREATE TABLE … LIKE leaves out the directory.
async fn of_definitions(session: &mut Session, graph: &Graph) -> Result<Vec<String>> {
    let mut reasons = Vec::new();
    for table in &graph.order {
        let rows = session.rows(&format!("SHOW CREATE TABLE {}", name(table))).await?;
        let shown = rows.concat();
        let options = |option: &str| {
            let last = shown.last().and_then(|shown| shown.lines().rfind(|line| line.starts_with(')')));
            last.is_some_and(|line| line.contains(option))
        };
        if options(" DATA DIRECTORY=") {
            reasons.push(format!(
                "the table {table} has a DATA DIRECTORY, which the new table would not have: move it to the directory of the server first"
            ));
        }
        for (_, column) in graph.keys.keys().filter(|(of, _)| of == table) {
            let begins = format!("{} ", name(column));
            let has = |line: &str| {
                ["/*!50606 COLUMN_FORMAT", "/*!50606 STORAGE"].iter().any(|of| line.contains(of))
            };
            let mut lines = shown.iter().flat_map(|shown| shown.lines());
            if lines.any(|line| line.trim_start().starts_with(&begins) && has(line)) {
                reasons.push(format!(
                    "{table}.{column} has COLUMN_FORMAT or STORAGE, which InnoDB ignores and the new column would not have: \
                     ALTER TABLE {} MODIFY COLUMN … without it",
                    name(table)
                ));
            }
        }
        if shown.iter().any(|shown| shown.lines().any(|line| line.trim().starts_with("PERIOD FOR "))) {
            reasons.push(format!(
                "the table {table} has a period (PERIOD FOR …), which the plan does not cover: drop it for the time of the change"
            ));
        }
    }
    Ok(reasons)
}

fn of_table(catalog: &Catalog, name: &str) -> Option<String> {
    let Some(table) = catalog.tables.get(name) else {
        return Some(format!("the table {name} is not visible for this user: grant SELECT on it"));
    };
    if !table.is_base() {
        return Some(format!(
            "the table {name} is no base table, but {}: the plan does not cover it",
            table.kind
        ));
    }
    if let Some(why) = not_innodb(table) {
        return Some(why);
    }
    if let Some(part) = table.parts.iter().find(|part| part.index == IndexPart::PRIMARY && part.prefix > 0)
        && table.primary.is_empty()
    {
        return Some(format!(
            "the primary key of the table {name} holds only the first {} characters or bytes of {}, and no other unique key without NULL has whole \
             columns, so the copy cannot find rows again: add such a unique key first",
            part.prefix, part.column
        ));
    }
    let why = if table.is_partitioned {
        "is partitioned; MySQL and MariaDB have no foreign keys there, and the plan does not cover it"
    } else if table.primary.is_empty() {
        "has neither a primary key nor a unique key without NULL (generated columns do not count), so the copy cannot find rows again: add a primary key first"
    } else {
        return None;
    };
    Some(format!("the table {name} {why}"))
}

fn refers(catalog: &Catalog, table: &Table, column: &Column) -> bool {
    catalog.foreign.iter().any(|key| key.table == table.name && key.columns.contains(&column.name))
}

fn of_foreign_key(catalog: &Catalog, graph: &Graph, options: &Options, key: &ForeignKey) -> Option<String> {
    let name = format!("the foreign key {} of {}.{}", key.name, key.schema, key.table);
    let of_other = [&key.schema, &key.to_schema].into_iter().find(|schema| **schema != catalog.schema);
    if let Some(other) = of_other {
        return Some(format!(
            "{name} connects this schema with the schema {other}: the plan changes one schema. Drop it for the time of the change"
        ));
    }
    if let Some(why) = hidden::rules(catalog, key) {
        return Some(why);
    }
    let of_server = format!("{}_ibfk_1", key.table);
    if of_server.chars().count() > LONGEST && of_server.starts_with(&key.name) {
        return Some(format!(
            "{name} has a name that the server made and shows in two forms, because it is longer than {LONGEST} characters: drop the key, and \
             add it with a name of your own"
        ));
    }
    let is_own = key.table == key.to_table;
    let changes = |column: &&String| graph.keys.contains_key(&(key.table.clone(), (*column).clone()));
    if let Some(changed) = key.columns.iter().find(changes).filter(|_| key.columns.len() > 1)
        && (is_own || options.to == Target::Integer)
    {
        let why = match is_own {
            true => "refers to its own table",
            false => "would need an index of the integers",
        };
        return Some(format!(
            "{name} has {} columns ({}), of which {changed} changes, and {why}: drop it for the time of the change",
            key.columns.len(),
            key.columns.join(", ")
        ));
    }
    let has_spellings = |column: &String| {
        let form = graph.keys.get(&(key.to_table.clone(), column.clone()));
        matches!(form, Some(Form::Text { .. }))
    };
    if key.on_update == "SET NULL" && key.to_columns.iter().any(has_spellings) {
        return Some(format!(
            "{name} has ON UPDATE SET NULL: when a client writes an id of {} in another spelling (capital letters), the column becomes NULL, \
             but in the new tables all spellings are one value, so nothing would happen: replace it by CASCADE or RESTRICT for the \
             time of the change",
            key.to_table
        ));
    }
    (is_own && key.on_delete == "CASCADE").then(|| {
        format!(
            "{name} refers to its own table with ON DELETE CASCADE. InnoDB deletes these rows without triggers, at all depths, so \
             the copy cannot be kept current: replace it by RESTRICT or SET NULL for the time of the change"
        )
    })
}

/// MySQL 8.4 and later keep foreign keys to columns that are no unique key, but accept no new ones.
async fn of_parents(session: &mut Session, catalog: &Catalog, graph: &Graph) -> Result<Vec<String>> {
    let sql = "SELECT CAST(@@SESSION.restrict_fk_on_non_standard_key AS CHAR)";
    if session.engine != Engine::MySql || session.version < [8, 4, 0] || session.text(sql).await? != "1" {
        return Ok(Vec::new());
    }
    let is_odd = |key: &&ForeignKey| {
        let parent = catalog.tables.get(&key.to_table);
        graph.concerns(key) && parent.is_some_and(|parent| !parent.is_unique(&key.to_columns))
    };
    let reason = |key: &ForeignKey| {
        format!(
            "the foreign key {} of {} refers to {}, which no unique key of {} consists of, and the server accepts no new key like it \
             (restrict_fk_on_non_standard_key): add such a unique key, or drop the foreign key for the time of the change",
            key.name,
            key.table,
            key.to_columns.join(", "),
            key.to_table
        )
    };
    Ok(catalog.foreign.iter().filter(is_odd).map(reason).collect())
}

/// Expressions that read the column as it is written now would read other bytes, or fail, after the change.
fn of_column(table: &Table, column: &Column) -> Vec<String> {
    let shown = format!("{}.{}", table.name, column.name);
    let reads = |expression: &str| expression.contains(&name(&column.name));
    let mut reasons = Vec::new();
    if column.is_generated() {
        reasons.push(format!("{shown} is a generated column: its expression must be changed by hand"));
    }
    // Their digits are no bytes of ASCII, which the steps compare and convert.
    if least_bytes(&column.charset) > 1 {
        reasons.push(format!(
            "{shown} is in the character set {}, in which each digit of an id has two or four bytes, and the plan reads digits of one byte: \
             change it to ascii first, in all columns that foreign keys connect (ALTER TABLE {} MODIFY COLUMN {} {} CHARACTER SET ascii …)",
            column.charset,
            name(&table.name),
            name(&column.name),
            column.type_text.to_uppercase()
        ));
    }
    for other in table.columns.iter().filter(|other| other.name != column.name && reads(&other.generated)) {
        reasons.push(format!(
            "the generated column {}.{} reads {shown} as it is written now: drop it for the time of the change",
            table.name, other.name
        ));
    }
    for other in table.columns.iter().filter(|other| other.name != column.name && reads(&other.default)) {
        reasons.push(format!(
            "the default of {}.{} reads {shown} as it is written now: drop it for the time of the change",
            table.name, other.name
        ));
    }
    for (name, _) in table.conditions.iter().filter(|(_, condition)| reads(condition)) {
        reasons.push(format!(
            "the check constraint {name} of {} reads {shown} as it is written now: drop it for the time of the change",
            table.name
        ));
    }
    let of_column = |part: &&Part| part.column == column.name || reads(&part.expression);
    for part in table.parts.iter().filter(of_column) {
        let what = match part {
            Part { prefix: 1.., is_tree: true, .. } => {
                format!("only the first {} characters of", part.prefix)
            }
            Part { is_tree: true, .. } if part.column.is_empty() => "an expression of".to_owned(),
            Part { is_tree: true, .. } => continue,
            _ => "the words of".to_owned(),
        };
        reasons.push(format!(
            "the index {} of {} holds {what} {}, which will be written otherwise: drop it for the time of the change",
            part.index, table.name, column.name
        ));
    }
    reasons
}

/// Returns why the column cannot become a `BIGINT`. Its readers get the same integers after the change, but MariaDB keeps a condition in
/// the declaration of the column, under the name of the column, and loses it with another type.
fn of_integer(table: &Table, column: &Column) -> Option<String> {
    let shown = format!("{}.{}", table.name, column.name);
    if column.is_generated() {
        return Some(format!("{shown} is a generated column: its expression must be changed by hand"));
    }
    table.conditions.iter().find(|(name, _)| *name == column.name).map(|(_, condition)| {
        format!(
            "{shown} has a check constraint in its declaration ({condition}), which the new type would not have: make it one of the table \
             (ALTER TABLE {} ADD CHECK (…)), and drop it in the column",
            name(&table.name)
        )
    })
}

/// The reason not to change a column whose default would be lost.
pub(super) fn hidden_default(table: &Table, column: &Column) -> String {
    format!(
        "the default of {}.{} is an expression that MySQL does not show, since ALTER COLUMN … SET DEFAULT gave it, and that a dump of the \
         table loses too: give it again by ALTER TABLE {} MODIFY COLUMN …, or drop it",
        table.name,
        column.name,
        name(&table.name)
    )
}

/// A default that is a text must be an id, and a column of integers cannot take it over.
fn of_default(table: &Table, column: &Column, form: Form, is_replaced: bool) -> Option<String> {
    let shown = format!("{}.{}", table.name, column.name);
    if column.has_hidden_default {
        return Some(hidden_default(table, column));
    }
    let default = column.default.as_str();
    if form == Form::Integer {
        return None;
    }
    if !default.is_empty() && is_replaced {
        return Some(format!(
            "{shown} has a default, which the integers in its place cannot have: drop the default first"
        ));
    }
    let literal = default.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''))?;
    let is_id = matches!(form, Form::Text { .. }) && Form::of_text(literal).is_some();
    (!is_id).then(|| {
        let (table, column) = (name(&table.name), name(&column.name));
        format!(
            "the default of {shown} is {default}, which is no id: drop it first (ALTER TABLE {table} ALTER COLUMN {column} DROP DEFAULT)"
        )
    })
}
