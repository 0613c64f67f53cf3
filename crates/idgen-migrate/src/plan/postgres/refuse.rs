//! Finds everything that a plan does not support. It is listed, and there is no plan.

use super::catalog::{Catalog, Column, Index, Place, Table};
use super::graph::Graph;
use super::names::{BODY, mentions, quoted};
use super::spelling::{self, Spelling};
use idgen_database::Result;

use crate::plan::reasons::of_reasons;

/// Collects all reasons, so that one attempt shows them all.
pub(super) fn check(catalog: &Catalog, graph: &Graph) -> Result<()> {
    let mut reasons = Vec::new();
    for table in graph.tables.iter().filter_map(|&id| catalog.table(id)) {
        reasons.extend(of_table(table).into_iter().map(|why| format!("the table {} {why}", table.shown())));
    }
    for &place in graph.columns.keys() {
        of_column(catalog, graph, place, &mut reasons);
    }
    of_keys(catalog, graph, &mut reasons);
    of_indexes(catalog, graph, &mut reasons);
    of_reasons(&reasons)
}

fn of_table(table: &Table) -> Vec<String> {
    let odd = [&table.schema, &table.name].into_iter().any(|name| is_odd(name));
    let whys = [
        of_kind(table).map(str::to_owned),
        (!table.readable || !table.owned)
            .then(|| "belongs to another role: make the plan as its owner".to_owned()),
        odd.then(|| format!("has a line break or {BODY} in its name")),
        table
            .of_extension
            .then(|| "belongs to an extension: remove it from the extension for the change".into()),
        listed(
            &table.rules,
            "has rules, which change the statements of the plan, too: drop them for the change",
        ),
        listed(
            &table.stored_rows,
            "is the type of other columns, whose rows would lose their keys: change their type before",
        ),
        listed(
            &table.late_triggers,
            "has BEFORE triggers that fire after the triggers of the plan and could change a key: give them names before zzz",
        ),
        table.has_no_identity.then(|| {
            format!(
                "is published ({}) and has no replica identity, so the server refuses updates, also those of the copy: give it one (ALTER TABLE \
                 {} REPLICA IDENTITY FULL)",
                table.publications.join(", "),
                table.written()
            )
        }),
        table
            .unchecked_keys
            .then(|| "has disabled triggers of foreign keys: enable them, or drop the foreign keys".into()),
    ];
    whys.into_iter().flatten().collect()
}

/// A reason with the names that it is about.
fn listed(names: &[String], why: &str) -> Option<String> {
    (!names.is_empty()).then(|| format!("{why} ({})", names.join(", ")))
}

/// Returns true if a text would end a line or a body of the plan.
fn is_odd(text: &str) -> bool {
    text.contains(BODY) || text.contains(['\n', '\r'])
}

fn of_kind(table: &Table) -> Option<&'static str> {
    if table.kind == "p" || table.inherits {
        return Some("is partitioned or inherits, which the plan does not support");
    }
    if table.kind == "f" {
        return Some("is a foreign table: change it on its own server");
    }
    if table.temporary {
        return Some("is temporary");
    }
    if table.typed {
        return Some("is of a composite type: turn it into a plain table with ALTER TABLE … NOT OF");
    }
    table.forces_policies.then_some(
        "has FORCE ROW LEVEL SECURITY, under which its owner does not see all rows: turn it off for the change",
    )
}

fn of_column(catalog: &Catalog, graph: &Graph, place: Place, reasons: &mut Vec<String>) {
    let Some(column) = catalog.column(place) else { return };
    let shown = catalog.shown(place);
    reasons.extend(about_column(column).into_iter().flatten().map(|why| format!("{shown} {why}")));
    let is_integer = graph.columns.get(&place) == Some(&Spelling::Integer);
    if is_integer {
        reasons.extend(about_sequences(column).into_iter().flatten().map(|why| format!("{shown} {why}")));
    }
    let default = column.default.as_deref().filter(|default| !is_integer && is_other_text(default));
    if let Some(default) = default {
        let table = catalog.table(place.0).map_or(String::new(), Table::written);
        reasons.push(format!(
            "the default of {shown} is {default}, which is no id: drop it first (ALTER TABLE {table} ALTER COLUMN {} DROP DEFAULT)",
            quoted(&column.name)
        ));
    }
    for dependent in &catalog.dependents {
        if (dependent.table, dependent.number) == place && !(is_integer && dependent.is_sequence) {
            reasons.push(format!(
                "{} depends on {shown}: drop it, and create it again after the change",
                dependent.what
            ));
        }
    }
}

/// Returns true if a default is a constant that is no id. An INSERT that relies on it would fail after the switch.
fn is_other_text(default: &str) -> bool {
    let constant = default.strip_prefix('\'').and_then(|rest| Some(rest.rsplit_once("'::")?.0));
    constant.is_some_and(|text| spelling::id(text.strip_prefix("\\x").unwrap_or(text)).is_none())
}

/// Sequences that the last step could not let count beyond the smaller type.
fn about_sequences(column: &Column) -> [Option<String>; 2] {
    [
        listed(
            &column.lent_sequences,
            "has the sequence of an identity column in its default, which ends with the type of that column: give it a sequence of its own",
        ),
        listed(
            &column.foreign_sequences,
            "has a sequence in its default that belongs to another role and ends before bigint does: let that role execute ALTER SEQUENCE … AS bigint",
        ),
    ]
}

fn about_column(column: &Column) -> [Option<String>; 6] {
    let default = column.default.as_deref().unwrap_or("");
    [
        column.generated.then(|| "is a generated column".into()),
        is_odd(default).then(|| format!("has a default with a line break or {BODY}: make a function of it")),
        column.granted.then(|| "has privileges of its own: grant them on the table instead".into()),
        column.labelled.then(|| "has a security label, which a new column would not have".into()),
        (!column.not_null_valid).then(|| "has a NOT NULL constraint that is not valid: validate it".into()),
        is_odd(&column.name).then(|| format!("has a line break or {BODY} in its name")),
    ]
}

fn of_keys(catalog: &Catalog, graph: &Graph, reasons: &mut Vec<String>) {
    for key in graph.foreign_keys.iter().map(|&at| &catalog.foreign_keys[at]) {
        let table = catalog.table(key.child).map_or(String::new(), Table::shown);
        let shown = format!("the foreign key {} of {table}", key.name);
        if !key.enforced {
            reasons.push(format!("{shown} is not enforced: enforce it, or drop it for the change"));
        } else if !key.valid {
            reasons.push(format!("{shown} is not valid: validate it, or drop it for the change"));
        }
        if key.on_update == "d" || key.on_delete == "d" {
            reasons.push(format!("{shown} has SET DEFAULT: use another action for the change"));
        }
    }
}

fn of_indexes(catalog: &Catalog, graph: &Graph, reasons: &mut Vec<String>) {
    for index in &catalog.indexes {
        let table = catalog.table(index.table).map_or(String::new(), Table::shown);
        let shown = format!("the index {} of {table}", index.name);
        let changes = |number: &i32| graph.columns.contains_key(&(index.table, *number));
        let own = graph.columns.keys().filter(|place| place.0 == index.table);
        let condition = index.predicate.as_deref().unwrap_or("");
        let expressions = index.expressions.as_deref().unwrap_or("");
        let named = own.filter_map(|&place| catalog.column(place)).any(|column| {
            let taken = condition == not_null(&column.name);
            (mentions(condition, &column.name) && !taken) || mentions(expressions, &column.name)
        });
        let touched = index.columns.iter().any(changes);
        if named || (!expressions.is_empty() && touched) {
            reasons
                .push(format!("{shown} has an expression or condition with an id: drop it for the change"));
        }
        if !touched || graph.is_useless(index) {
            continue;
        }
        reasons.extend(about_index(index).into_iter().flatten().map(|why| format!("{shown} {why}")));
    }
}

fn about_index(index: &Index) -> [Option<String>; 6] {
    let plain = matches!(index.method.as_str(), "btree" | "hash") && !index.default_class.contains(&false);
    let condition = index.predicate.as_deref().unwrap_or("");
    [
        index.exclusion.then(|| "belongs to an exclusion constraint: drop it for the change".into()),
        (!index.valid).then(|| "is not valid: build it again, or drop it".into()),
        index.identity.then(|| "is the replica identity: use REPLICA IDENTITY DEFAULT or FULL".into()),
        index.deferrable.then(|| {
            "is deferrable, which the index beside it could not be until the switch: make it NOT DEFERRABLE for the change".into()
        }),
        (!plain).then(|| "is no plain index of btree or hash: drop it for the change".into()),
        is_odd(condition)
            .then(|| format!("has a condition with a line break or {BODY}: drop it for the change")),
    ]
}

/// A condition that the new column can take over.
pub(super) fn not_null(column: &str) -> String {
    let plain = column.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let name = if plain { column.to_owned() } else { super::names::quoted(column) };
    format!("({name} IS NOT NULL)")
}

#[cfg(test)]
mod tests {
    use super::is_other_text;

    #[test]
    fn constants_that_are_no_ids_are_told_from_ids_and_expressions() {
        let id = "6ccd780c-baba-1026-9564-5b8c656024db";
        for other in ["'none'::bpchar", "'it''s'::character varying", "''::text", "'\\x00'::bytea"] {
            assert!(is_other_text(other), "{other}");
        }
        let digits = id.replace('-', "");
        for kept in [
            &format!("'{id}'::bpchar"),
            &format!("'\\x{digits}'::bytea"),
            "NULL::bpchar",
            "(gen_random_uuid())::text",
        ] {
            assert!(!is_other_text(kept), "{kept}");
        }
    }
}
