//! What the person who executes a plan must know or decide.

use super::form::Form;
use super::map::Map;
use super::texts::Texts;
use super::uuid_type;
use crate::plan::data::Target;

/// The notes; those of columns without a foreign key were made before.
pub(super) fn all(texts: &Texts<'_>, references: Vec<String>) -> Vec<String> {
    let mut notes = texts.graph.notes.clone();
    if let Some(map) = texts.map {
        notes.extend(integers(texts, map));
    }
    notes.push(
        "Try the files on a copy of the database first. After the step `rename` the applications must read and write the new \
         columns; have that version ready. TRUNCATE TABLE and ALTER TABLE of these tables are not seen by triggers: do not execute \
         them until the last step is done."
            .to_owned(),
    );
    notes.push(
        "Creating triggers on a server with a binary log needs SUPER, or log_bin_trust_function_creators = 1. The source \
         does not know how far its replicas are behind: run watch-replicas.sh beside the copy, which then waits while they lag."
            .to_owned(),
    );
    if texts.options.to == Target::Uuid && !uuid_type::compares_all(texts.version) {
        notes.push(
            "This version of MariaDB compares UUIDs of versions 1 to 5 and those of later versions in another order than its \
             indexes have (MDEV-35468), so conditions on ranges of a column that has both lose rows. It does not concern this \
             plan. Update to 10.11.11, 11.4.5, 11.7.2, 11.8.1 or later, or keep to versions 1 to 5."
                .to_owned(),
        );
    }
    notes.extend(references);
    notes.extend(programs(texts));
    notes
}

/// Names what has statements of its own about the tables.
fn programs(texts: &Texts<'_>) -> Option<String> {
    let names = &texts.graph.order;
    let of_tables = texts.catalog.programs.iter().filter(|one| names.iter().any(|name| one.mentions(name)));
    let shown: Vec<_> = of_tables.map(|one| one.shown.as_str()).collect();
    (!shown.is_empty()).then(|| {
        format!(
            "These name the tables, and read and write the new columns from the renaming on; check that they can: {}.",
            shown.join(", ")
        )
    })
}

/// What is different with integers.
fn integers(texts: &Texts<'_>, map: &Map) -> Vec<String> {
    let columns = texts.columns_of_integers().join(", ");
    let mut notes = vec![
        format!(
            "The ids stay in their columns, which become unique, and the new columns have integers of the map {}: {columns}. Columns \
             that refer to ids are replaced, and not only changed in their type: the servers compare a text with an integer by the \
             digits at its beginning, so a statement of an old application would find the rows of others. Under the new names it \
             fails (error 1054).",
            map.table()
        ),
        "After the step `rename`, an application that inserts a row or changes an id asks the map for the integer before (for example \
         with `id_of`), and writes both. Until the last step, triggers refuse an integer that the map does not have for the id. If \
         an id changes, the row gets the integer of the new id, since the map has one integer for each id for ever."
            .to_owned(),
        "What the plan writes to the map stays there, also after going back: an id keeps its integer. Check the map before with \
         `idgen map check`. An ALTER TABLE of the map lets the clients of the tables wait, too."
            .to_owned(),
    ];
    if texts.graph.keys.values().any(|form| *form == Form::Bytes) {
        notes.push(
            "The 16 bytes of BINARY(16) are taken as they are. If they were written with UUID_TO_BIN(id, 1), the map gets other UUIDs than \
             those that the applications know as text."
                .to_owned(),
        );
    }
    notes
}
