//! Notes for the person who executes a plan: what to know and to decide.

use super::altered;
use super::catalog::Catalog;
use super::form::Form;
use super::graph::Graph;
use super::map::Map;
use super::quote::name;
use super::texts::{TableText, Texts};
use super::uuid_type;
use crate::plan::data::Target;
use crate::programs::Program;

/// The notes; those of columns without a foreign key were made before.
pub(super) fn all(
    texts: &Texts<'_>,
    tables: &[TableText],
    planned: &[Vec<String>],
    references: Vec<String>,
) -> Vec<String> {
    let mut notes = texts.graph.notes.clone();
    if let Some(map) = texts.map {
        notes.extend(integers(texts, map));
    }
    let applications = match texts.options.to {
        Target::Bigint => {
            "From the step `rename` on the applications get BIGINT: programs that read the ids into 32 bits must be changed before the first \
             larger id, and nothing else."
        }
        _ => {
            "After the step `rename` the applications must read and write the new columns; have that version ready."
        }
    };
    notes.push(format!(
        "Try the files on a copy of the database first. {applications} TRUNCATE TABLE and ALTER TABLE of these tables are not seen by \
         triggers: do not execute them until the last step is done."
    ));
    notes.push(format!(
        "Each file asks the ledger {} and the server itself whether it may be executed now; it does its work, or says in one sentence \
         which file is next. One file at a time: a second session is refused. Connect to the server itself, and not through a pooler.",
        texts.names.steps
    ));
    notes.push(
        "The account that executes the files needs the privilege PROCESS, and TRIGGER, CREATE ROUTINE, ALTER, CREATE, DROP, REFERENCES and the \
         rights to read and write on the schema. Creating triggers on a server with a binary log needs SUPER, or \
         log_bin_trust_function_creators = 1. Triggers and procedures are executed with the rights of this account: if it is dropped or \
         renamed before the last step, each write of the tables fails with error 1449. The source does not know how far its \
         replicas are behind: run watch-replicas.sh beside the copy, which then waits while they lag."
            .to_owned(),
    );
    notes.push(format!(
        "To name the views, routines, events and triggers that use the tables, the account that makes a plan needs SELECT, SHOW VIEW, EVENT \
         and TRIGGER on the schemas that have them, and {}. Without these, the plan says what it did not read.",
        match texts.names.is_mysql {
            true => "SHOW_ROUTINE",
            false => "SELECT on mysql.proc",
        }
    ));
    notes.push(
        "Statements that were prepared before the step `rename` are prepared again by the server. A transaction whose snapshot is older \
         than the renaming reads the rows of its snapshot with the new keys after it, and may get error 1412, which says that it must begin again; \
         one that is older than the end of the copy would find no rows, so the step refuses, and names its session. On a replica, such a \
         transaction, also a dump (mysqldump --single-transaction), reads empty tables without an error: let watch-replicas.sh run until the step \
         `rename`, which is then refused while a replica has one; or end all transactions of the replicas after the last copy has arrived \
         there, and before `rename`."
            .to_owned(),
    );
    notes.push(format!(
        "Do not drop triggers of the plan. If one is dropped after the step `rename`, the old tables are not current any more, so there is no way \
         back and no last step, and inserts may fail with error 1452. The tables that the applications use have all rows. Remove the rest by \
         hand: first the triggers whose names contain {0} (SHOW TRIGGERS), then the tables whose names end in _{0}_old, those with foreign keys \
         first, then the tables and procedures whose names begin with idgen_{0}.",
        texts.names.id
    ));
    notes.push(altered::note(texts.names, tables));
    notes.extend(truncated_texts(texts));
    notes.extend(other_names(texts, tables, planned));
    let histograms: Vec<_> = planned
        .iter()
        .flatten()
        .filter_map(|line| line.strip_prefix("HISTOGRAM ")?.strip_suffix(" ."))
        .map(|place| place.replacen(' ', ".", 1))
        .collect();
    if !histograms.is_empty() {
        notes.push(format!(
            "These columns have histograms, which the new tables do not have: {}. Make them again after the renaming (ANALYZE TABLE … UPDATE \
             HISTOGRAM ON …).",
            histograms.join(", ")
        ));
    }
    if texts.options.to == Target::Uuid && !uuid_type::compares_all(texts.version) {
        notes.push(
            "This version of MariaDB compares UUIDs of versions 1 to 5 and those of later versions in another order than its \
             indexes have (MDEV-35468), so conditions on ranges of a column that has both lose rows. It does not concern this \
             plan. Update to 10.11.11, 11.4.5, 11.7.2, 11.8.1 or later, or keep to versions 1 to 5."
                .to_owned(),
        );
    }
    notes.extend(references);
    notes.extend(programs(texts.catalog, texts.graph));
    notes
}

/// A session without a strict mode stores the first 16 characters of a text that an old application writes.
fn truncated_texts(texts: &Texts<'_>) -> Option<String> {
    if !matches!(texts.options.to, Target::Binary16 | Target::Swapped) {
        return None;
    }
    let mut checks: Vec<_> = texts
        .graph
        .keys
        .iter()
        .filter(|(_, form)| **form != Form::Bytes)
        .map(|((table, column), _)| {
            format!(
                "ALTER TABLE {} ADD CHECK (HEX({}) NOT RLIKE '^(2D|3[0-9]|[46][1-6]){{16}}$')",
                name(table),
                name(column)
            )
        })
        .collect();
    checks.sort();
    (!checks.is_empty()).then(|| {
        format!(
            "A session without a strict sql_mode that writes a key as text after the renaming, as an old application does, stores its first \
             16 characters as bytes, with a warning only. Where such sessions exist, refuse such bytes, which no id of any version has, after \
             the last step: {}.",
            checks.join("; ")
        )
    })
}

/// Names that a schema has only once, so the new tables cannot have those of the old ones.
fn other_names(texts: &Texts<'_>, tables: &[TableText], planned: &[Vec<String>]) -> Option<String> {
    let keys = tables.iter().flat_map(|table| &table.foreign);
    let mut shown: Vec<_> = keys.map(|key| format!("{} becomes {}", key.old_name, key.name())).collect();
    // The server renews a name that begins with the table's when the table is renamed, and does not change it later.
    let checks = tables.iter().zip(planned).filter(|_| texts.names.is_mysql).flat_map(|(table, lines)| {
        let begin = format!("CHECK {} ", table.now);
        let names = lines.iter().filter_map(move |line| {
            let row = line.strip_prefix(&begin)?;
            // The word after the name says whether the constraint is enforced.
            let end = [" YES ", " NO "].iter().filter_map(|word| row.find(word)).min()?;
            Some(&row[..end]).filter(|name| !name.starts_with('@'))
        });
        names.map(|name| {
            format!("the check constraint {name} gets a name that begins with {}_chk_", table.now)
        })
    });
    shown.extend(checks);
    (!shown.is_empty()).then(|| {
        format!(
            "A schema has the name of a constraint once, so some have another one after the renaming, which statements that drop them must \
             use: {}.",
            shown.join(", ")
        )
    })
}

/// Names what has statements of its own about the tables, in whatever schema.
pub(super) fn programs(catalog: &Catalog, graph: &Graph) -> Option<String> {
    let uses = |one: &&Program| graph.order.iter().any(|table| one.may_use(&catalog.schema, table));
    let shown: Vec<_> = catalog.programs.iter().filter(uses).map(|one| one.shown(&catalog.schema)).collect();
    (!shown.is_empty()).then(|| {
        format!(
            "These name the tables, and read and write the new columns from the renaming on; check that they can: {}.",
            shown.join(", ")
        )
    })
}

/// Describes the differences of a plan with integers.
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
