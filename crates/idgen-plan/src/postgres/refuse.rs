//! What the plan cannot take along: it is named, and there is no plan.

use super::catalog::{Catalog, Place, Table};
use super::graph::{Graph, pairs};
use super::names::mentions;
use crate::error::{Error, Result};

/// Ends the quoted bodies of the plan's functions.
pub(super) const QUOTE: &str = "$idgen$";

/// Collects all reasons, so that one attempt shows them all.
pub(super) fn check(catalog: &Catalog, graph: &Graph) -> Result<()> {
    let mut reasons = Vec::new();
    for table in graph.tables.iter().filter_map(|&id| catalog.table(id)) {
        reasons.extend(of_table(table).map(|why| format!("the table {} {why}", table.shown())));
    }
    for &place in graph.columns.keys() {
        of_column(catalog, place, &mut reasons);
    }
    of_keys(catalog, graph, &mut reasons);
    of_indexes(catalog, graph, &mut reasons);
    match reasons.is_empty() {
        true => Ok(()),
        false => Err(Error::new(format!("the keys cannot be changed yet: {}", reasons.join("; ")))),
    }
}

fn of_table(table: &Table) -> Option<String> {
    if table.kind == "p" || table.inherits {
        return Some("is partitioned or inherits, which the plan does not support".into());
    }
    if table.kind == "f" {
        return Some("is a foreign table: change it on its own server".into());
    }
    if table.temporary {
        return Some("is temporary".into());
    }
    if table.forces_policies {
        return Some("has FORCE ROW LEVEL SECURITY, under which its owner does not see all rows: turn it off for the change".into());
    }
    if !table.readable || !table.owned {
        return Some("belongs to another role: make the plan as its owner".into());
    }
    let odd = |name: &String| name.contains(QUOTE) || name.contains(['\n', '\r']);
    [&table.schema, &table.name]
        .into_iter()
        .any(odd)
        .then(|| format!("has a line break or {QUOTE} in its name"))
}

fn of_column(catalog: &Catalog, place: Place, reasons: &mut Vec<String>) {
    let Some(column) = catalog.column(place) else { return };
    let shown = catalog.shown(place);
    if column.generated {
        reasons.push(format!("{shown} is a generated column"));
    }
    if column.default.as_ref().is_some_and(|default| default.contains(['\n', '\r'])) {
        reasons.push(format!("the default of {shown} has several lines: make a function of it"));
    }
    if column.granted {
        reasons.push(format!("{shown} has privileges of its own: grant them on the table instead"));
    }
    if column.name.contains(QUOTE) || column.name.contains(['\n', '\r']) {
        reasons.push(format!("{shown} has a line break or {QUOTE} in its name"));
    }
    for dependent in &catalog.dependents {
        if (dependent.table, dependent.number) == place {
            reasons.push(format!(
                "{} depends on {shown}: drop it, and create it again after the change",
                dependent.what
            ));
        }
    }
}

fn of_keys(catalog: &Catalog, graph: &Graph, reasons: &mut Vec<String>) {
    for key in graph.foreign_keys.iter().map(|&at| &catalog.foreign_keys[at]) {
        let table = catalog.table(key.child).map_or(String::new(), Table::shown);
        let shown = format!("the foreign key {} of {table}", key.name);
        if pairs(key).count() > 1 {
            reasons.push(format!("{shown} has several columns, which the plan does not support"));
        }
        if !key.enforced {
            reasons.push(format!("{shown} is not enforced: enforce it, or drop it for the change"));
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
        if !touched || index.useless() {
            continue;
        }
        if index.exclusion {
            reasons.push(format!("{shown} belongs to an exclusion constraint"));
        }
        if !index.valid {
            reasons.push(format!("{shown} is not valid: build it again, or drop it"));
        }
        if index.identity {
            reasons.push(format!("{shown} is the replica identity: use REPLICA IDENTITY DEFAULT or FULL"));
        }
        if !matches!(index.method.as_str(), "btree" | "hash") || index.default_class.contains(&false) {
            reasons.push(format!("{shown} is no plain index of btree or hash: drop it for the change"));
        }
    }
}

/// A condition that the new column can take over.
pub(super) fn not_null(column: &str) -> String {
    let plain = column.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let name = if plain { column.to_owned() } else { super::names::quoted(column) };
    format!("({name} IS NOT NULL)")
}
