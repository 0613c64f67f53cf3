//! What the person who executes a plan must know or decide.

use super::texts::Texts;

pub(super) fn all(texts: &Texts<'_>) -> Vec<String> {
    let mut notes = texts.graph.notes.clone();
    notes.push(
        "Try the files on a copy of the database first. After the step `rename` the applications must read and write the new \
         type; have that version ready. TRUNCATE TABLE and ALTER TABLE of these tables are not seen by triggers: do not execute \
         them until the last step is done."
            .to_owned(),
    );
    notes.push(
        "Creating triggers on a server with a binary log needs SUPER, or log_bin_trust_function_creators = 1. The source \
         does not know how far its replicas are behind: set idgen_plan_control.paused to 1 while they lag, by hand or from the \
         program that watches them, and the copy waits."
            .to_owned(),
    );
    notes.extend(generic(texts));
    notes
}

/// Names columns that may have to change too.
pub(super) fn generic(texts: &Texts<'_>) -> Option<String> {
    let generic = without_foreign_key(texts);
    (!generic.is_empty()).then(|| {
        format!(
            "These columns have the type and the length of the old keys, but no foreign key, so the plan does not change them. If \
             they refer to the tables of the plan, they must be changed together with the applications: {}.",
            generic.join(", ")
        )
    })
}

/// Columns that may refer to a changed key although no foreign key says so.
fn without_foreign_key(texts: &Texts<'_>) -> Vec<String> {
    let keys = &texts.graph.keys;
    let of_key = |(table, column): &(String, String)| texts.catalog.tables.get(table)?.column(column);
    let types: Vec<_> =
        keys.keys().filter_map(of_key).map(|column| (column.length, &column.data_type)).collect();
    let tables = texts.catalog.tables.values().filter(|table| !table.is_view);
    let columns = tables.flat_map(|table| {
        let alike = table.columns.iter().filter(|column| {
            types.contains(&(column.length, &column.data_type))
                && !keys.contains_key(&(table.name.clone(), column.name.clone()))
                && table.primary != [column.name.clone()]
        });
        alike.map(|column| format!("{}.{}", table.name, column.name)).collect::<Vec<_>>()
    });
    columns.collect()
}
